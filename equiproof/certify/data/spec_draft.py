"""A draft of a feature spec from a user's own table, with notes on every guess for review.

No guess contradicts a value: a column that mixes numbers and other text, a missing value or a text that cannot name a
category is refused with its row and column. The notes of the draft list the guesses: whether a number is a code, the
rank of a category, the unit of a number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from equiproof.certify.data.cleaning import NUMBER, are_dates, complete, dated, is_in_days, plain
from equiproof.certify.data.dataset import DataError, Row, Value, split_rows
from equiproof.certify.data.features import check_sensitive, choose
from equiproof.certify.data.labels import places
from equiproof.certify.data.logarithms import offered, offset_of
from equiproof.certify.data.notation import in_plain, is_number, said
from equiproof.certify.data.rows import RowsError, read_table
from equiproof.certify.data.spec_builder import build_spec, with_ranges
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.names import complaint, escaped
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.units import kept_to

MAX_CATEGORIES = 64
"""The most values of a category; a column with more distinct texts holds names, or numbers in another notation."""

MAX_CODES = 6
"""A column with at most this many distinct numbers may hold codes."""

_MAX_NAMED_COLUMNS = 6


@dataclass(frozen=True)
class Wishes:
    """What a table does not contain: the user's choices.

    `label` names the column of decisions and `labels` its values in the order of the model's classes, alphabetical by
    default. `units` are those of numbers by name, `categories` columns of numbers that are codes, `dropped` those that
    are no features. `ranges` are those of numbers, (low, high) by name; with `use_ranges` neighbors keep to them.
    `dates` are columns of dates with the day from which each is counted, `logits` the number of the model's logits
    where two labels have two; with `leave_out_missing`, rows that lack a value are left out. `logs` are numbers that
    count by their logarithm, each with the decimal that is added before, None for 0 or, where 0 occurs, 1. `decimal`
    and `thousands` are the marks of numbers in the table (:class:`~equiproof.certify.data.notation.Notation`).
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
    dates: Mapping[str, str] = field(default_factory=dict)
    logits: int | None = None
    leave_out_missing: bool = False
    logs: Mapping[str, str | None] = field(default_factory=dict)
    decimal: str | None = None
    thousands: str | None = None


@dataclass(frozen=True)
class Draft:
    """A spec with the guesses that its reader has to confirm.

    `shares` has the number of rows of each label, `training` the number of rows that the scales come from.
    """

    spec: Spec
    notes: tuple[str, ...]
    shares: tuple[int, ...]
    training: int


def draft_file(path: Path, wishes: Wishes, separator: str | None = None) -> Draft:
    """Return the draft of a spec for a file of rows, named as the file; raises RowsError naming the file."""
    content = read_table(path, separator)
    try:
        return draft_spec(path.stem, content.rows, wishes, semicolons=content.semicolons)
    except (DataError, SpecError) as error:
        raise RowsError(f"{path}: {error}") from None


