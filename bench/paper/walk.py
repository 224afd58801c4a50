"""The walk to the full radius around one applicant, without the limit of a key: regions, facets, radius."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.harness import BenchError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.search import Counterexample, Search, Start, begin, search

MAX_REGIONS = 1 << 14
"""More than any network of the paper's sizes needs."""


@dataclass(frozen=True)
class Walk:
    """The full radius around an applicant.

    `patterns` are the regions of its evidence over all slices, `traversals` the facets popped by FairProof's algorithm,
    which walks every slice to a radius of its own: the facets nearer than it, and the one that ends the walk.
    """

    radius_squared: int
    patterns: int
    traversals: int


def walk(network: QuantisedNetwork, query: Sequence[int], table: Sequence[Sequence[int]], cap: int) -> Walk | None:
    """Walk to the full radius, `cap` at most; None if the applicant is treated unfairly, or undecided."""
    found = search(network, query, table, max_radius_squared=cap, max_regions=MAX_REGIONS)
    if isinstance(found, Counterexample):
        return None
    if found.needed is None:
        raise BenchError(f"more than {MAX_REGIONS} regions lie within the radius")
    return Walk(found.radius_squared, found.needed, sum(_traversals(network, query, row, cap) for row in table))


def _traversals(network: QuantisedNetwork, query: Sequence[int], row: Sequence[int], cap: int) -> int:
    """Count the facets popped on one slice: every facet nearer than its radius once, and the one that ends the walk."""
    found = search(network, query, [row], max_radius_squared=cap, max_regions=MAX_REGIONS)
    start = begin(network, query, [row], max_radius_squared=cap, max_regions=MAX_REGIONS)
    if not isinstance(found, Search) or not isinstance(start, Start):
        raise BenchError("one slice is undecided where all of them are decided")
    regions = found.evidence(found.radius_squared).regions
    # Both regions of a facet are in the set, and its hyperplane is the same from either side.
    sides = sum(
        norm > 0 and value * value < found.radius_squared * norm
        for region in regions
        for _, norm, value in start.hyperplanes(region)[1]
    )
    return sides // 2 + (not found.capped)
