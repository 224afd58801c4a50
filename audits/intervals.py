"""Intervals of shares and scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from audits.report import Estimate
from audits.witness import Assignment

CONFIDENCE = 0.95


def share(measure: str, count: int, n: int, *, group: Assignment = ()) -> Estimate:
    """Return a share of n rows with Wilson's interval (Wilson 1927, equation 6); without rows, nothing is known."""
    if n == 0:
        return Estimate(measure=measure, group=group, value=None, n=0, method="Wilson", confidence=CONFIDENCE)
    lower, upper = wilson(count, n)
    return Estimate(
        measure=measure, group=group, value=count / n, lower=lower, upper=upper, n=n, method="Wilson",
        confidence=CONFIDENCE,
    )  # fmt: skip


def share_between(measure: str, least: int, most: int, n: int, *, group: Assignment = ()) -> Estimate:
    """Return a share that is known to be from least/n to most/n: what was undecided is counted either way.

    `value` is the share that is certain, least/n; the interval runs from Wilson's lower end of this to Wilson's upper
    end of the other, so that it covers the true share whatever the undecided are.
    """
    if least == most or n == 0:
        return share(measure, least, n, group=group)
    (lower, _), (_, upper) = wilson(least, n), wilson(most, n)
    return Estimate(
        measure=measure, group=group, value=least / n, lower=lower, upper=upper, n=n,
        method="Wilson, undecided either way", confidence=CONFIDENCE,
    )  # fmt: skip


def wilson(count: int, n: int) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share of n rows; raises ValueError where there is no such share."""
    if not 0 <= count <= n or n == 0:
        raise ValueError(f"{count} of {n} rows")
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    center, middle = (count + z * z / 2) / (n + z * z), count / n * (1 - count / n) / n
    half = z * math.sqrt(middle + z * z / (4 * n * n)) / (1 + z * z / n)
    # Where all or none are counted, the interval ends there; the sums above miss it by a rounding.
    return (0.0 if count == 0 else max(0.0, center - half)), (1.0 if count == n else min(1.0, center + half))


def bootstrap(
    measure: str,
    statistic: Callable[[npt.NDArray[np.int64]], float],
    n: int,
    *,
    seed: int,
    draws: int = 1000,
    group: Assignment = (),
) -> Estimate:
    """Return a statistic of row numbers 0..n-1 with the percentile interval of so many draws with replacement.

    Draws that the statistic has no finite value for (a group that vanished) are left out; `value` is None where it has
    none on the rows themselves.
    """
    if n == 0:
        return Estimate(measure=measure, group=group, value=None, n=0, method="bootstrap", confidence=CONFIDENCE)
    generator = np.random.default_rng(seed)
    value = statistic(np.arange(n))
    found = [statistic(generator.integers(0, n, n)) for _ in range(draws)]
    lower, upper = _ends([one for one in found if math.isfinite(one)])
    return Estimate(
        measure=measure, group=group, value=float(value) if math.isfinite(value) else None, lower=lower, upper=upper,
        n=n, method="bootstrap", confidence=CONFIDENCE,
    )  # fmt: skip


def _ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the percentiles that enclose the confidence."""
    if not values:
        return None, None
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(values, [tail, 1 - tail])
    return float(lower), float(upper)
