"""scikit-learn's encoders of categories, joined rare values and missing ones included: exact maps.

What is read of an encoder is held against what it makes of every value that it knows, and of a missing one.
"""

from __future__ import annotations

import copy
import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.models.importing.attributes import fitted
from equiproof.certify.models.importing.chain import Affine, identity
from equiproof.certify.models.importing.curves import Curve, Curves, FrontStep
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.imputers import Fill, is_missing
from equiproof.certify.models.importing.table import Table
from equiproof.circuits.encodings import ONE_HOT

_ONE = Fraction(1)

_FAILED = (ValueError, IndexError, TypeError, KeyError, AttributeError)
"""What an encoder raises for a value that it does not take."""

Values = tuple[str | None, ...]
"""The values of one column in the encoder's order; None is a missing one."""

Code = Sequence[float]
"""The outputs of one value of one column."""


@dataclass(frozen=True)
class _Encoded:
    """What an encoder makes of one column: the outputs of each of its values, and those of a missing one.

    `joined` are the places of the values that are joined because they are rare. `lacking` is None where the encoder
    refuses a missing value.
    """

    column: str
    values: Values
    joined: Sequence[int]
    codes: Sequence[Code]
    lacking: Code | None

    @property
    def stated(self) -> tuple[str, ...]:
        """The values that are not missing."""
        return tuple(value for value in self.values if value is not None)


def one_hot(
    encoder: Any, columns: Sequence[str], filled: Sequence[Any] | None, table: Table, where: str, *, stepped: bool
) -> tuple[list[str], list[FrontStep]]:
    """Read a OneHotEncoder: an output for each value that is not dropped, and one for all that are joined.

    `filled` has by column what an imputer before it puts in place of a missing value. A model that only compares, which
    is `stepped`, takes a missing value where its output is no stated value's.
    """
    values = _values(encoder, columns, where)
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(columns)
    found = []
    for column, own, rare, left_out in zip(columns, values, _joined(encoder, values, where), dropped, strict=True):
        groups = [[place] for place in range(len(own)) if place not in rare] + ([rare] if rare else [])
        groups = [group for group in groups if left_out is None or left_out not in group]
        codes = [[int(place in group) for group in groups] for place in range(len(own))]
        lacking = None
        if None in own:
            lacking = codes[own.index(None)]
        elif encoder.handle_unknown != "error":
            is_rare = bool(rare) and encoder.handle_unknown != "ignore"
            lacking = codes[rare[0]] if is_rare else [0] * len(groups)
        found.append(_Encoded(column, own, rare, codes, lacking))
    _compare(encoder, found, where)
    return _indicators(_behind(encoder, found, filled), filled, table, where, stepped=stepped)


def ranks(
    encoder: Any, columns: Sequence[str], filled: Sequence[Any] | None, table: Table, where: str, *, stepped: bool
) -> tuple[list[str], list[FrontStep]]:
    """Read an OrdinalEncoder: the rank of each value; values that are joined have the last one.

    A model that only compares, which is `stepped`, takes the smaller of that rank and of the value's own, where joined
    values stand last. Any other model gets the rank as a sum over one-hot values. `filled` is as of :func:`one_hot`.
    """
    values = _values(encoder, columns, where)
    found = []
    for column, own, rare in zip(columns, values, _joined(encoder, values, where), strict=True):
        kept = [place for place, value in enumerate(own) if place not in rare and value is not None]
        codes: list[Code] = [[kept.index(place) if place in kept else len(kept)] for place in range(len(own))]
        lacking: Code | None = None
        if None in own:
            lacking = codes[own.index(None)] = [encoder.encoded_missing_value]
        elif encoder.handle_unknown == "use_encoded_value":
            lacking = [encoder.unknown_value]
        found.append(_Encoded(column, own, rare, codes, lacking))
    _compare(encoder, found, where)
    found = _behind(encoder, found, filled)
    if any(one.joined for one in found) and not stepped:
        return _indicators(found, filled, table, where, stepped=stepped)
    curves: list[Curve | None] = []
    for one in found:
        last = [value for at in one.joined if (value := one.values[at]) is not None]
        order = [value for value in one.stated if value not in last]
        table.ranked[one.column] = (*order, *last)
        curves.append(Curve(partial(np.minimum, len(order))) if last else None)
        table.fills.add(one.column, _rank_of(one))
    steps: list[FrontStep] = [identity(len(columns), where)]
    return list(columns), [*steps, Curves(tuple(curves), where, "")] if any(curves) else steps


