"""Gaps between groups: one name, one number and one interval in every audit that reports them."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits import gaps
from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.measures import value_of
from tests.support import LOANS, applicant, network

COUNTS = np.array([[30, 10], [5, 15], [0, 0]])
"""Rows by group and selection: a quarter of 40, three quarters of 20, and a group without rows."""


def test_gaps_are_those_of_the_groups_that_have_rows():
    """The third group has no rate, so it is neither the least nor the largest one."""
    assert gaps.parity(COUNTS) == 0.5
    assert math.isclose(gaps.impact(COUNTS), 1 / 3)


def test_odds_are_the_larger_gap_of_both_true_labels():
    """0.5 of the first label, and 0.25 of the second one."""
    odds = np.stack([COUNTS, [[10, 10], [5, 15], [3, 1]]], axis=1)
    assert gaps.odds(odds) == 0.5
    assert gaps.odds(odds[:, ::-1]) == 0.5
    assert gaps.odds(odds[:, [1, 1]]) == 0.5 == 0.75 - 0.25


@pytest.mark.parametrize("statistic", [gaps.parity, gaps.impact])
def test_one_group_has_no_gap(statistic):
    """Nor has a table without rows."""
    assert math.isnan(statistic(COUNTS[:1]))
    assert math.isnan(statistic(0 * COUNTS))


def test_nobody_selected_is_a_ratio_of_nothing():
    """The difference is 0."""
    nobody = np.array([[4, 0], [7, 0]])
    assert math.isnan(gaps.impact(nobody))
    assert gaps.parity(nobody) == 0


def test_a_gap_rests_on_the_rows_of_its_smallest_group():
    """Forty people beside twenty are a gap of twenty; of odds, the rarer label of the smallest group counts."""
    found = gaps.estimated(gaps.PARITY, gaps.parity, COUNTS, seed=1)
    assert (found.value, found.n, found.method) == (0.5, 20, "bootstrap")
    assert found.lower < 0.5 < found.upper
    assert found.small
    assert gaps.smallest(np.array([[[9, 9], [1, 3]], [[8, 8], [9, 9]]])) == 4
    assert gaps.smallest(0 * COUNTS) == 0


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
