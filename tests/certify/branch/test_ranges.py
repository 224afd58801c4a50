"""Branch and bound where neighbors are kept to ranges: the exact radius of the cut ball, and no false claim."""

import pickle
import random
from dataclasses import replace
from functools import cache
from math import floor

import numpy as np
import pytest

from equiproof.certify.branch import BranchSearch, check
from equiproof.certify.branch.cutting import Room, cut_of, least
from equiproof.certify.errors import EvidenceError
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.search import Counterexample, begin
from tests.certify import oracle
from tests.certify.branch.cases import CAP, edited, parameters_of, run, searched, verdict, wide
from tests.certify.branch.test_oracle import DEEP, never_false
from tests.certify.tiny import boxed, tiny
from tests.sampling import blocks


@cache
def inside(seed):
    """Return a tiny case in a box and its search, for all tests that only look at it."""
    case = boxed(seed, tiny(seed))
    return case, run(case)


def judge(case, search):
    """Hold one search inside a box against the oracle; return it with the true eps*^2, None where it is unfair."""
    if isinstance(search, Counterexample):
        return None
    truth = oracle.nearest_flip(case, search.label)
    exact = None if truth is None else truth[0]
    best = CAP if exact is None else min(CAP, floor(exact))
    assert search.radius_squared in ({best, best - 1} if exact == best else {best})
    if exact is not None and exact < CAP:
        assert search.upper >= exact
        assert floor(search.upper) == best
        assert all(low <= x <= high for x, low, high in zip(search.boundary_point.point, *case.box, strict=True))
    assert verdict(check, search.evidence, parameters_of(case), case) is None
    return search, exact


@pytest.mark.parametrize("few", [40, pytest.param(80, marks=pytest.mark.slow)])
def test_the_radius_is_the_floor_of_that_inside_the_box(few):
    """R2 = floor(eps*^2) of the cut ball, one less at worst, only at integers; never below that of the whole ball."""
    larger = flips = cut = 0
    for seed in range(few):
        result = judge(*inside(seed))
        if result is None:
            continue
        search, exact = result
        _, whole = searched(seed)
        assert search.radius_squared >= whole.radius_squared
        larger += search.radius_squared > whole.radius_squared
        flips += exact is not None
        cut += any(any(margin.cut) for leaf in search.evidence.leaves for margin in leaf.margins)
    assert larger > few // 10
    assert flips > few // 10
    assert cut > few // 10


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(40, 4), ids=str)
def test_the_radius_of_deep_networks_inside_a_box(seeds):
    """The same where coefficients over hidden neurons are rounded."""
    for seed in seeds:
        case = boxed(seed, wide(10**4 + seed, shapes=DEEP))
        judge(case, run(case))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(4000, 10), ids=str)
def test_the_radius_inside_a_box_on_thousands(seeds):
    """The same law on thousands of networks, with up to three columns."""
    for seed in seeds:
        case = boxed(seed, tiny(10**6 + seed, columns=(1, 2, 3)))
        judge(case, run(case))


def test_exact_search_inside_a_box():
    """The walk through the polytopes finds the same nearest flip: exactly that of the oracle."""
    flips = 0
    for seed in range(100):
        case = boxed(seed, tiny(seed))
        search = exact_search(
            case.network, case.query, case.table, max_radius_squared=CAP, max_regions=4096, box=case.box
        )
        if isinstance(search, Counterexample):
            continue
        truth = oracle.nearest_flip(case, search.label)
        assert search.complete
        assert search.lower == (CAP if truth is None else min(CAP, truth[0]))
        flips += search.upper is not None
    assert flips > 10


@pytest.mark.parametrize("count", [5, pytest.param(30, marks=pytest.mark.slow)])
def test_no_false_claim_inside_a_box_is_accepted(count):
    """Bent evidence is refused, or what it then says of the cut ball is true all the same."""
    accepted, tried = never_false((boxed(seed, tiny(seed)) for seed in range(count)), random.Random(1))
    assert accepted > 3 * count
    assert tried > 20 * count


@cache
def proven(seed=0):
    """Return the first case from a seed whose tree has several leaves and a cut that is not 0, and its evidence."""
    while True:
        case = boxed(seed, tiny(seed, columns=(2,)))
        search = run(case)
        if isinstance(search, BranchSearch) and search.upper is not None and len(_cuts(search.evidence)) > 2:
            return case, search.evidence
        seed += 1


def _cuts(evidence):
    """Return the distinct cuts of the leaves."""
    return {margin.cut for leaf in evidence.leaves for margin in leaf.margins}


def refusal(case, evidence, **changed):
    """Return the rule by which the checker refuses evidence about a case."""
    return verdict(check, evidence, parameters_of(case), replace(case, **changed))


CUT = ("leaves", 0, "margins", 0, "cut")


def test_a_query_outside_its_range_is_refused():
    """R-B-RANGES: outside there may be nothing to prove, and nothing is proven of the query itself."""
    case, evidence = proven()
    low, high = case.box
    outside = (tuple(x + 1 for x in case.query), tuple(max(x + 1, y) for x, y in zip(case.query, high, strict=True)))
    assert refusal(case, evidence, box=outside) == "R-B-RANGES"
    assert refusal(case, evidence, box=(low, tuple(x - 1 for x in case.query))) == "R-B-RANGES"
    with pytest.raises(ValueError, match="outside the ranges"):
        begin(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=99, box=outside)


