"""Many decisions at once are the decisions one by one, whatever the width of the integers."""

import random
from itertools import pairwise

import numpy as np
import pytest

from equiproof.certify.decisions import TIE, decisions, integer_logits
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.certify.hand_made import never
from tests.certify.tiny import tiny

EDGES = (-(1 << 15), (1 << 15) - 1)


def widest(hidden, logits, seed, bias=0):
    """Return a network whose every weight is one of the two widest, with biases up to 2^`bias`."""
    rng = random.Random(seed)
    sizes = (3, *hidden, logits)
    layers = [
        Layer(
            tuple(tuple(rng.choice(EDGES) for _ in range(below)) for _ in range(above)),
            tuple(rng.randint(-(1 << bias), 1 << bias) for _ in range(above)),
        )
        for below, above in pairwise(sizes)
    ]
    return QuantisedNetwork(tuple(layers), 10, (0,) * len(layers))


@pytest.mark.parametrize("bias", [0, 61, 62, 90])
@pytest.mark.parametrize("hidden", [(4,), (5, 4), (4, 4, 4), (70, 30, 9, 9, 9)])
@pytest.mark.parametrize("logits", [1, 3])
def test_wide_integers_lose_nothing(hidden, logits, bias):
    """Where sums outgrow floats, and where they outgrow 64 bits, logits are those of Python's integers."""
    model = widest(hidden, logits, len(hidden), bias)
    rng = np.random.default_rng(1)
    inputs = np.concatenate([rng.integers(-(1 << 21), 1 << 21, (20, 3)), np.zeros((1, 3), dtype=np.int64)])
    exact = [model.logits(row) for row in inputs.tolist()]
    assert integer_logits(model, inputs).tolist() == [list(logits) for logits in exact]
    labels = [model.decide(row) for row in inputs.tolist()]
    assert decisions(model, inputs).tolist() == [TIE if label is None else label for label in labels]


@pytest.mark.parametrize("seed", range(40))
def test_tiny_networks_decide_alike_ties_among_them(seed):
    """On networks with every degeneracy, each input is decided as the network decides it."""
    case = tiny(seed)
    rng = np.random.default_rng(seed)
    queries = rng.integers(-8, 9, (30, case.columns)).tolist()
    inputs = [(*query, *row) for query in queries for row in case.table]
    found = decisions(case.network, np.array(inputs)).tolist()
    assert found == [TIE if (label := case.network.decide(row)) is None else label for row in inputs]


def test_a_tie_is_no_label():
    """A logit of zero decides nothing."""
    assert decisions(never(), np.zeros((3, 4), dtype=np.int64)).tolist() == [TIE] * 3


def test_more_rows_than_a_chunk_keep_their_order():
    """Rows are cut into parts and put together again in order; no row is no decision."""
    model = widest((4,), 1, 2, bias=30)
    inputs = np.random.default_rng(2).integers(-1000, 1000, (9000, 3))
    found = decisions(model, inputs)
    for number in (0, 4095, 4096, 8191, 8192, 8999):
        assert found[number] == model.decide(inputs[number].tolist())
    assert decisions(model, inputs[:0]).shape == (0,)
    assert integer_logits(model, inputs[:0]).shape == (0, 1)
