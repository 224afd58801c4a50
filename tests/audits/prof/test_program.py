"""Step 2: the paper's worked example, and laws of the smallest change."""

import numpy as np
import pytest
from tests.audits.prof.worked import BIASES, EXACT, FEATURES, SYMBOLIC, WEIGHTS

from audits.prof.program import Change, Demand, repair_layer


def logits_between(held):
    """Return the least and the largest logit over a set before any repair."""
    low = held.least(WEIGHTS[0]) + BIASES[0]
    return low, -held.least(-WEIGHTS[0]) + BIASES[0]


@pytest.mark.parametrize(("held", "least"), [(FEATURES, -1.8), (SYMBOLIC, -0.96), (EXACT, -0.6)])
def test_the_worked_examples_bounds_before_repair(held, least):
    """Concrete [-1.8, 1], symbolic [-0.96, 1], exact [-0.6, 1]."""
    assert logits_between(held) == pytest.approx((least, 1.0), abs=1e-9)


@pytest.mark.parametrize(("held", "objective"), [(FEATURES, 9 / 70), (SYMBOLIC, 24 / 245), (EXACT, 3 / 40)])
def test_the_worked_examples_objectives(held, objective):
    """The naive change is 9/70, the symbolic one 24/245, the true one 3/40."""
    found = repair_layer(WEIGHTS, BIASES, [held], Demand())
    assert isinstance(found, Change)
    assert found.objective == pytest.approx(objective, abs=1e-9)
    assert found.proven
    assert found.labels == (1,)
    repaired = held.least((WEIGHTS + found.weights)[0]) + float((BIASES + found.biases)[0])
    assert repaired >= -1e-9
