"""The spec of a table under a fitted model: what the model knows of its columns is not guessed from the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from equiproof.certify.data.cleaning import (
    ALWAYS_STATED,
    NUMBER,
    check_may_miss,
    complete_places,
    plain,
    without_missing,
)
from equiproof.certify.data.dataset import DataError, Row, refuse_all
from equiproof.certify.data.dates import (
    START,
    columns_of_dates,
    day_of,
    in_other_notations,
    refuse_sensitive,
    start_in,
    with_days,
    with_start,
)
from equiproof.certify.data.features import check_sensitive, choose
from equiproof.certify.data.frames import Frame
from equiproof.certify.data.notation import maybe_thousands
from equiproof.certify.data.spec_builder import build_spec, with_ranges
from equiproof.certify.models.ensembles.cards import Card
from equiproof.certify.models.ensembles.ebm import Machine
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.certify.models.importing.source import Source
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ONE_HOT, Missing
from equiproof.circuits.spec import Feature, Spec

Read = Source | Ensemble | Machine | Scorecard | Card
"""A model as it was read."""


@dataclass(frozen=True)
class Known:
    """What a model knows of the table that it takes; `columns` are its inputs, None where nothing names them.

    `ranked` and `one_hot` have the values of categories in the model's order, by column of the table; `logarithms` has
    by the name of an input the column that it is the logarithm of, and the offset. `classes` are the model's own.
    `missing` is how a spec says that a value may be missing, None where the model takes no missing value.
    """

    columns: tuple[str, ...] | None
    ranked: Mapping[str, tuple[str, ...]]
    one_hot: Mapping[str, tuple[str, ...]]
    logarithms: Mapping[str, tuple[str, str]]
    classes: tuple[str | int, ...] | None
    outputs: int
    missing: Missing | None = None


@dataclass(frozen=True)
class Wanted:
    """What neither the model nor its table says: the owner's choices; see :func:`equiproof.import_model`."""

    sensitive: Sequence[str]
    labels: Sequence[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    use_ranges: bool = False
    threshold: str = "0"
    unused: Sequence[str] = ()
    dates: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()


def known(read: Read, columns: Sequence[str] | None, frame: Frame) -> Known:
    """Return what a model knows of its table, with `columns` as the names of its inputs where they are given.

    An input called column=value makes the column a category of the table with one column a value.
    """
    if isinstance(read, Scorecard | Card | Machine):
        ranked, one_hot, numbers = read.categories()
        missing = Missing() if isinstance(read, Machine) else None
        columns = (*numbers, *ranked, *one_hot)
        return Known(columns, ranked, one_hot, {}, read.classes, read.outputs, missing)
    # A network has a column that says where a value is missing.
    missing = Missing() if isinstance(read, Ensemble) else None if read.lacking is None else Missing(mark=True)
    names = read.columns if columns is None else tuple(columns)
    ranked, one_hot = dict(read.ranked), dict(read.one_hot)
    if isinstance(read, Ensemble) and names is not None:
        one_hot |= _of_codes(read, names, frame)
    for column, values in _marked(names or (), frame, {*ranked, *one_hot}).items():
        own = [str(one) for one in dict.fromkeys(row[column] for row in frame.rows)]
        others = [one for one in own if one not in values]
        if len(values) == 1 and len(others) == 1:
            ranked[column] = (*others, *values)
        else:
            one_hot[column] = values
    return Known(names, ranked, one_hot, read.logarithms, read.classes, read.outputs, missing)


def _of_codes(read: Ensemble, names: Sequence[str], frame: Frame) -> dict[str, tuple[str, ...]]:
    """Return the values of categories that trees split by sets: those of the model, and those of the table it knows."""
    values = {}
    for place, category in read.categories.items():
        if place < len(names):
            own = sorted(
                {text for row in frame.rows if (text := str(row.get(names[place], "")).strip())},
                key=lambda text: (len(text), text),
            )
            known = category.known([text for text in own if text not in category.codes])
            values[names[place]] = (*category.codes, *(text for text in known if text not in category.codes))
    return values


def _marked(names: Sequence[str], frame: Frame, encoded: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the values of categories of which the inputs have a column a value, by column of the table."""
    values: dict[str, tuple[str, ...]] = {}
    for name in names:
        column, mark, value = name.partition(ONE_HOT)
        if mark and name not in frame.columns and column in frame.columns and column not in encoded:
            values[column] = (*values.get(column, ()), value)
    return values


def taken(about: Known, frame: Frame, wanted: Wanted) -> list[str]:
    """Return the columns of the table that the model takes, and those that it is said not to use, as in the table.

    Raises ModelImportError where nothing names the inputs, DataError for a column that the table does not have.
    """
    if about.columns is None:
        raise ModelImportError(
            f"name the model's inputs in its order with {argument('columns')}: it does not name them itself; the table "
            f"has {listed(frame.columns)}"
        )
    encoded = [*about.ranked, *about.one_hot]
    marked = {f"{column}{ONE_HOT}{value}" for column in encoded for value in _values(about, column)}
    numbers = [about.logarithms.get(one, (one, ""))[0] for one in about.columns if one not in marked]
    names = {*encoded, *numbers, *wanted.unused}
    if strangers := list(
        dict.fromkeys(one for one in (*encoded, *numbers, *wanted.unused) if one not in frame.columns)
    ):
        more = f" and {len(strangers) - 1} more" * (len(strangers) > 1)
        raise DataError(
            f"give the table that the model was trained on, or name its inputs with {argument('columns')}: "
            f"{frame.name} has no column {shown(strangers[0])!r}{more}, which the model takes; it has "
            f"{listed(frame.columns)}"
        )
    if others := [one for one in wanted.sensitive if one in frame.columns and one not in names]:
        raise ModelImportError(f"add {argument('unused', others[:1])}: the model takes no column {shown(others[0])!r}")
    return [column for column in frame.columns if column in names]


@dataclass(frozen=True)
class Table:
    """The columns of a table that a model takes, as features and as rows that a spec reads.

    `places` are those of the rows, counted from 0, that have every value, and `frame` has these only; `note` says which
    were left out. `may_miss` has a note on each column whose value may be missing, and is None in `rows` where it is.
    `maybe` has one on each column whose points may stand between thousands.
    """

    features: list[Feature]
    rows: list[Row]
    frame: Frame
    places: Sequence[int]
    note: str | None
    may_miss: Mapping[str, str]
    maybe: Sequence[str]

    @property
    def notes(self) -> list[str]:
        """What is said of rows that were left out, of values that may be missing, and of points that may be others."""
        return [*self.may_miss.values(), *([] if self.note is None else [self.note]), *self.maybe]


def read_columns(about: Known, frame: Frame, columns: Sequence[str], wanted: Wanted, *, leave_out: bool) -> Table:
    """Return the columns of a table that a model takes; with `leave_out` rows that lack a value are left out.

    Raises DataError naming the table, with every problem of it: dates and numbers in other notations, missing values,
    texts among numbers, and values that the model does not know.
    """
    _check_columns(columns, wanted)
    texts = {*about.ranked, *about.one_hot}
    numbers = [one for one in columns if one not in texts]
    starts = {one: start for one in numbers if (start := start_in(one)) is not None}
    frame = frame.counted({**starts, **wanted.dates})
    days = set(columns_of_dates(frame.rows, [one for one in numbers if one not in wanted.unused]))
    problems = [_uncounted(frame, column) for column in numbers if column in days]
    undated = in_other_notations(frame.rows, numbers)
    problems += undated.values()
    maybe = maybe_thousands(frame.rows, [one for one in numbers if one not in days], frame.notation)
    frame, doubts = frame.asked([one for one in numbers if one not in days])
    problems += doubts.values()
    places, note, gaps = _places(about, frame, columns, wanted, leave_out=leave_out)
    problems += gaps
    found, may_miss = without_missing(frame.rows, [one for one in columns if one in wanted.missing], texts)
    features, cells = [], {}
    for column in columns:
        try:
            cells[column] = [_cell(found[place][column], column, about) for place in places]
            stated = [place for place in places if found[place][column] is not None]
            values = [one for one in cells[column] if one is not None]
            feature = _feature(column, values, stated, about, wanted)
            features.append(
                msgspec.structs.replace(feature, missing=about.missing or Missing()) if column in may_miss else feature
            )
        except DataError as error:
            problems += [] if column in {*doubts, *days, *undated} else [str(error)]
    try:
        refuse_all(problems)
    except DataError as error:
        raise error.within(frame.name) from None
    rows: list[Row] = [dict(zip(cells, values, strict=True)) for values in zip(*cells.values(), strict=True)]
    return Table(features, rows, frame.kept(places), places, note, may_miss, maybe)


def _places(
    about: Known, frame: Frame, columns: Sequence[str], wanted: Wanted, *, leave_out: bool
) -> tuple[Sequence[int], str | None, list[str]]:
    """Return the places of the rows that have what may not be missing, a note on the others, and a line on a gap."""
    needed = [one for one in columns if one not in wanted.missing]
    texts = {*about.ranked, *about.one_hot}
    never = {*wanted.sensitive} if about.missing else None
    try:
        found = complete_places(frame.rows, needed, leave_out=leave_out, texts=texts, dropping=False, never=never)
    except DataError as error:
        gaps = [str(error)]
    else:
        return *found, []
    try:
        return complete_places(frame.rows, needed, leave_out=True, texts=texts, dropping=False)[0], None, gaps
    except DataError:  # no row is complete
        return range(len(frame.rows)), None, gaps


def draft(about: Known, table: Table, wanted: Wanted, bits: int) -> Spec:
    """Return the spec of the columns of a table, whose inputs are rounded to 2^-bits.

    Raises DataError as :func:`~equiproof.certify.data.spec_builder.build_spec`.
    """
    names = label_names(about, wanted.labels)
    rows = table.rows
    features = choose(table.features, rows, wanted.sensitive, "rank")
    logits = 1 if len(names) == 2 and about.outputs == 1 else about.outputs
    everyone = range(len(rows))
    spec = build_spec(
        table.frame.title,
        features,
        rows,
        everyone,
        names,
        logits=logits,
        threshold=wanted.threshold,
        input_fraction_bits=bits,
    )
    if wanted.ranges or wanted.use_ranges:
        spec = with_ranges(spec, rows, wanted.ranges, use_ranges=wanted.use_ranges)
    return spec


def label_names(about: Known, labels: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the labels in the model's order; raises ModelImportError where nothing says them."""
    classes = about.classes or ()
    named = are_texts(about.classes)
    count = len(classes) or max(2, about.outputs)
    if labels is None and not named:
        order = f"the classes are {listed(map(str, classes))}" if classes else "the model does not name them"
        raise ModelImportError(f"name the {count} decisions in the model's order with {argument('labels')}: {order}")
    if labels is not None and len(labels) != count:
        raise ModelImportError(
            f"name {count} decisions with {argument('labels')}, one for each class of the model: there "
            f"are {len(labels)}"
        )
    if labels is not None and named and tuple(labels) != classes:
        raise ModelImportError(
            f"leave {argument('labels')} out: the model names its classes itself: {listed(map(str, classes))}"
        )
    return tuple(map(str, classes)) if labels is None else tuple(labels)


def are_texts(classes: Sequence[str | int] | None) -> bool:
    """Return whether a model names its classes by texts."""
    return bool(classes) and all(isinstance(one, str) for one in classes or ())


def _values(about: Known, column: str) -> tuple[str, ...]:
    """Return the values of a category."""
    return about.ranked[column] if column in about.ranked else about.one_hot[column]


def _check_columns(columns: Sequence[str], wanted: Wanted) -> None:
    """Raise DataError and ModelImportError for choices about columns that the model does not take."""
    if not wanted.sensitive:
        raise ModelImportError(f"name the sensitive columns with {argument('sensitive')}: there are {listed(columns)}")
    check_sensitive("sensitive", wanted.sensitive, columns)
    for what, named in (("units", wanted.units), ("dates", wanted.dates)):
        if unknown := [one for one in named if one not in columns]:
            raise DataError(f"leave {unknown[0][:80]!r} out of {what}: the model takes no column of this name")
    refuse_sensitive(wanted.dates, wanted.sensitive)
    check_may_miss(wanted.missing, columns, dict.fromkeys(wanted.sensitive, ALWAYS_STATED))


def _uncounted(frame: Frame, column: str) -> str:
    """Say that dates are numbers of days to a model, from a day that only its owner knows."""
    given = next(str(row[column]) for row in frame.rows if day_of(row[column]))
    start = argument("dates", {column: START})
    return f"say from which day the model counts column {column[:80]!r}, as {start}: it has the date {given[:40]!r}"


def _cell(value: Any, column: str, about: Known) -> Any:
    """Return the text of a category, a number in canonical form, and anything else as it is, such as None."""
    if value is None:
        return None
    if column in about.ranked or column in about.one_hot:
        return str(value)
    text = format(value, "f") if hasattr(value, "as_tuple") else str(value)
    try:
        return plain(text) if NUMBER.fullmatch(text) else value
    except DataError as error:
        raise DataError(f"column {column[:80]!r}: {error}") from None


def _feature(column: str, values: Sequence[Any], places: Sequence[int], about: Known, wanted: Wanted) -> Feature:
    """Return the feature of a column, whose values are those of the rows at some places of the table."""
    if column in about.ranked or column in about.one_hot:
        domain = _values(about, column)
        if (blank := next((one for one in domain if one != " ".join(one.split())), None)) is not None:
            raise DataError(
                f"strip column {column!r}, which has the value {blank[:40]!r} with a blank too many, and fit the model "
                f"again; a machine of interpret takes a spec of stripped values with {argument('values')}"
            )
        if (at := next((index for index, one in enumerate(values) if one not in domain), None)) is not None:
            raise DataError(
                f"leave such rows out, or train with this value: row {places[at] + 1}, column {column[:80]!r} has "
                f"{str(values[at])[:40]!r}, which its encoder does not know; it has {listed(domain)}"
            )
        return Feature(
            column, "categorical", "one-hot" if column in about.one_hot else "rank", sensitive=False, domain=domain
        )
    texts = [index for index, one in enumerate(values) if not NUMBER.fullmatch(str(one))]
    if texts and column in wanted.unused:
        # The model says nothing of a column that it does not take.
        return Feature(column, "categorical", "rank", sensitive=False, domain=tuple(sorted(set(map(str, values)))))
    if texts:
        mend = (
            "mend" if len(texts) < len(values) else "encode its column in a ColumnTransformer of the pipeline, or mend"
        )
        odd = str(values[texts[0]])[:40]
        raise DataError(f"{mend} row {places[texts[0]] + 1}, column {column[:80]!r}: {odd!r} is not a number")
    whole = True if all(isinstance(one, int) for one in values) else UNSET
    start = wanted.dates.get(column) or start_in(column)
    unit = wanted.units.get(column, "days" if start else "")
    number = Feature(column, "numeric", "scaled", sensitive=False, unit=unit, whole=whole)
    offsets = dict(about.logarithms.values())
    if column in offsets:
        number = msgspec.structs.replace(number, encoding="log", offset=offsets[column])
        return with_days(number, wanted.dates)
    return with_days(number, wanted.dates) if column in wanted.dates else with_start(number, start)
