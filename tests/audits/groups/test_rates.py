"""Parity and odds are fairlearn's numbers, with intervals."""

import math

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics

from equiproof.audits.groups import equalized_odds, statistical_parity
from equiproof.audits.intervals import share


def rows(seed, n=400, groups="abc"):
    """Return true labels, decisions and a feature of random rows; the groups differ."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(list(groups), n)
    y_true = rng.integers(0, 2, n)
    y_pred = (rng.random(n) < 0.2 + 0.3 * y_true + 0.2 * (sex == "a")).astype(int)
    return y_true, y_pred, sex


def named(estimates):
    """Return the estimates by measure and group."""
    return {(one.measure, one.group): one for one in estimates}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5))
def test_parity_is_fairlearns(seed):
    """Shares, gap and ratio agree with fairlearn on random rows."""
    y_true, y_pred, sex = rows(seed)
    given = {"sensitive_features": {"sex": sex}}
    found = named(statistical_parity(y_true, y_pred, **given, least=1, draws=10))
    difference = metrics.demographic_parity_difference(y_true, y_pred, **given)
    ratio = metrics.demographic_parity_ratio(y_true, y_pred, **given)
    assert math.isclose(found["statistical parity difference", ()].value, difference)
    assert math.isclose(found["disparate impact", ()].value, ratio)
    frame = metrics.MetricFrame(metrics=metrics.selection_rate, y_true=y_true, y_pred=y_pred, **given)
    assert math.isclose(found["selection rate", ()].value, frame.overall)
    for group, value in frame.by_group.items():
        assert math.isclose(found["selection rate", (("sex", group),)].value, value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(5))
def test_odds_are_fairlearns(seed):
    """Rates by group and their gaps agree with fairlearn on random rows, in two crossed features, too."""
    y_true, y_pred, sex = rows(seed)
    given = {"sensitive_features": pd.DataFrame({"sex": sex, "race": rows(seed + 9)[2]})}
    found = named(equalized_odds(y_true, y_pred, **given, least=1, draws=10))
    gap = metrics.equalized_odds_difference(y_true, y_pred, **given)
    assert math.isclose(found["equalized odds difference", ()].value, gap)
    rates = {"true positive rate": metrics.true_positive_rate, "false positive rate": metrics.false_positive_rate}
    for measure, metric in rates.items():
        frame = metrics.MetricFrame(metrics=metric, y_true=y_true, y_pred=y_pred, **given)
        assert math.isclose(found[f"{measure} difference", ()].value, frame.difference())
        for (first, second), value in frame.by_group.items():
            assert math.isclose(found[measure, (("sex", first), ("race", second))].value, value)


def test_a_share_has_its_groups_rows():
    """The interval of a group's share is Wilson's, on the rows of this group alone."""
    y_true, y_pred, sex = rows(1)
    found = named(equalized_odds(y_true, y_pred, sensitive_features={"sex": sex}, least=1, draws=10))
    mine = (sex == "b") & (y_true == 1)
    group = (("sex", "b"),)
    wanted = share("true positive rate", int(y_pred[mine].sum()), int(mine.sum()), group=group)
    assert found["true positive rate", group] == wanted
    assert found["true positive rate difference", ()].n == min(int(y_true[sex == one].sum()) for one in "abc")


def test_a_group_without_a_true_label_has_no_rate():
    """What nobody can be decided rightly is no rate of 0, and no part of the gap."""
    y_true, y_pred = [1, 1, 0, 0, 0], [1, 0, 1, 0, 1]
    found = named(equalized_odds(y_true, y_pred, sensitive_features=list("aabbb"), least=1, draws=10))
    assert found["true positive rate", (("sensitive_feature_0", "b"),)].value is None
    assert found["true positive rate", (("sensitive_feature_0", "b"),)].n == 0
    assert found["true positive rate difference", ()].value is None
    assert found["equalized odds difference", ()].value is None


def test_values_that_nobody_has_together_are_no_group():
    """Two features make the groups that there are, not every pair."""
    features = {"sex": list("ffmm"), "race": list("xxyy")}
    found = statistical_parity(None, [0, 1, 1, 1], sensitive_features=features, least=1, draws=10)
    assert [one.group for one in found if one.group] == [
        (("sex", "f"), ("race", "x")), (("sex", "m"), ("race", "y")),
    ]  # fmt: skip
    assert named(found)["statistical parity difference", ()].value == 0.5


def test_one_group_has_no_gap():
    """Without a second group there is nothing to compare."""
    found = named(statistical_parity(None, [0, 1, 1], sensitive_features=list("aaa"), least=1, draws=10))
    assert found["statistical parity difference", ()].value is None
    assert found["disparate impact", ()].value is None


def test_a_label_may_be_any_value():
    """One of several labels is compared against the others; nobody selected is a ratio of nothing."""
    y_pred, sex = np.array(list("xyzxyz")), list("aaabbb")
    found = named(statistical_parity(None, y_pred, sensitive_features=sex, label="z", least=1, draws=10))
    assert found["selection rate", ()].value == 1 / 3
    none = named(statistical_parity(None, y_pred, sensitive_features=sex, label="q", least=1, draws=10))
    assert none["selection rate", ()].value == 0
    assert none["disparate impact", ()].value is None


def test_p_values_follow_from_the_seed():
    """One seed, one p value; the gap of a model that treats two large groups alike is small, and may be none."""
    rng = np.random.default_rng(4)
    y_pred, sex = rng.integers(0, 2, 4000), rng.choice(list("ab"), 4000)
    first, again, other = (statistical_parity(None, y_pred, sensitive_features=sex, seed=n) for n in (1, 1, 2))
    assert first == again != other
    gap = named(first)["statistical parity difference", ()]
    assert -0.05 < gap.lower < 0 <= gap.value <= gap.upper < 0.08
    assert named(first)["p value of equal selection rates", ()].value > 0.05


def test_twelve_groups_of_which_half_are_small():
    """The gap is that of the six groups with 30 rows; with a person of one group selected, it would be 100 %."""
    sizes = [141, 1, 120, 22, 1, 15, 609, 4, 365, 102, 4, 58]
    groups = np.repeat(np.arange(12), sizes)
    y_pred = np.concatenate([np.arange(size) < round(0.38 * size) for size in sizes])
    found = named(statistical_parity(None, y_pred, sensitive_features=groups, label=True, draws=99))
    gap = found["statistical parity difference", ()]
    assert gap.n == 58
    assert gap.lower == 0 <= gap.value < 0.02 < gap.upper < 0.35
    assert found["p value of equal selection rates", ()].value == 1
    everybody = named(statistical_parity(None, y_pred, sensitive_features=groups, label=True, least=1, draws=99))
    assert everybody["statistical parity difference", ()].value == 0.5
    assert found["selection rate", (("sensitive_feature_0", "4"),)].n == 1
