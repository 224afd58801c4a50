import numpy as np
import pytest

from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.polytope import slices
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, Search, search
from tests.certify.tiny import larger, tiny, zero

CAP = 1 << 16


def run(case, **limits):
    limits = {"max_radius_squared": CAP, "max_regions": 1 << 12, **limits}
    return search(case.network, case.query, case.table, **limits)


def searches(seeds):
    """Return (case, search) for the tiny cases that have a label."""
    found = [(case, run(case)) for case in map(tiny, seeds)]
    return [(case, result) for case, result in found if isinstance(result, Search)]


def closure(case, radius_squared):
    """Return the set of regions that the relation demands, by fixpoint over explicit forms."""
    sliced = slices(case.network, case.table)
    ahead = [Region(i, case.network.pattern((*case.query, *row))) for i, row in enumerate(case.table)]
    members = set(ahead)
    while ahead:
        region = ahead.pop()
        for neuron, form in enumerate(sliced[region.slice].hidden_forms(region.pattern)):
            nearer = form.value(case.query) ** 2 < radius_squared * form.norm_squared
            if nearer and region.across(neuron) not in members:
                members.add(region.across(neuron))
                ahead.append(region.across(neuron))
    return members


def far(case, members, label, radius_squared):
    """Tell whether every decision hyperplane of a set of regions is no nearer than a radius."""
    sliced = slices(case.network, case.table)
    return all(
        form.value(case.query) ** 2 >= radius_squared * form.norm_squared
        for region in members
        for form in sliced[region.slice].margin_forms(region.pattern, label)
    )


# One neuron h = x - 3 + s on each slice s = 0, 1; logit 2 h - 10. At x = 20 the slices' logits are 24 and 26.
STEP = QuantisedNetwork((Layer(((1, 1),), (-3,)), Layer(((2,),), (-10,))), 1, (0, 0))


