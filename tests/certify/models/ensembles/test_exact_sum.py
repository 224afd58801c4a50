"""Sums in limbs against sums of Python's integers, and ranks by floats against those of exact fractions."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.certify.models.ensembles import exact_sum
from equiproof.certify.models.ensembles.exact_sum import ExactSum
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.certify.models.rounding import round_half_up, scaled_half_up

NUMBERS = st.one_of(
    st.integers(-(1 << 200), 1 << 200),
    st.sampled_from([0, 1, -1, 1 << 31, 1 << 32, -(1 << 32), (1 << 32) - 1, (1 << 63) - 1, -(1 << 63), 1 << 64]),
)
FRACTIONS = st.one_of(
    st.fractions(min_value=-4, max_value=4, max_denominator=1 << 60),
    # Neighbors that no float tells apart, and numbers past the largest float.
    st.integers(-3, 3).map(lambda way: 1 + Fraction(way, 1 << 80)),
    st.sampled_from([Fraction(10) ** 400, -(Fraction(10) ** 400), Fraction(1, 10**400), Fraction(0)]),
)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=6))
def test_sums_are_those_of_integers_of_any_size(summands: list[list[int]]) -> None:
    places = np.array([0, 1, 2, 2, 0])
    total = ExactSum(len(places))
    for numbers in summands:
        total.add(numbers, places)
    assert total.whole().tolist() == [sum(numbers[place] for numbers in summands) for place in places.tolist()]


def test_no_more_summands_than_64_bits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_sum, "_MOST_SUMMANDS", 1)
    total = ExactSum(1)
    total.add([5], np.array([0]))
    with pytest.raises(OverflowError):
        total.add([5], np.array([0]))


@given(
    st.lists(st.tuples(FRACTIONS, st.booleans()), min_size=1, max_size=8, unique=True), st.lists(FRACTIONS, max_size=8)
)
def test_a_value_passes_the_steps_that_exact_fractions_say(
    ends: list[tuple[Fraction, bool]], more: list[Fraction]
) -> None:
    rays = sorted((Ray(end, closed=closed) for end, closed in ends), key=lambda ray: (ray.end, not ray.closed))
    score = Score(
        "x", 1, 1, 8, Fraction(0), tuple(Step(0, ray, number, Fraction(1)) for number, ray in enumerate(rays))
    )
    for value in [*more, *(ray.end for ray in rays)]:
        assert score._place(0, value) == sum(value in ray for ray in rays)
        assert score._place(0, value) == bisect_right(score.ends[0][0], (value, 1))


@given(FRACTIONS, st.integers(0, 60))
def test_rounding_in_integers_is_that_of_fractions(value: Fraction, bits: int) -> None:
    assert scaled_half_up(value, bits) == round_half_up(value * 2**bits)
