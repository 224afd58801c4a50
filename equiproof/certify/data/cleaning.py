"""What a table of one's own needs before a spec can be drafted: values that are there, and dates as numbers.

A missing value is never guessed. Rows that lack one are left out on request, and counted by column either way. A date
becomes the number of days since a date that the feature's name states, so that everybody reads it alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from equiproof.certify.data.dataset import DataError, Value
from equiproof.circuits.arguments import argument

NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,2})?")
"""A number as a table may have it; data frames write small ones such as 8.5e-4."""

_MAX_DIGITS = 40
"""The most digits of a number that is written out."""

MISSING_MARKS = frozenset({"na", "n/a", "nan", "null", "none", "nil", "missing", "unknown", "?", "-", "."})
"""What programs write for a missing number; in a column of texts these are texts."""

_MAX_NAMED_COLUMNS = 6
_ORIGIN_INFIX = " in days since "
_DAYS = re.compile(f"(.+){_ORIGIN_INFIX}([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})")

Table = Sequence[Mapping[str, Any]]


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
    """Return the rows (from 0) that lack a value, by column, of those columns that lack any; empty text is no value.

    In a column whose other values are all numbers, the words that stand for no number are no values either, unless the
    column is one of `texts`.
    """
    rows_by_column = {}
    for column in columns:
        cells = [str(row[column]).strip() for row in table]
        lines = [number for number, cell in enumerate(cells) if not cell]
        words = [number for number, cell in enumerate(cells) if cell.lower() in MISSING_MARKS]
        unusable = {*lines, *words}
        rest = [cell for number, cell in enumerate(cells) if number not in unusable]
        if words and rest and column not in texts and all(map(NUMBER.fullmatch, rest)):
            lines = sorted(unusable)
        if lines:
            rows_by_column[column] = lines
    return rows_by_column


def counted(rows_by_column: Mapping[str, Sequence[int]], rows: int) -> str:
    """Write how many values each column lacks, the most first."""
    ordered = sorted(rows_by_column.items(), key=lambda one: -len(one[1]))
    parts = [
        f"{column!r} {len(lines):,} (first in row {lines[0] + 1})" for column, lines in ordered[:_MAX_NAMED_COLUMNS]
    ]
    more = f" and {len(ordered) - _MAX_NAMED_COLUMNS} more columns" * (len(ordered) > _MAX_NAMED_COLUMNS)
    return f"of {rows:,} rows, values are missing in {', '.join(parts)}{more}"


def complete_places(
    table: Table, columns: Collection[str], *, leave_out: bool, texts: Collection[str] = (), dropping: bool = True
) -> tuple[Sequence[int], str | None]:
    """Return the places from 0 of the rows that have every value, with a note on those that are left out.

    Raises DataError, which ends with the remedies, where none may be left out; `dropping`: columns may be dropped.
    """
    rows_by_column = missing(table, columns, texts)
    if not rows_by_column:
        return range(len(table)), None
    note = counted(rows_by_column, len(table))
    if not leave_out:
        drop = f"drop columns ({argument('drop')}), " * dropping
        leave = argument("leave_out_missing", True)
        raise DataError(f"{note}: fill them in, {drop}or leave such rows out ({leave})")
    incomplete = {number for lines in rows_by_column.values() for number in lines}
    places = [number for number in range(len(table)) if number not in incomplete]
    if not places:
        raise DataError(f"{note}: no row has every value; drop columns ({argument('drop')})")
    return places, f"{len(incomplete):,} rows were left out: {note}"


def dated(table: Table, origins: Mapping[str, str]) -> Table:
    """Return rows with each named column of dates in days since its origin, under a name that says so.

    `origins` has dates (YYYY-MM-DD) by column. Raises DataError naming row and column of a value that is no date.
    """
    first = {column: _origin(column, text) for column, text in origins.items()}
    names = {column: f"{column}{_ORIGIN_INFIX}{origin.isoformat()}" for column, origin in first.items()}
    if clash := next((name for name in names.values() if table and name in table[0]), None):
        raise DataError(f"dates: there is a column {clash!r} already")
    return [
        {
            names.get(column, column): _days(value, first[column], column, number) if column in first else value
            for column, value in row.items()
        }
        for number, row in enumerate(table, start=1)
    ]


def are_dates(cells: Collection[str]) -> bool:
    """Return whether every one of these values is a date."""
    return all(_date(cell) is not None for cell in cells)


def is_in_days(name: str) -> bool:
    """Return whether a feature's name says that it is a date in days since another."""
    return _DAYS.fullmatch(name) is not None


def in_days(row: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return a raw row with days in the place of the dates of those of these features that are in days.

    A value that is no date stays as it is, under the feature's name, for whoever encodes the row to refuse.
    """
    copy = dict(row)
    for name in names:
        if name not in row and (match := _DAYS.fullmatch(name)) and match[1] in row:
            value = copy.pop(match[1])
            origin = _date(match[2])
            day = _date(value)
            copy[name] = value if day is None or origin is None else (day - origin).days
    return copy


def _origin(column: str, text: str) -> date:
    origin = _date(text)
    if origin is None:
        raise DataError(f"dates: {column}={text[:40]!r}: want the date to count from, such as 2000-01-01")
    return origin


def _days(value: object, origin: date, column: str, number: int) -> int | str:
    if not str(value).strip():
        return ""
    day = _date(value)
    if day is None:
        raise DataError(f"row {number}, column {column!r}: {str(value)[:40]!r} is not a date such as 2024-03-31")
    return (day - origin).days


def _date(value: object) -> date | None:
    """Return the day of a date in ISO 8601, with or without a time of day; None for anything else."""
    text = str(value).strip()
    if len(text) < len("2024-03-31") or not text[:4].isdigit() or text[4] != "-":
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None
