"""Padding of networks: inputs and hidden neurons of weight zero, which move no logit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import TypeVar

import msgspec

from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.spec import Spec

T = TypeVar("T")


@dataclass(frozen=True)
class Idle:
    """What a network has besides what can move a logit: `columns` are its own of `padded` non-sensitive ones.

    `used` has a bit per neuron of each hidden layer; the others have neither weights nor a bias, and weigh nothing.
    """

    columns: int
    padded: int
    used: tuple[tuple[bool, ...], ...]

    @classmethod
    def of(cls, network: QuantisedNetwork, spec: Spec) -> Idle:
        """Find what is idle; columns of the padding are so only together, and of each layer one neuron is used."""
        own = spec.own_columns
        end = spec.plain_columns
        # The spec states one size to pad to, so its columns can only be left out together.
        moved = any(any(row[own:end]) for row in network.layers[0].weights)
        used = tuple(_used(below, above) for below, above in pairwise(network.layers))
        return cls(end if moved else own, end, used)

    @classmethod
    def nothing(cls, network: QuantisedNetwork, spec: Spec) -> Idle:
        """Return that everything is used."""
        return cls(spec.plain_columns, spec.plain_columns, tuple((True,) * size for size in network.hidden))

    def __bool__(self) -> bool:
        """Return whether anything is idle."""
        return self.columns < self.padded or not all(map(all, self.used))

    def reduced(self, network: QuantisedNetwork, spec: Spec) -> tuple[QuantisedNetwork, Spec]:
        """Return network and spec without what is idle: every query has the same logits."""
        if self.columns < self.padded:
            network, spec = without_columns(network, spec)
        layers = list(network.layers)
        for depth, used in enumerate(self.used):
            here = layers[depth]
            above = layers[depth + 1]
            layers[depth] = Layer(tuple(compress(here.weights, used)), tuple(compress(here.biases, used)))
            layers[depth + 1] = Layer(tuple(tuple(compress(row, used)) for row in above.weights), above.biases)
        return replace(network, layers=tuple(layers)), spec

    def cut(self, query: Sequence[int]) -> tuple[int, ...]:
        """Return a query of n_x integers without the columns that are idle."""
        return (*query[: self.columns], *query[self.padded :])

    def spread(self, depth: int, values: Sequence[T], idle: T) -> tuple[T, ...]:
        """Return values of the used neurons of hidden layer `depth`, from 1, with one for each of the others."""
        remainder = iter(values)
        return tuple(next(remainder) if used else idle for used in self.used[depth - 1])

    def appended(self, values: Sequence[T], idle: T) -> tuple[T, ...]:
        """Return values of the network's own non-sensitive columns, with one for each of the padding."""
        return (*values, *[idle] * (self.padded - self.columns))


def pad_network(network: QuantisedNetwork, spec: Spec, columns: int, hidden: Sequence[int]) -> QuantisedNetwork:
    """Return a network of `columns` non-sensitive columns and of larger hidden layers, with the same logits.

    `spec` is that of the network, which is not padded. New columns come after its own ones, before the sensitive ones;
    new neurons are the last of their layer, with weights and biases of 0. Raises NetworkError where a size shrinks, and
    for another depth.
    """
    sizes = tuple(zip(network.hidden, hidden, strict=False))
    if len(hidden) != len(network.hidden) or any(own > most for own, most in sizes) or columns < spec.own_columns:
        raise NetworkError(f"{network!r} does not fit into {columns} columns and hidden layers {tuple(hidden)}")
    first = _widened(network.layers[0], spec.own_columns, columns - spec.own_columns)
    return _with_neurons(replace(network, layers=(first, *network.layers[1:])), hidden)


def without_columns(network: QuantisedNetwork, spec: Spec) -> tuple[QuantisedNetwork, Spec]:
    """Return network and spec without the columns of the padding.

    These are 0 in every query, so whatever their weights are, every applicant has the same logits.
    """
    if not spec.padding:
        return network, spec
    own = spec.own_columns
    end = spec.plain_columns
    first = network.layers[0]
    cut = Layer(tuple(row[:own] + row[end:] for row in first.weights), first.biases)
    return replace(network, layers=(cut, *network.layers[1:])), msgspec.structs.replace(spec, pad_to=msgspec.UNSET)


def same_model(network: QuantisedNetwork, padded: QuantisedNetwork) -> bool:
    """Return whether a network is another one, of the same columns, but for idle neurons after its own."""
    inputs = (network.inputs, network.logit_count, len(network.layers))
    if inputs != (padded.inputs, padded.logit_count, len(padded.layers)):
        return False
    if any(own > there for own, there in zip(network.hidden, padded.hidden, strict=True)):
        return False
    return _with_neurons(network, padded.hidden) == padded


def _used(layer: Layer, above: Layer) -> tuple[bool, ...]:
    """Return which neurons of a layer have a weight or a bias, or weigh something above; the first, if none does."""
    out = zip(*above.weights, strict=True)
    used = [any(row) or bool(bias) or any(way) for row, bias, way in zip(layer.weights, layer.biases, out, strict=True)]
    # A layer of no neuron does not exist; one idle neuron moves no logit and may stay.
    return tuple(used) if any(used) else (True, *used[1:])


def _with_neurons(network: QuantisedNetwork, hidden: Sequence[int]) -> QuantisedNetwork:
    """Return a network with idle neurons after those of each hidden layer, up to its size."""
    above = zip(network.layers[1:], hidden, strict=True)
    layers = [network.layers[0], *(_widened(layer, layer.inputs, most - layer.inputs) for layer, most in above)]
    outputs = (*hidden, network.logit_count)
    return replace(network, layers=tuple(_heightened(*one) for one in zip(layers, outputs, strict=True)))


def _widened(layer: Layer, place: int, more: int) -> Layer:
    """Return a layer with so many more inputs at a place, all of weight 0."""
    zeros = (0,) * more
    return Layer(tuple(row[:place] + zeros + row[place:] for row in layer.weights), layer.biases)


def _heightened(layer: Layer, outputs: int) -> Layer:
    """Return a layer with neurons of weight and bias 0 after its own."""
    more = outputs - layer.outputs
    return Layer(layer.weights + ((0,) * layer.inputs,) * more, layer.biases + (0,) * more)
