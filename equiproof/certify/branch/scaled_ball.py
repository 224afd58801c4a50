"""One slice's ball in floats: the network's hidden layers, each scaled so that numbers have a size of about 1.

The way y from the query is in units of the radius, so that the ball is |y| <= 1; every neuron is divided by the larger
of its bounds in size. Margins are divided by their value at the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from math import sqrt
from operator import add

import numpy as np

from equiproof.certify.branch.arrays import Bools, Floats
from equiproof.certify.branch.cutting import Room
from equiproof.certify.branch.evidence import LayerBounds
from equiproof.certify.branch.making import SliceBounds
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import Row
from equiproof.circuits.branch_parameters import Parameters


@dataclass(frozen=True, repr=False)
class ScaledLayer:
    """A hidden layer of n neurons over k inputs, scaled: z = `weights` x + `biases`, h = relu(z).

    Shapes are (n, k) for the weights and (n,) for the rest. A free neuron has h <= `upper` z + `offset`, its chord.
    `scale` times a scaled value is the network's own. `neurons` is the layer's place among all hidden neurons.
    `unstable` neurons have bounds on both sides of 0; stable ones are `active` or always 0.
    """

    weights: Floats
    biases: Floats
    upper: Floats
    offset: Floats
    scale: Floats
    unstable: Bools
    active: Bools
    neurons: slice


@dataclass(frozen=True, repr=False)
class Objective:
    """A margin over the scaled h of the last hidden layer, shape (n,), divided by `unit`, its value at the query."""

    row: Floats
    bias: float
    unit: float


def reach_of(radius_squared: int) -> float:
    """Return the unit of ways from the query: the radius, or 1 where that is 0."""
    return sqrt(max(1, radius_squared))


class ScaledBall:
    """One slice's ball of one squared radius in grid units: scaled layers, and the room of columns, if any."""

    def __init__(
        self,
        parameters: Parameters,
        network: QuantisedNetwork,
        query: Sequence[int],
        row: Sequence[int],
        at_slice: SliceBounds,
        radius_squared: int,
        room: Room | None = None,
    ) -> None:
        """Scale all layers, y by the radius (by 1 for radius 0) and every neuron by its largest bound."""
        self.columns = len(query)
        self.sizes = network.hidden
        self.reach = reach_of(radius_squared)
        self.room = room
        self.layers: list[ScaledLayer] = []
        self._margin_layer = network.layers[-1]
        scale_below = np.full(self.columns, self.reach)
        start = 0
        for depth, (layer, bounds) in enumerate(zip(network.layers[:-1], at_slice, strict=True)):
            weights = np.array(layer.weights, dtype=np.float64)
            biases = np.array([float(bias) for bias in layer.biases])
            if depth == 0:
                # y is 0 at the query: layer 1 keeps the plain columns, and its biases become the values there.
                weights = weights[:, : self.columns]
                biases = np.array([float(value) for value in layer((*query, *row))])
            neurons = slice(start, start + len(biases))
            scaled = _scaled_layer(weights, biases, bounds, parameters.unit, scale_below, neurons)
            self.layers.append(scaled)
            scale_below = scaled.scale
            start = neurons.stop
        self._unstable = [int(bit) for layer in self.layers for bit in layer.unstable]

    def count_free(self, on: Row, off: Row) -> int:
        """Return the number of neurons of a part that are neither stable nor fixed."""
        fixed: Iterator[int] = compress(map(add, on, off), self._unstable)
        return sum(self._unstable) - sum(fixed)

    def objective(self, logits: Row) -> Objective:
        """Return a margin, given as a row over the logits, over the scaled last hidden layer."""
        signs = np.array(logits, dtype=np.float64)
        row = signs @ np.array(self._margin_layer.weights, dtype=np.float64) * self.layers[-1].scale
        bias = float(sum(s * b for s, b in zip(logits, self._margin_layer.biases, strict=True)))
        # A strict margin is an integer of at least 1, but floats may cancel: the margin of a gain can be exactly 1.
        unit = max(1.0, float(row @ self._last_features(np.zeros(self.columns))) + bias)
        return Objective(row / unit, bias / unit, unit)

    def margin_at(self, logits: Row, way: Floats) -> float:
        """Return about the network's own margin at query + way, in grid units, as a share of that at the query."""
        objective = self.objective(logits)
        return float(objective.row @ self._last_features(way / self.reach)) + objective.bias

    def clip(self, way: Floats) -> Floats:
        """Return a way in grid units, cut off at the ball: outside of it a bound need not hold."""
        return way * (self.reach / max(1.0, float(np.linalg.norm(way))))

    def _last_features(self, value: Floats) -> Floats:
        """Return about the scaled h of the last hidden layer at a way y."""
        for layer in self.layers:
            value = np.maximum(layer.weights @ value + layer.biases, 0.0)
        return value


def _scaled_layer(
    weights: Floats, biases: Floats, bounds: LayerBounds, unit: int, scale_below: Floats, neurons: slice
) -> ScaledLayer:
    """Return a layer scaled by its bounds; `unit` is 2^q, the slope of an active neuron."""
    ends = list(zip(bounds.low, bounds.high, strict=True))
    scale = np.array([float(max(1, abs(low), abs(high))) for low, high in ends])
    return ScaledLayer(
        weights=weights * scale_below / scale[:, None],
        biases=biases / scale,
        upper=np.array(bounds.upper, dtype=np.float64) / unit,
        offset=np.array([float(offset) for offset in bounds.offset]) / unit / scale,
        scale=scale,
        unstable=np.array([low < 0 < high for low, high in ends], dtype=bool),
        active=np.array([low >= 0 for low in bounds.low], dtype=bool),
        neurons=neurons,
    )
