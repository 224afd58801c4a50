"""Step 2: the paper's worked example, and laws of the smallest change."""

import itertools

import numpy as np
import pytest

from equiproof.audits.prof.demands import Demand, forms
from equiproof.audits.prof.program import Change, NoChange, Rows, repair_layer
from equiproof.audits.prof.sets import Box, Points, Polytope
from tests.audits.prof.worked import BIASES, EXACT, FEATURES, SYMBOLIC, WEIGHTS


def logits_between(held):
    """Return the least and the largest logit over a set before any repair."""
    low = held.least(WEIGHTS[0]) + BIASES[0]
    return low, -held.least(-WEIGHTS[0]) + BIASES[0]


def points(rng, count, features):
    """Return sets of three points each."""
    return [Points(rng.uniform(0, 2, size=(3, features))) for _ in range(count)]


def by_brute_force(weights, biases, sets, demand):
    """Return the smallest change over every choice of labels."""
    labels = range(max(2, len(biases)))
    outcomes = [
        repair_layer(weights, biases, sets, demand, labels=chosen)
        for chosen in itertools.product(labels, repeat=len(sets))
    ]
    return min(change.objective for change in outcomes if isinstance(change, Change))


@pytest.mark.parametrize(("held", "least"), [(FEATURES, -1.8), (SYMBOLIC, -0.96), (EXACT, -0.6)])
def test_the_worked_examples_bounds_before_repair(held, least):
    """Concrete [-1.8, 1], symbolic [-0.96, 1], exact [-0.6, 1]."""
    assert logits_between(held) == pytest.approx((least, 1.0), abs=1e-9)


@pytest.mark.parametrize(("held", "objective"), [(FEATURES, 9 / 70), (SYMBOLIC, 24 / 245), (EXACT, 3 / 40)])
def test_the_worked_examples_objectives(held, objective):
    """The naive change is 9/70, the symbolic one 24/245, the true one 3/40."""
    outcome = repair_layer(WEIGHTS, BIASES, [held], Demand())
    assert isinstance(outcome, Change)
    assert outcome.objective == pytest.approx(objective, abs=1e-9)
    assert outcome.proven
    assert outcome.labels == (1,)
    repaired = held.least((WEIGHTS + outcome.weights)[0]) + float((BIASES + outcome.biases)[0])
    assert repaired >= -1e-9


