"""The bound of a lot: equal to other people's distributions, right as often as it promises, exact at every edge."""

import random
from fractions import Fraction
from math import comb

import pytest
from scipy.stats import hypergeom

from equiproof.register.lot.bound import MOST_DRAWN, at_least, draws_for
from equiproof.register.lot.errors import LotError

C95 = Fraction(95, 100)
SMALL = [(receipts, drawn) for receipts in (1, 2, 5, 12) for drawn in range(1, receipts + 1)]


def chance(receipts, drawn, most, wrong):
    """Return the exact chance of at most so many bad ones among the drawn, by counting."""
    sets = sum(comb(wrong, bad) * comb(receipts - wrong, drawn - bad) for bad in range(min(most, wrong, drawn) + 1))
    return Fraction(sets, comb(receipts, drawn))


@pytest.mark.parametrize(("receipts", "drawn"), SMALL)
@pytest.mark.parametrize("confidence", [Fraction(1, 2), C95, Fraction(999, 1000)])
def test_it_is_the_least_that_had_a_chance(receipts, drawn, confidence):
    """The bound is the least number of good ones under which so few bad ones had a chance above the doubt."""
    for bad in range(drawn + 1):
        wrong = [many for many in range(receipts + 1) if chance(receipts, drawn, bad, many) > 1 - confidence]
        assert at_least(receipts, drawn, bad, confidence) == receipts - max(wrong)


@pytest.mark.parametrize(("receipts", "drawn"), [(12, 5), (30, 11), (60, 20)])
def test_it_is_wrong_no_more_often_than_it_may(receipts, drawn):
    """Whatever the truth is, the chance of a bound above it is at most the doubt: added up, not simulated."""
    bounds = [at_least(receipts, drawn, bad, C95) for bad in range(drawn + 1)]
    for wrong in range(receipts + 1):
        first = next((bad for bad in range(drawn + 1) if bounds[bad] <= receipts - wrong), drawn)
        assert not first or chance(receipts, drawn, first - 1, wrong) <= 1 - C95


@pytest.mark.parametrize(
    ("receipts", "drawn", "bad"),
    [(48_211, 300, 0), (48_211, 300, 3), (48_211, 300, 40), (1_000_000, 3_000, 5), (500, 499, 2)],
)
def test_scipy_finds_the_same(receipts, drawn, bad):
    """At the bound the distribution of scipy is above the doubt, one bad receipt further it is not."""
    wrong = receipts - at_least(receipts, drawn, bad, C95)
    assert hypergeom.cdf(bad, receipts, wrong, drawn) > 0.05
    assert hypergeom.cdf(bad, receipts, wrong + 1, drawn) <= 0.05


def test_a_simulation_finds_the_same():
    """Of 2,000 lots from a period whose good share lies just at what is promised, at most some 5 % promise too much."""
    rng, receipts, drawn, wrong = random.Random(1), 2_000, 120, 100
    bounds = [at_least(receipts, drawn, bad, C95) for bad in range(drawn + 1)]
    lots = [sum(one < wrong for one in rng.sample(range(receipts), drawn)) for _ in range(2_000)]
    too_much = sum(bounds[bad] > receipts - wrong for bad in lots)
    assert 0 < too_much < 130, too_much  # 100 expected at most, with a deviation of 10


def test_the_mock_up_and_the_rule_of_three():
    """300 of 48,211 show 99.0 %, with three bad ones 97.4 %; 3,000 of ten million show 99.9 %."""
    assert [at_least(48_211, 300, bad, C95) * 1000 // 48_211 for bad in (0, 3)] == [990, 974]
    assert at_least(10_000_000, 3_000, 0, C95) * 1000 // 10_000_000 == 999


def test_everything_drawn_is_everything_known():
    """Where all are drawn, the bound is the number of good ones."""
    assert [at_least(20, 20, bad, C95) for bad in (0, 1, 20)] == [20, 19, 0]


@pytest.mark.parametrize(("receipts", "share", "bad"), [(48_211, "0.99", 0), (48_211, "0.99", 3), (300, "0.9", 0)])
def test_the_number_to_draw_is_the_least(receipts, share, bad):
    """So many show the share and one fewer do not."""
    needed, wanted = draws_for(receipts, Fraction(share), C95, bad), Fraction(share) * receipts
    assert at_least(receipts, needed, bad, C95) >= wanted > at_least(receipts, needed - 1, bad, C95)


def test_no_lot_shows_what_it_cannot():
    """All of twenty are shown by nineteen good ones, with a doubt of just 1 in 20; never with one that is bad."""
    assert draws_for(20, Fraction(1), C95) == 19
    assert draws_for(20, Fraction(1), C95, bad=1) is None


@pytest.mark.parametrize(
    ("receipts", "drawn", "bad", "confidence"),
    [
        *((0, 1, 0, "0.95"), (5, 0, 0, "0.95"), (5, 6, 0, "0.95"), (5, 5, 6, "0.95"), (5, 5, -1, "0.95")),
        *(
            (5, 5, 0, "0"),
            (5, 5, 0, "1"),
            (5, 5, 0, "95"),
            (1 << 40, 5, 0, "0.95"),
            (50_000, MOST_DRAWN + 1, 0, "0.95"),
        ),
    ],
)
def test_numbers_that_no_lot_has(receipts, drawn, bad, confidence):
    """Each is refused in one line: a confidence of 95 would otherwise promise everything."""
    with pytest.raises(LotError, match="want"):
        at_least(receipts, drawn, bad, Fraction(confidence))
