"""Gaps of several trainings: their means and intervals, and which reports are not compared."""

import math

import numpy as np
import pytest
from scipy import stats

from equiproof.audits.errors import AuditError
from equiproof.audits.intervals import Counted, difference
from equiproof.audits.records import Finding, Model
from equiproof.audits.report import AuditReport
from equiproof.audits.trainings import compared

PAIR = (("sex", "f minus m"),)


def training(number, shares=((8, 3),), **changes):
    """The report of a training: for each pair of counts, of ten people each, a gap."""
    model = Model(commitment="", spec_name="loans", spec_digest="ab", layers=(4, 2, 1))
    gaps = tuple(
        difference(f"gap {name}: words, delta 1", Counted(a, a, 10), Counted(b, b, 10), group=PAIR)
        for name, (a, b) in zip(("observed", "flipped"), shares, strict=False)
    )
    given = {
        "audit": "pba", "audit_version": "4", "sensitive_features": ("sex",),
        "settings": {"seed": number, "delta": "1"},
        "findings": (Finding(subject="row 1", row=1, verdict="fair", lower=float(-number), upper=0.0),),
    }  # fmt: skip
    return AuditReport(model=model, estimates=gaps, **{**given, **changes})


def test_the_mean_gap_has_students_interval_and_holms_answer():
    """Of two gaps each interval is at 97.5 %; 0.5, 0.6 and 0.7 are not 0 on average, 0.5, -0.5 and 0.1 may be."""
    counts = (((8, 3), (8, 3)), ((9, 3), (3, 8)), ((8, 1), (4, 3)))
    observed, flipped = compared([training(n, one) for n, one in enumerate(counts)], ["a", "b", "c"])
    assert observed.values == pytest.approx((0.5, 0.6, 0.7))
    half = stats.t.ppf(1 - 0.025 / 2, 2) * 0.1 / math.sqrt(3)
    assert (observed.mean.lower, observed.mean.upper) == pytest.approx((0.6 - half, 0.6 + half))
    assert (observed.differs, flipped.differs) == (True, False)
    assert flipped.mean.lower < 0 < flipped.mean.upper
    assert observed.p == pytest.approx(min(1, 2 * stats.ttest_1samp(observed.values, 0).pvalue))


def test_trainings_of_equal_groups_are_told_apart_in_one_of_twenty_draws_at_most():
    """Two trainings on ten people of each of two groups that are alike: their gaps are often equal by chance."""
    draw = np.random.default_rng(0)
    draws, wrong = 400, 0
    for _ in range(draws):
        counts = draw.binomial(10, 0.1, (2, 2)).tolist()
        (gap,) = compared([training(n, (tuple(one),)) for n, one in enumerate(counts)], ["a", "b"])
        assert gap.mean.lower <= gap.mean.value <= gap.mean.upper
        wrong += gap.differs or not gap.mean.lower <= 0 <= gap.mean.upper
    assert wrong <= 0.05 * draws


def test_an_interval_of_gaps_ends_where_gaps_end():
    """No gap is beyond one or below minus one; of equal gaps, nothing else is known."""
    for counts in (((9, 1), (1, 9)), ((5, 3), (5, 3))):
        (gap,) = compared([training(n, (one,)) for n, one in enumerate(counts)], ["a", "b"])
        assert (gap.mean.lower, gap.mean.upper, gap.differs) == (-1.0, 1.0, False)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"audit_version": "3"}, "b: audit all trainings alike: its version of the audit is another than in a"),
        (
            {"settings": {"seed": 7, "delta": "2"}},
            "b: audit all trainings alike: its option delta is another than in a",
        ),
        (
            {"sensitive_features": ("race",)},
            "b: audit all trainings alike: its choice of sensitive features is another than in a",
        ),
        ({"findings": training(0).findings}, "b: leave it out: the same model as in a"),
        ({"estimates": ()}, "b: audit it with more people: it has no gap observed of these groups"),
    ],
)
def test_trainings_that_are_not_alike_are_not_compared(changes, said):
    """The line names both files, and in what they differ."""
    estimates = changes.pop("estimates", None)
    other = training(1, **changes) if estimates is None else training(1, shares=())
    with pytest.raises(AuditError, match=said):
        compared([training(0), other], ["a", "b"])


def test_one_training_has_no_spread():
    """Nor have reports without a gap one."""
    with pytest.raises(AuditError, match="two trainings or more"):
        compared([training(0)], ["a"])
    with pytest.raises(AuditError, match="a: give reports of the audit pba, whose gaps have a sign"):
        compared([training(0, ()), training(1, ())], ["a", "b"])
