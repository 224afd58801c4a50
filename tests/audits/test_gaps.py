"""Gaps between groups: one name, one number and one interval in every audit that reports them."""

import math
import random
import statistics
from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits import gaps
from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.intervals import Counted, difference_ends
from equiproof.audits.measures import value_of
from tests.support import LOANS, applicant, network

COUNTS = np.array([[30, 10], [5, 15], [0, 0]])
"""Rows by group and selection: a quarter of 40, three quarters of 20, and a group without rows."""


def value(gap, counts):
    """Return the value of a gap."""
    return gap("gap", np.array(counts)).value


def test_gaps_are_those_of_the_groups_that_have_rows():
    """The third group has no rate, so it is neither the least nor the largest one."""
    assert value(gaps.parity, COUNTS) == 0.5
    assert math.isclose(value(gaps.impact, COUNTS), 1 / 3)


def test_odds_are_the_larger_gap_of_both_true_labels():
    """0.5 of the first label, and 0.25 of the second one."""
    odds = np.stack([COUNTS, [[10, 10], [5, 15], [3, 1]]], axis=1)
    assert value(gaps.odds, odds) == 0.5
    assert value(gaps.odds, odds[:, ::-1]) == 0.5
    assert value(gaps.odds, odds[:, [1, 1]]) == 0.5 == 0.75 - 0.25


@pytest.mark.parametrize("gap", [gaps.parity, gaps.impact, lambda name, counts: gaps.equality(name, counts, seed=1)])
def test_one_group_has_no_gap(gap):
    """Nor has a table without rows."""
    for counts in (COUNTS[:1], 0 * COUNTS):
        found = gap("gap", counts)
        assert (found.value, found.lower, found.upper) == (None, None, None)
    assert value(gaps.odds, np.stack([COUNTS[:1], COUNTS[:1]], axis=1)) is None


def test_nobody_selected_is_a_ratio_of_nothing():
    """The difference is 0."""
    assert value(gaps.impact, [[4, 0], [7, 0]]) is None
    assert value(gaps.parity, [[4, 0], [7, 0]]) == 0


def test_two_groups_have_newcombes_interval():
    """Of the higher rate minus the lower one, either way round; the ratio is that of the lower over the higher."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    for counts in (COUNTS[:2], COUNTS[1::-1]):
        found = gaps.parity("gap", counts)
        assert (found.lower, found.upper) == pytest.approx(confint_proportions_2indep(15, 20, 10, 40, method="newcomb"))
        assert (found.n, found.method, found.small) == (20, gaps.HIGHER, True)
        ratio = gaps.impact("ratio", counts)
        assert ratio.lower < 1 / 3 < ratio.upper < 1


def test_rows_that_show_no_gap_have_an_interval_with_zero():
    """Of two groups it begins below 0, as either may be the higher; of three it begins at 0. The ratio reaches 1."""
    two, three = [[62, 38], [60, 40]], [[62, 38], [60, 40], [58, 42]]
    assert gaps.parity("gap", np.array(two)).lower < 0
    assert gaps.impact("ratio", np.array(two)).upper > 1
    assert gaps.parity("gap", np.array(three)).lower == 0
    assert gaps.impact("ratio", np.array(three)).upper == 1
    for counts in (two, three):
        assert gaps.odds("gap", np.stack([counts, counts], axis=1)).lower == 0
        assert gaps.equality("p", np.array(counts), seed=1).value > 0.5


def test_the_interval_of_several_groups_holds_every_pair():
    """It is wider than Newcombe's of the two that are furthest apart, and narrower than Bonferroni's."""
    counts = np.array([[60, 40], [50, 50], [20, 80]])
    found = gaps.parity("gap", counts)
    one, other = Counted(80, 80, 100), Counted(40, 40, 100)
    pair, corrected = difference_ends(one, other), difference_ends(one, other, 1 - 0.05 / 3)
    assert corrected[0] < found.lower < pair[0] < 0.4 < pair[1] < found.upper < corrected[1]


def test_equal_rates_have_the_p_value_of_a_permutation():
    """As Fisher's exact test to the error of 20,000 draws; of two labels both count; the same for the same seed."""
    counts = np.array([[30, 10], [12, 12]])
    found = gaps.equality("p", counts, seed=1, draws=20_000)
    pvalue = permutation_of(counts)
    assert abs(found.value - pvalue) < 4 * math.sqrt(pvalue * (1 - pvalue) / 20_000)
    assert found == gaps.equality("p", counts, seed=1, draws=20_000) != gaps.equality("p", counts, seed=3, draws=20_000)
    both = np.stack([counts, counts], axis=1)
    assert gaps.equality("p", both, seed=1).value < found.value
    assert gaps.equality("p", 100 * counts, seed=1, draws=99).value == 0.01


