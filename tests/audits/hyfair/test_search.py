"""Searches move many chains at once, and everything they count is what the exact judge counts."""

import numpy as np
import pytest

from equiproof.audits.hyfair.moves import Pool, near
from equiproof.audits.hyfair.search import KINDS, Plan, search
from tests.audits.hyfair.small import everyone, judge_of, network


def most(judge, name="buckets"):
    """The largest k of the whole domain, by enumeration."""
    return int(getattr(judge.judge(everyone(judge.forward.grid)), name).max())


@pytest.mark.parametrize("kind", KINDS)
def test_every_search_reaches_the_largest_k_of_a_small_domain(kind):
    """Against enumeration, and never beyond it; the best applicant has that k in exact numbers."""
    for seed in (2, 3, 6):
        judge = judge_of(network(seed))
        found = search(judge, Plan(kind=kind, seconds=None, evaluations=6000), np.random.default_rng(0))
        assert found.max_k == most(judge)
        assert judge.exactly(found.best)[0] == found.max_k
        assert judge.exactly(found.first)[2]


def test_the_same_seed_and_evaluations_give_the_same_search():
    """Nothing depends on the clock."""
    judge = judge_of(network(3))
    plan = Plan(seconds=None, evaluations=2000)
    one, other = (search(judge, plan, np.random.default_rng(4)) for _ in range(2))
    assert (one.hits, one.instances, one.max_k) == (other.hits, other.instances, other.max_k)
    assert (one.top == other.top).all()


def test_instances_are_different_applicants():
    """However often a small domain is walked through, no applicant counts twice."""
    judge = judge_of(network(3))
    found = search(judge, Plan(seconds=None, evaluations=8000), np.random.default_rng(0))
    applicants = everyone(judge.forward.grid)
    judged = judge.judge(applicants)
    assert found.instances <= int(judged.apart.sum()) < found.hits
    assert found.at_max <= int((judged.buckets == found.max_k).sum())
    assert len(np.unique(found.top, axis=0)) == len(found.top) == found.at_max


def test_gaps_and_flips_are_searched_for_by_name():
    """Another clustering and another property, each counted for itself."""
    judge = judge_of(network(6))
    plan = Plan(clustering="gaps", instance="flipped", seconds=None, evaluations=4000)
    found = search(judge, plan, np.random.default_rng(0))
    judged = judge.judge(everyone(judge.forward.grid))
    assert found.max_k == int(judged.gaps[judged.flipped].max())
    assert judge.exactly(found.best)[3]
    assert found.instances <= int(judged.flipped.sum())


def test_a_target_ends_the_search():
    """At the first batch that reaches it."""
    judge = judge_of(network(3))
    found = search(judge, Plan(chains=16, seconds=None, evaluations=100_000, target=2), np.random.default_rng(0))
    assert found.max_k >= 2
    assert found.evaluations < 100_000


def test_refused_applicants_are_never_asked_about():
    """A guardrail that refuses a third of the domain keeps every result outside of it."""
    judge = judge_of(network(3))
    place = judge.forward.grid.names.index("grade")
    found = search(
        judge,
        Plan(seconds=None, evaluations=3000),
        np.random.default_rng(0),
        refuse=lambda applicants: applicants[:, place] == 2,
    )
    assert found.refused > 0
    assert (found.top[:, place] < 2).all()
    assert (found.sample[:, place] < 2).all()


def test_seeds_are_where_chains_begin():
    """A search of no further evaluation than its first batch finds the seed's k."""
    judge = judge_of(network(3))
    applicants = everyone(judge.forward.grid)
    best = applicants[judge.judge(applicants).buckets.argmax()]
    found = search(judge, Plan(chains=4, seconds=None, evaluations=1), np.random.default_rng(0), seeds=best[None])
    assert found.max_k == most(judge)


def test_neighbors_stay_on_the_grid_and_change_few_features():
    """One to three features, each by at least one value where it has another."""
    grid = judge_of(network(0)).forward.grid
    rng = np.random.default_rng(0)
    applicants = grid.draw(rng, 500)
    moved = near(grid, applicants, rng, most=2)
    assert ((moved >= 0) & (moved < grid.sizes)).all()
    assert ((moved != applicants).sum(axis=1) <= 2).all()
    assert (moved != applicants).any()


def test_the_nearest_of_a_pool_are_nearest_and_never_the_applicant_itself():
    """Against all distances: numbers by shares of their range, categories by whether they differ."""
    grid = judge_of(network(0)).forward.grid
    rng = np.random.default_rng(0)
    members = np.unique(grid.draw(rng, 200), axis=0)
    found = Pool(grid, members).nearest(members[:30], rng)

    def squared(one, other):
        return sum(
            ((a - b) / (size - 1)) ** 2 if ordered else float(a != b)
            for a, b, size, ordered in zip(one, other, grid.sizes, grid.ordered, strict=True)
        )

    for own, chosen in zip(members[:30], found, strict=True):
        distances = sorted(squared(own, other) for other in members if (other != own).any())
        assert 0 < squared(own, chosen) <= distances[9] + 1e-9


def test_a_search_without_an_end_is_refused():
    """Seconds or evaluations."""
    with pytest.raises(ValueError, match="give seconds or evaluations"):
        Plan(seconds=None)
