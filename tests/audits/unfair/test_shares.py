"""Bounds of the unfair share hold the share that enumeration finds, at every stop, and meet in it at the end."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.domain import domain_of
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.unfair.measured import Limits, measure
from equiproof.audits.unfair.networks import NetworkOnBoxes
from equiproof.audits.unfair.search import narrowing
from equiproof.audits.unfair.weights import Weights, of_rows, uniform
from equiproof.certify.network import QuantisedNetwork
from tests.audits.unfair.made import ROWS, SMALL, additive, context, counted, ensemble
from tests.support import RATES, changed, network

MANY = Limits(10**6, None)


def measured(model, limits=MANY, weights=None, **changes):
    """Return what is known of the domain of SMALL."""
    own = context(model, **changes)
    grid = domain_of(own, "")
    return measure(own, grid, weights or uniform(grid), limits)


def holds(steps, truth):
    """Check that all bounds hold the truth, and never widen."""
    unfair, fair, tied = truth
    for before, after in itertools.pairwise(steps):
        assert before.unfair <= after.unfair <= unfair
        assert before.fair <= after.fair <= fair
        assert after.total == sum(truth)
    last = steps[-1]
    assert (last.unfair, last.fair, last.tied, last.open_boxes) == (unfair, fair, tied, 0)


def zeroed(made: QuantisedNetwork) -> QuantisedNetwork:
    """Return a network with a tie wherever all neurons of its last layer are off."""
    *hidden, last = made.layers
    return QuantisedNetwork((*hidden, replace(last, biases=(0,) * len(last.biases))), *_bits(made))


def _bits(made):
    return made.input_fraction_bits, made.weight_fraction_bits


MODELS = {
    **{f"additive {seed}": additive(seed) for seed in range(6)},
    **{f"ensemble {seed}": ensemble(seed) for seed in range(6)},
    **{f"network {seed}": network(SMALL, (4, 3), seed, 0.5) for seed in range(4)},
    "network with ties": zeroed(network(SMALL, (2,), 5, 2.0)),
}


@pytest.mark.parametrize("name", MODELS)
def test_bounds_hold_what_enumeration_finds(name):
    """Of all kinds of models, rounds apart by single boxes included."""
    model = MODELS[name]
    truth = counted(model)
    whole = measured(model)
    holds(whole.steps, truth)
    assert (whole.levels is None) == (truth[0] == 0)
    for boxes in (1, 2, 3, 7, 20, 50):
        stopped = measured(model, Limits(boxes, None)).last
        assert stopped.unfair <= truth[0]
        assert stopped.fair <= truth[1]
        assert stopped.lower <= stopped.upper


def test_the_models_are_of_all_kinds():
    """Some are fair to all, most treat some unfairly, and there are ties."""
    truths = [counted(model) for model in MODELS.values()]
    assert any(unfair for unfair, _, _ in truths[:6])
    assert any(unfair for unfair, _, _ in truths[6:12])
    assert any(unfair for unfair, _, _ in truths[12:])
    assert truths[-1][2] > 0


def test_ties_of_scores_count_at_the_upper_end_only():
    """A score of 0 under one value and above or below 0 under another is neither fair nor unfair."""
    sides = set()
    for model in (additive(1), *(ensemble(seed) for seed in range(4))):
        scores = sorted({model.score((*query, *row)) for query in _queries() for row in SMALL.domain_table})
        for score in (scores[0], scores[len(scores) // 2], scores[-1]):
            own = getattr(model, "additive", model)
            moved = replace(own, bias=own.bias - score)
            shifted = moved if own is model else replace(model, additive=moved)
            truth = counted(shifted)
            found = measured(shifted)
            holds(found.steps, truth)
            assert found.last.width * sum(truth) == truth[2]
            sides |= {(score == scores[0], score == scores[-1])} if truth[2] else set()
    assert {(True, False), (False, True), (False, False)} <= sides


@pytest.mark.parametrize("seed", range(6))
def test_rounded_sums_are_bounds(seed, monkeypatch):
    """From a handful of sums on, each step of an additive model holds what enumeration finds."""
    monkeypatch.setattr("equiproof.audits.unfair.sums._FIRST_SUMS", 4)
    steps = measured(additive(seed)).steps
    assert len(steps) > 4
    holds(steps, counted(additive(seed)))


def _queries():
    plain = [[str(number) for number in range(25)], ("own", "rent"), ("none", "low", "high")]
    for income, housing, savings in itertools.product(*plain):
        yield SMALL.encode({"income": income, "housing": housing, "savings": savings})


@pytest.mark.parametrize("name", ["additive 0", "ensemble 2", "network 1"])
def test_weights_of_rows_are_the_product_of_what_each_feature_has(name):
    """Applicants are weighed by how many rows have each of their values, in whole numbers."""
    own = context(MODELS[name], rows=ROWS)
    grid = domain_of(own, "")
    weights, left = of_rows(own, grid)
    assert left == 0

    def weigh(row):
        return np.prod([sum(str(one[name]) == value for one in ROWS) for name, value in row.items()])

    assert weights.total == len(ROWS) ** 3
    assert not weights.positive
    holds(measured(MODELS[name], weights=weights, rows=ROWS).steps, counted(MODELS[name], weigh=weigh))


def test_values_that_the_spec_rounds_alike_have_one_weight():
    """Rows count once, whatever their value is called; bounds hold what enumeration finds."""
    spec = changed(SMALL, features=(changed(SMALL.features[0], scale="6000"), *SMALL.features[1:]))
    own = context(MODELS["network 1"], rows=ROWS, spec=spec)
    grid = domain_of(own, "")
    weights, left = of_rows(own, grid)
    assert (weights.total, left, len(weights.levels[0])) == (len(ROWS) ** 3, 0, 25)
    assert len({tuple(level) for level in grid.levels[0].tolist()}) < 25
    found = measure(own, grid, weights, MANY).last
    assert found.unfair + found.fair + found.tied == weights.total


def test_three_labels_are_told_apart():
    """Anybody who gets two of three labels is unfair, whichever they are."""
    spec = changed(
        RATES, features=(changed(RATES.features[0], range=("0", "40"), mean="20", scale="10"), *RATES.features[1:])
    )
    for seed in range(3):
        made = network(spec, (4,), seed, 0.5)
        grid = grid_of(spec)
        judges = [Judge(Forward(margin_of(made, label), grid)) for label in range(3)]
        holds(list(narrowing(NetworkOnBoxes(judges, uniform(grid)), uniform(grid), 10**6)), counted(made, spec))


@pytest.mark.parametrize("name", ["ensemble 3", "network 0"])
def test_threads_change_nothing(name, monkeypatch):
    """Batches are booked in order, whichever ends first."""
    monkeypatch.setattr("equiproof.audits.unfair.search._BATCH", 2)
    monkeypatch.setattr(NetworkOnBoxes, "most_counted", 4)
    one, several = (measured(MODELS[name], Limits(10**6, None, threads)).steps for threads in (1, 3))
    assert len(one) > 5
    assert one == several


def test_boxes_without_applicants_are_settled_by_bounds(monkeypatch):
    """With bounds alone, down to boxes of one applicant, the share is the same."""
    monkeypatch.setattr(NetworkOnBoxes, "most_counted", 1)
    made = MODELS["network 2"]
    found = measured(made)
    holds(found.steps, counted(made))
    assert found.last.boxes > 50


def test_weights_beyond_machine_integers():
    """Domains of any size have whole weights; those of boxes add up."""
    huge = Weights(tuple((10**30 + place, 3, 10**25) for place in range(3)))
    assert huge.total == sum(huge.box(places, places) for places in itertools.product(range(3), repeat=3))
    places = np.array(list(itertools.product(range(3), repeat=3)))
    assert sum(huge.applicants(places)) == huge.total
    merged = huge.merged(((0, 2), (0,), (0, 1, 2)))
    assert merged.total == huge.total
    assert merged.levels[0] == (10**30 + 3, 10**25)
    sums = measured(additive(2), weights=Weights(((10**20,) * 25, (1, 7), (1, 2, 3)))).last
    assert sums.total == 25 * 10**20 * 8 * 6
    assert sums.unfair + sums.fair + sums.tied == sums.total
