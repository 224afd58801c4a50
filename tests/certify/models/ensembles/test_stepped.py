"""A score and its network agree at every grid point."""

import itertools
import random
from dataclasses import replace

import pytest

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles import stepped
from equiproof.certify.models.ensembles.stepped import as_network
from equiproof.certify.network import NetworkError
from tests.additive_small import additive
from tests.certify.trees.ensembles import drawn, table_of
from tests.ensemble_small import ensemble


@pytest.mark.parametrize("bits", [(0, 0), (3, 0), (0, 3)], ids=str)
def test_network_and_ensemble_agree_everywhere(bits):
    """Logits are the scores, at a scale that is never coarser, at all points around the thresholds."""
    for seed in range(8):
        model = drawn(random.Random(seed), plain=2, sensitive=1, reach=2, depth=3)
        own = replace(model.additive, input_fraction_bits=bits[0], value_fraction_bits=bits[1])
        model = replace(model, additive=own)
        network = as_network(model)
        finer = max(0, bits[0] - bits[1])
        for point in itertools.product(range(-3, 4), repeat=3):
            assert network.logits(point) == (model.score(point) << finer,)
            assert network.decide(point) == model.decide(point)
        assert network.logit_fraction_bits == bits[1] + finer


@pytest.mark.parametrize("model", [additive(), ensemble()], ids=["additive", "ensemble"])
def test_labels_are_those_of_the_score(model):
    """Random points of a model of three plain columns and one sensitive one, with thresholds far from each other."""
    network, rng = as_network(model), random.Random(2)
    points = [[rng.randint(-4000, 4000), rng.randint(-400, 400), 0, rng.choice((0, 1024))] for _ in range(200)]
    labels = [network.decide(point) for point in points]
    assert labels == [model.decide(point) for point in points]
    assert {0, 1} <= set(labels)


def test_a_split_that_is_asked_twice_makes_no_leaf_of_both_ways():
    """Below its own high side the low side of a predicate is out of reach: its leaf is left out, not 1 somewhere."""
    model = EnsembleModel(additive(), table_of([(2, 5, (2, 1000, 7))]))
    ways = [(dict(way), value) for way, value in stepped._leaves(model)]
    assert sorted(ways, key=str) == sorted([({2: -1}, 5), ({2: 1}, 7)], key=str)


def test_too_many_leaves_are_refused_in_one_line(monkeypatch):
    """The limit is named in what the model has, with what to do."""
    monkeypatch.setattr(stepped, "MAX_WEIGHTS", 1000)
    with pytest.raises(NetworkError, match="leaves over 18 thresholds are too many for audits: want fewer trees"):
        as_network(ensemble())
