"""Data sets: raw rows, labels, one fixed split, and the feature spec that gives the rows their meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import msgspec

from equiproof.certify.data.decimals import decimals
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.once import remembered
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.text import ends

# Imported only where arrays are made: listing data sets and fetching their files work without numpy.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Value = str | int
Row = Mapping[str, Value]

SPLIT_SEED = 0
TEST_PARTS = 5
MIN_ROWS = 20

_MOST_PROBLEMS = 20
"""How many problems of a table are listed."""

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]|$)")


class DataError(ValueError):
    """A data set that cannot be read or made: one line with what is wrong, where, and how to mend it.

    `problems` has a line for each fault where several are known at once.
    """

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    def within(self, where: str) -> DataError:
        """Return the error with what holds the rows before each of its lines."""
        return DataError(f"{where}: {self}", [f"{where}: {line}" for line in self.problems])


def refuse_all(problems: Sequence[str]) -> None:
    """Raise DataError with every problem of a table, if there are any: of many the first, a count and the last."""
    if not problems:
        return
    listed = ends(problems, _MOST_PROBLEMS)
    raise DataError("; ".join(listed), listed)


@dataclass(frozen=True)
class Dataset:
    """Labelled rows of raw values with a train/test split and the spec that encodes them.

    `rows[i]` maps every feature of `spec` to its raw value, `labels[i]` is its label; `train` and `test` are disjoint
    sorted row indices that together cover all rows. Raises DataError where lengths or labels do not fit.
    """

    name: str
    rows: tuple[Row, ...]
    labels: tuple[int, ...]
    train: tuple[int, ...]
    test: tuple[int, ...]
    spec: Spec

    def __post_init__(self) -> None:
        """Refuse a split that is no partition, labels without a name, and training rows of one label only."""
        if len(self.labels) != len(self.rows) or sorted(self.train + self.test) != list(range(len(self.rows))):
            raise DataError(f"{self.name}: labels and split do not cover the {len(self.rows)} rows exactly once")
        for index, label in enumerate(self.labels):
            if not 0 <= label < len(self.spec.labels):
                raise DataError(f"{self.name}: row {index + 1}: label {label} is not one of {len(self.spec.labels)}")
        if len({self.labels[index] for index in self.train}) < 2:
            raise DataError(f"{self.name}: the training rows all have one label; there is nothing to learn")

    def label_array(self) -> npt.NDArray[np.int64]:
        """Return the labels, shape (rows,)."""
        import numpy as np

        return np.asarray(self.labels, dtype=np.int64)


def split_rows(count: int, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Split row indices 80/20 into (train, test) by the permutation of seed 0; fewer than 20 rows raise DataError."""
    import numpy as np

    if count < MIN_ROWS:
        raise DataError(f"{name}: {count} rows; a data set needs at least {MIN_ROWS}")
    order = np.random.Generator(np.random.PCG64(SPLIT_SEED)).permutation(count)
    cut = count // TEST_PARTS
    test = np.sort(order[:cut])
    train = np.sort(order[cut:])
    return tuple(train.tolist()), tuple(test.tolist())


def encode_rows(spec: Spec, rows: Sequence[Row]) -> npt.NDArray[np.int64]:
    """Encode rows as `spec` does, sensitive columns last: integers at scale 2^f_x, shape (rows, n_x + n_s).

    Each distinct value is encoded once. Raises DataError naming the row (counted from 1) and the feature, with a
    problem for each feature that has any.
    """
    return remembered("encoded", lambda: _encoded(spec, rows), spec, rows)


def _encoded(spec: Spec, rows: Sequence[Row]) -> npt.NDArray[np.int64]:
    """Encode rows; what is returned may be that of others, too, and is not to be written to."""
    import numpy as np

    blocks, problems = [], []
    for position in _spec_order(spec):
        try:
            blocks.append(_encode_feature(spec, position, rows))
        except DataError as error:
            problems.append(str(error))
    refuse_all(problems)
    blocks.insert(len(spec.plain_features), np.zeros((len(rows), spec.padding), dtype=np.int64))
    columns = np.concatenate(blocks, axis=1)
    columns.setflags(write=False)
    return columns


def misfits(spec: Spec, rows: Sequence[Row], names: Collection[str]) -> list[str]:
    """Return a line for the first value of each of these features that it does not take, naming the row."""
    lines = []
    for position in (at for at, feature in enumerate(spec.features) if feature.name in names):
        try:
            _encode_feature(spec, position, rows)
        except DataError as error:
            lines.append(str(error))
    return lines


def column_values(spec: Spec, rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """Return the standardised columns before rounding to 2^-f_x, shape (rows, n_x + n_s).

    Values are exact to 2^-25, half a step of the finest scale a spec can have. Raises DataError as `encode_rows`.
    """
    import numpy as np

    finest = _finest(spec)
    return encode_rows(finest, rows).astype(np.float64) / finest.scale_unit


def assignment_values(spec: Spec) -> npt.NDArray[np.float64]:
    """Return the sensitive columns of each assignment, shape (S, n_s), as precise as :func:`column_values`."""
    import numpy as np

    finest = _finest(spec)
    return np.array(finest.domain_table, dtype=np.float64) / finest.scale_unit


def _finest(spec: Spec) -> Spec:
    """Return the spec with columns in steps of 2^-24."""
    return msgspec.structs.replace(spec, input_fraction_bits=24, input_bits=40)


def _spec_order(spec: Spec) -> list[int]:
    """Return positions of the features in column order: non-sensitive first."""
    return sorted(range(len(spec.features)), key=lambda position: spec.features[position].sensitive)


def remedy(feature: Feature, value: object) -> str:
    """Return what to do about a value that a feature of numbers does not take, "" where nothing is known."""
    text = "" if value is None else str(value).strip()
    if text and isinstance(feature.start, str):
        if _PLAIN.fullmatch(text):
            return f"; its days are counted from {feature.start}"
        return f"; write a date such as 2024-03-31, or its days since {feature.start}"
    if feature.kind == "numeric" and _PLAIN.fullmatch(text):
        return "; check the number and its unit"
    if feature.kind != "numeric" or (text and not _DATE.match(text)):
        return ""
    if text:
        return "; it is a date: give the number of days since the one that the model counts from"
    return "; the value is missing: fill it in, or leave the row out"


def _encode_feature(spec: Spec, position: int, rows: Sequence[Row]) -> npt.NDArray[np.int64]:
    """Encode one feature of every row, shape (rows, width)."""
    import numpy as np

    feature = spec.features[position]
    numbers = decimals(feature, rows)
    if numbers is not None and (column := numbers.on_grid(feature, spec)) is not None:
        if not feature.has_mark:
            return column.reshape(len(rows), 1)
        lacking = np.zeros(len(rows), dtype=bool) if numbers.lacking is None else numbers.lacking
        return np.stack([column, np.where(lacking, spec.mark, 0)], axis=1)
    code_of: dict[Value | None, tuple[int, ...]] = {}
    values = [row.get(feature.name) for row in rows]
    for index, value in enumerate(values):
        if value not in code_of:
            try:
                code_of[value] = spec.encode_features((feature,), rows[index])
            except SpecError as error:
                raise DataError(f"row {index + 1}: {error}{remedy(feature, value)}") from None
    return np.array([code_of[value] for value in values], dtype=np.int64).reshape(len(rows), feature.width)
