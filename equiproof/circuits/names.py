"""Names that people read in a verified statement: text that cannot be mistaken for other text, and how it is shown.

The characters of names, their scripts and what they look like stand in names.json, made from one version of Unicode's
tables, so that no program depends on the version it happens to have. Of the platform only normal forms are used: for
these characters they are the same in every version since 2017. docs/spec.md states the rules for other programs,
and tests/vectors/names.json tests them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from equiproof.circuits import tables
from equiproof.circuits.tables import say
from equiproof.circuits.text import several, shortened

Rule = Literal["length", "character", "blanks", "form", "marks", "apostrophe", "scripts", "direction", "unit", "alike"]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*|-?[0-9]+(\.[0-9]+)?")
_PLAIN_UNIT = re.compile("[A-Za-z%$\u00a3\u00a5\u00b0\u20ac]+(/[A-Za-z]+)?")
"""Names and units that stand in a sentence without quotation marks."""

_ISOLATE_START = "\u2068"
_ISOLATE_END = "\u2069"
"""What stands between these two cannot move the text around it."""

_MOVING_NUMBERS = re.compile("[0-9][^0-9]+[0-9]|-[0-9]|[0-9]-")
"""Numbers that would stand in another order among letters that are written from the right."""


class Complaint(NamedTuple):
    """What is wrong with a name: the rule that it breaks, as in docs/spec.md, and a message."""

    rule: Rule
    message: str


class _Table(msgspec.Struct, frozen=True):
    """names.json: characters as ranges of code points in hexadecimal; `look_alikes` by what they look like."""

    longest: int
    marks_in_a_row: int
    letters: dict[str, str]
    marks: dict[str, str]
    marks_of_any_script: str
    signs: str
    one_of: frozenset[str]
    together: frozenset[str]
    right_to_left: frozenset[str]
    signs_from_right: str
    look_alikes: dict[str, str]


class _ByCharacter(dict[int, str]):
    """What characters are, by code point: looked up among ranges, and kept for those that were asked for.

    Forty thousand characters, spelled out, would take ten megabytes in every process that reads one name.
    """

    def __init__(self, ranges: Iterable[tuple[str, str]]) -> None:
        """Take ranges, as the table has them, with what their characters are."""
        super().__init__()
        spans = sorted((*span, what) for text, what in ranges for span in _spans(text))
        self._firsts = [first for first, _, _ in spans]
        self._spans = spans

    def __missing__(self, code: int) -> str:
        """Return what a character is; raises KeyError for one in no range."""
        at = bisect_right(self._firsts, code) - 1
        if at < 0 or code > self._spans[at][1]:
            raise KeyError(code)
        return self.setdefault(code, self._spans[at][2])

    def of(self, sign: str) -> str | None:
        """Return what a character is; None for one in no range."""
        try:
            return self[ord(sign)]
        except KeyError:
            return None


@dataclass(frozen=True)
class _Characters:
    """The table by character.

    `script` is that of letters and marks, empty for marks of any script. `kinds` writes letters as l and marks as m,
    `words` signs as blanks. Names that are written from the right hold no `moving` signs. `looks` are what characters
    look like.
    """

    table: _Table
    signs: frozenset[str]
    script: _ByCharacter
    kinds: _ByCharacter
    words: dict[int, str]
    moving: frozenset[str]
    looks: dict[int, str]

    def has(self, sign: str) -> bool:
        """Return whether names may hold a character."""
        return sign in self.signs or self.script.of(sign) is not None


def complaint(text: str) -> Complaint | None:
    """Return what is wrong with a name by itself, or None; of several rules that it breaks, the first."""
    known = _characters()
    if not 1 <= len(text) <= known.table.longest:
        return Complaint("length", say("name.length_out_of_bounds", most=known.table.longest))
    strange = next((sign for sign in dict.fromkeys(text) if not known.has(sign)), None)
    if strange is not None:
        return Complaint("character", _forbidden(strange))
    if "  " in text or text != text.strip(" "):
        return Complaint("blanks", say("name.blank_misplaced"))
    # Only now: the characters are known ones, of which every version of Unicode has the same normal forms.
    if unicodedata.normalize("NFC", text) != text:
        return Complaint("form", say("name.not_nfc"))
    return _misplaced(text) or _mixed(text)


def unit_complaint(text: str) -> Complaint | None:
    """Return what is wrong with a unit that could be read as part of the number before it or as a remark, or None."""
    if re.search("[0-9,;()]", text):
        return Complaint("unit", say("name.unit_malformed"))
    digits = set(map(_skeleton, "0123456789"))
    if len(text) >= 3 and digits.issuperset(map(_skeleton, text[:3])):
        return Complaint("unit", say("name.begins_like_digits"))
    return None


def joint_complaint(groups: Mapping[str, Iterable[str]]) -> Complaint | None:
    """Return what is wrong with the names of one spec together, or None; each by itself is known to be right.

    A group holds names among which a reader chooses, such as the labels. Its letters are of one of the scripts that
    look alike, and none of its names looks like another. Names of different groups may look alike if both are ASCII:
    owners honestly use the value 1 and a feature I.
    """
    one_of = _characters().table.one_of
    everywhere = dict[str, tuple[str, str]]()
    for group, texts in groups.items():
        scripts = set[str]()
        own = dict[str, tuple[str, str]]()
        for text in texts:
            scripts |= _scripts(text) & one_of
            if len(scripts) > 1:
                return Complaint("scripts", say("name.scripts_look_alike", writing=group, scripts=_joined(scripts)))
            look = _skeleton(text)
            place = (text, group)
            for other, where in (own.setdefault(look, place), everywhere.setdefault(look, place)):
                if other != text and not (where != group and (other + text).isascii()):
                    alike = say(
                        "name.looks_like",
                        group=group,
                        name=repr(shortened(text)),
                        other=repr(shortened(other)),
                        where=where,
                        difference=_differing(text, other),
                    )
                    return Complaint("alike", alike)
    return None


def quoted(name: str) -> str:
    """Return a name as it stands in a sentence: in quotes unless it is one plain word."""
    return name if _PLAIN_NAME.fullmatch(name) else f'"{isolated(name)}"'


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: of more than fit, the first ones, how many are left out, and the last."""
    return several([quoted(shortened(name)) for name in names])


