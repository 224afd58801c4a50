"""Ensembles in level order: scores as by walking nested trees, and what is no forest is refused."""

import random

import pytest

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import Child, EnsembleModel, NodeTable
from tests.certify.trees.ensembles import drawn, nested, walked

STUMP = NodeTable(1, (0,), ((0, 0),), (3, -2))


def additive(predicates=2):
    """An additive model of one plain and one sensitive column."""
    return AdditiveModel((0, 1)[:predicates], (5, 0)[:predicates], (0, 0)[:predicates], 1, 1, 1, 0)


def test_a_node_goes_low_up_to_its_threshold():
    """And high above it; the value of the leaf is added to the additive score."""
    model = EnsembleModel(additive(), STUMP)
    assert [model.score((x, 0)) for x in (4, 5, 6)] == [4, 4, -1]
    assert [model.decide((x, 0)) for x in (5, 6)] == [1, 0]
    assert EnsembleModel(additive(), NodeTable(1, (0,), ((0, 0),), (-1, 0))).decide((5, 0)) is None
    assert model.logits((5, 0)) == (4,)
    assert (model.plain, model.sensitive, model.inputs, model.predicates) == (1, 1, 2, (1, 1))
    assert "5" not in repr(model)


def test_children_follow_from_the_order():
    """Two trees: the first has a node below its low side, the second one below its high side."""
    table = NodeTable(2, (0, 1, 1, 0), ((1, 0), (0, 1), (0, 0), (0, 0)), (10, 20, 31, 32, 41, 42))
    assert table.children == (
        (Child(True, 2), Child(False, 10)),
        (Child(False, 20), Child(True, 3)),
        (Child(False, 31), Child(False, 32)),
        (Child(False, 41), Child(False, 42)),
    )
    assert table.sizes == (2, 4)


def test_scores_are_those_of_nested_trees():
    """Random ensembles, walked as trees within trees, at random inputs."""
    rng = random.Random(1)
    for _ in range(100):
        model = drawn(rng)
        trees = nested(model)
        for _ in range(20):
            inputs = [rng.randint(-6, 6) for _ in range(model.inputs)]
            assert model.score(inputs) == model.additive.score(inputs) + sum(walked(tree, inputs) for tree in trees)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((0, (0,), ((0, 0),), (1, 2)), "0 trees with 1 nodes"),
        ((2, (0,), ((0, 0),), (1, 2, 3)), "2 trees with 1 nodes"),
        ((1, (0,), ((0, 2),), (1, 2)), "not two bits"),
        ((1, (0,), (), (1, 2)), "not two bits"),
        ((1, (0, 0), ((0, 0), (0, 1)), (1, 2, 3)), "node 1 belongs to no tree"),
        ((1, (0, 0), ((1, 1), (0, 0)), (1, 2, 3)), "3 nodes and 3 leaves"),
        ((1, (0,), ((0, 0),), (1, 2, 3)), "1 nodes and 3 leaves"),
        ((1, (0,), ((0, 0),), (1 << 15, 2)), "16 signed bits"),
        ((1, (0,), ((0, 0),), (1.0, 2)), "not a plain integer"),
        ((1, (0,), ((0, True),), (1, 2)), "not a plain integer"),
    ],
)
def test_what_is_no_forest_is_refused(parts, said):
    """With the place."""
    with pytest.raises(EnsembleError, match=said):
        NodeTable(*parts)


def test_a_node_without_a_predicate_is_refused():
    """Nodes ask predicates of the additive part."""
    with pytest.raises(EnsembleError, match=r"node 0 refers to an unknown predicate \(there are 1\)"):
        EnsembleModel(additive(1), NodeTable(1, (1,), ((0, 0),), (1, 2)))
