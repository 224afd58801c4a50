"""The Pareto front of radius against capacity: the largest radius found whose evidence fits each capacity.

A larger capacity makes a larger key and a slower proof, so that neither quantity is best alone. Scheme branch and
scores under a budget search heuristically: a point is attained, but a larger radius may exist at its capacity.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, sqrt

from equiproof.certify import branch
from equiproof.certify.branch.budget import MAX_WORK
from equiproof.certify.countdown import Clock, Countdown
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.errors import CapacityError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import interval_under
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.certify.trees.scored import Room, evidence_in, rows_of
from equiproof.certify.trees.scored import search_under as score_search_under
from equiproof.circuits.schemes import MAX_LEAVES, MAX_REGIONS, Scheme
from equiproof.circuits.spec import Spec

_LARGEST_SHARE = 0.5
"""The share of the seconds for the search of the largest capacity; those of smaller ones have what it leaves."""


@dataclass(frozen=True)
class ParetoPoint:
    """The largest squared radius in grid units with evidence of at most `capacity` rows; it has `size` rows."""

    capacity: int
    radius_squared: int
    size: int
    room: Room | None = None
    """With scheme trees, the whole room of the key; its leaves are the capacity."""


@dataclass(frozen=True)
class ParetoFront:
    """The points of several capacities for one applicant, ascending; evidence counts regions or leaves.

    No squared radius is above `upper`, the squared distance of the nearest known boundary of the decision (None:
    unknown). `complete`: none is above that of the last point either. `capped`: the last point has the largest radius
    that is ever stated.
    """

    label: int
    points: tuple[ParetoPoint, ...]
    upper: Fraction | None
    complete: bool
    capped: bool

    @property
    def needed(self) -> int | None:
        """The number of rows of the full radius, None where it is unknown."""
        return self.points[-1].size if self.complete else None

    def radius_for(self, capacity: int) -> int:
        """Return the squared radius of the largest capacity of the front that is at most this one.

        Raises ValueError where every capacity of the front is larger.
        """
        return max(point.radius_squared for point in self.points if point.capacity <= capacity)

    def share(self, point: ParetoPoint) -> float | None:
        """Return a point's radius over grid points as a share of the largest radius that `upper` allows."""
        if self.upper is None or self.upper < 1:
            return None
        return sqrt(point.radius_squared / floor(self.upper))


def pareto_front(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    scheme: Scheme,
    capacities: Sequence[int],
    *,
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
) -> ParetoFront | Counterexample:
    """Return the front of a query of n_x integers at several ascending capacities.

    `max_seconds` is the budget of all searches together, on this clock; a step that has begun is not interrupted.
    Without it, scheme branch counts its work: as much as one search has for the largest capacity, and as much again for
    all others. Scheme traversal searches twice, the second time for the boundary; scheme branch once for each capacity
    that the first radius does not fit. Raises CapacityError where the smallest capacity has no room for the slices;
    SearchBudgetError where scheme traversal has not entered the regions of the largest capacity in time; WidthError and
    PrecisionError where scheme branch has too few digits.
    """
    budget = Countdown(max_seconds, clock)
    front = _branch_front if scheme == "branch" else _traversal_front
    return front(network, spec, query, capacities, budget)


def _traversal_front(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    capacities: Sequence[int],
    budget: Countdown,
) -> ParetoFront | Counterexample:
    """Read all capacities off one search, which enters regions in the order of their thresholds."""
    walk = search(
        network,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=capacities[-1],
        max_seconds=budget.left(),
    )
    if isinstance(walk, Counterexample):
        return walk
    radii = [(capacity, walk.radius_for(capacity)) for capacity in capacities]
    points = tuple(ParetoPoint(capacity, radius, walk.regions_for(radius)) for capacity, radius in radii)
    return ParetoFront(walk.label, points, _upper(network, spec, query, budget), walk.complete, walk.capped)


def _upper(network: QuantisedNetwork, spec: Spec, query: Sequence[int], budget: Countdown) -> Fraction | None:
    """Return the squared distance of the nearest boundary, which the enumeration does not compute, by exact search."""
    interval = interval_under(network, spec, query, max_regions=MAX_REGIONS, max_seconds=budget.left())
    return None if isinstance(interval, Counterexample) else interval.upper