def draft_spec(name: str, table: Sequence[Mapping[str, Any]], wishes: Wishes, *, semicolons: bool = False) -> Draft:
    """Return the draft of a spec for rows that have a text or a number in every column.

    Scales are exact decimals of the training rows, four fifths by the fixed split of every data set. `semicolons`
    separate the values of the file. Raises DataError naming row and column, SpecError for names that a spec cannot
    have.
    """
    _check_columns(table)
    first_row = table[0]
    table = dated(table, wishes.dates)
    _check_known({**first_row, **table[0]}, wishes)
    names = [column for column in table[0] if column != wishes.label and column not in wishes.dropped]
    _check_names(names)
    check_sensitive("sensitive", wishes.sensitive, names)
    numbers = [column for column in names if column not in wishes.categories]
    table, read, doubts = in_plain(table, numbers, said(wishes.decimal, wishes.thousands), semicolons=semicolons)
    if doubts:
        raise DataError(doubts[0])
    table, left_out = complete(
        table, [*names, wishes.label], leave_out=wishes.leave_out_missing, texts={*wishes.categories, wishes.label}
    )
    labels, counts = _labels(table, wishes)
    logits = _logits(labels, wishes)
    columns = {column: _column([row[column] for row in table], column, wishes) for column in names}
    rows: list[Row] = [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    train, _ = split_rows(len(rows), name)
    declared = [_declared(column, columns[column], wishes) for column in names]
    declared = [_of_many(feature, wishes) for feature in declared] if wishes.one_hot else declared
    features = choose(declared, rows, wishes.sensitive, "one-hot" if wishes.one_hot else "rank")
    spec = build_spec(name, features, rows, train, labels, logits=logits)
    if wishes.ranges or wishes.use_ranges:
        spec = with_ranges(spec, rows, wishes.ranges, use_ranges=wishes.use_ranges)
    marked = [f"numbers were read as they are written: {_examples(read)}"] if read else []
    notes = [*([left_out] if left_out else []), *marked, *_notes(spec, columns, wishes)]
    return Draft(spec, tuple(notes), counts, len(train))


def _examples(read: Mapping[str, str]) -> str:
    """Write how a number of each column was read, of many columns the first."""
    shown = [f"{column} {example}" for column, example in read.items()][:_MAX_NAMED_COLUMNS]
    return ", ".join(shown) + f" and {len(read) - len(shown)} more columns" * (len(read) > len(shown))


def _check_known(header: Mapping[str, Any], wishes: Wishes) -> None:
    """Raise DataError for choices about columns that the table does not have."""
    for what, columns in (
        ("label", [wishes.label]),
        ("units", wishes.units),
        ("categories", wishes.categories),
        ("drop", wishes.dropped),
        ("ranges", wishes.ranges),
        ("dates", wishes.dates),
        ("logarithms", wishes.logs),
    ):
        for column in columns:
            if column not in header:
                raise DataError(f"{what}: no column is called {column!r}; there are {', '.join(header)}")


def _check_names(names: Sequence[str]) -> None:
    """Raise DataError for a column whose name no feature may have, with what to do."""
    for name in names:
        if (wrong := complaint(name)) is not None:
            problem = f"column {escaped(name)!r} {wrong.message}"
            raise DataError(f"{problem}: rename the column in the table, or drop it ({argument('drop')})")


def _check_columns(table: Sequence[Mapping[str, Any]]) -> None:
    """Raise DataError for rows with other columns than the first row."""
    for number, row in enumerate(table, start=1):
        if row.keys() != table[0].keys():
            stray = min(row.keys() ^ table[0].keys())
            raise DataError(f"row {number}, column {stray!r}: not in every row")


def _labels(table: Sequence[Mapping[str, Any]], wishes: Wishes) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the label names and the number of rows of each."""
    cells = [str(row[wishes.label]) for row in table]
    labels = sorted(set(cells))
    if not 2 <= len(labels) <= MAX_CATEGORIES:
        raise DataError(f"column {wishes.label!r}: {len(labels)} different labels, want 2 to {MAX_CATEGORIES}")
    names = tuple(labels if wishes.labels is None else wishes.labels)
    order = places(labels, names)
    if order is None:
        raise DataError(f"column {wishes.label!r}: its labels are {', '.join(labels)}, not {', '.join(names)}")
    return names, tuple(cells.count(labels[order.index(place)]) for place in range(len(names)))


def _logits(labels: Sequence[str], wishes: Wishes) -> int:
    """Return the number of the model's logits: two labels may have one or two."""
    usual = 1 if len(labels) == 2 else len(labels)
    if wishes.logits not in {None, usual, len(labels)}:
        raise DataError(
            f"logits: a model of {len(labels)} labels has {usual}{' or 2' * (usual == 1)}, not {wishes.logits}"
        )
    return wishes.logits or usual


def _column(cells: Sequence[Any], column: str, wishes: Wishes) -> list[Value]:
    """Return the values of a column: all numbers, in canonical form, or all names of a category."""
    texts = [format(cell, "f") if isinstance(cell, Decimal) else str(cell) for cell in cells]
    numeric = [is_number(text) for text in texts]
    if column not in wishes.categories and any(numeric):
        if not all(numeric):
            place = numeric.index(False)
            raise DataError(
                f"row {place + 1}, column {column!r}: {texts[place][:40]!r} is not a number, but others are; "
                "mend it, or call the column a category"
            )
        return [plain(text) for text in texts]
    values = set(texts)
    if len(values) > MAX_CATEGORIES and are_dates(values):
        raise DataError(
            f"column {column!r}: dates; count them in days from one that you choose "
            f"({argument('dates', {column: '2000-01-01'})}), or drop the column"
        )
    if len(values) > MAX_CATEGORIES:
        raise DataError(
            f"column {column!r}: {len(values)} different texts such as {min(values)[:40]!r}; a category has at most "
            f"{MAX_CATEGORIES}: drop the column, or write its numbers plainly"
        )
    return list(texts)


def _declared(column: str, values: Sequence[Value], wishes: Wishes) -> Feature:
    """Return the feature that a column seems to hold, before it is scaled."""
    if not _is_numeric(column, values, wishes):
        if column in wishes.units:
            raise DataError(f"units: {column!r} is a category and has no unit")
        if column in wishes.logs:
            raise DataError(f"logarithms: {column!r} is a category and has no logarithm")
        domain = tuple(sorted({str(value) for value in values}))
        return Feature(column, "categorical", "rank", sensitive=False, domain=domain)
    unit = wishes.units.get(column, "days" if is_in_days(column) else "")
    whole = True if all(isinstance(value, int) for value in values) else UNSET
    number = Feature(column, "numeric", "scaled", sensitive=False, unit=unit, whole=whole)
    if column not in wishes.logs:
        return number
    return msgspec.structs.replace(number, encoding="log", offset=offset_of(column, values, wishes.logs[column]))


def _of_many(feature: Feature, wishes: Wishes) -> Feature:
    """Return a sensitive category of more than two values with one column a value, any other feature as it is."""
    if feature.name not in wishes.sensitive or feature.kind != "categorical" or len(feature.domain) < 3:
        return feature
    return msgspec.structs.replace(feature, encoding="one-hot")


def _is_numeric(column: str, values: Sequence[Value], wishes: Wishes) -> bool:
    """Return whether a column holds numbers."""
    return column not in wishes.categories and NUMBER.fullmatch(str(values[0])) is not None


def _notes(spec: Spec, columns: Mapping[str, Sequence[Value]], wishes: Wishes) -> list[str]:
    """Return a note for each guess, with the way to correct it."""
    notes = []
    if wishes.labels is None:
        order = ", ".join(spec.labels)
        notes.append(f"labels stand in alphabetical order ({order}): are these the model's classes in order?")
    for feature in spec.features:
        distinct = len(set(columns[feature.name]))
        if feature.kind == "numeric" and not feature.unit:
            notes.append(f"{feature.name}: a number without a unit; its radius will be shown without one")
        if feature.kind == "numeric" and distinct <= MAX_CODES:
            notes.append(f"{feature.name}: {distinct} distinct numbers only; if they are codes, call it a category")
        ordered = ENCODINGS[feature.encoding].ordered
        if feature.kind == "categorical" and ordered and not feature.sensitive and len(feature.domain) > 2:
            notes.append(f"{feature.name}: ranked in alphabetical order, which defines distances; one-hot does not")
        if distinct > MAX_CODES and (offer := offered(feature, columns[feature.name])) is not None:
            notes.append(offer)
        if spec.use_ranges and not feature.sensitive and feature.kind == "numeric" and feature.range is None:
            notes.append(f"{feature.name}: a number without a range; neighbors keep to {kept_to(spec, feature)}")
    if whole := [feature.name for feature in spec.features if feature.whole is True]:
        notes.append(
            f"marked whole, as in the table: {', '.join(whole)}; remove the mark of those that can have a fraction"
        )
    slices = len(spec.domain_values)
    notes.append(f"sensitive: {slices} joint values, those of the table; no other value will be proven")
    return notes
