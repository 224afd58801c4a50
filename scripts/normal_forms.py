"""Write go-gnark/verify/tables/normal.json: the normal forms of the characters of names.json there.

    python scripts/normal_forms.py

Go's standard library has no normal forms. For the characters of names, which are of Unicode 10 or older, NFC and NFD
are the same in every later version, by Unicode's stability policy: whatever Python runs this, the same table comes out.
tests/static/test_names.py compares it. Hangul is left out: its syllables follow by arithmetic.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "go-gnark" / "verify" / "tables"
SOURCE = TABLES / "names.json"
TARGET = TABLES / "normal.json"
SYLLABLES = range(0xAC00, 0xD7A4)


def main() -> None:
    """Write the table."""
    TARGET.write_text(written(), encoding="ascii")


def written() -> str:
    """Return the table as text."""
    return json.dumps(_table(set(_characters())), indent=1) + "\n"


def _characters() -> Iterator[str]:
    """Yield the characters that names may hold, and those that they look like."""
    table = json.loads(SOURCE.read_text(encoding="ascii"))
    ranges = [*table["letters"].values(), *table["marks"].values(), table["marks_of_any_script"], table["signs"]]
    for first, _, last in (text.partition("-") for listed in ranges for text in listed.split()):
        yield from map(chr, range(int(first, 16), int(last or first, 16) + 1))
    yield from "".join(table["look_alikes"])


def _table(known: set[str]) -> dict[str, object]:
    """Return the table.

    `decomposed` has the full canonical decomposition of a character; `composed` the pairs that are written as one
    character, whether names may hold that one or not; `classes` the marks by the class that orders them.
    """
    parts = {part for sign in known for part in unicodedata.normalize("NFD", sign)}
    every = [chr(code) for code in range(sys.maxunicode + 1) if code not in SYLLABLES]
    # A character of later versions is made of no older characters alone, or is not composed.
    pairs = {sign: _pair(sign) for sign in every if parts.issuperset(unicodedata.normalize("NFD", sign))}
    return {
        "what": "Made by scripts/normal_forms.py of the characters of names.json",
        "decomposed": {
            _codes(sign): _codes(unicodedata.normalize("NFD", sign))
            for sign in sorted(known | {sign for sign, pair in pairs.items() if pair})
            if unicodedata.normalize("NFD", sign) != sign and ord(sign) not in SYLLABLES
        },
        "composed": {pair: _codes(sign) for sign, pair in sorted(pairs.items()) if pair},
        "classes": {str(number): _codes(signs) for number, signs in _by_class(parts)},
    }


def _pair(sign: str) -> str:
    """Return the two characters that normal form NFC writes as this one; "" for none."""
    parts = unicodedata.decomposition(sign)
    composed = parts and not parts.startswith("<") and " " in parts and unicodedata.normalize("NFC", sign) == sign
    return parts if composed else ""


def _by_class(parts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the combining classes above 0, each with its characters."""
    classes: dict[int, list[str]] = {}
    for sign in sorted(parts):
        classes.setdefault(unicodedata.combining(sign), []).append(sign)
    yield from ((number, classes[number]) for number in sorted(classes) if number)


def _codes(signs: Iterable[str]) -> str:
    """Write characters as code points in hexadecimal."""
    return " ".join(f"{ord(sign):04X}" for sign in signs)


if __name__ == "__main__":
    main()
