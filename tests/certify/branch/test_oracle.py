"""Search and checker of branch and bound against the exact truth; the oracle shares no code with either."""

import random
from dataclasses import replace
from math import floor

import pytest

from equiproof.certify.branch import BranchSearch, check
from equiproof.certify.traversal.search import Counterexample
from tests.certify import oracle
from tests.certify.branch.cases import CAP, edited, parameters_of, places, run, verdict, wide
from tests.certify.tiny import tiny
from tests.sampling import blocks

FEW = 30
"""Of each block that a run draws."""
MANY = 6000
DEEP = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 1, 2), (1, 1, 1, 1), (1, 1, 2, 1))


def judge(case):
    """Hold one search against the oracle; return it with the true eps*^2 (None: no flip), None where it is unfair."""
    search = run(case)
    if isinstance(search, Counterexample):
        return None
    truth = oracle.nearest_flip(case, search.label)
    exact = None if truth is None else truth[0]
    best = CAP if exact is None else min(CAP, floor(exact))
    # One less where eps*^2 is an integer: no integer multipliers need to meet it.
    assert search.radius_squared in ({best, best - 1} if exact == best else {best})
    assert search.radius_squared == best or search.ended == "digits"
    if exact is not None and exact < CAP:
        # Another facet may share the floor, and then no search goes on for the nearer one.
        assert search.upper >= exact
        assert floor(search.upper) == best
        assert search.boundary_point is not None
    assert verdict(check, search.evidence, parameters_of(case), case) is None
    return search, exact


def kinds(search):
    """Tell what a search's evidence exercises: empty parts, and the needless split of a ball that needs none."""
    multipliers = {margin.multiplier for line in search.evidence.leaves for margin in line.margins}
    return {"empty"} & ({"empty"} if 0 in multipliers else set()) | (
        {"whole"} if len(search.evidence.splits) == 1 else {"split"}
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seeds", blocks(4 * FEW, 4), ids=str)
def test_the_radius_is_the_floor_of_the_exact_one(seeds):
    """On tiny networks R2 = floor(eps*^2), one less at worst and only where eps*^2 is an integer."""
    fair, met, seen = 0, 0, set()
    for seed in seeds:
        result = judge(tiny(seed))
        if result is not None:
            fair += 1
            met += result[1] is None or result[0].complete
            seen |= kinds(result[0])
    assert fair > FEW * 3 // 4
    assert met > fair * 9 // 10
    assert seen == {"empty", "whole", "split"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(4 * FEW, 4), ids=str)
def test_the_radius_is_the_floor_of_the_exact_one_in_deep_networks(seeds):
    """The same in three and four hidden layers, where coefficients over hidden neurons are rounded."""
    rounded = 0
    for seed in seeds:
        case = wide(10**4 + seed, shapes=DEEP)
        rounded += any(any(row) for row in parameters_of(case).rounding)
        judge(case)
    assert rounded > 2


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(MANY, 20), ids=str)
def test_the_radius_is_the_floor_of_the_exact_one_on_thousands(seeds):
    """The same law on thousands of networks, with up to three columns and up to six layers."""
    for seed in seeds:
        judge(tiny(10**6 + seed, columns=(1, 2, 3)))
    for seed in seeds[::4]:
        judge(wide(10**6 + seed, shapes=(*DEEP, (1,) * 6)))


def false_claims(evidence, rng, paths):
    """Yield what a cheat would try: larger radii, numbers bent, rows left out, swapped and repeated."""
    for radius in (evidence.radius_squared + 1, 2 * evidence.radius_squared + 3):
        yield replace(evidence, radius_squared=radius)
    for path in rng.sample(paths, min(40, len(paths))):
        for change in (lambda v: v + 1, lambda v: v - 1, lambda v: -v, lambda v: 0, lambda v: v << 8, lambda v: 256):
            bent = edited(evidence, path, change)
            if bent != evidence:
                yield bent
                yield replace(bent, radius_squared=evidence.radius_squared + 1)
    for rows in ("leaves", "splits"):
        lines = getattr(evidence, rows)
        for number in range(len(lines)):
            yield replace(evidence, **{rows: lines[:number] + lines[number + 1 :]})
            yield replace(evidence, **{rows: (*lines[:number], lines[-1 - number], *lines[number + 1 :])})


def never_false(cases, rng):
    """Hold every accepted claim about the cases to the oracle; return how many were accepted, and how many tried."""
    accepted = tried = 0
    for case in cases:
        search = run(case)
        if isinstance(search, Counterexample):
            continue
        truth = oracle.nearest_flip(case, search.label)
        parameters = parameters_of(case)
        paths = list(places(search.evidence))
        for claim in false_claims(search.evidence, rng, paths):
            tried += 1
            if verdict(check, claim, parameters, case) is None:
                accepted += 1
                assert claim.label == search.label
                assert truth is None or claim.radius_squared <= truth[0]
    return accepted, tried


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(40, 4), ids=str)
def test_no_false_claim_is_accepted(seeds):
    """Bent evidence is refused, or what it then says is true all the same (wider bounds, smaller slopes)."""
    accepted, tried = never_false((tiny(seed) for seed in seeds), random.Random(1))
    assert accepted > 2 * len(seeds)
    assert tried > 20 * len(seeds)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(600, 15), ids=str)
def test_no_false_claim_is_accepted_on_many(seeds):
    """The same on many more networks, deep ones among them."""
    rng = random.Random(f"many {seeds}")
    never_false((tiny(10**5 + seed) for seed in seeds), rng)
    never_false((wide(10**5 + seed, shapes=DEEP) for seed in seeds[::3]), rng)


def test_an_accepted_leaf_needs_no_search():
    """A cheat's evidence for another query or network is refused, or true there too."""
    for seed in range(60):
        one, other = tiny(seed, shapes=((2,),)), tiny(seed + 500, shapes=((2,),))
        search = run(one)
        same = (one.columns, len(one.table[0]), one.network.logit_count) == (
            other.columns,
            len(other.table[0]),
            other.network.logit_count,
        )
        if not isinstance(search, BranchSearch) or not same or len(one.table) != len(other.table):
            continue
        for case in (
            replace(one, query=other.query),
            replace(one, network=other.network),
            replace(one, table=other.table),
        ):
            if verdict(check, search.evidence, parameters_of(case), case) is None:
                truth = oracle.nearest_flip(case, search.label)
                assert truth is None or search.radius_squared <= truth[0]
