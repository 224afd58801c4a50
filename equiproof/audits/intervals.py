"""Intervals of shares, differences, means and medians, and the correction of p values for their number."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from statistics import NormalDist

from equiproof.audits.records import Estimate
from equiproof.certify.many.point import Assignment

CONFIDENCE = 0.95

DIFFERENCE = "Newcombe"
"""The method of an estimate that is a difference of two shares."""

ORDER = "order statistics"
"""The method of an estimate that is a median."""

MEDIANS = "order statistics, all groups"
"""The method of a difference of medians: between the ends of intervals that hold together."""


def share(measure: str, count: int, n: int, *, group: Assignment = ()) -> Estimate:
    """Return a share of n rows with Wilson's interval (Wilson 1927, equation 6); no value for n = 0."""
    if n == 0:
        return Estimate(measure=measure, group=group, value=None, n=0, method="Wilson", confidence=CONFIDENCE)
    lower, upper = wilson(count, n)
    return Estimate(
        measure=measure,
        group=group,
        value=count / n,
        lower=lower,
        upper=upper,
        n=n,
        method="Wilson",
        confidence=CONFIDENCE,
    )


def share_between(measure: str, least: int, most: int, n: int, *, group: Assignment = ()) -> Estimate:
    """Return a share between least/n and most/n: undecided rows may count or not.

    `value` is the certain share least/n. The interval runs from Wilson's lower end for least/n to his upper end for
    most/n, so it covers the true share for every outcome of the undecided rows.
    """
    if least == most or n == 0:
        return share(measure, least, n, group=group)
    lower, _ = wilson(least, n)
    _, upper = wilson(most, n)
    return Estimate(
        measure=measure,
        group=group,
        value=least / n,
        lower=lower,
        upper=upper,
        n=n,
        method="Wilson, undecided either way",
        confidence=CONFIDENCE,
    )


