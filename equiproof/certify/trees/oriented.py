"""An additive model as one query sees it: which thresholds a neighbor may cross, how far they are, what they change.

Notation: y is the label, sgn = 2 y - 1, and the score counts as sgn F, so that a decision is wrong where it is at most
0. A neighbor crosses a predicate where it lies on the other side of its threshold than the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import index
from typing import NamedTuple

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.traversal.search import Counterexample, common_label
from equiproof.circuits.spec import Box


class Slot(NamedTuple):
    """A predicate that a neighbor may cross; `place` counts from 0 in the model.

    `above` is set where the query is not above the threshold, so that a neighbor crosses it upwards. `gap` is the
    distance in grid units, an infimum on that side. Crossing adds `change` to sgn F.
    """

    place: int
    column: int
    above: bool
    gap: int
    change: int


class Position(NamedTuple):
    """Where a neighbor lies along one column: the squared distance to there and the change of sgn F on the way."""

    cost: int
    change: int


@dataclass(frozen=True)
class Chain:
    """The slots of one column, ascending by threshold, and the positions between them.

    Position p is above p of the thresholds. `first` is the number of its first slot among all slots; `own` is the
    position of the query, whose cost and change are 0.
    """

    column: int
    first: int
    own: int
    positions: tuple[Position, ...]

    @property
    def length(self) -> int:
        """The number of slots."""
        return len(self.positions) - 1


@dataclass(frozen=True)
class Oriented:
    """The model around one query: every slot within reach, in the order of the model, and the score without crossings.

    `base` is sgn F at the query on `row`, the row of the table where it is least.
    """

    label: int
    base: int
    row: int
    query: tuple[int, ...]
    slots: tuple[Slot, ...]

    def live(self, radius_squared: int) -> tuple[Slot, ...]:
        """Return the slots whose gap is below a radius: neighbors in its open ball cross no other predicate."""
        return tuple(slot for slot in self.slots if slot.gap * slot.gap < radius_squared)

    def radius_within(self, slots: int) -> int | None:
        """Return the largest squared radius with at most so many live slots, None where no radius has more."""
        # The ball is open, so at a radius that equals a slot's gap this slot is not live yet.
        gaps = sorted(slot.gap for slot in self.slots)
        return gaps[slots] ** 2 if slots < len(gaps) else None


def orient(
    model: AdditiveModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    box: Box | None = None,
) -> Oriented | Counterexample:
    """Return the model around a query of n_x integers, or the rows of a table (S, n_s) that show it unfair there.

    Slots are the predicates of plain columns that neighbors below a squared radius, and inside the box, may cross.
    Raises ValueError for lengths that do not fit, a negative radius and a query outside its box, TypeError for numbers
    that are not integers.
    """
    query = tuple(map(index, query))
    rows = [tuple(map(index, row)) for row in table]
    if len(query) != model.plain or not rows or any(len(row) != model.sensitive for row in rows):
        raise ValueError("query or table have other lengths than the model")
    if index(max_radius_squared) < 0:
        raise ValueError("max_radius_squared must be at least 0")
    refuse_outside(model, query, box)
    scores = [model.score((*query, *row)) for row in rows]
    label = common_label([(score,) for score in scores])
    if isinstance(label, Counterexample):
        return label
    # All scores have the sign of the common label, so the least |F| is the least sgn F.
    worst = min(range(len(rows)), key=lambda number: abs(scores[number]))
    slots = (slot for slot in _slots(model, query, label, box) if slot.gap * slot.gap < max_radius_squared)
    return Oriented(label, abs(scores[worst]), worst, query, tuple(slots))


def refuse_outside(model: AdditiveModel, query: Sequence[int], box: Box | None) -> None:
    """Raise ValueError for a query outside its box, which says nothing of missing values."""
    if box is not None and any(
        not low <= x <= high for x, low, high in zip(ranged(model, query, box), *box, strict=True)
    ):
        raise ValueError("the query lies outside the ranges")


def ranged(model: AdditiveModel, query: Sequence[int], box: Box) -> list[int]:
    """Return a query of n_x integers with the least value of its range in place of what is missing."""
    return [low if x == model.absent else x for x, low in zip(query, box[0], strict=True)]


def chains(slots: Sequence[Slot]) -> tuple[Chain, ...]:
    """Return the chains of slots in the order of the model, which must lack none nearer than another of its column."""
    chains = []
    first = 0
    for column, group in groupby(slots, key=lambda slot: slot.column):
        here = tuple(group)
        own = sum(not slot.above for slot in here)
        below = _outwards(here[own - 1 :: -1] if own else ())
        above = _outwards(here[own:])
        chains.append(Chain(column, first, own, (*reversed(below), Position(0, 0), *above)))
        first += len(here)
    return tuple(chains)


def _outwards(slots: Sequence[Slot]) -> list[Position]:
    """Return the positions behind slots that lie one after another on one side, the nearest first."""
    positions = []
    change = 0
    for slot in slots:
        change += slot.change
        positions.append(Position(slot.gap * slot.gap, change))
    return positions


def _slots(model: AdditiveModel, query: Sequence[int], label: int, box: Box | None) -> Iterator[Slot]:
    """Yield every predicate of a plain column that a neighbor inside the box may cross: none of a missing value."""
    sign = 2 * label - 1
    for place, (column, threshold, jump) in enumerate(zip(model.columns, model.thresholds, model.jumps, strict=True)):
        # Predicates are ordered by column, those of sensitive columns last.
        if column >= model.plain:
            return
        x = query[column]
        above = x <= threshold
        if model.lacks(place, query):
            continue
        if box is not None and (threshold >= box[1][column] if above else threshold < box[0][column]):
            continue
        yield Slot(place, column, above, abs(x - threshold), sign * jump if above else -sign * jump)
