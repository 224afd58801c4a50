"""Simulated certificates: radii of the product's search, what a shown level tells, families of models."""

import math

import msgspec

from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.leak.certificates import certificate, family, interval, invented, simulated
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Feature, checked
from tests.certify.leak.made import UNIT, additive, drawn, linear, linear_certificates, spec


def test_a_certificate_has_the_distance_to_the_nearest_wrong_decision():
    """Of a linear model: the distance to the nearer of the hyperplanes of both sensitive values, rounded down."""
    row, bias = linear(4).layers[0].weights[0], linear(4).layers[0].biases[0]
    length = sum(weight * weight for weight in row[:4])
    for one in linear_certificates(4, 6):
        sums = [sum(a * b for a, b in zip(row, (*one.query, s), strict=True)) + bias for s in (-UNIT, UNIT)]
        assert one.label == int(sums[0] > 0) == int(sums[1] > 0)
        assert one.radius_squared == min(value * value for value in sums) // length


def test_unfair_queries_have_no_certificate():
    """A sensitive weight above all others leaves nobody a certificate."""
    assert certificate(linear(3, sensitive=90 * UNIT), spec(3), (0, 0, 0)) is None
    assert simulated(linear(3, sensitive=90 * UNIT), spec(3), drawn(3, 4)) == []


def test_no_search_begins_after_the_time():
    """A limit of no seconds leaves all queries out; a clock of one's own counts them."""
    assert simulated(linear(3), spec(3), drawn(3, 4), max_seconds=-1.0) == []
    ticks = iter(range(9))
    assert len(simulated(linear(3), spec(3), drawn(3, 9), max_seconds=3.0, clock=lambda: next(ticks))) == 2


def test_a_shown_level_tells_an_interval():
    """Exact radii tell one number, levels the range up to the next, labels alone nothing."""
    assert interval(50, None) == (50, 51)
    assert interval(50, (10, 40, 90)) == (40, 90)
    assert interval(40, (10, 40, 90)) == (40, 90)
    assert interval(39, (10, 40, 90)) == (10, 40)
    assert interval(9, (10, 40, 90)) == (0, 10)
    assert interval(90, (10, 40, 90)) == (90, None)
    assert interval(50, ()) == (0, None)


def test_families_are_told_apart():
    """Neurons whose kinks cancel are linear, also as multiples of one another; others are a network."""
    model = linear(3)
    first, last = model.layers
    assert family(model) == "linear"
    tripled = Layer(
        (tuple(3 * weight for weight in first.weights[0]), first.weights[1]), (3 * first.biases[0], first.biases[1])
    )
    assert family(QuantisedNetwork((tripled, Layer(((1, -3),), (0,))), 10, (10, 0))) == "linear"
    assert family(QuantisedNetwork((tripled, last), 10, (10, 0))) == "network"
    assert family(QuantisedNetwork((first, Layer(((1, 1),), (-5,))), 10, (10, 0))) == "network"
    two = Layer(((-1, 0), (0, -1)), (0, 0))
    assert family(QuantisedNetwork((first, two), 10, (10, 0))) == "linear"
    deep = Layer(((1, 0), (0, 1)), (0, 0))
    assert family(QuantisedNetwork((first, deep, last), 10, (10, 0, 0))) == "network"
    card = additive(3, 5)
    assert family(card) == "additive"
    assert family(EnsembleModel(card, NodeTable(1, (0, 1), ((1, 0), (0, 0)), (5, -5, 5)))) == "ensemble"


def test_chosen_applications_mix_the_values_of_rows():
    """Every feature has the columns of some row together, and combinations are new; the seed decides them."""
    numbers, *others = spec(3).features
    kind = Feature("kind", "categorical", "one-hot", sensitive=False, domain=("a", "b", "c"))
    mixed = checked(msgspec.structs.replace(spec(3), features=(numbers, kind, *others), pad_to=8))
    rows = [
        {"p0": place, "p1": -place, "p2": math.pi * place, "s": 1, "kind": "abc"[place % 3]} for place in range(1, 6)
    ]
    known = [mixed.encode(row) for row in rows]
    queries = invented(mixed, known, 40, seed=2)
    assert queries == invented(mixed, known, 40, seed=2) != invented(mixed, known, 40, seed=3)
    for first, end in ((0, 1), (1, 4), (4, 5), (5, 6), (6, mixed.plain_columns)):
        assert {query[first:end] for query in queries} <= {one[first:end] for one in known}
    assert set(queries) - set(known)
