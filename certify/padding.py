"""Padding of networks: inputs and hidden neurons of weight zero, which move no logit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.spec import Spec


def pad_network(network: QuantisedNetwork, spec: Spec, columns: int, hidden: Sequence[int]) -> QuantisedNetwork:
    """Return a network of `columns` non-sensitive columns and of larger hidden layers, with the same logits.

    `spec` is that of the network, which is not padded. New columns come after its own ones, before the sensitive ones;
    new neurons are the last of their layer, with weights and biases of 0. Raises NetworkError where a size shrinks, and
    for another depth.
    """
    sizes = tuple(zip(network.hidden, hidden, strict=False))
    if len(hidden) != len(network.hidden) or any(own > most for own, most in sizes) or columns < spec.own_columns:
        raise NetworkError(f"{network!r} does not fit into {columns} columns and hidden layers {tuple(hidden)}")
    layers = [_widened(network.layers[0], spec.own_columns, columns - spec.own_columns)]
    layers += [_widened(layer, layer.inputs, most - layer.inputs)
               for layer, most in zip(network.layers[1:], hidden, strict=True)]  # fmt: skip
    outputs = (*hidden, network.logit_count)
    return replace(network, layers=tuple(_heightened(*one) for one in zip(layers, outputs, strict=True)))


def without_columns(network: QuantisedNetwork, spec: Spec) -> tuple[QuantisedNetwork, Spec]:
    """Return network and spec without the columns of the padding.

    These are 0 in every query, so whatever their weights are, every applicant has the same logits.
    """
    own, end = spec.own_columns, spec.plain_columns
    first = network.layers[0]
    cut = Layer(tuple(row[:own] + row[end:] for row in first.weights), first.biases)
    return replace(network, layers=(cut, *network.layers[1:])), msgspec.structs.replace(spec, pad_to=msgspec.UNSET)


def _widened(layer: Layer, place: int, more: int) -> Layer:
    """Return a layer with so many more inputs at a place, all of weight 0."""
    zeros = (0,) * more
    return Layer(tuple(row[:place] + zeros + row[place:] for row in layer.weights), layer.biases)


def _heightened(layer: Layer, outputs: int) -> Layer:
    """Return a layer with neurons of weight and bias 0 after its own."""
    more = outputs - layer.outputs
    return Layer(layer.weights + ((0,) * layer.inputs,) * more, layer.biases + (0,) * more)