def permutation_of(counts):
    """Return the exact p value: the share of all ways to select so many, whose rates are as far apart or further."""
    (first, second), picked = counts.sum(axis=1).tolist(), int(counts[:, 1].sum())
    ways = {
        of: math.comb(first, of) * math.comb(second, picked - of)
        for of in range(max(0, picked - second), min(first, picked) + 1)
    }
    own = abs(counts[0, 1] / first - counts[1, 1] / second)
    far = sum(many for of, many in ways.items() if abs(of / first - (picked - of) / second) >= own - 1e-12)
    return far / sum(ways.values())


def test_a_gap_rests_on_the_rows_of_its_smallest_group():
    """Forty people beside twenty are a gap of twenty; of odds, the rarer label of the smallest group counts."""
    assert gaps.parity("gap", COUNTS).n == 20
    assert gaps.smallest(np.array([[[9, 9], [1, 3]], [[8, 8], [9, 9]]])) == 4
    assert gaps.smallest(0 * COUNTS) == 0


def test_groups_of_few_rows_are_not_compared():
    """Of a true label, those that have few rows of it; a group at the limit is."""
    assert gaps.compared(COUNTS, 20).tolist() == COUNTS.tolist()
    assert gaps.compared(COUNTS, 21).tolist() == [[30, 10], [0, 0], [0, 0]]
    odds = np.stack([COUNTS, [[10, 10], [15, 15], [3, 1]]], axis=1)
    assert gaps.compared(odds, 21)[:, 0].tolist() == [[30, 10], [0, 0], [0, 0]]
    assert gaps.compared(odds, 21)[:, 1].tolist() == [[0, 0], [15, 15], [0, 0]]


DESIGNS = {
    "two, equal": ([300, 1142], [0.38, 0.38]),
    "two of thirty, equal": ([30, 30], [0.5, 0.5]),
    "two, one of thirty, equal": ([190, 30], [0.73, 0.73]),
    "two, 5 points apart": ([300, 1142], [0.38, 0.43]),
    "two, 15 points apart": ([300, 1142], [0.30, 0.45]),
    "three, up to 20 points apart": ([300, 200, 100], [0.3, 0.4, 0.5]),
    "four, equal": ([750, 485, 124, 73], [0.38] * 4),
    "four, up to 6 points apart": ([750, 485, 124, 73], [0.38, 0.40, 0.42, 0.44]),
    "five, equal and few selected": ([7900, 960, 310, 95, 80], [0.2] * 5),
    "six, one apart": ([200] * 6, [0.5] * 5 + [0.7]),
    "twelve, equal": ([200] * 12, [0.4] * 12),
}
"""Rows and true rates of groups."""


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_cover_the_truth(design):
    """In 4,000 draws, at least 93 % of them; of two groups at most 97 %, where either may be the higher one."""
    sizes, rates = DESIGNS[design]
    two = len(sizes) == 2
    generator = np.random.default_rng(7)
    covered = {gaps.parity: 0, gaps.impact: 0}
    for _ in range(4000):
        selected = generator.binomial(sizes, rates)
        counts = np.stack([sizes - selected, selected], axis=1)
        # Of two groups, the statement is about the one that is higher among the rows.
        high, low = (
            (max(rates), min(rates)) if not two else (rates[i] for i in np.argsort(-selected / sizes, kind="stable"))
        )
        for gap, truth in ((gaps.parity, high - low), (gaps.impact, low / high)):
            found = gap("gap", counts)
            covered[gap] += found.lower - 1e-9 <= truth <= found.upper + 1e-9
    for many in covered.values():
        assert 0.93 <= many / 4000 <= (0.97 if two else 1)


TWELVE = [141, 1, 120, 22, 1, 15, 609, 4, 365, 102, 4, 58]
"""Rows of the groups by race and sex in a test split of COMPAS."""


