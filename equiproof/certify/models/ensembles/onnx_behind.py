"""What ONNX operators behind trees make of a score: numbers that rise or fall with it, and the class that is decided.

All of it in exact numbers: what a runtime rounds on the way, only decisions show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

import onnx
from onnx import TensorProto

from equiproof.certify.models.cuts import logit
from equiproof.certify.models.ensembles.onnx_columns import ONE, Column, Columns, Label, Result
from equiproof.certify.models.importing.onnx_values import Constants, Operator, listed


class Behind:
    """The results of a graph behind the operator of trees, by name."""

    def __init__(self, constants: Constants) -> None:
        """Begin without results."""
        self.constants = constants
        self.results: dict[str, Result] = {}

    def first(self, operator: Operator) -> Result:
        """Return the first input, a result of the model; raises ModelImportError for any other."""
        if not operator.inputs or operator.inputs[0] not in self.results:
            raise operator.refused("its first input is not made of the results of the model")
        return self.results[operator.inputs[0]]

    def columns(self, operator: Operator, place: int = 0) -> Columns:
        """Return an input that is numbers of the model; raises ModelImportError for any other."""
        result = self.results.get(operator.inputs[place]) if place < len(operator.inputs) else None
        if not isinstance(result, Columns):
            raise operator.refused(f"input {place + 1} is not made of the scores of the model")
        return result

    def vector(self, operator: Operator, name: str, width: int) -> list[Fraction]:
        """Return a constant as one number for each column."""
        if name not in self.constants:
            raise operator.refused(f"takes {name[:80]!r}, which is no constant")
        shape = self.constants.numbers(name).shape
        if shape not in ((), (1,), (1, 1), (width,), (1, width)):
            raise operator.refused(f"{name[:80]!r} has shape {shape}, which does not fit {width} columns")
        values = self.constants.fractions(name, operator.where)
        return values * width if len(values) == 1 else values


def _same(operator: Operator, behind: Behind) -> Result:
    """Read an operator without effect."""
    operator.values()
    return behind.first(operator)


def _cast(operator: Operator, behind: Behind) -> Result:
    """Read a cast: of classes to whole numbers, floats or texts, of scores between floats."""
    result = behind.first(operator)
    kind = operator.values(to=0, saturate=1, round_mode=b"up")["to"]
    if isinstance(result, Columns) and kind not in (TensorProto.FLOAT, TensorProto.DOUBLE):
        raise operator.refused("rounds scores to another type of numbers; only FLOAT and DOUBLE are read")
    return result


def _zip_map(operator: Operator, behind: Behind) -> Result:
    """Read a ZipMap, which gives the scores of two classes their names."""
    columns = behind.columns(operator)
    names = operator.values(classlabels_int64s=[], classlabels_strings=[])
    if len(names["classlabels_int64s"] or names["classlabels_strings"]) != len(columns.columns):
        raise operator.refused(f"names another number of classes than {len(columns.columns)}")
    return columns


def _arithmetic(operator: Operator, behind: Behind) -> Result:
    """Read sums, differences, products and quotients with constants."""
    operator.values()
    if len(operator.inputs) != 2:
        raise operator.refused(f"takes {len(operator.inputs)} inputs, want two")
    first = operator.inputs[0] in behind.results
    columns = behind.columns(operator, 0 if first else 1)
    others = behind.vector(operator, operator.inputs[1 if first else 0], len(columns.columns))
    if columns.relative and len(set(others)) > 1:
        raise operator.refused("treats the scores of both classes differently, which is not read")
    return replace(columns, columns=tuple(map(_ARITHMETIC[operator.kind](operator, first), columns.columns, others)))


Calculation = Callable[[Column, Fraction], Column]


def _scaled(column: Column, factor: Fraction) -> Column:
    """Return a column times a number."""
    return replace(column, factor=column.factor * factor, shift=column.shift * factor)


def _added(_operator: Operator, _first: bool) -> Calculation:
    """Return x + c."""
    return lambda column, other: replace(column, shift=column.shift + other)


def _subtracted(_operator: Operator, first: bool) -> Calculation:
    """Return x - c, or c - x where the constant stands first."""
    if first:
        return lambda column, other: replace(column, shift=column.shift - other)
    return lambda column, other: replace(column, factor=-column.factor, shift=other - column.shift)


def _multiplied(operator: Operator, _first: bool) -> Calculation:
    """Return x c."""

    def product(column: Column, other: Fraction) -> Column:
        """Return a column times a number that is not 0."""
        if not other:
            raise operator.refused("multiplies scores by 0")
        return _scaled(column, other)

    return product


def _divided(operator: Operator, first: bool) -> Calculation:
    """Return x / c."""

    def quotient(column: Column, other: Fraction) -> Column:
        """Return a column divided by a number that is not 0."""
        if not first or not other:
            raise operator.refused("divides by 0, or by the scores of the model")
        return _scaled(column, 1 / other)

    return quotient


_ARITHMETIC: Mapping[str, Callable[[Operator, bool], Calculation]] = {
    "Add": _added,
    "Div": _divided,
    "Mul": _multiplied,
    "Sub": _subtracted,
}


def _absolute(operator: Operator, behind: Behind) -> Result:
    """Read the absolute value of probabilities, which are not below 0."""
    operator.values()
    columns = behind.columns(operator)
    if any(column.inner is None or min(column.shift, column.shift + column.factor) < 0 for column in columns.columns):
        raise operator.refused("takes scores that may be below 0")
    return columns


def _added_up(operator: Operator, behind: Behind) -> Result:
    """Read the sum of two probabilities, which is 1 and from here on a constant."""
    axes = operator.values(axes=[], keepdims=1, noop_with_empty_axes=0)["axes"]
    axes = axes or (listed(behind.constants, operator, 1) if len(operator.inputs) > 1 else [])
    columns = behind.columns(operator)
    inner = {column.inner for column in columns.columns}
    whole = (sum(column.factor for column in columns.columns), sum(column.shift for column in columns.columns))
    if axes not in ([1], [-1]) or len(inner) != 1 or None in inner or whole != (0, 1):
        raise operator.refused("adds up something else than the probabilities of two classes, along axis 1")
    behind.constants.add(operator.outputs[0], onnx.helper.make_tensor("", TensorProto.FLOAT, [1], [1.0]))
    return Columns((Column(Fraction(0), ONE),))


def _negative(operator: Operator, behind: Behind) -> Result:
    """Read -x."""
    operator.values()
    columns = behind.columns(operator)
    return replace(columns, columns=tuple(_scaled(column, -ONE) for column in columns.columns))


def _sigmoid(operator: Operator, behind: Behind) -> Result:
    """Read the logistic function of scores that are logits."""
    operator.values()
    columns = behind.columns(operator)
    if columns.relative or any(column.inner is not None for column in columns.columns):
        raise operator.refused("takes something else than a logit: a logistic function of probabilities is not read")
    return Columns(tuple(column.logistic() for column in columns.columns))


def _softmax(operator: Operator, behind: Behind) -> Result:
    """Read the shares of two logits: of the second, the logistic function of their difference."""
    columns = behind.columns(operator)
    if operator.values(axis=-1)["axis"] not in (1, -1) or len(columns.columns) != 2:
        raise operator.refused("only the shares of two classes are read, along axis 1")
    first, second = columns.columns
    if first.inner or second.inner or first.factor == second.factor:
        raise operator.refused("takes something else than two logits")
    share = Column(second.factor - first.factor, second.shift - first.shift).logistic()
    return Columns((replace(share, factor=-share.factor, shift=1 - share.shift), share))


def _shaped(operator: Operator, behind: Behind) -> Result:
    """Read Reshape, Squeeze, Unsqueeze and Flatten, which leave the order of numbers as it is."""
    result = behind.first(operator)
    operator.values(axes=[], axis=1, allowzero=0)
    width = len(result.columns) if isinstance(result, Columns) else 1
    shapes: list[list[int]] = [[-1, width], [0, width], [0, -1], *([[-1]] if width == 1 else [])]
    is_kept = operator.kind == "Flatten" or width == 1
    if operator.kind == "Reshape":
        is_kept = listed(behind.constants, operator, 1) in shapes
    if not is_kept:
        raise operator.refused("mixes rows or classes; only shapes of rows and classes are read")
    return result


def _concatenated(operator: Operator, behind: Behind) -> Result:
    """Read columns side by side."""
    if operator.values(axis=1)["axis"] not in (1, -1):
        raise operator.refused("puts rows below each other; only axis 1 is read")
    parts = [behind.columns(operator, place) for place in range(len(operator.inputs))]
    columns = tuple(column for part in parts for column in part.columns)
    if len(columns) > 2 or any(part.relative for part in parts):
        raise operator.refused(f"{len(columns)} columns; the scores of two classes are read")
    return Columns(columns)


def _picked(operator: Operator, behind: Behind) -> Result:
    """Read one column by its number, or the name of the class by the number of the class."""
    axis = operator.values(axis=0)["axis"] if operator.kind == "Gather" else 1
    label = behind.results.get(operator.inputs[-1]) if len(operator.inputs) == 2 else None
    if isinstance(label, Label):
        names = tuple(listed(behind.constants, operator, 0))
        if len(names) != 2 or label.names != (0, 1):
            raise operator.refused("names more or fewer than two classes, or classes that are not numbers yet")
        return replace(label, names=names)
    columns = behind.columns(operator)
    places = listed(behind.constants, operator, 1)
    count = len(columns.columns)
    if axis not in (1, -1) or columns.relative or len(places) != 1 or places[0] not in range(-count, count):
        raise operator.refused("only one column of the scores is read, by its number")
    return Columns((columns.columns[int(places[0])],))


def _sliced(operator: Operator, behind: Behind) -> Result:
    """Read some columns, from one place to another."""
    operator.values()
    columns = behind.columns(operator)
    parts = [listed(behind.constants, operator, place) for place in range(1, len(operator.inputs))]
    if len(parts) not in (3, 4) or any(len(part) != 1 for part in parts) or columns.relative:
        raise operator.refused("only columns of the scores are read, from one place to another")
    start, end, axis, *step = (int(part[0]) for part in parts)
    picked = columns.columns[start:end]
    if axis not in (1, -1) or step not in ([], [1]) or not picked:
        raise operator.refused("only columns of the scores are read, from one place to another")
    return Columns(picked)


def _largest(operator: Operator, behind: Behind) -> Result:
    """Read the class of the larger of two scores, of equal ones the first."""
    options = operator.values(axis=0, keepdims=1, select_last_index=0)
    columns = behind.columns(operator)
    if options["axis"] not in (1, -1) or options["select_last_index"] or len(columns.columns) != 2:
        raise operator.refused("only the larger of two scores along axis 1 is read, the first one where they are equal")
    first, second = columns.columns
    if first.inner != second.inner:
        raise operator.refused("compares numbers of different kinds")
    return _above(operator, second.factor - first.factor, first.shift - second.shift, second.inner)


def _compared(operator: Operator, behind: Behind) -> Result:
    """Read whether a score is above a constant, or below."""
    operator.values()
    first = operator.inputs[0] in behind.results
    columns = behind.columns(operator, 0 if first else 1)
    if len(operator.inputs) != 2 or len(columns.columns) != 1:
        raise operator.refused("compares something else than one score and a constant")
    (column,) = columns.columns
    (limit,) = behind.vector(operator, operator.inputs[1 if first else 0], 1)
    sign = 1 if (operator.kind == "Greater") == first else -1
    return _above(operator, sign * column.factor, sign * (limit - column.shift), column.inner)


def _above(operator: Operator, factor: Fraction, limit: Fraction, inner: tuple[Fraction, Fraction] | None) -> Label:
    """Return the label of rows whose factor x (s, or a logistic function of it) is above a limit."""
    if not factor:
        raise operator.refused("compares scores that do not depend on the model")
    cut = limit / factor
    if inner is not None:
        if not 0 < cut < 1:
            raise operator.refused(f"gives every row one class: a probability against {float(cut):g}")
        rise, start = inner
        cut = (logit(cut) - start) / rise
    return Label(cut=cut, falling=factor < 0)


READERS: Mapping[str, Callable[[Operator, Behind], Result]] = {
    "Abs": _absolute,
    "Add": _arithmetic,
    "ArgMax": _largest,
    "Cast": _cast,
    "Concat": _concatenated,
    "Div": _arithmetic,
    "Flatten": _shaped,
    "Gather": _picked,
    "Greater": _compared,
    "Identity": _same,
    "Less": _compared,
    "Mul": _arithmetic,
    "Neg": _negative,
    "ReduceSum": _added_up,
    "Reshape": _shaped,
    "Sigmoid": _sigmoid,
    "Slice": _sliced,
    "Softmax": _softmax,
    "Squeeze": _shaped,
    "Sub": _arithmetic,
    "Unsqueeze": _shaped,
    "ai.onnx.ml.ArrayFeatureExtractor": _picked,
    "ai.onnx.ml.ZipMap": _zip_map,
}
"""The operators that are read behind trees."""
