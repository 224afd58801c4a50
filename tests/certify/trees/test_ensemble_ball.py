"""Real ensembles: random points inside a certified radius are decided as the applicant is, on every slice."""

from collections import Counter

import numpy as np
import pytest

from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from tests.certify.trees.balls import data_of, inside

MODELS = [("boosting", 20, 3), ("boosting", 100, 3), ("boosting", 100, 4), ("forest", 20, 4)]
"""Kind, trees, depth."""


def decided(model, spec, points):
    """Return the label of each point on each slice, (S, POINTS); -1 for a tie."""
    rows = []
    for row in spec.domain_table:
        scores = committed_scores(model, np.hstack([points, np.tile(row, (len(points), 1))]))
        rows.append(np.where(scores == 0, -1, scores > 0))
    return np.array(rows)


def attacked(name, kind, trees, depth, *, count):
    """Attack the balls of fair applicants, and look across the boundary where one is found; return what was seen."""
    data = data_of(name, "rank")
    score, _, _ = train_additive(data, kind, rounds=trees, depth=depth)
    model, spec, rng, seen = quantise_score(score, data.spec), data.spec, np.random.default_rng(0), Counter()
    for number in data.test:
        query = spec.encode(data.rows[number])
        found = search_under(model, spec, query, max_leaves=128, max_seconds=10)
        if isinstance(found, Counterexample) or not found.radius_squared:
            continue
        points = inside(rng, query, found.radius_squared, model.additive.columns)
        assert (decided(model, spec, points) == found.label).all()
        seen["balls"] += 1
        if found.flip is not None:
            seen["flips"] += 1
            assert decided(model, spec, np.array([found.flip.point]))[found.flip.slice, 0] != found.label
            assert found.radius_squared <= found.upper <= found.flip.distance_squared
        if seen["balls"] == count:
            break
    return seen


def test_balls_of_an_ensemble_of_a_generated_data_set():
    """Boosted trees of depth 3."""
    assert attacked("lending", "boosting", 10, 3, count=1)["balls"] == 1


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "trees", "depth"), MODELS)
@pytest.mark.parametrize("name", ["german", "adult"])
def test_balls_of_ensembles_of_public_data_sets(name, kind, trees, depth):
    """Boosted trees and a forest: no point of the balls of five applicants is decided otherwise."""
    seen = attacked(name, kind, trees, depth, count=5)
    assert seen["balls"] == 5
    assert seen["flips"]