def test_twelve_equal_groups_can_have_no_gap():
    """In each of 5 draws the interval begins at 0, also with groups of a row, whose shares are 0 or 100 %."""
    generator, values = np.random.default_rng(0), []
    for _ in range(5):
        selected = generator.binomial(TWELVE, 0.38)
        counts = np.stack([TWELVE - selected, selected], axis=1)
        whole, told = gaps.parity("gap", counts), gaps.parity("gap", gaps.compared(counts, 30))
        assert (whole.lower, told.lower) == (0, 0)
        assert (whole.n, told.n) == (1, 58)
        assert told.value < whole.value
        values.append((whole.value, told.value))
    whole_median, told_median = np.median(values, axis=0)
    assert whole_median > 0.75
    assert told_median < 0.2


def test_a_group_of_one_row_makes_no_headline():
    """All of one row are selected, of 100 others half: a gap of 50 points that is not shown, nor told."""
    counts = np.array([[0, 1], [50, 50]])
    whole = gaps.parity("gap", counts)
    assert (whole.value, whole.n) == (0.5, 1)
    assert whole.lower < 0 < whole.upper
    assert gaps.parity("gap", gaps.compared(counts, 30)).value is None


def newcombe(one, other, rows):
    """Whether the product's interval holds no difference."""
    lower, upper = difference_ends(Counted(one, one, rows), Counted(other, other, rows), 0.95)
    return lower <= 1e-12 and upper >= -1e-12


def agresti_caffo(one, other, rows):
    """Whether that interval does: a selected and a refused row are added to each group."""
    first, second = (one + 1) / (rows + 2), (other + 1) / (rows + 2)
    return abs(first - second) <= Z * math.sqrt((first * (1 - first) + second * (1 - second)) / (rows + 2))


def miettinen_nurminen(one, other, rows):
    """Whether the score interval does: with no difference, both rates are the pooled one."""
    pooled = (one + other) / (2 * rows)
    return abs(one - other) / rows <= Z * math.sqrt(4 * pooled * (1 - pooled) / (2 * rows - 1)) + 1e-12


Z = 1.959963984540054
RATES = (0.5, 0.2, 0.1, 0.05, 0.02)


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        (newcombe, (0.9481, 0.9547, 0.974, 0.9929, 0.9997)),
        (agresti_caffo, (0.9481, 0.9547, 0.974, 0.9929, 0.9997)),
        (miettinen_nurminen, (0.9481, 0.951, 0.9456, 0.9716, 0.9968)),
    ],
)
def test_intervals_of_few_selected_rows_cover_more_than_97_percent(holds, expected):
    """Of two groups of 30 rows with equal rates, counted over all outcomes; the page has these figures."""
    rows = 30
    inside = np.array([[holds(one, other, rows) for other in range(rows + 1)] for one in range(rows + 1)])
    for rate, share in zip(RATES, expected, strict=True):
        chances = [math.comb(rows, k) * rate**k * (1 - rate) ** (rows - k) for k in range(rows + 1)]
        assert round(float((np.outer(chances, chances) * inside).sum()), 4) == share


@pytest.mark.slow
def test_p_values_of_equal_groups_are_even():
    """One of twenty is below 0.05, or somewhat fewer."""
    generator, small = np.random.default_rng(3), 0
    for seed in range(1000):
        selected = generator.binomial([120, 80, 40], 0.4)
        counts = np.stack([[120, 80, 40] - selected, selected], axis=1)
        small += gaps.equality("p", counts, seed=seed, draws=999).value <= 0.05
    assert 30 <= small <= 70


def audited(rows=400):
    """A context of random applicants whose true labels depend on sex."""
    rng = random.Random(5)
    found = [applicant(LOANS, rng) | {"sex": rng.choice("fmm")} for _ in range(rows)]
    labels = [int(rng.random() < (0.7 if row["sex"] == "m" else 0.4)) for row in found]
    return AuditContext(
        network=network(LOANS, (2,), 14), spec=LOANS, commitment="00", rows=found, labels=labels, seed=1,
    )  # fmt: skip


