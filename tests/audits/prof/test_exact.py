"""Decisions in integers: of many inputs at once, and of whole boxes."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.prof.exact import Alike, Differing, Unsettled, compare, least_margin
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import TIE, decisions
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.audits.prof.tiny import CLASSES, LOANS, coarse, network, queries


@pytest.mark.parametrize("spec", [LOANS, CLASSES])
def test_many_decisions_are_those_of_the_network(spec):
    """Every label is the one that the network decides in integers."""
    net = network(spec)
    rows = np.concatenate([Similarity.of(spec).points(query) for query in queries(spec, 30)])
    assert decisions(net, rows).tolist() == [net.decide(row) for row in rows.tolist()]


def test_a_tie_is_found_where_floats_cannot():
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
            assert (None in answer.labels) == (len(labels - {TIE}) < 2)
            assert answer.labels[0] != answer.labels[1] or None in answer.labels
            assert all(any(all(a <= v <= b for a, v, b in zip(low, inputs, high, strict=True)) for low, high in boxes)
                       for inputs in answer.inputs)  # fmt: skip


HINGE = QuantisedNetwork((Layer(((1,), (-1,)), (0, 0)), Layer(((1, -1),), (0,))), 8, (8, 8))
"""Its logit is its input: a tie at 0, label 1 above and label 0 below."""
RAMP = QuantisedNetwork((Layer(((1,),), (0,)), Layer(((1,),), (0,))), 8, (8, 8))
"""Its logit is its input, and 0 below: no input is decided as label 0."""


@pytest.mark.parametrize("places", [*itertools.permutations((-1, 0, 2))])
def test_a_tie_hides_no_unfair_pair(places):
    """In whatever order a tie and two decisions are met, the answer is the two decisions."""
    answer = compare(HINGE, [((place,), (place,)) for place in places])
    assert isinstance(answer, Differing)
    assert dict(zip(answer.inputs, answer.labels, strict=True)) == {(-1,): 0, (2,): 1}


@pytest.mark.parametrize("ends", [(0, 40), (-40, 40), (-40, 0), (-40, -3), (0, 0)])
def test_a_tie_beside_one_decision_is_reported(ends):
    """Where every decided input of a box has one label, a tie stands beside one of them, or beside itself."""
    answer = compare(RAMP, [((ends[0],), (ends[1],))])
    assert isinstance(answer, Differing)
    assert answer.labels == ((1 if ends[1] > 0 else None), None)
    assert [RAMP.decide(inputs) for inputs in answer.inputs] == list(answer.labels)


@pytest.mark.sampled(2, each="spec")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", [LOANS, CLASSES])
def test_ties_change_no_answer_about_the_decided(spec, seed):
    """Coarse networks tie often: boxes with ties are answered as every point of them says, two decisions first."""
    net, similarity = coarse(spec, seed), Similarity.of(spec, {"amount": Fraction(1, 5)})
    tied = 0
    for query in queries(spec, 12, seed):
        boxes = similarity.boxes(query)
        listed = {
            point
            for low, high in boxes
            for point in itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))
        }
        labels, answer = {net.decide(point) for point in listed}, compare(net, boxes, 1 << 20)
        tied += None in labels
        decided = labels - {None}
        if len(decided) > 1:
            assert isinstance(answer, Differing)
            assert None not in answer.labels
            assert answer.labels[0] != answer.labels[1]
        elif None in labels:
            assert isinstance(answer, Differing)
            assert None in answer.labels
        else:
            assert answer == Alike(decided.pop())
    assert tied


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
    assert unsettled[0].reason == "the limit of 1 boxes was reached"
    assert not any(isinstance(answer, Alike) for answer in answers)
