"""What the console says, in its reader's language: in English where it is said, and in German in a table.

The table german.json has the German sentence to each English one; places in braces are filled in. Everything between a
request and its answer speaks the language of :func:`equiproof.circuits.tables.speaking`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from markupsafe import Markup

from equiproof.circuits.tables import ENGLISH, LANGUAGES, spoken
from equiproof.service.console import words

_FILE = Path(__file__).with_name("german.json")
_PLACE = re.compile(r"\{[a-z_]+\}")


def say(english: str, **values: object) -> str:
    """Return a sentence in the reader's language, with values in its places."""
    return _in_language(english).format(**values)


def mark(english: str, **values: object) -> Markup:
    """Return a sentence for a template: values that are no markup are escaped."""
    return Markup(_in_language(english)).format(**values)  # noqa: S704 -- sentences are ours


def counted(one: str, many: str, count: int, **values: object) -> Markup:
    """Return the sentence for a count as :func:`mark` does, which stands in the place `n`."""
    return mark(one if count == 1 else many, n=words.number(count), **values)


def heard(text: str) -> str:
    """Return what another room said in English, such as why it refused, in the reader's language if it is known.

    Sentences with places are recognized by what stands around them.
    """
    if spoken() == ENGLISH or text in german():
        return _in_language(text)
    for pattern, sentence in _patterns():
        if found := pattern.fullmatch(text):
            return sentence.format(**found.groupdict())
    return text


def preferred(accepted: str) -> str:
    """Return the language that a browser's Accept-Language names first of those that there are, else English."""
    ranked = []
    for place, part in enumerate(accepted[:200].split(",")):
        tag, _, weight = part.partition(";q=")
        language = tag.strip().lower().partition("-")[0]
        try:
            share = float(weight or 1)
        except ValueError:
            continue
        if language in LANGUAGES and share > 0:
            ranked.append((-share, place, language))
    return min(ranked)[2] if ranked else ENGLISH


@cache
def german() -> dict[str, str]:
    """Return the German sentence to each English one."""
    table: dict[str, str] = json.loads(_FILE.read_text(encoding="utf-8"))
    return table


def _in_language(english: str) -> str:
    return english if spoken() == ENGLISH else german().get(english, english)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return what recognizes each sentence with places, and its German."""
    found = []
    for english, sentence in german().items():
        if _PLACE.search(english):
            parts = re.split(r"(\{[a-z_]+\})", english)
            regex = "".join(f"(?P<{one[1:-1]}>.+)" if _PLACE.fullmatch(one) else re.escape(one) for one in parts)
            if len(set(_PLACE.findall(english))) == len(_PLACE.findall(english)):
                found.append((re.compile(regex), sentence))
    return found