def test_groups_and_fvgm_report_one_number_and_one_interval():
    """Of the same groups of the same rows, to the last bit and in the same words."""
    where = audited()
    groups = {one.measure: one for one in Groups().run(replace(where, options={"people": "0"})).estimates}
    fvgm = {(one.measure, one.group): one for one in GraphicalModel().run(where).estimates}
    for name in (gaps.PARITY, gaps.IMPACT, gaps.ODDS):
        own, other = groups[f"{name} by sex (granted)"], fvgm[f"{name} of the committed model among the rows", ()]
        assert own.value is not None
        assert (own.value, own.lower, own.upper, own.n, own.method) == (
            other.value, other.lower, other.upper, other.n, other.method,
        )  # fmt: skip
        assert value_of(own) == value_of(other)
    sexes = [row["sex"] for row in where.rows]
    assert groups[f"{gaps.PARITY} by sex (granted)"].n == sexes.count("f") < sexes.count("m")


def test_rates_of_both_audits_are_one():
    """The selection rate of a group has the same interval, Wilson's, in both."""
    where = audited()
    rates = {
        one.group: (one.value, one.lower, one.upper, one.n)
        for one in Groups().run(replace(where, options={"people": "0", "draws": "10"})).estimates
        if one.measure == "selection rate (granted)" and one.group
    }
    assert rates == {
        one.group: (one.value, one.lower, one.upper, one.n)
        for one in GraphicalModel().run(where).estimates
        if one.measure == "selection rate of the committed model among the rows"
    }


def test_shares_with_undecided_rows_have_the_gaps_of_all_outcomes():
    """Without any they are those of counts; with some, the interval holds that of either outcome."""
    counts = np.array([[30, 70], [55, 45], [50, 50]])
    for some in (counts[:2], counts):
        sure = gaps.shares(gaps.PARITY, [Counted(own, own, own + rest) for rest, own in some.tolist()])
        assert sure == gaps.parity(gaps.PARITY, some)
    found = gaps.shares("gap", [Counted(60, 70, 100), Counted(45, 45, 100)])
    assert (found.value, found.n) == (0.6 - 0.45, 100)
    for own in (60, 70):
        either = gaps.shares("gap", [Counted(own, own, 100), Counted(45, 45, 100)])
        assert found.lower <= either.lower < either.upper <= found.upper
    assert gaps.shares("gap", [Counted(1, 1, 9)]).value is None


COSTS = ([1.0, 2.0, 2.0, 5.0, math.inf], [1.0, 3.0, 4.0, 8.0, math.inf, math.inf, 2.0, 3.0], [2.0])
"""The costs of three populations, some of whom have none that is a number: medians 2, 3.5 and 2."""


@pytest.mark.parametrize(("groups", "size"), [(2, 31), (2, 200), (3, 60)])
def test_differences_of_medians_cover_the_truth(groups, size):
    """In 95 of 100 drawn samples and more the true difference lies between the ends: of stepped and infinite costs."""
    rng = random.Random(size)
    truth = [statistics.median(one) for one in COSTS[:groups]]
    covered = 0
    for _ in range(400):
        drawn = [[rng.choice(one) for _ in range(size)] for one in COSTS[:groups]]
        found = gaps.medians("gap", [(one, one) for one in drawn])
        middles = [statistics.median(one) for one in drawn]
        if groups == 2:
            # The gap is that of who is the higher in the sample.
            true = truth[0] - truth[1] if middles[0] >= middles[1] else truth[1] - truth[0]
        else:
            true = max(truth) - min(truth)
        covered += (found.lower is None or found.lower <= true) and (found.upper is None or true <= found.upper)
    assert covered >= 0.95 * 400


def test_differences_of_medians_that_nothing_reaches():
    """A difference without limit is shown, with no value; of two such groups nothing is shown."""
    never, some = [math.inf] * 40, [1.0] * 20 + [2.0] * 20
    found = gaps.medians("gap", [(some, some), (never, never)])
    assert (found.value, found.upper) == (None, None)
    assert found.lower == 0.0
    dear = [*some, 9.0]
    assert gaps.medians("gap", [(dear, dear), (never, never)]).lower == 7.0
    both = gaps.medians("gap", [(never, never), (never, never)])
    assert (both.value, both.lower, both.upper) == (None, None, None)
    unknown = gaps.medians("gap", [([0.0] * 40, never), (some, some)])
    assert (unknown.lower, unknown.upper) == (-2.0, None)
