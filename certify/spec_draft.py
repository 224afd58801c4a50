"""A draft of a feature spec from a table of one's own: what its columns seem to be, told for review.

Nothing is guessed that a value contradicts: a column with numbers and other text in it, a missing value or a text that
names no category is refused with its row and column. What is guessed, whether a number is a code, which rank a category
has, what a number's unit is, stands in the notes of the draft.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from certify.data.dataset import DataError, Row, Value, split_rows
from certify.data.features import check_sensitive, choose
from certify.spec_builder import build_spec, with_ranges
from circuits.spec import Feature, Spec
from circuits.units import kept_to

MAX_CATEGORIES = 64
"""The most values of a category; a column with more different texts is a name or a number written otherwise."""

FEW_NUMBERS = 6
"""A column of numbers with no more distinct ones may be a code."""

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,24})?")


@dataclass(frozen=True)
class Wishes:
    """What a table does not say of itself.

    `label` names the column of decisions and `labels` its values in the order of the model's classes, alphabetical by
    default. `units` are those of numbers by name, `categories` columns of numbers that are codes, `dropped` those that
    are no features. `ranges` are those of numbers, (low, high) by name; with `use_ranges` neighbors keep to them.
    """

    label: str
    sensitive: Sequence[str]
    labels: Sequence[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    categories: Collection[str] = ()
    dropped: Collection[str] = ()
    one_hot: bool = False
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    use_ranges: bool = False


@dataclass(frozen=True)
class Draft:
    """A spec with what its reader has to confirm.

    `shares` has the rows of each label, `training` is how many rows the scales were taken from.
    """

    spec: Spec
    notes: tuple[str, ...]
    shares: tuple[int, ...]
    training: int


def draft_spec(name: str, table: Sequence[Mapping[str, Any]], wishes: Wishes) -> Draft:
    """Return the draft of a spec for rows that have a text or a number in every column.

    Scales are exact decimals of the training rows, four fifths by the fixed split of every data set. Raises DataError
    naming row and column, SpecError for names that a spec cannot have.
    """
    names = [column for column in table[0] if column != wishes.label and column not in wishes.dropped]
    _check_names(table[0], wishes, names)
    _check_values(table)
    labels, counts = _labels(table, wishes)
    columns = {column: _column([row[column] for row in table], column, wishes) for column in names}
    rows: list[Row] = [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    train, _ = split_rows(len(rows), name)
    declared = [_declared(column, columns[column], wishes) for column in names]
    features = choose(declared, rows, wishes.sensitive, "one-hot" if wishes.one_hot else "rank")
    spec = build_spec(name, features, rows, train, labels, logits=1 if len(labels) == 2 else len(labels))
    if wishes.ranges or wishes.use_ranges:
        spec = with_ranges(spec, rows, wishes.ranges, use_ranges=wishes.use_ranges)
    return Draft(spec, tuple(_notes(spec, columns, wishes)), counts, len(train))


def _check_names(header: Mapping[str, Any], wishes: Wishes, names: Sequence[str]) -> None:
    """Refuse wishes about columns that the table does not have."""
    for what, wanted in (
        ("label", [wishes.label]),
        ("units", wishes.units),
        ("categories", wishes.categories),
        ("drop", wishes.dropped),
        ("ranges", wishes.ranges),
    ):
        for column in wanted:
            if column not in header:
                raise DataError(f"{what}: no column is called {column!r}; there are {', '.join(header)}")
    check_sensitive("sensitive", wishes.sensitive, names)


def _check_values(table: Sequence[Mapping[str, Any]]) -> None:
    """Refuse rows of other columns than the first one's, and values that are missing."""
    for number, row in enumerate(table, start=1):
        if row.keys() != table[0].keys():
            odd = min(row.keys() ^ table[0].keys())
            raise DataError(f"row {number}, column {odd!r}: not in every row")
        for column, value in row.items():
            if not str(value).strip():
                raise DataError(f"row {number}, column {column!r}: no value; fill it in, or leave out row or column")


