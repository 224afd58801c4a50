"""Lower slopes A of a slice's hidden layers, chosen so that the bounds of all deeper layers together become tight.

All bounds of a slice share A (docs/adr/0008-branch-and-bound-in-integers.md), so no neuron gets its own best. Ascent in
floats reduces the loss of the relaxation of every deeper layer: the largest gap -l u / (u - l) of each neuron, weighted
by its effect on the margins. Layers have equal weight, by the logarithm of their loss. The gradient treats chords as
constant; the next step updates them. Any A from 0 to 1 is sound; the choice affects the number of leaves only. Without
ascent, the same passes show how large a ball is proven unsplit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from equiproof.certify.branch.arrays import Bools, Floats
from equiproof.certify.branch.budget import FLOAT_PRODUCTS, Meter
from equiproof.certify.branch.cutting import Room, least
from equiproof.certify.branch.evidence import Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

_STEPS = 30
"""The number of steps for each layer with slopes: in deep networks, slopes depend on each other."""

_LONG_STEPS = 100
"""The same for the longer ascent."""

_WARM_SHARE = 1 / 3
"""The share of these steps that ascent takes from the slopes of another radius."""

_COLD_RATE = 0.4
"""The first step of A from the tighter lower lines."""

_WARM_RATE = 0.1
"""The first step of A from the slopes of another radius."""

_RATE_DECAY = 0.05
"""The ratio of the last step to the first."""

_BISECTIONS = 6
"""How often the interval from a radius whose balls are proven unsplit to twice that is halved."""

_PROOF = 5e-3
"""A bound of floats above this share of the margin at the query survives the rounding to integers."""

_MEAN_DECAY = 0.8
"""Adam's decay rate of the mean gradient."""

