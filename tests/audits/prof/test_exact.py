"""Decisions in integers: of many inputs at once, and of whole boxes."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from audits.prof.exact import Alike, Differing, Unsettled, compare, least_margin
from audits.prof.similar import Similarity
from certify.decisions import TIE, decisions
from certify.network import Layer, QuantisedNetwork
from tests.audits.prof.tiny import CLASSES, LOANS, network, queries


@pytest.mark.parametrize("spec", [LOANS, CLASSES])
def test_many_decisions_are_those_of_the_network(spec):
    """Every label is the one that the network decides in integers."""
    net = network(spec)
    rows = np.concatenate([Similarity.of(spec).points(query) for query in queries(spec, 30)])
    assert decisions(net, rows).tolist() == [net.decide(row) for row in rows.tolist()]


def test_a_tie_is_told_where_floats_cannot():
    """2^60 + 1 - 2^60 is 1 and decided; one less is a tie, though the floats of both are the same."""
    wide = QuantisedNetwork((Layer(((1,),), (1 << 60,)), Layer(((1,),), (-(1 << 60),))), 8, (8, 8))
    assert decisions(wide, np.array([[0], [1], [-1]])).tolist() == [TIE, 1, 0]


@pytest.mark.parametrize("seed", range(6))
def test_boxes_are_answered_as_every_point_of_them(seed):
    """A relaxed relation over 2 x 11 x 27 inputs is answered as by deciding every one of them."""
    net = network(LOANS, seed=seed)
    similarity = Similarity.of(LOANS, {"amount": Fraction(1, 2)})
    for query in queries(LOANS, 5, seed):
        boxes = similarity.boxes(query)
        listed = [
            point
            for low, high in boxes
            for point in itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))
        ]
        labels = set(decisions(net, np.array(listed)).tolist())
        answer = compare(net, boxes)
        if len(labels) == 1 and TIE not in labels:
            assert answer == Alike(labels.pop())
        else:
            assert isinstance(answer, Differing)
            assert [net.decide(inputs) for inputs in answer.inputs] == list(answer.labels)
            assert answer.labels[0] != answer.labels[1] or None in answer.labels
            assert all(any(all(a <= v <= b for a, v, b in zip(low, inputs, high, strict=True)) for low, high in boxes)
                       for inputs in answer.inputs)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_least_margins_are_bounds(seed):
    """No input of a box has a smaller margin than the bound, which is an integer."""
    net, rng = network(LOANS, seed=seed), np.random.default_rng(seed)
    low = rng.integers(-300, 300, size=4)
    high = low + rng.integers(1, 400, size=4)
    bound = least_margin(net, low.tolist(), high.tolist(), (1,))
    assert type(bound) is int
    drawn = rng.integers(low, high + 1, size=(300, 4)).tolist()
    assert min(net.logits(inputs)[0] for inputs in drawn) >= bound


def test_a_budget_that_ends_is_no_verdict():
    """Where one box does not settle it and there is budget for no more, nothing is claimed."""
    net = network(LOANS, seed=3)
    relaxed = Similarity.of(LOANS, {"amount": "1/10"})
    answers = [compare(net, relaxed.boxes(query), max_boxes=1) for query in queries(LOANS, 40)]
    unsettled = [answer for answer in answers if isinstance(answer, Unsettled)]
    assert unsettled
    assert unsettled[0].reason == "1 boxes were not enough"
    assert not any(isinstance(answer, Alike) for answer in answers)
