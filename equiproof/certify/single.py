"""One applicant in plaintext, in the detail of `equiproof certify`: a search, the check of its evidence, distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equiproof.certify import branch
from equiproof.certify.countdown import Countdown
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.errors import SearchBudgetError
from equiproof.certify.many.point import Limits
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.exact import ExactSearch, interval_under
from equiproof.certify.traversal.flip import Flip, nearest_flip
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.certify.trees.scored import ScoreSearch
from equiproof.certify.trees.scored import search_under as score_search_under
from equiproof.circuits.spec import Spec


@dataclass(frozen=True)
class Traversed:
    """A complete search by scheme traversal, the nearest flip that it met, and the exact search, if requested."""

    search: Search
    flip: Flip | None
    exact: ExactSearch | None


def traverse(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    limits: Limits,
    *,
    progress: Callable[[int, int], None] | None = None,
    exact_progress: Callable[[ExactSearch], None] | None = None,
) -> Traversed | Counterexample:
    """Search around a query of n_x integers by scheme traversal, within the limits, and check the evidence.

    `progress` is called with regions and squared radius. Raises SearchBudgetError where a budget ends the search first,
    CapacityError where the slices outnumber the regions, EvidenceError where a wrong search is refused.
    """
    budget = Countdown(limits.max_seconds)
    walk = search(
        network,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=limits.max_regions,
        max_seconds=limits.max_seconds,
        progress=progress,
    )
    if isinstance(walk, Counterexample):
        return walk
    if not walk.complete:
        raise SearchBudgetError(walk.radius_squared, len(walk.regions), f"{limits.max_regions} regions")
    check(walk.evidence(walk.radius_squared), network, query, spec.domain_table)
    flip = nearest_flip(network, query, spec.domain_table, walk)
    if not limits.exact:
        return Traversed(walk, flip, None)
    # Where seconds end first, the certified radius stands whatever is known of the true one.
    exact = interval_under(
        network,
        spec,
        query,
        max_regions=limits.max_regions,
        max_seconds=budget.left(),
        progress=exact_progress,
    )
    if isinstance(exact, Counterexample):
        raise TypeError("this query has no label")
    return Traversed(walk, flip, exact)


def branch_and_bound(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    limits: Limits,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> branch.BranchSearch | Counterexample:
    """Search around a query of n_x integers by scheme branch, within the limits, and check the evidence.

    `progress` is called with leaves and squared radius. Raises CapacityError where the slices outnumber the leaves,
    WidthError and PrecisionError where integers have too few digits, EvidenceError where a wrong search is refused.
    """
    parameters = branch.network_parameters(spec, network.hidden)
    search = branch.search_under(
        network, spec, query, max_leaves=limits.max_leaves, max_seconds=limits.max_seconds, progress=progress
    )
    if not isinstance(search, Counterexample):
        branch.check(search.evidence, parameters, network, query, spec.domain_table, spec.box)
    return search


def score(
    model: ScoredModel,
    spec: Spec,
    query: Sequence[int],
    limits: Limits,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreSearch | Counterexample:
    """Search around a query of n_x integers of a score, within the limits; the search checks its evidence.

    `progress` is called with leaves and squared radius. Raises EvidenceError where a wrong search is refused.
    """
    return score_search_under(
        model, spec, query, max_leaves=limits.max_leaves, max_seconds=limits.max_seconds, progress=progress
    )
