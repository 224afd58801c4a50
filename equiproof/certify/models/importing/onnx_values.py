"""ONNX files as data: parsing with bounds, operators with their attributes, constants as exact numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # onnx brings it, without types
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto

from equiproof.certify.limits import MAX_NUMBERS
from equiproof.certify.models.importing.chain import exact
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.onnx_size import refuse_large_graph

OLDEST_OPSET = 7
"""From this version on, Gemm and Add broadcast as today, and Dropout has no effect in a trained network."""

NEWEST_TREES = 5
"""The newest version of the operators of trees and other classic models that was tested."""

_MAIN, _TREES = "ai.onnx", "ai.onnx.ml"

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)
MAX_NODES = 1024

_MOST_LISTED = 16
"""The most entries of a constant of whole numbers or texts: shapes, axes, and the names of classes."""


@dataclass(frozen=True)
class Operator:
    """One operator of a graph; `where` names it in messages."""

    kind: str
    where: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[Any, ...] = field(repr=False)  # of a Constant, these are weights

    @classmethod
    def of(cls, node: NodeProto, number: int) -> Operator:
        """Read a node, the `number`-th of its graph; omitted inputs and outputs at the end are dropped."""
        domain = "" if node.domain in ("", "ai.onnx") else f"{node.domain}."
        kind = shown(domain + node.op_type)
        where = f"{kind} {node.name[:80]!r}" if node.name else f"{kind} (operator {number})"
        return cls(kind, where, _named(node.input), _named(node.output), tuple(node.attribute))

    def values(self, **defaults: Any) -> dict[str, Any]:
        """Return the attributes over their defaults; raises ModelImportError for one of another name or type."""
        values = dict(defaults)
        for attribute in self.attributes:
            value = onnx.helper.get_attribute_value(attribute) if attribute.type else None
            if attribute.name not in defaults or type(value) is not type(defaults[attribute.name]):
                raise ModelImportError(f"{self.where}: attribute {attribute.name[:80]!r} is not understood")
            values[attribute.name] = value
        return values

    def refused(self, why: str) -> ModelImportError:
        """Return the error that names this operator."""
        return ModelImportError(f"{self.where}: {why}")


def parse_model(data: bytes) -> ModelProto:
    """Parse the bytes of an ONNX file; raises ModelImportError for other bytes and for unknown versions."""
    refuse_large_graph(data)
    try:
        model = onnx.load_model_from_string(data)
    except (DecodeError, ValueError, TypeError):
        raise ModelImportError("not an ONNX file") from None
    if max(len(model.graph.node), len(model.graph.initializer)) > MAX_NODES:
        raise ModelImportError(f"{len(model.graph.node)} operators; at most {MAX_NODES}, with as many weights")
    _refuse_bytes(model)
    if not model.HasField("graph"):
        raise ModelImportError("not an ONNX file with a graph")
    _refuse_sets(model)
    if model.functions:
        raise ModelImportError(f"export plain operators: the function {model.functions[0].name!r} is not read")
    if model.graph.sparse_initializer:
        raise ModelImportError("export dense weights: sparse weights are not read")
    return model


def _refuse_sets(model: ModelProto) -> None:
    """Raise ModelImportError for sets of operators of two versions, of an unknown one, or of none that is used.

    A set may be named twice, and one that no operator belongs to need not be named.
    """
    versions: dict[str, int] = {}
    for entry in model.opset_import:
        domain = _MAIN if entry.domain in ("", _MAIN) else entry.domain
        if versions.setdefault(domain, entry.version) != entry.version:
            raise ModelImportError(f"operators of {shown(domain)} in versions {versions[domain]} and {entry.version}")
    limits = {_MAIN: (OLDEST_OPSET, onnx.defs.onnx_opset_version()), _TREES: (1, NEWEST_TREES)}
    for domain, (oldest, newest) in limits.items():
        version = versions.get(domain)
        if version is None:
            if node := next((node for node in model.graph.node if _needs(node, domain)), None):
                raise ModelImportError(
                    f"{shown(node.op_type)}: export it again: the file does not say of which version {domain} is"
                )
        elif not oldest <= version <= newest:
            raise ModelImportError(f"operators of {domain} in version {version}; {oldest} to {newest} are read")


def _needs(node: NodeProto, domain: str) -> bool:
    """Return whether an operator is read by the version of a set: any of the main one, and operators of trees."""
    if domain == _MAIN:
        return node.domain in ("", _MAIN)
    return bool(node.domain == domain and node.op_type.startswith("TreeEnsemble"))


def _refuse_bytes(message: Any) -> None:
    """Raise ModelImportError for names that are not text; protobuf returns such names as bytes."""
    for entry, value in message.ListFields():
        if entry.type not in (entry.TYPE_STRING, entry.TYPE_MESSAGE):
            continue
        for one in [value] if hasattr(value, "ListFields") or isinstance(value, str | bytes) else value:
            if isinstance(one, bytes):
                raise ModelImportError("not an ONNX file: a name in it is not text")
            if not isinstance(one, str):
                _refuse_bytes(one)


class Constants:
    """The constants of a graph by name; they are decoded where they are used."""

    def __init__(self) -> None:
        """Begin without constants."""
        self._tensors: dict[str, TensorProto | npt.NDArray[np.float64]] = {}
        self._numbers = 0

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def add(self, name: str, tensor: TensorProto) -> None:
        """Add a tensor under a name; raises ModelImportError for data in another file, which is never opened."""
        if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
            raise ModelImportError(
                "export the model into one file (torch.onnx.export(..., external_data=False)): "
                f"the tensor {name[:80]!r} lies in another file"
            )
        self._tensors[name] = tensor

    def tensor(self, name: str) -> TensorProto | None:
        """Return a constant as it stands in the file, None for one that was computed."""
        tensor = self._tensors[name]
        return tensor if isinstance(tensor, TensorProto) else None

    def alias(self, name: str, other: str, *, transposed: bool = False) -> None:
        """Add a constant again under another name."""
        self._tensors[name] = self.numbers(other).T if transposed else self._tensors[other]

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """Return a constant as an array of doubles, which hold every type of floats exactly."""
        tensor = self._tensors[name]
        if not isinstance(tensor, TensorProto):
            return tensor
        what = f"the tensor {name[:80]!r}"
        if tensor.data_type not in FLOATS:
            kind = TensorProto.DataType.Name(tensor.data_type) if 0 <= tensor.data_type < 17 else tensor.data_type
            raise ModelImportError(f"{what}: numbers of type {kind}; want floats")
        self._numbers += math.prod(tensor.dims)
        if min(tensor.dims, default=1) < 0 or self._numbers > MAX_NUMBERS or len(tensor.dims) > 4:
            raise ModelImportError(f"{what}: shape {list(tensor.dims)[:8]}; a model has at most {MAX_NUMBERS} weights")
        try:
            # A signalling NaN would warn before every NaN is refused.
            with np.errstate(all="ignore"):
                array: npt.NDArray[np.float64] = onnx.numpy_helper.to_array(tensor).astype(np.float64)
        except (ValueError, TypeError, AttributeError):
            raise ModelImportError(f"{what}: its data does not fit its shape {list(tensor.dims)}") from None
        return array

    def fractions(self, name: str, where: str) -> list[Fraction]:
        """Return a constant's numbers in a row."""
        return [exact(value, where) for value in self.numbers(name).ravel().tolist()]


