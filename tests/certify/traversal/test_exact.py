"""The exact search against the true radius on thousands of tiny networks, and its interval on larger ones."""

import random
from fractions import Fraction
from math import floor

import daqp
import numpy as np
import pytest

from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.attack import crossings
from equiproof.certify.traversal.exact import BoundaryPoint, ExactBudgetError, ExactSearch, exact_search
from equiproof.certify.traversal.search import Counterexample, Search, begin, search
from tests.certify import oracle
from tests.certify.tiny import larger, tiny, zero
from tests.certify.traversal.test_facet import liar
from tests.certify.traversal.test_search import STEP
from tests.sampling import blocks

CAP = 1 << 20
FAR = 1 << 28
FEW = 600
MANY = 50 * FEW


def run(case, **limits):
    limits = {"max_radius_squared": CAP, "max_regions": 1 << 12, **limits}
    return exact_search(case.network, case.query, case.table, **limits)


def check_boundary_point(case, found):
    """Hold the witness at its distance, on the boundary of the decision: the network is run forward in rationals."""
    point = found.boundary_point.point
    assert sum((p - q) ** 2 for p, q in zip(point, case.query, strict=True)) == found.upper
    assert min(oracle.true_margins(case, point, case.table[found.boundary_point.slice], found.label)) == 0


def judge(case):
    """Hold one case against enumeration and the projection search; return both radii squared where a flip exists."""
    found = run(case)
    near = search(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=1 << 12)
    if isinstance(found, Counterexample):
        assert found == near
        return None
    assert isinstance(near, Search)
    assert (found.label, found.complete) == (near.label, True)
    assert near.radius_squared <= found.radius_squared
    truth = oracle.nearest_flip(case, found.label)
    if truth is None:
        assert (found.lower, found.upper, found.boundary_point, found.capped) == (CAP, None, None, True)
        return None
    assert found.lower == found.upper == truth[0]
    assert found.radius_squared == floor(truth[0])
    assert not found.capped
    check_boundary_point(case, found)
    return near.radius_squared, found.radius_squared


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(FEW, 4), ids=str)
def test_the_radius_is_that_of_enumeration(seeds):
    """On tiny networks eps*^2 is the true one, its witness is real and the projection stays below."""
    outcomes = [pair for pair in (judge(tiny(seed)) for seed in seeds) if pair is not None]
    assert len(outcomes) > len(seeds) // 5
    assert sum(near < exact for near, exact in outcomes) > len(outcomes) // 5


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(MANY, 10), ids=str)
def test_the_radius_is_that_of_enumeration_on_many_more(seeds):
    """The same law on fifty times as many networks, with up to three non-sensitive columns."""
    for seed in seeds:
        judge(tiny(10**6 + seed, columns=(1, 2, 3)))


@pytest.mark.slow
def test_the_projection_radius_is_never_larger_on_larger_networks():
    """On networks like those of the data sets the projection search certifies no more than the exact one."""
    seen = 0
    for seed in range(12):
        case = larger(seed, 8, (6, 4), logits=1 + seed % 3)
        found = run(case, max_radius_squared=FAR)
        if isinstance(found, ExactSearch) and found.complete:
            near = search(case.network, case.query, case.table, max_radius_squared=FAR, max_regions=1 << 10)
            assert near.radius_squared <= found.radius_squared
            check_boundary_point(case, found)
            seen += 1
    assert seen > 3


