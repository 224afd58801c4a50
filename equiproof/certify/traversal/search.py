"""Best-first search over the polytopes around a query: evidence of scheme `traversal`, or a counterexample.

GeoCert with the projection distance (FairProof, algorithms 1 and 2) in exact integers. Every hyperplane counts, whether
or not its facet is real, and one priority queue serves all slices. The threshold t of a region is the least, over the
paths that lead to it from its slice's centre, of the largest squared distance on the path; best-first search enters
regions in the order of t, as Prim's algorithm does. For an integer R2 the regions of the evidence are exactly those
with t < R2, and R2 is certified iff in each of them every decision hyperplane has squared distance >= R2: the largest
R2 is the minimum over regions of max(t, squared distance of the nearest decision hyperplane).

Squared distances are the rationals value^2 / |c|^2. Only their floors are kept, which is enough: for an integer R2, q <
R2 iff floor(q) < R2.
"""

from __future__ import annotations

import heapq
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index, mul
from typing import Literal

from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.polytope import Row, SlicedNetwork, combine, margin_signs, slices
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.circuits.spec import Box

Hyperplane = tuple[Row, int, int]
"""Of a form c.x + d on a slice: c, |c|^2, and the value at the query."""

_CENTRE = -1
"""The threshold of a slice's centre: below every radius, 0 included."""


@dataclass(frozen=True)
class Counterexample:
    """The query has no single strict decision on all slices: the model is unfair, or tied, at this very point.

    kind "flip": two slices whose labels differ. kind "tie": one slice where no label wins strictly (a single logit of
    exactly 0, or equal best logits), and no two slices that flip. `slices`, `labels` and `logits` correspond entry by
    entry; slices count from 0 in the table's order, a tie's label is None.
    """

    kind: Literal["flip", "tie"]
    slices: tuple[int, ...]
    labels: tuple[int | None, ...]
    logits: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Search:
    """The result of a search: regions in the order of their thresholds, and the largest radius that they certify.

    `radius_squared` is the largest integer R2, in grid units, that the regions found certify. `complete`: no further
    region raises it. `capped`: it is the cap `max_radius_squared`, with no decision hyperplane nearer; show it as "at
    least". The first `slice_count` regions are the slices' centres, with threshold -1; `thresholds[k]` is the floor of
    region k's threshold, never decreasing.
    """

    label: int
    radius_squared: int
    complete: bool
    capped: bool
    slice_count: int
    regions: tuple[Region, ...]
    thresholds: tuple[int, ...]

    @property
    def needed(self) -> int | None:
        """The number of regions of the full radius, None where the search did not reach it."""
        return self.regions_for(self.radius_squared) if self.complete else None

    def regions_for(self, radius_squared: int) -> int:
        """Return the number of regions of a squared radius; raises ValueError for a radius that is not certain."""
        if not 0 <= radius_squared <= self.radius_squared:
            raise ValueError(f"squared radius {radius_squared} is not certain: 0 to {self.radius_squared} is")
        return bisect_left(self.thresholds, radius_squared)

    def radius_for(self, capacity: int) -> int:
        """Return the largest squared radius whose evidence has at most `capacity` regions.

        Exact for every capacity once the search is complete; else for capacities up to the number of regions found, and
        a lower bound beyond. Raises CapacityError where not even the slices' centres fit.
        """
        if capacity < self.slice_count:
            raise CapacityError(self.slice_count, capacity, None)
        if capacity < len(self.regions):
            return min(self.radius_squared, self.thresholds[capacity])
        return self.radius_squared

    def capacities(self) -> tuple[tuple[int, int], ...]:
        """Return (capacity, squared radius) for the powers of two from the first with room for the centres.

        The last entry is the first capacity of the full radius, or the last that the search decided.
        """
        result = []
        capacity = 1 << (self.slice_count - 1).bit_length()
        while self.complete or capacity <= len(self.regions):
            result.append((capacity, self.radius_for(capacity)))
            if self.complete and result[-1][1] == self.radius_squared:
                break
            capacity *= 2
        return tuple(result)

    def evidence(self, radius_squared: int, capacity: int | None = None) -> Evidence:
        """Return the evidence of a squared radius.

        Raises ValueError for a radius that is not certain, CapacityError where it needs more regions than `capacity`.
        """
        needed = self.regions_for(radius_squared)
        if capacity is not None and needed > capacity:
            fits = self.radius_for(capacity) if capacity >= self.slice_count else None
            raise CapacityError(needed, capacity, fits)
        return Evidence(self.label, radius_squared, self.regions[:needed])

    def evidence_within(self, capacity: int) -> Evidence:
        """Return the evidence of the largest radius that fits; raises CapacityError as :meth:`radius_for`."""
        return self.evidence(self.radius_for(capacity))


@dataclass(frozen=True)
class Start:
    """The start of a search: a query in plain integers on its slices, with the label that all of them decide strictly.

    With a `box`, only points inside it count. `hyperplanes` of a region come as (c, |c|^2, c.x + d): those of the
    margins of the label, and those of the hidden neurons, bit by bit of the pattern. A form with c = 0 is constant on
    the slice and has no hyperplane.
    """

    query: Row
    sliced: tuple[SlicedNetwork, ...]
    label: int
    box: Box | None = None

    @property
    def centres(self) -> list[Region]:
        """The regions of the query on every slice."""
        return [
            Region(number, here.network.pattern((*self.query, *here.sensitive)))
            for number, here in enumerate(self.sliced)
        ]

    def hyperplanes(self, region: Region) -> tuple[list[Hyperplane], list[Hyperplane]]:
        """Return the hyperplanes of the margins and of the hidden neurons in a region."""
        here = self.sliced[region.slice]
        *hidden, logits = here.values(region.pattern, self.query)
        values = [value for layer in hidden for value in layer]
        margins = [sum(map(mul, signs, logits)) for signs in self._signs]
        over = here.margin_rows(region.pattern, self._margins)
        return (
            [(row, norm, value) for (row, norm), value in zip(over, margins, strict=True)],
            [(row, norm, value) for (row, norm), value in zip(here.hidden_rows(region.pattern), values, strict=True)],
        )

    @cached_property
    def _signs(self) -> list[Row]:
        """The margins as rows over the logits."""
        return margin_signs(self.sliced[0].network.logit_count, self.label)

    @cached_property
    def _margins(self) -> list[Row]:
        """The margins as rows over the last hidden layer."""
        top = self.sliced[0].network.layers[-1].weights
        return [combine(signs, top) for signs in self._signs]


