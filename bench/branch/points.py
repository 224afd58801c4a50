"""One applicant searched by branch and bound and, to judge its radius, by exact GeoCert."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.harness import BenchError, spread
from equiproof.certify.branch import BranchEvidence, BranchSearch, search_under
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import ExactSearch, interval_under
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.spec import Spec

MAX_REGIONS = 1 << 30
"""No limit for exact GeoCert: its time is limited."""

MAX_LEAVES = 1 << 12
"""The most leaves tried if a key's are too few."""


@dataclass(frozen=True)
class Task:
    """A query of n_x integers to be searched with a capacity, each search within `seconds`."""

    network: QuantisedNetwork
    spec: Spec
    query: tuple[int, ...]
    capacity: int
    seconds: float


@dataclass(frozen=True)
class Known:
    """An interval of R2, the largest squared radius in grid units: it is one of `least` .. `most`.

    `least` is proven; an exact point with another decision rules out any value above `most`.
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
        """Return the intersection of two intervals; raises BenchError if it is empty."""
        found = Known(max(self.least, other.least), min(self.most, other.most))
        if found.least > found.most:
            raise BenchError(f"one search proves the squared radius {found.least}, another rules out {found.most + 1}")
        return found


@dataclass(frozen=True)
class Branched:
    """The result of branch and bound with a capacity: evidence, interval of R2, and costs."""

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
    """Search by branch and bound, with the task's capacity by default; None if the sensitive values decide."""
    spec, room = task.spec, task.capacity if capacity is None else capacity
    begun = time.perf_counter()
    found = search_under(task.network, spec, task.query, max_leaves=room, max_seconds=task.seconds)
    seconds = time.perf_counter() - begun
    if isinstance(found, Counterexample):
        return None
    return Branched(found.evidence, _known(spec, found), seconds, found.programs, found.ended)


def walked_exactly(task: Task) -> tuple[Known, float] | None:
    """Search by exact GeoCert; return the interval of R2 and the seconds, None if the sensitive values decide."""
    spec = task.spec
    begun = time.perf_counter()
    found = interval_under(task.network, spec, task.query, max_regions=MAX_REGIONS, max_seconds=task.seconds)
    seconds = time.perf_counter() - begun
    return None if isinstance(found, Counterexample) else (_known(spec, found), seconds)


def reference(task: Task, found: Branched) -> tuple[Known, float]:
    """Return the best known interval of a query's R2 after a first search, and the seconds of the further searches.

    If the first search is not exact, exact GeoCert follows; if its time ends, branch and bound with MAX_LEAVES leaves.
    """
    known, spent = found.known, 0.0
    if not known.exact and (exact := walked_exactly(task)) is not None:
        known, spent = known.both(exact[0]), exact[1]
    if not known.exact and (more := branched(task, MAX_LEAVES)) is not None:
        known, spent = known.both(more.known), spent + more.seconds
    return known, spent


def _known(spec: Spec, found: BranchSearch | ExactSearch) -> Known:
    """Return the interval of R2 from a search; its end is the spec's cap if no wrong decision is known."""
    most = spec.max_radius_squared if found.upper is None else math.floor(found.upper)
    return Known(found.radius_squared, min(most, spec.max_radius_squared))


def radii(spec: Spec, squared: Sequence[int]) -> list[float]:
    """Return squared radii of grid units as radii in the spec's units."""
    return [round(math.sqrt(one) / spec.scale_unit, 4) for one in squared]


def with_quartiles(result: Mapping[str, Any], name: str, digits: int) -> str:
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
