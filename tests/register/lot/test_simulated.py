"""An owner that has no certificate for some decisions: how often a lot finds it, in a thousand simulated periods.

Draw and bound only, from the seeds of real documents' form: no proofs, no files.
"""

from fractions import Fraction
from hashlib import sha256
from math import comb

import pytest

from equiproof.register.lot.bound import at_least
from equiproof.register.lot.draw import drawn_places, seed_of_nonces

PERIODS = 1_000
C95 = Fraction(95, 100)


def lots(receipts, drawn, wrong):
    """Yield how many of the last `wrong` receipts each period's lot draws."""
    for number in range(PERIODS):
        parts = [sha256(f"{name} {number}".encode()).digest() for name in ("period", "owner", "auditor")]
        places = drawn_places(seed_of_nonces(parts[0], parts[1:]), receipts, drawn)
        yield sum(place >= receipts - wrong for place in places)


@pytest.mark.parametrize(("receipts", "drawn", "wrong"), [(5_000, 300, 50), (5_000, 300, 10), (400, 60, 4)])
def test_unfair_decisions_are_found_as_often_as_stated(receipts, drawn, wrong):
    """At least one of the decisions without a certificate is drawn as often as the hypergeometric law says."""
    missed = comb(receipts - wrong, drawn) / comb(receipts, drawn)
    found = sum(bad > 0 for bad in lots(receipts, drawn, wrong))
    deviation = (PERIODS * missed * (1 - missed)) ** 0.5
    assert abs(found - PERIODS * (1 - missed)) < 4 * deviation


def test_a_promise_that_is_not_true_is_rarely_shown():
    """With 1.1 % without a certificate, "at least 99 %" is shown in at most 5 % of all periods."""
    receipts, drawn, wrong = 5_000, 300, 55
    bounds = {bad: at_least(receipts, drawn, bad, C95) for bad in range(30)}
    shown = sum(bounds[bad] >= Fraction(99, 100) * receipts for bad in lots(receipts, drawn, wrong))
    assert shown <= 50 + 4 * 7, shown


def test_the_sentence_is_true_as_often_as_it_says():
    """In at least 95 % of a thousand periods the bound is not above the truth."""
    receipts, drawn, wrong = 3_000, 200, 60
    bounds = {bad: at_least(receipts, drawn, bad, C95) for bad in range(40)}
    too_high = sum(bounds[bad] > receipts - wrong for bad in lots(receipts, drawn, wrong))
    assert too_high <= 50 + 4 * 7, too_high
