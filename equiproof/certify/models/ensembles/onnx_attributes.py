"""Attributes of ONNX operators of trees: as the standard has them, with lists of bounded length.

An attribute of doubles stands beside that of single floats under the same name and `_as_tensor`, and replaces it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto

from equiproof.certify.models.ensembles.ensemble import MAX_NODES
from equiproof.certify.models.importing.errors import shown
from equiproof.certify.models.importing.onnx_values import FLOATS, Operator

MAX_LIST = 2 * MAX_NODES
"""The most entries of an attribute: splits, or leaves of two classes, as many as an ensemble has."""

INT, INTS, FLOAT_LIST, STRING, STRINGS, TENSOR = (
    AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRING, AttributeProto.STRINGS,
    AttributeProto.TENSOR,
)  # fmt: skip

_AS_TENSOR = "_as_tensor"

Types = Mapping[str, int]
Values = Mapping[str, Any]


def attribute_values(operator: Operator, types: Types) -> Values:
    """Return the attributes of an operator by name: integers, texts, and numbers as floats that hold them exactly.

    Doubles come under the name without `_as_tensor`. Raises ModelImportError naming an attribute that the standard does
    not have, that has another type, or that is too long.
    """
    values: dict[str, Any] = {}
    for one in operator.attributes:
        name = one.name.removesuffix(_AS_TENSOR) if types.get(one.name) is None else one.name
        # Doubles replace the single floats of the same name.
        kind = TENSOR if name != one.name and types.get(name) == FLOAT_LIST else types.get(one.name)
        if kind is None or one.type != kind:
            raise operator.refused(f"attribute {shown(one.name)!r} is not understood")
        if name in values:
            raise operator.refused(f"attribute {shown(name)!r} stands there twice")
        values[name] = _value(operator, one)
    return values


def _value(operator: Operator, one: AttributeProto) -> Any:
    """Return the value of an attribute."""
    count = max(len(one.ints), len(one.floats), len(one.strings), math.prod(one.t.dims) if one.type == TENSOR else 0)
    if count > MAX_LIST:
        raise operator.refused(f"attribute {one.name!r} has {count} entries; at most {MAX_LIST} are read")
    if one.type == TENSOR:
        return _numbers(operator, one.name, one.t)
    value = onnx.helper.get_attribute_value(one)
    try:
        if one.type == STRING:
            return value.decode()
        return [text.decode() for text in value] if one.type == STRINGS else value
    except UnicodeDecodeError:
        raise operator.refused(f"attribute {one.name!r} is not UTF-8 text") from None


def _numbers(operator: Operator, name: str, tensor: TensorProto) -> list[float]:
    """Return the numbers of a tensor of one dimension."""
    kinds = (*FLOATS, TensorProto.UINT8)
    if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
        raise operator.refused(f"export the model into one file: attribute {name!r} lies in another file")
    if len(tensor.dims) > 1 or min(tensor.dims, default=1) < 0 or tensor.data_type not in kinds:
        raise operator.refused(f"attribute {name!r}: want a list of floats")
    try:
        # A signalling NaN would warn before every NaN is refused.
        with np.errstate(all="ignore"):
            numbers: list[float] = onnx.numpy_helper.to_array(tensor).astype(np.float64).ravel().tolist()
    except (ValueError, TypeError, AttributeError):
        raise operator.refused(f"attribute {name!r}: its data does not fit its shape") from None
    return numbers


def exact(operator: Operator, name: str, number: float) -> Fraction:
    """Return a number of an attribute as a fraction; raises ModelImportError unless it is finite."""
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        raise operator.refused(f"attribute {name!r}: a number is not finite") from None


def refuse_lengths(operator: Operator, values: Values, names: tuple[str, ...]) -> None:
    """Raise ModelImportError unless lists have one length."""
    lengths = {len(values.get(name, [])) for name in names}
    if len(lengths) != 1:
        raise operator.refused(f"the lists {', '.join(names)} have different lengths")
