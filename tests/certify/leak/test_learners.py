"""Copies from labels and balls: what points are drawn, and which learner is taken."""

import numpy as np
import pytest

from equiproof.certify.leak.certificates import Certificate
from equiproof.certify.leak.learners import BALL_POINTS, LEARNERS, Sample, best_copy, fitted
from tests.certify.leak.made import UNIT, additive, additive_certificates, held_out, lacking, linear_certificates, spec

COLUMNS = 4


def test_points_of_balls_have_the_label_of_their_centre():
    """Every ball gives points that are closer than the shown radius; labels alone give none."""
    some = linear_certificates(COLUMNS, 20)
    level = min(one.radius_squared for one in some) or 1
    sample = Sample(some, spec(COLUMNS), (level,), set(), seed=1)
    size = 1 + BALL_POINTS
    for place, one in enumerate(some):
        points = sample.points[place * size : (place + 1) * size] * UNIT
        assert (sample.labels[place * size : (place + 1) * size] == one.label).all()
        squares = ((points - np.array(one.query)) ** 2).sum(axis=1)
        assert squares[0] == 0
        assert (squares < level).all()
    assert len(Sample(some, spec(COLUMNS), (), set(), seed=1).labels) == len(some)


@pytest.mark.parametrize("use_ranges", [False, True])
def test_what_is_missing_stays_missing_in_a_ball(use_ranges):
    """Neighbors lack the same values, and ranges are those of stated ones; who states nothing has no neighbors."""
    given = lacking(3, use_ranges)
    some = [Certificate((given.absent, 100, -50), 1, 40_000), Certificate((given.absent,) * 3, 1, 40_000)]
    points = Sample(some, given, (10_000,), set(), seed=1).points * UNIT
    assert len(points) == 1 + BALL_POINTS + 1
    assert (points[:, 0] == given.absent).all()
    inside = points[1 : 1 + BALL_POINTS, 1:] - (100, -50)
    assert ((inside**2).sum(axis=1) > 0).all()
    assert ((inside**2).sum(axis=1) < 10_000).all()


def test_points_beyond_thresholds_have_the_other_label():
    """Where known thresholds explain an exact radius, the nearest point past them is decided otherwise."""
    some = additive_certificates(COLUMNS, 12, 60)
    model = additive(COLUMNS, 12)
    known = set(zip(model.columns, model.thresholds, strict=True))
    sample = Sample(some, spec(COLUMNS), None, known, seed=1)
    beyond = np.flatnonzero(sample.weights == 2.0)
    assert len(beyond) > 20
    for place in beyond:
        query = tuple(int(value) for value in np.round(sample.points[place] * UNIT))
        assert int(model.score((*query, UNIT)) >= 1) == sample.labels[place]


def test_every_learner_copies_better_than_guessing():
    """Each learner of each family beats the larger label; the best one of an additive model is among them."""
    some = additive_certificates(COLUMNS, 12, 100)
    points, labels = held_out(additive(COLUMNS, 12), COLUMNS)
    base = max(labels.mean(), 1 - labels.mean())
    sample = Sample(some, spec(COLUMNS), None, set(), seed=1)
    for name in sorted({name for names in LEARNERS.values() for name in names}):
        assert (fitted(name, sample)(points) == labels).mean() > base + 0.03, name
    assert (best_copy("additive", sample)(points) == labels).mean() > base + 0.1


def test_one_label_alone_copies_as_that_label():
    """Where all certificates have one label, so has everybody."""
    some = [one for one in linear_certificates(COLUMNS, 20) if one.label == 1][:4]
    sample = Sample(some, spec(COLUMNS), (), set(), seed=1)
    assert best_copy("network", sample)(np.zeros((3, COLUMNS))).tolist() == [1, 1, 1]
