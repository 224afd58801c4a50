"""A sample of searches, read by capacity."""

import random
from itertools import pairwise
from statistics import median_low

import pytest

from equiproof.certify.capacity import capacities, sample_searches
from equiproof.certify.errors import CapacityError
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.schemes import counted
from equiproof.circuits.shape import least_capacity
from tests.support import AGE, LOANS, applicant, changed, network

LIMITS = {"scheme": "traversal", "largest": 256, "max_seconds": 60.0}


@pytest.fixture(scope="module")
def queries():
    """Forty random applicants."""
    rng = random.Random(1)
    return [LOANS.encode(applicant(LOANS, rng)) for _ in range(40)]


@pytest.fixture(scope="module")
def model():
    """A network with some unfair points."""
    return network(LOANS, (4, 2), seed=4, sensitivity=2.0)


def searches(model, queries):
    """Search each query alone."""
    limits = {"max_radius_squared": LOANS.max_radius_squared, "max_regions": 256}
    return [search(model, query, LOANS.domain_table, **limits) for query in queries]


def test_a_sample_is_its_searches(model, queries):
    """Each point is counted once, and the searches of the fair ones are those of the points alone."""
    sample, alone = sample_searches(model, LOANS, queries, **LIMITS), searches(model, queries)
    flips = sum(isinstance(found, Counterexample) and found.kind == "flip" for found in alone)
    assert flips > 0
    assert (sample.unfair, sample.undecided, sample.unfinished) == (flips, 0, 0)
    assert sample.fair == tuple(found for found in alone if not isinstance(found, Counterexample))


def test_shares_and_medians_are_read_from_the_searches(model, queries):
    """At each capacity, full radii are counted, and the median radius is that of what fits."""
    sample = sample_searches(model, LOANS, queries, **LIMITS)
    needed = sorted(found.needed for found in sample.fair)
    assert list(sample.needed) == needed
    assert needed[0] < needed[-1]
    for capacity in (2, 8, 32, 256):
        assert sample.full(capacity) == sum(count <= capacity for count in needed)
        radii = [found.radius_for(capacity) for found in sample.fair]
        assert sample.median_radius_squared(capacity) == median_low(radii)
    assert sample.full(needed[-1]) == len(sample.fair)


def test_points_beyond_the_regions_are_fair_and_not_full(model, queries):
    """A search that ends at its largest number of regions keeps its radius and counts at no capacity as full."""
    short = sample_searches(model, LOANS, queries, scheme="traversal", largest=4, max_seconds=60.0)
    whole = sample_searches(model, LOANS, queries, **LIMITS)
    assert len(short.fair) == len(whole.fair)
    assert len(short.needed) < len(whole.needed)
    assert short.full(4) <= whole.full(4)
    assert short.median_radius_squared(4) == whole.median_radius_squared(4)


def test_a_point_without_time_is_unfinished(model, queries):
    """A budget of no time ends every search that is not at its end at once, and is no verdict."""
    sample = sample_searches(model, LOANS, queries, scheme="traversal", largest=256, max_seconds=0.0)
    assert sample.unfinished > 0
    assert sample.unfinished + sample.unfair + len(sample.fair) == len(queries)


def test_progress_counts_every_point(model, queries):
    """Progress is reported after each point, the last time with all of them."""
    reports = []
    sample_searches(model, LOANS, queries[:5], **LIMITS, progress=lambda *counts: reports.append(counts))
    assert reports == [(number, 5) for number in range(1, 6)]


def test_no_point_is_no_median(model):
    """An empty sample has no median radius."""
    sample = sample_searches(model, LOANS, [], **LIMITS)
    assert (sample.median_radius_squared(8), sample.needed, sample.full(8)) == (None, (), 0)


@pytest.mark.parametrize(("scheme", "largest"), [("traversal", 1), ("branch", 3)])
def test_no_room_for_the_slices_is_refused(model, queries, scheme, largest):
    """Fewer regions than slices, or leaves than slices and a split in a power of two, can be searched by nobody."""
    with pytest.raises(CapacityError, match=counted(scheme)):
        sample_searches(model, LOANS, queries, scheme=scheme, largest=largest, max_seconds=1.0)


@pytest.mark.parametrize("slices", range(2, 70))
def test_capacities_begin_where_keys_do(slices):
    """The first capacity is the least that a shape of the scheme may have, and the last the largest asked for."""
    spec = changed(LOANS, features=(*LOANS.features[:2], changed(AGE, domain=tuple(map(str, range(slices))))))
    for scheme in ("traversal", "branch"):
        found = capacities(scheme, spec, 256)
        assert (found[0], found[-1]) == (least_capacity(scheme, slices), 256)
        assert all(b == 2 * a for a, b in pairwise(found))


def test_a_sample_of_scheme_branch_is_what_its_capacities_give(model, queries):
    """Radii grow with the capacity, never pass that of all leaves, and the leaves that are needed are counted."""
    sample = sample_searches(model, LOANS, queries[:12], scheme="branch", largest=16, max_seconds=60.0)
    alone = searches(model, queries[:12])
    assert len(sample.fair) == sum(isinstance(found, Search) for found in alone)
    medians = [sample.median_radius_squared(capacity) for capacity in (4, 8, 16)]
    assert medians == sorted(medians)
    walked = sample_searches(model, LOANS, queries[:12], **LIMITS)
    # The walk's radius is a lower bound; where eps*^2 is an integer, rounding takes one from the tree's.
    assert medians[-1] >= walked.median_radius_squared(256) - 1
    assert sample.full(16) == len(sample.needed) > 0
