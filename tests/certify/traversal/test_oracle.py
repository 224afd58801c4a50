"""Search and checker against the exact truth on thousands of tiny networks; the oracle shares no code with either."""

import itertools
import random
from dataclasses import replace
from math import isqrt

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.search import Counterexample, Search, search
from tests.certify import oracle
from tests.certify.tiny import tiny
from tests.sampling import blocks

CAP = 1 << 20
FEW = 600
MANY = 50 * FEW


def run(case):
    return search(case.network, case.query, case.table, max_radius_squared=CAP, max_regions=1 << 12)


def accepts(evidence, case):
    """Tell whether the plaintext checker accepts evidence."""
    try:
        check(evidence, case.network, case.query, case.table)
    except EvidenceError:
        return False
    return True


def mutants(evidence, case, rng):
    """Yield what a cheat would try: larger radii, regions left out, added, moved and bent, other labels."""
    radius, regions = evidence.radius_squared, evidence.regions
    neurons, centres = case.network.neurons, len(case.table)
    for other in (-1, radius + 1, radius + 2, 2 * radius + 5, CAP, CAP**4):
        yield replace(evidence, radius_squared=other)
    for label in range(-1, 3):
        yield replace(evidence, label=label)
        yield replace(evidence, label=label, radius_squared=CAP)
    for number in rng.sample(range(len(regions)), min(6, len(regions))):
        yield replace(evidence, regions=regions[:number] + regions[number + 1 :])
    for number in rng.sample(range(len(regions)), min(4, len(regions))):
        region = regions[number]
        bent = (
            region.across(rng.randrange(neurons)),
            Region((region.slice + 1) % centres, region.pattern),
            Region(rng.randrange(centres), rng.randrange(1 << neurons)),
        )
        for other in bent:
            changed = (*regions[:number], other, *regions[number + 1 :])
            yield replace(evidence, regions=changed)
            yield replace(evidence, regions=changed, radius_squared=radius + 1)
        yield replace(evidence, regions=(*regions[number:], *regions[:number]))
    everything = tuple(Region(s, v) for s in range(centres) for v in range(1 << neurons))
    for other in (radius, radius + 1, radius + 3, CAP):
        yield replace(evidence, regions=regions[:centres], radius_squared=other)
        yield replace(evidence, regions=(*regions[:centres], *everything), radius_squared=other)
        some = tuple(region for region in everything if rng.random() < 0.5)
        yield replace(evidence, regions=(*regions[:centres], *some), radius_squared=other)


def judge(case, rng):
    """Hold one case against the oracle; return the search's radius over the true one, None where there is no flip."""
    found = run(case)
    if isinstance(found, Counterexample):
        centres = tuple(Region(i, case.network.pattern((*case.query, *row))) for i, row in enumerate(case.table))
        for label in range(3):
            for claim in (Evidence(label, 0, centres), *mutants(Evidence(label, 0, centres), case, rng)):
                assert not accepts(claim, case)
        return None
    assert {case.network.decide((*case.query, *row)) for row in case.table} == {found.label}
    truth = oracle.nearest_flip(case, found.label)
    exact = CAP**9 if truth is None else truth[0]
    assert found.radius_squared <= exact
    for radius in {0, found.radius_squared // 2, found.radius_squared}:
        check(found.evidence(radius), case.network, case.query, case.table)
    honest = found.evidence(rng.choice((found.radius_squared, rng.randint(0, found.radius_squared))))
    for mutant in mutants(honest, case, rng):
        if accepts(mutant, case):
            assert mutant.label == found.label
            assert 0 <= mutant.radius_squared <= exact
            assert found.capped or mutant.radius_squared <= found.radius_squared
    return None if truth is None or not truth[0] else found.radius_squared / exact


@pytest.mark.slow
def test_nothing_false_is_accepted_and_nothing_honest_refused():
    """On thousands of tiny networks no accepted radius passes the exact one, and the search's evidence is accepted."""
    rng = random.Random(1)
    ratios = [ratio for ratio in (judge(tiny(seed), rng) for seed in range(FEW)) if ratio is not None]
    assert len(ratios) > FEW // 5
    assert sum(ratio > 0.9 for ratio in ratios) > len(ratios) // 3


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(MANY, 40), ids=str)
def test_nothing_false_is_accepted_and_nothing_honest_refused_on_many_more(seeds):
    """The same law on fifty times as many networks, with up to three non-sensitive columns."""
    rng = random.Random(f"many {seeds}")
    for seed in seeds:
        judge(tiny(10**6 + seed, columns=(1, 2, 3)), rng)


