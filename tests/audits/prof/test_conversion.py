"""Floats of a committed network, and integers of a calibrated one."""

from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.prof.conversion import committed, dyadic, features, rounded
from tests.audits.prof.tiny import LOANS, floats, network, queries
from tests.support import changed


def test_floats_of_a_committed_network_are_its_integers():
    """Weights and biases as floats give the logits of the integers, to the last bit that floats have."""
    net = network(LOANS)
    weights, biases = dyadic(net)
    row = (*queries(LOANS, 1)[0], *LOANS.domain_table[3])
    values = np.array(row) / LOANS.scale_unit
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        values = np.maximum(weight @ values + bias, 0)
    assert values == pytest.approx(features(net, np.array([row]))[0], rel=1e-12)
    logit = weights[-1] @ values + biases[-1]
    assert logit == pytest.approx(np.array(net.logits(row)) / 2.0**net.logit_fraction_bits, rel=1e-12)


def test_committing_floats_of_a_network_gives_the_network_again():
    """Integers that become floats and integers again are the same, but for sensitive weights that lose a fraction."""
    net = network(LOANS)
    again = committed(*dyadic(net), changed(LOANS, threshold="0.25"))
    assert again == net


def test_sensitive_weights_are_rounded_towards_zero():
    """In layer 1 no weight of a sensitive column is larger than its float, and none is a whole step smaller."""
    made = floats(LOANS, (4, 3), seed=5)
    net = committed(made.weights, made.biases, LOANS)
    unit = 2.0 ** -net.weight_fraction_bits[0]
    exact = made.weights[0][:, LOANS.plain_columns :]
    integers = np.array(net.layers[0].weights)[:, LOANS.plain_columns :] * unit
    assert (np.abs(integers) <= np.abs(exact)).all()
    assert (np.abs(exact) - np.abs(integers) < unit).all()
    assert (integers * exact >= 0).all()


def test_a_last_layer_is_rounded_half_up():
    """Weights at their own scale, biases at that of the logits."""
    layer = rounded(np.array([[0.5, -0.5, 0.24]]), np.array([0.3]), scale=0, below=2)
    assert layer.weights == ((1, 0, 0),)
    assert layer.biases == (int(Fraction(0.3) * 4 + Fraction(1, 2)),)
