"""Buckets and gaps of scores, decided exactly."""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from equiproof.audits.hyfair import scores


def close(margin):
    """The score to sixty digits."""
    with localcontext(prec=80):
        number = Decimal(margin.numerator) / Decimal(margin.denominator)
        return Fraction(1 / (1 + (-number).exp()))


def drawn(rng):
    return Fraction(rng.randint(-(1 << 40), 1 << 40), 1 << rng.choice((36, 38, 45)))


def test_a_bucket_holds_the_scores_from_its_edge_on():
    """Against sixty digits, for random margins and several widths."""
    rng = random.Random(1)
    for _ in range(300):
        margin, n = drawn(rng), rng.choice((2, 3, 10, 20))
        assert scores.bucket(margin, Fraction(1, n)) == math.floor(close(margin) * n)


def test_edges_are_bracketed_by_rationals_that_nothing_lies_between():
    """A margin just beside an edge is placed on the right side, with brackets as narrow as necessary."""
    for i in (1, 3, 9, 11, 19):
        low, high = scores.edge(i, 20, 200)
        assert 0 < high - low < Fraction(1, 10**190)
        assert scores.bucket(low - Fraction(1, 10**195)) == i - 1
        assert scores.bucket(high + Fraction(1, 10**195)) == i


def test_the_middle_edge_is_zero_and_belongs_to_the_upper_bucket():
    """ln 1 = 0 is the one rational edge."""
    assert [scores.bucket(m) for m in (Fraction(-1, 10**9), Fraction(0))] == [9, 10]


def test_far_margins_keep_to_the_first_and_the_last_bucket():
    """No exponential of a huge number is ever written out."""
    assert [scores.bucket(Fraction(m)) for m in (-(10**12), 10**12)] == [0, 19]
    assert scores.gap_exceeds(Fraction(10**12), Fraction(-(10**12)))
    assert not scores.gap_exceeds(Fraction(10**12), Fraction(10**11))
    for margin in (Fraction(10**5), Fraction(9999), Fraction(-(10**5))):
        low, high = scores.score(margin)
        assert 0 <= low < high <= 1


def test_gaps_are_those_of_sixty_digits():
    """For random pairs, and for pairs whose gap is a hair above or below the width."""
    rng = random.Random(2)
    for _ in range(300):
        a, b = drawn(rng), drawn(rng)
        assert scores.gap_exceeds(a, b) == (abs(close(a) - close(b)) > scores.EPSILON)
    # 4 artanh(1/20) around 0 is the narrowest pair that is apart.
    step = Fraction(2) * Fraction(math.log(1.05 / 0.95))
    assert scores.gap_exceeds(step / 2 + Fraction(1, 10**15), -step / 2)
    assert not scores.gap_exceeds(step / 2 - Fraction(1, 10**15), -step / 2)


def test_a_bound_of_gaps_holds_for_every_pair_and_is_reached():
    """The largest gap of sampled pairs never contradicts it, and one at the place it names does."""
    rng = random.Random(3)
    for _ in range(200):
        low, high = sorted((Fraction(rng.uniform(-6, 6)), Fraction(rng.uniform(-6, 6))))
        apart = Fraction(rng.uniform(0, 2))
        step = min(apart, high - low)
        starts = [low + (high - step - low) * Fraction(i, 60) for i in range(61)]
        sampled = any(scores.gap_exceeds(start + step, start) for start in starts)
        if sampled:
            assert not scores.gap_at_most(low, high, apart)
        elif not scores.gap_at_most(low, high, apart):
            start = min(max(-step / 2, low), high - step)
            assert scores.gap_exceeds(start + step, start)


def test_clusters_by_buckets_and_by_gaps_are_two_counts():
    """A bucket's edge between near scores counts, a chain of near scores is one cluster."""
    near = [Fraction(-1, 1000), Fraction(1, 1000)]
    assert (scores.bucket_clusters(near), scores.gap_clusters(near)) == (2, 1)
    far = [Fraction(-2), Fraction(0), Fraction(2)]
    assert (scores.bucket_clusters(far), scores.gap_clusters(far)) == (3, 3)


def test_a_flip_is_another_label_and_a_gap_is_not():
    """A hair around 0 flips and is not apart; 1 and 3 are apart and do not flip; 0 has the lower label."""
    hair = [Fraction(-1, 10**6), Fraction(1, 10**6)]
    assert scores.flips(hair)
    assert not scores.gap_exceeds(*hair)
    assert not scores.flips([Fraction(1), Fraction(3)])
    assert scores.gap_exceeds(Fraction(3), Fraction(1))
    assert scores.flips([Fraction(0), Fraction(1)])
    assert not scores.flips([Fraction(0), Fraction(-1)])


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(3, 20), Fraction(2)])
def test_widths_that_do_not_fill_the_scores_are_refused(epsilon):
    """Buckets of 3/20 would leave a rest."""
    with pytest.raises(ValueError, match="want 1/n"):
        scores.bucket(Fraction(0), epsilon)


@pytest.mark.parametrize("far", [Fraction(23507564743, 1 << 21), Fraction(10**9), Fraction(1, 3)])
def test_scores_of_one_sign_are_less_than_a_half_apart(far):
    """From a margin of 0 to one however far it is less than 1/2, from one just beyond 0 to a far one it is more."""
    half = Fraction(1, 2)
    assert not scores.gap_exceeds(far, Fraction(0), half)
    assert not scores.gap_exceeds(Fraction(0), -far, half)
    assert scores.gap_exceeds(far, Fraction(-1, 1 << 60), half) == (far > 1)
    assert scores.gap_clusters([Fraction(0), far], half) == 1
