"""Branch and bound against enumeration, and evidence that does not show what it should."""

import numpy as np
import pytest

from equiproof.audits.hyfair.branch import Budget, branch
from equiproof.audits.hyfair.tree import Tree, TreeError, check
from tests.audits.hyfair.small import everyone, judge_of, network
from tests.sampling import blocks

PROPERTIES = {"apart": 2, "flipped": 3}


def has(judge, wanted, box):
    """Whether any applicant of a box has a property, by enumeration; the judge is exact, as its own tests show."""
    return bool(getattr(judge.judge(everyone(judge.forward.grid, box)), wanted).any())


def some_boxes(grid, rng, count):
    """Draw boxes, the whole domain first."""
    ends = np.sort(np.stack([grid.draw(rng, count - 1), grid.draw(rng, count - 1)]), axis=0)
    return [grid.whole, *zip(ends[0], ends[1], strict=True)]


@pytest.mark.sampled(2, each="wanted")
@pytest.mark.parametrize("seeds", blocks(60, 2), ids=str)
@pytest.mark.parametrize("wanted", PROPERTIES)
def test_every_verdict_is_that_of_enumeration(wanted, seeds):
    """Over random networks whose protected weights are small, so that boxes of both kinds occur."""
    rng, verdicts = np.random.default_rng(1), set()
    for seed in seeds:
        judge = judge_of(network(seed, (4, 3), groups=0.15))
        for box in some_boxes(judge.forward.grid, rng, 6):
            found = branch(judge, wanted, box, Budget(4000, 20))
            truth = has(judge, wanted, box)
            assert found.reason is None
            assert (found.counterexample is not None) == truth
            assert (found.tree is not None) == (not truth)
            verdicts.add((bool(truth), found.boxes > 1))
            if found.counterexample is not None:
                assert judge.exactly(found.counterexample)[PROPERTIES[wanted]]
            else:
                check(judge, wanted, box, found.tree)
    assert {truth for truth, _ in verdicts} == {True, False}
    assert (False, True) in verdicts


def test_a_budget_that_ends_claims_nothing():
    """Neither tree nor counterexample, and the reason says what ended."""
    judge = fair_but_hard()
    found = branch(judge, "flipped", judge.forward.grid.whole, Budget(1, 20))
    assert (found.tree, found.counterexample) == (None, None)
    assert found.reason.startswith("the limit of 1 boxes was reached")


def test_evidence_of_another_box_or_a_broken_tree_is_refused():
    """Fewer nodes, more nodes, a split outside the box, and a lone leaf for a box that is not alike."""
    judge = fair_but_hard()
    grid = judge.forward.grid
    tree = branch(judge, "flipped", grid.whole, Budget(4000, 20)).tree
    assert tree.leaves > 1
    feature, _ = tree.nodes[0]
    for nodes in (
        tree.nodes[:-1],
        (*tree.nodes, (-1, 0)),
        ((feature, int(grid.sizes[feature]) - 1), *tree.nodes[1:]),
        ((-2, 0), *tree.nodes[1:]),
        (),
    ):
        with pytest.raises(TreeError):
            check(judge, "flipped", grid.whole, Tree(nodes))
    with pytest.raises(TreeError, match="leave room"):
        check(judge, "flipped", grid.whole, Tree(((-1, 0),)))


def test_no_evidence_covers_an_applicant_with_the_property():
    """The tree of a fair network does not convince the checker of an unfair one."""
    judge = fair_but_hard()
    tree = branch(judge, "flipped", judge.forward.grid.whole, Budget(4000, 20)).tree
    refused = 0
    for seed in range(10):
        other = judge_of(network(seed))
        if has(other, "flipped", other.forward.grid.whole):
            with pytest.raises(TreeError):
                check(other, "flipped", other.forward.grid.whole, tree)
            refused += 1
    assert refused


def fair_but_hard():
    """A network whose label varies and never flips, which takes nine leaves to show."""
    return judge_of(network(16, (4, 3), groups=0.06))