def _behind(encoder: Any, found: Sequence[_Encoded], filled: Sequence[Any] | None) -> list[_Encoded]:
    """Return what an encoder makes of each column where an imputer puts `filled` in place of a missing value.

    The encoder itself is asked about that value, which may be none of its own, or another kind of the same text.
    """
    if filled is None:
        return list(found)
    own, first, behind = _plain(encoder), 0, []
    for column, (one, value) in enumerate(zip(found, filled, strict=True)):
        row = np.empty((1, len(found)), dtype=object)
        row[0] = [categories[0] for categories in encoder.categories_]
        row[0, column] = value
        last = first + len(one.codes[0])
        try:
            code: Code | None = _encoded(own, row)[0, first:last].tolist()
        except _FAILED:
            code = None
        behind.append(dataclasses.replace(one, lacking=code))
        first = last
    return behind


def _rank_of(one: _Encoded) -> Fill:
    """Return the rank of a missing value."""
    if one.lacking is None:
        return "unknown"
    (rank,) = one.lacking
    return "kept" if rank != rank else Fraction(rank)


def _indicators(
    found: Sequence[_Encoded], filled: Sequence[Any] | None, table: Table, where: str, *, stepped: bool
) -> tuple[list[str], list[FrontStep]]:
    """Return the map from a number 0 or 1 for each value, and for a missing one, to these outputs."""
    names: list[str] = []
    rows: list[Mapping[int, Fraction]] = []
    for place, one in enumerate(found):
        text = None if filled is None else str(filled[place])
        inputs = [_name(one, value) for value in one.stated]
        table.one_hot[one.column] = one.stated
        table.fills.first[one.column] = inputs[0]
        codes = [code for value, code in zip(one.values, one.codes, strict=True) if value is not None]
        fills: list[Fill] = ["unknown"] * len(inputs)
        if text in one.stated and one.lacking == one.codes[one.values.index(text)]:
            table.fills.texts[one.column] = text
            fills = [Fraction(value == text) for value in one.stated]
        elif _is_read(one, codes, stepped=stepped) and one.lacking is not None:
            fills = [Fraction(0)] * len(inputs)
            if any(one.lacking):
                inputs.append(table.fills.indicator(one.column))
                codes.append(one.lacking)
        for name, fill in zip(inputs, fills, strict=False):
            table.fills.add(name, fill)
        first = len(names)
        for output in range(len(codes[0])):
            coded = [(first + offset, code[output]) for offset, code in enumerate(codes)]
            rows.append({offset: _ONE * Fraction(number) for offset, number in coded if number})
        names += inputs
    return names, [Affine(len(names), tuple(rows), (Fraction(0),) * len(rows), where)]


def _is_read(one: _Encoded, codes: Sequence[Code], *, stepped: bool) -> bool:
    """Return whether what an encoder makes of a missing value can be read beside the codes of stated values."""
    if one.lacking is None or any(output != output for output in one.lacking):
        return False
    # Trees compare single inputs, and sums of those of one category, but not with one that shows what is missing.
    return not (stepped and any(own and other for code in codes for own, other in zip(one.lacking, code, strict=True)))


def _name(one: _Encoded, value: str) -> str:
    """Return the name of the input that is 1 for a value."""
    return f"{one.column}{ONE_HOT}{value}"


def _joined(encoder: Any, values: Sequence[Values], where: str) -> list[list[int]]:
    """Return the places of each column's values that are joined because they are rare."""
    # The attribute is missing where no value may be joined.
    rare = getattr(encoder, "infrequent_categories_", None)
    if rare is None:
        return [[] for _ in values]
    if len(rare) != len(values):
        raise ModelImportError(f"{where}: fit it again: infrequent_categories_ of {len(rare)} columns")
    return [
        [own.index(text) for value in ([] if some is None else some.tolist()) if (text := _text(value)) in own]
        for own, some in zip(values, rare, strict=True)
    ]