def wilson(count: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share of n rows; raises ValueError unless 0 <= count <= n."""
    if not 0 <= count <= n or n == 0:
        raise ValueError(f"{count} of {n} rows")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    center = (count + z * z / 2) / (n + z * z)
    middle = count / n * (1 - count / n) / n
    half = z * math.sqrt(middle + z * z / (4 * n * n)) / (1 + z * z / n)
    # A share of 0 or 1 is an end of its interval; the sums above miss it by a rounding error.
    return (0.0 if count == 0 else max(0.0, center - half)), (1.0 if count == n else min(1.0, center + half))


@dataclass(frozen=True)
class Counted:
    """A share of n rows that lies between least/n and most/n: undecided rows may count or not."""

    least: int
    most: int
    n: int


def difference(
    measure: str, first: Counted, second: Counted, *, confidence: float = CONFIDENCE, group: Assignment = ()
) -> Estimate:
    """Return the first share minus the second of independent rows with Newcombe's interval (1998, method 10).

    `value` is that of the certain shares, and `n` the rows of the smaller group. The interval covers the difference for
    every outcome of the undecided rows; no value where one share is of no row.
    """
    n = min(first.n, second.n)
    if not (first.n and second.n):
        return Estimate(measure=measure, group=group, value=None, n=n, method=DIFFERENCE, confidence=confidence)
    lower, upper = difference_ends(first, second, confidence)
    value = first.least / first.n - second.least / second.n
    return Estimate(
        measure=measure,
        group=group,
        value=value,
        lower=lower,
        upper=upper,
        n=n,
        method=DIFFERENCE,
        confidence=confidence,
    )


def difference_ends(first: Counted, second: Counted, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the ends of the interval of :func:`difference`; both shares are of some row."""
    lower = _below(first.least, first.n, second.most, second.n, confidence)
    # The upper end of a difference is the negative lower end of the opposite difference, with the outcomes that favor
    # it.
    return lower, -_below(second.least, second.n, first.most, first.n, confidence)


def _below(count: int, n: int, other: int, m: int, confidence: float) -> float:
    """Return the lower end of Newcombe's interval for count/n - other/m."""
    lower, _ = wilson(count, n, confidence)
    _, upper = wilson(other, m, confidence)
    return count / n - other / m - math.hypot(count / n - lower, upper - other / m)


def ratio_ends(count: int, n: int, other: int, m: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the ends of an interval for count/n over other/m, from Wilson's ends of both (Newcombe 2016, MOVER-R).

    The lower end is 0 where no row of the first group is counted, the upper one infinite where none of the second is.
    """
    share, reference = count / n, other / m
    least, most = wilson(count, n, confidence)
    bottom, top = wilson(other, m, confidence)
    product = share * reference
    # Rounding alone makes a square below 0.
    below = math.sqrt(max(0.0, product**2 - least * top * (2 * share - least) * (2 * reference - top)))
    above = math.sqrt(max(0.0, product**2 - most * bottom * (2 * share - most) * (2 * reference - bottom)))
    lower = least * (2 * share - least) / (product + below) if count else 0.0
    upper = (product + above) / (bottom * (2 * reference - bottom)) if bottom else math.inf
    return lower, upper


@cache
def each_pair(groups: int, confidence: float = CONFIDENCE) -> float:
    """Return the confidence that each difference of two of several rates needs for those of all pairs to hold together.

    Its critical value is that of the studentized range over the root of 2, in place of the normal one: for two groups
    they are equal (Agresti, Bini, Bertaccini and Ryu 2008).
    """
    from scipy.stats import studentized_range

    if groups == 2:
        return confidence
    critical = float(studentized_range.ppf(confidence, groups, math.inf)) / math.sqrt(2)
    return 2 * NormalDist().cdf(critical) - 1


@dataclass(frozen=True)
class Mean:
    """A mean with its interval, and the two-sided p value of the mean 0."""

    value: float
    lower: float
    upper: float
    p: float


def mean_of(values: Sequence[float], confidence: float = CONFIDENCE) -> Mean:
    """Return the mean of at least two independent values with Student's interval (1908).

    Equal values have no spread to measure a mean by: what is rounded to few steps is often equal by chance. Nothing is
    then known of the mean: its interval is unlimited, and the p value 1.
    """
    from scipy import stats

    count = len(values)
    middle = math.fsum(values) / len(values)
    if len(set(values)) == 1:
        return Mean(middle, -math.inf, math.inf, 1.0)
    spread = math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (count - 1) / count)
    half = float(stats.t.ppf((1 + confidence) / 2, count - 1)) * spread
    return Mean(middle, middle - half, middle + half, float(2 * stats.t.sf(abs(middle) / spread, count - 1)))


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number (Holm 1979): those below a level are right together at that level."""
    adjusted = [0.0] * len(values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=lambda at: values[at])):
        # Hypotheses are rejected in the order of their p values, up to the first that is not: so none is adjusted to
        # less than one before it.
        largest = max(largest, min(1.0, (len(values) - place) * values[index]))
        adjusted[index] = largest
    return adjusted


def median(measure: str, values: Sequence[float], *, group: Assignment = ()) -> Estimate:
    """Return the median of independent values, with the interval between two of them that holds for any distribution.

    Fewer than six values have none that is sure enough, and so no interval.
    """
    return median_between(measure, values, values, group=group)


def median_between(measure: str, least: Sequence[float], most: Sequence[float], *, group: Assignment = ()) -> Estimate:
    """Return the median of independent values of which each lies between its `least` and its `most`, with its interval.

    `value` is the median of `most`, and the interval holds whatever the values are. Values may be infinite, such as the
    cost of what nothing reaches; so is then an end, or the median, which a report has no number for: None.
    """
    ends = median_ends(least, most)
    return Estimate(
        measure=measure,
        group=group,
        value=_finite(statistics.median(most)) if most else None,
        lower=None if ends is None else _finite(ends[0]),
        upper=None if ends is None else _finite(ends[1]),
        n=len(most),
        method=ORDER,
        confidence=CONFIDENCE,
    )


def median_ends(
    least: Sequence[float], most: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return the ends of the interval of a median; None for fewer values than any interval is sure of.

    They are as many values from either end of the order as fewer than half of which may lie beyond the median by chance
    (Conover 1999, section 3.2).
    """
    n = len(most)
    beyond = _sure_beyond(n, confidence)
    return None if beyond is None else (sorted(least)[beyond], sorted(most)[n - 1 - beyond])


def _sure_beyond(n: int, confidence: float) -> int | None:
    """Return the most of n values that lie beyond an end of the median's interval; None where even 0 are not sure."""
    tail = (1 - Fraction(str(confidence))) / 2 * 2**n
    most, below, ways = None, 0, 1
    for count in range(n // 2):
        below += ways
        if below > tail:
            break
        most = count
        ways = ways * (n - count) // (count + 1)
    return most


def _finite(value: float) -> float | None:
    """Return a number that a report can hold."""
    return value if math.isfinite(value) else None


def rounded_down(value: Fraction) -> float:
    """Return the largest float that is not above an exact number, for the lower end of what is proven."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


def rounded_up(value: Fraction) -> float:
    """Return the least float that is not below an exact number, for the upper end of what is proven."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)
