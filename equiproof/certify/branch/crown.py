"""Bounds of many parts of a slice's ball at once: ascent over the multipliers of the backward pass, in floats.

For any A of free neurons in 0..1 and beta >= 0 of fixed ones, the backward pass ends in a form c.y + d over the unit
ball, whose least value (d - |c|, or more where ranges cut the ball) bounds the margin from below. It is concave in the
multipliers; a forward pass from the form's worst point gives its gradient, with each neuron on the side of its
relaxation that the backward pass used. Ascent (Adam) on whole batches of parts comes near the result of the quadratic
program of :mod:`equiproof.certify.branch.relaxed`, in a fraction of its time where many neurons are free.
(alpha-beta-CROWN, Wang and others 2021; branching by few steps on all children, De Palma and others 2021.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.certify.branch.budget import FLOAT_PRODUCTS
from equiproof.certify.branch.cutting import Room, least
from equiproof.certify.branch.making import Guess
from equiproof.certify.branch.relaxed import Relaxed, SliceRelaxation
from equiproof.certify.polytope import Row

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_RATE = 0.15
"""The first step of A; of beta, in units of the largest coefficient over the layer."""

_DECAY = 0.97
_MEMORY = (0.8, 0.98)
"""The two decay rates of Adam, of the mean and of the mean square."""

_DONE = 2e-3
"""A bound above this share of the margin at the query survives the rounding of its slopes."""

_SIFT = 5
"""After this many steps, proven parts leave the batch."""


@dataclass(frozen=True)
class Part:
    """The signs of the neurons of a part, and the result for the part above it."""

    on: Row
    off: Row
    above: Relaxed | None


@dataclass(repr=False)
class _Layer:
    """One hidden layer of a batch: weights and biases, and for each part slopes, offsets and the signs of beta."""

    weights: Floats
    biases: Floats
    free: Bools
    below: Floats
    chord: Floats
    offset: Floats
    sign: Floats
    beta: Floats

    def backward(self, row: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients over the layer's inputs, and the increase of the constant."""
        negative = np.maximum(-row, 0.0)
        mu = self.below * np.maximum(row, 0.0) - self.chord * negative + self.sign * self.beta
        return mu @ self.weights, mu @ self.biases - (negative * self.offset).sum(axis=1)

    def forward(self, value: Floats, row: Floats) -> tuple[Floats, Floats]:
        """Return z for values below, and for relu(z) the side of the relaxation that each coefficient uses."""
        z = value @ self.weights.T + self.biases
        return z, np.where(row > 0, self.below * z, self.chord * z + self.offset)

    def kept(self, rows: npt.NDArray[np.intp]) -> _Layer:
        """Return the layer restricted to some parts."""
        arrays = [array[rows] for array in (self.below, self.chord, self.offset, self.sign, self.beta)]
        return _Layer(self.weights, self.biases, self.free[rows], *arrays)


