"""The cheapest choice of options under which a network decides a label on every row of a table, or on one.

A mixed-integer program of several slices together (:mod:`.network_program`) proposes a choice, with a lower bound of
all costs. Its floats are only a guide: a choice counts if its margins are large enough in integers on every row. Where
one fails, the program takes in the slice on which it fails most, or excludes it if that is there already, and is solved
again. A choice that holds is brought back towards today as far as it still holds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

from equiproof.certify.boxes import margin
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.recourse.asked import Asked, Cheapest, cost_of

if TYPE_CHECKING:
    from equiproof.certify.recourse.network_program import Place

_TOLERANCE = Fraction(1, 10**6)
"""How far the solver's bound may be above the optimum, and may end below it, as parts of the dearest move."""


def cheapest(
    model: QuantisedNetwork, asked: Asked, *, margin: int = 1, every: bool = True, seconds: float | None = None
) -> Cheapest:
    """Return the cheapest choice whose margins are at least `margin` on every row of the table, or else on one.

    `lower` is the solver's bound less what its tolerance can make wrong, a millionth of the dearest single move, and
    then the next cost that a choice can have at all. The search is complete where the cost of the choice is not above
    `lower`, or by less than a few such millionths where costs lie as near, and where the solver finds no choice left.
    After so many `seconds` the best choice so far is returned. Without them the same search has the same result.
    """
    end = math.inf if seconds is None else time.monotonic() + seconds
    if every:
        return _Search(model, asked, asked.table, margin, end).run()
    found = []
    for number, row in enumerate(asked.table):
        now = time.monotonic()
        # Each row that is left has the same share of what is left.
        found.append(_Search(model, asked, [row], margin, now + (end - now) / (len(asked.table) - number)).run())
    lower = min(one.lower for one in found)
    best = min((one for one in found if one.taken is not None), key=lambda one: one.cost or 0, default=None)
    complete = all(one.complete or (best is not None and one.lower >= (best.cost or 0)) for one in found)
    return Cheapest(None if best is None else best.taken, lower, complete)


