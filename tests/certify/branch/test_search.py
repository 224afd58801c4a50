"""The search of branch and bound: what it returns for a capacity and a budget, and what it refuses."""

import pickle
from dataclasses import replace
from math import floor

import pytest

from equiproof.certify.branch import BranchSearch, PrecisionError, check, radius_search
from equiproof.certify.branch.making import slice_bounds
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.errors import CapacityError
from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.traversal.search import search as walk
from tests.certify.branch.cases import CAP, parameters_of, run, searched, verdict, wide
from tests.certify.tiny import larger, tiny, zero


def searches(count=40):
    """Yield cases with their searches, unfair ones left out."""
    for seed in range(count):
        case, search = searched(seed)
        if isinstance(search, BranchSearch):
            yield case, search


def test_a_smaller_capacity_gives_a_smaller_radius():
    """Evidence within a capacity has at most so many leaves, passes the checker, and grows with the capacity."""
    smaller = 0
    for case, search in searches():
        before = -1
        for capacity in range(len(case.table) + 1, search.leaves + 1):
            evidence = search.evidence_within(capacity)
            assert len(evidence.leaves) <= capacity
            assert verdict(check, evidence, parameters_of(case), case) is None
            assert evidence.radius_squared >= before * 0.98 - 2
            before = evidence.radius_squared
            smaller += evidence.radius_squared < search.radius_squared
        assert search.evidence_within(search.leaves) == search.evidence
    assert smaller > 10


def test_a_result_crosses_processes():
    """A pickled search is equal to the first, and still finds evidence for a smaller capacity."""
    smaller = 0
    for case, search in searches():
        again = pickle.loads(pickle.dumps(search))  # noqa: S301  # our own bytes
        assert again == search
        if search.leaves > len(case.table) + 1:
            evidence = again.evidence_within(search.leaves - 1)
            assert len(evidence.leaves) < search.leaves
            assert verdict(check, evidence, parameters_of(case), case) is None
            smaller += 1
    assert smaller > 5


def test_the_root_and_one_split_must_fit():
    """With fewer leaves than slices and one more, there is no evidence: the error says how many are needed."""
    case, search = next(searches())
    slices = len(case.table)
    with pytest.raises(CapacityError) as refusal:
        run(case, max_leaves=slices)
    assert (refusal.value.needed, refusal.value.capacity) == (slices + 1, slices)
    with pytest.raises(CapacityError):
        search.evidence_within(slices)


def test_the_radius_is_never_below_the_walks():
    """Branch and bound certifies at least what the walk through polytopes does, without its loss."""
    better = 0
    for case, search in searches():
        other = walk(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=1 << 12)
        assert search.radius_squared >= other.radius_squared - 1
        better += search.radius_squared > other.radius_squared
    assert better > 5


def test_an_unfair_query_gives_the_walks_counterexample():
    """Flips and ties at the query itself are results, the same as the walk's."""
    kinds = set()
    for seed in range(40):
        case, search = searched(seed)
        if isinstance(search, Counterexample):
            kinds.add(search.kind)
            assert search == walk(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=1 << 12)
    assert kinds == {"flip", "tie"}


def test_a_network_that_decides_nothing_is_a_tie():
    """All weights zero: no label, whatever the evidence."""
    case = replace(tiny(0, shapes=((2,),), columns=(1,), logits=(1,)), network=zero())
    case = replace(case, query=(3,), table=((0,), (1,)))
    assert run(case).kind == "tie"