def test_a_cut_has_a_number_for_every_column():
    """R-B-CUT: one of the width for each column, plain integers; none where there are no ranges."""
    case, evidence = proven()
    limit = 1 << (parameters_of(case).cut_bits - 1)
    for wrong in ((), (0,), (0, 0, 0), (limit, 0), (0, -limit - 1), (0.0, 0), (True, np.int64(0))):
        assert refusal(case, edited(evidence, CUT, wrong)) == "R-B-CUT"
    free = replace(case, box=None)
    assert verdict(check, evidence, parameters_of(free), free) == "R-B-CUT"


def test_a_wider_box_refuses_the_cuts_of_a_narrower_one():
    """Ends that the prover would like, and the statement does not have, take more off the value at the centre."""
    refused = 0
    for seed in range(40):
        case, search = inside(seed)
        if not isinstance(search, BranchSearch) or searched(seed)[1].radius_squared >= search.radius_squared:
            continue
        low, high = case.box
        far = 1 << 17
        wider = replace(case, box=(tuple(max(-far, v - 999) for v in low), tuple(min(far - 1, v + 999) for v in high)))
        refused += verdict(check, search.evidence, parameters_of(case), wider) is not None
        assert oracle_allows(wider, search) or verdict(check, search.evidence, parameters_of(case), wider) is not None
    assert refused > 3


def oracle_allows(case, search):
    """Tell whether what a search claims is true of another case."""
    truth = oracle.nearest_flip(case, search.label)
    return truth is None or search.radius_squared <= truth[0]


def test_the_cut_of_one_form_is_not_another_ones():
    """A cut that helps one leaf, in the place of another leaf's, leaves that one unproven."""
    case, evidence = proven()
    cuts = [leaf.margins[0].cut for leaf in evidence.leaves]
    swapped = [
        refusal(case, edited(evidence, ("leaves", i, "margins", 0, "cut"), cuts[j]))
        for i in range(len(cuts))
        for j in range(len(cuts))
        if cuts[i] != cuts[j]
    ]
    assert {"R-B-LEAF", "R-B-RADIUS"} & set(swapped)
    assert set(swapped) <= {"R-B-LEAF", "R-B-RADIUS", None}


@pytest.mark.parametrize("count", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_cut_from_the_wrong_end_is_refused(count):
    """A multiplier of the other end only adds to the form's slope: with its sign turned the leaf is not proven."""
    refused = 0
    for seed in range(count):
        case, evidence = proven(100 * seed)
        for i, leaf in enumerate(evidence.leaves):
            cut = leaf.margins[0].cut
            if any(cut):
                turned = edited(evidence, ("leaves", i, "margins", 0, "cut"), tuple(-value for value in cut))
                refused += refusal(case, turned) in ("R-B-LEAF", "R-B-RADIUS")
    assert refused > count


def test_a_box_goes_with_a_shape_with_ranges():
    """A box for other parameters, none for these, and one that is too short or too wide are the caller's mistake."""
    case, evidence = proven()
    whole = parameters_of(replace(case, box=None))
    for parameters, box in (
        (whole, case.box),
        (parameters_of(case), None),
        (parameters_of(case), (case.box[0][:1], case.box[1])),
        (parameters_of(case), (case.box[0], tuple(1 << 17 for _ in case.query))),
    ):
        with pytest.raises(ValueError, match=r"box"):
            check(evidence, parameters, case.network, case.query, case.table, box)


def test_a_search_inside_a_box_crosses_processes():
    """What is loaded again keeps to the same box."""
    case, evidence = proven()
    again = pickle.loads(pickle.dumps(run(case)))  # noqa: S301  # our own bytes
    within = again.evidence_within(len(evidence.leaves) - 1)
    assert verdict(check, within, parameters_of(case), case) is None


def test_the_least_value_on_a_cut_ball():
    """No point of the cut ball is lower, the point found is in it, and a cut proves it."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        columns = int(rng.integers(1, 6))
        form = np.round(rng.normal(size=columns) * rng.choice([0, 1, 5], size=columns), 1)
        room = Room(*(rng.choice([0.0, 0.2, 0.6, 1.0], size=columns) for _ in range(2)))
        (value,), (way,) = least(form[None], room)
        assert (room.clip(way) == way).all()
        assert np.linalg.norm(way) <= 1 + 1e-9
        assert value == pytest.approx(form @ way)
        others = room.clip(rng.normal(size=(500, columns)))
        others /= np.maximum(1.0, np.linalg.norm(others, axis=1))[:, None]
        assert (others @ form >= value - 1e-9).all()
        # The same in integers, of a box around 0 on a ball of radius 1000.
        whole = tuple(round(10 * float(c)) << 40 for c in form)
        box = tuple(-int(1000 * b) for b in room.below), tuple(int(1000 * a) for a in room.above)
        cut = cut_of(whole, (0,) * columns, box, 10**6)
        ends = [low if g > 0 else high for g, low, high in zip(cut, *box, strict=True)]
        rest = np.array([float(c - g) for c, g in zip(whole, cut, strict=True)])
        proof = float(sum(g * end for g, end in zip(cut, ends, strict=True))) - 1000 * np.linalg.norm(rest)
        assert proof == pytest.approx(value * 1000 * 10 * 2.0**40, rel=1e-9, abs=1.0)


def test_a_ball_without_extent_is_not_cut():
    """Nothing is taken off where the radius is 0."""
    assert cut_of((5, -7), (0, 0), ((0, 0), (0, 0)), 0) == (0, 0)


def test_the_error_names_the_column():
    """The plaintext checker says which column is outside."""
    case, evidence = proven()
    box = (case.box[0], (case.query[0], case.query[1] - 1))
    with pytest.raises(EvidenceError, match="column 1"):
        check(evidence, parameters_of(case), case.network, case.query, case.table, box)
