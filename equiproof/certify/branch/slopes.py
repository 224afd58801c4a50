"""Lower slopes A of a slice's hidden layers, chosen so that the bounds of all deeper layers together become tight.

All bounds of a slice share A (docs/adr/0008-branch-and-bound-in-integers.md), so no neuron gets its own best. Ascent in
floats reduces the loss of the relaxation of every deeper layer: the largest gap -l u / (u - l) of each neuron, weighted
by its effect on the margins. Layers have equal weight, by the logarithm of their loss. The gradient treats chords as
constant; the next step updates them. Any A from 0 to 1 is sound; the choice affects the number of leaves only. Without
ascent, the same passes tell how large a ball is proven whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from equiproof.certify.branch.budget import FLOAT_PRODUCTS, Meter
from equiproof.certify.branch.cutting import Room, least
from equiproof.certify.branch.evidence import Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

Floats = npt.NDArray[np.float64]

_STEPS, _LONGER_STEPS = 30, 100
"""The number of steps for each layer with slopes: in deep networks, slopes depend on each other."""

_WARM = 1 / 3
"""The share of them that ascent takes from the slopes of another radius."""

_RATE, _WARM_RATE, _LAST = 0.4, 0.1, 0.05
"""The first step of A, cold and warm, and the ratio of the last step to it."""

_BISECTIONS = 6
"""How often the interval from a radius whose balls are proven whole to twice that is halved."""

_SURE = 5e-3
"""A bound of floats above this share of the margin at the query survives the rounding to integers."""

_MEMORY = (0.8, 0.98)


def tight_slopes(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Row],
    margins: Sequence[Row],
    radius_squared: int,
    begin: Sequence[Floats] | None = None,
    meter: Meter | None = None,
    *,
    longer: bool = False,
) -> tuple[list[tuple[Row, ...]], list[Floats]]:
    """Return A of layers 1..H-1 on the ball of each slice of a table of shape (S, n_s), with q fractional bits.

    `margins` are rows over the logits. The second result are the same as floats, to `begin` with at another radius.
    `longer` takes about three times as long.
    """
    meter, search = meter or Meter(), _Slopes(network, query, table, margins)
    search.enlarge(sqrt(radius_squared), None)
    if begin is not None:
        search.lower = [lower.copy() for lower in begin]
    best, kept = np.full(len(table), -np.inf), search.lower
    steps = (_LONGER_STEPS if longer else _STEPS) * (len(network.hidden) - 1)
    if begin is not None:
        steps = round(_WARM * steps)
    for step in range(steps):
        meter.pay(search.work)
        bound = search.look()
        better = bound > best
        best = np.maximum(best, bound)
        kept = [np.where(better[:, None], new, old) for new, old in zip(search.lower, kept, strict=True)]
        search.climb(step, (_RATE if begin is None else _WARM_RATE) * _LAST ** (step / steps))
    whole = [np.rint(lower * parameters.unit).astype(np.int64) for lower in kept[:-1]]
    return [tuple(tuple(lower[number].tolist()) for lower in whole) for number in range(len(table))], kept


def whole_radius(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Row],
    margins: Sequence[Row],
    box: Box | None,
    below: int,
    meter: Meter | None = None,
) -> int:
    """Return a squared radius below another whose balls floats prove unsplit, with the tighter lower lines; or 0."""
    meter, search = meter or Meter(), _Slopes(network, query, table, margins)

    def proven(reach: float) -> bool:
        meter.pay(search.work)
        return search.whole(reach, None if box is None else Room.of(query, box, reach)) > _SURE

    high = sqrt(max(0, below - 1))
    low = high / 2
    while low >= 1 and not proven(low):
        low, high = low / 2, low
    if low < 1:
        return 0
    for _ in range(_BISECTIONS):
        reach = (low + high) / 2
        low, high = (reach, high) if proven(reach) else (low, reach)
    return int(low) ** 2


class _Slopes:
    """The slopes of all slices, the relaxations that follow from them, and the gradient of their loss.

    Arrays have the slices first: slopes and bounds of a layer are of shape (S, n), rows of a pass (S, m, n).
    """

    def __init__(
        self, network: QuantisedNetwork, query: Sequence[int], table: Sequence[Row], margins: Sequence[Row]
    ) -> None:
        """Take the weights; the last layer becomes the margins."""
        layers = network.layers
        self._weights = [np.array(layer.weights, dtype=np.float64) for layer in layers]
        self._biases = [np.array([float(bias) for bias in layer.biases])[None] for layer in layers]
        self._biases[0] = np.array([[float(value) for value in layers[0]((*query, *row))] for row in table])
        self._weights[0] = self._weights[0][:, : len(query)]
        over = np.array(margins, dtype=np.float64)
        self._weights[-1], self._biases[-1] = over @ self._weights[-1], self._biases[-1] @ over.T
        self._worth = [np.abs(self._weights[-1]).max(axis=0)]
        for weights in self._weights[-2:0:-1]:
            self._worth.insert(0, self._worth[0] @ np.abs(weights))
        value = self._biases[0]
        for weights, biases in zip(self._weights[1:], self._biases[1:], strict=True):
            value = np.maximum(value, 0.0) @ weights.T + biases
        # Strict margins are integers of at least 1, also where floats cancel.
        self._at_query = np.maximum(value, 1.0)
        sizes, passes = [weights.shape[::-1] for weights in self._weights], range(1, len(self._weights))
        products = sum(2 * len(table) * sizes[top][1] * sum(a * b for a, b in sizes[:top]) for top in passes)
        self.work = len(passes) * (len(passes) + 1) // 2 + products // FLOAT_PRODUCTS
        """What a step counts."""
        self._reach = 0.0
        self._room: Room | None = None
        self.lower: list[Floats] = []
        self._chords: list[tuple[Floats, Floats, npt.NDArray[np.bool_]]] = []
        self._slopes: list[Floats] = []
        self._means = [np.zeros((len(table), bias.shape[1])) for bias in self._biases[:-1]]
        self._squares = [np.zeros_like(mean) for mean in self._means]

    def enlarge(self, reach: float, room: Room | None) -> None:
        """Take balls of a radius, and begin with the tighter lower lines."""
        self._reach, self._room = reach, room
        self.lower = [np.full_like(mean, np.nan) for mean in self._means]

    def whole(self, reach: float, room: Room | None) -> float:
        """Return the least bound of the margins on all balls, as a share at the query, with the tighter lower lines."""
        self.enlarge(reach, room)
        self._chords = []
        for top in range(len(self._weights) - 1):
            low, high, _ = self._bounds(top)
            self._relax(low, high)
        return float(self._margins().min())

    def look(self) -> Floats:
        """Bound all layers, keep the gradient; return each slice's least bound of the margins, as a share at the query.

        The shape is (S,).
        """
        self._chords, self._slopes = [], [np.zeros_like(mean) for mean in self._means]
        for top in range(len(self._weights) - 1):
            low, high, descents = self._bounds(top)
            free = (low < 0) & (high > 0)
            width = np.where(free, high - low, 1.0)
            loss = np.where(free, -low * high / width, 0.0) @ self._worth[top]
            if top and loss.any():  # the bounds of layer 1 have no slopes below them
                share = np.where(free, self._worth[top] / width**2, 0.0) / np.where(loss > 0, loss, 1.0)[:, None]
                self._gain(np.concatenate([share * high**2, share * low**2], axis=1), descents)
            self._relax(low, high)
        return self._margins()

    def _margins(self) -> Floats:
        """Return each slice's least bound of the margins, as a share of those at the query; all layers are bounded."""
        low, _, _ = self._bounds(len(self._weights) - 1)
        found: Floats = (low / self._at_query).min(axis=1)
        return found

    def climb(self, step: int, rate: float) -> None:
        """Take a step of Adam."""
        for number, (lower, slope) in enumerate(zip(self.lower, self._slopes, strict=True)):
            mean, square = self._means[number], self._squares[number]
            mean += (1 - _MEMORY[0]) * (slope - mean)
            square += (1 - _MEMORY[1]) * (slope * slope - square)
            scale = np.sqrt(square / (1 - _MEMORY[1] ** (step + 1)))
            move = np.where(scale > 0, mean / np.where(scale > 0, scale, 1.0), 0.0) / (1 - _MEMORY[0] ** (step + 1))
            self.lower[number] = np.clip(lower + rate * move, 0.0, 1.0)

    def _relax(self, low: Floats, high: Floats) -> None:
        """Add the relaxation of the next layer; slopes that are new, or not free, are those of the better line."""
        free = (low < 0) & (high > 0)
        chord = np.where(free, high / np.where(free, high - low, 1.0), (low >= 0).astype(np.float64))
        lower = self.lower[len(self._chords)]
        plain = np.where(free, (high > -low).astype(np.float64), chord)
        self.lower[len(self._chords)] = np.where(free & ~np.isnan(lower), lower, plain)
        self._chords.append((chord, np.where(free, -chord * low, 0.0), free))

    def _bounds(self, top: int) -> tuple[Floats, Floats, list[Floats]]:
        """Return the least and the largest values of layer `top` (from 0) on each ball, and the passes behind them."""
        slices, size = len(self._biases[0]), self._biases[top].shape[1]
        row = np.repeat(np.concatenate([self._weights[top], -self._weights[top]])[None], slices, axis=0)
        constant = np.concatenate([self._biases[top], -self._biases[top]], axis=1)
        passes = list[Floats]()
        for j in range(top - 1, -1, -1):
            chord, offset, _ = self._chords[j]
            passes.insert(0, row)
            negative = np.maximum(-row, 0.0)
            mu = self.lower[j][:, None] * np.maximum(row, 0.0) - chord[:, None] * negative
            constant = constant + (mu @ self._biases[j][:, :, None] - negative @ offset[:, :, None])[:, :, 0]
            row = mu @ self._weights[j]
        if top == len(self._weights) - 1 and self._room is not None:
            fall, _ = least(self._reach * row.reshape(-1, row.shape[2]), self._room)
            found = constant + fall.reshape(row.shape[:2])
        else:
            found = constant - self._reach * np.linalg.norm(row, axis=2)
        return found[:, :size], -found[:, size:], [*passes, row]

    def _gain(self, worth: Floats, descents: list[Floats]) -> None:
        """Add the gradient of bounds, each times its weight, by a forward pass from their worst points."""
        *passes, row = descents
        length = np.linalg.norm(row, axis=2, keepdims=True)
        value = -self._reach * row / np.where(length > 0, length, 1.0)
        for j, above in enumerate(passes):
            chord, offset, free = self._chords[j]
            z = value @ self._weights[j].T + self._biases[j][:, None]
            self._slopes[j] += np.where(free, (worth[:, None] @ (np.maximum(above, 0.0) * z))[:, 0], 0.0)
            value = np.where(above > 0, self.lower[j][:, None] * z, chord[:, None] * z + offset[:, None])
