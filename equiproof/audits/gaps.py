"""Gaps between groups, from counts of rows: one name, one definition and one interval for every audit.

`counts` are rows by group and by whether they are selected, shape (groups, 2); for odds by group, true label and
whether they are selected, shape (groups, 2, 2). A group without rows has no rate, and no part in a gap.

A gap is the largest of several differences, so chance alone makes it positive. Of two groups it is the higher rate
minus the lower one with Newcombe's interval, which begins below 0 where the rows do not show which is the higher. Of
more groups, the intervals of all pairs hold together, and the gap is at least the largest of their lower ends (or 0)
and at most the largest of their upper ends. Ratios likewise, and medians, whose intervals hold for any distribution.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from equiproof.audits.intervals import (
    CONFIDENCE,
    MEDIANS,
    Counted,
    difference_ends,
    each_pair,
    median_ends,
    ratio_ends,
)
from equiproof.audits.records import Estimate

PARITY = "statistical parity difference"
IMPACT = "disparate impact"
ODDS = "equalized odds difference"
"""The names of gaps; of the impact, which is a ratio, the others being differences of rates."""

HIGHER = "Newcombe, higher minus lower"
ALL_PAIRS = "Newcombe, all pairs"
RATIO = "MOVER-R"
RATIO_ALL_PAIRS = "MOVER-R, all pairs"
"""The methods of their intervals: of two groups and of more, of differences and of ratios."""

PERMUTATION = "permutation"
"""The method of a p value."""

NOT_THESE = "the network does not describe these groups"
"""The reason for no verdict where a network of the rows has other gaps than the rows."""

FURTHER = "the network is further from the rows than from the demand"
"""The reason where its gap is one of those that the rows allow, and yet the verdict would be about it alone."""

DRAWS = 9_999
"""Permutations of a test: with the rows themselves they are 10,000."""

_TWO = 2

Counts = npt.NDArray[np.int64]
Ends = tuple[float, float]
Between = tuple[Sequence[float], Sequence[float]]
"""What each value of a group is at least, and at most."""
Group = Sequence[int]
"""The refused and the selected rows of a group that has any."""


def parity(measure: str, counts: Counts) -> Estimate:
    """Return the largest difference of two groups' selection rates; no value with fewer than two groups."""
    groups = _present(counts)
    if len(groups) < _TWO:
        return _estimate(measure, counts, None, None, ALL_PAIRS)
    return _estimate(measure, counts, _spread(groups), _spread_ends(groups), _of_pairs(len(groups)))


def shares(measure: str, groups: Sequence[Counted]) -> Estimate:
    """Return the largest difference of the shares of groups, of which undecided rows may be counted or not.

    `value` is that of the certain shares; no value with fewer than two groups.
    """
    ordered = sorted(groups, key=lambda one: one.least / one.n, reverse=True)
    if len(ordered) < _TWO:
        return _of_groups(measure, groups, None, None, ALL_PAIRS)
    each = each_pair(len(ordered))
    ends = _largest(len(ordered), lambda one, other: difference_ends(ordered[one], ordered[other], each))
    value = ordered[0].least / ordered[0].n - ordered[-1].least / ordered[-1].n
    return _of_groups(measure, groups, value, ends, _of_pairs(len(ordered)))


def medians(measure: str, groups: Sequence[Between]) -> Estimate:
    """Return the largest difference of the medians of groups, each the least and the most that its values may be.

    It lies between the ends of the intervals of medians, which hold together (Bonferroni) for any distribution. Values
    are 0 at least, and may be infinite: a difference that is so has no value, and at most no end; its lower end, which
    says that there is one, is then that of the largest finite value. `value` is that of the most.
    """
    counts = [Counted(0, 0, len(most)) for _, most in groups]
    if len(groups) < _TWO:
        return _of_groups(measure, counts, None, None, MEDIANS)
    middles = [statistics.median(most) for _, most in groups]
    order = sorted(range(len(groups)), key=lambda place: middles[place], reverse=True)
    each = 1 - (1 - CONFIDENCE) / len(groups)
    known = [median_ends(*groups[place], each) or (0.0, math.inf) for place in order]
    limit = max((value for _, most in groups for value in most if math.isfinite(value)), default=0.0)
    ends = _largest(
        len(groups),
        lambda one, other: (
            min(known[one][0], limit) - known[other][1],
            math.inf if math.isinf(known[one][1]) else known[one][1] - known[other][0],
        ),
    )
    highest, lowest = middles[order[0]], middles[order[-1]]
    value = math.inf if math.isinf(highest) else highest - lowest
    return _of_groups(measure, counts, value, ends, MEDIANS)


def odds(measure: str, counts: Counts) -> Estimate:
    """Return the larger of the gaps of false and of true positive rates; no value where neither has two groups.

    The intervals of both gaps hold together (Bonferroni).
    """
    labels = [groups for label in (0, 1) if len(groups := _present(counts[:, label])) >= _TWO]
    if not labels:
        return _estimate(measure, counts, None, None, ALL_PAIRS)
    each = 1 - (1 - CONFIDENCE) / len(labels)
    lower, upper = (max(values) for values in zip(*(_spread_ends(one, each) for one in labels), strict=True))
    # The larger of two gaps is one of several differences, even of two groups.
    both = len(labels) > 1
    method = ALL_PAIRS if both else _of_pairs(len(labels[0]))
    return _estimate(measure, counts, max(map(_spread, labels)), (max(0.0, lower) if both else lower, upper), method)


