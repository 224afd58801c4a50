"""What somebody who changes crosses of an ensemble's thresholds, as the native search reads it, and at what cost.

Thresholds of a column that the same people cross, or nobody, are one slot, so that every cell is somebody. The columns
of categories, and of features that change together, are a group, which is at the positions of one of its options. What
is the same for everybody is made once for a model.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import groupby

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.recourse.moves import Mover, Number, Option
from equiproof.certify.trees.problem import Slot

_KEPT = 1 << 10
"""How many lists of options are kept between searches, with where those who take them stand."""

Slots = dict[int, list[Slot]]
"""By column its slots, ascending."""


@dataclass(frozen=True)
class Column:
    """The place of a column's first predicate, and its thresholds, ascending."""

    first: int
    thresholds: tuple[int, ...] = field(repr=False)

    def position(self, integer: int) -> int:
        """Return how many thresholds an integer is above."""
        return bisect_left(self.thresholds, integer)

    def runs(self, own: int, kinds: Mapping[int, Hashable]) -> list[tuple[int, ...]]:
        """Return the places that stand side by side and are crossed by the same people, or by nobody.

        `kinds` are by place, equal where the same people cross. Somebody is above `own` of the thresholds.
        """
        places = range(self.first, self.first + len(self.thresholds))
        runs = groupby(places, key=lambda place: (place < self.first + own, kinds.get(place)))
        return [tuple(run) for _, run in runs]


class Crossed:
    """The thresholds of an ensemble, and where those stand who take listed options."""

    def __init__(self, model: EnsembleModel) -> None:
        """Read the model."""
        own, plain = model.additive, model.predicates[0]
        self.most = abs(own.bias) + sum(map(abs, own.jumps)) + sum(map(abs, model.nodes.values))
        """A number that no score exceeds."""
        self.columns: dict[int, Column] = {}
        """By plain column that is read, the columns of sets among them."""
        for number, placed in groupby(range(plain), key=own.columns.__getitem__):
            places = list(placed)
            self.columns[number] = Column(places[0], own.thresholds[places[0] : places[-1] + 1])
        self._model = model
        self._stands: dict[tuple[tuple[int, ...], ...], Stands] = {}

    def stands(self, columns: tuple[int, ...], points: tuple[tuple[int, ...], ...], query: Sequence[int]) -> Stands:
        """Return where those stand who have these integers in some columns, of a category or of features together.

        Nothing else of the query matters.
        """
        key = columns, *points
        if key not in self._stands:
            if len(self._stands) >= _KEPT:
                self._stands.clear()
            self._stands[key] = self._standing(columns, points, query)
        return self._stands[key]

    def _standing(self, columns: Sequence[int], points: Sequence[Sequence[int]], query: Sequence[int]) -> Stands:
        """Return the same where it is not known yet."""
        own = self._model.additive
        read = sorted({of for column in columns for of in own.read_of(column)} & self.columns.keys())
        rows = []
        for integers in points:
            point = list(query)
            for column, integer in zip(columns, integers, strict=True):
                point[column] = integer
            seen = own.seen(point)
            rows.append([self.columns[column].position(seen[column]) for column in read])
        return Stands([(column, self.columns[column]) for column in read], rows)


crossed_of = lru_cache(maxsize=8)(Crossed)
"""The same of a model, made once."""


class Stands:
    """Where those stand who take one of some options, and what each crosses; today's option is the first.

    `crossed` are by option the places of the predicates, `runs` by column the places that are crossed at once with the
    options that do, and `group` the text of the search's group without costs, None where nobody crosses anything.
    """

    def __init__(self, columns: Sequence[tuple[int, Column]], rows: Sequence[Sequence[int]]) -> None:
        """Take the columns, and of each option how many thresholds of each it is above."""
        by: dict[int, list[int]] = {}
        found: list[set[int]] = [set() for _ in rows]
        for option, row in enumerate(rows):
            for (_, column), own, position in zip(columns, rows[0], row, strict=True):
                for place in range(column.first + min(own, position), column.first + max(own, position)):
                    by.setdefault(place, []).append(option)
                    found[option].add(place)
        self.crossed = tuple(map(frozenset, found))
        alone = {place: place for place in by}
        self.runs = {
            number: [(run, by.get(run[0], [])) for run in column.runs(own, alone)]
            for (number, column), own in zip(columns, rows[0], strict=True)
        }
        moved = [at for at, (number, _) in enumerate(columns) if any(options for _, options in self.runs[number])]
        positions = [[self._position(*columns[at], row[at]) for at in moved] for row in rows]
        numbers = [columns[at][0] for at in moved]
        self.group = f'"columns":{numbers},"rows":{positions}' if moved else None

    def _position(self, number: int, column: Column, above: int) -> int:
        """Return how many slots of a column somebody is above who is above so many thresholds."""
        return sum(run[0] < column.first + above for run, _ in self.runs[number])


