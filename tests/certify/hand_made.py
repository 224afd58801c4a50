"""Networks on the spec LOANS whose every number can be worked out by hand."""

from __future__ import annotations

from equiproof.certify.network import Layer, QuantisedNetwork

FAR = 1 << 20
"""A bias that keeps a neuron on, and its hyperplane farther away than any income."""


def by_income():
    """Grant exactly above the mean income: the logit is the income's integer, whatever the sex."""
    return _network(((1, 0, 0, 0), FAR), (1, -FAR))


def by_sex():
    """Grant exactly to men: they have the integer 1024 (0.5 of scale 0.5 above the mean), women -1024."""
    return _network(((0, 0, 0, 1), 0), (1, -512))


def never():
    """Decide nothing: the logit is 0 everywhere."""
    return _network(((0, 0, 0, 0), 0), (0, 0))


def _network(hidden, top):
    (weights, bias), (weight, offset) = hidden, top
    layers = (Layer((weights,), (bias,)), Layer(((weight,),), (offset,)))
    return QuantisedNetwork(layers, 10, (0, 0))
