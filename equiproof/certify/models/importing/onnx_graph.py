"""ONNX graphs that are one chain of Gemm, MatMul, Relu and arithmetic with constants."""

from __future__ import annotations

from collections import Counter

from onnx import GraphProto, ValueInfoProto

from equiproof.certify.limits import MAX_OUTPUTS
from equiproof.certify.models.ensembles.onnx_behind import READERS as BEHIND
from equiproof.certify.models.importing.chain import MAX_WIDTH, Affine, Step
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.onnx_answers import SEVERAL, Several, Two
from equiproof.certify.models.importing.onnx_flow import Flow
from equiproof.certify.models.importing.onnx_linear import CLASSIFIER, classified
from equiproof.certify.models.importing.onnx_operators import NEUTRAL, READERS, REMEDIES
from equiproof.certify.models.importing.onnx_values import FLOATS, Constants, Operator, constant_of, parse_model
from equiproof.certify.models.importing.source import Source

_WEIGHTED = ("BatchNormalization", "Gemm", "MatMul", "Relu")
"""Operators of hidden layers: where one of them takes what another one takes too, there are several branches."""


def read_onnx(data: bytes) -> Source:
    """Read the bytes of an ONNX file; raises ModelImportError naming the operator that cannot be imported exactly.

    The graph has one input of shape (rows, columns). Each operator takes constants and the result of the operator
    before it, up to the logits; its outputs are the logits, what rises or falls with them, or the class that they
    decide. Data in other files is refused unopened.
    """
    graph = _Graph(parse_model(data).graph)
    return graph.source()


class _Graph:
    """A graph while it is read: a chain of steps, and behind its logits what the graph answers."""

    def __init__(self, graph: GraphProto) -> None:
        """Read all of it."""
        self._constants = Constants()
        for tensor in graph.initializer:
            _define(tensor.name, self._constants, set())
            self._constants.add(tensor.name, tensor)
        self._flow = _input(graph, self._constants)
        self._inputs = self._flow.width
        self._steps: list[Step] = []
        self._width = 0
        self._names = {self._flow.name}
        self._outputs = [output.name for output in graph.output]
        taken = Counter((*(name for node in graph.node for name in node.input), *self._outputs))
        self._forks = {name for name, count in taken.items() if count > 1}
        self._answers: Two | Several | None = None
        for number, node in enumerate(graph.node, start=1):
            self._read(Operator.of(node, number))

    def source(self) -> Source:
        """Return the model; raises ModelImportError for outputs that are no decision."""
        if self._answers is not None:
            answer = self._answers.answer(self._outputs)
            return Source("onnx", self._inputs, tuple(answer.steps), classes=answer.classes, scale=answer.scale)
        if self._outputs != [self._flow.name]:
            outputs = ", ".join(repr(name[:80]) for name in self._outputs)
            raise ModelImportError(
                f"export it with one output, the result of the last operator: the outputs are {outputs or 'none'}"
            )
        return Source("onnx", self._inputs, tuple(self._steps), scale=self._flow.scale)

    def _read(self, operator: Operator) -> None:
        """Read an operator of the chain, or one behind the logits."""
        for name in operator.outputs:
            _define(name, self._constants, self._names)
        is_constant = operator.kind in ("Constant", "Identity", "Transpose") and not self._names & {*operator.inputs}
        if self._answers is None and not is_constant:
            self._answers = self._answered(operator)
            if self._answers is not None and operator.kind == CLASSIFIER:
                self._names.update(operator.outputs)
                return
        if self._answers is not None and not is_constant:
            _output(operator)
            self._answers.read(operator)
            self._names.update(operator.outputs)
            return
        parts = _read(operator, self._flow, self._constants)
        self._width += sum(len(step.rows) for step in parts if isinstance(step, Affine))
        if self._width > MAX_OUTPUTS:
            raise operator.refused(f"the operators up to this one have more than {MAX_OUTPUTS} outputs")
        self._steps += parts
        self._names.add(self._flow.name)

    def _answered(self, operator: Operator) -> Two | Several | None:
        """Return what reads the graph from an operator on, None within the chain."""
        flow = self._flow
        if flow.name not in operator.inputs:
            return None
        if operator.kind == CLASSIFIER:
            read = classified(operator, flow.width)
            if len(read.classes) == 2:
                return Two.of_classifier(self._constants, self._steps, read, operator)
            results = dict(zip(operator.outputs, (read.classes, None), strict=False))
            return Several(self._constants, [*self._steps, read.logits], len(read.classes), results)
        behind = BEHIND if flow.width <= 2 else SEVERAL
        is_chain = operator.kind in READERS and (flow.name not in self._forks or operator.kind in _WEIGHTED)
        if is_chain or operator.kind not in behind or not self._steps:
            return None
        if flow.width <= 2:
            return Two.of_flow(self._constants, self._steps, flow, operator)
        return Several(self._constants, self._steps, flow.width, {flow.name: None})