def after_number(unit: str) -> str:
    """Return a unit as it stands behind a number, with the blank before it: in quotes unless it is one plain word.

    Without quotes, a unit of several words would go on with the sentence: 5,000 "EUR and any larger amount".
    """
    return f" {unit}" if _PLAIN_UNIT.fullmatch(unit) else unit and f' "{isolated(unit)}"'


def isolated(text: str) -> str:
    """Return a text so that its direction of writing, if it is from the right, ends with it."""
    from_right = _scripts(text) & _characters().table.right_to_left
    return f"{_ISOLATE_START}{text}{_ISOLATE_END}" if from_right else text


def escaped(text: str) -> str:
    """Return the beginning of a refused name, with characters that names may not hold as escapes."""
    return "".join(sign if _characters().has(sign) else ascii(sign)[1:-1] for sign in text[:40])


def _misplaced(text: str) -> Complaint | None:
    """Return a complaint about marks and apostrophes where they cannot be seen, or seem to end a quotation."""
    known = _characters()
    kinds = text.translate(known.kinds)
    most = known.table.marks_in_a_row
    twice = "mm" in kinds and any(a == b and kind == "m" for (a, b), kind in zip(pairwise(text), kinds, strict=False))
    if "m" * (most + 1) in kinds or twice or re.search("(^|[^lm])m", kinds):
        return Complaint("marks", say("name.mark_misplaced", most=most))
    if re.search("(^|[^lm])'", kinds):
        return Complaint("apostrophe", say("name.apostrophe_misplaced"))
    return None


def _mixed(text: str) -> Complaint | None:
    """Return a complaint about scripts, or directions of writing, that do not go together."""
    known = _characters()
    scripts = _scripts(text)
    table = known.table
    words = text.translate(known.words).split() if len(scripts) > 1 else ()
    word_scripts = (_scripts(word) for word in words)
    clash = next((own for own in word_scripts if len(own) > 1 and not own <= table.together), scripts & table.one_of)
    if len(clash) > 1:
        return Complaint("scripts", say("name.mixed_scripts", scripts=_joined(clash)))
    if scripts & table.right_to_left and (
        scripts - table.right_to_left or not known.moving.isdisjoint(text) or _MOVING_NUMBERS.search(text)
    ):
        return Complaint("direction", say("name.mixed_directions"))
    return None


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters and marks of a text."""
    return {script for script in map(_characters().script.of, set(text)) if script}


def _skeleton(text: str) -> str:
    """Return what texts have in common that look alike (UTS 39, section 4)."""
    look = unicodedata.normalize("NFD", text).translate(_characters().looks)
    return unicodedata.normalize("NFD", look)


def _differing(text: str, other: str) -> str:
    """Return in words the first characters in which two texts differ."""
    a, b = next(((a, b) for a, b in zip(text, other, strict=False) if a != b), ("", ""))
    return f" {say('name.differing', one=_code(a), other=_code(b))}" if a else ""


def _described(sign: str) -> str:
    """Return a character's code point and name; the name is for people, and new ones are unknown to old programs."""
    name = unicodedata.name(sign, "")
    return f"{_code(sign)} ({name})" if name else _code(sign)


def _forbidden(sign: str) -> str:
    """Return that names may not hold a character, and its plain form, if there is one, such as fi for a ligature."""
    plain = unicodedata.normalize("NFKC", sign)
    if plain != sign and all(map(_characters().has, plain)):
        return say("name.holds_forbidden_write", character=_described(sign), plain=repr(plain))
    return say("name.holds_forbidden", character=_described(sign))


def _code(sign: str) -> str:
    """Return a code point as Unicode writes it."""
    return f"U+{ord(sign):04X}"


def _joined(scripts: Iterable[str]) -> str:
    """Return scripts in words."""
    return f" {say('word.and')} ".join(sorted(scripts))


@cache
def _characters() -> _Characters:
    """Read the table."""
    table = tables.table("names", _Table)
    marks = [(table.marks_of_any_script, ""), *((ranges, script) for script, ranges in table.marks.items())]
    letters = [(ranges, script) for script, ranges in table.letters.items()]
    signs = frozenset(_spelled_out(table.signs))
    return _Characters(
        table=table,
        signs=signs,
        script=_ByCharacter([*letters, *marks]),
        kinds=_ByCharacter([*((ranges, "l") for ranges, _ in letters), *((ranges, "m") for ranges, _ in marks)]),
        words=dict.fromkeys(map(ord, signs), " "),
        moving=signs.difference(_spelled_out(table.signs_from_right)),
        looks={ord(sign): look for look, signs in table.look_alikes.items() for sign in signs},
    )


def _spelled_out(ranges: str) -> Iterator[str]:
    """Yield the characters of ranges."""
    for first, last in _spans(ranges):
        yield from map(chr, range(first, last + 1))


def _spans(ranges: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last code point of ranges."""
    for first, _, last in (text.partition("-") for text in ranges.split()):
        yield int(first, 16), int(last or first, 16)
