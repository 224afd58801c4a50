"""One applicant searched: what is known of the exact radius, and when that is enough."""

import math
import random

import pytest

from bench.branch.points import Known, Task, branched, radii, reference, walked_exactly, with_quartiles
from bench.harness import BenchError
from equiproof.certify.traversal.exact import exact_search
from tests.support import LOANS, applicant, network

pytestmark = pytest.mark.slow

NETWORK = network(LOANS, (5, 4), 3)


def tasks(count=12, capacity=4, seconds=20.0):
    """Return tasks of random applicants."""
    rng = random.Random(1)
    return [Task(NETWORK, LOANS, LOANS.encode(applicant(LOANS, rng)), capacity, seconds) for _ in range(count)]


def exactly(task):
    """Return the largest squared radius, None for an unfair applicant."""
    cap = LOANS.max_radius_squared
    found = exact_search(task.network, task.query, LOANS.domain_table, max_radius_squared=cap, max_regions=1 << 20)
    return found.radius_squared if hasattr(found, "radius_squared") else None


def test_what_searches_know_holds_the_exact_radius():
    """The largest R2 is between what is proven and what is not ruled out, for either search and both together."""
    seen = 0
    for task in tasks():
        found, exact, wanted = branched(task), walked_exactly(task), exactly(task)
        assert (found is None) == (exact is None) == (wanted is None)
        if found is None:
            continue
        assert found.known.least == found.radius_squared <= wanted <= found.known.most
        assert exact[0] == Known(wanted, wanted)
        assert found.leaves <= 4
        assert found.known.both(exact[0]) == exact[0]
        seen += 1
    assert seen > 5


def test_the_reference_goes_on_where_a_first_search_stopped():
    """With few leaves a search may stay below; the reference then finds the exact radius, and takes time only then."""
    further = 0
    for task in tasks(20, capacity=3):
        found = branched(task)
        if found is None:
            continue
        known, seconds = reference(task, found)
        assert known.exact
        assert known.reached(exactly(task))
        assert (seconds > 0) == (not found.known.exact)
        further += not known.reached(found.radius_squared)
    assert further > 0


def test_a_search_without_time_knows_what_is_certain_by_then():
    """Where the budget ends first, exact GeoCert returns an interval that holds the radius."""
    for task in tasks(seconds=1e-9):
        exact, wanted = walked_exactly(task), exactly(task)
        if exact is not None:
            assert exact[0].least <= wanted <= exact[0].most


def test_reached_is_one_unit_short_at_most():
    """R2 counts as reached where no more than one unit above is open, and as known likewise."""
    known = Known(7, 10)
    assert not known.exact
    assert [known.reached(squared) for squared in (8, 9, 10)] == [False, True, True]
    assert known.both(Known(9, 12)) == Known(9, 10)
    assert Known(9, 10).exact


def test_searches_that_contradict_each_other_are_an_error():
    """What one search proves another cannot rule out."""
    with pytest.raises(BenchError, match="proves the squared radius 5, another rules out 5"):
        Known(5, 9).both(Known(0, 4))


def test_radii_are_in_units_of_the_spec():
    """A squared radius of grid units squared becomes a radius in the spec's units."""
    unit = LOANS.scale_unit
    assert radii(LOANS, [0, unit**2, 2 * unit**2]) == [0.0, 1.0, round(math.sqrt(2), 4)]


def test_a_spread_is_written_with_its_ends():
    """Median, quartiles and the largest; a dash for nothing."""
    assert with_quartiles({"x": 2.0, "x_q1": 1.0, "x_q3": 3.0, "x_max": 9.0}, "x", 1) == "2.0 (1.0 to 3.0, 9.0)"
    assert with_quartiles({"x": None}, "x", 1) == "-"
