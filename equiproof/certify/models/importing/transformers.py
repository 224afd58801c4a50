"""scikit-learn's ColumnTransformer: raw columns of a table, encoded and scaled, as one exact map of named numbers.

The numbers are those that a spec's columns stand for in raw units: a number itself, of a ranked category the rank of
its value, and 0 or 1 for each value of a one-hot category. Which category has which values, and in which order, is kept
for the binding to a spec.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.encodings import ONE_HOT

_ONE = Fraction(1)

Scaler = Callable[[Any, str], list[Affine]]


@dataclass
class Table:
    """The map from named numbers to the outputs of a ColumnTransformer, and the categories behind the names.

    `ranked` and `one_hot` have the values of categories, in the encoder's order, by column.
    """

    names: list[str] = field(default_factory=list)
    rows: list[Mapping[int, Fraction]] = field(default_factory=list)
    biases: list[Fraction] = field(default_factory=list)
    ranked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    one_hot: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def affine(self) -> Affine:
        """Return the map."""
        return Affine(len(self.names), tuple(self.rows), tuple(self.biases), "the ColumnTransformer")

    def add(self, names: Sequence[str], block: Affine) -> None:
        """Add the outputs of one transformer, whose inputs have these names."""
        places = []
        for name in names:
            if name not in self.names:
                self.names.append(name)
            places.append(self.names.index(name))
        for row in block.rows:
            self.rows.append({places[column]: weight for column, weight in row.items()})
        self.biases += block.biases


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
        names, block = _block(part, part_columns, table, scaler, f"{where}, {name!r}")
        table.add(names, block)
    if not table.rows:
        raise ModelImportError(f"{where}: it passes no column on")
    if both := [name for name in table.ranked if name in table.one_hot]:
        raise ModelImportError(f"{where}: column {shown(both[0])!r} is encoded in two ways; a spec has one of them")
    return table


def _columns(columns: Any, names: Sequence[str]) -> list[str]:
    """Return the names of a transformer's columns, which may be given by name, number, slice or mask."""
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, slice) and all(isinstance(one, str) for one in columns):
        return list(columns)
    numbers = np.arange(len(names))[columns if isinstance(columns, slice) else list(columns)]
    return [names[number] for number in np.atleast_1d(numbers).tolist()]


def _block(part: Any, columns: Sequence[str], table: Table, scaler: Scaler, where: str) -> tuple[list[str], Affine]:
    """Read one transformer, an encoder or numbers and scalers behind it: the names of its inputs, and its map."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
    steps = [step for step in steps if not _passes(step, where)]
    first = type(steps[0]) if steps else None
    if first is OneHotEncoder:
        names, block = _one_hot(steps.pop(0), columns, table, where)
    elif first is OrdinalEncoder:
        names, block = _ranks(steps.pop(0), columns, table, where)
    else:
        names = list(columns)
        block = identity(len(columns), where)
    scaled = [one for step in steps for one in scaler(step, where)]
    return names, reduce(lambda below, above: above.after(below), scaled, block)


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
