"""Forms that are carried down together are those that are carried down one after the other, whatever their size."""

import random
from itertools import pairwise

import pytest

from equiproof.certify.branch.backward import Slopes, bound_start, round_down, slopes_of, split_parts, through
from equiproof.certify.branch.descents import descents
from equiproof.certify.branch.evidence import LayerBounds
from equiproof.certify.network import Layer, QuantisedNetwork
from tests.certify.branch.cases import parameters_of
from tests.certify.tiny import Case

SIZES = (3, 4, 3, 2, 1)
DEEPEST = len(SIZES) - 2
"""The number of the last hidden layer."""


def numbers(rng, count, bits):
    """Return integers of so many bits, both signs, with zeros and the extreme ones."""
    return tuple(rng.choice((0, 1 - (1 << bits), (1 << bits) - 1, rng.getrandbits(bits))) for _ in range(count))


def network_of(rng, weight_bits, bias_bits):
    """Return a network with biases beyond what any shape allows: arithmetic must hold for them, too."""
    layers = [
        Layer(tuple(numbers(rng, inputs, weight_bits) for _ in range(outputs)), tuple(numbers(rng, outputs, bias_bits)))
        for inputs, outputs in pairwise(SIZES)
    ]
    return QuantisedNetwork(tuple(layers), 1, (0,) * len(layers))


def bounds_of(rng, width, unit, bits):
    """Return bounds whose slopes are anything up to the unit, and offsets of so many bits."""
    lower, upper = (tuple(rng.choice((0, unit, rng.randint(0, unit))) for _ in range(width)) for _ in range(2))
    return LayerBounds((), (), lower, upper, tuple(abs(one) for one in numbers(rng, width, bits)), (), ())


def one_by_one(network, parameters, top, layers):
    """Carry the form of every neuron and then its negative down, by the arithmetic of the checker."""
    for sign in (1, -1):
        for neuron in range(network.hidden[top - 1]):
            coefficients, constant = bound_start(network, top, neuron, sign)
            parts = []
            for j in range(top - 1, 0, -1):
                coefficients, constant = round_down(coefficients, constant, parameters.rounding[top - 2][j - 1])
                parts.append(split_parts(coefficients))
                slopes = Slopes(layers[j - 1].lower, layers[j - 1].upper, layers[j - 1].offset)
                mu, offset = slopes_of(coefficients, *parts[-1], None, slopes, (), parameters.unit)
                coefficients, constant = through(network.layers[j - 1], mu, parameters.unit * constant - offset)
            yield coefficients, constant, parts


@pytest.mark.parametrize("top", range(2, DEEPEST + 1))
@pytest.mark.parametrize("bits", [(3, 4, 4), (11, 20, 30), (15, 40, 50), (15, 61, 61), (15, 62, 63), (15, 64, 200)])
def test_forms_are_those_of_the_checker(bits, top):
    """In int64, beyond it, and where only some numbers are; all of them are Python's own integers."""
    weight_bits, bias_bits, offset_bits = bits
    for seed in range(20):
        rng = random.Random(seed)
        network = network_of(rng, weight_bits, bias_bits)
        parameters = parameters_of(Case(network, (0, 0), ((0,), (1,))))
        layers = [bounds_of(rng, width, parameters.unit, offset_bits) for width in network.hidden]
        made = list(descents(network, parameters, top, layers))
        assert made == list(one_by_one(network, parameters, top, layers))
        for coefficients, constant, parts in made:
            row = [*coefficients, constant, *(value for part in parts for side in part for value in side)]
            assert {type(value) for value in row} == {int}
