"""Gaps between groups, from counts of rows: one name, one definition and one interval for every audit.

`counts` are rows by group and by whether they are selected, shape (groups, 2); for odds by group, true label and
whether they are selected, shape (groups, 2, 2). A group without rows has no rate, and no part in a gap.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.audits.intervals import bootstrap_counts
from equiproof.audits.records import Estimate

PARITY = "statistical parity difference"
IMPACT = "disparate impact"
ODDS = "equalized odds difference"
"""The names of gaps; of the impact, which is a ratio, the others being differences of rates."""

DRAWS = 1000
"""Resamples of a bootstrap."""

Counts = npt.NDArray[np.int64]
Statistic = Callable[[Counts], float]


def parity(counts: Counts) -> float:
    """Return the largest difference of two groups' selection rates; NaN with fewer than two groups."""
    rates = _rates(counts)
    return float(rates.max() - rates.min()) if len(rates) > 1 else np.nan


def impact(counts: Counts) -> float:
    """Return the least group's selection rate over the largest one's; NaN with fewer than two groups, or for 0 by 0."""
    rates = _rates(counts)
    return float(rates.min() / rates.max()) if len(rates) > 1 and rates.max() > 0 else np.nan


def odds(counts: Counts) -> float:
    """Return the larger of the gaps of false and of true positive rates; NaN where neither has two groups."""
    # NaN, of a label that fewer than two groups have, is the number that differs from itself.
    return max((gap for label in (0, 1) if (gap := parity(counts[:, label])) == gap), default=np.nan)


def estimated(measure: str, statistic: Statistic, counts: Counts, *, seed: int, draws: int = DRAWS) -> Estimate:
    """Return a gap with its bootstrap interval; `n` are the rows of the smallest group that has any, of either label.

    Equal counts and seeds give equal intervals, whichever audit reports them.
    """
    gap = bootstrap_counts(measure, statistic, counts, seed=seed, draws=draws)
    return msgspec.structs.replace(gap, n=smallest(counts))


def smallest(counts: Counts) -> int:
    """Return the rows of the smallest group that has any, of the true label with fewer rows; 0 if there are none."""
    totals = counts.sum(axis=-1)
    there = totals[totals > 0]
    return int(there.min()) if there.size else 0


def _rates(counts: Counts) -> npt.NDArray[np.float64]:
    """Return the selection rates of the groups that have rows."""
    totals = counts.sum(axis=-1)
    there = totals > 0
    rates: npt.NDArray[np.float64] = counts[there, 1] / totals[there]
    return rates
