"""Distances of the grid in real units: the least square with a radius, and the radius that a square has."""

import random
from fractions import Fraction

import pytest

from equiproof.circuits.spec import SpecError
from equiproof.circuits.units import radius_of_any, squared_radius
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
