"""ONNX graphs with one operator of trees: TreeEnsembleClassifier, TreeEnsembleRegressor, or TreeEnsemble of version 5.

Before it, rows are cast and scaled; behind it stand operators that rise or fall with the score. The class that the
graph answers decides; where it answers scores only, the one that the spec's threshold is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto

from equiproof.certify.models.ensembles.ensemble import FIRST, Ensemble, summed
from equiproof.certify.models.ensembles.onnx_behind import READERS, Behind
from equiproof.certify.models.ensembles.onnx_columns import Columns, Result
from equiproof.certify.models.ensembles.onnx_ends import End, ended
from equiproof.certify.models.ensembles.onnx_fronts import Rows, before
from equiproof.certify.models.ensembles.onnx_scores import READERS as TREES
from equiproof.certify.models.ensembles.onnx_scores import RUNTIME, STANDARD, Formula, Scored
from equiproof.certify.models.importing.chain import MAX_WIDTH
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.onnx_values import Constants, Operator, constant_of, parse_model

KIND = "onnx"

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
        single = value.type.tensor_type.elem_type == TensorProto.FLOAT
        self._rows = {value.name: Rows.of(single, self._width)}
        self._scored: Scored | None = None
        self._taken = self._rows[value.name]

    def read(self, operator: Operator) -> None:
        """Read an operator; raises ModelImportError naming it where it cannot be read."""
        self._refuse_names(operator)
        results: list[Result] = []
        first = operator.inputs[0] if operator.inputs else ""
        if operator.kind == "Constant":
            self._constants.add(operator.outputs[0], constant_of(operator))
        elif operator.kind == "Identity" and first in self._constants:
            self._constants.alias(operator.outputs[0], first)
        elif operator.kind in TREES:
            results += self._trees(operator)
        elif any(name in self._rows for name in operator.inputs):
            first = next(name for name in operator.inputs if name in self._rows)
            self._rows[operator.outputs[0]] = before(operator, self._rows[first], self._constants)
        elif operator.kind in READERS and self._scored is not None:
            results.append(READERS[operator.kind](operator, self._behind))
        else:
            raise operator.refused(
                f"is not read with trees; behind {', '.join(_names(TREES))} only {', '.join(_names(READERS))} are"
            )
        for name, result in zip(operator.outputs, results, strict=False):
            self._behind.results[name] = result

    def _refuse_names(self, operator: Operator) -> None:
        """Raise ModelImportError for an operator without a result, and for a name with two values."""
        if not operator.outputs:
            raise operator.refused("gives no result")
        taken = (self._rows, self._constants, self._behind.results)
        if name := next((name for name in operator.outputs if any(name in names for names in taken)), None):
            raise operator.refused(f"the name {name[:80]!r} stands for two values")

    def _trees(self, operator: Operator) -> tuple[Result, ...]:
        """Read the operator of trees."""
        if self._scored is not None:
            raise operator.refused("is the second operator of trees; only one is read: train a random forest")
        if len(operator.inputs) != 1 or operator.inputs[0] not in self._rows:
            raise operator.refused("does not take the rows themselves; scale or encode columns in the spec")
        self._taken = self._rows[operator.inputs[0]]
        self._scored = TREES[operator.kind](operator, self._producer)
        return self._scored.results

    def ensemble(self) -> Ensemble:
        """Return the ensemble that decides as the outputs of the graph do."""
        scored = self._scored
        if scored is None:
            raise ModelImportError(f"no operator of trees; want one of {', '.join(_names(TREES))}")
        given = [result for result in scored.results if isinstance(result, Columns)][-1]
        end = ended(self._outputs, self._behind.results, given)
        own = self._ensemble_of(scored.formula, end)
        # The scores of onnxruntime follow the standard where its labels do not, unless there are base values.
        is_own = end.label is scored.results[0]
        if scored.other is None or not (is_own or scored.is_based):
            return own
        runtime = self._ensemble_of(scored.other, replace(end, classes=scored.named) if is_own else end)
        return replace(own, notes=scored.notes, reading=STANDARD, other=replace(runtime, reading=RUNTIME))

    def _ensemble_of(self, formula: Formula, end: End) -> Ensemble:
        """Return the ensemble of a formula, as the outputs take it."""
        factors = {own: end.scale * factor for own, factor in formula.factors.items()}
        trees = tuple(tree.scored(factors) for tree in self._scored.trees) if self._scored else ()
        # Trees that vote often tie; the sum is one of floats.
        ties = summed(trees, _BITS[self._taken.single], likely=True) if end.kind == "share" else FIRST
        return Ensemble(
            KIND,
            self._width,
            trees,
            base=end.scale * (formula.base - end.cut),
            single=self._taken.single,
            front=self._taken.front(),
            classes=end.classes,
            ties=ties,
            scale=end.kind,
        )


def _input(graph: GraphProto, constants: Constants) -> ValueInfoProto:
    """Return the one input that is not a constant: floats of shape (rows, columns)."""
    inputs = [value for value in graph.input if value.name not in constants]
    if len(inputs) != 1:
        names = ", ".join(repr(value.name[:80]) for value in inputs)
        raise ModelImportError(f"export it with one input, of shape (rows, columns): the inputs are {names or 'none'}")
    value: ValueInfoProto = inputs[0]
    kind = value.type.tensor_type
    dimensions = kind.shape.dim
    width = int(dimensions[1].dim_value) if len(dimensions) == 2 else 0
    if kind.elem_type not in _FLOATS or not 0 < width <= MAX_WIDTH:
        raise ModelImportError(
            f"export it for single or double floats of shape (rows, columns), up to {MAX_WIDTH} columns: the input "
            f"{value.name[:80]!r} is otherwise"
        )
    return value


def _names(readers: Iterable[str]) -> list[str]:
    """Return the operators of a table without their domain."""
    return [name.rpartition(".")[2] for name in readers]