def bounds(relaxation: SliceRelaxation, parts: Sequence[Part], logits: Row, steps: int) -> list[Relaxed]:
    """Return the bound of the least margin, a row over the logits, that ascent proves on each part.

    Parts that are proven early leave the batch. Ascent starts from the multipliers of the part above.
    """
    if not parts:
        return []
    goal = relaxation.objective(logits)
    layers = _layers(relaxation, parts, goal.unit)
    ascent = _Ascent(layers, np.tile(goal.row, (len(parts), 1)), goal.bias, relaxation.room)
    found: list[Relaxed | None] = [None] * len(parts)
    products = 2 * sum(layer.weights.size for layer in layers)
    numbers = np.arange(len(parts))
    for step in range(steps + 1):
        relaxation.meter.pay(len(layers) + len(numbers) * products // FLOAT_PRODUCTS)
        bound = ascent.look()
        done = bound > _DONE
        if step == steps:
            done[:] = True
        if done.any() and (done.all() or step % _SIFT == 0):
            for i in np.flatnonzero(done):
                found[numbers[i]] = ascent.read(relaxation, int(i), goal.unit)
            if done.all():
                break
            numbers = numbers[~done]
            ascent = ascent.kept(np.flatnonzero(~done))
            ascent.look()
        ascent.climb(step)
    return [entry for entry in found if entry is not None]


def _layers(relaxation: SliceRelaxation, parts: Sequence[Part], unit: float) -> list[_Layer]:
    """Return the layers of a batch, with the slopes of neurons that are free, linear or off."""
    on = np.array([part.on for part in parts], dtype=bool)
    off = np.array([part.off for part in parts], dtype=bool)
    layers = []
    for depth, place in enumerate(relaxation.parts):
        up, down = on[:, place], off[:, place]
        free = relaxation.unstable[depth] & ~up & ~down
        linear = (relaxation.active[depth] | up) & ~down & ~free
        chord = np.broadcast_to(relaxation.upper[depth], free.shape)
        guesses = [None if part.above is None else part.above.guess for part in parts]
        lower = np.array([relaxation.upper[depth] if g is None else g.lower[depth] for g in guesses])
        back = relaxation.scales[depth] / unit
        beta = np.array([np.zeros(len(back)) if g is None else _beta(g, depth) * back for g in guesses])
        fixed = linear.astype(np.float64)
        layers.append(
            _Layer(
                weights=relaxation.weights[depth],
                biases=relaxation.biases[depth],
                free=free,
                below=np.where(free, lower, fixed),
                chord=np.where(free, chord, fixed),
                offset=np.where(free, relaxation.offset[depth], 0.0),
                sign=down.astype(np.float64) - up,
                beta=beta,
            )
        )
    return layers


def _beta(guess: Guess, depth: int) -> Floats:
    """Return the multipliers of signs for M = 1, none where the guess has another M."""
    beta = np.array(guess.beta[depth])
    return beta if guess.multiplier == 1.0 else np.zeros_like(beta)


class _Ascent:
    """The state of a batch: multipliers, their means and mean squares, and the best ones so far."""

    def __init__(self, layers: list[_Layer], top: Floats, bias: float, room: Room | None) -> None:
        """Begin at the layers' own multipliers."""
        self._layers, self._top, self._bias, self._room = layers, top, bias, room
        self._means = [[np.zeros_like(layer.below), np.zeros_like(layer.beta)] for layer in layers]
        self._squares = [[np.zeros_like(layer.below), np.zeros_like(layer.beta)] for layer in layers]
        self._best = np.full(len(top), -np.inf)
        self._kept = [[layer.below.copy(), layer.beta.copy()] for layer in layers]
        self._seen: list[tuple[Floats, Floats]] = []
        self._way = np.zeros((len(top), 0))

    def kept(self, rows: npt.NDArray[np.intp]) -> _Ascent:
        """Return the state restricted to some parts."""
        other = _Ascent([layer.kept(rows) for layer in self._layers], self._top[rows], self._bias, self._room)
        other._means = [[mean[rows] for mean in pair] for pair in self._means]
        other._squares = [[square[rows] for square in pair] for pair in self._squares]
        other._best = self._best[rows]
        other._kept = [[kept[rows] for kept in pair] for pair in self._kept]
        return other

    def look(self) -> Floats:
        """Run both passes; return the best bound of each part so far."""
        row, constant, rows = self._top, np.full(len(self._top), self._bias), list[Floats]()
        for layer in self._layers[::-1]:
            rows.append(row)
            row, gained = layer.backward(row)
            constant = constant + gained
        fall, self._way = least(row, self._room)
        bound = constant + fall
        value, self._seen = self._way, []
        for layer, above in zip(self._layers, rows[::-1], strict=True):
            z, value = layer.forward(value, above)
            self._seen.append((above, z))
        better = bound > self._best
        self._best = np.where(better, bound, self._best)
        for layer, kept in zip(self._layers, self._kept, strict=True):
            kept[0][better], kept[1][better] = layer.below[better], layer.beta[better]
        return self._best

    def climb(self, step: int) -> None:
        """Take a step upwards from the last evaluated multipliers."""
        rate = _RATE * _DECAY**step
        for layer, (above, z), means, squares in zip(self._layers, self._seen, self._means, self._squares, strict=True):
            unit = np.abs(above).max(axis=1, keepdims=True)
            slopes = (np.where(layer.free, np.maximum(above, 0.0) * z, 0.0), layer.sign * z)
            for kind, slope in enumerate(slopes):
                means[kind] += (1 - _MEMORY[0]) * (slope - means[kind])
                squares[kind] += (1 - _MEMORY[1]) * (slope * slope - squares[kind])
            moves = [
                (rate / (1 - _MEMORY[0] ** (step + 1)))
                * mean
                / np.sqrt(square / (1 - _MEMORY[1] ** (step + 1)) + np.finfo(np.float64).tiny)
                for mean, square in zip(means, squares, strict=True)
            ]
            layer.below = np.where(layer.free, np.clip(layer.below + moves[0], 0.0, 1.0), layer.below)
            layer.beta = np.maximum(layer.beta + unit * moves[1], 0.0)

    def read(self, relaxation: SliceRelaxation, i: int, unit: float) -> Relaxed:
        """Return the result for a part: its best multipliers, and losses and point of the latest ones."""
        losses = []
        for layer, (above, z) in zip(self._layers, self._seen, strict=True):
            negative = np.maximum(-above[i], 0.0)
            mu = layer.below[i] * np.maximum(above[i], 0.0) - layer.chord[i] * negative
            taken = mu * z[i] - negative * layer.offset[i]
            losses.append(np.where(layer.free[i], above[i] * np.maximum(z[i], 0.0) - taken, 0.0))
        scaled = zip(self._kept, relaxation.scales, strict=True)
        beta = tuple((kept[1][i] / scale * unit).tolist() for kept, scale in scaled)
        lower = tuple(kept[0][i].tolist() for kept in self._kept)
        nothing = tuple([0.0] * size for size in relaxation.sizes)
        return Relaxed(
            bound=float(self._best[i]),
            guess=Guess(1.0, beta, lower, nothing),
            point=self._way[i] * relaxation.reach,
            losses=np.concatenate(losses),
            pull=1.0,
        )