@pytest.mark.parametrize(("logits", "seed"), [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)])
def test_labels_are_chosen_as_well_as_any(logits, seed):
    """No choice of labels costs less than the one that the program makes; its bound agrees."""
    rng = np.random.default_rng(seed)
    weights, biases = rng.normal(size=(logits, 3)), rng.normal(size=logits) * 0.2
    sets, demand = points(rng, 4, 3), Demand(margin=0.05, largest=20.0)
    outcome = repair_layer(weights, biases, sets, demand)
    assert isinstance(outcome, Change)
    assert outcome.objective == pytest.approx(by_brute_force(weights, biases, sets, demand), rel=1e-5, abs=1e-7)
    assert outcome.bound == pytest.approx(outcome.objective, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize(("logits", "seed"), [(1, 3), (2, 11), (3, 3), (3, 30)])
def test_other_labels_are_tried_where_the_nearest_ones_cannot_be_had(logits, seed):
    """Sets that cross cannot keep their nearest labels, even with no limit on weights; other labels can be had."""
    rng = np.random.default_rng(seed)
    weights, biases = rng.normal(size=(logits, 2)), rng.normal(size=logits) * 0.2
    sets, demand = points(rng, 3, 2), Demand(margin=0.05)
    outcome = repair_layer(weights, biases, sets, demand)
    assert isinstance(outcome, Change)
    assert outcome.objective == pytest.approx(by_brute_force(weights, biases, sets, demand), rel=1e-5, abs=1e-7)
    assert outcome.bound == pytest.approx(outcome.objective, rel=1e-4, abs=1e-7)


def test_crossing_sets_share_a_label_and_others_keep_theirs():
    """Logits h - 1.2: 1 to 1.5 and 0.9 to 1.3 can only share a label, and the weight falls by 0.4 / 1.5; 5 stays."""
    sets = [Points(np.array([[low], [high]])) for low, high in ((1.0, 1.5), (0.9, 1.3), (5.0, 5.0))]
    outcome = repair_layer(np.array([[1.0]]), np.array([-1.2]), sets, Demand(margin=0.1))
    assert isinstance(outcome, Change)
    assert outcome.labels == (0, 0, 1)
    assert outcome.objective == pytest.approx(0.4 / 1.5, abs=1e-8)
    assert outcome.proven


def test_larger_sets_cost_more():
    """Points in a polytope in a box: their smallest changes are in the same order (theorem 2)."""
    rng = np.random.default_rng(5)
    lines = (rng.normal(size=(4, 2)), rng.normal(size=4))
    inputs = rng.uniform(-1, 1, size=(40, 2))
    features = np.maximum(inputs @ lines[0].T + lines[1], 0.0)
    box = Box(features.min(axis=0), features.max(axis=0))
    slack = features.max(axis=0) + 1.0
    polytope = Polytope(box, Box(-np.ones(2), np.ones(2)), lines, (lines[0], lines[1] + slack))
    weights = rng.normal(size=(1, 4))
    biases = np.array([-float(np.median(features @ weights[0]))])
    least, middle, most = (
        repair_layer(weights, biases, [held], Demand(margin=0.1)).objective
        for held in (Points(features), polytope, box)
    )
    assert 0 < least <= middle + 1e-9
    assert middle <= most + 1e-9


@pytest.mark.parametrize("logits", [1, 3])
def test_rounding_is_inside_the_guarantee(logits):
    """Weights and biases that are off by as much as was said, whichever way, keep the margin."""
    rng = np.random.default_rng(3)
    weights, biases = rng.normal(size=(logits, 3)), rng.normal(size=logits)
    sets, demand = points(rng, 5, 3), Demand(margin=0.01, delta=0.05, delta_b=0.02, largest=20.0)
    outcome = repair_layer(weights, biases, sets, demand)
    assert isinstance(outcome, Change)
    for _ in range(200):
        moved = weights + outcome.weights + rng.choice([-0.05, 0.05], size=weights.shape)
        shifted = biases + outcome.biases + rng.choice([-0.02, 0.02], size=biases.shape)
        for held, label in zip(sets, outcome.labels, strict=True):
            margins = forms(label, logits) @ (moved @ held.features.T + shifted[:, None])
            assert margins.min() >= 0.01 - 1e-7


def test_what_is_fair_already_is_left_alone():
    """A layer that decides alike with the margin needs no change."""
    outcome = repair_layer(WEIGHTS, np.array([5.0]), [FEATURES], Demand(margin=0.1))
    assert isinstance(outcome, Change)
    assert outcome.objective == 0.0
    assert not outcome.weights.any()


def test_infeasible_limits_are_reported():
    """Where weights may not fall and the margin cannot be had, the answer is a reason, and certain."""
    held = Points(np.array([[1.0], [0.0]]))
    outcome = repair_layer(np.array([[-1.0]]), np.array([0.0]), [held], Demand(margin=0.1, largest=0.5), labels=(1,))
    assert isinstance(outcome, Change)
    assert outcome.objective == pytest.approx(1.1)
    assert 0.5 - 1e-9 <= float(outcome.weights[0, 0]) <= 1.0 + 1e-9
    two = [Points(np.array([[1.0]])), Points(np.array([[1.0]]))]
    none = repair_layer(np.array([[1.0]]), np.array([0.0]), two, Demand(margin=0.1, largest=2.0), labels=(0, 1))
    assert isinstance(none, NoChange)
    assert none.certain
    assert "no change within the limits" in none.reason


def by_all_rows(weights, biases, sets, demand, rows):
    """Return the smallest change over every choice of labels and of the rows that are right, None if there is none."""
    held = [Points(one[None]) for one in rows.features]
    sizes = []
    for chosen in itertools.product(range(max(2, len(biases))), repeat=len(sets)):
        for right in itertools.combinations(range(len(held)), rows.least):
            labels = [*chosen, *(int(rows.labels[r]) for r in right)]
            change = repair_layer(weights, biases, [*sets, *(held[r] for r in right)], demand, labels=labels)
            sizes += [change.objective] if isinstance(change, Change) else []
    return min(sizes, default=None)


def kept_question(logits, seed, least):
    """Return a layer, sets, a demand and six rows whose labels the layer often gets wrong."""
    rng = np.random.default_rng(seed)
    weights, biases = rng.normal(size=(logits, 3)), rng.normal(size=logits) * 0.2
    sets, demand = points(rng, 3, 3), Demand(margin=0.05, delta=0.01, delta_b=0.01, largest=20.0)
    rows = Rows(rng.uniform(0, 2, size=(6, 3)), rng.integers(max(2, logits), size=6), least)
    return weights, biases, sets, demand, rows


@pytest.mark.sampled(2, each="least logits")
@pytest.mark.parametrize("least", [3, 5])
@pytest.mark.parametrize(("logits", "seed"), [(1, 0), (1, 2), (1, 4), (3, 1)])
def test_rows_are_kept_at_the_least_cost(logits, seed, least):
    """No choice of labels and of rows costs less than the program's; rounding leaves enough rows right."""
    weights, biases, sets, demand, rows = kept_question(logits, seed, least)
    outcome, least_cost = (call(weights, biases, sets, demand, rows) for call in (kept, by_all_rows))
    if least_cost is None:
        assert isinstance(outcome, NoChange)
        assert outcome.certain
        return
    assert isinstance(outcome, Change)
    assert outcome.objective == pytest.approx(least_cost, rel=1e-5, abs=1e-7)
    assert outcome.bound == pytest.approx(outcome.objective, rel=1e-4, abs=1e-7)
    rng = np.random.default_rng(seed)
    for _ in range(50):
        moved = weights + outcome.weights + rng.choice([-0.01, 0.01], size=weights.shape)
        shifted = biases + outcome.biases + rng.choice([-0.01, 0.01], size=biases.shape)
        logits_of = rows.features @ moved.T + shifted
        decided = (logits_of[:, 0] > 0) if logits == 1 else logits_of.argmax(axis=1)
        assert (decided == rows.labels).sum() >= least


def kept(weights, biases, sets, demand, rows):
    """Return the change that keeps rows."""
    return repair_layer(weights, biases, sets, demand, rows=rows)


def test_keeping_rows_costs_more_only_where_it_binds():
    """With no rows to keep the change is the smallest of all; each more costs at least as much, and some cost more."""
    costs = []
    for least in range(5):
        outcome = kept(*kept_question(1, 2, least))
        costs.append(outcome.objective if isinstance(outcome, Change) else np.inf)
    free = repair_layer(*kept_question(1, 2, 0)[:4])
    assert costs[0] == free.objective
    assert all(a <= b * (1 + 1e-6) for a, b in itertools.pairwise(costs))
    assert costs[0] < costs[-1]


def test_rows_are_kept_with_given_labels_too():
    """Labels that are fixed stay, and the rows cost what the best choice of them costs."""
    weights, biases, sets, demand, rows = kept_question(1, 4, 4)
    free = repair_layer(weights, biases, sets, demand)
    labels = tuple(1 - label for label in free.labels)
    outcome = repair_layer(weights, biases, sets, demand, labels=labels, rows=rows)
    held = [Points(one[None]) for one in rows.features]
    costs = []
    for right in itertools.combinations(range(6), 4):
        fixed = [*labels, *(int(rows.labels[r]) for r in right)]
        change = repair_layer(weights, biases, [*sets, *(held[r] for r in right)], demand, labels=fixed)
        costs += [change.objective] if isinstance(change, Change) else []
    assert outcome.labels == labels
    assert outcome.objective == pytest.approx(min(costs), rel=1e-5)


def test_rows_need_limited_weights():
    """Without a limit on the weights no big M is known."""
    weights, biases, sets, _, rows = kept_question(1, 0, 3)
    with pytest.raises(ValueError, match="set Demand"):
        repair_layer(weights, biases, sets, Demand(margin=0.05), rows=rows)
