"""How many regions applicants need: a search for each point of a sample, within a budget, read by capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low

from certify.errors import CapacityError, SearchBudgetError
from certify.network import QuantisedNetwork
from certify.search import Counterexample, Search, search
from circuits.spec import Spec


@dataclass(frozen=True)
class Sample:
    """The searches of a sample of applicants.

    `unfair` and `undecided` count the points whose decision the sensitive features change or that tie: they get no
    certificate at any capacity. `unfinished` counts those that ran out of time, `fair` holds the others' searches; some
    may have ended at the largest number of regions.
    """

    fair: tuple[Search, ...]
    unfair: int
    undecided: int
    unfinished: int

    @property
    def needed(self) -> tuple[int, ...]:
        """The regions that the full radius takes, in ascending order, of each fair point whose search came that far."""
        return tuple(sorted(found.needed for found in self.fair if found.needed is not None))

    def full(self, capacity: int) -> int:
        """Return how many points get their full radius at a capacity."""
        return sum(count <= capacity for count in self.needed)

    def median_radius_squared(self, capacity: int) -> int | None:
        """Return the (low) median, over the fair points, of the squared radius that fits a capacity; None for none."""
        return median_low(found.radius_for(capacity) for found in self.fair) if self.fair else None


def sample_searches(
    network: QuantisedNetwork,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    max_regions: int,
    max_seconds: float,
    progress: Callable[[int, int], None] | None = None,
) -> Sample:
    """Search around each query of n_x integers up to so many regions, for so many seconds each.

    `progress` is called after every point with (done, all). Raises CapacityError where the slices alone outnumber
    `max_regions`.
    """
    if max_regions < len(spec.domain_table):
        raise CapacityError(len(spec.domain_table), max_regions, None)
    fair: list[Search] = []
    kinds = {"flip": 0, "tie": 0}
    unfinished = 0
    for done, query in enumerate(queries, start=1):
        try:
            found = search(
                network,
                query,
                spec.domain_table,
                max_radius_squared=spec.max_radius_squared,
                max_regions=max_regions,
                max_seconds=max_seconds,
            )
        except SearchBudgetError:
            unfinished += 1
        else:
            if isinstance(found, Counterexample):
                kinds[found.kind] += 1
            else:
                fair.append(found)
        if progress is not None:
            progress(done, len(queries))
    return Sample(tuple(fair), kinds["flip"], kinds["tie"], unfinished)
