"""scikit-learn's encoders of categories, values that are joined because they are rare included: exact maps.

What is read of an encoder is held against what it makes of every value that it knows.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.models.importing.attributes import fitted
from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.curves import Curve, Curves, FrontStep
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.table import Table
from equiproof.circuits.encodings import ONE_HOT

_ONE = Fraction(1)

Codes = list[list[int]]
"""The outputs of each value of one column, in the encoder's order of values."""


def one_hot(encoder: Any, columns: Sequence[str], table: Table, where: str) -> tuple[list[str], list[FrontStep]]:
    """Read a OneHotEncoder: an output for each value that is not dropped, and one for all that are joined."""
    values = _values(encoder, columns, where)
    joined = _joined(encoder, values, where)
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(columns)
    codes = []
    for own, rare, left_out in zip(values, joined, dropped, strict=True):
        groups = [[place] for place in range(len(own)) if place not in rare] + ([rare] if rare else [])
        groups = [group for group in groups if left_out is None or left_out not in group]
        codes.append([[int(place in group) for group in groups] for place in range(len(own))])
    _compare(encoder, values, codes, where)
    return _indicators(values, codes, columns, table, where)


def ranks(
    encoder: Any, columns: Sequence[str], table: Table, where: str, *, stepped: bool
) -> tuple[list[str], list[FrontStep]]:
    """Read an OrdinalEncoder: the rank of each value; values that are joined have the last one.

    A model that only compares, which is `stepped`, takes the smaller of that rank and of the value's own, where joined
    values stand last. Any other model gets the rank as a sum over one-hot values.
    """
    values = _values(encoder, columns, where)
    joined = _joined(encoder, values, where)
    codes: list[Codes] = []
    for own, rare in zip(values, joined, strict=True):
        kept = [place for place in range(len(own)) if place not in rare]
        codes.append([[kept.index(place) if place in kept else len(kept)] for place in range(len(own))])
    _compare(encoder, values, codes, where)
    if not any(joined):
        table.ranked.update(zip(columns, values, strict=True))
        return list(columns), [identity(len(columns), where)]
    if not stepped:
        return _indicators(values, codes, columns, table, where)
    curves: list[Curve | None] = []
    for column, own, rare in zip(columns, values, joined, strict=True):
        order = [value for place, value in enumerate(own) if place not in rare]
        table.ranked[column] = (*order, *(own[place] for place in rare))
        curves.append(Curve(partial(np.minimum, len(order))) if rare else None)
    return list(columns), [identity(len(columns), where), Curves(tuple(curves), where, "")]


def _indicators(
    values: Sequence[tuple[str, ...]], codes: Sequence[Codes], columns: Sequence[str], table: Table, where: str
) -> tuple[list[str], list[FrontStep]]:
    """Return the map from a number 0 or 1 for each value to these outputs."""
    names: list[str] = []
    rows: list[Mapping[int, Fraction]] = []
    for column, own, outputs in zip(columns, values, codes, strict=True):
        table.one_hot[column] = own
        first = len(names)
        for output in range(len(outputs[0])):
            coded = [(first + place, code[output]) for place, code in enumerate(outputs)]
            rows.append({place: _ONE * code for place, code in coded if code})
        names += [f"{column}{ONE_HOT}{value}" for value in own]
    return names, [Affine(len(names), tuple(rows), (Fraction(0),) * len(rows), where)]


def _joined(encoder: Any, values: Sequence[tuple[str, ...]], where: str) -> list[list[int]]:
    """Return the places of each column's values that are joined because they are rare."""
    # The attribute is missing where no value may be joined.
    rare = getattr(encoder, "infrequent_categories_", None)
    if rare is None:
        return [[] for _ in values]
    if len(rare) != len(values):
        raise ModelImportError(f"{where}: fit it again: infrequent_categories_ of {len(rare)} columns")
    return [
        [] if some is None else [own.index(str(value)) for value in some.tolist() if str(value) in own]
        for own, some in zip(values, rare, strict=True)
    ]


def _values(encoder: Any, columns: Sequence[str], where: str) -> list[tuple[str, ...]]:
    """Return the values of each encoded column as texts, in the encoder's order."""
    categories = fitted(encoder, "categories_", where)
    if len(categories) != len(columns) or not all(len(values) for values in categories):
        raise ModelImportError(
            f"{where}: fit it again: it has the categories of {len(categories)} columns, not {len(columns)}, or none"
        )
    return [
        tuple(_value(value, column, where) for value in values.tolist())
        for column, values in zip(columns, categories, strict=True)
    ]


def _value(value: Any, column: str, where: str) -> str:
    """Return one value of a category as text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ModelImportError(
            f"{where}: turn column {shown(column)!r} into texts or whole numbers, and fit again: a category of it is "
            f"{shown(repr(value))}"
        )
    return str(value)


def _compare(encoder: Any, values: Sequence[tuple[str, ...]], codes: Sequence[Codes], where: str) -> None:
    """Raise ModelImportError where the encoder makes something else of its own values than was read."""
    own = copy.copy(encoder)
    # Without names of columns it takes plain arrays, and warns of nothing.
    vars(own).pop("feature_names_in_", None)
    count = max(map(len, values))
    rows = np.empty((count, len(values)), dtype=object)
    for column, categories in enumerate(encoder.categories_):
        rows[:, column] = [categories[row % len(categories)] for row in range(count)]
    wanted = [[*chain.from_iterable(some[row % len(some)] for some in codes)] for row in range(count)]
    try:
        outputs: Any = own.transform(rows)
    except (ValueError, IndexError, TypeError, KeyError, AttributeError) as error:
        raise ModelImportError(
            f"{where}: fit it again: it does not encode its own values: {shown(str(error))}"
        ) from None
    dense: npt.NDArray[Any] = outputs.toarray() if hasattr(outputs, "toarray") else np.asarray(outputs)
    if dense.shape != np.shape(wanted) or not np.array_equal(dense, np.array(wanted)):
        raise ModelImportError(f"{where}: fit it again: it encodes its own values otherwise than its attributes say")
