"""Bounds of features: they hold every feature there is, and slopes by gradient make them smaller."""

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from equiproof.audits.prof.bounds import Region, boxes, feature_points, lines, polytopes, tightened
from tests.audits.prof.worked import FEATURES, INPUTS, SIGNS

N, COLUMNS = 5, (1, 3)


def made(seed, hidden=(6, 5, 4), inputs=4):
    """Return seeded layers and a region of five points with two varying columns."""
    rng = np.random.default_rng(seed)
    sizes = (inputs, *hidden)
    weights = [torch.from_numpy(rng.normal(size=(b, a))) for a, b in pairwise(sizes)]
    biases = [torch.from_numpy(rng.normal(size=b) * 0.3) for b in hidden]
    fixed = rng.normal(size=(N, inputs))
    fixed[:, COLUMNS] = 0.0
    low = rng.normal(size=(N, len(COLUMNS)))
    region = Region(torch.from_numpy(fixed), COLUMNS, torch.from_numpy(low), torch.from_numpy(low + 1.0))
    return weights, biases, region


def sampled(weights, biases, region, seed=0, count=400):
    """Return varying columns and features of random inputs of the region, shapes (n, count, m) and (n, count, d)."""
    rng = np.random.default_rng(seed)
    low, high = region.low.numpy()[:, None], region.high.numpy()[:, None]
    varying = low + (high - low) * rng.uniform(size=(N, count, len(COLUMNS)))
    inputs = np.repeat(region.fixed.numpy()[:, None], count, axis=1)
    inputs[:, :, COLUMNS] = varying
    return varying, feature_points(weights, biases, torch.from_numpy(inputs)).numpy()


@pytest.mark.parametrize("steps", [0, 30])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_feature_is_inside(seed, steps):
    """Random inputs have features inside the box, and inside the polytope at their own varying columns."""
    weights, biases, region = made(seed)
    last = tightened(weights, biases, region, steps)
    varying, features = sampled(weights, biases, region)
    for i, (box, held) in enumerate(zip(boxes(last), polytopes(last, region), strict=True)):
        assert (features[i] >= box.low - 1e-9).all()
        assert (features[i] <= box.high + 1e-9).all()
        lower, upper = (varying[i] @ slopes.T + offset for slopes, offset in (held.lower, held.upper))
        assert (features[i] >= lower - 1e-9).all()
        assert (features[i] <= upper + 1e-9).all()


def test_slopes_by_gradient_only_help():
    """More steps never make a point's box larger, and make some smaller."""
    weights, biases, region = made(2)
    before, after = (tightened(weights, biases, region, steps).total() for steps in (0, 60))
    assert (after <= before + 1e-12).all()
    assert float((before - after).max()) > 1e-3


def test_one_hidden_layer_is_exact():
    """With one hidden layer the ends of the box are reached at corners of the inputs."""
    weights, biases, region = made(3, hidden=(5,))
    for i, box in enumerate(boxes(lines(weights, biases, region))):
        ends = zip(region.low[i, :2], region.high[i, :2], strict=True)
        corners = np.array(list(product(*ends)))
        inputs = np.repeat(region.fixed[i].numpy()[None], 4, axis=0)
        inputs[:, COLUMNS] = corners
        features = feature_points(weights, biases, torch.from_numpy(inputs)).numpy()
        assert box.low == pytest.approx(features.min(axis=0))
        assert box.high == pytest.approx(features.max(axis=0))


def test_the_worked_examples_bounds():
    """The product's own bounds give the box [0, 14] of the example, and its chords 0.7 z + 4.2."""
    region = Region(
        torch.zeros(1, 2, dtype=torch.float64), (0, 1), torch.from_numpy(INPUTS.low[None]),
        torch.from_numpy(INPUTS.high[None]),
    )  # fmt: skip
    last = lines([torch.from_numpy(SIGNS)], [torch.zeros(2, dtype=torch.float64)], region)
    (held,) = polytopes(last, region)
    assert held.box.low.tolist() == FEATURES.low.tolist()
    assert held.box.high.tolist() == FEATURES.high.tolist()
    assert held.upper[0] == pytest.approx(0.7 * SIGNS)
    assert held.upper[1] == pytest.approx(np.array([4.2, 4.2]))
    assert held.least(np.array([-0.1, -0.1])) + 1 == pytest.approx(-0.96)


def test_bounds_have_gradients():
    """The size of the boxes can be followed down to the weights of every layer."""
    weights, biases, region = made(4)
    weights = [weight.requires_grad_() for weight in weights]
    torch.autograd.backward(lines(weights, biases, region).total().sum(), inputs=weights)
    assert all(float(weight.grad.abs().sum()) > 0 for weight in weights)
