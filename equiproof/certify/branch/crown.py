"""Bounds of many parts of a slice's ball at once: ascent over the multipliers of the backward pass, in floats.

For any A of free neurons in 0..1 and beta >= 0 of fixed ones, the backward pass ends in a form c.y + d over the unit
ball, whose least value (d - |c|, or more where ranges cut the ball) bounds the margin from below. It is concave in the
multipliers; a forward pass from the form's worst point gives its gradient, with each neuron on the side of its
relaxation that the backward pass used. Ascent (Adam) on whole batches of parts comes near the result of the quadratic
program of :mod:`equiproof.certify.branch.relaxation`, in a fraction of its time where many neurons are free.
(alpha-beta-CROWN, Wang and others 2021; branching by few steps on all children, De Palma and others 2021.)

Arrays have the parts first: of a layer of n neurons (parts, n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiproof.certify.branch.arrays import Bools, Floats, Indices
from equiproof.certify.branch.budget import FLOAT_PRODUCTS
from equiproof.certify.branch.cutting import Room, least
from equiproof.certify.branch.duals import MarginBound
from equiproof.certify.branch.making import Guess
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.branch.scaled_ball import ScaledBall, ScaledLayer
from equiproof.certify.polytope import Row

_RATE = 0.15
"""The first step of A; of beta, in units of the largest coefficient over the layer."""

_DECAY = 0.97
"""The ratio of a step to the one before."""

_MEAN_DECAY = 0.8
"""Adam's decay rate of the mean gradient."""

_SQUARE_DECAY = 0.98
"""Adam's decay rate of the mean square."""

_PROOF = 2e-3
"""A bound above this share of the margin at the query survives the rounding of its slopes."""

_SIFT_STEPS = 5
"""After this many steps, proven parts leave the batch."""


@dataclass(frozen=True)
class Part:
    """The signs of the neurons of a part, a bit each, and the bound of the part above it, None for a whole ball."""

    on: Row
    off: Row
    above: MarginBound | None