_SQUARE_DECAY = 0.98
"""Adam's decay rate of the mean square."""


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

    `margins` are rows over the logits, the squared radius is in grid units. The second result are the same as floats,
    a (S, n) array per hidden layer, to `begin` with at another radius. `longer` takes about three times as long. Raises
    NoTreeError where the meter ends it.
    """
    meter = meter or Meter()
    passes = _SlicePasses(network, query, table, margins)
    passes.enlarge(sqrt(radius_squared), None)
    steps = (_LONG_STEPS if longer else _STEPS) * (len(network.hidden) - 1)
    first_rate = _COLD_RATE
    if begin is not None:
        passes.lower = [lower.copy() for lower in begin]
        steps = round(_WARM_SHARE * steps)
        first_rate = _WARM_RATE
    best_bound = np.full(len(table), -np.inf)
    best_lower = passes.lower
    for step in range(steps):
        meter.pay(passes.work)
        bound = passes.evaluate()
        better = bound > best_bound
        best_bound = np.maximum(best_bound, bound)
        best_lower = [np.where(better[:, None], new, old) for new, old in zip(passes.lower, best_lower, strict=True)]
        passes.climb(step, first_rate * _RATE_DECAY ** (step / steps))
    # A is rounded before any bound is made of it, so rounding to the nearest is as sound as any.
    integers = [np.rint(lower * parameters.unit).astype(np.int64) for lower in best_lower[:-1]]
    slopes = [tuple(tuple(lower[number].tolist()) for lower in integers) for number in range(len(table))]
    return slopes, best_lower


def unsplit_radius(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Row],
    margins: Sequence[Row],
    box: Box | None,
    below: int,
    meter: Meter | None = None,
) -> int:
    """Return a squared radius below another whose balls floats prove unsplit, with the tighter lower lines; or 0.

    Squared radii are in grid units. Raises NoTreeError where the meter ends it.
    """
    meter = meter or Meter()
    passes = _SlicePasses(network, query, table, margins)

    def is_proven(reach: float) -> bool:
        meter.pay(passes.work)
        room = None if box is None else Room.of(query, box, reach)
        return passes.least_margin(reach, room) > _PROOF

    high = sqrt(max(0, below - 1))
    low = high / 2
    while low >= 1 and not is_proven(low):
        high = low
        low = low / 2
    if low < 1:
        return 0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if is_proven(middle):
            low = middle
        else:
            high = middle
    return int(low) ** 2


@dataclass(frozen=True, repr=False)
class _Chords:
    """The upper lines of a layer on each slice, relu(z) <= `slope` z + `offset`, and which neurons are free: (S, n)."""

    slope: Floats
    offset: Floats
    free: Bools


@dataclass(frozen=True, repr=False)
class _LayerBounds:
    """The least and the largest values of a layer on each ball, shape (S, n), and the passes behind them.

    `coefficients[j]` has the rows over h of hidden layer j (from 0) below it, `form` those over the columns, shape
    (S, 2 n, .): the rows of the least values come first, then those of the negatives of the largest.
    """

    low: Floats
    high: Floats
    coefficients: list[Floats]
    form: Floats


class _SlicePasses:
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
        margin_rows = np.array(margins, dtype=np.float64)
        self._weights[-1] = margin_rows @ self._weights[-1]
        self._biases[-1] = self._biases[-1] @ margin_rows.T
        self._effects = _effects_on_margins(self._weights)
        # Strict margins are integers of at least 1, but floats may cancel.
        self._at_query = np.maximum(self._values_at_query(), 1.0)
        self.work = self._work_of_a_step()
        self._reach = 0.0
        self._room: Room | None = None
        self.lower: list[Floats] = []
        self._chords: list[_Chords] = []
        self._gradients: list[Floats] = []
        self._means = [np.zeros((len(table), bias.shape[1])) for bias in self._biases[:-1]]
        self._squares = [np.zeros_like(mean) for mean in self._means]

    def _values_at_query(self) -> Floats:
        """Return the margins at the query, shape (S, margins)."""
        value = self._biases[0]
        for weights, biases in zip(self._weights[1:], self._biases[1:], strict=True):
            value = np.maximum(value, 0.0) @ weights.T + biases
        return value

    def _work_of_a_step(self) -> int:
        """Return the work of bounding every layer once."""
        sizes = [weights.shape[::-1] for weights in self._weights]
        passes = range(1, len(self._weights))
        slices = len(self._biases[0])
        products: int = sum(2 * slices * sizes[top][1] * sum(a * b for a, b in sizes[:top]) for top in passes)
        return len(passes) * (len(passes) + 1) // 2 + products // FLOAT_PRODUCTS

    def enlarge(self, reach: float, room: Room | None) -> None:
        """Take balls of a radius in grid units, and begin with the tighter lower lines."""
        self._reach = reach
        self._room = room
        self.lower = [np.full_like(mean, np.nan) for mean in self._means]

    def least_margin(self, reach: float, room: Room | None) -> float:
        """Return the least bound of the margins on all balls, as a share at the query, with the tighter lower lines."""
        self.enlarge(reach, room)
        self._chords = []
        for top in range(len(self._weights) - 1):
            self._relax(self._bounds(top))
        return float(self._margins().min())

    def evaluate(self) -> Floats:
        """Bound all layers and keep the gradient of the loss.

        Returns each slice's least bound of the margins, as a share at the query, shape (S,).
        """
        self._chords = []
        self._gradients = [np.zeros_like(mean) for mean in self._means]
        for top in range(len(self._weights) - 1):
            bounds = self._bounds(top)
            # The bounds of layer 1 have no slopes below them.
            if top:
                self._add_loss(top, bounds)
            self._relax(bounds)
        return self._margins()

    def _add_loss(self, top: int, bounds: _LayerBounds) -> None:
        """Add the gradient of the logarithm of one layer's loss."""
        low = bounds.low
        high = bounds.high
        free = (low < 0) & (high > 0)
        width = np.where(free, high - low, 1.0)
        loss = np.where(free, -low * high / width, 0.0) @ self._effects[top]
        if loss.any():
            share = np.where(free, self._effects[top] / width**2, 0.0) / np.where(loss > 0, loss, 1.0)[:, None]
            self._add_gradient(np.concatenate([share * high**2, share * low**2], axis=1), bounds)

    def _margins(self) -> Floats:
        """Return each slice's least bound of the margins, as a share of those at the query; all layers are bounded."""
        low = self._bounds(len(self._weights) - 1).low
        shares: Floats = (low / self._at_query).min(axis=1)
        return shares

    def climb(self, step: int, rate: float) -> None:
        """Take a step of Adam, counted from 0."""
        for number, (lower, gradient) in enumerate(zip(self.lower, self._gradients, strict=True)):
            mean = self._means[number]
            mean += (1 - _MEAN_DECAY) * (gradient - mean)
            square = self._squares[number]
            square += (1 - _SQUARE_DECAY) * (gradient * gradient - square)
            scale = np.sqrt(square / (1 - _SQUARE_DECAY ** (step + 1)))
            move = np.where(scale > 0, mean / np.where(scale > 0, scale, 1.0), 0.0) / (1 - _MEAN_DECAY ** (step + 1))
            # Any A in 0..1 is sound: clipping restores this after a step.
            self.lower[number] = np.clip(lower + rate * move, 0.0, 1.0)

    def _relax(self, bounds: _LayerBounds) -> None:
        """Add the relaxation of the next layer; slopes that are new, or not free, are those of the better line."""
        low = bounds.low
        high = bounds.high
        free = (low < 0) & (high > 0)
        chord = np.where(free, high / np.where(free, high - low, 1.0), (low >= 0).astype(np.float64))
        lower = self.lower[len(self._chords)]
        tighter = np.where(free, (high > -low).astype(np.float64), chord)
        self.lower[len(self._chords)] = np.where(free & ~np.isnan(lower), lower, tighter)
        self._chords.append(_Chords(chord, np.where(free, -chord * low, 0.0), free))

    def _bounds(self, top: int) -> _LayerBounds:
        """Return the bounds of layer `top` (from 0) on each ball; the layers below are relaxed."""
        slices = len(self._biases[0])
        size = self._biases[top].shape[1]
        form = np.repeat(np.concatenate([self._weights[top], -self._weights[top]])[None], slices, axis=0)
        constant = np.concatenate([self._biases[top], -self._biases[top]], axis=1)
        coefficients: list[Floats] = []
        for j in range(top - 1, -1, -1):
            chords = self._chords[j]
            coefficients.insert(0, form)
            negative = np.maximum(-form, 0.0)
            mu = self.lower[j][:, None] * np.maximum(form, 0.0) - chords.slope[:, None] * negative
            increase = mu @ self._biases[j][:, :, None] - negative @ chords.offset[:, :, None]
            constant = constant + increase[:, :, 0]
            form = mu @ self._weights[j]
        if top == len(self._weights) - 1 and self._room is not None:
            # Evidence bounds neurons on the whole ball; only a leaf's form is cut by the ranges.
            fall, _ = least(self._reach * form.reshape(-1, form.shape[2]), self._room)
            ends = constant + fall.reshape(form.shape[:2])
        else:
            ends = constant - self._reach * np.linalg.norm(form, axis=2)
        return _LayerBounds(ends[:, :size], -ends[:, size:], coefficients, form)

    def _add_gradient(self, weights: Floats, bounds: _LayerBounds) -> None:
        """Add the gradient of bounds, each times its weight, by a forward pass from their worst points."""
        length = np.linalg.norm(bounds.form, axis=2, keepdims=True)
        value = -self._reach * bounds.form / np.where(length > 0, length, 1.0)
        for j, above in enumerate(bounds.coefficients):
            chords = self._chords[j]
            z = value @ self._weights[j].T + self._biases[j][:, None]
            gradient = (weights[:, None] @ (np.maximum(above, 0.0) * z))[:, 0]
            self._gradients[j] += np.where(chords.free, gradient, 0.0)
            upper = chords.slope[:, None] * z + chords.offset[:, None]
            value = np.where(above > 0, self.lower[j][:, None] * z, upper)


def _effects_on_margins(weights: Sequence[Floats]) -> list[Floats]:
    """Return about how much each neuron of every hidden layer moves a margin at most, by absolute weights."""
    effects = [np.abs(weights[-1]).max(axis=0)]
    for layer in weights[-2:0:-1]:
        effects.insert(0, effects[0] @ np.abs(layer))
    return effects
