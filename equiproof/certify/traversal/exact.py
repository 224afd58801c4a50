"""GeoCert with exact distances to facets: the true distance to the nearest point with another decision.

Regions are entered in the order of the distances of their facets, from one priority queue for all slices (Jordan, Lewis
and Dimakis 2019; FairProof, algorithms 1 and 2, keep the projection distance). The straight way to the nearest flip
enters every region on it through a facet that is no farther than the flip, so the flip is found before a facet beyond
it is crossed. At a point where several neurons vanish, flip them one by one, layer by layer: all forms agree there, so
the facets in between are real too; a neuron whose form is constant needs no flip.

All decisions are exact, but the exact distance of a hidden facet is never needed: with any lower bound a facet is
crossed no later than at its distance, and the argument holds. Bounds are tried in the order of their cost: the
projection onto the hyperplane; multipliers that bounded this facet in another region and hold here too; a quadratic
program, only for facets at the head of the queue with an unknown region behind them. The program's float solution is
rounded to integer multipliers, a proof by weak duality (:mod:`equiproof.certify.traversal.facet`). The nearest point of
a decision facet becomes the boundary point, and is exact; its distance closes the interval from above.
"""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from math import ceil, floor
from typing import NamedTuple

from equiproof.certify.active_set import Infeasible, Nearest
from equiproof.certify.errors import SearchBudgetError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import Row
from equiproof.certify.traversal.attack import crossings
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.facet import DualBound, Polytope
from equiproof.certify.traversal.search import Counterexample, Hyperplane, Start, begin
from equiproof.circuits.spec import Box, Spec

_BITS = 32
"""Bounds in the queue are rounded down to units of 2^-32 squared grid units: still lower bounds, fast to compare."""

_BOUNDS_PER_FACET = 64
"""The number of bounds kept per facet, the latest first."""


@dataclass(frozen=True)
class BoundaryPoint:
    """The point on the boundary that is nearest to the query; there the network decides no label strictly.

    `point` has n_x rationals in grid units; `slice` counts from 0 in the table's order.
    """

    slice: int
    point: tuple[Fraction, ...]


@dataclass(frozen=True)
class ExactSearch:
    """The certain bounds of eps*^2, the squared distance in grid units of the nearest point with another decision.

    It is at least `lower`, and at most `upper`, the distance of the `boundary_point`: both are None where no such point
    is known. `complete`: the search is finished, and `lower` is eps*^2 or, where `capped`, the cap of the search, below
    which no such point lies; then there is no boundary point. `regions` and `programs` count the entered regions and
    the solved quadratic programs.
    """

    label: int
    lower: Fraction
    upper: Fraction | None
    boundary_point: BoundaryPoint | None
    complete: bool
    capped: bool
    regions: int
    programs: int

    @property
    def radius_squared(self) -> int:
        """The largest integer R2 that is certain, in grid units: the floor of `lower`."""
        return floor(self.lower)


class ExactBudgetError(SearchBudgetError):
    """The time ended before the exact distance was known; `search` holds the interval that was certain by that time."""

    def __init__(self, search: ExactSearch, budget: str) -> None:
        """Keep the interval beside the message."""
        super().__init__(search.radius_squared, search.regions, budget)
        self.search = search


def exact_search(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_regions: int,
    max_seconds: float | None = None,
    progress: Callable[[ExactSearch], None] | None = None,
    box: Box | None = None,
) -> ExactSearch | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), up to a squared radius.

    With a `box`, only flips inside it count; the search still crosses facets outside it, which is sound. `max_regions`
    ends the search without error, with an interval; `max_seconds` ends it with ExactBudgetError, which holds the
    interval. `progress` is called after every region with the interval so far; the interval never grows. Raises
    CapacityError where `max_regions` has no room for the centres, ValueError for lengths that do not fit, TypeError for
    numbers that are not integers.
    """
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    start = begin(network, query, table, max_radius_squared=max_radius_squared, max_regions=max_regions, box=box)
    if isinstance(start, Counterexample):
        return start
    walk = _Walk(start, max_radius_squared)
    while (ahead := walk.ahead()) is not None:
        if deadline is not None and time.monotonic() >= deadline:
            raise ExactBudgetError(walk.result(), f"{max_seconds} seconds")
        if not ahead.final:
            walk.look(ahead)
        elif walk.regions < max_regions:
            walk.enter(ahead.across, ahead.key)
            if progress is not None:
                progress(walk.result())
        else:
            break
    return walk.result()


def interval_under(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    *,
    max_regions: int,
    max_seconds: float | None = None,
    progress: Callable[[ExactSearch], None] | None = None,
) -> ExactSearch | Counterexample:
    """Search as :func:`exact_search` under a spec; where the seconds end first, return the interval certain by then."""
    try:
        return exact_search(
            network,
            query,
            spec.domain_table,
            max_radius_squared=spec.max_radius_squared,
            max_regions=max_regions,
            max_seconds=max_seconds,
            progress=progress,
            box=spec.box,
        )
    except ExactBudgetError as error:
        return error.search


class Boundary:
    """The nearest decision facet known so far: an upper bound of eps*^2 for searches that bound it from below.

    It begins with the facets around the query and those behind a few steps (:mod:`equiproof.certify.traversal.attack`).
    """

    def __init__(self, start: Start, cap: int, guesses: Iterable[Region] = ()) -> None:
        """Examine guessed regions and those around every centre; only facets nearer than `cap` (squared) count."""
        self._walk = _Walk(start, cap, guesses)

    def look(self, region: Region) -> None:
        """Take the decision facets of a region, and of its neighbors as long as they are nearer."""
        self._walk.descend(region)

    @property
    def found(self) -> ExactSearch:
        """What is certain: `upper` and `boundary_point` are exact, `lower` is that of no search."""
        return self._walk.result()


class _Facet(NamedTuple):
    """A facet in the queue: a lower bound of its squared distance, and whether it cannot be improved."""

    key: int
    order: int
    final: bool
    slice: int
    pattern: int
    neuron: int

    @property
    def across(self) -> tuple[int, int]:
        """The slice and pattern of the region behind it."""
        return self.slice, self.pattern ^ (1 << self.neuron)


@dataclass(frozen=True)
class _Entered:
    """A region's hyperplanes, and the polytope of the relevant ones: its rows are `neurons`, turned inwards."""

    margins: list[Hyperplane]
    hidden: list[Hyperplane]
    near: Polytope
    neurons: list[int]


