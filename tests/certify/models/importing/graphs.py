"""ONNX graphs made by hand."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def node(kind, inputs, output, **attributes):
    """Return an operator with one output, named after it."""
    return helper.make_node(kind, list(inputs), [output], name=f"the {output}", **attributes)


def model(nodes, constants=(), *, shape=("rows", 5), output="y", kind=TensorProto.FLOAT, opset=20, **graph):
    """Return the bytes of a model with the input x; constants are arrays by name."""
    inputs = [helper.make_tensor_value_info("x", kind, shape), *graph.pop("more_inputs", ())]
    outputs = [helper.make_tensor_value_info(name, kind, None) for name in (output, *graph.pop("more_outputs", ()))]
    initializers = [numpy_helper.from_array(array, name) for name, array in dict(constants).items()]
    made = helper.make_graph(list(nodes), "net", inputs, outputs, initializers, **graph)
    proto = helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)])
    return proto.SerializeToString()


def edited(data, edit):
    """Return the bytes of a model after a change to its parsed form."""
    proto = onnx.load_model_from_string(data)
    edit(proto)
    return proto.SerializeToString()


def network(arrays, **options):
    """Return Gemm, Relu, Gemm over the arrays W0, b0, W1, b1."""
    nodes = [node("Gemm", ("x", "W0", "b0"), "z"), node("Relu", ("z",), "h"), node("Gemm", ("h", "W1", "b1"), "y")]
    return model(nodes, arrays, **options)


def matrix(rows, columns, seed=0, kind=np.float32):
    """Return random weights."""
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(kind)