def constant_of(operator: Operator) -> TensorProto:
    """Return the tensor of a Constant operator."""
    kinds = {"value": AttributeProto.TENSOR, "value_float": AttributeProto.FLOAT, "value_floats": AttributeProto.FLOATS}
    attribute = operator.attributes[0] if len(operator.attributes) == 1 else AttributeProto()
    if kinds.get(attribute.name) != attribute.type or not attribute.name:
        raise operator.refused("only dense tensors of numbers are read")
    if attribute.name == "value":
        return attribute.t
    many = attribute.name == "value_floats"
    numbers = list(attribute.floats) if many else [attribute.f]
    return onnx.helper.make_tensor("", TensorProto.FLOAT, [len(numbers)] if many else [], numbers)


def listed(constants: Constants, operator: Operator, place: int) -> list[int | str]:
    """Return an input that is a short constant of whole numbers or texts: a shape, axes, or the names of classes."""
    name = operator.inputs[place] if place < len(operator.inputs) else ""
    tensor = constants.tensor(name) if name in constants else None
    whole = (TensorProto.INT32, TensorProto.INT64, TensorProto.STRING)
    if tensor is None or tensor.data_type not in whole or not 0 <= math.prod(tensor.dims) <= _MOST_LISTED:
        raise operator.refused(f"input {place + 1} is not a short constant of whole numbers or texts")
    try:
        values = onnx.numpy_helper.to_array(tensor).ravel().tolist()
        return [value.decode() if isinstance(value, bytes) else value for value in values]
    except (ValueError, TypeError, AttributeError, UnicodeDecodeError):
        raise operator.refused(f"input {place + 1}: its data does not fit its shape") from None


def _named(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the empty ones at the end."""
    prefix = list(names)
    while prefix and not prefix[-1]:
        prefix.pop()
    return tuple(prefix)