def _labels(table: Sequence[Mapping[str, Any]], wishes: Wishes) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the label names and the number of rows of each."""
    cells = [str(row[wishes.label]) for row in table]
    found = sorted(set(cells))
    if not 2 <= len(found) <= MAX_CATEGORIES:
        raise DataError(f"column {wishes.label!r}: {len(found)} different labels, want 2 to {MAX_CATEGORIES}")
    names = tuple(found if wishes.labels is None else wishes.labels)
    if sorted(names) != found:
        raise DataError(f"column {wishes.label!r}: its labels are {', '.join(found)}, not {', '.join(names)}")
    return names, tuple(map(cells.count, names))


def _column(cells: Sequence[Any], column: str, wishes: Wishes) -> list[Value]:
    """Return the values of a column: all numbers, in one spelling each, or all names of a category."""
    texts = [format(cell, "f") if isinstance(cell, Decimal) else str(cell) for cell in cells]
    numeric = [_NUMBER.fullmatch(text) is not None for text in texts]
    if column not in wishes.categories and any(numeric):
        if not all(numeric):
            odd = numeric.index(False)
            raise DataError(
                f"row {odd + 1}, column {column!r}: {texts[odd][:40]!r} is no number, as others of the column are; "
                "mend it, or call the column a category"
            )
        return [_plain(text) for text in texts]
    values = set(texts)
    if len(values) > MAX_CATEGORIES:
        raise DataError(
            f"column {column!r}: {len(values)} different texts such as {min(values)[:40]!r}; a category has at most "
            f"{MAX_CATEGORIES}: drop the column, or write its numbers plainly"
        )
    return list(texts)


def _plain(text: str) -> Value:
    """Return a number in its one spelling: an integer, or decimal text without zeros at its end."""
    number = Decimal(text)
    return int(number) if number == int(number) else format(number, "f").rstrip("0")


def _declared(column: str, values: Sequence[Value], wishes: Wishes) -> Feature:
    """Return the feature that a column seems to be, before it is scaled."""
    if not _is_numeric(column, values, wishes):
        if column in wishes.units:
            raise DataError(f"units: {column!r} is a category and has no unit")
        domain = tuple(sorted({str(value) for value in values}))
        return Feature(column, "categorical", "rank", sensitive=False, domain=domain)
    return Feature(column, "numeric", "scaled", sensitive=False, unit=wishes.units.get(column, ""))


def _is_numeric(column: str, values: Sequence[Value], wishes: Wishes) -> bool:
    """Tell whether a column is one of numbers."""
    return column not in wishes.categories and _NUMBER.fullmatch(str(values[0])) is not None


def _notes(spec: Spec, columns: Mapping[str, Sequence[Value]], wishes: Wishes) -> list[str]:
    """Say what was guessed, and how to say otherwise."""
    notes = []
    if wishes.labels is None:
        order = ", ".join(spec.labels)
        notes.append(f"labels stand in alphabetical order ({order}): are these the model's classes in order?")
    for feature in spec.features:
        distinct = len(set(columns[feature.name]))
        if feature.kind == "numeric" and not feature.unit:
            notes.append(f"{feature.name}: a number without a unit; a radius in it will have none either")
        if feature.kind == "numeric" and distinct <= FEW_NUMBERS:
            notes.append(f"{feature.name}: {distinct} different numbers only; if they are codes, call it a category")
        if feature.encoding == "rank" and not feature.sensitive and len(feature.domain) > 2:
            notes.append(f"{feature.name}: ranked in alphabetical order, which is a distance; one-hot has none")
        if spec.use_ranges and not feature.sensitive and feature.kind == "numeric" and feature.range is None:
            notes.append(f"{feature.name}: a number without a range; neighbors keep to {kept_to(spec, feature)}")
    slices = len(spec.domain_values)
    notes.append(f"sensitive: {slices} joint values, those of the table; what is not listed will not be proven")
    return notes
