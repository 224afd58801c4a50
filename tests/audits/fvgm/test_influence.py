"""Influence functions against their definition by enumeration."""

import itertools
import random
from fractions import Fraction

import pytest

from equiproof.audits.fvgm.influence import influence, ranking
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.metrics import disparate_impact, share, shares
from equiproof.audits.fvgm.network import BOOLEAN, Choice, Network, NetworkError, boolean
from tests.audits.fvgm.drawn import drawn_case


def drawn_share(linear, network, group, features):
    """The share of a group where the classifier reads features uniformly at random, by adding up everything."""
    total = Fraction(0)
    names = [chance.name for chance in network.chances]
    for values in itertools.product(*(chance.values for chance in network.chances)):
        own = {**group, **dict(zip(names, values, strict=True))}
        weight = Fraction(1)
        for chance in network.chances:
            weight *= network.row(chance, own)[chance.values.index(own[chance.name])]
        for read in itertools.product(*(network.values[name] for name in features)):
            share = weight
            for name in features:
                share /= len(network.values[name])
            if linear.accepts({**own, **dict(zip(features, read, strict=True))}, network):
                total += share
    return total


def test_influence_is_its_definition():
    """FIF of random subsets in random networks: the share minus the one with features drawn, exactly."""
    for seed in range(60):
        rng = random.Random(seed)
        linear, network, _ = drawn_case(rng)
        if len(network.chances) > 5:
            continue
        names = [chance.name for chance in network.chances]
        features = rng.sample(names, rng.randint(1, min(2, len(names))))
        group = rng.choice(list(network.groups()))

        def measure(linear, network, group=group):
            return share(linear, network, group, arithmetic="exact")

        found = influence(measure, linear, network, features)
        expected = drawn_share(linear, network, group, []) - drawn_share(linear, network, group, features)
        assert found.low == found.high == expected


def test_ranking_puts_the_feature_that_drives_the_gap_first():
    """A feature that alone carries the groups' difference is first; drawing it lifts the disparate impact to 1."""
    network = Network(
        (Choice("a", BOOLEAN),),
        (boolean("proxy", ["a"], true=["1/10", "9/10"]), boolean("fair", true=["1/2"])),
    )
    linear = Linear.boolean({"proxy": 2, "fair": 1}, 2)
    found = ranking(lambda model, joint: disparate_impact(shares(model, joint, arithmetic="exact")), linear, network)
    assert [name for name, _ in found] == ["proxy", "fair"]
    assert found[0][1].low == Fraction(1, 9) - 1


def test_sensitive_features_are_not_drawn():
    """A sensitive feature is a group, not an influence."""
    network = Network((Choice("a", BOOLEAN),), (boolean("x", true=["1/2"]),))
    with pytest.raises(NetworkError, match="a: not a plain feature"):
        influence(lambda model, joint: share(model, joint, {"a": "0"}), Linear.boolean({"x": 1}, 1), network, ["a"])
