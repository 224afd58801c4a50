"""Evidence for a key: the search of its scheme, as far as its capacity goes, checked in the clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from certify.branch.evidence import BranchEvidence
from certify.branch.search import BranchSearch, search_under
from certify.evidence import Evidence, check
from certify.search import Counterexample, Search, search
from circuits.shape import Shape
from prover.opening import Opening

LOOKAHEAD = 2
"""How many times the key's capacity is walked, so that a report can tell what the next key would give."""

Progress = Callable[[int, int], None]
"""Called with regions or leaves, and the squared radius that they prove so far."""


@dataclass(frozen=True)
class Found:
    """What the search of a key's scheme found, and the evidence of the largest radius that fits the key."""

    search: Search | BranchSearch
    evidence: Evidence | BranchEvidence


def find(
    opening: Opening, shape: Shape, integers: Sequence[int], max_seconds: float | None, progress: Progress | None
) -> Found | Counterexample:
    """Search around a query of n_x integers for evidence that the plaintext checker passes.

    Scheme `traversal` raises SearchBudgetError where the seconds end first; scheme `branch` returns what is certain by
    then. Raises CapacityError where not even the slices' centres fit the key, PrecisionError where rounding leaves
    scheme `branch` nothing to prove.
    """
    if shape.branches:
        return _branched(opening, shape, integers, max_seconds, progress)
    return _walked(opening, shape, integers, max_seconds, progress)


def _walked(
    opening: Opening, shape: Shape, integers: Sequence[int], max_seconds: float | None, progress: Progress | None
) -> Found | Counterexample:
    """Walk somewhat beyond the key's capacity."""
    found = search(
        opening.network,
        integers,
        opening.spec.domain_table,
        max_radius_squared=opening.spec.max_radius_squared,
        max_regions=LOOKAHEAD * shape.capacity,
        max_seconds=max_seconds,
        progress=progress,
    )
    if isinstance(found, Counterexample):
        return found
    evidence = found.evidence_within(shape.capacity)
    check(evidence, opening.network, integers, opening.spec.domain_table)
    return Found(found, evidence)


def _branched(
    opening: Opening, shape: Shape, integers: Sequence[int], max_seconds: float | None, progress: Progress | None
) -> Found | Counterexample:
    """Branch and bound, which has its evidence checked before it returns."""
    found = search_under(
        opening.network,
        opening.spec,
        integers,
        max_leaves=shape.capacity,
        max_seconds=max_seconds,
        progress=progress,
    )
    return found if isinstance(found, Counterexample) else Found(found, found.evidence)
