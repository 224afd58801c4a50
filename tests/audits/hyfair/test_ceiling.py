"""Upper bounds of the largest k against enumeration, and evidence for less than there is."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.hyfair.branch import Budget, branch
from equiproof.audits.hyfair.ceiling import ceiling, flat, recheck
from equiproof.audits.hyfair.scores import edge, reaches, threshold
from equiproof.audits.hyfair.tree import Tree, TreeError, check, matched
from tests.audits.hyfair.small import counted, everyone, judge_of, network


def largest(judge, box=None):
    """The largest k of a box, by enumeration."""
    return int(judge.judge(everyone(judge.forward.grid, box)).buckets.max())


@pytest.mark.slow
def test_the_largest_k_is_met_from_above():
    """With room in the budget the bound is the largest k itself, of fair and of unfair networks, and it is checked."""
    met = set()
    for seed in range(40):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        whole, truth = judge.forward.grid.whole, largest(judge)
        found = ceiling(judge, truth, Budget(40_000, 60))
        assert found.most == truth
        recheck(judge, found)
        if found.tree is not None:
            met.add((truth, found.scores is None))
            again = branch(judge, truth, whole, Budget(40_000, 60))
            check(judge, truth, whole, again.tree)
    assert {alone for _, alone in met} == {True, False}
    assert len(met) >= 3


def test_no_evidence_shows_fewer_clusters_than_occur():
    """The tree for the largest k is refused for one cluster less, and branching ends there with a counterexample."""
    refused = 0
    for seed in range(20):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        whole, truth = judge.forward.grid.whole, largest(judge)
        tree = branch(judge, truth, whole, Budget(40_000, 60)).tree
        if tree is None or truth == 1:
            continue
        with pytest.raises(TreeError, match=f"leave room for more than {truth - 1} clusters"):
            check(judge, truth - 1, whole, tree)
        with pytest.raises(TreeError):
            check(judge, truth - 1, whole, Tree(((-1, 0),)))
        found = branch(judge, truth - 1, whole, Budget(40_000, 60))
        assert found.tree is None
        assert judge.exactly(found.counterexample)[0] == truth
        refused += 1
    assert refused >= 5


def test_without_a_budget_nothing_better_than_the_number_of_assignments_is_claimed():
    """Six assignments of the protected features, and no evidence beside."""
    judge = judge_of(network(3))
    found = ceiling(judge, 1, Budget(0, 60))
    assert (found.most, found.tree) == (6, None)


def test_the_scores_of_a_flat_domain_are_those_of_all_assignments():
    """One score a point, the same in floats, in exact numbers and by bucket, and none outside of what is claimed."""
    judge = judge_of(network(5, (4, 3), groups=0.3))
    over, grid = flat(judge), judge.forward.grid
    applicants = grid.draw(np.random.default_rng(0), 20)
    groups = len(grid.table)
    points = np.concatenate([np.repeat(applicants, groups, axis=0), np.tile(np.arange(groups), 20)[:, None]], axis=1)
    assert over.forward.margins(points).reshape(20, groups) == pytest.approx(judge.forward.margins(applicants))
    assert [over.forward.exact(point)[0] for point in points[:groups]] == list(judge.forward.exact(applicants[0]))
    assert (over.places(points).reshape(20, groups) == judge.places(applicants)).all()
    assert [len(set(places)) for places in judge.places(applicants).tolist()] == counted(judge, applicants)[
        :, 0
    ].tolist()


def test_a_span_of_scores_that_leaves_one_out_is_refused():
    """The tree of all scores is none for a span that is a bucket shorter at either end."""
    refused = 0
    for seed in range(20):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        over = flat(judge)
        places = over.places(everyone(over.forward.grid))
        least, most = int(places.min()), int(places.max())
        if most - least < 2 or most - least + 1 >= 20:
            continue
        tree = branch(over, (least, most), over.forward.grid.whole, Budget(40_000, 60)).tree
        check(over, (least, most), over.forward.grid.whole, tree)
        for shorter in ((least + 1, most), (least, most - 1)):
            with pytest.raises(TreeError, match="leave room for a score outside"):
                check(over, shorter, over.forward.grid.whole, tree)
            refused += 1
    assert refused >= 4


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
