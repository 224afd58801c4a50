"""A draft of a feature spec from a user's own table, with notes on every guess for review.

No guess contradicts a value: a column that mixes numbers and other text, a missing value or a text that cannot name a
category is refused with its row and column. The notes of the draft list the guesses: whether a number is a code, the
rank of a category, the unit of a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from equiproof.certify.data.changes_draft import with_changes
from equiproof.certify.data.cleaning import ALWAYS_STATED, check_may_miss, complete_places, trimmed, without_missing
from equiproof.certify.data.dataset import DataError, Value, refuse_all, split_rows
from equiproof.certify.data.dates import START, columns_of_dates, dated, in_other_notations, refuse_sensitive
from equiproof.certify.data.degrees import in_degrees, orders_of, question
from equiproof.certify.data.draft_columns import MAX_CATEGORIES, are_numbers, column_values, declared
from equiproof.certify.data.draft_notes import examples, notes
from equiproof.certify.data.features import check_sensitive, choose
from equiproof.certify.data.labels import places
from equiproof.certify.data.notation import in_plain, maybe_thousands, said
from equiproof.certify.data.rows import RowsError, read_table
from equiproof.certify.data.spec_builder import build_spec, with_ranges
from equiproof.certify.data.spreadsheets import Content
from equiproof.certify.data.wishes import Wishes
from equiproof.circuits.arguments import argument, not_texts
from equiproof.circuits.encodings import Missing
from equiproof.circuits.names import complaint, escaped
from equiproof.circuits.spec import Feature, Spec, SpecError

Begin = Callable[[str, int, int], None]
"""Takes the label of a stage, how many stages are behind it, and how many there are."""


@dataclass(frozen=True)
class Draft:
    """A spec with the guesses that its reader has to confirm.

    `shares` has the number of rows of each label, `training` the number of rows that the scales come from.
    """

    spec: Spec
    notes: tuple[str, ...]
    shares: tuple[int, ...]
    training: int


def draft_file(path: Path, wishes: Wishes, separator: str | None = None, *, begin: Begin | None = None) -> Draft:
    """Return the draft of a spec for a file of rows, named as the file; `begin` hears of each stage.

    Raises RowsError naming the file; its `problems` are lines, one for each problem of the table.
    """
    if begin is not None:
        begin("reading the table", 0, 2)
    content = read_table(path, separator)
    if begin is not None:
        begin("drafting the spec", 1, 2)
    try:
        return draft_spec(path.stem, content, wishes)
    except (DataError, SpecError) as error:
        raise RowsError.within(str(path), error) from None


def draft_spec(name: str, table: Sequence[Mapping[str, Any]] | Content, wishes: Wishes) -> Draft:
    """Return the draft of a spec for rows that have a text or a number in every column.

    Scales are exact decimals of the training rows, four fifths by the fixed split of every data set. Raises DataError
    naming row and column, with every problem of the table, and SpecError for names that a spec cannot have.
    """
    _check_lists(wishes)
    content = table if isinstance(table, Content) else Content([trimmed(row) for row in table])
    _check_columns(content.rows)
    wishes, told = _dating(content, wishes)
    content = replace(content, orders={**content.orders, **orders_of(wishes.order)})
    columns, rows, said_before = _readable(content, wishes)
    labels, counts = _labels(rows, wishes)
    logits = _logits(labels, wishes)
    stated = {column: [value for value in values if value is not None] for column, values in columns.items()}
    features = _features(stated, wishes, content)
    cells: list[Any] = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    train, _ = split_rows(len(cells), name)
    chosen = [_of_many(feature, wishes) for feature in features] if wishes.one_hot else features
    chosen = choose(chosen, cells, wishes.sensitive, "one-hot" if wishes.one_hot else "rank")
    spec = build_spec(name, chosen, cells, train, labels, logits=logits)
    if wishes.ranges or wishes.use_ranges:
        spec = with_ranges(spec, cells, wishes.ranges, use_ranges=wishes.use_ranges)
    guesses = [*said_before, *told, *notes(spec, stated, wishes, content.orders)]
    if wishes.changes:
        spec, rules = with_changes(spec, stated)
        guesses += rules
    return Draft(spec, tuple(guesses), counts, len(train))


def _readable(
    content: Content, wishes: Wishes
) -> tuple[dict[str, list[Value | None]], Sequence[Mapping[str, Any]], list[str]]:
    """Return the values of the columns that become features, the rows that have every one of them, and notes on both.

    A value that may be missing is None there. Raises DataError for choices that do not fit the table, else with every
    problem that keeps it from being read.
    """
    first_row = content.rows[0]
    problems = []
    rows: Sequence[Mapping[str, Any]] = content.rows
    try:
        rows = dated(rows, wishes.dates)
    except DataError as error:
        problems.append(str(error))
    _check_known({**first_row, **rows[0]}, wishes)
    index = [column for column in content.index if column not in _wished(wishes)]
    left = {wishes.label, *wishes.dropped, *index, *(wishes.dates if problems else ())}
    names = [column for column in rows[0] if column not in left]
    check_may_miss(wishes.missing, names, _never_missing(wishes))
    check_sensitive("sensitive", wishes.sensitive, names)
    problems += _unnameable(names)
    undated = in_other_notations(rows, [name for name in names if name not in wishes.categories])
    problems += undated.values()
    numbers = [column for column in names if column not in wishes.categories]
    notation = said(wishes.decimal, wishes.thousands)
    maybe = maybe_thousands(rows, numbers, notation)
    rows, read, doubts = in_plain(rows, numbers, notation, semicolons=content.semicolons)
    places, left_out, gaps = _places(rows, names, wishes)
    problems += gaps
    rows, may_miss = without_missing(rows, [name for name in names if name in wishes.missing], wishes.categories)
    lines = [*may_miss.values()]
    columns, unreadable = _columns([name for name in names if name not in {*undated, *doubts}], rows, places, wishes)
    problems += [*doubts.values(), *unreadable, *_unlabelled(rows, places, wishes)]
    problems += _out_of_order(columns, wishes, content)
    refuse_all(problems)
    lines += [f"left out, since it is the index of the table: {', '.join(index)}"] if index else []
    lines += [f"numbers were read as they are written: {examples(read)}"] if read else []
    return columns, [rows[place] for place in places], [*([left_out] if left_out else []), *lines, *maybe]


def _never_missing(wishes: Wishes) -> dict[str, str]:
    """Return why some columns always have a value, by name."""
    return {**dict.fromkeys(wishes.sensitive, ALWAYS_STATED), wishes.label: "it holds the decisions"}


def _places(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], wishes: Wishes
) -> tuple[Sequence[int], str | None, list[str]]:
    """Return the places of the rows that have what may not be missing, a note on the others, and a line on a gap."""
    never = {wishes.label, *wishes.sensitive}
    needed = [name for name in (*names, wishes.label) if name not in wishes.missing]
    texts = {*wishes.categories, wishes.label}
    try:
        return *complete_places(rows, needed, leave_out=wishes.leave_out_missing, texts=texts, never=never), []
    except DataError as error:
        gaps = [str(error)]
    try:
        return complete_places(rows, needed, leave_out=True, texts=texts)[0], None, gaps
    except DataError:  # no row is complete
        return range(len(rows)), None, gaps


def _dating(content: Content, wishes: Wishes) -> tuple[Wishes, list[str]]:
    """Return the choices with the columns of dates that the table has besides, and a note on these.

    Raises DataError for sensitive dates in days: every value of theirs is shown, as the table has it.
    """
    refuse_sensitive(wishes.dates, wishes.sensitive)
    left = {wishes.label, *wishes.dropped, *wishes.categories, *wishes.sensitive, *wishes.dates, *content.index}
    others = columns_of_dates(content.rows, [column for column in content.rows[0] if column not in left])
    if not others:
        return wishes, []
    note = (
        f"dates were counted in days from {START}: {', '.join(others)}; if the model counts from another day, say so "
        f"({argument('dates', {others[0]: '2000-01-01'})})"
    )
    return replace(wishes, dates={**dict.fromkeys(others, START), **wishes.dates}), [note]


def _wished(wishes: Wishes) -> set[str]:
    """Return the columns that the user names as features, or as the label."""
    named = (wishes.sensitive, wishes.units, wishes.categories, wishes.ranges, wishes.dates, wishes.logs, wishes.order)
    return {wishes.label, *(column for columns in (*named, wishes.missing) for column in columns)}


def _features(columns: Mapping[str, Sequence[Value]], wishes: Wishes, content: Content) -> list[Feature]:
    """Return the feature that each column seems to hold; raises DataError with every problem."""
    features, problems = [], []
    for column, values in columns.items():
        try:
            feature = declared(column, values, wishes, content.orders.get(column, ()))
            mark = True if wishes.mark_missing else msgspec.UNSET
            may_miss = Missing(mark=mark) if column in wishes.missing else msgspec.UNSET
            features.append(msgspec.structs.replace(feature, missing=may_miss))
        except DataError as error:
            problems.append(str(error))
    refuse_all(problems)
    return features


def _columns(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], places: Sequence[int], wishes: Wishes
) -> tuple[dict[str, list[Value | None]], list[str]]:
    """Return the values of each column in the rows at some places, and a line for each without numbers or names."""
    columns: dict[str, list[Value | None]] = {}
    problems = []
    for column in names:
        stated = [place for place in places if rows[place][column] is not None]
        cells = [rows[place][column] for place in stated]
        try:
            values = iter(column_values(cells, column, is_category=column in wishes.categories, places=stated))
        except DataError as error:
            problems.append(str(error))
        else:
            columns[column] = [None if rows[place][column] is None else next(values) for place in places]
    return columns, problems


def _out_of_order(columns: Mapping[str, Sequence[Value | None]], wishes: Wishes, content: Content) -> list[str]:
    """Return a line for each category whose order is given with other values, or whose words are degrees."""
    problems = []
    for column, cells in columns.items():
        values = [value for value in cells if value is not None]
        texts = {str(value) for value in values}
        if column not in wishes.categories and are_numbers(values):
            if column in wishes.order:
                call = argument("categories", [column])
                problems.append(f"call {column[:80]!r} a category ({call}): an order is given, and it holds numbers")
        elif column in wishes.order and not texts <= set(content.orders[column]):
            odd = min(texts - set(content.orders[column]))
            problems.append(f"give the place of {odd[:40]!r} too in the order of column {column[:80]!r}, which has it")
        elif not (wishes.one_hot or column in content.orders or column in wishes.sensitive):
            ordered = in_degrees(texts)
            problems += [] if ordered is None else [question(column, ordered)]
    return problems


def _unlabelled(rows: Sequence[Mapping[str, Any]], places: Sequence[int], wishes: Wishes) -> list[str]:
    """Return a line on labels that are not those of the table."""
    try:
        _labels([rows[place] for place in places], wishes)
    except DataError as error:
        return [str(error)]
    return []


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
        ("order", wishes.order),
    ):
        for column in columns:
            if column not in header:
                raise DataError(f"{what}: no column is called {column!r}; there are {', '.join(header)}")


def _unnameable(names: Sequence[str]) -> list[str]:
    """Return a line for each column whose name no feature may have, with what to do."""
    return [
        f"column {escaped(name)!r} {wrong.message}: rename the column in the table, or drop it ({argument('drop')})"
        for name in names
        if (wrong := complaint(name)) is not None
    ]


def _check_lists(wishes: Wishes) -> None:
    """Raise DataError for a choice of several columns or labels that is no list of texts."""
    lists = {"sensitive": wishes.sensitive, "categories": wishes.categories, "dropped": wishes.dropped}
    for name, given in {**lists, "missing": wishes.missing, "labels": wishes.labels or ()}.items():
        if (wrong := not_texts(name, given)) is not None:
            raise DataError(wrong)


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


def _of_many(feature: Feature, wishes: Wishes) -> Feature:
    """Return a sensitive category of more than two values with one column a value, any other feature as it is."""
    if feature.name not in wishes.sensitive or feature.kind != "categorical" or len(feature.domain) < 3:
        return feature
    return msgspec.structs.replace(feature, encoding="one-hot")