def test_no_set_certifies_more_than_the_search():
    """Over every set of regions, the squared radius of the search plus one is refused: its closure is the best set."""
    for seed in range(60):
        case = tiny(seed, shapes=((1,), (2,), (1, 1)))
        found = run(case)
        if not isinstance(found, Search) or found.capped or len(case.table) > 2:
            continue
        centres = found.regions[: found.slice_count]
        others = [
            Region(s, v) for s in range(2) for v in range(1 << case.network.neurons) if Region(s, v) not in centres
        ]
        for size in range(len(others) + 1):
            for chosen in itertools.combinations(others, size):
                claim = Evidence(found.label, found.radius_squared + 1, (*centres, *chosen))
                assert not accepts(claim, case)


def test_evidence_does_not_serve_another_query_or_network():
    """Evidence moved to another query or network is accepted only where its statement is true there too."""
    served = 0
    for seed in range(600):
        case = tiny(seed, shapes=((2,), (2, 1)), columns=(1,), logits=(1,))
        other = tiny(seed + 1000, shapes=(case.network.hidden,), columns=(1,), logits=(1,))
        found = run(case)
        if not isinstance(found, Search) or case.network.inputs != other.network.inputs:
            continue
        moved = replace(case, query=tuple(v + 1 for v in case.query))
        swapped = replace(case, network=other.network)
        for elsewhere in (moved, swapped):
            evidence = found.evidence(found.radius_squared)
            if accepts(evidence, elsewhere):
                served += 1
                truth = oracle.nearest_flip(elsewhere, evidence.label)
                assert truth is None or evidence.radius_squared <= truth[0]
    assert served > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(400, 4), ids=str)
def test_the_exact_radius_is_attained_and_nothing_nearer_flips(seeds):
    """The oracle's point has a margin of at most 0 in rationals, and every grid point nearer keeps the label."""
    for seed in seeds:
        case = tiny(seed)
        found = run(case)
        if not isinstance(found, Search) or (truth := oracle.nearest_flip(case, found.label)) is None:
            continue
        squared, number, point = truth
        assert sum((p - q) ** 2 for p, q in zip(point, case.query, strict=True)) == squared
        assert min(oracle.true_margins(case, point, case.table[number], found.label)) <= 0
        for x in ball(case.query, squared, 9):
            for row in case.table:
                assert min(oracle.true_margins(case, x, row, found.label)) > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(500, 5), ids=str)
def test_every_grid_point_of_the_ball_keeps_the_label_and_is_covered(seeds):
    """On networks of two to four neurons every grid point inside the radius is decided as the query on every slice.

    Its closed polytope is among the regions of the evidence, so no reachable pattern was left out.
    """
    points = 0
    for seed in seeds:
        case = tiny(seed, shapes=((2,), (3,), (4,), (1, 1), (2, 2), (1, 3)), span=6)
        found = run(case)
        if not isinstance(found, Search):
            continue
        evidence = found.evidence(found.radius_squared)
        for x in ball(case.query, found.radius_squared, 7):
            points += 1
            for number, row in enumerate(case.table):
                assert case.network.decide((*x, *row)) == found.label
                here = [region for region in evidence.regions if region.slice == number]
                assert any(oracle.covers(case, region, x) for region in here)
    assert points > 500


def ball(query, radius_squared, reach):
    """Yield the grid points closer to the query than a radius, at most `reach` away in each coordinate."""
    span = min(reach, isqrt(int(radius_squared)) + 1)
    for offset in itertools.product(range(-span, span + 1), repeat=len(query)):
        if sum(step * step for step in offset) < radius_squared:
            yield tuple(v + step for v, step in zip(query, offset, strict=True))