def _read(operator: Operator, flow: Flow, constants: Constants) -> list[Step]:
    """Read one operator: with constants only it gives a constant, otherwise it gives steps."""
    if operator.kind == "Constant":
        constants.add(_output(operator), constant_of(operator))
        return []
    if operator.kind in REMEDIES:
        raise operator.refused(REMEDIES[operator.kind])
    if operator.kind in ("Identity", "Transpose") and flow.name not in operator.inputs:
        return _constant(operator, constants)
    if operator.kind not in READERS:
        raise operator.refused(f"is not read; only {', '.join(sorted(READERS))} are")
    if flow.ended and operator.kind not in NEUTRAL:
        raise operator.refused(f"takes the probabilities of {flow.ended}, which are read at the end only")
    if operator.inputs.count(flow.name) != 1:
        raise operator.refused("does not take the result of the operator before it once; only a single chain is read")
    for name in operator.inputs:
        if name and name != flow.name and name not in constants:
            raise operator.refused(f"takes {name[:80]!r}, which is not defined")
    steps = READERS[operator.kind](operator, flow, constants)
    flow.name = _output(operator)
    for step in steps:
        if isinstance(step, Affine):
            flow.width = len(step.rows)
    return steps


def _constant(operator: Operator, constants: Constants) -> list[Step]:
    """Read an operator that gives a constant."""
    if len(operator.inputs) != 1 or operator.inputs[0] not in constants:
        raise operator.refused("takes a value that is not defined")
    name = operator.inputs[0]
    transposed = operator.kind == "Transpose"
    if transposed:
        permutation = operator.values(perm=[1, 0])["perm"]
        if constants.numbers(name).ndim != 2 or list(permutation) != [1, 0]:
            raise operator.refused("only a matrix is transposed")
    constants.alias(_output(operator), name, transposed=transposed)
    return []


def _input(graph: GraphProto, constants: Constants) -> Flow:
    """Return the one input that is not a constant: older files list their weights among the inputs."""
    inputs = [value for value in graph.input if value.name not in constants]
    if len(inputs) != 1:
        names = ", ".join(repr(value.name[:80]) for value in inputs)
        raise ModelImportError(f"export it with one input, of shape (rows, columns): the inputs are {names or 'none'}")
    return Flow(inputs[0].name, _width(inputs[0]))


def _width(value: ValueInfoProto) -> int:
    """Return the number of columns of the input."""
    kind = value.type.tensor_type
    dimensions = kind.shape.dim
    width = int(dimensions[1].dim_value) if len(dimensions) == 2 else 0
    if not value.type.HasField("tensor_type") or kind.elem_type not in FLOATS or not 0 < width <= MAX_WIDTH:
        sizes = ", ".join(shown(size.dim_param[:20]) or str(size.dim_value or "?") for size in dimensions[:8])
        raise ModelImportError(
            f"export it for floats of shape (rows, columns), with a fixed number of columns up to {MAX_WIDTH}: the "
            f"input {value.name[:80]!r} has shape ({sizes})"
        )
    return width


def _output(operator: Operator) -> str:
    """Return the name of the one result."""
    if len(operator.outputs) != 1:
        raise operator.refused(f"gives {len(operator.outputs)} results; only operators with one are read")
    return operator.outputs[0]


def _define(name: str, constants: Constants, names: set[str]) -> None:
    """Raise ModelImportError for a name with two values."""
    if name in constants or name in names:
        raise ModelImportError(f"the name {name[:80]!r} stands for two values")
