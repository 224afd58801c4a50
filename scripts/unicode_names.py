"""Write go-gnark/verify/tables/names.json: the characters that names may hold, and which look alike, from Unicode.

    python scripts/unicode_names.py FOLDER

FOLDER holds the files of SOURCES, as https://www.unicode.org/Public/ publishes them for VERSION. Any others are
refused, so that the same table comes out everywhere. Their licence stands beside the result, names.LICENSE.
docs/spec.md says how a program uses the table; tests/circuits/test_names.py compares it with what this script
gives where EQUIPROOF_UNICODE names FOLDER.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

VERSION = "15.0.0"
SOURCES = {
    "UnicodeData.txt": "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73",
    "Scripts.txt": "cca85d830f46aece2e7c1459ef1249993dca8f2e46d51e869255be140d7ea4b0",
    "DerivedAge.txt": "7570877e0fa197c45338f7c41a02636da4e14c8dba6a3611a01cd30bf329d5ca",
    "confusables.txt": "2b10130885c3370b101c52d7baedc452ab7f0e257b86c1e52ee657ecfc29ce64",
    "IdentifierType.txt": "71e95d5811999776a39c33a9149e5bf3c3311217a36b89005c678f34f08debc0",
}
"""The SHA-256 of each file. The last two are of security/15.0.0, the others of 15.0.0/ucd."""

TARGET = Path(__file__).resolve().parents[1] / "go-gnark" / "verify" / "tables" / "names.json"

OLDEST = (10, 0)
"""Only characters of this version (2017) or older: programs of every later version know the same normal forms."""

EAST_ASIAN = "East Asian"
SCRIPTS = dict.fromkeys(("Bopomofo", "Han", "Hangul", "Hiragana", "Katakana"), EAST_ASIAN) | {
    name: name
    for name in (
        *("Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati"),
        *("Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Latin", "Malayalam", "Oriya", "Sinhala", "Tamil"),
        *("Telugu", "Thaana", "Thai"),
    )
}
"""Unicode's script -> its name here. These are the scripts in general use (UAX 31, table 5) without Myanmar and
Tibetan, whose ordinary words have more than two marks in a row."""

ONE_OF = ("Armenian", "Cyrillic", "Greek", "Latin")
TOGETHER = (EAST_ASIAN, "Latin")
RIGHT_TO_LEFT = ("Arabic", "Hebrew", "Thaana")
SIGNS_FROM_RIGHT = " '()-_0123456789"
"""The signs of names that are written from the right: others would be mirrored or stand elsewhere than meant."""

MORE_LETTERS = {EAST_ASIAN: "\u3005\u30fc", "Khmer": "\u17d7", "Lao": "\u0eb3\u0ec6", "Thai": "\u0e33\u0e46"}
"""Signs of repetition and length, and the vowels am, which are not in form NFKC: ordinary words need them."""

NO_LETTERS = frozenset("\u05f0\u05f1\u05f2\u097d\u4e36\u4e3f")
"""Letters that pass for quotation marks, question marks and slashes."""

ARABIC_MARKS = frozenset(map(chr, (*range(0x64B, 0x656), 0x670)))
"""Marks that Unicode gives to no script."""

ANY_MARKS = frozenset(
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0308\u0309\u030a\u030b\u030c\u030f\u0311"
    "\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
)
"""Marks for letters that have no character of their own. The dot above is left out: on i and j it cannot be seen."""

NO_SIGNS = frozenset('"`')
MORE_SIGNS = frozenset("\u00a7\u00b0\u00b1\u00b7\u00bf\u00d7\u2013\u2014\u2030\u2264\u2265\u3001\u301c\u30fb")
"""Signs beyond ASCII besides those of currencies: section, degree, plus-minus, middle dot, question mark turned over,
times, en dash, em dash, per mille, at most, at least, ideographic comma, wave dash, katakana middle dot."""


MORE_LOOKS = {"\u30fc": "-", "\u051a": "Q", "\ua78d": "\u0427"}
"""What else looks alike: the two dashes, of which Unicode likens the long one to the length mark of kana, and two pairs
of letters have the same picture in fonts of terminals."""


class Unicode:
    """The tables, by character."""

    def __init__(self, folder: Path) -> None:
        """Read the files."""
        self.category: dict[str, str] = {}
        self.decomposition: dict[str, str] = {}
        self.compatible: set[str] = set()
        first = ""
        for sign, (name, category, _, _, parts, *_) in _rows(folder / "UnicodeData.txt"):
            first = sign if name.endswith(", First>") else first
            for code in range(ord(first if name.endswith(", Last>") else sign), ord(sign) + 1):
                self.category[chr(code)] = category
            if parts.startswith("<"):
                self.compatible.add(sign)
            elif parts:
                self.decomposition[sign] = _text(parts)
        self.script = {sign: fields[0] for sign, fields in _rows(folder / "Scripts.txt")}
        self.age = {sign: tuple(map(int, age.split("."))) for sign, (age,) in _rows(folder / "DerivedAge.txt")}
        self.type = {sign: fields[0] for sign, fields in _rows(folder / "IdentifierType.txt")}
        looks = {sign: _text(fields[0]) for sign, fields in _rows(folder / "confusables.txt")} | MORE_LOOKS
        self.prototype = {sign: "".join(MORE_LOOKS.get(part, part) for part in look) for sign, look in looks.items()}

    def decomposed(self, sign: str) -> str:
        """Return the canonical decomposition of a character."""
        return "".join(map(self.decomposed, parts)) if (parts := self.decomposition.get(sign)) else sign

    def recommended(self, sign: str) -> bool:
        """Return whether a letter or mark is in general use (UTS 39: identifier type Recommended)."""
        known = sign <= "\uffff" and self.age.get(sign, (99, 0)) <= OLDEST
        return known and self.type.get(sign) == "Recommended" and self.category[sign] in ("Lu", "Ll", "Lo", "Mn", "Mc")

    def currency(self, sign: str) -> bool:
        """Return whether a character beyond ASCII is a currency's, of no script and no abbreviation of letters."""
        known = "\x7f" < sign < "\u20d0" and self.age[sign] <= OLDEST and sign not in self.compatible
        return known and self.category[sign] == "Sc" and self.script[sign] == "Common"


