"""Clauses under a network: counting against enumeration, and against stochastic satisfiability."""

import random
from fractions import Fraction

import pytest

from equiproof.audits.fvgm import clauses, ssat
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.enumeration import enumerated
from equiproof.audits.fvgm.network import BOOLEAN, Choice, Network, NetworkError, boolean
from tests.audits.fvgm.drawn import drawn_case, drawn_network


def drawn_clauses(rng, network):
    """A random CNF over a network's values."""
    found = set()
    for _ in range(rng.randint(0, 4)):
        names = rng.sample(list(network.values), min(rng.randint(1, 3), len(network.values)))
        found.add(
            frozenset(
                (name, frozenset(rng.sample(network.values[name], rng.randint(1, len(network.values[name]) - 1))))
                for name in names
            )
        )
    return Clauses(frozenset(found))


@pytest.mark.slow
def test_counting_agrees_with_enumeration():
    """Random formulas over random networks, mediators included: counting equals enumeration exactly."""
    for seed in range(400):
        rng = random.Random(seed)
        _, network, options = drawn_case(rng)
        model = drawn_clauses(rng, network)
        for group in network.groups():
            truth = enumerated(model.accepts, network, group, **options)
            assert clauses.acceptance(model, network, group, **options).low == truth


def test_stochastic_satisfiability_agrees_with_counting():
    """The network written as clauses gives the largest and the smallest share of any group.

    The solver goes through the assignments of the parameters: networks of more than seven are left out.
    """
    drawn = [(rng, drawn_network(rng, (1, 4), largest=2)) for rng in map(random.Random, range(60))]
    small = [(rng, network) for rng, network in drawn if len(ssat.encoded(network).parameters) <= 7]
    assert len(small) >= 20
    for rng, network in small:
        model = drawn_clauses(rng, network)
        found = [clauses.acceptance(model, network, group).low for group in network.groups()]
        assert ssat.probability(ssat.problem(model, network, "exists")) == max(found)
        assert ssat.probability(ssat.problem(model, network, "forall")) == min(found)


def test_encoding_has_the_size_of_lemma_3():
    """n indicators and one parameter for each row: n + |theta| variables and 2 (n + |theta|) clauses."""
    network = Network(
        (Choice("a", BOOLEAN),),
        (boolean("b", ["a"], true=["0.3", "0.6"]), boolean("c", ["a", "b"], true=["0.1", "0.2", "0.3", "0.4"])),
    )
    written = ssat.encoded(network)
    assert len(written.indicators) + len(written.parameters) == 3 + 6
    assert len(written.formula) == 2 * (3 + 6)


def test_correlation_is_what_independence_misses():
    """Two features correlated in one group only: independence calls the classifier fair, the network does not."""
    model = Clauses.boolean(["x", "y"], ["~x", "~y"])  # accepted where exactly one holds
    rows = {"0": "1/4", "1": "3/4"}
    joined = Network(
        (Choice("a", BOOLEAN),),
        (boolean("x", true=["1/2"]), boolean("y", ["a", "x"], true=["1/2", "1/2", rows["0"], rows["1"]])),
    )
    apart = Network((Choice("a", BOOLEAN),), (boolean("x", true=["1/2"]), boolean("y", true=["1/2"])))
    share = lambda network, a: clauses.acceptance(model, network, {"a": a}).low  # noqa: E731
    assert [share(apart, a) for a in "01"] == [Fraction(1, 2)] * 2
    assert [share(joined, a) for a in "01"] == [Fraction(1, 2), Fraction(1, 4)]


def test_unknown_features_and_values_are_refused():
    """A clause over what the network does not have raises, naming it; so does a network that is not Boolean."""
    network = Network((), (boolean("x", true=["1/2"]),))
    with pytest.raises(NetworkError, match="a clause names 'z'"):
        clauses.acceptance(Clauses.boolean(["z"]), network, {})
    with pytest.raises(NetworkError, match="'2' is not one of 0, 1"):
        clauses.acceptance(Clauses(frozenset([frozenset([("x", frozenset("2"))])])), network, {})
    with pytest.raises(NetworkError, match="Boolean"):
        ssat.encoded(Network((Choice("a", ("f", "m", "x")),), ()))
