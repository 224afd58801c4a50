"""ONNX files that are refused: by the operator, or as what they are, and without opening anything else."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.importing.onnx_graph import read_onnx
from tests.certify.models.importing.graphs import edited, matrix, model, network, node
from tests.certify.models.importing.samples import weights

ARRAYS = weights((5, 3, 1))
GOOD = network(ARRAYS)
W, V = matrix(5, 3), matrix(3, 1, 1)
CONSTANTS = {"W": W, "V": V, "b": np.ones(3, np.float32), "zero": np.float32(0), "five": np.ones(5, np.float32),
             "minus": -np.ones(3, np.float32)}  # fmt: skip


def imported(data):
    """Read a file and put its chain in order."""
    source = read_onnx(data)
    return layers_of(source.steps, source.inputs)


def before(kind, *more, **attributes):
    """Return a graph with an operator on the inputs, then a layer."""
    return model([node(kind, ("x", *more), "e", **attributes), node("MatMul", ("e", "W"), "y")], CONSTANTS)


def last(kind, *more, **attributes):
    """Return a graph with an operator on the logits."""
    return model([node("MatMul", ("x", "W"), "l"), node(kind, ("l", *more), "y", **attributes)], CONSTANTS)


OPERATORS = {
    "Log": (last("Log"), r"Log 'the y'.*take the logarithm before the model, and name the input .* log\(income\)"),
    "a layer behind a Sigmoid": (
        model([node("Sigmoid", ("x",), "p"), node("MatMul", ("p", "W"), "y")], CONSTANTS),
        "MatMul 'the y'.*takes the probabilities of Sigmoid 'the p', which are read at the end only",
    ),
    "a Softmax of rows": (last("Softmax", axis=0), "Softmax 'the y'.*along axis 1"),
    "a Squeeze of several columns": (last("Squeeze"), "Squeeze 'the y'.*mixes rows"),
    "Tanh": (last("Tanh"), "Tanh 'the y' ?: is not read"),
    "LeakyRelu": (last("LeakyRelu"), "LeakyRelu 'the y'"),
    "Clip": (last("Clip"), "Clip 'the y'"),
    "Reshape": (last("Reshape", "b"), "Reshape 'the y'"),
    "MatMulInteger": (last("MatMulInteger", "b"), "MatMulInteger 'the y'"),
    "another domain": (before("Relu", domain="com.example"), "com.example.Relu 'the e'"),
    "a linear classifier without classes": (
        before("LinearClassifier", domain="ai.onnx.ml"), r"ai\.onnx\.ml\.LinearClassifier .*0 names of classes"
    ),
    "a last Relu": (last("Relu"), "Relu 'the y'"),
    "divided by the network": (
        model([node("Div", ("five", "x"), "e"), node("MatMul", ("e", "W"), "y")], CONSTANTS), "Div 'the e'"
    ),
    "divided by zero": (before("Div", "zero"), "Div 'the e': divides by 0"),
    "weights first": (
        model([node("MatMul", ("W", "x"), "y")], CONSTANTS), "MatMul 'the y': only rows times constant weights"
    ),
    "rows transposed": (model([node("Gemm", ("x", "W"), "y", transA=1)], CONSTANTS), "Gemm 'the y'"),
    "rows squared": (model([node("Mul", ("x", "x"), "y")], CONSTANTS), "Mul 'the y'"),
    "rows times rows": (model([node("MatMul", ("x", "x"), "y")], CONSTANTS), "MatMul 'the y'"),
    "a skip over a layer": (
        model(
            [node("MatMul", ("x", "W"), "z"), node("Relu", ("z",), "h"), node("Add", ("h", "z"), "y")], CONSTANTS
        ),
        "Add 'the y'",
    ),
    "two branches": (
        model([node("MatMul", ("x", "W"), "z"), node("MatMul", ("x", "W"), "y")], CONSTANTS), "MatMul 'the y'"
    ),
    "an unknown name": (before("Add", "nothing"), "takes 'nothing'"),
    "weights that do not fit": (
        model([node("MatMul", ("x", "V"), "y")], CONSTANTS), r"MatMul 'the y': weights of shape \(3, 1\) for 5 columns"
    ),
    "a bias that does not fit": (last("Add", "five"), r"Add 'the y': 'five' has shape \(5,\)"),
    "a bias for each row": (
        model([node("Add", ("x", "rows"), "e"), node("MatMul", ("e", "W"), "y")],
              CONSTANTS | {"rows": np.ones((4, 5), np.float32)}),
        "Add 'the e'",
    ),
    "dropout in training": (
        model([node("Dropout", ("x", "zero", "train"), "e"), node("MatMul", ("e", "W"), "y")],
              CONSTANTS | {"train": np.bool_(True)}),
        r"Dropout 'the e'.*eval\(\)",
    ),
    "normalisation in training": (
        last("BatchNormalization", "b", "b", "b", "b", training_mode=1), r"BatchNormalization 'the y'.*eval\(\)"
    ),
    "a variance below 0": (
        last("BatchNormalization", "b", "b", "b", "minus"), r"'the y': variance \+ epsilon is not above 0"
    ),
    "rounding to integers": (before("Cast", to=TensorProto.INT64), "Cast 'the e'"),
    "rounding to halves": (before("Cast", to=TensorProto.FLOAT16), "Cast 'the e'"),
    "flattening rows": (before("Flatten", axis=0), "Flatten 'the e'"),
    "an unknown attribute": (before("Relu", speed=3), "Relu 'the e': attribute 'speed'"),
    "an attribute of another type": (
        model([node("Gemm", ("x", "W"), "y", alpha="much")], CONSTANTS), "Gemm 'the y': attribute 'alpha'"
    ),
    "integer weights": (
        model([node("MatMul", ("x", "I"), "y")], {"I": np.ones((5, 3), np.int64)}), "the tensor 'I'.*INT64"
    ),
    "weights that are not finite": (
        model([node("MatMul", ("x", "N"), "y")], {"N": W * np.float32("nan")}), "MatMul 'the y': a number is not finite"
    ),
    "a Gemm that is not finite": (
        model([node("Gemm", ("x", "N"), "y")], {"N": W * np.float32("inf")}), "Gemm 'the y': a number is not finite"
    ),
    "a constant of text": (
        model([node("Constant", (), "k", value_string="x"), node("Add", ("x", "k"), "y")]), "Constant 'the k'"
    ),
    "a transposed vector": (
        model([node("Transpose", ("b",), "k"), node("Add", ("x", "k"), "y")], CONSTANTS), "Transpose 'the k'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", OPERATORS)
def test_an_operator_without_an_exact_place_is_named(kind):
    """The line names the operator, where it is, and how to mend it where that is known."""
    data, named = OPERATORS[kind]
    with pytest.raises(ModelImportError, match=named) as refused:
        imported(data)
    assert "\n" not in str(refused.value)


def huge(proto):
    """Claim more numbers than any file has."""
    proto.graph.initializer[0].dims[:] = [1 << 40, 1 << 20]


def outside(proto):
    """Put the first weights into another file."""
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/hostname")


def outside_unmarked(proto):
    """Name another file without the mark that goes with it."""
    proto.graph.initializer[0].external_data.add(key="location", value="../secret")


def function(proto):
    """Give the model a Relu of its own."""
    proto.functions.append(helper.make_function("", "Relu", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], []))


def set_shape(*sizes, kind=TensorProto.FLOAT):
    """Return an edit of the input."""
    return lambda proto: proto.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", kind, sizes))


def append_input(proto):
    """Give the model a second input."""
    proto.graph.input.append(helper.make_tensor_value_info("age", TensorProto.FLOAT, ("rows", 1)))


def append_output(proto):
    """Give the model a second output."""
    proto.graph.output.append(helper.make_tensor_value_info("h", TensorProto.FLOAT, ("rows", 3)))


def append_initializer(proto):
    """Give the name of a hidden layer a second meaning."""
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(3, np.float32), "h"))


EDITS = {
    "two inputs": (append_input, "'x', 'age'"),
    "no input": (lambda proto: proto.graph.ClearField("input"), "the inputs are none"),
    "two outputs": (append_output, "'y', 'h'"),
    "no output": (lambda proto: proto.graph.ClearField("output"), "the outputs are none"),
    "a hidden layer as output": (lambda proto: setattr(proto.graph.output[0], "name", "z"), "the outputs are 'z'"),
    "no columns": (set_shape("rows", "columns"), r"'x' has shape \(rows, columns\)"),
    "one dimension": (set_shape(5), r"'x' has shape \(5\)"),
    "three dimensions": (set_shape("rows", 5, 1), r"'x' has shape \(rows, 5, 1\)"),
    "millions of columns": (set_shape("rows", 1 << 40), "'x' has shape"),
    "integer rows": (set_shape("rows", 5, kind=TensorProto.INT64), "export it for floats"),
    "a name with two values": (append_initializer, "the name 'h' stands for two values"),
    "external data": (outside, "export the model into one file [^\n]*lies in another file"),
    "external data without its mark": (outside_unmarked, "lies in another file"),
    "huge weights": (huge, "the tensor 'W0'"),
    "negative sizes": (lambda proto: proto.graph.initializer[0].dims.__setitem__(0, -1), "the tensor 'W0'"),
    "too few numbers": (lambda proto: setattr(proto.graph.initializer[0], "raw_data", b"\0" * 8), "the tensor 'W0'"),
    "an unknown type": (lambda proto: setattr(proto.graph.initializer[0], "data_type", 77), "type 77"),
    "a segment": (lambda proto: setattr(proto.graph.initializer[0].segment, "end", 3), "the tensor 'W0'"),
    "its own functions": (function, "the function 'Relu'"),
    "sparse weights": (lambda proto: proto.graph.sparse_initializer.add(), "sparse"),
    "no graph": (lambda proto: proto.ClearField("graph"), "not an ONNX file"),
    "no operators": (lambda proto: proto.graph.ClearField("node"), "the outputs are 'y'"),
    "no version": (lambda proto: proto.ClearField("opset_import"), "Gemm: export it again: .* of which version"),
    "an old version": (lambda proto: setattr(proto.opset_import[0], "version", 6), "operators of ai.onnx in version 6"),
    "a future version": (lambda proto: setattr(proto.opset_import[0], "version", 10**6), "ai.onnx in version 1000000"),
    "a thousand operators": (
        lambda proto: [proto.graph.node.add(op_type="Identity") for _ in range(2000)], "2003 operators"
    ),
    "an operator without output": (lambda proto: proto.graph.node[1].ClearField("output"), "Relu 'the h': gives 0"),
    "an operator without input": (lambda proto: proto.graph.node[1].ClearField("input"), "Relu 'the h'"),
    "an operator of no kind": (lambda proto: proto.graph.node[1].ClearField("op_type"), "'the h'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", EDITS)
def test_a_file_that_is_no_single_network_is_refused(kind):
    """Second inputs, data outside the file, hostile sizes and names: each is one line that says what."""
    edit, named = EDITS[kind]
    with pytest.raises(ModelImportError, match=named) as refused:
        imported(edited(GOOD, edit))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff" * 100, GOOD[: len(GOOD) // 2], b"PK\x03\x04"])
def test_bytes_that_are_no_graph_are_refused(data):
    """Empty, foreign and truncated files are refused as what they are."""
    with pytest.raises(ModelImportError):
        read_onnx(data)


def test_no_cut_and_no_flipped_byte_gives_another_error():
    """A damaged file is refused or reads as another network; nothing else ever escapes."""
    rng = np.random.default_rng(0)
    damaged = [GOOD[:length] for length in range(0, len(GOOD), 7)]
    for _ in range(400):
        changed = bytearray(GOOD)
        changed[rng.integers(len(GOOD))] = rng.integers(256)
        damaged.append(bytes(changed))
    refused = 0
    for data in damaged:
        try:
            imported(data)
        except ModelImportError:
            refused += 1
    assert refused > len(damaged) // 4


def test_data_outside_the_file_is_never_opened(tmp_path, monkeypatch):
    """Even where the other file is there, it is not read."""
    monkeypatch.chdir(tmp_path)
    proto = onnx.load_model_from_string(GOOD)
    onnx.save_model(
        proto, "net.onnx", save_as_external_data=True, all_tensors_to_one_file=True, location="net.data",
        size_threshold=0,
    )  # fmt: skip
    assert (tmp_path / "net.data").exists()
    with pytest.raises(ModelImportError, match="external_data=False"):
        read_onnx((tmp_path / "net.onnx").read_bytes())
