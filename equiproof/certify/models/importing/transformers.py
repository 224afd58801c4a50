"""scikit-learn's ColumnTransformer: raw columns of a table, encoded and scaled, as exact maps of named numbers.

The numbers are those that a spec's columns stand for in raw units: a number itself or its logarithm, of a ranked
category the rank of its value, and 0 or 1 for each value of a one-hot category. Which category has which values, and in
which order, is kept for the binding to a spec.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.encodings import ONE_HOT

_ONE = Fraction(1)

LOGARITHMS: Mapping[Any, tuple[str, str]] = {
    np.log: ("log", "0"),
    np.log2: ("log2", "0"),
    np.log10: ("log10", "0"),
    np.log1p: ("log1p", "1"),
}
"""The functions of a FunctionTransformer that are read: their names, and the offset that a spec gives the feature."""

Scaler = Callable[[Any, str], list[Affine]]


@dataclass
class Table:
    """The maps from named numbers to the outputs of a ColumnTransformer, and the raw columns behind the names.

    `ranked` and `one_hot` have the values of categories, in the encoder's order, by column; `logarithms` has by the
    name of a number the column that it is the logarithm of, and the offset. `blocks` has each transformer's steps, and
    the places of its inputs among `names`.
    """

    names: list[str] = field(default_factory=list)
    blocks: list[tuple[list[int], list[Affine]]] = field(default_factory=list)
    ranked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    one_hot: dict[str, tuple[str, ...]] = field(default_factory=dict)
    logarithms: dict[str, tuple[str, str]] = field(default_factory=dict)

    def steps(self) -> list[Affine]:
        """Return the maps, the first one first; a transformer of fewer steps than another passes its numbers on."""
        count = max(len(steps) for _, steps in self.blocks)
        return [self._step(number) for number in range(count)]

    def _step(self, number: int) -> Affine:
        """Return what all transformers do in one step."""
        rows: list[Mapping[int, Fraction]] = []
        biases: list[Fraction] = []
        inputs = 0
        for places, steps in self.blocks:
            step = steps[number] if number < len(steps) else identity(len(steps[-1].rows), steps[-1].where)
            # The first step reads the named numbers, which several transformers may share; later ones read their own.
            own = places if not number else range(inputs, inputs + step.inputs)
            rows += [{own[column]: weight for column, weight in row.items()} for row in step.rows]
            biases += step.biases
            inputs += step.inputs
        return Affine(inputs if number else len(self.names), tuple(rows), tuple(biases), "the ColumnTransformer")

    def add(self, names: Sequence[str], steps: list[Affine]) -> None:
        """Add one transformer, whose inputs have these names."""
        for name in names:
            if name not in self.names:
                self.names.append(name)
        self.blocks.append(([self.names.index(name) for name in names], steps))


def read_table(model: Any, scaler: Scaler, where: str) -> Table:
    """Read a fitted ColumnTransformer; `scaler` reads a step that scales numbers.

    Raises ModelImportError naming the transformer that cannot be read exactly.
    """
    if not hasattr(model, "transformers_"):
        raise ModelImportError(f"{where}: not fitted")
    if getattr(model, "feature_names_in_", None) is None:
        raise ModelImportError(f"{where}: fitted on a table without names of columns; fit it on a DataFrame")
    inputs = [str(name) for name in model.feature_names_in_]
    table = Table()
    for name, part, columns in model.transformers_:
        part_columns = _columns(columns, inputs)
        if not part_columns or (isinstance(part, str) and part == "drop"):
            continue
        table.add(*_block(part, part_columns, table, scaler, f"{where}, {name!r}"))
    if not table.blocks:
        raise ModelImportError(f"{where}: it passes no column on")
    refuse_two_ways(table, where)
    return table


def refuse_two_ways(table: Table, where: str) -> None:
    """Raise ModelImportError for a column that is encoded in two ways, or taken as it is and as its logarithm too."""
    logged = [column for column, _ in table.logarithms.values()]
    ways = [*table.ranked, *table.one_hot, *dict.fromkeys(table.logarithms.values())]
    names = [way if isinstance(way, str) else way[0] for way in ways]
    both = [name for number, name in enumerate(names) if name in names[:number]]
    if both := both or [column for column in logged if column in table.names]:
        raise ModelImportError(f"{where}: column {shown(both[0])!r} is encoded in two ways; a spec has one of them")


def _columns(columns: Any, names: Sequence[str]) -> list[str]:
    """Return the names of a transformer's columns, which may be given by name, number, slice or mask."""
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, slice) and all(isinstance(one, str) for one in columns):
        return list(columns)
    numbers = np.arange(len(names))[columns if isinstance(columns, slice) else list(columns)]
    return [names[number] for number in np.atleast_1d(numbers).tolist()]


