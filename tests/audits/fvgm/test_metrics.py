"""Metrics by hand, their bounds, and verdicts that go back to exact numbers where floats do not settle them."""

import random
from fractions import Fraction

import pytest

from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.metrics import (
    Shares,
    disparate_impact,
    equalized_odds,
    judged,
    path_specific,
    shares,
    statistical_parity,
)
from equiproof.audits.fvgm.network import BOOLEAN, Choice, Network, boolean
from equiproof.audits.fvgm.programme import ProgrammeSizeError
from tests.audits.fvgm.drawn import drawn_case


def shares_of(*values):
    """Exact shares of groups 0, 1, ..."""
    return Shares(tuple({"a": str(i)} for i in range(len(values))), tuple(Bounds.of(Fraction(v)) for v in values))


def test_metrics_by_hand():
    """Ratio, difference and the larger of two differences; with nobody accepted, nobody is ahead."""
    found = shares_of("1/2", "1/4", "3/8")
    assert disparate_impact(found) == Bounds.of(Fraction(1, 2))
    assert statistical_parity(found) == Bounds.of(Fraction(1, 4))
    assert (found.most_favored, found.least_favored) == ({"a": "0"}, {"a": "1"})
    assert equalized_odds(found, shares_of("1/2", "1/5", "1/2")) == Bounds.of(Fraction(3, 10))
    assert disparate_impact(shares_of("0", "0")) == Bounds.of(1)
    assert disparate_impact(shares_of("0", "1/3")) == Bounds.of(0)


def test_bounds_of_floats_enclose_the_exact_metrics():
    """On random cases the metrics of floats enclose those of whole numbers."""
    for seed in range(150):
        linear, network, _ = drawn_case(random.Random(seed))
        near, exact = shares(linear, network), shares(linear, network, arithmetic="exact")
        for metric in (disparate_impact, statistical_parity):
            assert metric(exact).exact
            assert metric(near).low <= metric(exact).low <= metric(near).high


def test_path_specific_effect_by_hand():
    """Example B.1: gender changes the job offer by itself and through college; with college of the most favored as a
    mediator only the first is left.
    """
    college = boolean("college", ["gender"], true=["1/4", "3/4"])
    years = boolean("years", true=["1/2"])
    network = Network((Choice("gender", BOOLEAN),), (college, years))
    linear = Linear.boolean({"gender": 1, "college": 1, "years": 1}, 2)
    base = shares(linear, network, arithmetic="exact")
    assert [one.low for one in base.accepted] == [Fraction(1, 8), Fraction(7, 8)]
    favored, found = path_specific(linear, network, ["college"], arithmetic="exact")
    assert favored == {"gender": "1"}
    assert [one.low for one in found.accepted] == [Fraction(3, 8), Fraction(7, 8)]


def test_path_specific_effect_without_a_direct_one_is_nothing():
    """Where gender works through college alone, the difference with college as a mediator is zero."""
    network = Network((Choice("gender", BOOLEAN),), (boolean("college", ["gender"], true=["1/4", "3/4"]),))
    _, found = path_specific(Linear.boolean({"college": 1}, 1), network, ["college"], arithmetic="exact")
    assert statistical_parity(found) == Bounds.of(0)


@pytest.mark.parametrize(("limit", "verdict"), [("4/5", "fair"), ("3/4", "fair"), ("81/100", "unfair")])
def test_a_metric_on_the_limit_is_settled_exactly(limit, verdict):
    """A disparate impact of exactly 4/5 is fair at 4/5, whatever floats make of it."""
    network = Network((Choice("a", BOOLEAN),), (boolean("x", ["a"], true=["3/10", "3/8"]),))
    linear = Linear.boolean({"x": 1}, 1)
    asked = []

    def measure(arithmetic):
        asked.append(arithmetic)
        return disparate_impact(shares(linear, network, arithmetic=arithmetic))

    assert judged(measure, Fraction(limit), "at least").verdict == verdict
    assert asked == (["float", "exact"] if limit == "4/5" else ["float"])


def test_too_large_a_programme_is_undecided_with_the_reason():
    """Where the programme would grow past its size, the verdict is undecided, and says why."""

    def measure(_arithmetic):
        raise ProgrammeSizeError(10, 5, "x")

    found = judged(measure, Fraction(1, 10), "at most")
    assert (found.verdict, found.value) == ("undecided", None)
    assert "10 numbers to keep" in found.reason
