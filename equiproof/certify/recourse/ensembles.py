"""Ensembles of trees: the cheapest change after which everybody of the table is decided as is wanted.

The native search for the nearest wrong decision finds it (go-gnark/search): a decision is wrong there where it is the
wanted one here, and a slot is as far as the nearest option behind its thresholds costs. Thresholds that no option lies
between are one slot, so that every cell is somebody. The columns of categories, and of features that change together,
are a group, which is at the positions of one of its options.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.recourse.asked import Asked, Cheapest, cost_of
from equiproof.certify.recourse.moves import Mover, Number, Option
from equiproof.certify.trees.problem import document
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
    priced = _Priced(model, asked)
    if margin > priced.most:
        return Cheapest(None, Fraction(0), complete=True)
    milliseconds = None if seconds is None else max(0, int(1e3 * seconds))
    text = json.dumps(priced.document(margin, every=every))
    found = native.nearest(text, milliseconds=milliseconds, nodes=MAX_BOXES if seconds is None else None)
    lower = found.lower2 * priced.unit
    if found.signs is None:
        return Cheapest(None, lower, found.complete)
    taken = priced.taken(found.signs)
    scores = [asked.sign * model.score((*asked.point(taken), *row)) for row in asked.table]
    if (min(scores) if every else max(scores)) < margin:
        raise RuntimeError("report this: the search for recourse found a change that does not suffice")
    cost = cost_of(taken)
    return Cheapest(taken, min(lower, cost), lower >= cost)


@dataclass(frozen=True)
class _Moves:
    """A mover with its options, and the places of the predicates that each of them crosses."""

    mover: Mover
    options: tuple[Option, ...]
    crossed: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class _Slot:
    """Predicates of one column that are crossed at once: their places, and the cost of it, None where nobody does."""

    column: int
    places: tuple[int, ...]
    cost: Fraction | None


@dataclass(frozen=True)
class _Priced:
    """An ensemble as somebody sees it: what is crossed by whom, at what cost."""

    model: EnsembleModel
    asked: Asked

    @cached_property
    def query(self) -> tuple[int, ...]:
        """The query with the columns of sets."""
        return tuple(self.model.additive.seen(self.asked.query))

    @cached_property
    def thresholds(self) -> dict[int, tuple[int, tuple[int, ...]]]:
        """By plain column the place of its first predicate, and its thresholds."""
        own = self.model.additive
        pairs = list(zip(own.columns, own.thresholds, strict=True))[: self.model.predicates[0]]
        by_column = groupby(enumerate(pairs), key=lambda placed: placed[1][0])
        listed = {column: list(placed) for column, placed in by_column}
        return {column: (placed[0][0], tuple(pair[1] for _, pair in placed)) for column, placed in listed.items()}

    @cached_property
    def moves(self) -> list[_Moves]:
        """Every mover with what its options cross."""
        thresholds = {column: own for column, (_, own) in self.thresholds.items()}
        found = []
        for number, mover in enumerate(self.asked.movers):
            options = tuple(mover.options(thresholds))
            found.append(_Moves(mover, options, tuple(self._crossed(number, option) for option in options)))
        return found

    def _crossed(self, number: int, option: Option) -> frozenset[int]:
        """Return the places of the predicates that somebody crosses who takes an option of one mover alone."""
        point = list(self.asked.query)
        for column, integer in zip(self.asked.movers[number].columns, option.point, strict=True):
            point[column] = integer
        places = set[int]()
        for column, integer in enumerate(self.model.additive.seen(point)):
            if integer != self.query[column]:
                places.update(self._between(column, integer))
        return frozenset(places)

    def _between(self, column: int, integer: int) -> range:
        """Return the places of the predicates between the query and an integer of a column."""
        first, thresholds = self.thresholds.get(column, (0, ()))
        ends = sorted((bisect_left(thresholds, integer), bisect_left(thresholds, self.query[column])))
        return range(first + ends[0], first + ends[1])

    @cached_property
    def slots(self) -> tuple[_Slot, ...]:
        """The slots, ascending by column and threshold; every plain predicate is in one of them."""
        keys = dict[int, tuple[object, Fraction]]()
        for moves in self.moves:
            for number, (option, crossed) in enumerate(zip(moves.options, moves.crossed, strict=True)):
                for place in crossed:
                    # Options of a number are the nearest first; what one of them is the first to cross, is one slot.
                    key = number if isinstance(moves.mover, Number) else place
                    if place not in keys or option.cost < keys[place][1]:
                        keys[place] = (key, option.cost)
        return tuple(self._merged(keys))

    def _merged(self, keys: dict[int, tuple[object, Fraction]]) -> Iterator[_Slot]:
        """Yield predicates that stand side by side and are crossed by the same options, or by nobody, as one slot."""
        for column, (first, thresholds) in self.thresholds.items():

            def kind(place: int, own: int = self.query[column]) -> tuple[bool, object]:
                return self.model.additive.thresholds[place] < own, keys.get(place, (None,))[0]

            for _, places in groupby(range(first, first + len(thresholds)), key=kind):
                together = tuple(places)
                yield _Slot(column, together, keys[together[0]][1] if together[0] in keys else None)

    @cached_property
    def slot_of(self) -> dict[int, int]:
        """The number of the slot of each plain predicate."""
        return {place: number for number, slot in enumerate(self.slots) for place in slot.places}

    @cached_property
    def first_places(self) -> dict[int, list[int]]:
        """By column the first predicate of each slot."""
        found = dict[int, list[int]]()
        for slot in self.slots:
            found.setdefault(slot.column, []).append(slot.places[0])
        return found

    @cached_property
    def unit(self) -> Fraction:
        """The cost of 1 in the search: it divides all costs, or there are 2^40 of it in the largest."""
        costs = [option.cost for moves in self.moves for option in moves.options if option.cost]
        if not costs:
            return Fraction(1)
        common = math.lcm(*(cost.denominator for cost in costs))
        unit = Fraction(math.gcd(*(int(cost * common) for cost in costs)), common)
        return unit if max(costs) / unit < 1 << _EXACT_BITS else max(costs) / (1 << _ROUNDED_BITS)

    @cached_property
    def most(self) -> int:
        """A number that no score exceeds."""
        own, nodes = self.model.additive, self.model.nodes
        return abs(own.bias) + sum(map(abs, own.jumps)) + sum(map(abs, nodes.values))

    def document(self, margin: int, *, every: bool) -> dict[str, Any]:
        """Return what the search reads: its decisions are wrong where the wanted label has the margin."""
        plain = self.model.predicates[0]
        found = document(self.model, self.query, self.asked.table, [None] * plain, -self.asked.sign)
        predicates = found["slots"]
        found["base"] += margin
        found["slots"] = [
            predicates[slot.places[0]]
            | {"gap2": self._priced(slot.cost), "step": sum(predicates[place]["step"] for place in slot.places)}
            for slot in self.slots
        ]
        for node in found["nodes"]:
            place = node["slot"]
            node["slot"] = self.slot_of[place] if place < plain else place - plain + len(self.slots)
        groups = [self._group(moves) for moves in self.moves if not isinstance(moves.mover, Number)]
        return found | {"groups": [group for group in groups if group["columns"]], "every": every}

    def _priced(self, cost: Fraction | None) -> int | None:
        """Return a cost in the search."""
        return None if cost is None else math.floor(cost / self.unit)

    def _group(self, moves: _Moves) -> dict[str, Any]:
        """Return the columns that the options of a mover move, and where they are at each of them."""
        columns = sorted({self.model.additive.columns[place] for crossed in moves.crossed for place in crossed})
        return {
            "columns": columns,
            "rows": [[self._position(column, crossed) for column in columns] for crossed in moves.crossed],
            "costs": [self._priced(option.cost) for option in moves.options],
        }

    def _position(self, column: int, crossed: frozenset[int]) -> int:
        """Return how many slots of a column somebody is above who crosses these predicates."""
        own = self.query[column]
        places = self.first_places[column]
        return sum((self.model.additive.thresholds[place] < own) != (place in crossed) for place in places)

    def taken(self, signs: Sequence[int]) -> tuple[Option, ...]:
        """Return the cheapest option of each mover that crosses the slots with a sign of 1, and no other."""
        over = {place for slot, sign in zip(self.slots, signs, strict=True) if sign == 1 for place in slot.places}
        return tuple(self._option(moves, over) for moves in self.moves)

    def _option(self, moves: _Moves, over: set[int]) -> Option:
        """Return the cheapest option that crosses these predicates, as far as the mover's options cross them."""
        own = over.intersection(*[frozenset().union(*moves.crossed)])
        return min(
            (option for option, crossed in zip(moves.options, moves.crossed, strict=True) if crossed == own),
            key=lambda option: option.cost,
        )