def impact(measure: str, counts: Counts) -> Estimate:
    """Return the least group's selection rate over the largest one's; no value with fewer than two, or for 0 by 0."""
    groups = sorted(_present(counts), key=_rate)
    if len(groups) < _TWO or not _rate(groups[-1]):
        return _estimate(measure, counts, None, None, RATIO_ALL_PAIRS)
    two, each = len(groups) == _TWO, each_pair(len(groups))
    pairs = [(groups[0], groups[1])] if two else permutations(groups, 2)
    ends = [ratio_ends(one[1], sum(one), other[1], sum(other), each) for one, other in pairs]
    lower, upper = (min(values) for values in zip(*ends, strict=True))
    value = _rate(groups[0]) / _rate(groups[-1])
    return _estimate(
        measure, counts, value, (lower, upper if two else min(1.0, upper)), RATIO if two else RATIO_ALL_PAIRS
    )


def equality(measure: str, counts: Counts, *, seed: int, draws: int = DRAWS) -> Estimate:
    """Return the p value of equal rates in all groups, by `draws` permutations of who is selected.

    Of each true label by itself, where `counts` have them. The statistic is Pearson's, summed over the labels; the
    rows themselves count as one permutation, so the p value is never 0 and holds for groups of any size.
    """
    tables = [counts] if counts.ndim == _TWO else [counts[:, label] for label in range(counts.shape[1])]
    tables = [table[table.sum(axis=1) > 0] for table in tables]
    tables = [table for table in tables if len(table) >= _TWO]
    if not tables:
        return _estimate(measure, counts, None, None, PERMUTATION)
    generator = np.random.default_rng(seed)
    own = sum(float(_pearson(table[:, 1], table)) for table in tables)
    drawn = sum(
        _pearson(generator.multivariate_hypergeometric(table.sum(axis=1), int(table[:, 1].sum()), draws), table)
        for table in tables
    )
    # Equal tables may differ by rounding.
    extreme = int(np.count_nonzero(drawn >= own * (1 - 1e-9)))
    return _estimate(measure, counts, (extreme + 1) / (draws + 1), None, PERMUTATION)


def smallest(counts: Counts) -> int:
    """Return the rows of the smallest group that has any, of the true label with fewer rows; 0 if there are none."""
    totals = counts.sum(axis=-1)
    there = totals[totals > 0]
    return int(there.min()) if there.size else 0


def compared(counts: Counts, least: int) -> Counts:
    """Return the counts without groups of fewer than `least` rows (of a true label: without its rows of this label)."""
    enough = counts.sum(axis=-1, keepdims=True) >= least
    return np.where(enough, counts, 0)


def _present(counts: Counts) -> list[list[int]]:
    """Return the groups that have rows."""
    found: list[list[int]] = counts[counts.sum(axis=-1) > 0].tolist()
    return found


def _rate(group: Group) -> float:
    """Return the share of a group that is selected."""
    return group[1] / sum(group)


def _spread(groups: Sequence[Group]) -> float:
    """Return the largest rate minus the smallest one."""
    rates = [_rate(group) for group in groups]
    return max(rates) - min(rates)


def _spread_ends(groups: Sequence[Group], confidence: float = CONFIDENCE) -> Ends:
    """Return the ends of the largest rate minus the smallest one."""
    ordered = [Counted(group[1], group[1], sum(group)) for group in sorted(groups, key=_rate, reverse=True)]
    each = each_pair(len(ordered), confidence)
    return _largest(len(ordered), lambda one, other: difference_ends(ordered[one], ordered[other], each))


def _largest(groups: int, ends: Callable[[int, int], Ends]) -> Ends:
    """Return the ends of the largest difference, from those of each; groups are numbered from the highest on."""
    if groups == _TWO:
        return ends(0, 1)
    lower, upper = (
        max(values) for values in zip(*(ends(*pair) for pair in permutations(range(groups), 2)), strict=True)
    )
    return max(0.0, lower), upper


def _of_pairs(groups: int) -> str:
    """Return the method of a difference of so many groups."""
    return HIGHER if groups == _TWO else ALL_PAIRS


def _pearson(selected: npt.NDArray[np.int64], table: Counts) -> npt.NDArray[np.float64]:
    """Return what grows with Pearson's statistic, for `selected` of shape (..., groups) and the margins of a table."""
    totals = table.sum(axis=1)
    distance = selected * totals.sum() - totals * table[:, 1].sum()
    found: npt.NDArray[np.float64] = (distance.astype(np.float64) ** 2 / totals).sum(axis=-1) / totals.sum() ** 2
    return found


def _of_groups(
    measure: str, groups: Sequence[Counted], value: float | None, ends: Ends | None, method: str
) -> Estimate:
    """Return a difference of groups of so many rows, without the numbers that are infinite."""
    numbers = [None, None, None] if ends is None else [value, *ends]
    finite = [one if one is not None and math.isfinite(one) else None for one in numbers]
    return Estimate(
        measure=measure,
        value=finite[0],
        lower=finite[1],
        upper=finite[2],
        n=min((one.n for one in groups), default=0),
        method=method,
        confidence=CONFIDENCE,
    )


def _estimate(measure: str, counts: Counts, value: float | None, ends: Ends | None, method: str) -> Estimate:
    """Return an estimate that rests on the rows of its smallest group."""
    lower, upper = (None, None) if ends is None else ends
    return Estimate(
        measure=measure,
        value=value,
        lower=lower,
        upper=upper,
        n=smallest(counts),
        method=method,
        confidence=1.0 if method == PERMUTATION else CONFIDENCE,
    )
