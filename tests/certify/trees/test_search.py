"""The exact radius of additive models, against all cells of tiny ones and points of larger ones."""

import pickle
import random

import pytest

from equiproof.certify.errors import CapacityError
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.evidence_check import check
from equiproof.certify.trees.scale import scale_of
from equiproof.certify.trees.search import additive_search
from tests.certify.trees.tiny import CAP, nearest_wrong, scorecard, tiny


def searched(case, *, max_leaves=10_000, cap=CAP, **options):
    """Search around a case."""
    return additive_search(
        case.model, case.query, case.table, max_radius_squared=cap, max_leaves=max_leaves, box=case.box, **options
    )


def checked(case, evidence):
    """Check evidence of a case in plaintext."""
    check(evidence, scale_of(case.model), case.model, case.query, case.table, case.box)


@pytest.mark.parametrize("part", range(5))
def test_the_radius_is_that_of_all_cells(part):
    """On thousands of tiny models the radius is the distance of the nearest wrong cell, and evidence proves it."""
    zero = capped = 0
    for seed in range(600 * part, 600 * (part + 1)):
        case = tiny(seed)
        found = searched(case)
        if isinstance(found, Counterexample):
            continue
        wanted = nearest_wrong(case, found.label)
        assert found.complete
        assert found.radius_squared == wanted
        assert found.capped == (found.upper is None) == (wanted == CAP)
        checked(case, found.evidence)
        zero, capped = zero + (wanted == 0), capped + found.capped
    assert zero
    assert capped


def test_unfair_and_tied_queries_are_counterexamples():
    """A query has a counterexample exactly where its slices are not all decided alike and strictly."""
    kinds = set()
    for seed in range(1000):
        case = tiny(seed)
        labels = [case.model.decide((*case.query, *row)) for row in case.table]
        found = searched(case)
        assert isinstance(found, Counterexample) == (None in labels or len(set(labels)) > 1)
        if isinstance(found, Counterexample):
            kinds.add(found.kind)
            assert found.labels == tuple(labels[number] for number in found.slices)
    assert kinds == {"flip", "tie"}


def test_the_point_across_is_decided_otherwise_and_the_boundary_is_as_far_as_said():
    """The grid point across lies in the ranges, one step from the boundary point, whose distance is the upper end."""
    met = 0
    for seed in range(500):
        case = tiny(seed)
        found = searched(case)
        if isinstance(found, Counterexample) or found.capped:
            continue
        met += 1
        flip, near = found.flip, found.boundary_point
        assert case.model.decide((*flip.point, *case.table[flip.slice])) == flip.label != found.label
        assert sum((a - b) ** 2 for a, b in zip(near.point, case.query, strict=True)) == found.upper
        assert all(step in (0, 1) for step in (a - b for a, b in zip(flip.point, near.point, strict=True)))
        if case.box is not None:
            assert all(a <= x <= b for a, x, b in zip(case.box[0], flip.point, case.box[1], strict=True))
    assert met > 100


@pytest.mark.parametrize("seed", range(4))
def test_points_in_the_ball_of_a_scorecard_are_decided_alike(seed):
    """Of 10,000 random grid points in the open ball of a large model, on any slice, none is decided otherwise."""
    case = scorecard(seed)
    found = searched(case, cap=1 << 28)
    assert found.complete
    assert found.needed_slots == len(found.evidence.slots) > 3
    rng, reach = random.Random(seed), found.radius_squared**0.5
    for _ in range(10_000):
        way = [rng.gauss(0, 1) for _ in case.query]
        length = sum(step * step for step in way) ** 0.5
        far = reach * rng.random() ** 0.1
        point = [x + int(far * step / length) for x, step in zip(case.query, way, strict=True)]
        assert sum((a - b) ** 2 for a, b in zip(point, case.query, strict=True)) < found.radius_squared
        assert all(case.model.decide((*point, *row)) == found.label for row in case.table)


def test_fewer_leaves_and_slots_prove_a_smaller_radius():
    """Evidence within capacities has no more leaves and slots than these, is valid, and says what kept it smaller."""
    case = scorecard(3)
    whole = searched(case, cap=1 << 28)
    assert whole.leaves > 4
    radii = []
    for capacity in (1, 2, 4, whole.leaves):
        evidence = whole.evidence_within(capacity)
        checked(case, evidence)
        assert evidence.size <= capacity
        radii.append(evidence.radius_squared)
    assert radii == sorted(radii)
    assert radii[-1] == whole.radius_squared > radii[0] > 0
    small = searched(case, cap=1 << 28, max_leaves=2)
    assert (small.complete, small.ended, small.needed_leaves) == (False, "leaves", None)
    assert small.upper == whole.upper
    few = searched(case, cap=1 << 28, max_slots=2)
    assert (few.complete, few.ended, len(few.evidence.slots)) == (False, "slots", 2)
    assert few.needed_slots == whole.needed_slots > 2


def test_a_search_without_time_is_certain_of_the_query():
    """With no seconds at all the radius is 0, with evidence of one leaf."""
    found = searched(scorecard(1), cap=1 << 28, max_seconds=0.0)
    assert (found.radius_squared, found.leaves, found.complete, found.ended) == (0, 1, False, "seconds")


def test_a_search_reports_progress_and_pickles():
    """Progress has leaves and radius of each evidence; after pickling, a search fits other capacities all the same."""
    seen = []
    found = searched(scorecard(2), cap=1 << 28, progress=lambda *step: seen.append(step))
    assert seen[-1] == (found.leaves, found.radius_squared)
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own bytes
    assert again == found
    assert again.evidence_within(2) == found.evidence_within(2)


def test_what_does_not_fit_is_refused():
    """Lengths, a negative radius, floats, a query outside its ranges, and no leaf at all."""
    case = tiny(0, ranges=False)
    model, query, table = case.model, case.query, case.table
    arguments = {"max_radius_squared": CAP, "max_leaves": 4}
    for wrong in ((*query, 0), ()):
        with pytest.raises(ValueError, match="lengths"):
            additive_search(model, wrong, table, **arguments)
    with pytest.raises(ValueError, match="at least 0"):
        additive_search(model, query, table, max_radius_squared=-1, max_leaves=4)
    with pytest.raises(TypeError):
        additive_search(model, [0.5] * len(query), table, **arguments)
    outside = tuple(x + 1 for x in query), tuple(x + 2 for x in query)
    with pytest.raises(ValueError, match="outside the ranges"):
        additive_search(model, query, table, box=outside, **arguments)
    fair = next(case for case in map(tiny, range(100)) if not isinstance(searched(case), Counterexample))
    with pytest.raises(CapacityError):
        searched(fair, max_leaves=0)
