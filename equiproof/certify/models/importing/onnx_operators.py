"""One function for each ONNX operator that can be imported exactly, and the table of these functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from equiproof.certify.models.importing.batch_norm import batch_norm
from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.onnx_flow import Flow
from equiproof.certify.models.importing.onnx_linear import regressor, scaler
from equiproof.certify.models.importing.onnx_values import Constants, Operator, listed

_LOGARITHM = "take the logarithm before the model, and name the input as what it is, log(income), under a spec with it"
REMEDIES: Mapping[str, str] = {"Log": _LOGARITHM}
"""Operator -> remedy, for common operators that are not part of a ReLU network."""


def _gemm(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read alpha x W + beta c."""
    attributes = operator.values(alpha=1.0, beta=1.0, transA=0, transB=0)
    if operator.inputs[0] != flow.name or attributes["transA"]:
        raise operator.refused("only rows times constant weights are read, with the rows first and not transposed")
    weights = _matrix(operator, 1, flow, constants, transposed=bool(attributes["transB"]))
    outputs = weights.shape[1]
    has_bias = len(operator.inputs) > 2 and operator.inputs[2] != ""
    biases = _vector(operator, operator.inputs[2], outputs, constants) if has_bias else [Fraction(0)] * outputs
    alpha = Fraction(attributes["alpha"])
    beta = Fraction(attributes["beta"])
    rows = [[alpha * Fraction(weight) for weight in row] for row in _finite(operator, weights).T.tolist()]
    return [Affine.dense(rows, [beta * bias for bias in biases], operator.where)]


