"""The radius that each capacity gives an applicant: the largest one whose evidence fits the capacity."""

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

_FIRST = 0.5
"""The share of the seconds for the search of the largest capacity; those of smaller ones have what it leaves."""


@dataclass(frozen=True)
class Offer:
    """The largest squared radius in grid units with evidence of at most `capacity` rows; it has `size` rows."""

    capacity: int
    radius_squared: int
    size: int
    room: Room | None = None
    """With scheme trees, the whole room of the key; its leaves are the capacity."""


@dataclass(frozen=True)
class Trade:
    """The offers of several capacities for one applicant, ascending; evidence counts regions or leaves.

    No squared radius is above `upper`, the squared distance of a point on the boundary of the decision (None: unknown).
    `complete`: none is above that of the last offer either. `capped`: the last offer is the largest radius that is ever
    stated.
    """

    label: int
    offers: tuple[Offer, ...]
    upper: Fraction | None
    complete: bool
    capped: bool

    @property
    def needed(self) -> int | None:
        """The number of rows of the full radius, None where it is unknown."""
        return self.offers[-1].size if self.complete else None

    def radius_for(self, capacity: int) -> int:
        """Return the squared radius of the largest offered capacity that is at most this one.

        Raises ValueError where every offered capacity is larger.
        """
        return max(offer.radius_squared for offer in self.offers if offer.capacity <= capacity)

    def share(self, offer: Offer) -> float | None:
        """Return an offer's radius over grid points as a share of the largest radius that `upper` allows."""
        if self.upper is None or self.upper < 1:
            return None
        return sqrt(offer.radius_squared / floor(self.upper))


def trade(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    scheme: Scheme,
    capacities: Sequence[int],
    *,
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
) -> Trade | Counterexample:
    """Search around a query of n_x integers for each of several ascending capacities.

    `max_seconds` is the budget of all searches together, on this clock; a step that has begun is not interrupted.
    Without it, scheme branch counts its work: as much as one search has for the largest capacity, and as much again for
    all others. Scheme traversal searches twice, the second time for the boundary; scheme branch once for each capacity
    that the first radius does not fit. Raises CapacityError where the smallest capacity has no room for the slices;
    SearchBudgetError where scheme traversal has not entered the regions of the largest capacity in time; WidthError and
    PrecisionError where scheme branch has too few digits.
    """
    budget = Countdown(max_seconds, clock)
    return (_branch if scheme == "branch" else _traversal)(network, spec, query, capacities, budget)


def _traversal(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    capacities: Sequence[int],
    budget: Countdown,
) -> Trade | Counterexample:
    """Read all capacities off one search, which enters regions in the order of their thresholds."""
    found = search(
        network,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=capacities[-1],
        max_seconds=budget.left(),
    )
    if isinstance(found, Counterexample):
        return found
    radii = [(capacity, found.radius_for(capacity)) for capacity in capacities]
    offers = tuple(Offer(capacity, radius, found.regions_for(radius)) for capacity, radius in radii)
    return Trade(found.label, offers, _upper(network, spec, query, budget), found.complete, found.capped)


def _upper(network: QuantisedNetwork, spec: Spec, query: Sequence[int], budget: Countdown) -> Fraction | None:
    """Return the squared distance of the nearest boundary, which the enumeration does not compute, by exact search."""
    found = interval_under(network, spec, query, max_regions=MAX_REGIONS, max_seconds=budget.left())
    return None if isinstance(found, Counterexample) else found.upper


def _branch(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    capacities: Sequence[int],
    budget: Countdown,
) -> Trade | Counterexample:
    """Search for the largest capacity, and again within each smaller one, the largest of them first."""
    first = budget.left(_FIRST if len(capacities) > 1 else 1.0)
    found = branch.search_under(network, spec, query, max_leaves=capacities[-1], max_seconds=first)
    if isinstance(found, Counterexample):
        return found
    smaller = [capacity for capacity in reversed(capacities) if capacity < found.leaves]
    work = MAX_WORK // max(1, len(smaller))
    fitting = {
        capacity: found.evidence_within(capacity, max_seconds=budget.left(1 / (len(smaller) - done)), max_work=work)
        for done, capacity in enumerate(smaller)
    }
    offers: list[Offer] = []
    for capacity in capacities:
        evidence = fitting.get(capacity, found.evidence)
        offer = Offer(capacity, evidence.radius_squared, len(evidence.leaves))
        if offers and offers[-1].radius_squared >= offer.radius_squared:
            # Bisection may end at a smaller radius with more room; evidence that fits the smaller capacity fits this
            # one.
            offer = Offer(capacity, offers[-1].radius_squared, offers[-1].size)
        offers.append(offer)
    return Trade(found.label, tuple(offers), found.upper, found.complete, found.capped)


@dataclass(frozen=True)
class ScoreTrade(Trade):
    """The offers of several rooms for one applicant of a score, ascending by (V, A, K); none where nothing fits.

    `radius_squared` is the largest one that a search without a key's limits certifies; its evidence has `leaves`,
    `slots` and `rows` (None for an additive model). `complete`: no larger one exists.
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
        fitting = (offer.radius_squared for offer in self.offers if offer.room == room)
        return max(fitting, default=None)


def score_trade(
    model: ScoredModel,
    spec: Spec,
    query: Sequence[int],
    rooms: Sequence[Room],
    *,
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
) -> ScoreTrade | Counterexample:
    """Search around a query of n_x integers for each room of a score.

    Half of `max_seconds` is for the search of the full radius, the rest for all rooms; without them, work is counted in
    the same way.
    """
    budget = Countdown(max_seconds, clock)
    most = max(MAX_LEAVES, *(room.capacity for room in rooms))
    found = score_search_under(model, spec, query, max_leaves=most, max_seconds=budget.left(_FIRST))
    if isinstance(found, Counterexample):
        return found
    offers: dict[Room, Offer] = {}
    ordered = sorted(rooms, reverse=True)
    for done, room in enumerate(ordered):
        larger = offers.get(room._replace(capacity=2 * room.capacity))
        if larger is not None and larger.size <= room.capacity:
            offers[room] = replace(larger, capacity=room.capacity, room=room)
            continue
        seconds = budget.left(1 / (len(ordered) - done))
        try:
            evidence = evidence_in(found, room, max_seconds=seconds, parts=len(ordered))
        except CapacityError:
            continue  # the splits of sensitive features alone are more than its rows
        offers[room] = Offer(room.capacity, evidence.radius_squared, evidence.size, room)
    best = tuple(_best(offers, room) for room in sorted(offers))
    return ScoreTrade(
        found.label, best, found.upper, found.complete, found.capped, found.radius_squared, found.leaves,
        len(found.evidence.slots), rows_of(found),
    )  # fmt: skip


def _best(offers: Mapping[Room, Offer], room: Room) -> Offer:
    """Return the offer of a room, or of a smaller one where bisection ended at a larger radius there."""
    fitting = [
        replace(offer, capacity=room.capacity, room=room)
        for smaller, offer in offers.items()
        if all(least is None or most is None or least <= most for least, most in zip(smaller, room, strict=True))
    ]
    return max(fitting, key=lambda offer: (offer.radius_squared, -offer.size))