def main() -> None:
    """Write the table."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    TARGET.write_text(written(Path(sys.argv[1])), encoding="ascii")


def written(folder: Path) -> str:
    """Return the table as text; exits where a source is missing or not the one expected."""
    for name, digest in SOURCES.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            sys.exit(f"{path} is not {name} of Unicode {VERSION}")
    return json.dumps(_table(Unicode(folder)), indent=1) + "\n"


def _table(unicode: Unicode) -> dict[str, object]:
    """Return the table."""
    letters: dict[str, set[str]] = defaultdict(set)
    marks: dict[str, set[str]] = defaultdict(set)
    for script, more in MORE_LETTERS.items():
        letters[script] |= set(more)
    for sign, script in unicode.script.items():
        if script in SCRIPTS and unicode.recommended(sign) and sign not in NO_LETTERS:
            (marks if unicode.category[sign][0] == "M" else letters)[SCRIPTS[script]].add(sign)
    marks["Arabic"] |= ARABIC_MARKS
    signs = {chr(code) for code in range(0x20, 0x7F) if not chr(code).isalpha()} - NO_SIGNS
    signs |= MORE_SIGNS | set(filter(unicode.currency, unicode.category))
    every = ANY_MARKS.union(signs, *letters.values(), *marks.values())
    return {
        "what": f"Made by scripts/unicode_names.py from tables of Unicode {VERSION}, licence: names.LICENSE",
        "longest": 200,
        "marks_in_a_row": 2,
        "letters": {script: _ranges(letters[script]) for script in sorted(letters)},
        "marks": {script: _ranges(marks[script]) for script in sorted(marks)},
        "marks_of_any_script": _ranges(ANY_MARKS),
        "signs": _ranges(signs),
        "one_of": ONE_OF,
        "together": TOGETHER,
        "right_to_left": RIGHT_TO_LEFT,
        "signs_from_right": _ranges(SIGNS_FROM_RIGHT),
        "look_alikes": _look_alikes(unicode, every),
    }


def _look_alikes(unicode: Unicode, every: Iterable[str]) -> dict[str, str]:
    """Return what characters look like (UTS 39: their prototype) -> the characters, as far as names can differ in it.

    A character whose prototype has a part that comes from no other one is left out: names with it look like names with
    it only. Hangul syllables are left out too, since a syllable does not look like a row of its letters.
    """
    parts = {part for sign in every if unicode.script[sign] != "Hangul" for part in unicode.decomposed(sign)}
    looks = {part: unicode.prototype.get(part, part) for part in parts}
    sources: dict[str, int] = defaultdict(int)
    for look in looks.values():
        for part in set(look):
            sources[part] += 1
    groups: dict[str, str] = defaultdict(str)
    for part, look in sorted(looks.items()):
        if look != part and all(sources[piece] > 1 for piece in look):
            groups[look] += part
    return dict(sorted(groups.items()))


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each character of a table with its fields; a row can be about a range of them."""
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        codes, *fields = (field.strip() for field in line.partition("#")[0].split(";"))
        first, _, last = codes.partition("..")
        if first:
            for code in range(int(first, 16), int(last or first, 16) + 1):
                yield chr(code), fields


def _text(codes: str) -> str:
    """Return the text of code points in hexadecimal."""
    return "".join(chr(int(code, 16)) for code in codes.split())


def _ranges(signs: Iterable[str]) -> str:
    """Write characters as code points and ranges of them, in hexadecimal."""
    runs: list[list[int]] = []
    for code in sorted(map(ord, signs)):
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return " ".join(f"{first:04X}" if first == last else f"{first:04X}-{last:04X}" for first, last in runs)


if __name__ == "__main__":
    main()
