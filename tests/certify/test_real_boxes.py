"""Boxes around applicants of trained models: whoever lies inside is decided as the box says."""

import math
import random
from functools import cache

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.box_search import decide_on_box
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.data import load
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.people import Box
from equiproof.certify.trees.box import worst
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.categories import choices_of
from equiproof.circuits.shape import network_box_shape
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, is_listed

ROOM = (64, 1024, 4096)
"""Leaves, slots and rows that do for every box here."""

HIDDEN = (16, 8)
"""The hidden layers of the network."""

POINTS = 100
"""Points in each box that is decided."""


@cache
def lending(encoding):
    """Return the generated data set."""
    return load("lending", encoding=encoding)


@cache
def trained(kind):
    """Return a model of a kind, and the data set that it was trained on.

    Those of the network and of the second forest have a column for each value of a category.
    """
    data = lending("one-hot" if kind in ("network", "open forest") else "rank")
    if kind == "network":
        return quantise(train(data, HIDDEN, decay=1e-3)[0], data.spec), data
    own = kind.removeprefix("open ")
    score, _, _ = train_additive(data, own, rounds=40, **({"depth": 3} if own == "forest" else {}))
    return quantise_score(score, data.spec), data


def around(spec, row, rng):
    """Return ends by feature: up to three features may change, a number or an order upwards, a listed one anyhow."""
    ends = {}
    changing = rng.sample([feature.name for feature in spec.plain_features], rng.randint(1, 3))
    for feature in spec.plain_features:
        value, moves = row[feature.name], feature.name in changing
        if is_listed(feature):
            ends[feature.name] = feature.domain if moves else (value,)
        elif feature.kind == "categorical":
            ends[feature.name] = (value, feature.domain[-1] if moves else value)
        else:
            cap = float(feature.range[1])
            most = value + moves * rng.random() * (cap - value)
            ends[feature.name] = (value, math.floor(most) if feature.whole else most)
    return ends


def inside(spec, ends, rng):
    """Return the raw values of somebody in a box, at its ends as often as not."""
    row = {}
    for feature in spec.plain_features:
        values = ends[feature.name]
        if feature.kind == "categorical" and not is_listed(feature):
            first, last = map(feature.domain.index, values)
            values = feature.domain[first : last + 1]
        elif feature.kind != "categorical" and rng.random() < 0.5:
            drawn = rng.uniform(*values)
            values = (round(drawn) if feature.whole else drawn,)
        row[feature.name] = rng.choice(values)
    return row


def decision(model, values):
    """Return the label that a model decides, None for a tie."""
    return decide(model.logits(values)) if isinstance(model, QuantisedNetwork) else model.decide(values)


def decided(model, box, spec):
    """Return the label of everybody in a box, None where there is none."""
    for label in (0, 1):
        if isinstance(model, AdditiveModel):
            found = worst(model, box, spec.domain_table, label).decided
        elif isinstance(model, QuantisedNetwork):
            parameters = shape_parameters(network_box_shape(spec, HIDDEN, ROOM[0]))
            tree = decide_on_box(parameters, model, box, spec.domain_table, label, ROOM[0])
            found = isinstance(tree, BranchEvidence)
        else:
            leaves = box_leaves(model, box, spec.domain_table, label, ROOM)
            found = isinstance(leaves, EnsembleEvidence)
            if not found:
                refuted(model, box, spec, label, leaves)
        if found:
            return label
    return None


def refuted(model, box, spec, label, found):
    """Hold that somebody in a box, with one value of each category, is decided otherwise."""
    assert found.reason == "wrong"
    assert all(low <= x <= high for low, x, high in zip(box.low, found.point, box.high, strict=True))
    for choice in box.choices:
        values = [found.point[column] for column in choice.columns]
        assert sorted(values) == [*[choice.low] * (choice.values - 1), choice.high]
    assert found.row in spec.domain_table
    assert model.decide((*found.point, *found.row)) != label


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scorecard", "boosting", "forest", "open forest", "network"])
def test_points_inside_boxes_are_decided_as_the_box_says(kind):
    """Around a hundred applicants, 5,000 points at least, with every listed value of the sensitive features."""
    model, data = trained(kind)
    spec, rng, points, labels, open_ones = data.spec, random.Random(kind), 0, [], 0
    for row in rng.sample(data.rows, 100):
        ends = around(spec, row, rng)
        integers = OpenedBox(*OPENED_BOX, ends, "0").integers(spec)
        label = decided(model, Box(integers.low, integers.high, choices_of(spec)), spec)
        open_ones += label is None
        if label is None:
            continue
        labels.append(label)
        for _ in range(POINTS):
            query = spec.encode(inside(spec, ends, rng))
            assert all(low <= x <= high for low, x, high in zip(integers.low, query, integers.high, strict=True))
            assert {decision(model, (*query, *line)) for line in spec.domain_table} == {label}
        points += POINTS
    assert points >= 5000
    assert {*labels} == {0, 1}
    assert open_ones > 0
