"""Lower slopes A of a slice's hidden layers, chosen so that the bounds of all deeper layers together become tight.

All bounds of a slice share A (docs/adr/0008-branch-and-bound-in-integers.md), so no neuron gets its own best. Ascent in
floats reduces the loss of the relaxation of every deeper layer: the largest gap -l u / (u - l) of each neuron, weighted
by its effect on the margins. Layers have equal weight, by the logarithm of their loss. The gradient treats chords as
constant; the next step updates them. Any A from 0 to 1 is sound; the choice affects the number of leaves only.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from equiproof.certify.branch.evidence import Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters

Floats = npt.NDArray[np.float64]

_STEPS = 30
"""The number of steps for each layer with slopes: in deep networks, slopes depend on each other."""

_RATE, _LAST = 0.4, 0.05
"""The first step of A, and the ratio of the last step to it."""

_MEMORY = (0.8, 0.98)


def tight_slopes(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    margins: Sequence[Row],
    radius_squared: int,
) -> tuple[Row, ...]:
    """Return A of layers 1..H-1, with q fractional bits, on the ball of a slice; `margins` are rows over the logits."""
    search = _Slopes(network, query, row, margins, sqrt(radius_squared))
    best, kept = -np.inf, search.lower
    steps = _STEPS * (len(network.hidden) - 1)
    for step in range(steps):
        bound = search.look()
        if bound > best:
            best, kept = bound, [lower.copy() for lower in search.lower]
        search.climb(step, _RATE * _LAST ** (step / steps))
    return tuple(tuple(int(a) for a in np.rint(lower * parameters.unit)) for lower in kept[:-1])


class _Slopes:
    """The slopes of one slice, the relaxations that follow from them, and the gradient of their loss."""

    def __init__(
        self,
        network: QuantisedNetwork,
        query: Sequence[int],
        row: Sequence[int],
        margins: Sequence[Row],
        reach: float,
    ) -> None:
        """Bound layer 1, and begin with the tighter lower lines."""
        layers, self._reach = network.layers, reach
        self._weights = [np.array(layer.weights, dtype=np.float64) for layer in layers]
        self._biases = [np.array([float(bias) for bias in layer.biases]) for layer in layers]
        self._biases[0] = np.array([float(value) for value in layers[0]((*query, *row))])
        self._weights[0] = self._weights[0][:, : len(query)]
        over = np.array(margins, dtype=np.float64)
        self._weights[-1], self._biases[-1] = over @ self._weights[-1], over @ self._biases[-1]
        self._worth = [np.abs(self._weights[-1]).max(axis=0)]
        for weights in self._weights[-2:0:-1]:
            self._worth.insert(0, self._worth[0] @ np.abs(weights))
        radii = reach * np.linalg.norm(self._weights[0], axis=1)
        self._first = self._biases[0] - radii, self._biases[0] + radii
        self.lower = [np.full(len(bias), np.nan) for bias in self._biases[:-1]]
        self._chords: list[tuple[Floats, Floats, npt.NDArray[np.bool_]]] = []
        self._slopes: list[Floats] = []
        self._means = [np.zeros(len(bias)) for bias in self._biases[:-1]]
        self._squares = [np.zeros(len(bias)) for bias in self._biases[:-1]]

    def look(self) -> float:
        """Bound all layers, keep the gradient; return the least bound of the margins, as a share at the query."""
        self._chords, self._slopes = [], [np.zeros(len(bias)) for bias in self._biases[:-1]]
        self._relax(*self._first)
        for top in range(1, len(self._weights) - 1):
            least, descents = self._descend(top)
            size = len(least) // 2
            low, high = least[:size], -least[size:]
            free = (low < 0) & (high > 0)
            width = np.where(free, high - low, 1.0)
            loss = self._worth[top] @ np.where(free, -low * high / width, 0.0)
            if loss > 0:
                share = np.where(free, self._worth[top] / width**2, 0.0) / loss
                self._gain(np.concatenate([share * high**2, share * low**2]), descents)
            self._relax(low, high)
        least, _ = self._descend(len(self._weights) - 1)
        value = self._biases[0]
        for weights, biases in zip(self._weights[1:], self._biases[1:], strict=True):
            value = weights @ np.maximum(value, 0.0) + biases
        return float((least[: len(value)] / value).min())

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

    def _descend(self, top: int) -> tuple[Floats, list[Floats]]:
        """Return the least values of the rows of layer `top` (from 0) and of their negatives, and their passes."""
        row = np.concatenate([self._weights[top], -self._weights[top]])
        constant = np.concatenate([self._biases[top], -self._biases[top]])
        passes = list[Floats]()
        for j in range(top - 1, -1, -1):
            chord, offset, _ = self._chords[j]
            passes.insert(0, row)
            negative = np.maximum(-row, 0.0)
            mu = self.lower[j] * np.maximum(row, 0.0) - chord * negative
            constant = constant + mu @ self._biases[j] - negative @ offset
            row = mu @ self._weights[j]
        return constant - self._reach * np.linalg.norm(row, axis=1), [*passes, row]

    def _gain(self, worth: Floats, descents: list[Floats]) -> None:
        """Add the gradient of bounds, each times its weight, by a forward pass from their worst points."""
        *passes, row = descents
        length = np.linalg.norm(row, axis=1)
        value = -self._reach * row / np.where(length > 0, length, 1.0)[:, None]
        for j, above in enumerate(passes):
            chord, offset, free = self._chords[j]
            z = value @ self._weights[j].T + self._biases[j]
            self._slopes[j] += np.where(free, worth @ (np.maximum(above, 0.0) * z), 0.0)
            value = np.where(above > 0, self.lower[j] * z, chord * z + offset)
