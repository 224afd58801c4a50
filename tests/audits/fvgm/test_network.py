"""Networks refuse what has no single meaning, and order their features parents first."""

import random
from fractions import Fraction

import pytest

from equiproof.audits.fvgm.enumeration import EnumerationError, enumerated
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import BOOLEAN, Chance, Choice, Network, NetworkError, boolean
from tests.audits.fvgm.drawn import drawn_network

HALF = (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize(
    ("chances", "message"),
    [
        ([boolean("a", true=["1/2"])], "same name"),
        ([boolean("x", ["y"], true=["1/2", "1/2"])], "no variable is called 'y'"),
        ([boolean("x", ["a", "a"], true=["1/2"] * 4)], "a parent is named twice"),
        ([boolean("x", ["a"], true=["1/2"])], "1 rows"),
        ([Chance("x", BOOLEAN, (), ((Fraction(1, 2), Fraction(1, 3)),))], "not a distribution"),
        ([Chance("x", BOOLEAN, (), ((Fraction(3, 2), Fraction(-1, 2)),))], "not a distribution"),
        ([Chance("x", ("0", "0"), (), (HALF,))], "named twice"),
        ([boolean("x", ["y"], true=["1/2"] * 2), boolean("y", ["x"], true=["1/2"] * 2)], "cycle"),
    ],
)
def test_what_has_no_single_meaning_is_refused(chances, message):
    """Names, parents, tables and edges that do not fit raise, naming the variable."""
    with pytest.raises(NetworkError, match=message):
        Network((Choice("a", BOOLEAN),), tuple(chances))


def test_order_has_parents_first():
    """In the order of every random network each chance stands once, behind its parents."""
    for seed in range(200):
        network = drawn_network(random.Random(seed))
        done = {choice.name for choice in network.choices}
        for chance in network.order:
            assert set(chance.parents) <= done
            done.add(chance.name)
        assert len(network.order) == len(network.chances)


def test_groups_and_classifiers_are_held_to_the_network():
    """A group or weight that the network does not know raises."""
    network = Network((Choice("a", BOOLEAN),), (boolean("x", true=["1/2"]),))
    with pytest.raises(NetworkError, match="nothing else"):
        network.check_group({})
    with pytest.raises(NetworkError, match="'2' is not one of 0, 1"):
        network.check_group({"a": "2"})
    with pytest.raises(NetworkError, match="weights for 'y', which is not a variable"):
        Linear.boolean({"y": 1}, 0).check(network)
    with pytest.raises(NetworkError, match="3 weights for 2 values"):
        Linear({"x": (0, 1, 2)}, 0).check(network)


def test_enumeration_refuses_more_than_it_can_do():
    """More than 2^22 assignments raise and say how many."""
    network = Network((), tuple(boolean(f"x{i}", true=["1/2"]) for i in range(23)))
    with pytest.raises(EnumerationError, match=str(2**23)):
        enumerated(lambda values: True, network, {})


def asks(read):
    """A classifier that accepts where some variables have some values."""
    return lambda values: all(values[name] == value for name, value in read.items())


def test_what_is_above_some_variables_keeps_their_distribution():
    """Leaving out what is below or apart changes no share of a classifier that does not read it."""
    for seed in range(100):
        rng = random.Random(seed)
        network = drawn_network(rng, (3, 6))
        names = [chance.name for chance in network.chances]
        read = {name: rng.choice(network.values[name]) for name in rng.sample(names, 2)}
        part = network.above(read)
        assert {chance.name for chance in part.chances} >= set(read)
        assert part.choices == network.choices
        for group in network.groups():
            assert enumerated(asks(read), network, group) == enumerated(asks(read), part, group)