def test_the_cap_ends_the_search():
    """Where no wrong decision is nearer than the cap, the radius is the cap and no upper bound is given."""
    capped = 0
    for case, full in searches(20):
        search = run(case, max_radius_squared=full.radius_squared // 2)
        assert search.radius_squared == full.radius_squared // 2
        assert (search.complete, search.capped) == (True, True)
        assert search.upper is None
        capped += 1
    assert capped > 10


def test_time_ends_the_search_with_what_is_certain():
    """Without time there is still evidence of what needs no split, and the interval up to the nearest known facet."""
    case = larger(1, 12, (8, 4))
    search = run(case, max_radius_squared=1 << 28, max_seconds=0.0)
    assert (search.ended, search.complete) == ("seconds", False)
    assert 0 < search.radius_squared < floor(search.upper)
    assert len(search.evidence.splits) == 1
    assert verdict(check, search.evidence, parameters_of(case), case) is None


def test_progress_tells_the_evidence_as_it_comes():
    """Every call has the leaves and the radius of checked evidence; the last is not below the result's."""
    case, calls = larger(1, 12, (8, 4)), []
    search = run(case, max_radius_squared=1 << 28, max_leaves=6, progress=lambda *call: calls.append(call))
    assert (search.leaves, search.radius_squared) in calls
    assert max(radius for _, radius in calls) == search.radius_squared


def test_more_leaves_than_fit_give_the_largest_radius_that_does():
    """A capacity that is too small ends with "leaves" and an interval; a large one closes it."""
    case = larger(1, 12, (8, 4))
    few = run(case, max_radius_squared=1 << 28, max_leaves=4)
    full = run(case, max_radius_squared=1 << 28, max_leaves=512)
    assert few.ended == "leaves"
    assert 0 < few.radius_squared < full.radius_squared
    assert full.complete
    assert full.radius_squared == floor(full.upper) <= floor(few.upper)


def test_it_finds_what_the_exact_search_finds():
    """On networks of real widths the radius is that of the exact search over all polytopes."""
    count = 0
    for seed in range(8):
        case = larger(seed, 8, (5, 3))
        search = run(case, max_radius_squared=1 << 28, max_leaves=512)
        if isinstance(search, Counterexample):
            continue
        exact = exact_search(case.network, case.query, case.table, max_radius_squared=1 << 28, max_regions=10**5)
        assert exact.complete
        assert search.radius_squared == min(1 << 28, floor(exact.lower))
        count += 1
    assert count > 4


def precise(case):
    """Tell whether a case can be searched at all."""
    try:
        run(case)
    except PrecisionError:
        return False
    return True


@pytest.mark.slow
def test_what_rounding_leaves_nothing_of_is_no_verdict():
    """Few-bit weights in deep networks lose their digits: said in one line; wide ones of the same function do not."""
    lost = [seed for seed in range(40) if not precise(tiny(seed, shapes=((1, 1, 1, 1),)))]
    assert len(lost) > 3
    assert all(precise(wide(seed, shapes=((1, 1, 1, 1),))) for seed in lost)
    with pytest.raises(PrecisionError, match="weights of more bits"):
        run(tiny(lost[0], shapes=((1, 1, 1, 1),)))


def test_relaxed_bounds_hold_on_sampled_points():
    """On every part, the proven share of the margin is not above that of any grid point of the ball in it."""
    tight = 0
    for seed in range(40):
        case = tiny(seed, columns=(1, 2), logits=(1,))
        row = case.table[0]
        label = case.network.decide((*case.query, *row))
        if label is None:
            continue
        reach = 6
        parameters = parameters_of(case)
        made = slice_bounds(parameters, case.network, case.query, row, reach**2)
        relaxation = SliceRelaxation(parameters, case.network, case.query, row, made, reach**2)
        logits = margin_signs(1, label)[0]
        unit = logits[0] * case.network.logits((*case.query, *row))[0]
        neurons = case.network.neurons
        for neuron in (None, *range(neurons)):
            for on in (0, 1):
                signs = tuple(int(i == neuron) for i in range(neurons))
                none = (0,) * neurons
                solution = relaxation.solve(signs if on else none, none if on else signs, logits)
                least = None
                for x in range(-reach, reach + 1):
                    for y in range(-reach, reach + 1) if case.columns == 2 else (0,):
                        if x * x + y * y > reach**2:
                            continue
                        point = [v + d for v, d in zip(case.query, (x, y), strict=False)]
                        hidden = [z for layer in case.network.pre_activations((*point, *row))[:-1] for z in layer]
                        if neuron is not None and (hidden[neuron] < 0 if on else hidden[neuron] > 0):
                            continue
                        margin = logits[0] * case.network.logits((*point, *row))[0] / unit
                        least = margin if least is None else min(least, margin)
                if least is not None:
                    weight = solution.guess.multiplier
                    assert solution.bound <= weight * least + 1e-6
                    tight += weight == 1 and solution.bound > least - 0.05
    assert tight > 20


def test_deep_networks_get_a_second_search_with_longer_slopes(monkeypatch):
    """Where leaves are too few, slopes that took longer prove more."""
    case = larger(1, 10, (12, 10, 8))
    search = run(case, max_radius_squared=CAP, max_leaves=6)
    assert search.ended == "leaves"
    monkeypatch.setattr(radius_search, "_SHALLOW_DEPTH", 3)
    once = run(case, max_radius_squared=CAP, max_leaves=6)
    assert search.radius_squared > once.radius_squared
    assert verdict(check, search.evidence, parameters_of(case), case) is None
