"""Dates of a table as numbers of days from a start that the spec states, so that everybody reads them alike.

Dates are those of ISO 8601, such as 2024-03-31, with or without a time of day, which is dropped. Other notations are
refused, and none is guessed: 03/04/2024 is two dates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import msgspec

from equiproof.certify.data.cleaning import MISSING_MARKS, Table
from equiproof.certify.data.dataset import DataError
from equiproof.circuits.encodings import ENCODINGS, Scaled
from equiproof.circuits.spec import Feature, Spec, checked

START = "1970-01-01"
"""The day that dates are counted from where no other is chosen."""

_MARK = "[-./]"
_OTHER = re.compile(f"(?:[0-9]{{1,2}}{_MARK}){{2}}(?:[0-9]{{2}}|[0-9]{{4}})|[0-9]{{4}}(?:{_MARK}[0-9]{{1,2}}){{2}}")
_SINCE = re.compile("(.+) in days since ([0-9]{4}-[0-9]{2}-[0-9]{2})")
"""The name of a column of days in a table that a model was fitted on, with the column of the dates."""


def day_of(value: object) -> date | None:
    """Return the day of a date in ISO 8601, with or without a time of day; None for anything else."""
    text = str(value).strip()
    if len(text) < len("2024-03-31") or not text[:4].isdigit() or text[4] != "-":
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


def columns_of_dates(table: Table, columns: Collection[str]) -> list[str]:
    """Return those of some columns of a table whose values are all dates."""
    texts = {column: _texts(table, column) for column in columns}
    return [column for column, cells in texts.items() if cells and all(day_of(cell) is not None for cell in cells)]


def in_other_notations(table: Table, columns: Collection[str]) -> dict[str, str]:
    """Return a line with the remedy for each column of dates of which some are in another notation."""
    lines = {}
    for column in columns:
        cells = _texts(table, column)
        others = [cell for cell in cells if day_of(cell) is None]
        if others and all(map(_OTHER.fullmatch, others)):
            lines[column] = f"write the dates of column {column[:80]!r} as 2024-03-31: it has {others[0][:40]!r}"
    return lines


def dated(table: Table, starts: Mapping[str, str]) -> Table:
    """Return rows with each named column of dates in days from its start.

    `starts` has dates (YYYY-MM-DD) by column. Raises DataError naming row and column of a value that is no date.
    """
    first = {column: _start(column, text) for column, text in starts.items()}
    return [
        {
            column: _days(value, first[column], column, number) if column in first else value
            for column, value in row.items()
        }
        for number, row in enumerate(table, start=1)
    ]


def since(table: Table, starts: Mapping[str, str]) -> Table:
    """Return rows with days from these starts (YYYY-MM-DD) in the place of dates, by column.

    A value that is no date stays as it is, and so does a table without dates. Raises DataError for no start.
    """
    first = {column: _start(column, text) for column, text in starts.items()}
    if not any(day_of(row.get(column)) for row in table for column in first):
        return table
    rows = [dict(row) for row in table]
    for row in rows:
        for column, start in first.items():
            _count(row, column, start)
    return rows


def refuse_sensitive(starts: Collection[str], sensitive: Collection[str]) -> None:
    """Raise DataError for sensitive dates in days: every value of theirs is shown, as the table has it."""
    if listed := [column for column in starts if column in sensitive]:
        raise DataError(f"dates: leave out {listed[0][:80]!r}, which is sensitive: its dates stay texts")


def start_in(name: str) -> str | None:
    """Return the day that a column is counted from by its name, such as "opened in days since 2000-01-31"."""
    match = _SINCE.fullmatch(name)
    return match[2] if match and day_of(match[2]) is not None else None


def first_day(feature: Feature) -> date | None:
    """Return the day that a feature is counted from, by its start or by its name; None where it is in no days."""
    return day_of(feature.start if isinstance(feature.start, str) else start_in(feature.name))


def with_start(feature: Feature, start: str | None) -> Feature:
    """Return a number with the start that its dates are counted from, where it is one of whole days."""
    is_dated = start is not None and feature.whole is True and feature.unit == "days"
    return msgspec.structs.replace(feature, start=start) if is_dated else feature


def counted_from(spec: Spec, starts: Mapping[str, str]) -> Spec:
    """Return a spec whose named features are whole days from a date (YYYY-MM-DD).

    Raises DataError naming a feature that the spec lacks, or that is no number of days, and one with another start;
    SpecError as :func:`equiproof.circuits.spec.checked`.
    """
    if unknown := sorted(set(starts) - {feature.name for feature in spec.features}):
        raise DataError(f"dates: the spec has no feature {unknown[0][:80]!r}")
    return checked(msgspec.structs.replace(spec, features=tuple(with_days(one, starts) for one in spec.features)))


def with_days(feature: Feature, starts: Mapping[str, str]) -> Feature:
    """Return a feature that is counted in whole days, where it is named here; raises as :func:`counted_from`."""
    if feature.name not in starts:
        return feature
    start = _start(feature.name, starts[feature.name]).isoformat()
    what = f"dates: leave out {feature.name[:80]!r}"
    is_number = isinstance(ENCODINGS[feature.encoding], Scaled)
    if feature.sensitive or not is_number or feature.unit not in ("", "day", "days"):
        raise DataError(f"{what}: only a number of days that is not sensitive is counted from a date")
    if isinstance(feature.start, str) and feature.start != start:
        raise DataError(f"{what}: the spec counts it from {feature.start}")
    return msgspec.structs.replace(feature, unit=feature.unit or "days", whole=True, start=start)


def in_days(row: Mapping[str, Any], features: Iterable[Feature]) -> dict[str, Any]:
    """Return a raw row with days in the place of the dates of those of these features that are in days.

    Where a feature's name says what it is counted from, its date may stand under the name before that. A value that is
    no date stays as it is, under the feature's name, for whoever encodes the row to refuse.
    """
    copy = dict(row)
    for feature in features:
        if (start := first_day(feature)) is None:
            continue
        if (
            start_in(feature.name) is not None
            and feature.name not in copy
            and (match := _SINCE.fullmatch(feature.name))
        ):
            if match[1] not in copy:
                continue
            copy[feature.name] = copy.pop(match[1])
        _count(copy, feature.name, start)
    return copy


def _count(row: dict[str, Any], column: str, start: date) -> None:
    """Write days from a start in the place of a date."""
    if (day := day_of(row.get(column))) is not None:
        row[column] = (day - start).days


def ends_in_days(feature: Feature, ends: tuple[str, str]) -> tuple[str, str]:
    """Return the ends of a range with days in the place of dates, where the feature has a start."""
    low, high = (str(in_days({feature.name: end}, [feature])[feature.name]) for end in ends)
    return low, high


def _texts(table: Table, column: str) -> Sequence[str]:
    """Return the distinct values of a column that are no words for a missing one; nothing where one is a number."""
    values = dict.fromkeys(row[column] for row in table)
    if not all(isinstance(value, str) for value in values):
        return ()
    texts = dict.fromkeys(map(str.strip, values))
    return [text for text in texts if text and text.lower() not in MISSING_MARKS]


def _start(column: str, text: str) -> date:
    """Return the date that a column is counted from; raises DataError for other text."""
    start = day_of(text)
    if start is None:
        raise DataError(f"dates: {column}={text[:40]!r}: want the date to count from, such as 2000-01-01")
    return start


def _days(value: object, start: date, column: str, number: int) -> int | str:
    """Return the days from the start to a date; empty text for a missing one."""
    text = str(value).strip()
    if not text or text.lower() in MISSING_MARKS:
        return ""
    day = day_of(text)
    if day is None:
        raise DataError(
            f"row {number}, column {column!r}: write dates such as 2024-03-31, or drop the column: {text[:40]!r} is "
            "none"
        )
    return (day - start).days