class _Walk:
    """The state of a search: regions entered, facets ahead, and the nearest decision facet so far."""

    def __init__(self, start: Start, cap: int, guesses: Iterable[Region] = ()) -> None:
        """Examine guesses, and enter the centre of every slice."""
        self._start = start
        self._cap = Fraction(cap)
        self._upper: Fraction | None = None
        self._boundary_point: BoundaryPoint | None = None
        self._end = cap << _BITS
        self._seen: set[tuple[int, int]] = set()
        self._queue: list[_Facet] = []
        self._pushed = 0
        self._programs = 0
        self._learned: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
        sizes = start.sliced[0].network.hidden
        self._depths = [depth for depth, size in enumerate(sizes) for _ in range(size)]
        self._below = [(1 << sum(sizes[:depth])) - 1 for depth in range(len(sizes))]
        self._entered = lru_cache(maxsize=2048)(self._make)
        for region in chain(guesses, crossings(start)):
            self.descend(region)
        for region in start.centres:
            self.enter((region.slice, region.pattern), 0)

    @property
    def regions(self) -> int:
        """The number of regions entered."""
        return len(self._seen)

    def ahead(self) -> _Facet | None:
        """Return the nearest facet that leads to an unknown region, or None if no such facet is nearer than the end."""
        while self._queue and self._queue[0].key < self._end:
            if self._queue[0].across not in self._seen:
                return self._queue[0]
            heapq.heappop(self._queue)
        return None

    def enter(self, region: tuple[int, int], key: int) -> None:
        """Add a region: move the end to its nearest decision facet, queue its facets below the end."""
        self._seen.add(region)
        number, pattern = region
        here = self._entered(number, pattern)
        for margin in here.margins:
            self._decide(region, margin, key)
        for neuron, hyperplane in enumerate(here.hidden):
            if (number, pattern ^ (1 << neuron)) not in self._seen:
                self._push(max(key, self._projection(hyperplane)), number, pattern, neuron)

    def look(self, facet: _Facet) -> None:
        """Replace the bound of the first facet of the queue by a better one."""
        heapq.heappop(self._queue)
        bounds = self._learned[facet.slice, facet.neuron]
        best = max((key for mask, bits, key in bounds if not (facet.pattern ^ bits) & mask), default=0)
        if best > facet.key:
            self._push(best, facet.slice, facet.pattern, facet.neuron)
            return
        here = self._entered(facet.slice, facet.pattern)
        row, _, value = here.hidden[facet.neuron]
        self._programs += 1
        bound = here.near.bound(row, value)
        if bound is None:
            # The solver failed, or the query lies on the facet.
            point = here.near.facet(row, value)
            # An empty facet is crossed nowhere; a key at the end is never queued.
            key = self._floor(point.squared) if isinstance(point, Nearest) else self._end
        else:
            key = self._floor(bound)
            if key > facet.key:
                self._learn(facet, [here.neurons[number] for number in bound.support], key)
        self._push(max(key, facet.key), facet.slice, facet.pattern, facet.neuron, final=True)

    def result(self) -> ExactSearch:
        """Return the certain bounds."""
        ahead = self.ahead()
        end = self._cap if self._upper is None else self._upper
        return ExactSearch(
            label=self._start.label,
            lower=end if ahead is None else min(end, Fraction(ahead.key, 1 << _BITS)),
            upper=self._upper,
            boundary_point=self._boundary_point,
            complete=ahead is None,
            capped=ahead is None and self._upper is None,
            regions=self.regions,
            programs=self._programs,
        )

    def descend(self, region: Region) -> None:
        """Move the end to the decision facets of a region, and of its neighbors as long as that brings it nearer."""
        visits = set[Region]()
        ahead = [region]
        while ahead:
            here = ahead.pop()
            if here in visits:
                continue
            visits.add(here)
            for margin in self._entered(here.slice, here.pattern).margins:
                held = self._decide((here.slice, here.pattern), margin, 0)
                ahead += [here.across(neuron) for neuron in held]

    def _decide(self, region: tuple[int, int], margin: Hyperplane, key: int) -> list[int]:
        """Move the end to a decision facet where it is nearer; the point is exact, checked against every row.

        Returns the neurons on whose hyperplanes the new point lies.
        """
        row, _, value = margin
        if max(key, self._projection(margin)) >= self._end:
            return []
        here = self._entered(*region)
        self._programs += 1
        bound = here.near.bound(row, value)
        if bound is not None and self._floor(bound) >= self._end:
            return []
        rows, values = inwards(here.hidden, region[1], range(len(here.hidden)))
        rows = rows + self._ranges[0]
        values = values + self._ranges[1]
        everything = Polytope(rows, values, self._end >> _BITS)
        point = everything.facet(row, value)
        end = self._cap if self._upper is None else self._upper
        if isinstance(point, Infeasible) or point.squared >= end:
            return []
        self._upper = point.squared
        # Rounded up, while keys are rounded down: a key of at least the end is a distance of at least the upper bound.
        self._end = ceil(point.squared * (1 << _BITS))
        places = zip(self._start.query, point.offset, strict=True)
        self._boundary_point = BoundaryPoint(region[0], tuple(place + step for place, step in places))
        return [number - 1 for number in point.multipliers if 0 < number <= len(here.hidden)]

    @cached_property
    def _ranges(self) -> tuple[list[Row], list[int]]:
        """The ends of columns' ranges that are nearer than the cap, as rows and values of a polytope."""
        rows = list[Row]()
        values = list[int]()
        for column, x in enumerate(self._start.query if self._start.box else ()):
            low, high = (ends[column] for ends in self._start.box or ())
            for sign, room in ((1, x - low), (-1, high - x)):
                # Points beyond a farther end lie outside the cap anyway.
                if room * room < self._cap:
                    rows.append(tuple(sign * (i == column) for i in range(len(self._start.query))))
                    values.append(room)
        return rows, values

    def _make(self, number: int, pattern: int) -> _Entered:
        """Make the hyperplanes of a region and the polytope of those that are near or cut the query off.

        Points beyond a hyperplane that is farther than the end are farther too.
        """
        margins, hidden = self._start.hyperplanes(Region(number, pattern))
        neurons = [
            neuron
            for neuron, hyperplane in enumerate(hidden)
            if self._projection(hyperplane) < self._end or (hyperplane[2] < 0) == bool(pattern >> neuron & 1)
        ]
        rows, values = inwards(hidden, pattern, neurons)
        return _Entered(margins, hidden, Polytope(rows, values, self._end >> _BITS), neurons)

    def _learn(self, facet: _Facet, support: Sequence[int], key: int) -> None:
        """Keep a bound for all regions where the rows of its multipliers are the same: those with the same bits there.

        A row depends on the bits of the layers below it, and turns with its own.
        """
        mask = self._below[max(self._depths[neuron] for neuron in (facet.neuron, *support))]
        for neuron in support:
            mask |= 1 << neuron
        bounds = self._learned[facet.slice, facet.neuron]
        bounds.insert(0, (mask, facet.pattern, key))
        del bounds[_BOUNDS_PER_FACET:]

    def _projection(self, hyperplane: Hyperplane) -> int:
        """Return the squared distance of a hyperplane as a key of the queue."""
        _, norm, value = hyperplane
        return (value * value << _BITS) // norm if norm else self._end

    def _floor(self, squared: Fraction | DualBound) -> int:
        """Return a squared distance as a key of the queue; a missing one counts as not nearer than the end."""
        return (squared.numerator << _BITS) // squared.denominator if squared.denominator else self._end

    def _push(self, key: int, number: int, pattern: int, neuron: int, *, final: bool = False) -> None:
        """Queue a facet below the end."""
        if key < self._end:
            self._pushed += 1
            heapq.heappush(self._queue, _Facet(key, self._pushed, final, number, pattern, neuron))


def inwards(hidden: Sequence[Hyperplane], pattern: int, neurons: Iterable[int]) -> tuple[list[Row], list[int]]:
    """Return rows and values of some neurons, with the sign under which the region is where they are not negative."""
    rows = []
    values = []
    for neuron in neurons:
        row, _, value = hidden[neuron]
        active = pattern >> neuron & 1
        rows.append(row if active else tuple(-c for c in row))
        values.append(value if active else -value)
    return rows, values
