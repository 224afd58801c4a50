"""Scores as the paper buckets them, decided exactly: logits are rationals, the score's edges are brackets of rationals.

Notation: a margin m is the rational that decides (the logit of label 1; of two logits their difference), its score is
s(m) = 1 / (1 + exp(-m)). With eps = 1/n, bucket i holds the scores of [i/n, (i+1)/n): s(m) >= i/n iff
m >= ln(i / (n - i)). That logarithm is irrational for every i but n/2, where it is 0 (Lindemann), so that brackets of
growing precision always decide; the same holds for s(a) - s(b) > eps, whose equality would be a relation between
exponentials of different rationals (Lindemann-Weierstrass).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil

EPSILON = Fraction(1, 20)
"""The width of a bucket, and the least gap between clusters, as in the paper."""

MAX_BUCKETS = 4096
"""The most buckets of an audit. Every box is compared with all of their edges. The logarithms of so many, which take
half a second, are kept: of more, each box would take all of them again."""

_DIGITS = 30
_MAX_DIGITS = 1 << 14
_SATURATION = 10_000
_SATURATION_ERROR = Decimal("1e-4000")
"""Beyond a margin of 10,000, exp(-m) is no longer written out: the score is within 10^-4000 of 0 or 1."""

Interval = tuple[Decimal, Decimal]


def bucket_count(epsilon: Fraction) -> int:
    """Return n = 1 / eps; raises ValueError where buckets of this width do not fill the scores."""
    if not 0 < epsilon <= Fraction(1, 2) or epsilon.numerator != 1:
        raise ValueError(f"epsilon {epsilon}: want 1/n for a whole n of at least 2")
    return epsilon.denominator


@lru_cache(maxsize=MAX_BUCKETS)
def edge(i: int, n: int, digits: int = _DIGITS) -> tuple[Fraction, Fraction]:
    """Return rationals around ln(i / (n - i)), the margin where bucket i of n begins; both are 0 for i = n/2."""
    if 2 * i == n:
        return Fraction(0), Fraction(0)
    if 2 * i < n:
        low, high = edge(n - i, n, digits)
        return -high, -low
    down, up = _contexts(digits)
    least = down.divide(Decimal(i), Decimal(n - i))
    most = up.divide(Decimal(i), Decimal(n - i))
    # A decimal logarithm is rounded correctly to nearest: the neighbors of the result are sure bounds.
    return Fraction(down.next_minus(down.ln(least))), Fraction(up.next_plus(up.ln(most)))


def bucket(margin: Fraction, epsilon: Fraction = EPSILON) -> int:
    """Return the bucket of a margin's score, 0 to n - 1, exactly."""
    n = bucket_count(epsilon)
    low = 0
    high = n - 1
    while low < high:
        middle = (low + high + 1) // 2
        if reaches(margin, middle, n):
            low = middle
        else:
            high = middle - 1
    return low


def reaches(margin: Fraction, i: int, n: int) -> bool:
    """Return exactly whether the score of a margin is at least i/n, for 0 < i < n."""
    digits = _DIGITS
    while digits <= _MAX_DIGITS:
        below, above = edge(i, n, digits)
        if margin >= above:
            return True
        if margin < below:
            return False
        digits *= 2
    raise ArithmeticError(f"{margin} is too near an irrational edge for {_MAX_DIGITS} digits")


@lru_cache(maxsize=MAX_BUCKETS)
def threshold(i: int, n: int, unit: int) -> int:
    """Return the least integer M whose margin M / unit has a score of at least i/n, for 0 < i < n, exactly."""
    digits = _DIGITS
    while digits <= _MAX_DIGITS:
        low, high = (ceil(end * unit) for end in edge(i, n, digits))
        if low == high:
            return low
        digits *= 2
    raise ArithmeticError(f"an edge is too near a multiple of 1/{unit} for {_MAX_DIGITS} digits")


def score(margin: Fraction, digits: int = _DIGITS) -> Interval:
    """Return bounds of a margin's score."""
    down, up = _contexts(digits)
    if margin > _SATURATION:
        return down.subtract(Decimal(1), _SATURATION_ERROR), Decimal(1)
    if margin < -_SATURATION:
        return Decimal(0), _SATURATION_ERROR
    least = down.divide(Decimal(margin.numerator), Decimal(margin.denominator))
    most = up.divide(Decimal(margin.numerator), Decimal(margin.denominator))
    # exp is rounded correctly to nearest whatever the context's rounding.
    small = down.next_minus(down.exp(down.minus(most)))
    large = up.next_plus(up.exp(up.minus(least)))
    low = down.divide(Decimal(1), up.add(Decimal(1), large))
    high = up.divide(Decimal(1), down.add(Decimal(1), max(small, Decimal(0))))
    return low, high


def gap_exceeds(a: Fraction, b: Fraction, epsilon: Fraction = EPSILON) -> bool:
    """Return exactly whether the scores of two margins are more than epsilon apart."""
    if a == b:
        return False
    upper = max(a, b)
    lower = min(a, b)
    digits = _DIGITS
    # Scores of margins of one sign are less than 1/2 apart, however close to 1/2 the difference comes.
    if 2 * epsilon >= 1 and (lower >= 0 or upper <= 0):
        return False
    while digits <= _MAX_DIGITS:
        down, up = _contexts(digits)
        upper_low, upper_high = score(upper, digits)
        lower_low, lower_high = score(lower, digits)
        if Fraction(down.subtract(upper_low, lower_high)) > epsilon:
            return True
        if Fraction(up.subtract(upper_high, lower_low)) <= epsilon:
            return False
        digits *= 2
    raise ArithmeticError(f"scores of {a} and {b} differ by too nearly {epsilon} for {_MAX_DIGITS} digits")


def gap_at_most(low: Fraction, high: Fraction, apart: Fraction, epsilon: Fraction = EPSILON) -> bool:
    """Return whether the scores of margins in [low, high] at most `apart` apart never differ by more than epsilon.

    The growth s(t + D) - s(t) over a fixed step D rises up to t = -D/2 and falls after it, and it grows with D: the
    largest one is at the t of [low, high - D] that is nearest to -D/2.
    """
    step = min(apart, high - low)
    if step <= 0:
        return True
    start = min(max(-step / 2, low), high - step)
    return not gap_exceeds(start + step, start, epsilon)


def bucket_clusters(margins: Sequence[Fraction], epsilon: Fraction = EPSILON) -> int:
    """Return the paper's k: how many of the fixed buckets of width epsilon hold a score."""
    return len({bucket(margin, epsilon) for margin in margins})


def gap_clusters(margins: Sequence[Fraction], epsilon: Fraction = EPSILON) -> int:
    """Return k without bucket edges: sorted by score, a cluster ends where the next score is more than epsilon off."""
    ordered = sorted(margins)
    return 1 + sum(gap_exceeds(above, below, epsilon) for below, above in pairwise(ordered))


def flips(margins: Sequence[Fraction]) -> bool:
    """Return whether the label flips: one margin is above 0 and another is not."""
    return max(margins) > 0 >= min(margins)


@lru_cache(maxsize=64)
def _contexts(digits: int) -> tuple[Context, Context]:
    """Return contexts that round down and up, with room for every exponent."""
    down, up = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up
