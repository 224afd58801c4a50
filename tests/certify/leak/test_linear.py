"""Copies of linear models: equations of exact radii, bounds of levels, labels alone."""

import numpy as np
import pytest

from equiproof.certify.leak.linear import linear_copy
from tests.certify.leak.made import UNIT, held_out, linear, linear_certificates, spec

COLUMNS = 8


def agreement(certificates, levels):
    """Return how often the copy decides as the model."""
    points, labels = held_out(linear(COLUMNS), COLUMNS)
    return float(np.mean(linear_copy(certificates, spec(COLUMNS), levels).decide(points) == labels))


def test_one_certificate_more_than_columns_copies_the_model_exactly():
    """Nine exact radii give all eight weights to three digits; labels alone are far from that."""
    few = linear_certificates(COLUMNS, 60)[: COLUMNS + 1]
    copy = linear_copy(few, spec(COLUMNS), None)
    row = np.array(linear(COLUMNS).layers[0].weights[0][:COLUMNS], dtype=float)
    assert copy.direction == pytest.approx(row / np.linalg.norm(row), abs=2e-3)
    assert agreement(few, None) > 0.995
    assert agreement(few, ()) < 0.95


def test_levels_leave_no_equations():
    """At a level, a copy is better than from labels alone and worse than from exact radii."""
    some = linear_certificates(COLUMNS, 60)
    radii = sorted(one.radius_squared for one in some)
    levels = (radii[len(radii) // 10], radii[len(radii) // 2])
    exact, shown, labels = (agreement(some, given) for given in (None, levels, ()))
    assert exact > 0.998 > shown > labels > 0.8


def test_a_few_radii_that_are_cut_off_do_not_spoil_equations():
    """Where searches or ranges end some radii early, the other equations still give the model."""
    some = list(linear_certificates(COLUMNS, 60))
    for place in range(0, 60, 10):
        some[place] = type(some[place])(some[place].query, some[place].label, some[place].radius_squared // 4 + UNIT)
    assert agreement(some, None) > 0.99


def test_one_label_alone_is_a_copy_too():
    """Certificates of one label give a hyperplane, whatever it is worth."""
    some = [one for one in linear_certificates(COLUMNS, 60) if one.label == 1][:3]
    assert 0.0 <= agreement(some, ()) <= 1.0
    assert 0.0 <= agreement(some[:1], (UNIT,)) <= 1.0
