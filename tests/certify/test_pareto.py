"""What a capacity gives an applicant, by either scheme."""

import random

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch import BranchSearch, branch_search, network_parameters
from equiproof.certify.errors import SearchBudgetError
from equiproof.certify.pareto import ParetoFront, pareto_front, score_pareto_front
from equiproof.certify.traversal.search import Counterexample, search
from equiproof.certify.trees.scored import Room, evidence_in, rows_of, search_under
from tests.additive_small import additive
from tests.certify.hand_made import by_income, by_sex
from tests.ensemble_small import ensemble
from tests.support import LOANS, applicant, network

CAPACITIES = (4, 8, 16)
CAP = LOANS.max_radius_squared


@pytest.fixture(scope="module")
def model():
    """A network whose fair points need many regions."""
    return network(LOANS, (8, 4), seed=4, sensitivity=0.5)


@pytest.fixture(scope="module")
def queries():
    """Fifteen random applicants."""
    rng = random.Random(1)
    return [LOANS.encode(applicant(LOANS, rng)) for _ in range(15)]


def fronts(model, queries, scheme, **options):
    """Return the fronts of the fair among the queries."""
    found = [(query, pareto_front(model, LOANS, query, scheme, CAPACITIES, **options)) for query in queries]
    return [(query, one) for query, one in found if isinstance(one, ParetoFront)]


def test_a_capacity_of_the_walk_gives_what_its_search_says(model, queries):
    """Scheme traversal: radius and regions of each capacity are those of one search, the upper bound is above them."""
    judged = fronts(model, queries, "traversal")
    assert judged
    for query, found in judged:
        alone = search(model, query, LOANS.domain_table, max_radius_squared=CAP, max_regions=16)
        assert [point.radius_squared for point in found.points] == [alone.radius_for(k) for k in CAPACITIES]
        assert all(point.size == alone.regions_for(point.radius_squared) for point in found.points)
        assert (found.complete, found.needed) == (alone.complete, alone.needed)
        assert found.upper is None or found.points[-1].radius_squared <= found.upper


def test_a_capacity_of_the_tree_gives_no_less_than_its_search(model, queries):
    """Scheme branch: evidence fits each capacity, the radius never falls, and reaches that of a search for it alone."""
    limits = {"max_radius_squared": CAP, "parameters": network_parameters(LOANS, model.hidden)}
    judged, grown = fronts(model, queries, "branch"), 0
    assert judged
    for query, found in judged:
        radii = [point.radius_squared for point in found.points]
        assert radii == sorted(radii)
        assert all(point.size <= point.capacity for point in found.points)
        alone = branch_search(model, query, LOANS.domain_table, max_leaves=16, **limits)
        assert isinstance(alone, BranchSearch)
        assert (radii[-1], found.upper, found.complete) == (alone.radius_squared, alone.upper, alone.complete)
        grown += radii[0] < radii[-1]
    assert grown


def test_the_radius_of_a_capacity_in_between_is_that_of_the_one_below(model, queries):
    """A capacity that was not asked for gives what the next smaller one gives; below the first there is none."""
    _, found = fronts(model, queries, "branch")[0]
    assert found.radius_for(9) == found.radius_for(8) == found.points[1].radius_squared
    with pytest.raises(ValueError, match="empty"):
        found.radius_for(3)


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_a_hand_computed_front(scheme):
    """The boundary is 1024 away: the walk proves it, the tree one grid step less, with the least capacity."""
    found = pareto_front(by_income(), LOANS, (1024, 1, 0), scheme, CAPACITIES)
    assert found.upper == 1 << 20
    assert {point.radius_squared for point in found.points} == {(1 << 20) - (scheme == "branch")}
    assert {point.size for point in found.points} == {3 if scheme == "branch" else 2}
    share = found.share(found.points[0])
    assert share == 1.0 if scheme == "traversal" else 0.999999 < share < 1.0


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_a_counterexample_has_no_front(scheme):
    """Where sex alone decides, no capacity proves anything."""
    assert isinstance(pareto_front(by_sex(), LOANS, (1024, 1, 0), scheme, CAPACITIES), Counterexample)


def test_time_that_ends_first(model, queries):
    """Without time the walk says so by an exception, and the tree offers what needs no time."""
    hard = next(query for query, found in fronts(model, queries, "traversal") if not found.complete)
    with pytest.raises(SearchBudgetError):
        pareto_front(model, LOANS, hard, "traversal", CAPACITIES, max_seconds=0.0)
    found, full = (pareto_front(model, LOANS, hard, "branch", CAPACITIES, max_seconds=time) for time in (0.0, None))
    assert 0 <= found.points[-1].radius_squared < full.points[-1].radius_squared
    assert not found.complete


@pytest.mark.parametrize("model", [additive(), ensemble()], ids=["additive", "ensemble"])
def test_a_room_gives_what_a_search_within_it_finds(model):
    """Scores: each room has the radius of a search with its limits, never less than that of a smaller room."""
    rng = random.Random(1)
    rows = (None,) if isinstance(model, AdditiveModel) else (9, 21)
    rooms = [Room(slots, live, capacity) for slots in (2, 6) for live in rows for capacity in (1, 4)]
    judged, short = 0, 0
    for query in (LOANS.encode(applicant(LOANS, rng)) for _ in range(12)):
        found = score_pareto_front(model, LOANS, query, rooms)
        if isinstance(found, Counterexample):
            continue
        judged += 1
        alone = search_under(model, LOANS, query, max_leaves=256)
        assert (found.radius_squared, found.slots, found.rows) == (
            alone.radius_squared, len(alone.evidence.slots), rows_of(alone)
        )  # fmt: skip
        radii = {room: found.radius_in(room) for room in rooms}
        for room, radius in radii.items():
            assert radius == evidence_in(alone, room).radius_squared
            assert all(radius >= radii[less] for less in rooms if holds(room, less))
        short += min(radii.values()) < found.radius_squared
    assert judged > 5
    assert short


def holds(room, less):
    """Return whether a room is as large as another one; those of additive models have no rows."""
    return all((a or 0) >= (b or 0) for a, b in zip(room, less, strict=True))


def test_rows_that_hold_not_even_the_query_have_no_point():
    """Splits by sex need rows whatever the radius: a room without them gives nothing, others are as ever."""
    query, rooms = LOANS.encode(applicant(LOANS, random.Random(1))), [Room(6, 1, 4), Room(6, 21, 4)]
    found = score_pareto_front(ensemble(), LOANS, query, rooms)
    assert found.radius_in(rooms[0]) is None
    assert [point.room for point in found.points] == [rooms[1]]
