"""Additive models without boxes: the score of the plain features is a sum, whose distribution is counted.

With jumps in steps of 2^k, rounded down, the distribution has few sums, and each stands for scores from one number to
another. So the weights of the scores that are surely between two thresholds, and of those that may be, enclose
the share; k falls until it is 0, where nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equiproof.audits.hyfair.bounds import Numbers
from equiproof.audits.unfair.search import Share
from equiproof.audits.unfair.weights import Weights

_FIRST_SUMS = 1 << 10
_MORE = 2
"""Binary digits by which jumps are finer from one step to the next."""


@dataclass(frozen=True)
class Sums:
    """The sums of an additive model: what each cell of each feature adds, and each group of sensitive values."""

    cells: tuple[tuple[int, ...], ...]
    groups: tuple[int, ...]

    @property
    def _spread(self) -> int:
        """The largest sum of cells less the least one."""
        return sum(max(own) - min(own) for own in self.cells)

    def narrowing(self, weights: Weights, most_sums: int) -> Iterator[Share]:
        """Yield what is known at finer and finer steps; the last one has at most `most_sums` sums, or is exact."""
        digits = max(0, (self._spread // _FIRST_SUMS).bit_length())
        best = Share(0, 0, 0, weights.total, 0, 1)
        yield best
        while True:
            found = self._counted(weights, digits, example=best.example is None)
            # Each step is right, and no later one takes back what an earlier one has shown.
            best = replace(
                found,
                unfair=max(best.unfair, found.unfair),
                fair=max(best.fair, found.fair),
                example=best.example or found.example,
            )
            yield best
            finer = max(0, digits - _MORE)
            if not digits or self._spread >> finer > most_sums:
                return
            digits = finer

    def _counted(self, weights: Weights, digits: int, *, example: bool) -> Share:
        """Return what sums in steps of 2^digits show, with an unfair applicant if one is asked for."""
        counts: list[Numbers] = [np.ones(1, dtype=weights.kind)]
        steps = [[value >> digits for value in own] for own in self.cells]
        for own, levels in zip(steps, weights.levels, strict=True):
            least = min(own)
            added: dict[int, int] = {}
            for number, weight in zip(own, levels, strict=True):
                added[number - least] = added.get(number - least, 0) + weight
            spread: Numbers = np.zeros(len(counts[-1]) + max(own) - least, dtype=weights.kind)
            for number, weight in added.items():
                spread[number : number + len(counts[-1])] += counts[-1] * weight
            counts = [*counts, spread] if example else [spread]
        # A sum of steps stands for scores from `first` on to `last` at most.
        rest = sum(
            max(value - (number << digits) for value, number in zip(*pair, strict=True))
            for pair in zip(self.cells, steps, strict=True)
        )
        first = (np.arange(len(counts[-1])) + sum(map(min, steps))) << digits
        last = first + rest
        low, high = min(self.groups), max(self.groups)
        unfair = (first + high > 0) & (last + low < 0) & (counts[-1] > 0)
        fair = (first + low > 0) | (last + high < 0) | (low == high)
        others = ~(unfair | fair)
        return Share(
            int(counts[-1][unfair].sum()),
            int(counts[-1][fair].sum()),
            0 if digits else int(counts[-1][others].sum()),
            weights.total,
            len(first),
            int(np.count_nonzero(counts[-1][others])) if digits else 0,
            _somebody(counts, steps, weights, int(unfair.argmax())) if example and unfair.any() else None,
        )


def _somebody(
    counts: Sequence[Numbers], steps: Sequence[Sequence[int]], weights: Weights, place: int
) -> tuple[int, ...]:
    """Return cells of a positive weight whose steps add up to a sum, by its place; `counts` are those after each."""
    found = []
    for before, own, levels in zip(counts[-2::-1], steps[::-1], weights.levels[::-1], strict=True):
        for cell, (number, weight) in enumerate(zip(own, levels, strict=True)):
            rest = place - number + min(own)
            if weight and 0 <= rest < len(before) and before[rest]:
                found.append(cell)
                place = rest
                break
    return tuple(found[::-1])
