"""GeoCert with exact distances to facets: the true distance to the nearest point that is not decided as the query.

Regions are entered in the order of how far their facets are, from one priority queue for all slices (Jordan, Lewis and
Dimakis 2019; FairProof, algorithms 1 and 2, keep the projection distance). The straight way to the nearest flip enters
every region on it through a facet that is no farther than the flip, so the flip is found before a facet beyond it is
crossed. At a point where several neurons vanish, flip them one by one, layer by layer: all forms agree there, so the
facets in between are real too; a neuron whose form is constant needs no flip.

What decides is exact, and the exact distance of a hidden facet is never needed: any lower bound keeps the argument, and
a facet is crossed no later than its distance. Bounds come in the order of their price: the projection onto the
hyperplane; multipliers that kept this facet away in another region and hold here too; a quadratic program, and this
only for facets that come up first in the queue with the region behind them still unknown. The program's float solution
is rounded to integer multipliers, a proof by weak duality (:mod:`certify.facet`). The nearest point of a decision facet
becomes the witness, and is exact; its distance closes the interval from above.
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

from certify.active_set import Infeasible, Nearest
from certify.attack import crossings
from certify.errors import SearchBudgetError
from certify.evidence import Region
from certify.facet import DualBound, Polytope
from certify.network import QuantisedNetwork
from certify.polytope import Row
from certify.search import Counterexample, Hyperplane, Start, begin
from circuits.spec import Box, Spec

_BITS = 32
"""Bounds in the queue are floors in units of 2^-32 grid units squared: lower bounds still, and fast to compare."""

_LEARNED = 64
"""How many bounds are kept per facet, the latest first."""


@dataclass(frozen=True)
class Witness:
    """The point on the boundary that is nearest to the query: there the network decides no label strictly.

    `point` has n_x rationals in grid units; `slice` counts from 0 in the table's order.
    """

    slice: int
    point: tuple[Fraction, ...]


@dataclass(frozen=True)
class ExactSearch:
    """What is certain about eps*^2, the squared distance in grid units of the nearest point not decided as the query.

    It is at least `lower`, and at most `upper`, the distance of the `witness`: both None where no such point is known.
    `complete`: nothing is left to search, and `lower` is eps*^2 or, where `capped`, the cap of the search, below which
    no such point lies; then there is no witness. `regions` were entered, and `programs` quadratic programs solved.
    """

    label: int
    lower: Fraction
    upper: Fraction | None
    witness: Witness | None
    complete: bool
    capped: bool
    regions: int
    programs: int

    @property
    def radius_squared(self) -> int:
        """The largest integer R2 that is certain, in grid units: the floor of `lower`."""
        return floor(self.lower)


class ExactBudgetError(SearchBudgetError):
    """Time ended before the exact distance was known; `found` holds the interval that was certain by then."""

    def __init__(self, found: ExactSearch, budget: str) -> None:
        """Keep the interval beside the line for people."""
        super().__init__(found.radius_squared, found.regions, budget)
        self.found = found


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

    With a `box`, flips count inside it only; the walk crosses facets outside it all the same, which loses nothing.
    `max_regions` ends the search without error, with an interval; `max_seconds` ends it with ExactBudgetError, which
    holds one. `progress` is called after every region with the interval so far; neither end ever moves outwards. Raises
    CapacityError where `max_regions` has no room for the centres, ValueError for lengths that do not fit, TypeError for
    numbers that are no integers.
    """
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    begun = begin(network, query, table, max_radius_squared=max_radius_squared, max_regions=max_regions, box=box)
    if isinstance(begun, Counterexample):
        return begun
    walk = _Walk(begun, max_radius_squared)
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
    """Search as :func:`exact_search` under a spec; where the seconds end first, return the interval known by then."""
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
        return error.found


class Boundary:
    """The nearest decision facet known so far: an upper bound of eps*^2 for searches that bound it from below.

    It begins with the facets around the query and those behind a few steps (:mod:`certify.attack`).
    """

    def __init__(self, start: Start, cap: int, guesses: Iterable[Region] = ()) -> None:
        """Look at guessed regions and around the centre of every slice; from the squared distance `cap` none counts."""
        self._walk = _Walk(start, cap, guesses)

    def look(self, region: Region) -> None:
        """Take the decision facets of a region, and of its neighbors as long as that leads nearer."""
        self._walk.descend(region)

    @property
    def found(self) -> ExactSearch:
        """What is certain: `upper` and `witness` are exact, `lower` is that of no search."""
        return self._walk.result()


class _Facet(NamedTuple):
    """A facet in the queue: a lower bound of its squared distance, and whether no better one is to be had."""

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
    """A region's hyperplanes, and the polytope of those that can matter: its rows are `neurons`, turned inwards."""

    margins: list[Hyperplane]
    hidden: list[Hyperplane]
    near: Polytope
    neurons: list[int]