@dataclass(repr=False)
class _Layer:
    """One hidden layer of a batch: scaled weights and biases, and for each part the relaxation of its neurons.

    relu(z) is at least `lower` z, and at most `chord` z + `offset`. `sign` is -1 where a neuron is on, 1 where it is
    off, else 0, and `beta` the multiplier of that sign.
    """

    weights: Floats
    biases: Floats
    free: Bools
    lower: Floats
    chord: Floats
    offset: Floats
    sign: Floats
    beta: Floats

    def backward(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients over the layer's inputs, and the increase of the constant, shape (parts,)."""
        negative = np.maximum(-coefficients, 0.0)
        mu = self.lower * np.maximum(coefficients, 0.0) - self.chord * negative + self.sign * self.beta
        return mu @ self.weights, mu @ self.biases - (negative * self.offset).sum(axis=1)

    def forward(self, inputs: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return z for inputs, and for relu(z) the side of the relaxation that each coefficient uses."""
        z = inputs @ self.weights.T + self.biases
        return z, np.where(coefficients > 0, self.lower * z, self.chord * z + self.offset)

    def of_parts(self, parts: Indices) -> _Layer:
        """Return the layer restricted to some parts."""
        arrays = [array[parts] for array in (self.lower, self.chord, self.offset, self.sign, self.beta)]
        return _Layer(self.weights, self.biases, self.free[parts], *arrays)


def bounds(relaxation: SliceRelaxation, parts: Sequence[Part], logits: Row, steps: int) -> list[MarginBound]:
    """Return the bound of the least margin, a row over the logits, that ascent proves on each part.

    Parts that are proven early leave the batch. Ascent starts from the multipliers of the part above. Raises
    NoTreeError where the relaxation's meter ends it.
    """
    if not parts:
        return []
    ball = relaxation.ball
    objective = ball.objective(logits)
    layers = _layers(ball, parts, objective.unit)
    ascent = _Ascent(layers, np.tile(objective.row, (len(parts), 1)), objective.bias, ball.room)
    results: list[MarginBound | None] = [None] * len(parts)
    products = 2 * sum(layer.weights.size for layer in layers)
    numbers = np.arange(len(parts))
    for step in range(steps + 1):
        relaxation.meter.pay(len(layers) + len(numbers) * products // FLOAT_PRODUCTS)
        at_end = ascent.evaluate() > _PROOF
        if step == steps:
            at_end[:] = True
        if at_end.any() and (at_end.all() or step % _SIFT_STEPS == 0):
            for place in np.flatnonzero(at_end):
                results[numbers[place]] = ascent.margin_bound(ball, int(place), objective.unit)
            if at_end.all():
                break
            numbers = numbers[~at_end]
            ascent = ascent.of_parts(np.flatnonzero(~at_end))
            ascent.evaluate()
        ascent.climb(step)
    return [result for result in results if result is not None]


def _layers(ball: ScaledBall, parts: Sequence[Part], unit: float) -> list[_Layer]:
    """Return the layers of a batch; multipliers begin at those of the parts above."""
    on = np.array([part.on for part in parts], dtype=bool)
    off = np.array([part.off for part in parts], dtype=bool)
    guesses = [None if part.above is None else part.above.guess for part in parts]
    layers = []
    for depth, layer in enumerate(ball.layers):
        lower = np.array([layer.upper if guess is None else guess.lower[depth] for guess in guesses])
        beta = np.array([_beta(layer, guess, depth, unit) for guess in guesses])
        layers.append(_layer(layer, on[:, layer.neurons], off[:, layer.neurons], lower, beta))
    return layers


def _layer(layer: ScaledLayer, on: Bools, off: Bools, lower: Floats, beta: Floats) -> _Layer:
    """Return a layer of a batch, with the slopes of neurons that are free, linear or 0."""
    free = layer.unstable & ~on & ~off
    linear = (layer.active | on) & ~off & ~free
    slope = linear.astype(np.float64)
    return _Layer(
        weights=layer.weights,
        biases=layer.biases,
        free=free,
        lower=np.where(free, lower, slope),
        chord=np.where(free, np.broadcast_to(layer.upper, free.shape), slope),
        offset=np.where(free, layer.offset, 0.0),
        sign=off.astype(np.float64) - on,
        beta=beta,
    )


def _beta(layer: ScaledLayer, guess: Guess | None, depth: int, unit: float) -> Floats:
    """Return the multipliers of signs in the scaled layer, 0 without a guess or with one for another M than 1."""
    if guess is None or guess.multiplier != 1.0:
        return np.zeros(len(layer.scale))
    return np.array(guess.beta[depth]) * (layer.scale / unit)


@dataclass(repr=False)
class _Moments:
    """Adam's running mean and mean square of the gradient of one array of multipliers."""

    mean: Floats
    square: Floats

    def update(self, gradient: Floats) -> None:
        """Take a gradient in."""
        self.mean += (1 - _MEAN_DECAY) * (gradient - self.mean)
        self.square += (1 - _SQUARE_DECAY) * (gradient * gradient - self.square)

    def direction(self, rate: float, step: int) -> Floats:
        """Return the move of a step, counted from 0, without the bias of moments that began at 0."""
        scale = np.sqrt(self.square / (1 - _SQUARE_DECAY ** (step + 1)) + np.finfo(np.float64).tiny)
        return (rate / (1 - _MEAN_DECAY ** (step + 1))) * self.mean / scale

    def of_parts(self, parts: Indices) -> _Moments:
        """Return the moments restricted to some parts."""
        return _Moments(self.mean[parts], self.square[parts])


def _no_moments(multipliers: Floats) -> _Moments:
    """Return the moments before the first gradient."""
    return _Moments(np.zeros_like(multipliers), np.zeros_like(multipliers))


@dataclass(repr=False)
class _Multipliers:
    """A and beta of one layer for each part."""

    lower: Floats
    beta: Floats

    def of_parts(self, parts: Indices) -> _Multipliers:
        """Return the multipliers restricted to some parts."""
        return _Multipliers(self.lower[parts], self.beta[parts])


class _Ascent:
    """The state of a batch: multipliers, the moments of their gradients, and the best multipliers so far."""

    def __init__(self, layers: list[_Layer], margins: Floats, bias: float, room: Room | None) -> None:
        """Begin at the layers' own multipliers; `margins` are the rows over the last hidden layer."""
        self._layers = layers
        self._margins = margins
        self._bias = bias
        self._room = room
        self._lower_moments = [_no_moments(layer.lower) for layer in layers]
        self._beta_moments = [_no_moments(layer.beta) for layer in layers]
        self._best_bounds = np.full(len(margins), -np.inf)
        self._best = [_Multipliers(layer.lower.copy(), layer.beta.copy()) for layer in layers]
        self._passes: list[tuple[Floats, Floats]] = []
        self._worst_ways = np.zeros((len(margins), 0))

    def of_parts(self, parts: Indices) -> _Ascent:
        """Return the state restricted to some parts."""
        layers = [layer.of_parts(parts) for layer in self._layers]
        other = _Ascent(layers, self._margins[parts], self._bias, self._room)
        other._lower_moments = [moments.of_parts(parts) for moments in self._lower_moments]
        other._beta_moments = [moments.of_parts(parts) for moments in self._beta_moments]
        other._best_bounds = self._best_bounds[parts]
        other._best = [multipliers.of_parts(parts) for multipliers in self._best]
        return other

    def evaluate(self) -> Floats:
        """Run the backward and the forward pass; return the best bound of each part so far, shape (parts,)."""
        form = self._margins
        constant = np.full(len(form), self._bias)
        coefficients: list[Floats] = []
        for layer in reversed(self._layers):
            coefficients.append(form)
            form, increase = layer.backward(form)
            constant = constant + increase
        fall, self._worst_ways = least(form, self._room)
        bound = constant + fall
        value = self._worst_ways
        self._passes = []
        for layer, above in zip(self._layers, reversed(coefficients), strict=True):
            z, value = layer.forward(value, above)
            self._passes.append((above, z))
        better = bound > self._best_bounds
        self._best_bounds = np.where(better, bound, self._best_bounds)
        for layer, best in zip(self._layers, self._best, strict=True):
            best.lower[better] = layer.lower[better]
            best.beta[better] = layer.beta[better]
        return self._best_bounds

    def climb(self, step: int) -> None:
        """Take a step upwards from the multipliers that were evaluated last."""
        rate = _RATE * _DECAY**step
        moments = zip(self._lower_moments, self._beta_moments, strict=True)
        for layer, (above, z), (lower, beta) in zip(self._layers, self._passes, moments, strict=True):
            unit = np.abs(above).max(axis=1, keepdims=True)
            lower.update(np.where(layer.free, np.maximum(above, 0.0) * z, 0.0))
            beta.update(layer.sign * z)
            # Any A in 0..1 and any beta >= 0 is sound: clipping restores this after a step.
            layer.lower = np.where(
                layer.free, np.clip(layer.lower + lower.direction(rate, step), 0.0, 1.0), layer.lower
            )
            layer.beta = np.maximum(layer.beta + unit * beta.direction(rate, step), 0.0)

    def margin_bound(self, ball: ScaledBall, part: int, unit: float) -> MarginBound:
        """Return the bound of a part with its best multipliers; losses and point are those of the latest ones."""
        losses = []
        for layer, (above, z) in zip(self._layers, self._passes, strict=True):
            negative = np.maximum(-above[part], 0.0)
            mu = layer.lower[part] * np.maximum(above[part], 0.0) - layer.chord[part] * negative
            relaxed = mu * z[part] - negative * layer.offset[part]
            losses.append(np.where(layer.free[part], above[part] * np.maximum(z[part], 0.0) - relaxed, 0.0))
        best = zip(self._best, ball.layers, strict=True)
        beta = tuple((multipliers.beta[part] / layer.scale * unit).tolist() for multipliers, layer in best)
        lower = tuple(multipliers.lower[part].tolist() for multipliers in self._best)
        no_overlap = tuple([0.0] * size for size in ball.sizes)
        return MarginBound(
            bound=float(self._best_bounds[part]),
            guess=Guess(1.0, beta, lower, no_overlap),
            point=self._worst_ways[part] * ball.reach,
            losses=np.concatenate(losses),
            penalty=1.0,
        )