def _branch_front(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    capacities: Sequence[int],
    budget: Countdown,
) -> ParetoFront | Counterexample:
    """Search for the largest capacity, and again within each smaller one, the largest of them first."""
    first = budget.left(_LARGEST_SHARE if len(capacities) > 1 else 1.0)
    largest = branch.search_under(network, spec, query, max_leaves=capacities[-1], max_seconds=first)
    if isinstance(largest, Counterexample):
        return largest
    # A capacity that holds all leaves of the largest search gets that search's radius without one of its own.
    smaller = [capacity for capacity in reversed(capacities) if capacity < largest.leaves]
    work = MAX_WORK // max(1, len(smaller))
    # Each search gets an equal part of what remains, so that what an early one saves goes to those after it.
    fitting = {
        capacity: largest.evidence_within(capacity, max_seconds=budget.left(1 / (len(smaller) - done)), max_work=work)
        for done, capacity in enumerate(smaller)
    }
    points: list[ParetoPoint] = []
    for capacity in capacities:
        evidence = fitting.get(capacity, largest.evidence)
        point = ParetoPoint(capacity, evidence.radius_squared, len(evidence.leaves))
        if points and points[-1].radius_squared >= point.radius_squared:
            # Bisection may end at a smaller radius with more room; evidence that fits the smaller capacity fits this
            # one.
            point = ParetoPoint(capacity, points[-1].radius_squared, points[-1].size)
        points.append(point)
    return ParetoFront(largest.label, tuple(points), largest.upper, largest.complete, largest.capped)


@dataclass(frozen=True)
class ScoreParetoFront(ParetoFront):
    """The points of several rooms for one applicant of a score, ascending by (V, A, K).

    A room that not even the query alone fits has none. `radius_squared` is the largest one that a search without a
    key's limits certifies; its evidence has `leaves`, `slots` and `rows` (None for an additive model). `complete`: no
    larger one exists.
    """

    radius_squared: int
    leaves: int
    slots: int
    rows: int | None

    @property
    def needed(self) -> int | None:
        """The number of leaves of the full radius, None where it is unknown."""
        return self.leaves if self.complete else None

    def radius_in(self, room: Room) -> int | None:
        """Return the squared radius of a room, None for one that not even the query alone fits."""
        fitting = (point.radius_squared for point in self.points if point.room == room)
        return max(fitting, default=None)


def score_pareto_front(
    model: ScoredModel,
    spec: Spec,
    query: Sequence[int],
    rooms: Sequence[Room],
    *,
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
) -> ScoreParetoFront | Counterexample:
    """Return the front of a query of n_x integers over the rooms of a score.

    Half of `max_seconds` is for the search of the full radius, the rest for all rooms; without them, work is counted in
    the same way.
    """
    budget = Countdown(max_seconds, clock)
    max_leaves = max(MAX_LEAVES, *(room.capacity for room in rooms))
    full = score_search_under(model, spec, query, max_leaves=max_leaves, max_seconds=budget.left(_LARGEST_SHARE))
    if isinstance(full, Counterexample):
        return full
    points: dict[Room, ParetoPoint] = {}
    # Largest rooms first: evidence of twice the capacity that fits this capacity spares its search.
    ordered = sorted(rooms, reverse=True)
    for done, room in enumerate(ordered):
        larger = points.get(room._replace(capacity=2 * room.capacity))
        if larger is not None and larger.size <= room.capacity:
            points[room] = replace(larger, capacity=room.capacity, room=room)
            continue
        seconds = budget.left(1 / (len(ordered) - done))
        try:
            evidence = evidence_in(full, room, max_seconds=seconds, parts=len(ordered))
        except CapacityError:
            continue  # the splits of sensitive features alone are more than its rows
        points[room] = ParetoPoint(room.capacity, evidence.radius_squared, evidence.size, room)
    return ScoreParetoFront(
        full.label,
        tuple(_best(points, room) for room in sorted(points)),
        full.upper,
        full.complete,
        full.capped,
        full.radius_squared,
        full.leaves,
        len(full.evidence.slots),
        rows_of(full),
    )


def _best(points: Mapping[Room, ParetoPoint], room: Room) -> ParetoPoint:
    """Return the point of a room, or of a smaller one where bisection ended at a larger radius there."""
    fitting = [
        replace(point, capacity=room.capacity, room=room)
        for smaller, point in points.items()
        if all(least is None or most is None or least <= most for least, most in zip(smaller, room, strict=True))
    ]
    return max(fitting, key=lambda point: (point.radius_squared, -point.size))
