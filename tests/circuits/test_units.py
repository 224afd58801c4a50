"""Distances of the grid in real units: the least square with a radius, and the radius that a square has."""

import random
from fractions import Fraction

import pytest

from equiproof.circuits.spec import SpecError
from equiproof.circuits.units import first_number_moved, largest_shown, radius_of_any, squared_radius
from tests.support import HOUSING, INCOME, LOANS, SAVINGS, SEX, changed, spec_of
from tests.web.specs import drawn


def test_the_square_of_a_radius_is_the_least_that_has_it():
    """One less has a smaller radius; of a square's own radius nothing is lost, and 0 is the square of none."""
    rng = random.Random("radii")
    for _ in range(20):
        spec = drawn(rng)
        largest = radius_of_any(spec, spec.max_radius_squared)
        radii = [Fraction(1, 10**9), largest / 3, largest, *(Fraction(at, spec.scale_unit) for at in (1, 2, 3))]
        for radius in (one for one in radii if 0 < one <= largest):
            squared = squared_radius(spec, radius)
            assert radius_of_any(spec, squared) >= radius > radius_of_any(spec, squared - 1)
        assert squared_radius(spec, Fraction(0)) == 0
        for wrong in (Fraction(-1, 10**9), largest + Fraction(2, spec.scale_unit)):
            with pytest.raises(SpecError, match=r"not between 0 and [0-9]+\.[0-9]{6}, the largest"):
                squared_radius(spec, wrong)


def test_the_largest_radius_shown_is_that_of_the_last_level():
    """Without levels it is the cap of the search, less what rounding takes off."""
    assert largest_shown(LOANS) == radius_of_any(LOANS, LOANS.max_radius_squared) > 0
    levels = changed(LOANS, levels=("0.25", "0.5"))
    assert largest_shown(levels) == radius_of_any(LOANS, 512**2) == Fraction(1, 2) - Fraction(2, LOANS.scale_unit)


def test_how_far_one_number_alone_may_move_is_said_of_a_number():
    """Of the first numeric feature, wherever it stands; of the first of all where there is none."""
    for features in ((INCOME, HOUSING, SEX), (SAVINGS, INCOME, SEX)):
        assert first_number_moved(spec_of(*features), 1 << 20).startswith("income +- 11,9")
    assert first_number_moved(spec_of(SAVINGS, HOUSING, SEX), 1 << 20).startswith("savings this value")