class _Search:
    """The search of somebody's cheapest choice on some rows."""

    def __init__(
        self, model: QuantisedNetwork, asked: Asked, rows: Sequence[Sequence[int]], margin: int, end: float
    ) -> None:
        """Ask for so large a margin, until `end` of the clock."""
        from equiproof.certify.recourse.network_program import Moves

        self._model = model
        self._asked = asked
        self._rows = rows
        self._active: list[Sequence[int]] = []
        self._margin = margin
        self._end = end
        self._moves = Moves.of(asked)
        costs = [list(own) for own in self._moves.costs()]
        self._unit = max((max(own) for own in costs), default=Fraction(0)) or Fraction(1)
        self._dearest = sum(map(max, costs), Fraction(0))
        self._grid = reduce(_common, (cost for own in costs for cost in own), Fraction(0))

    def run(self) -> Cheapest:
        """Solve the program until an answer holds.

        It has the rows on which an answer failed before: without the others it is still a relaxation.
        """
        from equiproof.certify.recourse.network_program import NetworkProgram

        today: tuple[Place, ...] = (0,) * len(self._asked.movers)
        if self._holds(today):
            return self._answer(today, Fraction(0))
        self._active.append(self._worst(today))
        best = self._guessed()
        lower = Fraction(0)
        while self._cost(best) > lower and time.monotonic() < self._end:
            program = NetworkProgram(
                self._model, self._moves, self._active, self._margin, self._unit, self._budget(best), self._end
            )
            solved = program.program.solve(max(0.0, self._end - time.monotonic()))
            if solved.status == "infeasible":
                return self._answer(best, self._cost(best))
            if math.isfinite(solved.bound):
                lower = max(lower, min(self._rounded(solved.bound), self._dearest))
            if solved.values is None:
                break
            places = program.places(solved.values)
            if self._holds(places):
                best = self._nearest(places)
                break
            self._learn(places)
        return self._answer(best, lower)

    def _guessed(self) -> tuple[Place, ...] | None:
        """Return the cheapest of some choices that hold, if there are any; rows that others fail on become active."""
        from equiproof.certify.recourse.network_guess import guesses

        while True:
            found = guesses(self._model, self._moves, self._active, self._margin)
            held = [self._nearest(one) for one in found if self._holds(one)]
            if held or not found or time.monotonic() >= self._end:
                return min(held, key=self._cost, default=None)
            if (worst := self._worst(found[0])) in self._active:
                return None
            self._active.append(worst)

    def _learn(self, places: tuple[Place, ...]) -> None:
        """Take in the row on which a choice fails most, or exclude the choice where the program has that already."""
        worst = self._worst(places)
        if worst in self._active:
            self._moves.refute(places)
        else:
            self._active.append(worst)

    def _budget(self, best: tuple[Place, ...] | None) -> Fraction | None:
        """Return what a better choice costs at most."""
        if best is None:
            return None
        apart = self._grid > 4 * _TOLERANCE * self._unit
        return self._cost(best) - (self._grid if apart else 0)

    def _cost(self, places: tuple[Place, ...] | None) -> Fraction:
        """Return what a choice costs; more than any does for None."""
        if places is None:
            return self._dearest + 1
        return cost_of(self._moves.options(places))

    def _answer(self, places: tuple[Place, ...] | None, lower: Fraction) -> Cheapest:
        """Return a choice, or that there is none yet, with a lower bound of all costs."""
        cost = self._cost(places)
        if places is None:
            return Cheapest(None, lower, complete=lower == cost)
        complete = cost - lower <= 4 * _TOLERANCE * self._unit
        return Cheapest(self._moves.options(places), min(lower, cost), complete)

    def _rounded(self, bound: float) -> Fraction:
        """Return the least cost that choices can have by a bound of the solver."""
        lower = max(Fraction(0), (Fraction(bound) - _TOLERANCE) * self._unit)
        return -(-lower // self._grid) * self._grid if self._grid else lower

    def _holds(self, places: Sequence[Place]) -> bool:
        """Return whether a choice has the margins on all rows, in integers."""
        point = self._asked.point(self._moves.options(places))
        return all(
            margin(self._model, self._asked.label, (*point, *row)) >= self._margin
            for row in (*self._active, *self._rows)
        )

    def _worst(self, places: Sequence[Place]) -> Sequence[int]:
        """Return the row on which a choice has the least margin."""
        point = self._asked.point(self._moves.options(places))
        return min(self._rows, key=lambda row: margin(self._model, self._asked.label, (*point, *row)))

    def _nearest(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return a choice that holds with each mover brought back towards today as far as it still holds."""
        while True:
            before = places
            for mover in sorted(
                range(len(places)), key=lambda number: -self._moves.option(number, before[number]).cost
            ):
                places = self._brought_back(places, mover)
            if places == before:
                return places

    def _brought_back(self, places: tuple[Place, ...], mover: int) -> tuple[Place, ...]:
        """Return a choice that holds with one mover brought back: to a cheaper option, or by halves of the way."""

        def with_place(place: Place) -> tuple[Place, ...]:
            """Return the choice where the mover goes elsewhere."""
            return (*places[:mover], place, *places[mover + 1 :])

        own = places[mover]
        if isinstance(own, int):
            nearer = self._moves.cheaper(mover, own)
            return next((found for place in nearer if self._holds(found := with_place(place))), places)
        if self._holds(found := with_place(0)):
            return found
        direction, high = own
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            if self._holds(with_place((direction, middle))):
                high = middle
            else:
                low = middle
        return with_place((direction, high))


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the largest number of which both are multiples."""
    below = one.denominator * other.denominator
    return Fraction(math.gcd(one.numerator * other.denominator, other.numerator * one.denominator), below)
