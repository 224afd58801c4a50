"""ONNX graphs that are one chain of Gemm, MatMul, Relu and arithmetic with constants."""

from __future__ import annotations

from onnx import GraphProto, ValueInfoProto

from equiproof.certify.limits import MAX_OUTPUTS
from equiproof.certify.models.importing.chain import MAX_WIDTH, Affine, Step
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.onnx_operators import NEUTRAL, READERS, REMEDIES, Flow
from equiproof.certify.models.importing.onnx_values import FLOATS, Constants, Operator, constant_of, parse_model
from equiproof.certify.models.importing.source import Source


def read_onnx(data: bytes) -> Source:
    """Read the bytes of an ONNX file; raises ModelImportError naming the operator that cannot be imported exactly.

    The graph has one input of shape (rows, columns) and one output, the logits or their probabilities. Each operator
    takes constants and the result of the operator before it. Data in other files is refused unopened.
    """
    graph = parse_model(data).graph
    constants = Constants()
    for tensor in graph.initializer:
        _define(tensor.name, constants, set())
        constants.add(tensor.name, tensor)
    flow = _input(graph, constants)
    inputs = flow.width
    steps = []
    width = 0
    names = {flow.name}
    for number, node in enumerate(graph.node, start=1):
        operator = Operator.of(node, number)
        for name in operator.outputs:
            _define(name, constants, names)
        parts = _read(operator, flow, constants)
        width += sum(len(step.rows) for step in parts if isinstance(step, Affine))
        if width > MAX_OUTPUTS:
            raise operator.refused(f"the operators up to this one have more than {MAX_OUTPUTS} outputs")
        steps += parts
        names.add(flow.name)
    if [output.name for output in graph.output] != [flow.name]:
        outputs = ", ".join(repr(output.name[:80]) for output in graph.output)
        raise ModelImportError(f"the outputs are {outputs or 'none'}; want one, the result of the last operator")
    return Source("onnx", inputs, tuple(steps))


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
        raise ModelImportError(f"the inputs are {names or 'none'}; want one, of shape (rows, columns)")
    return Flow(inputs[0].name, _width(inputs[0]))


def _width(value: ValueInfoProto) -> int:
    """Return the number of columns of the input."""
    kind = value.type.tensor_type
    dimensions = kind.shape.dim
    width = int(dimensions[1].dim_value) if len(dimensions) == 2 else 0
    if not value.type.HasField("tensor_type") or kind.elem_type not in FLOATS or not 0 < width <= MAX_WIDTH:
        sizes = ", ".join(shown(size.dim_param[:20]) or str(size.dim_value or "?") for size in dimensions[:8])
        raise ModelImportError(
            f"the input {value.name[:80]!r} has shape ({sizes}); want floats of shape (rows, columns), with a fixed "
            f"number of columns up to {MAX_WIDTH}"
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
