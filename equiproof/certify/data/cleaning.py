"""What a table of one's own needs before a spec can be drafted: values that are there.

A missing value is never guessed. Rows that lack one are left out on request, and counted by column either way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from equiproof.certify.data.dataset import DataError, Value
from equiproof.certify.digits import part
from equiproof.circuits.arguments import argument
from equiproof.circuits.text import several, shortened

_NUMBER = r"-?+[0-9]{1,18}+(?:\.[0-9]{1,24}+)?+(?:[eE][+-]?[0-9]{1,2}+)?+"
NUMBER = re.compile(_NUMBER)
"""A number as a table may have it; data frames write small ones such as 8.5e-4."""

_LINES = re.compile(rf"(?:{_NUMBER}\n)*+")
"""Lines of such numbers, matched without ever going back."""

_MAX_DIGITS = 40
"""The most digits of a number that is written out."""

ALWAYS_STATED = "it is sensitive, and each of its values counts"
"""Why a sensitive column is never missing."""

MISSING_MARKS = frozenset({"na", "n/a", "nan", "null", "none", "nil", "missing", "unknown", "?", "-", "."})
"""What programs write for a missing number; in a column of texts these are texts."""

_MAX_NAMED_COLUMNS = 6
_ROOM = 250
_ROOM_OF_NAMES = 40

Table = Sequence[Mapping[str, Any]]


def all_numbers(texts: Collection[str]) -> bool:
    """Return whether NUMBER matches each of many texts; one match of all of them takes a quarter of the time."""
    lines = "\n".join([*texts, ""])
    return lines.count("\n") == len(texts) and _LINES.fullmatch(lines) is not None


def plain(text: str) -> Value:
    """Return a number in canonical form: an integer, or decimal text without an exponent and trailing zeros."""
    number = Decimal(text)
    if number == number.to_integral_value() and abs(number.adjusted()) < _MAX_DIGITS:
        return int(number)
    written = format(number, "f").rstrip("0")
    if len(written) > 2 * _MAX_DIGITS:
        raise DataError(f"{text[:40]!r} has too many digits")
    return written


def trimmed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without blanks around its names and texts: they are the same value."""
    return {name.strip(): value.strip() if isinstance(value, str) else value for name, value in row.items()}


def missing(table: Table, columns: Collection[str], texts: Collection[str] = ()) -> dict[str, list[int]]:
    """Return the rows (from 0) that lack a value, by column, of those columns that lack any.

    None and empty text are no values. In a column whose other values are all numbers, the words that stand for no
    number are none either, unless the column is one of `texts`.
    """
    rows_by_column = {}
    for column in columns:
        cells = ["" if row[column] is None else str(row[column]).strip() for row in table]
        lines = [number for number, cell in enumerate(cells) if not cell]
        words = [number for number, cell in enumerate(cells) if cell.lower() in MISSING_MARKS]
        unusable = {*lines, *words}
        rest = [cell for number, cell in enumerate(cells) if number not in unusable]
        if words and rest and column not in texts and all_numbers(rest):
            lines = sorted(unusable)
        if lines:
            rows_by_column[column] = lines
    return rows_by_column


def counted(rows_by_column: Mapping[str, Sequence[int]], rows: int) -> str:
    """Write how many values each column lacks, and which share that is, the most first."""
    ordered = sorted(rows_by_column.items(), key=lambda one: -len(one[1]))
    parts = [
        f"{shortened(column)!r} {len(lines):,}, {part(len(lines), rows)} (first in row {lines[0] + 1})"
        for column, lines in ordered
    ]
    return f"of {rows:,} rows, values are missing in {several(parts, _MAX_NAMED_COLUMNS, _ROOM)}"


def complete_places(
    table: Table,
    columns: Collection[str],
    *,
    leave_out: bool,
    texts: Collection[str] = (),
    dropping: bool = True,
    never: Collection[str] | None = (),
) -> tuple[Sequence[int], str | None]:
    """Return the places from 0 of the rows that have every value, with a note on those that are left out.

    Raises DataError, which ends with the remedies, where none may be left out; `dropping`: columns may be dropped.
    `never` are the columns whose values may not be missing in a spec either, None where no column's may.
    """
    rows_by_column = missing(table, columns, texts)
    if not rows_by_column:
        return range(len(table)), None
    note = counted(rows_by_column, len(table))
    if not leave_out:
        drop = f"drop columns ({argument('drop')}), " * dropping
        leave = argument("leave_out_missing", True)
        named = [column for column in rows_by_column if never is not None and column not in never]
        several_named = named if len(", ".join(named)) <= _ROOM_OF_NAMES else named[:1]
        allow = f"say which may be missing ({argument('missing', several_named)}), " * bool(named)
        raise DataError(f"{note}: fill them in, {allow}{drop}or leave such rows out ({leave})")
    incomplete = {number for lines in rows_by_column.values() for number in lines}
    places = [number for number in range(len(table)) if number not in incomplete]
    if not places:
        raise DataError(f"{note}: no row has every value; drop columns ({argument('drop')})")
    count = len(incomplete)
    return places, f"{'1 row was' if count == 1 else f'{count:,} rows were'} left out: {note}"


def without_missing(
    table: Table, columns: Collection[str], texts: Collection[str] = ()
) -> tuple[Table, dict[str, str]]:
    """Return rows with None for what is missing in some columns, with a note on each column; raises DataError.

    A column without any value is refused. What is missing is that of :func:`missing`.
    """
    rows_by_column = missing(table, columns, texts)
    notes = {}
    rows = [dict(row) for row in table]
    for column in columns:
        lines = rows_by_column.get(column, [])
        if len(lines) == len(table):
            raise DataError(f"drop column {column[:80]!r} ({argument('drop', [column])}): it has no value in any row")
        for line in lines:
            rows[line][column] = None
        share = f"{len(lines):,} of {len(table):,} rows lack it, {part(len(lines), len(table))}"
        notes[column] = f"{shortened(column)}: may be missing; {share}"
    return rows, notes


def check_may_miss(columns: Collection[str], known: Collection[str], never: Mapping[str, str]) -> None:
    """Raise DataError for a column that is to be missing and is not known, or never is; `never` says why by name."""
    for column in columns:
        if column in never:
            raise DataError(f"missing: leave out {column[:80]!r}: {never[column]}")
        if column not in known:
            raise DataError(f"missing: no column is called {column[:80]!r}; there are {', '.join(known)}")
