"""Evidence by signs of neurons: against enumeration, and each part of it left out or changed."""

import itertools
from dataclasses import replace

import pytest

from equiproof.audits.hyfair import ceiling as ceilings
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.ceiling import BySigns, ceiling, flat, recheck
from equiproof.audits.hyfair.sign_search import neurons, prove
from equiproof.audits.hyfair.signs import SCALE, Signs, SignsError, check
from equiproof.audits.hyfair.tree import TreeError
from tests.audits.hyfair.small import everyone, judge_of, network


def case(seed):
    """The layers of a small network over all columns, the box, and the largest and least margin of the domain."""
    over = flat(judge_of(network(seed, (4, 3), groups=0.3)))
    layers, ends, _ = ceilings._side(over, (0, 19), 0)
    grid, margin = over.forward.grid, over.forward.margin
    exact = [margin(columns) * margin.unit for columns in grid.columns(everyone(grid)).tolist()]
    return layers, ends, int(max(exact)), int(min(exact))


def shown(layers, ends, limit):
    """Return evidence that no margin is above a limit, None where none is found."""
    return prove(layers, ends, lambda most: most <= limit, lambda: False)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_limit_that_holds_in_the_whole_box_is_shown_and_none_below_the_domain(seed):
    """The largest margin of the domain bounds what can be shown; a limit far above it always is."""
    layers, ends, largest, _ = case(seed)
    assert neurons(layers) == 7
    far = largest + abs(largest) + 10**9
    signs = shown(layers, ends, far)
    assert signs is not None
    check(layers, ends, signs, lambda most: most <= far)
    assert shown(layers, ends, largest - 1) is None
    with pytest.raises(SignsError, match="a margin may be larger than allowed"):
        check(layers, ends, signs, lambda most: most < largest)


def tightest(layers, ends, largest):
    """Return a limit near the least one that is shown, and its evidence."""
    low, high = largest - 1, largest + abs(largest)
    while high - low > abs(largest) // 2:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(layers, ends, middle) else (middle, high)
    return high, shown(layers, ends, high)


def test_every_part_of_the_evidence_is_needed():
    """A leaf's multipliers, a branch, a sign and the order of both sides: without any of them it is refused."""
    layers, ends, largest, _ = case(1)
    limit, signs = tightest(layers, ends, largest)
    allowed = limit.__ge__
    check(layers, ends, signs, allowed)
    leaves = [place for place, node in enumerate(signs.nodes) if node]
    assert len(leaves) > 5

    def changed(place, node):
        return Signs((*signs.nodes[:place], node, *signs.nodes[place + 1 :]))

    refused = 0
    for place in leaves:
        node = signs.nodes[place]
        for wrong in (node[:-1], (*node, 0), (*node[:-1], -1)):
            with pytest.raises(SignsError, match=r"leaf [0-9]+: want [0-9]+ multipliers of at least 0"):
                check(layers, ends, changed(place, wrong), allowed)
        try:
            check(layers, ends, changed(place, (0,) * len(node)), allowed)
        except SignsError:
            refused += 1
    assert refused > len(leaves) // 2
    for wrong, said in (
        (Signs(signs.nodes[:-1]), "branches of the tree have no leaf"),
        (Signs((*signs.nodes, ())), "the tree has ended before its nodes"),
        (Signs(((),)), "somebody may have these signs, and some neurons have none"),
        (Signs((None,) * (neurons(layers) + 1)), "the margin has no sign to choose"),
    ):
        with pytest.raises(SignsError, match=said):
            check(layers, ends, wrong, allowed)


def test_nobody_is_left_out_by_a_leaf_that_claims_an_empty_side():
    """Signs that somebody has are refused as empty, whatever the multipliers are."""
    layers, ends, largest, _ = case(2)
    depth = neurons(layers)
    for signs, scale in itertools.product((Signs(((),)), Signs((None, (1,), (1,)))), (1, 1 << SCALE)):
        nodes = tuple(None if node is None else tuple(scale * u for u in node) for node in signs.nodes)
        with pytest.raises(SignsError):
            check(layers, ends, Signs(nodes), lambda most: most <= largest + depth)


@pytest.mark.slow
def test_the_largest_k_is_bounded_by_signs_and_checked_again(monkeypatch):
    """The bound holds for every applicant; with fewer buckets the same evidence is refused, and so is half of it."""
    monkeypatch.setattr(ceilings, "branch", None)  # signs come first, and alone are enough
    found = 0
    for seed in range(8):
        judge = judge_of(network(seed, (4, 3), groups=0.3))
        truth = int(judge.judge(everyone(judge.forward.grid)).buckets.max())
        try:
            above = ceiling(judge, truth, Budget(40_000, 60))
        except TypeError:
            continue  # no evidence by signs: branch and bound is asked, which is not there
        if not isinstance(above.tree, BySigns):
            continue
        found += 1
        assert truth <= above.most == above.scores[1] - above.scores[0] + 1
        recheck(judge, above)
        assert above.tree.leaves == sum(side.leaves for side in above.tree.sides)
        for scores in ((above.scores[0] + 1, above.scores[1]), (above.scores[0], above.scores[1] - 1)):
            with pytest.raises(SignsError):
                recheck(judge, replace(above, scores=scores))
        with pytest.raises(TreeError, match="evidence by signs is about scores"):
            recheck(judge, replace(above, scores=None))
    assert found >= 1


def test_without_time_or_with_many_neurons_nothing_is_claimed():
    """The search ends, and branch and bound goes on."""
    layers, ends, largest, _ = case(1)
    assert prove(layers, ends, lambda most: most <= largest + 10**9, lambda: True) is None
    wide = flat(judge_of(network(1, (17,))))
    assert ceilings._by_signs(wide, (0, 19), Budget()) is None