def test_radius_of_a_hand_computed_step():
    """Slice 0 ties at x = 8, twelve away from x = 20, and no facet is nearer: the squared radius is 144."""
    found = search(STEP, (20,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    assert found == Search(1, 144, True, False, 2, (Region(0, 1), Region(1, 1)), (-1, -1))
    assert found.needed == 2
    assert found.capacities() == ((2, 144),)


def test_label_0_is_certified_like_label_1():
    """Where the neuron is off everywhere near, label 0 is certified up to the decision hyperplane beyond its facet."""
    found = search(STEP, (-5,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    # Slice 1: the facet x = 2 is 7 away, the decision hyperplane x = 7 twelve.
    assert isinstance(found, Search)
    assert (found.label, found.radius_squared) == (0, 144)
    assert found.regions == (Region(0, 0), Region(1, 0), Region(1, 1), Region(0, 1))
    assert found.thresholds == (-1, -1, 49, 64)
    assert found.capacities() == ((2, 49), (4, 144))


def test_slices_that_decide_differently_are_a_flip():
    """A query whose slices have different labels gets the two slices, not evidence."""
    network = QuantisedNetwork((Layer(((1, 1),), (0,)), Layer(((1,),), (-5,))), 1, (0, 0))
    found = search(network, (3,), ((1,), (2,), (4,)), max_radius_squared=CAP, max_regions=9)
    assert found == Counterexample("flip", (0, 2), (0, 1), ((-1,), (2,)))


def test_a_centre_that_ties_is_a_counterexample_of_its_own():
    """A logit of exactly 0 is no decision, whatever the other slices say."""
    found = search(STEP, (8,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    assert found == Counterexample("tie", (0,), (None,), ((0,),))


@pytest.mark.parametrize("logits", [1, 2, 3])
def test_an_all_zero_network_certifies_nothing(logits):
    """With all weights zero every class ties everywhere: there is no evidence for any label."""
    found = search(zero(logits=logits), (1,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    assert isinstance(found, Counterexample)
    assert found.kind == "tie"


def test_every_radius_has_exactly_the_closure_as_its_regions():
    """For every integer radius the evidence is the least set that the relation allows, and no larger radius holds."""
    for case, found in searches(range(400)):
        top = found.radius_squared
        for radius in {0, min(top, 1), top // 3, top // 2, max(top - 1, 0), top}:
            evidence = found.evidence(radius)
            assert set(evidence.regions) == closure(case, radius)
            assert len(set(evidence.regions)) == len(evidence.regions) == found.regions_for(radius)
            assert far(case, evidence.regions, found.label, radius)
        assert top == CAP or not far(case, closure(case, top + 1), found.label, top + 1)
        assert found.capped == (top == CAP)


def test_radius_grows_with_capacity_and_evidence_fits():
    """A larger capacity never certifies less, its evidence fits, and one step more would not."""
    for case, found in searches(range(400)):
        radii = [found.radius_for(capacity) for capacity in range(len(case.table), len(found.regions) + 3)]
        assert radii == sorted(radii)
        assert radii[-1] == found.radius_squared
        for capacity, radius in enumerate(radii, start=len(case.table)):
            evidence = found.evidence_within(capacity)
            assert len(evidence.regions) <= capacity
            assert evidence.radius_squared == radius
            assert radius == found.radius_squared or found.regions_for(radius + 1) > capacity
        assert found.radius_for(found.needed) == found.radius_squared
        assert [radius for _, radius in found.capacities()] == [found.radius_for(k) for k, _ in found.capacities()]
        assert found.capacities()[-1][1] == found.radius_squared


def test_as_many_regions_as_the_capacity_decide_its_radius():
    """A search that ends after K regions returns the full search's radius for capacity K, and its evidence checks."""
    for seed in range(12):
        case = larger(seed, 8, (6, 4))
        full = run(case)
        if isinstance(full, Counterexample):
            continue
        for capacity in (2, 3, 4, 8, 16, 64):
            part = run(case, max_regions=capacity)
            assert part.radius_squared == part.radius_for(capacity) == full.radius_for(capacity)
            assert part.complete == (capacity >= len(full.regions))
            assert (part.needed is None) == (not part.complete)
            evidence = part.evidence_within(capacity)
            assert set(evidence.regions) == set(full.evidence(evidence.radius_squared).regions)
            check(evidence, case.network, case.query, case.table)
            if not part.complete:
                assert part.capacities() == tuple(entry for entry in full.capacities() if entry[0] <= capacity)


def test_too_small_a_capacity_says_what_fits():
    """The error names how many regions are needed, the power of two that has room, and the radius that fits here."""
    found = search(STEP, (-5,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    with pytest.raises(CapacityError, match="3 regions are needed and the capacity is 2; 4 has room") as caught:
        found.evidence(60, capacity=2)
    assert (caught.value.needed, caught.value.room, caught.value.radius_squared) == (3, 4, 49)
    with pytest.raises(CapacityError, match="no radius fits") as caught:
        found.evidence_within(1)
    assert caught.value.radius_squared is None
    with pytest.raises(CapacityError):
        search(STEP, (-5,), ((0,), (1,)), max_radius_squared=CAP, max_regions=1)


def test_a_radius_that_is_not_certain_has_no_evidence():
    """Evidence is given out for certified radii only."""
    found = search(STEP, (20,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    for radius in (-1, 145):
        with pytest.raises(ValueError, match="not certain"):
            found.evidence(radius)


def test_a_budget_that_ends_first_tells_what_was_certain():
    """The error's radius and regions are what a search limited to so many regions returns."""
    case = larger(4, 8, (6, 4))
    with pytest.raises(SearchBudgetError, match="nothing is known beyond") as caught:
        run(case, max_seconds=0)
    again = run(case, max_regions=caught.value.regions)
    assert again.radius_squared == caught.value.radius_squared


def test_no_radius_passes_the_cap():
    """The radius is at most the cap, marked as capped where no decision hyperplane is nearer."""
    full = search(STEP, (20,), ((0,), (1,)), max_radius_squared=CAP, max_regions=9)
    for cap in (0, 100, 143, 144, 145):
        found = search(STEP, (20,), ((0,), (1,)), max_radius_squared=cap, max_regions=9)
        assert found.radius_squared == min(cap, full.radius_squared)
        assert found.capped == (cap <= 144)


def test_the_search_is_deterministic_and_reports_progress():
    """Two runs agree to the last region, and progress counts regions with a radius that never falls."""
    case = larger(4, 8, (6, 4))
    steps = []
    first = run(case, progress=lambda regions, radius: steps.append((regions, radius)))
    assert first == run(case)
    assert [regions for regions, _ in steps] == list(range(len(case.table) + 1, len(first.regions) + 1))
    assert [radius for _, radius in steps] == sorted(radius for _, radius in steps)


def test_numbers_are_integers_of_any_size():
    """Fixed-width integers are taken over as plain ones before anything is squared; floats are refused."""
    case = larger(4, 8, (6, 4))
    narrow = np.array(case.query, dtype=np.int32)
    assert search(case.network, narrow, np.array(case.table), max_radius_squared=CAP, max_regions=1 << 12) == run(case)
    with pytest.raises(TypeError):
        search(case.network, [float(v) for v in case.query], case.table, max_radius_squared=CAP, max_regions=99)
    with pytest.raises(ValueError, match="inputs, not"):
        search(case.network, case.query[1:], case.table, max_radius_squared=CAP, max_regions=99)
