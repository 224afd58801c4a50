"""scikit-learn's ColumnTransformer: raw columns of a table, encoded and scaled, as maps of named numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equiproof.certify.models.importing.attributes import as_fitted, fitted
from equiproof.certify.models.importing.categories import one_hot, ranks
from equiproof.certify.models.importing.chain import identity
from equiproof.certify.models.importing.curves import FrontStep
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.imputers import Fill, computed, filled_in, is_imputer, number_of, remedy_of
from equiproof.certify.models.importing.scalers import function_of, read_scaler
from equiproof.certify.models.importing.table import Table, refuse_two_ways

LOGARITHMS: Mapping[Any, tuple[str, str]] = {
    np.log: ("log", "0"),
    np.log2: ("log2", "0"),
    np.log10: ("log10", "0"),
    np.log1p: ("log1p", "1"),
}
"""The functions that an encoding stands for: their names, and the offset that a spec gives the feature."""


def read_table(model: Any, where: str, *, stepped: bool = False) -> Table:
    """Read a fitted ColumnTransformer; `stepped`: what follows compares its outputs only.

    Raises ModelImportError naming the transformer that cannot be read exactly.
    """
    transformers = fitted(model, "transformers_", where)
    if getattr(model, "feature_names_in_", None) is None:
        raise ModelImportError(f"{where}: fit it on a DataFrame: fitted on a table without names of columns")
    if any(weight != 1 for weight in (model.transformer_weights or {}).values()):
        raise ModelImportError(f"{where}: fit it without transformer_weights: they scale what follows")
    inputs = [str(name) for name in model.feature_names_in_]
    table = Table()
    for name, part, columns in transformers:
        part_columns = _columns(columns, inputs)
        if not part_columns or (isinstance(part, str) and part == "drop"):
            continue
        with as_fitted(f"{where}, {name!r}"):
            table.add(*_block(part, part_columns, table, f"{where}, {name!r}", stepped=stepped))
    if not table.blocks:
        raise ModelImportError(f"{where}: it passes no column on")
    refuse_two_ways(table, where)
    return table


def is_logarithm(step: Any, where: str) -> bool:
    """Return whether a step takes the logarithm of each column; raises ModelImportError for a function not read."""
    if not _is_function(step):
        return False
    function_of(step, where)
    return step.func is not None and any(step.func is function for function in LOGARITHMS)


def logarithms_of(step: Any, columns: Sequence[str], filled: Sequence[Any] | None, table: Table) -> list[str]:
    """Return the names of the logarithms of columns, and note in the table what they are of.

    `filled` is what an imputer before them puts in place of a missing value of each column, None without one.
    """
    function, offset = LOGARITHMS[step.func]
    names = [f"{function}({column})" for column in columns]
    table.logarithms.update((name, (column, offset)) for name, column in zip(names, columns, strict=True))
    fills: Sequence[Fill] = ["kept"] * len(names) if filled is None else computed(step.func, filled)
    for name, fill in zip(names, fills, strict=True):
        table.fills.add(name, fill)
    return names


def _is_function(step: Any) -> bool:
    """Return whether a step is a FunctionTransformer, derived classes excepted."""
    from sklearn.preprocessing import FunctionTransformer

    return type(step) is FunctionTransformer


def _columns(columns: Any, names: Sequence[str]) -> list[str]:
    """Return the names of a transformer's columns, which may be given by name, number, slice or mask."""
    if isinstance(columns, str):
        return [columns]
    if not isinstance(columns, slice) and all(isinstance(one, str) for one in columns):
        return list(columns)
    numbers = np.arange(len(names))[columns if isinstance(columns, slice) else list(columns)]
    return [names[number] for number in np.atleast_1d(numbers).tolist()]


def _block(
    part: Any, columns: Sequence[str], table: Table, where: str, *, stepped: bool
) -> tuple[list[str], list[FrontStep]]:
    """Read one transformer, an encoder or numbers and scalers behind it: the names of its inputs, and its steps."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    steps = [step for _, step in part.steps] if type(part) is Pipeline else [part]
    steps = [step for step in steps if not _passes(step)]
    filled, shows = filled_in(steps.pop(0), len(columns), where) if steps and is_imputer(steps[0]) else (None, [])
    if remedy := next((remedy_of(step) for step in steps if is_imputer(step)), None):
        raise ModelImportError(f"{where}: {remedy}")
    first = type(steps[0]) if steps else None
    is_log = first not in (OneHotEncoder, OrdinalEncoder) and bool(steps) and is_logarithm(steps[0], where)
    if shows and (is_log or first in (OneHotEncoder, OrdinalEncoder)):
        raise ModelImportError(
            f"{where}: fit the SimpleImputer with add_indicator=False: a column for missing values is not read before "
            f"a {type(steps[0]).__name__}"
        )
    if first is OneHotEncoder:
        names, block = one_hot(steps.pop(0), columns, filled, table, where, stepped=stepped)
    elif first is OrdinalEncoder:
        names, block = ranks(steps.pop(0), columns, filled, table, where, stepped=stepped)
    elif is_log:
        names, block = logarithms_of(steps.pop(0), columns, filled, table), [identity(len(columns), where)]
    else:
        names = [*columns, *(table.fills.indicator(columns[place]) for place in shows)]
        block = [identity(len(names), where)]
        for place, name in enumerate(columns):
            table.fills.add(name, number_of(filled[place]) if filled else "kept")
    return names, [*block, *(one for step in steps for one in read_scaler(step, where))]


def _passes(step: Any) -> bool:
    """Return whether a step leaves every row as it is."""
    return (
        step is None or (isinstance(step, str) and step == "passthrough") or (_is_function(step) and step.func is None)
    )
