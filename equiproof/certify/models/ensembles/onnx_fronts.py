"""What an ONNX graph does with the rows before its trees: casts, a Scaler, and sums and products with constants.

A runtime computes in the type of the rows and rounds after each operator. So the operators become a curve of each
column, computed as the runtime computes it, and a threshold of the trees is sought in the numbers before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from equiproof.certify.models.importing.curves import Curve, Curves, Doubles
from equiproof.certify.models.importing.onnx_linear import scaled_by
from equiproof.certify.models.importing.onnx_values import Constants, Operator

Floats = npt.NDArray[Any]
Calculation = Callable[[Floats], Floats]

_TYPES = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}


@dataclass(frozen=True)
class Rows:
    """The rows at some place of a graph: their type as given and now, and what was done to each column in between.

    `narrow`: they were single floats at some place. `scaled`: more was done than casts.
    """

    given: type[Any]
    now: type[Any]
    narrow: bool
    done: tuple[tuple[Calculation, ...], ...]
    scaled: bool = False

    @classmethod
    def of(cls, single: bool, width: int) -> Rows:
        """Return the rows as they are given."""
        kind = np.float32 if single else np.float64
        return cls(kind, kind, single, ((),) * width)

    @property
    def single(self) -> bool:
        """Whether the trees compare single floats."""
        return self.now is np.float32 if self.scaled else self.narrow

    def front(self) -> tuple[Curves, ...]:
        """Return the step before the trees, none where rows are cast only."""
        if not self.scaled:
            return ()
        curves = tuple(Curve(_computed(self.given, calculations)) for calculations in self.done)
        return (Curves(curves, "the operators before the trees", "export the model alone"),)


def before(operator: Operator, rows: Rows, constants: Constants) -> Rows:
    """Read an operator on the rows before the trees; raises ModelImportError naming one that cannot be read exactly."""
    if operator.kind not in READERS:
        raise operator.refused(
            f"export the trees alone, and encode in the spec: it changes the rows before the trees, and only "
            f"{', '.join(READERS)} are read there"
        )
    return READERS[operator.kind](operator, rows, constants)


def _same(operator: Operator, rows: Rows, _constants: Constants) -> Rows:
    """Read an operator without effect."""
    operator.values()
    return rows


def _cast(operator: Operator, rows: Rows, _constants: Constants) -> Rows:
    """Read a cast between floats."""
    kind = operator.values(to=0, saturate=1, round_mode=b"up")["to"]
    if kind not in _TYPES:
        raise operator.refused("rounds rows to another type of numbers; only FLOAT and DOUBLE are read")
    own = _TYPES[kind]
    cast = [lambda values: values.astype(own)] * len(rows.done)
    return replace(_followed(rows, cast), now=own, narrow=rows.narrow or own is np.float32)


def _scaler(operator: Operator, rows: Rows, _constants: Constants) -> Rows:
    """Read a Scaler of single floats: a difference and a product, each rounded."""
    if rows.now is not np.float32:
        raise operator.refused(
            "export with floats: it scales doubles before the trees, which runtimes round differently"
        )
    offsets, scales = scaled_by(operator, len(rows.done))
    shifted = [_shifted(np.float32(-float(offset))) for offset in offsets]
    return replace(_scaled(operator, _followed(rows, shifted), scales, np.multiply), scaled=True)


def _arithmetic(operator: Operator, rows: Rows, constants: Constants) -> Rows:
    """Read x + c, c + x, x - c, x c, c x and x / c, of which none falls."""
    operator.values()
    others = [name for name in operator.inputs if name in constants]
    is_first = len(operator.inputs) == 2 and operator.inputs[1:] == tuple(others)
    if len(operator.inputs) != 2 or len(others) != 1 or (operator.kind in ("Sub", "Div") and not is_first):
        raise operator.refused("only columns plus, minus, times or divided by a constant are read before trees")
    (name,) = others
    width, shape = len(rows.done), constants.numbers(name).shape
    if shape not in ((), (1,), (1, 1), (width,), (1, width)):
        raise operator.refused(f"{name[:80]!r} has shape {shape}, which does not fit {width} columns")
    numbers = constants.fractions(name, operator.where)
    numbers = numbers * width if len(numbers) == 1 else numbers
    if operator.kind in ("Mul", "Div"):
        return _scaled(operator, rows, numbers, np.multiply if operator.kind == "Mul" else np.divide)
    sign = -1 if operator.kind == "Sub" else 1
    return replace(_followed(rows, [_shifted(rows.now(sign * float(one))) for one in numbers]), scaled=True)


def _shifted(shift: Any) -> Calculation:
    """Return x + c; a difference is the sum with the negative number, and rounded alike."""
    return lambda values: values + shift


def _scaled(operator: Operator, rows: Rows, factors: list[Fraction], compute: Callable[..., Floats]) -> Rows:
    """Return the rows times, or divided by, numbers above 0."""
    if min(factors) <= 0:
        raise operator.refused("turns a column round, or makes it a constant; only factors above 0 are read here")

    def calculation(factor: Any) -> Calculation:
        """Return the product or the quotient."""
        return lambda values: compute(values, factor)

    return replace(_followed(rows, [calculation(rows.now(float(one))) for one in factors]), scaled=True)


def _followed(rows: Rows, calculations: list[Calculation]) -> Rows:
    """Return rows after one more calculation of each column."""
    return replace(rows, done=tuple((*own, more) for own, more in zip(rows.done, calculations, strict=True)))


def _computed(given: type[Any], calculations: tuple[Calculation, ...]) -> Callable[[Doubles], Doubles]:
    """Return what a graph makes of the doubles of a column, cast to the type of its rows."""

    def compute(values: Doubles) -> Doubles:
        """Compute operator by operator."""
        with np.errstate(over="ignore"):
            result = reduce(lambda one, step: step(one), calculations, values.astype(given))
            return np.asarray(result, dtype=np.float64)

    return compute


READERS: Mapping[str, Callable[[Operator, Rows, Constants], Rows]] = {
    "Add": _arithmetic,
    "Cast": _cast,
    "Div": _arithmetic,
    "Identity": _same,
    "Mul": _arithmetic,
    "Sub": _arithmetic,
    "ai.onnx.ml.Scaler": _scaler,
}
"""The operators that are read before trees."""