def test_radius_of_a_hand_computed_step():
    """Slice 0 ties at x = 8, twelve away from x = 20."""
    found = exact_search(STEP, (20,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    assert (found.label, found.lower, found.upper) == (1, 144, 144)
    assert found.boundary_point == BoundaryPoint(0, (Fraction(8),))
    assert found.complete
    assert not found.capped


def test_a_hyperplane_without_a_facet_does_not_count():
    """The projection search stops at a hyperplane that the region does not reach; the exact one goes on to the flip.

    h1 = relu(x), h2 = relu(x - 10); logit = x + 8 - 2 (x - 10) for x >= 10, x + 8 before: it vanishes at x = 28.
    Seen from x = 2 the hyperplane x = -8 of the region 0 <= x <= 10 is ten away, beyond its facet; the flip is 26 away.
    """
    network = QuantisedNetwork((Layer(((1, 0), (1, 0)), (0, -10)), Layer(((1, -2),), (8,))), 1, (0, 0))
    found = exact_search(network, (2,), ((0,), (1,)), max_radius_squared=CAP, max_regions=99)
    near = search(network, (2,), ((0,), (1,)), max_radius_squared=CAP, max_regions=99)
    assert (found.lower, found.upper, near.radius_squared) == (26**2, 26**2, 10**2)


def test_a_query_without_a_common_strict_label_is_a_counterexample():
    """A flip between slices and a tie are the results of the projection search, to the letter."""
    flip = QuantisedNetwork((Layer(((1, 1),), (0,)), Layer(((1,),), (-5,))), 1, (0, 0))
    for network, query, table in ((flip, (3,), ((1,), (4,))), (STEP, (8,), ((0,), (1,))), (zero(), (1,), ((0,), (1,)))):
        limits = {"max_radius_squared": CAP, "max_regions": 9}
        found = exact_search(network, query, table, **limits)
        assert isinstance(found, Counterexample)
        assert found == search(network, query, table, **limits)


def test_no_radius_passes_the_cap():
    """Where no flip is nearer than the cap, the cap is the radius, marked as such and without a witness."""
    for cap in (0, 100, 143, 144, 145):
        found = exact_search(STEP, (20,), ((0,), (1,)), max_radius_squared=cap, max_regions=9)
        assert found.lower == min(cap, 144)
        assert found.complete
        assert found.capped == (cap <= 144) == (found.upper is None) == (found.boundary_point is None)


def test_the_interval_only_closes():
    """After every region the lower end has not fallen, the upper end not risen, and the truth lies between."""
    for seed in range(8):
        case = larger(seed, 8, (6, 4))
        steps = []
        found = run(case, progress=steps.append)
        if isinstance(found, Counterexample):
            continue
        for before, after in zip(steps, [*steps[1:], found], strict=True):
            assert before.lower <= after.lower <= found.lower
            assert before.upper is None or before.upper >= after.upper >= found.upper
            assert before.regions <= after.regions


def test_a_budget_of_regions_ends_with_an_interval():
    """With room for fewer regions the interval holds the exact radius, and grows into it with more room."""
    seen = 0
    for seed in range(8):
        case = larger(seed, 8, (6, 4))
        full = run(case)
        if isinstance(full, Counterexample):
            continue
        lowers = []
        for room in (2, 3, 5, 8, 13, 21, 34, 1 << 12):
            part = run(case, max_regions=room)
            assert part.regions <= room
            assert part.complete == (part.regions == full.regions)
            assert part.lower <= full.lower
            assert part.upper is None or part.upper >= full.lower
            lowers.append(part.lower)
            seen += not part.complete
        assert lowers == sorted(lowers)
        assert lowers[-1] == full.lower
    assert seen > 8
    with pytest.raises(CapacityError):
        run(case, max_regions=1)


def test_a_budget_of_time_that_ends_first_carries_the_interval():
    """The error is a budget error like that of the projection search, with the interval that was certain."""
    case = larger(4, 8, (6, 4))
    full = run(case, max_radius_squared=FAR)
    with pytest.raises(SearchBudgetError, match="0 seconds") as caught:
        run(case, max_radius_squared=FAR, max_seconds=0)
    assert isinstance(caught.value, ExactBudgetError)
    found = caught.value.search
    assert not found.complete
    assert found.lower < full.lower <= found.upper
    assert caught.value.radius_squared == found.radius_squared == floor(found.lower)
    check_boundary_point(case, found)


@pytest.mark.parametrize("kind", ["lying", "infinite", "failing"])
def test_no_word_of_the_solver_is_believed(monkeypatch, kind):
    """With a solver that lies, diverges or fails, radius and witness stay exact: it can cost regions only."""
    monkeypatch.setattr(daqp, "solve", liar(random.Random(8), kind))
    for seed in range(FEW // 10):
        judge(tiny(seed))


def test_guessed_crossings_are_regions_of_their_slice():
    """The guesses to begin with name a slice and a pattern of the network, whatever the network."""
    for seed in range(200):
        case = tiny(seed)
        begun = begin(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=64)
        if isinstance(begun, Counterexample):
            continue
        for region in crossings(begun):
            assert 0 <= region.slice < len(case.table)
            assert 0 <= region.pattern < 1 << case.network.neurons


def test_numbers_are_integers_of_any_size():
    """Fixed-width integers are taken over as plain ones; floats and wrong lengths are refused."""
    case = larger(4, 8, (6, 4))
    limits = {"max_radius_squared": CAP, "max_regions": 1 << 12}
    narrow = np.array(case.query, dtype=np.int32)
    assert exact_search(case.network, narrow, np.array(case.table), **limits) == run(case)
    with pytest.raises(TypeError):
        exact_search(case.network, [float(v) for v in case.query], case.table, **limits)
    with pytest.raises(ValueError, match="inputs, not"):
        exact_search(case.network, case.query[1:], case.table, **limits)
    with pytest.raises(ValueError, match="at least 0"):
        run(case, max_radius_squared=-1)
