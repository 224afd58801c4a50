"""Boxes around applicants of trained models: whoever lies inside is decided as the box says."""

import math
import random

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.people import Box
from equiproof.certify.trees.box import worst
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.categories import choices_of
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, is_listed

ROOM = (64, 1024, 4096)
"""Leaves, slots and rows that do for every box here."""

POINTS = 100
"""Points in each box that is decided."""


@pytest.fixture(scope="module")
def lending():
    """The generated data set."""
    return load("lending")


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


def decided(model, box, spec):
    """Return the label of everybody in a box, None where there is none."""
    for label in (0, 1):
        if isinstance(model, AdditiveModel):
            if worst(model, box, spec.domain_table, label).decided:
                return label
        elif isinstance(box_leaves(model, box, spec.domain_table, label, ROOM), EnsembleEvidence):
            return label
    return None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scorecard", "boosting", "forest"])
def test_points_inside_boxes_are_decided_as_the_box_says(lending, kind):
    """Around a hundred applicants, 5,000 points at least, with every listed value of the sensitive features."""
    spec, rng, points, labels, open_ones = lending.spec, random.Random(kind), 0, [], 0
    score, _, _ = train_additive(lending, kind, rounds=40, **({"depth": 3} if kind == "forest" else {}))
    model = quantise_score(score, spec)
    for row in rng.sample(lending.rows, 100):
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
            assert {int(model.score((*query, *line)) >= 1) for line in spec.domain_table} == {label}
        points += POINTS
    assert points >= 5000
    assert {*labels} == {0, 1}
    assert open_ones > 0
