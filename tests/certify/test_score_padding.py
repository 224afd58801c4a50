"""Padded scores: the same value for every input, the same radii, slots, rows and leaves; and what padding may hide."""

import random
from dataclasses import replace

import pytest

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.models.ensembles.unpadded import without_padding
from equiproof.certify.score_padding import pad_additive, pad_ensemble
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under as ensemble_search
from equiproof.certify.trees.search import search_under
from equiproof.circuits.standard import INPUT_BITS, unpadded
from equiproof.circuits.standard_scores import StandardScore
from tests.certify.trees.ensembles import drawn as drawn_ensemble
from tests.prover.additive_case import drawn
from tests.support import KEPT, LOANS, applicant

TOP = (1 << (INPUT_BITS - 1)) - 1
SHAPE = StandardScore(6, (20, 8), 20)
TREES = StandardScore(6, (20, 8), 20, (9, 60), 60)


def padded_additive(model):
    """Return a model in the sizes of SHAPE."""
    return pad_additive(model, SHAPE.columns, SHAPE.predicates, INPUT_BITS)


def padded_ensemble(model):
    """Return a model in the sizes of TREES."""
    return pad_ensemble(model, TREES.columns, TREES.predicates, TREES.nodes, INPUT_BITS)


def ensemble(seed, trees=5, depth=3):
    """Return an ensemble whose thresholds lie among applicants' values."""
    found = drawn_ensemble(random.Random(seed), plain=3, sensitive=1, predicates=14, trees=trees, depth=depth)
    own = found.additive
    places = zip(own.columns, own.thresholds, strict=True)
    thresholds = tuple(t * 256 if column < own.plain else t * 1024 for column, t in places)
    return replace(found, additive=replace(own, thresholds=thresholds, input_fraction_bits=10))


def spread(rng, own, plain):
    """Return inputs around thresholds and at the ends of the width, and the same with values in the padding."""
    values = [*own.thresholds, *(t + 1 for t in own.thresholds), -TOP - 1, TOP, 0]
    for _ in range(60):
        query, sensitive = rng.choices(values, k=own.plain), rng.choices(values, k=own.sensitive)
        yield (*query, *sensitive), (*query, *rng.choices(values, k=plain - own.plain), *sensitive)


@pytest.mark.parametrize("seed", range(6))
def test_no_score_moves(seed):
    """Additive models and ensembles have their own value everywhere, whatever stands in the padded columns."""
    rng = random.Random(seed)
    own = drawn(LOANS, seed, 7, seed % 3)
    assert padded_additive(own).predicates == SHAPE.predicates
    for before, after in spread(rng, own, SHAPE.columns):
        assert padded_additive(own).score(after) == own.score(before)
    trees = ensemble(seed)
    grown = padded_ensemble(trees)
    assert (grown.predicates, grown.nodes.sizes) == (TREES.predicates, TREES.nodes)
    for before, after in spread(rng, trees.additive, TREES.columns):
        assert grown.score(after) == trees.score(before)


@pytest.mark.parametrize("nodes", [(5, 60), (9, 60), (40, 60)])
def test_trees_and_splits_fill_the_shape(nodes):
    """With no further tree, with some, and with many: all leaves of the padding are equal below one place."""
    own = ensemble(3)
    grown = pad_ensemble(own, 4, (20, 8), nodes, INPUT_BITS)
    assert grown.nodes.sizes == nodes
    for root in range(own.nodes.roots, nodes[0]):
        assert [child.number for child in grown.nodes.children[root]] == [0, 0] or root == nodes[0] - 1
    for before, after in spread(random.Random(1), own.additive, 4):
        assert grown.score(after) == own.score(before)


def test_trees_of_one_node_are_padded():
    """Where all trees are roots alone, the splits of the padding grow below the last one that was added."""
    own = EnsembleModel(
        AdditiveModel((0, 3), (5, 7), (0, 0), 1, 3, 1, 10), NodeTable(2, (0, 1), ((0, 0), (0, 0)), (1, 2, 3, 4))
    )
    grown = pad_ensemble(own, 3, (2, 1), (3, 10), INPUT_BITS)
    assert grown.nodes.values[:4] == (1, 2, 3, 4)
    assert set(grown.nodes.values[4:]) == {0}
    assert [grown.score((x, 0, 0, s)) for x in (5, 6) for s in (7, 8)] == [5, 6, 6, 7]


def test_predicates_of_the_padding_are_far_from_everybody():
    """They stand at the upper end of the width, in the last column, past the model's own ones that stand there."""
    own = AdditiveModel((0, 2, 2, 3), (0, TOP - 1, TOP, 5), (1, 2, 3, 4), 0, 3, 1, 10)
    made = pad_additive(own, 3, (6, 2), INPUT_BITS)
    assert list(zip(made.columns, made.thresholds, made.jumps, strict=True)) == [
        (0, 0, 1),
        *((2, TOP - below, 0) for below in (4, 3, 2)),
        (2, TOP - 1, 2),
        (2, TOP, 3),
        (3, 5, 4),
        (3, TOP, 0),
    ]
    wide = pad_additive(own, 5, (6, 1), INPUT_BITS)
    assert [column for column, jump in zip(wide.columns, wide.jumps, strict=True) if not jump] == [4, 4, 4]
    assert wide.columns[-1] == 5