def _matmul(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read x W."""
    operator.values()
    if len(operator.inputs) != 2 or operator.inputs[0] != flow.name:
        raise operator.refused("only rows times constant weights are read, with the rows first")
    weights = _matrix(operator, 1, flow, constants)
    return [Affine.dense(weights.T.tolist(), [0.0] * weights.shape[1], operator.where)]


def _arithmetic(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read x + c, c + x, x - c, c - x, x c, c x and x / c."""
    operator.values()
    if len(operator.inputs) != 2:
        raise operator.refused(f"takes {len(operator.inputs)} inputs, want two")
    first = operator.inputs[0] == flow.name
    other = _vector(operator, operator.inputs[1 if first else 0], flow.width, constants)
    one = [Fraction(1)] * flow.width
    zero = [Fraction(0)] * flow.width
    negated = [-number for number in other]
    if operator.kind == "Add":
        return [Affine.diagonal(one, other, operator.where)]
    if operator.kind == "Sub":
        factors, shifts = (one, negated) if first else ([-number for number in one], other)
        return [Affine.diagonal(factors, shifts, operator.where)]
    if operator.kind == "Mul":
        return [Affine.diagonal(other, zero, operator.where)]
    if not first:
        raise operator.refused("a constant divided by the network's values is not an affine map")
    return [Affine.divided(other, operator.where)]


def _relu(operator: Operator, _flow: Flow, _constants: Constants) -> list[Step]:
    """Read max(x, 0)."""
    operator.values()
    return [Relu(operator.where)]


def _identity(operator: Operator, _flow: Flow, _constants: Constants) -> list[Step]:
    """Read an operator without effect."""
    operator.values()
    return []


def _dropout(operator: Operator, flow: Flow, _constants: Constants) -> list[Step]:
    """Read a Dropout of a trained network, which changes nothing."""
    operator.values(ratio=0.5, seed=0)
    if operator.inputs[0] != flow.name or len(operator.inputs) > 2:
        raise operator.refused("export the model after eval(): it is in training mode")
    return []


def _flatten(operator: Operator, _flow: Flow, _constants: Constants) -> list[Step]:
    """Read a Flatten of flat rows."""
    if operator.values(axis=1)["axis"] not in (1, -1):
        raise operator.refused("mixes rows; only axis 1 is read")
    return []


def _cast(operator: Operator, _flow: Flow, _constants: Constants) -> list[Step]:
    """Read a cast between single and double floats, which does not change the weights."""
    if operator.values(to=0, saturate=1)["to"] not in (TensorProto.FLOAT, TensorProto.DOUBLE):
        raise operator.refused("rounds to another type of numbers; only FLOAT and DOUBLE are read")
    return []


def _sigmoid(operator: Operator, flow: Flow, _constants: Constants) -> list[Step]:
    """Read a Sigmoid at the end, which leaves the order of logits as it is."""
    operator.values()
    flow.ended = operator.where
    return []


def _softmax(operator: Operator, flow: Flow, _constants: Constants) -> list[Step]:
    """Read a Softmax or its logarithm at the end, which leaves the order of several logits as it is."""
    if operator.values(axis=-1)["axis"] not in (1, -1) or flow.width < 2:
        raise operator.refused("only the shares of several logits are read, along axis 1")
    flow.ended = operator.where
    return []


def _shaped(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read a Reshape or Squeeze that leaves each row's numbers in their order."""
    axes = operator.values(axes=[], allowzero=0)["axes"]
    if operator.kind == "Reshape":
        keeps = listed(constants, operator, 1) in ([-1, flow.width], [0, flow.width], [0, -1])
        single = flow.width == 1 and listed(constants, operator, 1) == [-1]
    else:
        axes = axes or (listed(constants, operator, 1) if len(operator.inputs) > 1 else [1])
        keeps, single = False, flow.width == 1 and axes in ([1], [-1])
    if operator.inputs[0] != flow.name or not (keeps or single):
        raise operator.refused(f"mixes rows; only shapes of rows and {flow.width} columns are read")
    return []


def _normalisation(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read a BatchNormalization with the mean and variance of its training."""
    # The default is a 32-bit float, like every attribute of a file.
    attributes = operator.values(epsilon=float(np.float32(1e-5)), momentum=0.9, training_mode=0)
    if operator.inputs[0] != flow.name or len(operator.inputs) != 5 or attributes["training_mode"]:
        raise operator.refused("export the model after eval(): it normalises by the rows it is given")
    parts = []
    for name in operator.inputs[1:]:
        numbers = constants.numbers(name)
        if numbers.shape != (flow.width,):
            raise operator.refused(f"{name[:80]!r} has shape {numbers.shape}, want ({flow.width},)")
        parts.append(numbers.tolist())
    return [batch_norm(parts[0], parts[1], parts[2], parts[3], attributes["epsilon"], operator.where)]


def _matrix(
    operator: Operator, index: int, flow: Flow, constants: Constants, *, transposed: bool = False
) -> npt.NDArray[np.float64]:
    """Return weights of shape (inputs, outputs)."""
    if len(operator.inputs) <= index or operator.inputs[index] not in constants:
        raise operator.refused("its weights are no constant")
    weights = constants.numbers(operator.inputs[index])
    weights = weights.T if transposed else weights
    if weights.ndim != 2 or weights.shape[0] != flow.width or not weights.size:
        raise operator.refused(f"weights of shape {weights.shape} for {flow.width} columns")
    return weights


def _vector(operator: Operator, name: str, width: int, constants: Constants) -> list[Fraction]:
    """Return a constant of shape (), (1,), (width,) or (1, width) as one number for each column."""
    shape = constants.numbers(name).shape
    if shape not in ((), (1,), (1, 1), (width,), (1, width)):
        raise operator.refused(f"{name[:80]!r} has shape {shape}, which does not fit {width} columns")
    numbers = constants.fractions(name, operator.where)
    return numbers * width if len(numbers) == 1 else numbers


def _finite(operator: Operator, array: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Raise ModelImportError for infinity and NaN."""
    if not np.isfinite(array).all():
        raise operator.refused("a number is not finite")
    return array


NEUTRAL = ("Cast", "Dropout", "Flatten", "Identity", "Reshape", "Squeeze")
"""The operators that may stand behind probabilities."""

READERS: Mapping[str, Callable[[Operator, Flow, Constants], list[Step]]] = {
    "Add": _arithmetic,
    "BatchNormalization": _normalisation,
    "Cast": _cast,
    "Div": _arithmetic,
    "Dropout": _dropout,
    "Flatten": _flatten,
    "Gemm": _gemm,
    "Identity": _identity,
    "MatMul": _matmul,
    "Mul": _arithmetic,
    "LogSoftmax": _softmax,
    "Relu": _relu,
    "Reshape": _shaped,
    "Sigmoid": _sigmoid,
    "Softmax": _softmax,
    "Squeeze": _shaped,
    "Sub": _arithmetic,
    "ai.onnx.ml.LinearRegressor": regressor,
    "ai.onnx.ml.Scaler": scaler,
}