def begin(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_regions: int,
    box: Box | None = None,
) -> Start | Counterexample:
    """Return the start of a search within these limits, or the slices that show the model unfair at the query itself.

    Raises CapacityError where `max_regions` has no room for the centres, ValueError for lengths that do not fit, a
    negative radius and a query outside its box, TypeError for numbers that are not integers.
    """
    if index(max_radius_squared) < 0:
        raise ValueError("max_radius_squared must be at least 0")
    if max_regions < len(table):
        raise CapacityError(len(table), max_regions, None)
    query = tuple(map(index, query))
    table = [tuple(map(index, row)) for row in table]
    if box is not None and any(not low <= x <= high for x, low, high in zip(query, *box, strict=True)):
        raise ValueError("the query lies outside the ranges")
    sliced = slices(network, table)
    label = common_label([network.logits((*query, *row)) for row in table])
    return label if isinstance(label, Counterexample) else Start(query, sliced, label, box)


def search(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_regions: int,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Search | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), up to a squared radius.

    `max_regions` ends the search without error: for a capacity K, K regions decide `radius_for(K)`. `max_seconds` ends
    it with SearchBudgetError, which holds the radius that is already certain; the results depend on time in no other
    way. `progress` is called after every region with the number of regions and the squared radius certain so far.
    Raises CapacityError where `max_regions` has no room for the centres, ValueError for lengths that do not fit,
    TypeError for numbers that are no integers.
    """
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    start = begin(network, query, table, max_radius_squared=max_radius_squared, max_regions=max_regions)
    if isinstance(start, Counterexample):
        return start
    walk = _Walk(start, max_radius_squared)
    while (ahead := walk.ahead()) is not None and len(walk.regions) < max_regions:
        threshold, region = ahead
        if deadline is not None and time.monotonic() >= deadline:
            raise SearchBudgetError(threshold, len(walk.regions), f"{max_seconds} seconds")
        walk.enter(region, threshold)
        if progress is not None:
            progress(len(walk.regions), threshold)
    return walk.result()


class _Walk:
    """The state of a search: entered regions, queued facets, and the radius that decision hyperplanes still allow."""

    def __init__(self, start: Start, cap: int) -> None:
        """Enter the centre of every slice."""
        self._start = start
        self._cap = cap
        self._seen: set[tuple[int, int]] = set()
        self._queue: list[tuple[int, int, int, int]] = []
        self._pushed = 0
        self.regions: list[Region] = []
        self.thresholds: list[int] = []
        self.bound = cap
        for region in start.centres:
            self.enter(region, _CENTRE)

    def ahead(self) -> tuple[int, Region] | None:
        """Return the next region and its threshold, or None if no queued region is below the bound."""
        while self._queue and self._queue[0][0] < self.bound:
            threshold, _, number, pattern = self._queue[0]
            if (number, pattern) not in self._seen:
                return threshold, Region(number, pattern)
            heapq.heappop(self._queue)
        return None

    def enter(self, region: Region, threshold: int) -> None:
        """Add a region: lower the bound to its nearest decision hyperplane, queue its facets below the bound."""
        number = region.slice
        pattern = region.pattern
        self._seen.add((number, pattern))
        self.regions.append(region)
        self.thresholds.append(threshold)
        margins, hidden = self._start.hyperplanes(region)
        for _, norm, value in margins:
            if norm:
                # No point of the region is nearer than its threshold, however near the hyperplane passes outside of it.
                self.bound = min(self.bound, max(threshold, value * value // norm))
        for neuron, (_, norm, value) in enumerate(hidden):
            if not norm or (reach := max(threshold, value * value // norm)) >= self.bound:
                continue
            across = pattern ^ (1 << neuron)
            if (number, across) not in self._seen:
                self._pushed += 1
                heapq.heappush(self._queue, (reach, self._pushed, number, across))

    def result(self) -> Search:
        """Return the result; if a region is still queued, its threshold limits the radius."""
        ahead = self.ahead()
        return Search(
            label=self._start.label,
            radius_squared=self.bound if ahead is None else ahead[0],
            complete=ahead is None,
            capped=ahead is None and self.bound == self._cap,
            slice_count=len(self._start.sliced),
            regions=tuple(self.regions),
            thresholds=tuple(self.thresholds),
        )


def common_label(logits: list[tuple[int, ...]]) -> int | Counterexample:
    """Return the label that every slice decides strictly, or the counterexample; a flip comes before a tie."""
    labels = [decide(row) for row in logits]
    decided = [number for number, label in enumerate(labels) if label is not None]
    for number in decided:
        if labels[number] != labels[decided[0]]:
            pair = (decided[0], number)
            return Counterexample("flip", pair, tuple(labels[n] for n in pair), tuple(logits[n] for n in pair))
    for number, label in enumerate(labels):
        if label is None:
            return Counterexample("tie", (number,), (None,), (logits[number],))
    return next(label for label in labels if label is not None)
