"""Curves of agreement against the number of certificates."""

import time

import pytest

from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, aimed_at, curve, gains
from tests.certify.leak.made import (
    UNIT,
    additive,
    additive_certificates,
    drawn,
    held_out,
    linear,
    linear_certificates,
    spec,
)

COLUMNS = 8


def target():
    return Target(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))


def test_exact_radii_give_more_than_labels_at_every_count():
    """The curve of exact radii is at the top from one certificate more than columns; a seed gives it again."""
    pool = linear_certificates(COLUMNS, 60)
    exact = curve(target(), pool, None, (9, 30), seed=4)
    labels = curve(target(), pool, LABELS_ALONE, (9, 30), seed=4)
    assert [one.count for one in exact] == [9, 30]
    assert min(one.agreement for one in exact) > 0.99
    assert all(gain > 5 for gain in gains(exact, labels).values())
    assert exact == curve(target(), pool, None, (9, 30), seed=4)


def test_thresholds_are_counted_for_additive_models_alone():
    """An additive model has claims and hits, a linear one has none."""
    model = additive(4, 12)
    aimed = Target(model, spec(4), *held_out(model, 4))
    (point,) = curve(aimed, additive_certificates(4, 12, 100), None, (90,), draws=1)
    assert point.claimed >= point.known >= 4
    (other,) = curve(target(), linear_certificates(COLUMNS, 60), None, (9,), draws=1)
    assert other.claimed is None


def test_counts_beyond_the_pool_or_the_time_are_left_out():
    """Nobody has more certificates than there are, and a deadline ends the curve."""
    pool = linear_certificates(COLUMNS, 60)
    assert curve(target(), pool, (), (61,)) == []
    assert curve(target(), pool, (), (9,), deadline=time.monotonic() - 1) == []


def test_gains_compare_equal_counts():
    """A gain is in points of percent, and only where both curves have the count."""
    assert gains([Point(10, 0.9), Point(30, 0.95)], [Point(10, 0.8)]) == {10: pytest.approx(10.0)}


def test_people_whose_decision_depends_on_sensitive_values_are_left_out():
    """Held-out people are those who would get a certificate, with their label; of a score as of a network."""
    model = linear(3, sensitive=UNIT)
    queries = drawn(3, 60)
    labels = [{model.logits((*query, s))[0] > 0 for s in (-UNIT, UNIT)} for query in queries]
    aimed = aimed_at(model, spec(3), queries)
    assert 0 < len(aimed.labels) < 60
    assert aimed.labels.tolist() == [int(min(one)) for one in labels if len(one) == 1]
    assert aimed.points.shape == (len(aimed.labels), 3)
    card = additive(3, 8)
    assert aimed_at(card, spec(3), queries).labels.tolist() == [int(card.score((*query, 0)) > 0) for query in queries]
