"""The search of a key's scheme for evidence that the key has room for, checked in the clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.branch.search import BranchSearch, search_under
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.certify.trees.ensemble_search import EnsembleSearch
from equiproof.certify.trees.ensemble_search import search_under as ensemble_search_under
from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.certify.trees.search import AdditiveSearch
from equiproof.certify.trees.search import search_under as additive_search_under
from equiproof.circuits.levels import shown
from equiproof.circuits.shape import Shape
from equiproof.prover.levelled import on_level
from equiproof.prover.opening import Opening

LOOKAHEAD = 2
"""Scheme `traversal` searches this many times the key's capacity, so that reports can show what a larger key proves."""

WithEvidence = BranchSearch | AdditiveSearch | EnsembleSearch
"""The result of a search that makes the evidence of one radius."""

AnySearch = Search | WithEvidence
"""The result of the search of some scheme."""

Progress = Callable[[int, int], None]
"""Called with the number of regions or leaves so far, and the squared radius that they prove."""


@dataclass(frozen=True)
class Found:
    """The result of a search, and the evidence of the largest radius that fits the key; the repr shows neither."""

    search: AnySearch = field(repr=False)
    evidence: Evidence | BranchEvidence | AdditiveEvidence | EnsembleEvidence = field(repr=False)


def find_evidence(
    opening: Opening, shape: Shape, integers: Sequence[int], max_seconds: float | None, progress: Progress | None
) -> Found | Counterexample:
    """Search around a query of n_x integers for evidence of a radius that the spec shows, and check it in the clear.

    When `max_seconds` are over, scheme `traversal` raises SearchBudgetError, and scheme `branch` returns what it has
    proven so far, as scheme `trees` does; without them, these count their work. Raises CapacityError if the slices'
    centres do not fit the key, PrecisionError if scheme `branch` can prove nothing because of rounding, OpeningError
    for a model of another kind.
    """
    if not shape.branches and not shape.additive and not shape.has_nodes:
        return _traversal(opening, shape, integers, max_seconds, progress)
    of_scheme = _search_of(opening, shape)

    def search(largest: int, seconds: float | None) -> Found | Counterexample:
        """Search up to a squared radius; every search checks its evidence itself before it returns."""
        outcome = of_scheme(
            opening.spec,
            integers,
            max_leaves=shape.capacity,
            max_radius_squared=largest,
            max_seconds=seconds,
            progress=progress,
        )
        return outcome if isinstance(outcome, Counterexample) else Found(outcome, outcome.evidence)

    return on_level(opening.spec, max_seconds, search)


def _search_of(opening: Opening, shape: Shape) -> Callable[..., WithEvidence | Counterexample]:
    """Return the search of a shape's scheme with the opening's model and the room that only its key has."""
    if shape.has_nodes:
        return partial(
            ensemble_search_under,
            opening.ensemble,
            max_slots=shape.slot_count,
            max_rows=shape.row_count,
            max_passed=shape.passed_count if shape.visits else None,
        )
    if shape.additive:
        return partial(additive_search_under, opening.additive, max_slots=shape.slot_count)
    return partial(search_under, opening.network)


def _traversal(
    opening: Opening, shape: Shape, integers: Sequence[int], max_seconds: float | None, progress: Progress | None
) -> Found | Counterexample:
    """Search with scheme `traversal`, beyond the key's capacity by the factor LOOKAHEAD."""
    outcome = search(
        opening.network,
        integers,
        opening.spec.domain_table,
        max_radius_squared=shown(opening.spec, opening.spec.max_radius_squared),
        max_regions=LOOKAHEAD * shape.capacity,
        max_seconds=max_seconds,
        progress=progress,
    )
    if isinstance(outcome, Counterexample):
        return outcome
    # Regions are in the order of their thresholds, so the first of them are evidence of any smaller radius.
    evidence = outcome.evidence(shown(opening.spec, outcome.radius_for(shape.capacity)))
    check(evidence, opening.network, integers, opening.spec.domain_table)
    return Found(outcome, evidence)
