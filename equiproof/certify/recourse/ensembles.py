"""Ensembles of trees: the cheapest change after which everybody of the table is decided as is wanted.

The native search for the nearest wrong decision finds it (go-gnark/search): a decision is wrong there where it is the
wanted one here, and a slot is as far as the nearest option behind its thresholds costs (:mod:`.crossings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.recourse.asked import Asked, Cheapest, cost_of
from equiproof.certify.recourse.crossings import Crossed, Listed, Slots, Steps, crossed_of, unit_of
from equiproof.certify.recourse.moves import Number, Option
from equiproof.certify.trees.problem import Slot, text_of
from equiproof.ffi import search as native

MAX_BOXES = 20_000
"""How many boxes a search may look at where seconds are not limited: so the result does not depend on the machine."""

_EXACT_BITS = 50
_ROUNDED_BITS = 40
"""Costs are integers of the search up to 2^50; where they would be larger, 2^40 steps of the largest cost."""


def cheapest(
    model: EnsembleModel, asked: Asked, *, margin: int = 1, every: bool = True, seconds: float | None = None
) -> Cheapest:
    """Return the cheapest options with which the score is at least `margin` for the wanted label on every row.

    With `every` unset, one row of the table suffices. The score is in the units of the model's values. The search ends
    after so many seconds, or without a limit after MAX_BOXES boxes. Costs of more digits than the search has are
    rounded down: it is then complete only where the bound is the cost nevertheless.

    Raises ValueError for a margin below 1, lengths that do not fit and a query without one value of a category,
    RuntimeError where the search is wrong.
    """
    if margin < 1 or len(asked.query) != model.stated or not asked.table:
        raise ValueError("want a margin of at least 1, a query of the model's columns, and rows of the table")
    crossed = crossed_of(model)
    if margin > crossed.most:
        return Cheapest(None, Fraction(0), complete=True)
    priced = _Priced(model, crossed, asked)
    milliseconds = None if seconds is None else max(0, int(1e3 * seconds))
    nodes = MAX_BOXES if seconds is None else None
    found = native.nearest(priced.text(margin, every=every), milliseconds=milliseconds, nodes=nodes)
    lower = found.lower2 * priced.unit
    if found.signs is None:
        return Cheapest(None, lower, found.complete)
    taken = priced.taken(found.signs)
    scores = [asked.sign * model.score((*asked.point(taken), *row)) for row in asked.table]
    if (min(scores) if every else max(scores)) < margin:
        raise RuntimeError("report this: the search for recourse found a change that does not suffice")
    cost = cost_of(taken)
    return Cheapest(taken, min(lower, cost), lower >= cost)


class _Priced:
    """An ensemble as somebody sees it: what is crossed by whom, at what cost."""

    def __init__(self, model: EnsembleModel, crossed: Crossed, asked: Asked) -> None:
        """Take the ensemble and somebody."""
        self._model = model
        self._crossed = crossed
        self._asked = asked
        self._query = model.additive.seen(asked.query)
        self._movers = [
            Steps(crossed, mover) if isinstance(mover, Number) else Listed(crossed, mover, asked.query)
            for mover in asked.movers
        ]

    @cached_property
    def unit(self) -> Fraction:
        """The cost of 1 in the search: it divides all costs, or there are 2^40 of it in the largest."""
        unit = unit_of(mover.unit for mover in self._movers) or Fraction(1)
        most = max((mover.most for mover in self._movers), default=Fraction(0))
        return unit if most / unit < 1 << _EXACT_BITS else most / (1 << _ROUNDED_BITS)

    @cached_property
    def _priced(self) -> tuple[list[Slot], list[str]]:
        """The slots, ascending by column and threshold, which hold all plain predicates, and the groups."""
        known: Slots = {}
        groups = []
        for mover in self._movers:
            slots, group = mover.slots(self.unit)
            known |= slots
            if group is not None:
                groups.append(group)
        listed: list[Slot] = []
        for number, column in self._crossed.columns.items():
            if number in known:
                listed += known[number]
            else:
                listed += [Slot(run, None) for run in column.runs(column.position(self._query[number]), {})]
        return listed, groups

    def text(self, margin: int, *, every: bool) -> str:
        """Return what the search reads: its decisions are wrong where the wanted label has the margin."""
        slots, groups = self._priced
        asked = self._asked
        return text_of(
            self._model, self._query, asked.table, -asked.sign, slots, margin=margin, groups=groups, every=every
        )

    def taken(self, signs: Sequence[int]) -> tuple[Option, ...]:
        """Return the cheapest option of each mover that crosses the slots with a sign of 1, and no other."""
        slots, _ = self._priced
        over = frozenset(place for slot, sign in zip(slots, signs, strict=True) if sign == 1 for place in slot.places)
        return tuple(mover.taken(over) for mover in self._movers)