def _text(value: Any) -> str | None:
    """Return a value as text, None for a missing one."""
    return None if is_missing(value) else str(value)


def _values(encoder: Any, columns: Sequence[str], where: str) -> list[Values]:
    """Return the values of each encoded column as texts, in the encoder's order."""
    categories = fitted(encoder, "categories_", where)
    if len(categories) != len(columns) or not all(len(values) for values in categories):
        raise ModelImportError(
            f"{where}: fit it again: it has the categories of {len(categories)} columns, not {len(columns)}, or none"
        )
    found: list[Values] = []
    for column, values in zip(columns, categories, strict=True):
        own = tuple(_value(value, column, where) for value in values.tolist())
        if all(value is None for value in own):
            raise ModelImportError(f"{where}: leave column {shown(column)!r} out, and fit it again: it has no value")
        if own.count(None) > 1:
            raise _of_none(column, where, f"its values are {shown(repr(values.tolist()), 120)}")
        found.append(own)
    return found


def _value(value: Any, column: str, where: str) -> str | None:
    """Return one value of a category as text, None for a missing one."""
    if is_missing(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        name = shown(column)
        # pandas makes floats of whole numbers and truths where some are missing, so that only texts keep the gaps.
        raise ModelImportError(
            f"{where}: turn column {name!r} into texts, table[{name!r}].map(str, na_action='ignore').astype(object), "
            f"and fit again: a category of it is {shown(repr(value), 40)}"
        )
    return str(value)


def _of_none(column: str, where: str, fault: str) -> ModelImportError:
    """Return the error for a column whose missing values are not those of numpy, which an encoder tells apart."""
    name = shown(column)
    return ModelImportError(
        f"{where}: write the missing values of column {name!r} as np.nan, table[{name!r}].fillna(np.nan), and fit "
        f"again: {fault}"
    )


def _compare(encoder: Any, found: Sequence[_Encoded], where: str) -> None:
    """Raise ModelImportError where the encoder makes something else of its own values than was read.

    So is a missing value in each column where the encoder takes one.
    """
    count = max(len(one.values) for one in found)
    rows = np.empty((count + 1, len(found)), dtype=object)
    wanted: list[list[float]] = [[] for _ in range(count + 1)]
    for column, one in enumerate(found):
        categories = encoder.categories_[column]
        for row in range(count):
            place = row % len(categories)
            rows[row, column] = categories[place]
            wanted[row] += one.codes[place]
        rows[count, column] = categories[0] if one.lacking is None else np.nan
        wanted[count] += one.codes[0] if one.lacking is None else one.lacking
    of_none = zip(found, encoder.categories_, strict=True)
    none = next((one.column for one, some in of_none if any(value is None for value in some.tolist())), None)
    try:
        dense = _encoded(_plain(encoder), rows)
    except _FAILED as error:
        if none is not None:
            raise _of_none(none, where, "its encoder knows None, and not np.nan") from None
        raise ModelImportError(
            f"{where}: fit it again: it does not encode its own values: {shown(str(error))}"
        ) from None
    if dense.shape != np.shape(wanted) or not np.array_equal(dense, np.array(wanted), equal_nan=True):
        if none is not None:
            raise _of_none(none, where, "its encoder knows None, and not np.nan")
        raise ModelImportError(f"{where}: fit it again: it encodes its own values otherwise than its attributes say")


def _plain(encoder: Any) -> Any:
    """Return an encoder without names of columns: it takes plain arrays, and warns of nothing."""
    own = copy.copy(encoder)
    vars(own).pop("feature_names_in_", None)
    return own


def _encoded(encoder: Any, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return what an encoder makes of rows, as numbers."""
    with warnings.catch_warnings():
        # Of a missing value that it takes as an unknown one.
        warnings.simplefilter("ignore")
        outputs: Any = encoder.transform(rows)
    dense: npt.NDArray[Any] = outputs.toarray() if hasattr(outputs, "toarray") else np.asarray(outputs)
    return dense.astype(float)
