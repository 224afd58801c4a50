"""The least value of a linear form: over points, a box, and a polytope between them."""

import numpy as np
import pytest

from equiproof.audits.prof.sets import Box, Points, Polytope
from tests.audits.prof.worked import FEATURES, INPUTS, SYMBOLIC


@pytest.mark.parametrize("seed", range(4))
def test_points_are_above_their_polytope_and_this_above_its_box(seed):
    """Whatever the form, least values fall from the points to the polytope to the box."""
    rng = np.random.default_rng(seed)
    lines = rng.normal(size=(3, 2)), rng.normal(size=3)
    inputs = rng.uniform(-1, 1, size=(50, 2))
    features = np.maximum(inputs @ lines[0].T + lines[1], 0.0)
    box = Box(features.min(axis=0), features.max(axis=0))
    wide = (lines[0], lines[1] + features.max(axis=0) + 2.0)
    held = Polytope(box, Box(-np.ones(2), np.ones(2)), lines, wide)
    for form in rng.normal(size=(20, 3)):
        assert Points(features).least(form) >= held.least(form) - 1e-9
        assert held.least(form) >= box.least(form) - 1e-9


def test_a_polytope_is_what_its_lines_say():
    """In the worked example h1 + h2 is at most 19.6, where the box alone allows 28."""
    form = np.array([-1.0, -1.0])
    assert SYMBOLIC.least(form) == pytest.approx(-19.6)
    assert FEATURES.least(form) == -28.0
    assert SYMBOLIC.high.tolist() == [14.0, 14.0]
    assert Box(INPUTS.low, INPUTS.high).least(np.array([1.0, -2.0])) == -2.0
