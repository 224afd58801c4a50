"""ONNX graphs with one operator of trees: TreeEnsembleClassifier, TreeEnsembleRegressor, or TreeEnsemble of version 5.

Before it, rows are cast between floats; behind it stand operators that rise or fall with the score. The class that the
graph answers decides; where it answers scores only, the one that the spec's threshold is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto

from equiproof.certify.models.ensembles.ensemble import FIRST, Ensemble, Scale, summed
from equiproof.certify.models.ensembles.onnx_behind import READERS, Behind
from equiproof.certify.models.ensembles.onnx_columns import Column, Columns, Label, Result, scale_of
from equiproof.certify.models.ensembles.onnx_scores import READERS as TREES
from equiproof.certify.models.ensembles.onnx_scores import RUNTIME, STANDARD, Formula, Scored
from equiproof.certify.models.importing.chain import MAX_WIDTH
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.onnx_values import Constants, Operator, constant_of, parse_model

KIND = "onnx"

_FRONT = ("Identity", "Cast")
_FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE)

_BITS = {True: 24, False: 53}
"""The bits of the floats of a sum, by whether rows are single floats."""


def read_onnx_trees(data: bytes) -> Ensemble:
    """Read the bytes of an ONNX file; raises ModelImportError naming the operator or attribute that is not imported.

    Of a classifier the score is the logit of the second class, or its share less one half, or half the difference of
    both classes' sums; of a regressor it is its one target.
    """
    model = parse_model(data)
    graph = _Graph(model)
    for number, node in enumerate(model.graph.node, start=1):
        graph.read(Operator.of(node, number))
    return graph.ensemble()


class _Graph:
    """A graph while it is read: what is known of each name."""

    def __init__(self, model: ModelProto) -> None:
        """Begin with the constants and the one input."""
        self._producer = model.producer_name
        self._constants = Constants()
        for tensor in model.graph.initializer:
            self._constants.add(tensor.name, tensor)
        self._behind = Behind(self._constants)
        self._outputs = [output.name for output in model.graph.output]
        value = _input(model.graph, self._constants)
        self._width = int(value.type.tensor_type.shape.dim[1].dim_value)
        self._rows = {value.name: value.type.tensor_type.elem_type == TensorProto.FLOAT}
        self._scored: Scored | None = None
        self._single = False

    def read(self, operator: Operator) -> None:
        """Read an operator; raises ModelImportError naming it where it cannot be read."""
        results: list[Result] = []
        first = operator.inputs[0] if operator.inputs else ""
        if operator.kind == "Constant" and operator.outputs:
            self._constants.add(operator.outputs[0], constant_of(operator))
        elif operator.kind == "Identity" and first in self._constants and operator.outputs:
            self._constants.alias(operator.outputs[0], first)
        elif operator.kind in TREES:
            results += self._trees(operator)
        elif first in self._rows:
            self._front(operator)
        elif operator.kind in READERS and self._scored is not None:
            results.append(READERS[operator.kind](operator, self._behind))
        else:
            raise operator.refused(
                f"is not read with trees; behind {', '.join(_names(TREES))} only {', '.join(_names(READERS))} are"
            )
        for name, result in zip(operator.outputs, results, strict=False):
            self._behind.results[name] = result

    def _front(self, operator: Operator) -> None:
        """Read an operator on the rows before the trees."""
        if operator.kind not in _FRONT:
            raise operator.refused(
                "changes the rows before the trees, which is not read: export the trees alone, and scale or encode in "
                "the spec"
            )
        single = self._rows[operator.inputs[0]]
        if operator.kind == "Cast":
            kind = operator.values(to=0, saturate=1, round_mode=b"up")["to"]
            if kind not in _FLOATS:
                raise operator.refused("rounds rows to another type of numbers; only FLOAT and DOUBLE are read")
            single = single or kind == TensorProto.FLOAT
        self._rows[operator.outputs[0]] = single

    def _trees(self, operator: Operator) -> tuple[Result, ...]:
        """Read the operator of trees."""
        if self._scored is not None:
            raise operator.refused("is the second operator of trees; only one is read: train a random forest")
        if len(operator.inputs) != 1 or operator.inputs[0] not in self._rows:
            raise operator.refused("does not take the rows themselves; scale or encode columns in the spec")
        self._single = self._rows[operator.inputs[0]]
        self._scored = TREES[operator.kind](operator, self._producer)
        return self._scored.results

    def ensemble(self) -> Ensemble:
        """Return the ensemble that decides as the outputs of the graph do."""
        scored = self._scored
        if scored is None:
            raise ModelImportError(f"no operator of trees; want one of {', '.join(_names(TREES))}")
        results = [self._behind.results.get(name) for name in self._outputs]
        labels = [result for result in results if isinstance(result, Label)]
        columns = [result for result in results if isinstance(result, Columns)]
        if None in results or len(labels) > 1 or (not labels and len(columns) != 1):
            names = ", ".join(repr(name[:80]) for name in self._outputs)
            raise ModelImportError(f"the outputs are {names or 'none'}; want the class of each row, or its scores")
        label = labels[0] if labels else None
        for one in columns:
            _refuse_contrary(one, label)
        kind = scale_of((columns or [one for one in scored.results if isinstance(one, Columns)])[-1])
        end = _End.of_label(label, kind) if label else _End.of_columns(columns[0], kind)
        own = self._made(scored.formula, end)
        # The scores of onnxruntime follow the standard where its labels do not, unless there are base values.
        is_own = label is scored.results[0]
        if scored.other is None or not (is_own or scored.is_based):
            return own
        runtime = self._made(scored.other, replace(end, classes=scored.named) if is_own else end)
        return replace(own, notes=scored.notes, reading=STANDARD, other=replace(runtime, reading=RUNTIME))

    def _made(self, formula: Formula, end: _End) -> Ensemble:
        """Return the ensemble of a formula, as the outputs take it."""
        factors = {own: end.scale * factor for own, factor in formula.factors.items()}
        trees = tuple(tree.scored(factors) for tree in self._scored.trees) if self._scored else ()
        # Trees that vote often tie; the sum is one of floats.
        ties = summed(trees, _BITS[self._single], likely=True) if end.kind == "share" else FIRST
        return Ensemble(
            KIND,
            self._width,
            trees,
            base=end.scale * (formula.base - end.cut),
            single=self._single,
            classes=end.classes,
            ties=ties,
            scale=end.kind,
        )


@dataclass(frozen=True)
class _End:
    """How the outputs of a graph decide: by scale x (score - cut), which is of a kind, and for which classes."""

    scale: Fraction
    cut: Fraction
    kind: Scale
    classes: tuple[str | int, ...] | None = None

    @classmethod
    def of_label(cls, label: Label, kind: Scale) -> _End:
        """Return how a class decides."""
        return cls(Fraction(-1 if label.falling else 1), label.cut, "cut" if label.cut else kind, label.names)

    @classmethod
    def of_columns(cls, columns: Columns, kind: Scale) -> _End:
        """Return how scores without a class decide: one score itself, of two half their difference, or the logit."""
        column = columns.columns[-1]
        if len(columns.columns) == 2:
            first = columns.columns[0]
            column = Column((column.factor - first.factor) / 2, (column.shift - first.shift) / 2, column.inner)
        if not column.factor:
            raise ModelImportError("the scores at the output do not depend on the trees")
        if column.inner is None:
            return cls(column.factor, -column.shift / column.factor, kind)
        sign = 1 if column.factor > 0 else -1
        # One probability p or 1 - p, or two, whose difference is 2 p - 1.
        ends = {(1, 1): Fraction(0), (-1, 1): Fraction(1), (1, 2): Fraction(-1, 2), (-1, 2): Fraction(1, 2)}
        if column.factor != sign or column.shift != ends[sign, len(columns.columns)]:
            raise ModelImportError("the output is a probability times a factor: export the probability itself")
        rise, start = column.inner
        return cls(sign * rise, -start / rise, kind)


def _refuse_contrary(columns: Columns, label: Label | None) -> None:
    """Raise ModelImportError where the score of the second class falls while the class that is answered rises."""
    if label is not None and len(columns.columns) == 2 and (columns.columns[1].factor > 0) == label.falling:
        raise ModelImportError("the outputs contradict each other: the scores of the second class fall towards it")


def _input(graph: GraphProto, constants: Constants) -> ValueInfoProto:
    """Return the one input that is not a constant: floats of shape (rows, columns)."""
    inputs = [value for value in graph.input if value.name not in constants]
    if len(inputs) != 1:
        names = ", ".join(repr(value.name[:80]) for value in inputs)
        raise ModelImportError(f"the inputs are {names or 'none'}; want one, of shape (rows, columns)")
    value: ValueInfoProto = inputs[0]
    kind = value.type.tensor_type
    dimensions = kind.shape.dim
    width = int(dimensions[1].dim_value) if len(dimensions) == 2 else 0
    if kind.elem_type not in _FLOATS or not 0 < width <= MAX_WIDTH:
        raise ModelImportError(
            f"the input {value.name[:80]!r}: want single or double floats of shape (rows, columns), up to {MAX_WIDTH} "
            "columns"
        )
    return value


def _names(readers: Iterable[str]) -> list[str]:
    """Return the operators of a table without their domain."""
    return [name.rpartition(".")[2] for name in readers]
