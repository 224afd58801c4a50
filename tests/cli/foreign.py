"""Models that were made elsewhere, as files for the command line."""

from __future__ import annotations

import numpy as np

from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.importing.bind import column_names
from tests.certify.models.importing.graphs import model, node

COLUMNS = column_names(make_lending(20).spec)


WIDTH = len(COLUMNS)


def arrays(width=WIDTH, hidden=3, seed=5):
    """Return W0, b0, W1, b1 of a network that refuses and grants."""
    rng = np.random.default_rng(seed)
    return {
        "W0": rng.normal(size=(width, hidden)).astype(np.float32),
        "b0": rng.normal(size=hidden).astype(np.float32),
        "W1": rng.normal(size=(hidden, 1)).astype(np.float32),
        "b1": np.zeros(1, np.float32),
    }


def npz(path, **more):
    """Write a network as .npz and return its path."""
    np.savez(path, **arrays() | more)
    return path


def onnx(path, means, scales):
    """Write a network that scales its raw inputs itself as .onnx, and return its path."""
    nodes = [
        node("Sub", ("x", "means"), "d"), node("Div", ("d", "scales"), "e"), node("Gemm", ("e", "W0", "b0"), "z"),
        node("Relu", ("z",), "h"), node("MatMul", ("h", "W1"), "p"), node("Add", ("p", "b1"), "y"),
    ]  # fmt: skip
    constants = arrays() | {"means": np.float32(means), "scales": np.float32(scales)}
    path.write_bytes(model(nodes, constants, shape=("rows", len(COLUMNS))))
    return path
