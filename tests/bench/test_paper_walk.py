"""The walk to the full radius, and how FairProof counts its facets."""

import heapq
import random

from bench.paper.walk import walk
from equiproof.certify.polytope import slices
from equiproof.certify.traversal.search import Counterexample, search
from tests.certify.tiny import tiny
from tests.support import LOANS, applicant, network

CAP = 1 << 16


def popped(quantised, query, row, cap):
    """Count the facets that GeoCert pops on one slice (FairProof, algorithm 3) before the one that ends the walk, too.

    A region that was entered at the radius itself has its decision there: what is popped at that distance is not
    counted, but for the end.
    """
    (here,) = slices(quantised, [row])
    found = search(quantised, query, [row], max_radius_squared=cap, max_regions=1 << 12)
    queue, seen, pushed, count = [], set(), set(), 0

    def enter(pattern, reached):
        seen.add(pattern)
        forms = [(form, pattern ^ (1 << bit)) for bit, form in enumerate(here.hidden_forms(pattern))]
        forms += [(form, None) for form in here.margin_forms(pattern, found.label)]
        for form, across in forms:
            facet = frozenset((pattern, across))
            if form.norm_squared and facet not in pushed:
                pushed.add(facet)
                distance = form.value(query) ** 2 // form.norm_squared
                heapq.heappush(queue, (max(reached, distance), len(pushed), across))

    enter(quantised.pattern((*query, *row)), 0)
    while queue and queue[0][0] < found.radius_squared:
        reached, _, across = heapq.heappop(queue)
        count += 1
        assert across is not None
        if across not in seen:
            enter(across, reached)
    return count + (not found.capped)


def test_traversals_are_the_facets_that_geocert_pops():
    """Facets counted from the finished evidence are those that a queue of facets pops one by one."""
    rng, counts = random.Random(3), []
    for seed in range(40):
        quantised, query = network(LOANS, (3, 2), seed), LOANS.encode(applicant(LOANS, rng))
        table, cap = LOANS.domain_table, LOANS.max_radius_squared
        if (found := walk(quantised, query, table, cap)) is not None:
            assert found.traversals == sum(popped(quantised, query, row, cap) for row in table)
            counts.append(found.traversals)
    assert len(counts) > 20
    assert max(counts) > 8


def test_the_walk_is_the_search_to_its_end():
    """Radius and patterns are those of the product's own search; whom it finds unfair has no walk."""
    kinds = set()
    for seed in range(60):
        case = tiny(seed)
        found = walk(case.network, case.query, case.table, CAP)
        expected = search(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=1 << 12)
        kinds.add(type(expected))
        if isinstance(expected, Counterexample):
            assert found is None
        else:
            assert (found.radius_squared, found.patterns) == (expected.radius_squared, expected.needed)
    assert len(kinds) == 2
