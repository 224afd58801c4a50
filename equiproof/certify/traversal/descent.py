"""Points of other decisions near a query, by descent in floats from many starts at once: guesses for upper bounds.

Each start descends along the least margin inside a ball. The ball shrinks where the decision is lost and grows a little
where it is not, so that starts settle on the boundary and slide along it towards the query (fast minimum-norm attack,
Pintor and others 2021). The points are guesses: neither a point nor the lack of one proves anything.
"""

from __future__ import annotations

from math import cos, inf, pi, sqrt

import numpy as np
import numpy.typing as npt

from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.search import Start

Floats = npt.NDArray[np.float64]

_STARTS = 64
"""The number of starts on every slice, the query included."""

_STEPS = 80
_SEED = 1
_REACH_FACTOR = 3.0
_REACH_GROWTH = 16.0
"""Descent reaches this multiple of the distance of the query's own boundary, and farther if it finds nothing."""

_SECOND_REACH = 1.3
"""A second descent begins at up to this multiple of the distance of the nearest known point, to find other sides."""

_MIN_START_SHARE = 0.5
"""Starts lie at this share of the largest distance or farther."""

_SHRINK = 0.2
_STRIDE = 0.3
_LAST_STRIDE = 0.003
"""The first rate at which a ball shrinks or grows, and the first and last length of a step as a share of the reach."""

_POINTS_PER_SLICE = 3
"""The number of points of a slice that are examined exactly."""


def flips(start: Start, cap: float) -> list[tuple[float, int, Floats]]:
    """Return (squared distance, slice, way from the query) of points of other decisions, nearest first, in grid units.

    A few of every slice, nearer than the squared distance `cap`. Deterministic: the generator has a fixed seed.
    """
    rng = np.random.default_rng(_SEED)
    margins = _Margins(start)
    limit = sqrt(cap)
    reach = min(limit, _REACH_FACTOR * margins.ahead)
    flips = list[tuple[float, int, Floats]]()
    while not flips and reach > 0:
        flips = _round(margins, reach, rng)
        reach = min(limit, _REACH_GROWTH * reach) if reach < limit else 0.0
    if flips:
        flips += _round(margins, min(limit, _SECOND_REACH * flips[0][0]), rng)
    return [(length**2, number, way) for length, number, way in sorted(flips, key=lambda entry: entry[0])]


def _round(margins: _Margins, reach: float, rng: np.random.Generator) -> list[tuple[float, int, Floats]]:
    """Return (length, slice, way) from one descent on every slice, the shortest first, none longer than the reach."""
    lengths, ways = _descend(margins, reach, rng)
    flips = []
    for number in range(margins.slices):
        here = np.arange(number * _STARTS, (number + 1) * _STARTS)
        nearest = here[np.argsort(lengths[here], kind="stable")[:_POINTS_PER_SLICE]]
        flips += [(float(lengths[i]), number, ways[i]) for i in nearest if lengths[i] < reach]
    return sorted(flips, key=lambda entry: entry[0])


class _Margins:
    """The margins of a label as floats, over ways from the query: as many on every slice, slice after slice."""

    def __init__(self, start: Start) -> None:
        """Fold query and sensitive rows into the first biases, and the label into the last layer."""
        network = start.sliced[0].network
        self.columns = len(start.query)
        self.slices = len(start.sliced)
        self._first = np.array(
            [[float(z) for z in network.layers[0]((*start.query, *here.sensitive))] for here in start.sliced]
        )
        self._weights = [np.array(layer.weights, dtype=np.float64) for layer in network.layers]
        self._biases = [np.array([float(bias) for bias in layer.biases]) for layer in network.layers]
        self._weights[0] = self._weights[0][:, : self.columns]
        centre = np.array([float(v) for v in start.query])
        ends = None if start.box is None else [np.array([float(v) for v in row]) - centre for row in start.box]
        self.room = None if ends is None else (ends[0], ends[1])
        over = np.array(margin_signs(network.logit_count, start.label), dtype=np.float64)
        self._weights[-1] = over @ self._weights[-1]
        self._biases[-1] = over @ self._biases[-1]

    @property
    def ahead(self) -> float:
        """The distance of the boundary in the linear regions of the query; infinite where the margins are constant."""
        values, slopes = self(np.zeros((self.slices, self.columns)))
        steepness = np.linalg.norm(slopes, axis=1)
        return float((np.abs(values) / np.where(steepness > 0, steepness, 1.0))[steepness > 0].min(initial=inf))

    def __call__(self, ways: Floats) -> tuple[Floats, Floats]:
        """Return the least margin at each of (m, n_x) ways, shape (m,), and its gradient, shape (m, n_x)."""
        values = ways
        active = []
        first = np.repeat(self._first, len(ways) // self.slices, axis=0)
        for weights, biases in zip(self._weights[:-1], [first, *self._biases[1:-1]], strict=True):
            z = values @ weights.T + biases
            active.append(z > 0)
            values = np.maximum(z, 0.0)
        margins = values @ self._weights[-1].T + self._biases[-1]
        least = margins.argmin(axis=1)
        slope = self._weights[-1][least]
        for weights, on in zip(self._weights[-2::-1], active[::-1], strict=True):
            slope = (slope * on) @ weights
        return margins[np.arange(len(ways)), least], slope


def _descend(margins: _Margins, reach: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return for each start the length of the shortest way to another decision (infinite without one), and the way."""
    count = margins.slices * _STARTS
    ways = rng.normal(size=(count, margins.columns))
    ways *= reach * rng.uniform(_MIN_START_SHARE, 1.0, (count, 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
    ways[::_STARTS] = 0.0
    if margins.room is not None:
        ways = np.clip(ways, *margins.room)
    ball = np.full(count, reach)
    best = np.full(count, np.inf)
    shortest = ways.copy()
    for step in range(_STEPS):
        values, slopes = margins(ways)
        steepness = np.linalg.norm(slopes, axis=1)
        # Where the margin is constant, there is no direction of descent.
        downhill = slopes / np.where(steepness > 0, steepness, 1.0)[:, None]
        if margins.room is not None:
            downhill = _along(downhill, ways, *margins.room)
        lengths = np.linalg.norm(ways, axis=1)
        lost = values <= 0
        nearer = lost & (lengths < best)
        best = np.where(nearer, lengths, best)
        shortest = np.where(nearer[:, None], ways, shortest)
        # Cosine decay: long steps find the boundary, short ones settle on it.
        decay = (1 + cos(pi * step / _STEPS)) / 2
        ahead = lengths + np.abs(values) / np.where(steepness > 0, steepness, np.inf)
        ball = np.where(
            lost,
            np.minimum(ball * (1 - _SHRINK * decay), best),
            np.where(np.isinf(best), ahead, ball * (1 + _SHRINK * decay)),
        )
        ways = ways - reach * (_STRIDE * decay + _LAST_STRIDE) * downhill
        lengths = np.linalg.norm(ways, axis=1)
        ways *= np.minimum(1.0, ball / np.where(lengths > 0, lengths, np.inf))[:, None]
        if margins.room is not None:
            ways = np.clip(ways, *margins.room)
    return best, shortest


def _along(slopes: Floats, ways: Floats, low: Floats, high: Floats) -> Floats:
    """Return unit slopes without the columns in which a step down would leave the ranges."""
    inside = np.where(((ways <= low) & (slopes > 0)) | ((ways >= high) & (slopes < 0)), 0.0, slopes)
    lengths = np.linalg.norm(inside, axis=1)
    return inside / np.where(lengths > 0, lengths, 1.0)[:, None]