class Listed:
    """A mover whose options are listed, as the search has it: a group."""

    def __init__(self, crossed: Crossed, mover: Mover, query: Sequence[int]) -> None:
        """Take the mover of somebody."""
        self._options = mover.options({})
        self._stands = crossed.stands(mover.columns, tuple(option.point for option in self._options), query)
        self._costs = [(option.cost.numerator, option.cost.denominator) for option in self._options]

    @property
    def unit(self) -> Fraction:
        """The greatest number of which all costs are multiples, 0 where they are."""
        return unit_of(option.cost for option in self._options)

    @property
    def most(self) -> Fraction:
        """The largest cost."""
        return max(option.cost for option in self._options)

    def slots(self, unit: Fraction) -> tuple[Slots, str | None]:
        """Return the slots of its columns, and its group, with costs in a unit."""
        costs = [above * unit.denominator // (below * unit.numerator) for above, below in self._costs]
        slots = {
            number: [Slot(run, min((costs[one] for one in options), default=None)) for run, options in runs]
            for number, runs in self._stands.runs.items()
        }
        return slots, self._stands.group and f'{{{self._stands.group},"costs":{costs}}}'

    def taken(self, over: Set[int]) -> Option:
        """Return the cheapest option that crosses the predicates at these places, as far as any option does."""
        crossed = self._stands.crossed
        own = over & frozenset().union(*crossed)
        return min(
            (option for option, places in zip(self._options, crossed, strict=True) if places == own),
            key=lambda option: option.cost,
        )


class Steps:
    """A number that changes alone, as the search has it: the nearest step behind each threshold."""

    def __init__(self, crossed: Crossed, number: Number) -> None:
        """Take the number of somebody."""
        self._number = number
        self._column = crossed.columns.get(number.column, Column(0, ()))
        self._behind = {self._column.first + at: step for at, step in number.behind(self._column.thresholds)}
        self._parts = {step: number.parts(*step) for step in dict.fromkeys(self._behind.values())}

    @property
    def unit(self) -> Fraction:
        """The greatest number of which all costs are multiples, 0 where they are."""
        return math.gcd(*self._parts.values()) * self._number.rate

    @property
    def most(self) -> Fraction:
        """The largest cost."""
        return max(self._parts.values(), default=0) * self._number.rate

    def slots(self, unit: Fraction) -> tuple[Slots, None]:
        """Return the slots of its column, with costs in a unit."""
        if not self._column.thresholds:
            return {}, None
        share = self._number.rate / unit
        costs = {step: parts * share.numerator // share.denominator for step, parts in self._parts.items()}
        runs = self._column.runs(self._column.position(self._number.own.point[0]), self._behind)
        slots = [Slot(run, costs[self._behind[run[0]]] if run[0] in self._behind else None) for run in runs]
        return {self._number.column: slots}, None

    def taken(self, over: Set[int]) -> Option:
        """Return the nearest step that crosses all predicates at these places, as far as any step does."""
        steps = [step for place, step in self._behind.items() if place in over]
        return self._number.at(*max(steps, key=self._parts.__getitem__)) if steps else self._number.own


def unit_of(parts: Iterable[Fraction]) -> Fraction:
    """Return the greatest number of which all of these are multiples, 0 where they are."""
    listed = tuple(parts)
    common = math.lcm(*(part.denominator for part in listed))
    return Fraction(math.gcd(*(part.numerator * (common // part.denominator) for part in listed)), common)
