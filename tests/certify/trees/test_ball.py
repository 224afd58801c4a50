"""Real models: ten thousand random points inside a certified radius are decided as the applicant is, on every slice."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from equiproof.certify.models.ensembles.fidelity import measure_score_on
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.scoring import integer_scores
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.search import search_under
from tests.certify.trees.balls import data_of, inside

KINDS = ("boosting", "scorecard")
PUBLIC = ("german", "hmda", "compas", "law_school")


@cache
def trained(name, kind, encoding="rank", rounds=60):
    """Return a data set, a model trained on it, and its integers."""
    data = data_of(name, encoding)
    score, _, _ = train_additive(data, kind, rounds=rounds)
    return data, score, quantise_score(score, data.spec)


def decided(model, spec, points):
    """Return the label of each point on each slice, (S, POINTS); -1 for a tie."""
    plain = integer_scores(model, points, range(model.plain)) + model.bias
    table = np.zeros((len(spec.domain_table), model.inputs), dtype=np.int64)
    table[:, model.plain :] = spec.domain_table
    scores = plain[None, :] + integer_scores(model, table, range(model.plain, model.inputs))[:, None]
    return np.where(scores == 0, -1, scores > 0)


def judged(data, model, count):
    """Look at fair applicants: their balls hold, and the point just across is decided otherwise. Return how many."""
    rng, spec, seen = np.random.default_rng(0), data.spec, 0
    for number in data.test:
        query = spec.encode(data.rows[number])
        found = search_under(model, spec, query, max_leaves=64, max_seconds=20)
        if isinstance(found, Counterexample) or not found.radius_squared:
            continue
        points = inside(rng, query, found.radius_squared, model.columns)
        assert (decided(model, spec, points) == found.label).all()
        if found.flip is not None:
            across = decided(model, spec, np.array([found.flip.point]))[found.flip.slice, 0]
            assert across != found.label
            assert found.upper <= found.flip.distance_squared
        if found.complete and not found.capped:
            assert Fraction(found.radius_squared) == found.upper
        seen += 1
        if seen == count:
            break
    return seen


@pytest.mark.parametrize(("kind", "encoding"), [("scorecard", "rank"), ("boosting", "one-hot")])
def test_balls_of_a_generated_data_set(kind, encoding):
    """Scorecards and stumps, with categories as ranks and in columns of their own."""
    data, _, model = trained("lending", kind, encoding, rounds=40 if kind == "scorecard" else 60)
    assert judged(data, model, 2) == 2


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("encoding", ["rank", "one-hot"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PUBLIC)
def test_balls_of_public_data_sets(name, kind, encoding):
    """The same on public data sets of two labels, where integers decide every row as the trained model does."""
    data, score, model = trained(name, kind, encoding)
    assert measure_score_on(score, model, data).rows.differing == 0
    assert judged(data, model, 3) == 3


def test_one_hot_columns_move_with_their_value():
    """A column of 0 and 1 has one threshold at most, which the applicant's own value alone passes."""
    data, _, model = trained("lending", "boosting", "one-hot")
    first = 0
    for feature in data.spec.plain_features:
        if feature.name == "purpose":
            break
        first += feature.width
    own = {column: place for place, column in enumerate(model.columns) if first <= column < first + feature.width}
    assert own
    assert len(own) == sum(first <= column < first + feature.width for column in model.columns)
    scores = set()
    for value, column in zip(feature.domain, range(first, first + feature.width), strict=True):
        row = dict(data.rows[0]) | {"purpose": value}
        inputs = (*data.spec.encode(row), *data.spec.domain_table[0])
        passed = {one for one, place in own.items() if inputs[one] > model.thresholds[place]}
        assert passed == {column} & set(own)
        scores.add(model.score(inputs))
    assert len(scores) > 1
