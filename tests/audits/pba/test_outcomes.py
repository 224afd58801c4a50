"""Shares by outcome add up to those of everybody, and gains are the proven ones."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from equiproof.audits.pba.definition import SETTINGS
from equiproof.audits.pba.outcomes import by_outcome, magnitudes, proven
from equiproof.audits.pba.scores import Assessment, Pair, Person, shares
from equiproof.audits.pba.search import Judgement

PAIR = Pair("sex", "female", "male")
UNIT = 1 << 4


def assessed(row, group, decided, observed, flipped, bound=None):
    """A person with answers in both settings, and the proven bound of the true ones."""
    person = Person(row, group, (0,), 0, 1, decided, decided, decided)
    bias = {
        setting: (Judgement(answer, None if answer != "true" else bound, Fraction(99), (), "search"),)
        for setting, answer in zip(SETTINGS, (observed, flipped), strict=True)
    }
    return Assessment(person, 1, bias, {})


EVERYBODY = [
    assessed(0, "female", 1, "true", "false", Fraction(8)),
    assessed(1, "female", 1, "true", "false", Fraction(32)),
    assessed(2, "female", 0, "false", "true", Fraction(16)),
    assessed(3, "female", 0, "unknown", "false"),
    assessed(4, "male", 1, "false", "false"),
    assessed(5, "male", 0, "true", "false", Fraction(1)),
]


def test_shares_by_outcome_add_up():
    """Counts of the accepted and of the refused are those of both together, by setting and group."""
    whole = {(one.measure, one.group): (round(one.value * one.n), one.n) for one in shares(EVERYBODY, PAIR)}
    parts = defaultdict(lambda: (0, 0))
    for one in by_outcome(EVERYBODY, PAIR, ("refused", "accepted")):
        name, count = one.measure.split(" among ")[0], round((one.value or 0.0) * one.n)
        parts[name, one.group] = (parts[name, one.group][0] + count, parts[name, one.group][1] + one.n)
    assert parts == whole


def test_each_outcome_has_its_own_share():
    """Of two women accepted both have it, of two refused none is known to, and one is open."""
    found = {(one.measure, one.group[0][1]): one for one in by_outcome(EVERYBODY, PAIR, ("refused", "accepted"))}
    accepted = found["PBA observed among accepted", "female"]
    refused = found["PBA observed among refused", "female"]
    assert (accepted.value, accepted.n, accepted.method) == (1.0, 2, "Wilson")
    assert (refused.value, refused.n, refused.method) == (0.0, 2, "Wilson, undecided either way")
    # Shown as men, the women who are refused count for men.
    assert found["PBA flipped among refused", "male"].value == 0.5


def test_gains_are_the_proven_ones():
    """The median is of those with persistent bias alone, in logits, and never rounded up."""
    found = {(one.measure, one.group[0][1]): one for one in magnitudes(EVERYBODY, PAIR, UNIT)}
    women = found["gain observed", "female"]
    assert women.n == 2
    assert women.value == pytest.approx((8 + 32) / 2 / UNIT)
    assert women.value <= (8 + 32) / 2 / UNIT
    # Two gains say next to nothing of those of others.
    assert (women.lower, women.upper) == (None, None)
    assert found["gain flipped", "female"].n == 0
    assert found["gain flipped", "male"].value == pytest.approx(1.0)


def test_the_least_bound_counts():
    """Against several labels the least proven bound counts, and none where one of them has none."""
    some = [Judgement("true", bound, Fraction(9), (), "search") for bound in (Fraction(3), Fraction(2))]
    assert proven(some) == 2
    assert proven([*some, Judgement("unknown", None, Fraction(9), (), "search")]) is None
    assert proven([]) is None
