"""LIME's explanation finds the features that a score depends on, and measures k as the judge does."""

import numpy as np
import pytest

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import margin_of
from equiproof.certify.network import Layer, QuantisedNetwork
from research.suites.hyfair.surrogate import local
from tests.audits.hyfair.small import SPEC

INCOME, CAR, GRADE, GROUP, AGE = 0, 1, 4, 5, 6
"""Columns of the small spec: income, three of purpose, grade, group, age."""


def judge_of(**weights):
    """A network that is linear in chosen columns: relu(z) - relu(-z) of z = sum of weight times column."""
    row = [0] * 7
    for name, weight in weights.items():
        row[{"income": INCOME, "car": CAR, "grade": GRADE, "group": GROUP, "age": AGE}[name]] = weight
    layers = (Layer((tuple(row), tuple(-w for w in row)), (0, 0)), Layer(((16, -16),), (0,)))
    network = QuantisedNetwork(layers, SPEC.input_fraction_bits, (4, 4))
    return Judge(Forward(margin_of(network), grid_of(SPEC)))


@pytest.mark.parametrize(("weights", "features"), [
    ({"grade": 20, "group": 16, "age": 12}, {"grade", "group", "age"}),
    ({"income": 30, "car": 40, "group": 20}, {"income", "purpose", "group"}),
])  # fmt: skip
def test_the_features_of_a_linear_score_are_found(weights, features):
    """The three of them are those of the largest coefficients under every assignment."""
    judge = judge_of(**weights)
    applicant = judge.forward.grid.find({"income": "3", "purpose": "car", "grade": "middle"})
    found = local(judge, applicant, 3000, np.random.default_rng(0))
    assert set(found.features) == features
    assert found.k == judge.exactly(applicant)[0]


def test_k_falls_by_features_that_it_depends_on_and_by_no_others():
    """Where scores depend on protected features alone, nothing that is drawn anew changes k."""
    judge = judge_of(group=16, age=12)
    applicant = judge.forward.grid.find({"income": "3", "purpose": "car", "grade": "middle"})
    found = local(judge, applicant, 1000, np.random.default_rng(0))
    assert {"group", "age"} <= set(found.features)
    assert found.one_by_one == found.together == found.k > 2
    # Far from 0 in income, all scores are alike.
    steep = judge_of(income=30, group=10, age=10)
    zero = steep.forward.grid.find({"income": "0", "purpose": "car", "grade": "low"})
    fallen = local(steep, zero, 1000, np.random.default_rng(0))
    assert "income" in fallen.features
    assert fallen.one_by_one < fallen.k
    assert fallen.together < fallen.k
