"""The size of evidence: a search for each applicant of a sample, within a budget, summarised by capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Generic, Self, TypeVar

from equiproof.certify.branch import PrecisionError
from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.pareto import ParetoFront, pareto_front
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.schemes import Scheme, counted, least_room
from equiproof.circuits.spec import Spec, refuse_ranges


def capacities(scheme: Scheme, spec: Spec, largest: int) -> list[int]:
    """Return the powers of two up to a limit, from the first that is at least 2 and has room for the slices.

    Raises CapacityError where no power fits, SpecError where the scheme does not support the spec's ranges.
    """
    refuse_ranges(scheme, spec)
    least = least_room(scheme, len(spec.domain_table))
    first = 1 << max(1, (least - 1).bit_length())
    if largest < first:
        raise CapacityError(first, largest, None, counted(scheme))
    return [first << power for power in range((largest // first).bit_length())]


Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Searches(Generic[Outcome]):
    """The searches of a sample of applicants.

    `unfair` counts the points whose decision the sensitive features change, `undecided` the ties: neither gets a
    certificate at any capacity. `unfinished` counts the searches that ran out of time (of digits, with scheme branch),
    `fair` holds the other searches. Some of these may have ended at the largest number of regions or leaves, or with
    scheme branch at the budget of time.
    """

    fair: tuple[Outcome, ...]
    unfair: int
    undecided: int
    unfinished: int

    @classmethod
    def of(
        cls,
        queries: Sequence[Sequence[int]],
        find: Callable[[Sequence[int]], Outcome | Counterexample],
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Search around each query by `find`; `progress` is called after every point with (done, all)."""
        fair: list[Outcome] = []
        kinds = {"flip": 0, "tie": 0}
        unfinished = 0
        for done, query in enumerate(queries, start=1):
            try:
                outcome = find(query)
            except (SearchBudgetError, PrecisionError):
                unfinished += 1
            else:
                if isinstance(outcome, Counterexample):
                    kinds[outcome.kind] += 1
                else:
                    fair.append(outcome)
            if progress is not None:
                progress(done, len(queries))
        return cls(tuple(fair), kinds["flip"], kinds["tie"], unfinished)


class Sample(Searches[Search | ParetoFront]):
    """The searches of a sample around a network."""

    @property
    def needed(self) -> tuple[int, ...]:
        """The number of rows of the full radius, ascending, for each fair point whose search reached it."""
        return tuple(sorted(outcome.needed for outcome in self.fair if outcome.needed is not None))

    def full(self, capacity: int) -> int:
        """Return the number of points that get their full radius at a capacity."""
        return sum(count <= capacity for count in self.needed)

    def median_radius_squared(self, capacity: int) -> int | None:
        """Return the (low) median of the squared radius that fits a capacity, over the fair points; or None."""
        return median_low(outcome.radius_for(capacity) for outcome in self.fair) if self.fair else None


def sample_searches(
    network: QuantisedNetwork,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    largest: int,
    max_seconds: float,
    scheme: Scheme,
    progress: Callable[[int, int], None] | None = None,
) -> Sample:
    """Search around each query of n_x integers, each within `largest` regions or leaves and `max_seconds`.

    `progress` is called after every point with (done, all). Raises CapacityError where no power of two up to
    `largest` has room for the slices.
    """
    steps = capacities(scheme, spec, largest)
    return Sample.of(queries, lambda query: _search_around(network, spec, query, scheme, steps, max_seconds), progress)


def _search_around(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    scheme: Scheme,
    steps: Sequence[int],
    max_seconds: float,
) -> Search | ParetoFront | Counterexample:
    """Search around one query; the result gives the radius of every capacity of the steps."""
    if scheme == "branch":
        return pareto_front(network, spec, query, scheme, steps, max_seconds=max_seconds)
    return search(
        network,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=steps[-1],
        max_seconds=max_seconds,
    )