def test_a_size_never_shrinks():
    """Columns, predicates, trees and nodes only grow; splits of the padding need a predicate of it."""
    own, trees = drawn(LOANS, 1, 7, 1), ensemble(1)
    for columns, predicates in ((2, (9, 1)), (3, (6, 1)), (3, (9, 0))):
        with pytest.raises(EnsembleError, match="does not fit into"):
            pad_additive(own, columns, predicates, INPUT_BITS)
    count, nodes = trees.predicates, trees.nodes.sizes
    with pytest.raises(EnsembleError, match="need a predicate of the padding"):
        pad_ensemble(trees, 3, count, nodes, INPUT_BITS)
    for wrong in ((nodes[0] - 1, nodes[1]), (nodes[0] + 1, nodes[1]), (nodes[0], nodes[1] - 1)):
        with pytest.raises(EnsembleError, match="does not fit into"):
            pad_ensemble(trees, 3, (count[0] + 1, count[1]), wrong, INPUT_BITS)


@pytest.mark.parametrize("spec", [LOANS, KEPT], ids=["everybody", "ranges"])
def test_radius_slots_and_leaves_stay_those_of_the_model(spec):
    """An additive model's search finds the same before and after padding."""
    searched = 0
    for seed in range(12):
        own = drawn(spec, seed, 7, 1)
        row = applicant(spec, random.Random(seed))
        made, wide = padded_additive(own), SHAPE.spec(spec)
        before = search_under(own, spec, spec.encode(row), max_leaves=16)
        after = search_under(made, wide, wide.encode(row), max_leaves=16)
        assert type(before) is type(after)
        if isinstance(before, Counterexample):
            continue
        searched += 1
        assert (after.radius_squared, len(after.evidence.slots), after.leaves) == (
            before.radius_squared,
            len(before.evidence.slots),
            before.leaves,
        )
    assert searched >= 6


def test_radius_slots_and_leaves_stay_those_of_the_ensemble():
    """An ensemble's search, too: predicates and splits of the padding are dead in every ball."""
    searched = 0
    for seed in range(12):
        own, row = ensemble(seed), applicant(LOANS, random.Random(seed))
        made, wide = padded_ensemble(own), TREES.spec(LOANS)
        before = ensemble_search(own, LOANS, LOANS.encode(row), max_leaves=32)
        after = ensemble_search(made, wide, wide.encode(row), max_leaves=32)
        assert type(before) is type(after)
        if isinstance(before, Counterexample):
            continue
        searched += 1
        assert (after.radius_squared, len(after.evidence.slots), after.evidence.size) == (
            before.radius_squared,
            len(before.evidence.slots),
            before.evidence.size,
        )
    assert searched >= 6


def test_without_its_padding_a_model_decides_alike():
    """The own model comes back; a jump in the padding, which nobody passes or everybody, goes into the bias."""
    own, wide = drawn(LOANS, 4, 7, 1), SHAPE.spec(LOANS)
    made = padded_additive(own)
    assert without_padding(made, wide) == (own, unpadded(wide))
    first, second = (i for i, column in enumerate(made.columns) if 3 <= column < 6 and i in (7, 8))
    thresholds = list(made.thresholds)
    thresholds[first] = -5
    jumps = list(made.jumps)
    jumps[first], jumps[second] = 300, 400
    lying = replace(made, thresholds=tuple(thresholds), jumps=tuple(jumps))
    bare = without_padding(lying, wide)[0]
    for before, _ in spread(random.Random(2), own, 6):
        assert bare.score(before) == lying.score((*before[:3], 0, 0, 0, *before[3:])) == own.score(before) + 300


def test_a_model_without_jumps_keeps_a_predicate():
    """What is left has a threshold of a plain column, as every model has."""
    own = AdditiveModel((0, 3), (5, 7), (0, 0), 1, 3, 1, 10)
    bare, _ = without_padding(padded_additive(own), SHAPE.spec(LOANS))
    assert bare.predicates == (1, 0)
    assert bare.score((9, 0, 0, 9)) == 1


@pytest.mark.parametrize("nodes", [(5, 60), (9, 60)])
def test_trees_without_their_padding_decide_alike(nodes):
    """Splits and trees of the padding are gone, with and without a column of padding; leaves of the model stay."""
    own = ensemble(3)
    for columns in (3, 6):
        wide = StandardScore(columns, (20, 8), 20, nodes, 60).spec(LOANS)
        bare, spec = without_padding(pad_ensemble(own, columns, (20, 8), nodes, INPUT_BITS), wide)
        assert spec == unpadded(wide)
        assert bare.predicates[0] <= own.predicates[0]
        assert bare.nodes.sizes[0] <= own.nodes.sizes[0]
        assert bare.nodes.sizes[1] <= own.nodes.sizes[1]
        for before, _ in spread(random.Random(4), own.additive, 6):
            assert bare.score(before) == own.score(before)


def test_trees_that_are_constant_are_in_the_bias():
    """A tree by padded columns alone is its leaf at 0; without any tree the model is additive."""
    additive = AdditiveModel((0, 3, 3, 6), (5, -2, 7, 9), (0, 0, 0, 0), 1, 6, 1, 10)
    made = EnsembleModel(additive, NodeTable(1, (1, 2), ((0, 1), (0, 0)), (10, 20, 30)))
    bare, _ = without_padding(made, SHAPE.spec(LOANS))
    assert isinstance(bare, AdditiveModel)
    assert bare.score((0, 0, 0, 0)) == made.score((0,) * 7) == 21
