"""A projected gradient attack in floats, judged in integers: no grid point flips inside a certified radius."""

import numpy as np
import pytest

from equiproof.certify.data import load
from equiproof.certify.decisions import decisions
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from equiproof.certify.traversal.search import Search, search
from tests.certify.tiny import Case, larger

STEPS = 40
STARTS = 32


def gradient(network, points, label):
    """Return the gradients, shape (starts, inputs), of the smallest margin of a label at float points."""
    weights = [np.array(layer.weights, dtype=float) for layer in network.layers]
    values, active = points, []
    for layer, matrix in zip(network.layers, weights, strict=True):
        pre = values @ matrix.T + np.array(layer.biases, dtype=float)
        active.append(pre > 0)
        values = np.maximum(pre, 0)
    logits = pre
    if logits.shape[1] == 1:
        back = np.full_like(logits, 2.0 * label - 1)
    else:
        back = np.zeros_like(logits)
        back[:, label] = 1
        rivals = np.where(np.arange(logits.shape[1]) == label, -np.inf, logits)
        back[np.arange(len(back)), rivals.argmax(axis=1)] -= 1
    for depth in range(len(weights) - 1, -1, -1):
        back = back @ weights[depth] if depth == len(weights) - 1 else (back * active[depth]) @ weights[depth]
    return back


def attack(case, radius, label, seed):
    """Return whether an attack meets a grid point decided otherwise, at a distance below `radius` from the query."""
    rng = np.random.default_rng(seed)
    centre = np.array(case.query, dtype=float)
    for row in case.table:
        met = []
        offsets = rng.normal(size=(STARTS, len(centre)))
        offsets *= radius * rng.random((STARTS, 1)) / np.linalg.norm(offsets, axis=1, keepdims=True)
        for step in range(STEPS):
            inputs = np.hstack([centre + offsets, np.tile(np.array(row, dtype=float), (STARTS, 1))])
            slope = gradient(case.network, inputs, label)[:, : len(centre)]
            norm = np.linalg.norm(slope, axis=1, keepdims=True)
            offsets -= radius * 2.0 / (step + 2) * slope / np.maximum(norm, 1e-30)
            length = np.linalg.norm(offsets, axis=1, keepdims=True)
            offsets *= np.minimum(1, radius / np.maximum(length, 1e-30))
            met.append(np.trunc(offsets).astype(np.int64))
        moves = np.unique(np.concatenate(met), axis=0)
        moves = moves[(moves * moves).sum(axis=1) < radius * radius]
        points = np.hstack([moves + np.array(case.query), np.tile(np.array(row), (len(moves), 1))])
        if (decisions(case.network, points) != label).any():
            return True
    return False


@pytest.mark.parametrize(
    ("inputs", "hidden", "logits", "sensitive"),
    [(6, (4, 4), 1, 1), (10, (8, 2), 1, 1), (20, (4, 2), 1, 1), (14, (8, 2), 2, 2), (8, (12,), 3, 1)],
)
def test_no_attack_succeeds_inside_a_certified_radius(inputs, hidden, logits, sensitive):
    """Gradient steps and exact evaluation find no flip inside the radius, on any slice, and do find some beyond it."""
    beyond = 0
    for seed in range(8):
        case = larger(seed, inputs, hidden, logits, sensitive)
        found = search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=500)
        if isinstance(found, Search):
            radius = found.radius_squared**0.5
            assert not attack(case, radius, found.label, seed)
            beyond += attack(case, 4 * radius + 2, found.label, seed)
    assert beyond > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("hidden", "decay"), [((4, 2), 0.0), ((4, 2), 0.03), ((8, 2), 0.0)])
def test_no_attack_succeeds_on_trained_networks(hidden, decay):
    """On networks trained on loan applications, no attack on a test row finds a flip inside its certified radius."""
    data = load("lending")
    network, _ = train(data, hidden, decay=decay, settings=Settings(epochs=40))
    quantised, beyond, tried = quantise(network, data.spec), 0, 0
    for index in data.test[:40]:
        case = Case(quantised, data.spec.encode(data.rows[index]), data.spec.domain_table)
        found = search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=500)
        if isinstance(found, Search) and tried < 12:
            tried += 1
            radius = found.radius_squared**0.5
            assert not attack(case, radius, found.label, index)
            beyond += attack(case, 4 * radius + 2, found.label, index)
    assert tried == 12
    assert beyond > 0