class _Walk:
    """The state of a search: regions entered, facets ahead, and the nearest decision facet so far."""

    def __init__(self, start: Start, cap: int, guesses: Iterable[Region] = ()) -> None:
        """Look at guesses, and enter the centre of every slice."""
        self._start = start
        self._cap = Fraction(cap)
        self._upper: Fraction | None = None
        self._witness: Witness | None = None
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
        """Return the nearest facet that leads to an unknown region, None where none is nearer than the end."""
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
        """Put a better bound in the place of the first facet of the queue."""
        heapq.heappop(self._queue)
        known = self._learned[facet.slice, facet.neuron]
        learned = max((key for mask, bits, key in known if not (facet.pattern ^ bits) & mask), default=0)
        if learned > facet.key:
            self._push(learned, facet.slice, facet.pattern, facet.neuron)
            return
        here = self._entered(facet.slice, facet.pattern)
        row, _, value = here.hidden[facet.neuron]
        self._programs += 1
        found = here.near.bound(row, value)
        if found is None:
            # The solver failed, or the query lies on the facet.
            point = here.near.facet(row, value)
            key = self._floor(point.squared) if isinstance(point, Nearest) else self._end
        else:
            key = self._floor(found)
            if key > facet.key:
                self._learn(facet, [here.neurons[number] for number in found.support], key)
        self._push(max(key, facet.key), facet.slice, facet.pattern, facet.neuron, final=True)

    def result(self) -> ExactSearch:
        """Return what is certain."""
        ahead = self.ahead()
        end = self._cap if self._upper is None else self._upper
        return ExactSearch(
            label=self._start.label,
            lower=end if ahead is None else min(end, Fraction(ahead.key, 1 << _BITS)),
            upper=self._upper,
            witness=self._witness,
            complete=ahead is None,
            capped=ahead is None and self._upper is None,
            regions=self.regions,
            programs=self._programs,
        )

    def descend(self, region: Region) -> None:
        """Move the end to the decision facets of a region, and of its neighbors as long as that brings it nearer."""
        tried, ahead = set[Region](), [region]
        while ahead:
            here = ahead.pop()
            if here in tried:
                continue
            tried.add(here)
            for margin in self._entered(here.slice, here.pattern).margins:
                held = self._decide((here.slice, here.pattern), margin, 0)
                ahead += [here.across(neuron) for neuron in held]

    def _decide(self, region: tuple[int, int], margin: Hyperplane, key: int) -> list[int]:
        """Move the end to a decision facet where it is nearer; the witness is exact, checked against every row.

        Returns the neurons on whose hyperplanes the new witness lies.
        """
        row, _, value = margin
        if max(key, self._projection(margin)) >= self._end:
            return []
        here = self._entered(*region)
        self._programs += 1
        found = here.near.bound(row, value)
        if found is not None and self._floor(found) >= self._end:
            return []
        rows, values = _inwards(here.hidden, region[1], range(len(here.hidden)))
        rows, values = rows + self._ranges[0], values + self._ranges[1]
        everything = Polytope(rows, values, self._end >> _BITS)
        point = everything.facet(row, value)
        end = self._cap if self._upper is None else self._upper
        if isinstance(point, Infeasible) or point.squared >= end:
            return []
        self._upper = point.squared
        self._end = ceil(point.squared * (1 << _BITS))
        places = zip(self._start.query, point.offset, strict=True)
        self._witness = Witness(region[0], tuple(place + step for place, step in places))
        return [number - 1 for number in point.multipliers if 0 < number <= len(here.hidden)]

    @cached_property
    def _ranges(self) -> tuple[list[Row], list[int]]:
        """The ends of columns' ranges that are nearer than the cap, as rows and values of a polytope."""
        rows, values = list[Row](), list[int]()
        for column, x in enumerate(self._start.query if self._start.box else ()):
            low, high = (ends[column] for ends in self._start.box or ())
            for sign, room in ((1, x - low), (-1, high - x)):
                if room * room < self._cap:
                    rows.append(tuple(sign * (i == column) for i in range(len(self._start.query))))
                    values.append(room)
        return rows, values

    def _make(self, number: int, pattern: int) -> _Entered:
        """Make the hyperplanes of a region and the polytope of those that are near or cut the query off.

        What lies beyond a hyperplane that is farther than the end is farther, too.
        """
        margins, hidden = self._start.hyperplanes(Region(number, pattern))
        neurons = [
            neuron
            for neuron, hyperplane in enumerate(hidden)
            if self._projection(hyperplane) < self._end or (hyperplane[2] < 0) == bool(pattern >> neuron & 1)
        ]
        rows, values = _inwards(hidden, pattern, neurons)
        return _Entered(margins, hidden, Polytope(rows, values, self._end >> _BITS), neurons)

    def _learn(self, facet: _Facet, support: Sequence[int], key: int) -> None:
        """Keep a bound for all regions where the rows of its multipliers are the same: those with the same bits there.

        A row depends on the bits of the layers below it, and turns with its own.
        """
        mask = self._below[max(self._depths[neuron] for neuron in (facet.neuron, *support))]
        for neuron in support:
            mask |= 1 << neuron
        known = self._learned[facet.slice, facet.neuron]
        known.insert(0, (mask, facet.pattern, key))
        del known[_LEARNED:]

    def _projection(self, hyperplane: Hyperplane) -> int:
        """Return the squared distance of a hyperplane as a key of the queue."""
        _, norm, value = hyperplane
        return (value * value << _BITS) // norm if norm else self._end

    def _floor(self, squared: Fraction | DualBound) -> int:
        """Return a squared distance as a key of the queue; what does not exist is not nearer than the end."""
        return (squared.numerator << _BITS) // squared.denominator if squared.denominator else self._end

    def _push(self, key: int, number: int, pattern: int, neuron: int, *, final: bool = False) -> None:
        """Queue a facet below the end."""
        if key < self._end:
            self._pushed += 1
            heapq.heappush(self._queue, _Facet(key, self._pushed, final, number, pattern, neuron))


def _inwards(hidden: Sequence[Hyperplane], pattern: int, neurons: Iterable[int]) -> tuple[list[Row], list[int]]:
    """Return rows and values of some neurons, with the sign under which the region is where they are not negative."""
    rows, values = [], []
    for neuron in neurons:
        row, _, value = hidden[neuron]
        active = pattern >> neuron & 1
        rows.append(row if active else tuple(-c for c in row))
        values.append(value if active else -value)
    return rows, values
