"""Descent to points of other decisions: they are real ones, no nearer than the truth, and mostly next to it."""

from math import sqrt

import numpy as np
import pytest

from equiproof.certify.traversal.descent import flips
from equiproof.certify.traversal.exact import Boundary, exact_search
from equiproof.certify.traversal.search import Counterexample, begin
from tests.certify import oracle
from tests.certify.tiny import larger, tiny
from tests.sampling import blocks

CAP = 1 << 20


def started(case):
    """Return where searches of a case begin, None for an unfair one."""
    begun = begin(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=8)
    return None if isinstance(begun, Counterexample) else begun


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(150, 5), ids=str)
def test_points_are_decided_otherwise_and_not_nearer_than_the_truth(seeds):
    """On tiny networks the margin is lost at every point, none is nearer than eps*, and most nearest ones are at it."""
    met = fair = 0
    for seed in seeds:
        case = tiny(seed, columns=(1, 2, 3))
        start = started(case)
        if start is None:
            continue
        fair += 1
        truth = oracle.nearest_flip(case, start.label)
        found = flips(start, CAP)
        for squared, number, way in found:
            assert squared == pytest.approx(float(way @ way))
            assert truth is not None
            assert squared >= float(truth[0]) * (1 - 1e-9)
            point = [float(q + w) for q, w in zip(case.query, way, strict=True)]
            row = [float(v) for v in case.table[number]]
            margins = oracle.true_margins(case, point, row, start.label)
            assert min(margins) <= 1e-6
        known = truth is not None and truth[0] < CAP
        met += bool(found and known and sqrt(found[0][0]) <= 1.1 * sqrt(truth[0]) + 0.1) or not known
    assert met > fair * 0.8


def test_nearest_come_first_and_again():
    """Points are sorted by distance, stay below the cap, and are the same for the same query."""
    start = started(larger(3, 10, (12, 6)))
    first, again = flips(start, CAP << 8), flips(start, CAP << 8)
    assert [entry[0] for entry in first] == sorted(entry[0] for entry in first)
    assert all(np.array_equal(a[2], b[2]) for a, b in zip(first, again, strict=True))
    assert flips(start, first[0][0] / 2) == []


def test_what_it_finds_brings_the_boundary_nearer():
    """On networks of real widths the facet behind the nearest point is mostly the nearest of all."""
    nearest = count = 0
    for seed in range(5):
        case = larger(seed, 8, (6, 4))
        start = started(case)
        if start is None:
            continue
        exact = exact_search(case.network, case.query, case.table, max_radius_squared=CAP << 8, max_regions=10**5)
        found = flips(start, CAP << 8)
        if exact.upper is None or not found:
            continue
        count += 1
        assert found[0][0] >= float(exact.upper) * (1 - 1e-9)
        nearest += sqrt(found[0][0]) <= 1.01 * sqrt(exact.upper)
        boundary = Boundary(start, CAP << 8)
        assert boundary.found.upper is None or boundary.found.upper >= exact.upper
    assert count > 2
    assert nearest >= count - 1