def _block(
    part: Any, columns: Sequence[str], table: Table, scaler: Scaler, where: str
) -> tuple[list[str], list[Affine]]:
    """Read one transformer, an encoder or numbers and scalers behind it: the names of its inputs, and its steps."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
    steps = [step for step in steps if not _passes(step, where)]
    first = type(steps[0]) if steps else None
    if first is OneHotEncoder:
        names, block = _one_hot(steps.pop(0), columns, table, where)
    elif first is OrdinalEncoder:
        names, block = _ranks(steps.pop(0), columns, table, where)
    elif steps and is_logarithm(steps[0], where):
        names = logarithms_of(steps.pop(0), columns, table)
        block = identity(len(columns), where)
    else:
        names = list(columns)
        block = identity(len(columns), where)
    return names, [block, *(one for step in steps for one in scaler(step, where))]


def is_logarithm(step: Any, where: str) -> bool:
    """Return whether a step takes the logarithm of each column; raises ModelImportError for another function."""
    from sklearn.preprocessing import FunctionTransformer

    if type(step) is not FunctionTransformer or step.func is None:
        return False
    # A function that compares in its own way, or is not hashable, is none of numpy's.
    if step.kw_args or not any(step.func is function for function in LOGARITHMS):
        name = getattr(step.func, "__name__", type(step.func).__name__)
        raise ModelImportError(
            f"{where}: a FunctionTransformer of {shown(name)} is not read: use np.log, np.log2, np.log10 or np.log1p "
            "itself, without kw_args"
        )
    return True


def logarithms_of(step: Any, columns: Sequence[str], table: Table) -> list[str]:
    """Return the names of the logarithms of columns, and note in the table what they are of."""
    function, offset = LOGARITHMS[step.func]
    names = [f"{function}({column})" for column in columns]
    table.logarithms.update((name, (column, offset)) for name, column in zip(names, columns, strict=True))
    return names


def _passes(step: Any, where: str) -> bool:
    """Return whether a step leaves rows without missing values as they are; a row with one has no certificate."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer

    if step is None or (isinstance(step, str) and step == "passthrough"):
        return True
    if type(step) is FunctionTransformer and step.func is None:
        return True
    if type(step) is not SimpleImputer:
        return False
    if step.add_indicator or any(value != value for value in step.statistics_.tolist()):
        raise ModelImportError(f"{where}: a SimpleImputer that adds or drops columns is not read; fit it without them")
    return True


def _one_hot(encoder: Any, columns: Sequence[str], table: Table, where: str) -> tuple[list[str], Affine]:
    """Read a OneHotEncoder: an output for each value that is not dropped."""
    names: list[str] = []
    rows: list[Mapping[int, Fraction]] = []
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(columns)
    for column, values, left_out in zip(columns, _values(encoder, columns, where), dropped, strict=True):
        table.one_hot[column] = values
        for number, value in enumerate(values):
            if number != left_out:
                rows.append({len(names): _ONE})
            names.append(f"{column}{ONE_HOT}{value}")
    return names, Affine(len(names), tuple(rows), (Fraction(0),) * len(rows), where)


def _ranks(encoder: Any, columns: Sequence[str], table: Table, where: str) -> tuple[list[str], Affine]:
    """Read an OrdinalEncoder: the rank of each value."""
    table.ranked.update(zip(columns, _values(encoder, columns, where), strict=True))
    return list(columns), identity(len(columns), where)


def _values(encoder: Any, columns: Sequence[str], where: str) -> list[tuple[str, ...]]:
    """Return the values of each encoded column as texts, in the encoder's order."""
    if not hasattr(encoder, "categories_"):
        raise ModelImportError(f"{where}: not fitted")
    if any(one is not None for one in getattr(encoder, "infrequent_categories_", [])):
        raise ModelImportError(f"{where}: rare values share a column; fit the encoder without min_frequency")
    return [
        tuple(_value(value, column, where) for value in values.tolist())
        for column, values in zip(columns, encoder.categories_, strict=True)
    ]


def _value(value: Any, column: str, where: str) -> str:
    """Return one value of a category as text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ModelImportError(
            f"{where}: column {shown(column)!r} has the value {value!r}; a category has texts or whole numbers"
        )
    return str(value)
