"""The weight of a box on one side of a hyperplane, from below: how many applicants a linear bound settles.

Each feature's share of the bound is rounded down to a multiple of one step, so that a sum of shares has few values,
and their distribution over the box is counted feature by feature: shares that are rounded down only lose applicants
who are on that side. The feature with the most levels comes last and is not rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np

from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.unfair.weights import Weights

_SUMS = 2048
"""The steps between the least sum of shares and the largest one."""

_MOST_STEPS = 64
"""The most different shares of a feature; of more, neighbors are taken together, at the least of them."""

_SHARE_BITS = 32
"""The bits that shares keep of their bound: sums of them are machine integers."""

_WEIGHT_LIMIT = 1 << 32
_WEIGHT_BITS = 62
"""The bits of sums of weights, which are machine integers."""


@dataclass(frozen=True, eq=False)
class Halfspaces:
    """The levels of a grid with their weights, of which those of a feature add up to less than _WEIGHT_LIMIT."""

    levels: tuple[Integers, ...]
    weights: tuple[Integers, ...]

    @classmethod
    def of(cls, grid: Grid, weights: Weights) -> Halfspaces | None:
        """Return the levels of a domain; None of one with a feature whose weights are too large."""
        if any(sum(own) >= _WEIGHT_LIMIT for own in weights.levels):
            return None
        return cls(grid.levels, tuple(np.array(own, dtype=np.int64) for own in weights.levels))

    def weight(self, low: Integers, high: Integers) -> int:
        """Return the weight of a box of levels, both ends included."""
        parts = zip(self.weights, low.tolist(), high.tolist(), strict=True)
        return prod(int(own[first : last + 1].sum()) for own, first, last in parts)

    def above(self, slopes: Sequence[int], constant: int, low: Integers, high: Integers) -> int:
        """Return a weight that at most the applicants of a box have for whom slopes times columns + constant > 0.

        The slopes are those of the plain columns, in the grid's order; numbers of any size.
        """
        ends = list(pairwise(np.cumsum([0, *(level.shape[1] for level in self.levels)]).tolist()))
        inside = [slice(first, last + 1) for first, last in zip(low.tolist(), high.tolist(), strict=True)]
        columns = [level[own] for level, own in zip(self.levels, inside, strict=True)]
        weights = [own[part] for own, part in zip(self.weights, inside, strict=True)]
        parts = [slopes[first:last] for first, last in ends]
        digits = max(0, max(abs(slope) for slope in slopes).bit_length() - _SHARE_BITS)
        shares = []
        for own, part in zip(columns, parts, strict=True):
            least = own.min(axis=0)
            constant += sum(slope * int(value) for slope, value in zip(part, least, strict=True))
            # Slopes are rounded down, and what they are multiplied by is 0 or more.
            share = (own - least) @ np.array([slope >> digits for slope in part], dtype=np.int64)
            constant += int(share.min()) << digits
            shares.append(share - share.min())
        # Above where the shares add up to `goal` or more.
        return _reached(shares, weights, (-constant >> digits) + 1)


def _reached(shares: list[Integers], weights: list[Integers], goal: int) -> int:
    """Return a weight of those whose shares, 0 or more, surely add up to a goal."""
    whole = prod(int(own.sum()) for own in weights)
    spans = [int(share.max()) for share in shares]
    if goal <= 0 or goal > sum(spans):
        return whole if goal <= 0 else 0
    step = -(-sum(spans) // _SUMS)
    most = -(-goal // step)
    last = max(range(len(shares)), key=lambda place: len(shares[place]))
    # The weight of those whose sum of steps is still below `most`.
    below = np.zeros(most, dtype=np.int64)
    below[0] = 1
    scale = 0
    for place, (share, own) in enumerate(zip(shares, weights, strict=True)):
        if place == last:
            continue
        below, scale = _fitting(below, scale, own)
        if spans[place] == 0:
            below *= own.sum()
            continue
        steps = share // step
        width = -(-(int(steps.max()) + 1) // _MOST_STEPS)
        counts = np.zeros(int(steps.max()) // width + 1, dtype=np.int64)
        np.add.at(counts, steps // width, own)
        spread = np.zeros_like(below)
        for number in np.flatnonzero(counts).tolist():
            if number * width < most:
                spread[number * width :] += counts[number] * below[: most - number * width]
        below = spread
    below, scale = _fitting(below, scale, weights[last])
    order = np.argsort(shares[last], kind="stable")
    sums = np.concatenate([[0], np.cumsum(weights[last][order])])
    missing = goal - step * np.arange(most)
    return max(0, whole - (int((below * sums[np.searchsorted(shares[last][order], missing)]).sum()) << scale))


def _fitting(below: Integers, scale: int, weights: Integers) -> tuple[Integers, int]:
    """Return weights in units of 2^scale, rounded up, that machine integers hold once they are multiplied by others."""
    excess = max(0, int(below.sum()).bit_length() + int(weights.sum()).bit_length() - _WEIGHT_BITS)
    return -(-below >> excess), scale + excess
