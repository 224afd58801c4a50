"""ONNX graphs: every form that is read gives the logits of the reference evaluator."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from equiproof.certify.models.importing import read_model
from equiproof.certify.models.importing.onnx_graph import read_onnx
from tests.certify.models.importing.graphs import edited, matrix, model, network, node
from tests.certify.models.importing.samples import run, weights

ARRAYS = weights((5, 3, 1))
ROWS = np.random.default_rng(3).integers(-9, 9, (20, 5)).astype(np.float32)
W, V, B, C = matrix(5, 3), matrix(3, 2, 1), matrix(1, 3, 2)[0], matrix(1, 5, 3)[0]
CONSTANTS = {"W": W, "V": V, "b": B, "c": C, "two": np.float32(2), "Wt": W.T.copy(), "Vt": V.T.copy()}


def tail(source):
    """Return ReLU and a last layer over what `source` gives."""
    return [node("Relu", (source,), "h"), node("MatMul", ("h", "V"), "y")]


def constant(name, array):
    """Return a Constant operator."""
    return node("Constant", (), name, value=numpy_helper.from_array(array, ""))


FORMS = {
    "Gemm": [node("Gemm", ("x", "W", "b"), "z"), *tail("z")],
    "Gemm without bias": [node("Gemm", ("x", "W"), "z"), *tail("z")],
    "Gemm with an empty bias": [node("Gemm", ("x", "W", ""), "z"), *tail("z")],
    "Gemm transposed": [node("Gemm", ("x", "Wt", "b"), "z", transB=1), *tail("z")],
    "Gemm with factors": [node("Gemm", ("x", "W", "b"), "z", alpha=0.5, beta=-1.25), *tail("z")],
    "Gemm with one bias for all": [node("Gemm", ("x", "W", "two"), "z", beta=3.0), *tail("z")],
    "MatMul and Add": [node("MatMul", ("x", "W"), "p"), node("Add", ("p", "b"), "z"), *tail("z")],
    "MatMul, Add the other way": [node("MatMul", ("x", "W"), "p"), node("Add", ("b", "p"), "z"), *tail("z")],
    "weights in an operator": [
        constant("K", W), node("MatMul", ("x", "K"), "p"), constant("k", B), node("Add", ("p", "k"), "z"), *tail("z"),
    ],
    "weights by another name": [
        node("Identity", ("W",), "K"), node("Identity", ("K",), "L"), node("Gemm", ("x", "L", "b"), "z"), *tail("z"),
    ],
    "weights transposed by an operator": [
        node("Transpose", ("Wt",), "K", perm=[1, 0]), node("MatMul", ("x", "K"), "z"), *tail("z"),
    ],
    "scaled inputs": [
        node("Sub", ("x", "c"), "d"), node("Div", ("d", "two"), "e"), node("Gemm", ("e", "W", "b"), "z"), *tail("z"),
    ],
    "inputs from the other side": [
        node("Sub", ("c", "x"), "d"), node("Mul", ("two", "d"), "e"), node("MatMul", ("e", "W"), "z"), *tail("z"),
    ],
    "scaled logits": [node("Gemm", ("x", "W", "b"), "z"), node("Relu", ("z",), "h"), node("MatMul", ("h", "V"), "l"),
                      node("Mul", ("l", "two"), "m"), node("Sub", ("m", "two"), "y")],
    "what does nothing": [
        node("Identity", ("x",), "i"), node("Flatten", ("i",), "f"), node("Gemm", ("f", "W", "b"), "z"),
        node("Relu", ("z",), "r"), node("Dropout", ("r",), "h"), node("MatMul", ("h", "V"), "y"),
    ],
    "Relu twice": [node("MatMul", ("x", "W"), "p"), node("Relu", ("p",), "z"), *tail("z")],
    "linear": [node("MatMul", ("x", "W"), "z"), node("MatMul", ("z", "V"), "y")],
    "a single number": [
        node("Constant", (), "k", value_float=0.5), node("Mul", ("x", "k"), "e"), node("MatMul", ("e", "W"), "z"),
        *tail("z"),
    ],
    "a list of numbers": [
        node("Constant", (), "k", value_floats=[1.5, -2.0, 0.25]), node("MatMul", ("x", "W"), "p"),
        node("Add", ("p", "k"), "z"), *tail("z"),
    ],
    "a batch dimension in a bias": [
        constant("k", B[None]), node("MatMul", ("x", "W"), "p"), node("Add", ("p", "k"), "z"), *tail("z"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_graph_gives_the_logits_of_the_reference(form):
    """Read exactly, a graph gives what ONNX's own evaluator computes, up to that one's single floats."""
    data = model(FORMS[form], CONSTANTS)
    (wanted,) = ReferenceEvaluator(data).run(None, {"x": ROWS})
    np.testing.assert_allclose(run(read_onnx(data), ROWS), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_weights_of_every_width_are_exact(kind):
    """Halves, singles and doubles become the numbers they stand for."""
    arrays = weights((5, 3, 1), kind=kind)
    source = read_onnx(network(arrays, kind=helper.np_dtype_to_tensor_dtype(np.dtype(kind))))
    first = source.steps[0]
    assert [[float(row[index]) for index in range(5)] for row in first.rows] == arrays["W0"].T.tolist()
    assert list(map(float, first.biases)) == arrays["b0"].tolist()


def test_bfloat16_is_exact():
    """The short floats of training hardware are fractions as well."""
    numbers = [1.0, -0.5, 3.0, 0.0078125, 2.0]
    tensor = helper.make_tensor("W", TensorProto.BFLOAT16, (5, 1), numbers)
    data = model([node("MatMul", ("x", "W"), "y")], kind=TensorProto.BFLOAT16)
    source = read_onnx(edited(data, lambda proto: proto.graph.initializer.append(tensor)))
    assert [float(source.steps[0].rows[0][index]) for index in range(5)] == numbers


@pytest.mark.parametrize("shape", [("rows", 5), (1, 5), (None, 5), (64, 5)])
def test_any_number_of_rows_is_read(shape):
    """The first dimension, fixed or not, is no part of the model."""
    assert read_onnx(network(ARRAYS, shape=shape)).inputs == 5


@pytest.mark.parametrize("opset", [7, 11, 13, 18, 22])
def test_old_and_new_operators_are_read(opset):
    """Versions of the operators that mean the same are read alike."""
    wanted = run(read_onnx(network(ARRAYS)), ROWS)
    assert (run(read_onnx(network(ARRAYS, opset=opset)), ROWS) == wanted).all()


def test_weights_that_are_listed_among_the_inputs_are_weights():
    """Files of old versions list their weights as inputs too."""
    listed = [helper.make_tensor_value_info("W0", TensorProto.FLOAT, (5, 3))]
    assert read_onnx(network(ARRAYS, more_inputs=listed)).inputs == 5


def test_a_change_of_float_width_changes_no_weight():
    """A Cast between single and double floats is read as nothing."""
    nodes = [node("Cast", ("x",), "d", to=TensorProto.DOUBLE), node("MatMul", ("d", "W"), "z"),
             node("Relu", ("z",), "h"), node("MatMul", ("h", "V"), "y")]  # fmt: skip
    wide = {"W": W.astype(np.float64), "V": V.astype(np.float64)}
    np.testing.assert_allclose(
        run(read_onnx(model(nodes, wide)), ROWS), np.maximum(ROWS @ wide["W"], 0) @ wide["V"], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("epsilon", [0.0, 1e-5])
def test_a_normalisation_is_folded(epsilon):
    """BatchNormalization of a trained network is an affine map, whose root is a fraction or rounded."""
    parts = {"s": B, "t": -B, "m": np.ones(3, np.float32), "v": np.float32([4, 0.25, 1]), "W": W, "V": V}
    nodes = [node("MatMul", ("x", "W"), "p"),
             node("BatchNormalization", ("p", "s", "t", "m", "v"), "z", epsilon=epsilon), *tail("z")]  # fmt: skip
    data = model(nodes, parts)
    (wanted,) = ReferenceEvaluator(data).run(None, {"x": ROWS})
    np.testing.assert_allclose(run(read_onnx(data), ROWS), wanted, rtol=1e-4, atol=1e-4)


def test_a_file_is_read_by_its_path(tmp_path):
    """An .onnx file gives the same model as its bytes, with its digest."""
    path = tmp_path / "net.ONNX"
    path.write_bytes(network(ARRAYS))
    source = read_model(path)
    assert (source.kind, source.steps, len(source.sha256)) == ("onnx", read_onnx(network(ARRAYS)).steps, 64)


LAYERS = [node("MatMul", ("x", "W"), "z"), node("Relu", ("z",), "h")]
LAST = {1: node("MatMul", ("h", "w"), "l"), 2: node("MatMul", ("h", "V"), "l")}
SHAPES = {"w": V[:, :1].copy(), "flat": np.array([-1]), "pairs": np.array([-1, 2]), "rows": np.array([-1, 1])}
ENDS = {
    "Sigmoid": (1, [node("Sigmoid", ("l",), "y")]),
    "Sigmoid and Squeeze": (1, [node("Sigmoid", ("l",), "p"), node("Squeeze", ("p", "axis"), "y")]),
    "Squeeze alone": (1, [node("Squeeze", ("l", "axis"), "y")]),
    "Sigmoid and Reshape": (1, [node("Sigmoid", ("l",), "p"), node("Reshape", ("p", "flat"), "y")]),
    "Reshape before a Sigmoid": (1, [node("Reshape", ("l", "rows"), "r"), node("Sigmoid", ("r",), "y")]),
    "Softmax": (2, [node("Softmax", ("l",), "y", axis=1)]),
    "logarithm of Softmax": (2, [node("LogSoftmax", ("l",), "p"), node("Reshape", ("p", "pairs"), "y")]),
}


@pytest.mark.parametrize("end", ENDS)
def test_probabilities_at_the_end_leave_the_logits(end):
    """They are the logistic function, or the shares, of the logits that are read."""
    outputs, operators = ENDS[end]
    constants = CONSTANTS | SHAPES | {"axis": np.array([1])}
    data = model([*LAYERS, LAST[outputs], *operators], constants)
    (reference,) = ReferenceEvaluator(data).run(None, {"x": ROWS})
    logits = run(read_onnx(data), ROWS)
    kinds = {one.op_type for one in operators}
    if kinds & {"Softmax", "LogSoftmax"}:
        shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        expected = np.log(shares) if "LogSoftmax" in kinds else shares
    else:
        expected = 1 / (1 + np.exp(-logits)) if "Sigmoid" in kinds else logits
    np.testing.assert_allclose(reference.reshape(logits.shape), expected, rtol=0, atol=1e-4)


def test_the_set_of_operators_may_be_named_twice():
    """Exporters name it again under either of its names."""
    twice = edited(network(ARRAYS), lambda proto: proto.opset_import.extend([helper.make_opsetid("ai.onnx", 20)]))
    assert (run(read_onnx(twice), ROWS) == run(read_onnx(network(ARRAYS)), ROWS)).all()
