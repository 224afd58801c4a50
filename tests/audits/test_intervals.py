"""Intervals hold what they promise: known values, exact coverage, and the same ones every time."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from equiproof.audits.intervals import (
    CONFIDENCE,
    Counted,
    Mean,
    difference,
    difference_ends,
    each_pair,
    holm,
    mean_of,
    median,
    median_between,
    ratio_ends,
    share,
    share_between,
    wilson,
)


@pytest.mark.parametrize(
    ("count", "n", "lower", "upper"),
    [
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_is_the_one_of_the_literature(count, n, lower, upper):
    """Published intervals are met in all their digits."""
    found = share("rate", count, n)
    assert (round(found.lower, 4), round(found.upper, 4)) == (lower, upper)
    assert (found.value, found.n, found.method, found.confidence) == (count / n, n, "Wilson", CONFIDENCE)


def test_all_and_none_end_where_shares_end():
    """Where all or none are counted, the interval ends at 1 or at 0."""
    assert share("rate", 0, 7).lower == 0.0
    assert share("rate", 7, 7).upper == 1.0
    none, every = share("rate", 0, 7), share("rate", 7, 7)
    assert math.isclose(none.upper, 1 - every.lower)


def test_the_interval_solves_its_equation():
    """Wilson's ends are the shares p with |x/n - p| = z sqrt(p (1 - p) / n)."""
    for n in (3, 10, 40):
        for count in range(1, n):
            found = share("rate", count, n)
            for end in (found.lower, found.upper):
                assert math.isclose(abs(count / n - end), 1.959963984540054 * math.sqrt(end * (1 - end) / n))


@pytest.mark.parametrize("n", [5, 10, 30])
def test_coverage_is_near_what_is_promised(n):
    """Counted exactly over all outcomes, the interval holds the true share about as often as it says.

    Wilson's coverage swings with n p; its mean over p is close to 95 %, and its worst, next to p = 0 and 1, is known.
    """
    ends = [(found.lower, found.upper) for found in (share("rate", count, n) for count in range(n + 1))]
    covered = []
    for step in range(1, 200):
        p = Fraction(step, 200)
        held = sum(
            math.comb(n, count) * p**count * (1 - p) ** (n - count)
            for count, (low, high) in enumerate(ends)
            if low <= p <= high
        )
        covered.append(float(held))
    assert abs(sum(covered) / len(covered) - CONFIDENCE) < 0.012
    assert min(covered) > 0.8


def test_without_rows_nothing_is_known():
    """No row, no share and no interval."""
    for found in (share("rate", 0, 0), median("gain", [])):
        assert (found.value, found.lower, found.upper, found.n) == (None, None, None, 0)


@pytest.mark.parametrize(("count", "n"), [(-1, 4), (5, 4)])
def test_impossible_counts_are_refused(count, n):
    """More than all, and less than none, are no counts."""
    with pytest.raises(ValueError, match=f"{count} of {n} rows"):
        share("rate", count, n)


def test_what_is_undecided_is_counted_either_way():
    """The interval holds those of every count that is possible, and without doubt it is Wilson's."""
    between = share_between("rate", 5, 9, 20)
    for count in range(5, 10):
        one = share("rate", count, 20)
        assert between.lower <= one.lower
        assert one.upper <= between.upper
    assert (between.value, between.method) == (0.25, "Wilson, undecided either way")
    assert share_between("rate", 5, 5, 20) == share("rate", 5, 20)
    assert share_between("rate", 0, 0, 0).value is None


def test_a_median_has_the_interval_of_scipy():
    """Of any number of values it is the interval of scipy's test of a quantile, which is of another author."""
    random_values = random.Random(1)
    for n in (*range(6, 60), 97, 500, 2000):
        values = [random_values.lognormvariate(0, 2) for _ in range(n)]
        found = median("gain", values)
        oracle = stats.quantile_test(values, p=0.5).confidence_interval(CONFIDENCE)
        assert (found.value, found.lower, found.upper) == (np.median(values), oracle.low, oracle.high), n
        assert (found.n, found.method, found.confidence) == (n, "order statistics", CONFIDENCE)


def test_few_values_have_a_median_without_an_interval():
    """Of five values all are above the true median in one draw of 32: no two of them enclose it surely enough."""
    for n in range(1, 6):
        found = median("gain", [1.5] * n)
        assert (found.value, found.lower, found.upper, found.n) == (1.5, None, None, n)
    six = median("gain", [6.0, 1, 5, 2, 4, 3])
    assert (six.value, six.lower, six.upper) == (3.5, 1, 6)


def test_a_difference_has_newcombes_interval():
    """His example (1998, Statistics in Medicine 17, table II, row a, method 10), either way round."""
    first, second = Counted(56, 56, 70), Counted(48, 48, 80)
    found = difference("gap", first, second)
    assert (round(found.value, 4), round(found.lower, 4), round(found.upper, 4)) == (0.2, 0.0524, 0.3339)
    back = difference("gap", second, first)
    assert (back.value, back.lower, back.upper) == pytest.approx((-found.value, -found.upper, -found.lower))
    assert (found.n, found.method, found.confidence) == (70, "Newcombe", CONFIDENCE)
    wider = difference("gap", first, second, confidence=0.99)
    assert wider.lower < found.lower < found.upper < wider.upper


