"""Words for people in one language: the sentences of words.json, filled in with numbers and with the owner's own words.

The same table serves every program that verifies; tests/vectors/words.json holds answers that all of them give.
Names, labels, values and units are the owner's words: in the owner's own translation or in none, and always between
the two characters of Unicode that isolate a text from what stands around it. In a sentence they are quoted unless
they are one plain word, so that none can go on with the sentence. No name may hold the quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Literal

from equiproof.circuits import names, tables
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.tables import say

Language = Literal["en", "de"]
"""One of the languages that the tables have."""

NO_BREAK = "\u00a0"
MINUS = "\u2212"
_ISOLATE = "\u2068"
_END = "\u2069"

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(\.[0-9]+)?")
_UNIT = re.compile("[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(/[A-Za-z]+)?")
"""Words and units that need no quotation marks, as in circuits/names.py."""

_ISOLATED = re.compile(f"{_ISOLATE}([^{_END}]*){_END}")
_PLACE = re.compile("{([a-z_]+)}")


class Words:
    """The sentences of one language; ValueError for a language that the table lacks."""

    def __init__(self, language: str) -> None:
        if language not in table():
            raise ValueError(say("value.not_one_of", value=repr(language[:20]), known=", ".join(table())))
        self.language = language
        self._sentences = table()[language]

    def say(self, which: str, **texts: str) -> str:
        """Return a sentence of the table with its places filled in, each once: filled-in text is not read again."""
        return _PLACE.sub(lambda place: texts[place[1]], self._sentences[which])

    def number(self, number: Fraction) -> str:
        """Return a number in full, digits in groups of three; ValueError for one that no decimal number equals."""
        whole, point, part = decimal_text(abs(number)).partition(".")
        groups = re.sub(r"(?<=[0-9])(?=([0-9]{3})+$)", self.say("number.group"), whole)
        sign = MINUS if number < 0 else ""
        return f"{sign}{groups}{self.say('number.point') if point else ''}{part}"

    def day(self, day: date) -> str:
        """Return a day as people write it, such as 14 March 2024; no line breaks before its month."""
        month = self.say("letter.months").split()[day.month - 1]
        text = self.say("letter.date", day=str(day.day), month=month, year=str(day.year))
        return text.replace(" ", NO_BREAK, 1)

    def unit(self, unit: str) -> str:
        """Return a unit as it stands behind a number, with the blank before it; empty for no unit."""
        if not unit:
            return ""
        return NO_BREAK + (isolated(unit) if _UNIT.fullmatch(unit) else self.quoted(unit))

    def word(self, text: str) -> str:
        """Return one of the owner's words as it stands in a sentence: quoted unless it is one plain word."""
        return isolated(text) if _WORD.fullmatch(text) else self.quoted(text)

    def quoted(self, text: str) -> str:
        """Return one of the owner's words in quotation marks."""
        return self.say("join.quotes", text=isolated(text))

    def joined(self, texts: Sequence[str], how: Literal["and", "or"] = "and") -> str:
        """Return texts as a list in a sentence, the last one behind "and" or "or"."""
        *first, last = texts
        return self.say(f"join.{how}", first=", ".join(first), last=last) if first else last


def isolated(text: str) -> str:
    """Return a text of the owner's so that its direction of writing ends with it; pages turn the ends into <bdi>."""
    return f"{_ISOLATE}{text}{_END}"


def for_terminal(text: str) -> str:
    """Return a text for a terminal: of what isolates, only what holds letters that are written from the right stays."""
    return _ISOLATED.sub(lambda match: names.isolated(match[1]), text)


def shown_name(spec: Spec, feature: Feature, language: str = "en") -> str:
    """Return a feature's name as it is shown in a language: its translation, or its own with underscores as blanks.

    It stays as it is where it would begin or end with a blank or hold two in a row, and where any name in this language
    holds a blank: then two names could come out alike.
    """
    own = feature.name_in(language)
    plain = own.replace("_", " ")
    if plain != plain.strip(" ") or "  " in plain or language in spec.languages_with_blanks:
        return own
    return plain


def decimal_text(number: Fraction) -> str:
    """Return a number that is not negative in full, with a point; ValueError for one that no decimal number equals."""
    # A fraction has an end in decimals if 2 and 5 are the only primes of its denominator; the larger of their
    # exponents is the number of decimals.
    digits = 0
    rest = number.denominator
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest //= prime
            times += 1
        digits = max(digits, times)
    if rest != 1:
        raise ValueError(f"{number} is no decimal number")
    text = f"{number.numerator * 10**digits // number.denominator:0{digits + 1}d}"
    return f"{text[:-digits]}.{text[-digits:]}" if digits else text


@cache
def table() -> dict[str, dict[str, str]]:
    """Return every sentence by language and name; raises TableError where a language lacks one."""
    languages = tables.table("words", dict[str, dict[str, str]])
    every = {name for sentences in languages.values() for name in sentences}
    for language in tables.LANGUAGES:
        missing = sorted(every - languages.get(language, {}).keys())
        if missing:
            raise tables.TableError(f"words.json: language {language} lacks {missing[0]}")
    return languages
