"""Step 1: features become alike, the last layer stays, and what is kept is kept."""

import numpy as np
import pytest
import torch

from equiproof.audits.prof.bounds import Region
from equiproof.audits.prof.calibrate import Kept, Varied, calibrate


def question(seed=0):
    """Return layers 4-5-3-1, the similar inputs of six points in two columns, and twenty rows to keep."""
    rng = np.random.default_rng(seed)
    sizes = [(5, 4), (3, 5), (1, 3)]
    weights, biases = [rng.normal(size=size) for size in sizes], [rng.normal(size=size[0]) for size in sizes]
    fixed = rng.normal(size=(6, 4))
    listed = np.repeat(fixed[:, None], 4, axis=1)
    listed[:, :, 2:] = [[0, 0], [0, 1], [1, 0], [1, 1]]
    fixed[:, 2:] = 0.0
    ends = torch.zeros(6, 2, dtype=torch.float64), torch.ones(6, 2, dtype=torch.float64)
    varied = Varied(Region(torch.from_numpy(fixed), (2, 3), *ends), torch.from_numpy(listed))
    kept = Kept(rng.normal(size=(20, 4)), rng.integers(2, size=20))
    return weights, biases, varied, kept


@pytest.mark.parametrize("extent", ["bounds", "points"])
def test_both_losses_are_followed(extent):
    """The fairness loss begins at 1 and falls; the last layer is the very same."""
    weights, biases, varied, kept = question()
    calibrated = calibrate(weights, biases, varied, kept, steps=60, extent=extent)
    assert calibrated.fairness[0] == pytest.approx(1.0)
    assert calibrated.fairness[1] < 0.5
    assert calibrated.losses[0] == pytest.approx((calibrated.fairness[0], calibrated.cross_entropy[0]))
    assert len(calibrated.losses) == 60
    assert np.array_equal(calibrated.weights[-1], weights[-1])
    assert np.array_equal(calibrated.biases[-1], biases[-1])
    assert not np.array_equal(calibrated.weights[0], weights[0])


def test_no_steps_change_nothing():
    """Weights and biases come back as they are, and what was given is not written to."""
    weights, biases, varied, kept = question()
    copies = [array.copy() for array in (*weights, *biases)]
    calibrated = calibrate(weights, biases, varied, kept, steps=0)
    again = calibrate(weights, biases, varied, kept, steps=5)
    for before, after, given in zip(
        copies, (*calibrated.weights, *calibrated.biases), (*weights, *biases), strict=True
    ):
        assert np.array_equal(before, after)
        assert np.array_equal(before, given)
    assert again.fairness[1] != calibrated.fairness[1]


def test_points_that_cannot_be_listed_are_refused():
    """The exact extent needs every similar input."""
    weights, biases, varied, kept = question()
    with pytest.raises(ValueError, match="too many values"):
        calibrate(weights, biases, Varied(varied.region, None), kept, extent="points")


def test_nothing_to_keep_is_no_loss():
    """Without rows only the features count."""
    weights, biases, varied, _ = question()
    none = Kept(np.zeros((0, 4)), np.zeros(0, dtype=np.int64))
    assert calibrate(weights, biases, varied, none, steps=1).cross_entropy == (0.0, 0.0)
