"""Upper bounds of the largest k against enumeration, and evidence for less than there is."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from audits.hyfair.branch import Budget, branch
from audits.hyfair.ceiling import ceiling
from audits.hyfair.scores import edge, reaches, threshold
from audits.hyfair.tree import Tree, TreeError, check, matched
from tests.audits.hyfair.small import everyone, judge_of, network


def largest(judge, box=None):
    """The largest k of a box, by enumeration."""
    return int(judge.judge(everyone(judge.forward.grid, box)).buckets.max())


def test_the_largest_k_is_met_from_above():
    """With room in the budget the bound is the largest k itself, of fair and of unfair networks, and it is checked."""
    met = set()
    for seed in range(40):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        whole, truth = judge.forward.grid.whole, largest(judge)
        found = ceiling(judge, whole, 1, Budget(40_000, 60))
        assert found.most == truth
        if found.tree is not None:
            check(judge, truth, whole, found.tree)
            met.add(truth)
        if truth > 1 and found.witness is not None:
            assert judge.exactly(found.witness)[0] > 1
    assert len(met) >= 3


def test_no_evidence_shows_fewer_clusters_than_occur():
    """The tree for the largest k is refused for one cluster less, and branching ends there with a witness."""
    refused = 0
    for seed in range(20):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        whole, truth = judge.forward.grid.whole, largest(judge)
        tree = ceiling(judge, whole, truth, Budget(40_000, 60)).tree
        if tree is None or truth == 1:
            continue
        with pytest.raises(TreeError, match=f"leave room for more than {truth - 1} clusters"):
            check(judge, truth - 1, whole, tree)
        with pytest.raises(TreeError):
            check(judge, truth - 1, whole, Tree(((-1, 0),)))
        found = branch(judge, truth - 1, whole, Budget(40_000, 60))
        assert found.tree is None
        assert judge.exactly(found.witness)[0] == truth
        refused += 1
    assert refused >= 5


def test_without_a_budget_nothing_better_than_the_number_of_assignments_is_claimed():
    """Six assignments of the protected features, and no evidence beside."""
    judge = judge_of(network(3))
    found = ceiling(judge, judge.forward.grid.whole, 1, Budget(0, 60))
    assert (found.most, found.tree) == (6, None)


def test_a_matching_is_as_large_as_the_best_of_all():
    """Against every way to give whole numbers to intervals."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        ends = np.sort(rng.integers(0, 6, size=(int(rng.integers(1, 6)), 2)), axis=1)
        ranges = [range(low, high + 1) for low, high in ends.tolist()]
        best = max(len(set(chosen)) for chosen in itertools.product(*ranges))
        assert matched(ends[:, 0].tolist(), ends[:, 1].tolist()) == best


def test_a_threshold_is_the_least_integer_that_reaches_its_bucket():
    """For units of any size, against the exact comparison of the fraction."""
    for unit in (1, 16, 1 << 20, 3**40, 1 << 300):
        for i in (1, 7, 10, 13, 19):
            least = threshold(i, 20, unit)
            assert reaches(Fraction(least, unit), i, 20)
            assert not reaches(Fraction(least - 1, unit), i, 20)
    assert threshold(10, 20, 7) == 0 == edge(10, 20)[0]
