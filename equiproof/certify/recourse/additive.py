"""The cheapest choice of an additive model, exactly: what an option adds does not depend on the others.

Of an option of a number the least that it adds is counted, from what is shown to the end beyond it, so that the choice
is the cheapest one with a box of people who are all decided so. Sensitive columns add what they add in the worst row.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.budget import MAX_WORK, Meter
from equiproof.certify.recourse.asked import Asked, Cheapest
from equiproof.certify.recourse.moves import Mover, Option
from equiproof.certify.trees.nearest import cheapest_choice
from equiproof.certify.trees.oriented import Chain, Position


def cheapest(
    model: AdditiveModel,
    asked: Asked,
    *,
    margin: int = 1,
    every: bool = True,
    beyond: bool = True,
    seconds: float | None = None,
) -> Cheapest:
    """Return the cheapest choice with a margin of the wanted label on every row, or with `every` unset on some row.

    With `beyond` it holds for all that a box has beyond the shown values too, without it for these alone. Without
    `seconds` work is limited.
    """
    columns = _Columns(model)
    offered = [mover.options(columns.thresholds) for mover in asked.movers]
    unit = math.lcm(*(option.cost.denominator for options in offered for option in options))
    chains = tuple(
        Chain(
            number,
            number,
            0,
            tuple(
                Position(int(option.cost * unit), -columns.least(mover, option, asked, beyond=beyond))
                for option in options
            ),
        )
        for number, (mover, options) in enumerate(zip(asked.movers, offered, strict=True))
    )
    margins = [asked.sign * model.score((*asked.query, *row)) for row in asked.table]
    short = margin - (min(margins) if every else max(margins))
    limit = 1 + sum(max(position.cost for position in chain.positions) for chain in chains)
    meter = Meter(seconds, MAX_WORK)
    meter.allot(1.0)
    found = cheapest_choice(short, limit, chains, meter)
    taken = None
    if found.positions is not None:
        taken = tuple(options[place] for options, place in zip(offered, found.positions, strict=True))
    return Cheapest(taken, Fraction(found.lower, unit), found.ended is None)


class _Columns:
    """The thresholds of each plain column, and what the score has of it behind each."""

    def __init__(self, model: AdditiveModel) -> None:
        self.thresholds: dict[int, list[int]] = {}
        jumps: dict[int, list[int]] = {}
        for column, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True):
            if column < model.plain:
                self.thresholds.setdefault(column, []).append(threshold)
                jumps.setdefault(column, []).append(jump)
        self._sums = {column: [*accumulate(steps, initial=0)] for column, steps in jumps.items()}

    def least(self, mover: Mover, option: Option, asked: Asked, *, beyond: bool) -> int:
        """Return the least that an option adds to the margin of the wanted label."""
        total = 0
        for place, column in enumerate(mover.columns):
            if column not in self._sums:
                continue
            own = self._position(column, asked.query[column])
            ends = (option.low[place], option.high[place]) if beyond else (option.point[place],) * 2
            first, last = self._position(column, ends[0]), self._position(column, ends[1])
            sums = self._sums[column]
            total += min(asked.sign * (one - sums[own]) for one in sums[first : last + 1])
        return total

    def _position(self, column: int, value: int) -> int:
        """Return how many thresholds of a column a value has passed."""
        return bisect_left(self.thresholds[column], value)
