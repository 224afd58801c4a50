"""One applicant searched by branch and bound and, to know how good the answer is, by exact GeoCert."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.harness import BenchError, spread
from certify.branch import BranchEvidence, BranchSearch, search_under
from certify.exact import ExactSearch, interval_under
from certify.network import QuantisedNetwork
from certify.search import Counterexample
from circuits.spec import Spec

MAX_REGIONS = 1 << 30
"""No limit for exact GeoCert: its time is limited."""

MAX_LEAVES = 1 << 12
"""How many leaves are tried where a key's are too few."""


@dataclass(frozen=True)
class Task:
    """A query of n_x integers to be searched with a capacity, each search within so many seconds."""

    network: QuantisedNetwork
    spec: Spec
    query: tuple[int, ...]
    capacity: int
    seconds: float


@dataclass(frozen=True)
class Known:
    """What is known of R2, the largest squared radius in grid units: it is one of `least` .. `most`.

    `least` is proven; a wrong decision, an exact point, rules out whatever is above `most`.
    """

    least: int
    most: int

    @property
    def exact(self) -> bool:
        """Tell whether R2 is known, up to one grid unit squared."""
        return self.least >= self.most - 1

    def reached(self, radius_squared: int) -> bool:
        """Tell whether a proven squared radius is R2, or one less."""
        return radius_squared >= self.most - 1

    def both(self, other: Known) -> Known:
        """Return what two searches know together; raises BenchError where they contradict each other."""
        found = Known(max(self.least, other.least), min(self.most, other.most))
        if found.least > found.most:
            raise BenchError(f"one search proves the squared radius {found.least}, another rules out {found.most + 1}")
        return found


@dataclass(frozen=True)
class Branched:
    """What branch and bound found with a capacity: its evidence, what it knows, and what it took."""

    evidence: BranchEvidence
    known: Known
    seconds: float
    programs: int
    ended: str | None

    @property
    def radius_squared(self) -> int:
        """The squared radius that is proven."""
        return self.evidence.radius_squared

    @property
    def leaves(self) -> int:
        """The leaves of the evidence."""
        return len(self.evidence.leaves)


def branched(task: Task, capacity: int | None = None) -> Branched | None:
    """Search by branch and bound, with the task's capacity by default; None where the query is not decided alike."""
    spec, room = task.spec, task.capacity if capacity is None else capacity
    begun = time.perf_counter()
    found = search_under(task.network, spec, task.query, max_leaves=room, max_seconds=task.seconds)
    seconds = time.perf_counter() - begun
    if isinstance(found, Counterexample):
        return None
    return Branched(found.evidence, _known(spec, found), seconds, found.programs, found.ended)


def walked_exactly(task: Task) -> tuple[Known, float] | None:
    """Search by exact GeoCert; return what it knows and its seconds, None where the query is not decided alike."""
    spec = task.spec
    begun = time.perf_counter()
    found = interval_under(task.network, spec, task.query, max_regions=MAX_REGIONS, max_seconds=task.seconds)
    seconds = time.perf_counter() - begun
    return None if isinstance(found, Counterexample) else (_known(spec, found), seconds)


def reference(task: Task, found: Branched) -> tuple[Known, float]:
    """Return what is known of a query's R2 beyond a first search, and the seconds it took to know.

    Where the first search did not reach it: by exact GeoCert, and where its time ends first, by branch and bound with
    MAX_LEAVES leaves.
    """
    known, spent = found.known, 0.0
    if not known.exact and (exact := walked_exactly(task)) is not None:
        known, spent = known.both(exact[0]), exact[1]
    if not known.exact and (more := branched(task, MAX_LEAVES)) is not None:
        known, spent = known.both(more.known), spent + more.seconds
    return known, spent


def _known(spec: Spec, found: BranchSearch | ExactSearch) -> Known:
    """Return what a search knows; the spec's cap is where no wrong decision is known."""
    most = spec.max_radius_squared if found.upper is None else math.floor(found.upper)
    return Known(found.radius_squared, min(most, spec.max_radius_squared))


def radii(spec: Spec, squared: Sequence[int]) -> list[float]:
    """Return squared radii of grid units as radii in the spec's units."""
    return [round(math.sqrt(one) / spec.scale_unit, 4) for one in squared]


def told(result: Mapping[str, Any], name: str, digits: int) -> str:
    """Write a median, its quartiles and the largest value, in brackets."""
    if result[name] is None:
        return "-"
    low, high, most = (f"{result[f'{name}_{end}']:.{digits}f}" for end in ("q1", "q3", "max"))
    return f"{result[name]:.{digits}f} ({low} to {high}, {most})"


def searches(found: Sequence[Branched]) -> dict[str, Any]:
    """Summarize searches: seconds and leaves."""
    return {
        **spread("certify_s", [one.seconds for one in found], 3),
        **spread("leaves", [one.leaves for one in found], 1),
    }