def test_undecided_rows_widen_a_difference_to_all_their_outcomes():
    """The ends are the least lower and the greatest upper one of every outcome of the undecided rows."""
    found = difference("gap", Counted(2, 4, 10), Counted(5, 6, 12))
    every = [difference("gap", Counted(a, a, 10), Counted(b, b, 12)) for a in range(2, 5) for b in range(5, 7)]
    assert found.lower == min(one.lower for one in every)
    assert found.upper == max(one.upper for one in every)
    assert difference("gap", Counted(0, 0, 0), Counted(1, 1, 2)).value is None


def test_a_mean_has_students_interval():
    """The mean of 1 to 5 is 3, its standard error 0.7071, the quantile of four degrees of freedom 2.7764."""
    found = mean_of([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (found.value, round(found.lower, 4), round(found.upper, 4)) == (3.0, 1.0368, 4.9632)
    assert mean_of([-1.0, 1.0]).p == pytest.approx(1.0)
    assert mean_of([2.0, 2.0, 2.0]) == Mean(2.0, -math.inf, math.inf, 1.0)
    level = found.p
    assert mean_of([1.0, 2.0, 3.0, 4.0, 5.0], 1 - level).lower == pytest.approx(0.0, abs=1e-9)


def test_p_values_are_adjusted_as_holm_does():
    """By hand: 4 x 0.01, 3 x 0.02, then never below an earlier one, and at most 1; the order of the input stays."""
    assert holm([0.02, 0.01, 0.9, 0.025]) == pytest.approx([0.06, 0.04, 0.9, 0.06])
    assert holm([0.7, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_another_confidence_has_its_own_quantile():
    """At 99 % Wilson's interval solves its equation with z = 2.5758."""
    lower, upper = wilson(3, 10, 0.99)
    for end in (lower, upper):
        assert abs(0.3 - end) == pytest.approx(2.5758293 * math.sqrt(end * (1 - end) / 10))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(24))
def test_a_difference_has_the_interval_of_statsmodels(seed):
    """Random counts, rates of 0 and 1 among them."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    draw = random.Random(seed)
    n, m = draw.randint(1, 400), draw.randint(1, 400)
    first, second = draw.choice([0, n, draw.randint(0, n)]), draw.choice([0, m, draw.randint(0, m)])
    found = difference_ends(Counted(first, first, n), Counted(second, second, m))
    assert found == pytest.approx(confint_proportions_2indep(first, n, second, m, method="newcomb"), abs=1e-12)


def test_a_ratio_has_newcombes_interval():
    """From Wilson's ends, as a ratio's ends turn around where its parts do; nothing counted leaves it open."""
    lower, upper = ratio_ends(56, 70, 48, 80)
    assert (1 / upper, 1 / lower) == pytest.approx(ratio_ends(48, 80, 56, 70))
    assert lower < 0.8 / 0.6 < upper
    # The ratio is above 1 where the difference is above 0, so both intervals leave out the same.
    for other in range(0, 81, 8):
        low, high = ratio_ends(56, 70, other, 80)
        least, most = difference_ends(Counted(56, 56, 70), Counted(other, other, 80))
        assert (low > 1, high < 1) == (least > 0, most < 0)
    assert ratio_ends(0, 10, 5, 10)[0] == 0.0
    assert ratio_ends(5, 10, 0, 10)[1] == math.inf
    assert ratio_ends(0, 10, 0, 10) == (0.0, math.inf)


def test_all_pairs_need_more_confidence_than_one():
    """Two groups have one pair; of three, Tukey's 3.314 over the root of 2 is the normal law's 98.09 %."""
    assert each_pair(2) == CONFIDENCE
    assert each_pair(3) == pytest.approx(0.9809, abs=5e-5)
    assert each_pair(3) < each_pair(4) < 1
    # Tukey's is less than Bonferroni's, which would ask for 1 - 0.05 / 66.
    assert each_pair(12) < 1 - 0.05 / 66


def test_a_median_of_values_between_bounds_covers_all_that_they_may_be():
    """Its ends are those of the least and of the most values, and its value is that of the most."""
    least, most = [float(value) for value in range(20)], [float(value) for value in range(3, 23)]
    found = median_between("cost", least, most)
    assert (found.lower, found.upper) == (median("", least).lower, median("", most).upper)
    assert found.value == median("", most).value
    assert found.n == 20


def test_a_median_can_be_infinite():
    """Where half the values are infinite there is no number for it, and where fewer are an end may have none."""
    found = median("cost", [1.0] * 10 + [math.inf] * 11)
    assert (found.value, found.lower, found.upper) == (None, 1.0, None)
    found = median("cost", [1.0] * 11 + [math.inf] * 10)
    assert (found.value, found.upper) == (1.0, None)
    assert median("cost", [1.0] * 40 + [math.inf] * 10).upper == 1.0
