"""Bounds of margins over a box, by linear relaxation in one piece of code for two kinds of numbers.

With Python's or machine integers every bound is exact and proves; with floats the same code only guides the search.

Notation: layer l has pre-activation z_l = W_l h_(l-1) + b_l, h_l = relu(z_l). Where lo <= z <= hi with lo < 0 < hi,
a z <= relu(z) <= s (z - lo), a = 1 if hi > -lo else 0, and s = ceil(2^k hi / (hi - lo)) / 2^k: a slope above the
triangle's keeps the upper line above relu at both ends. Rows A of sums A h are taken back layer by layer (CROWN, Zhang
et al. 2018), each step multiplying by 2^k, and layer bounds are met with interval arithmetic. Shapes: B boxes, S
protected assignments, n_x and n_s columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.margin import Layers

Numbers = npt.NDArray[Any]
Ends = tuple[Numbers, Numbers]

SLOPE_BITS = 10
_MIN_SLOPE_BITS = 4
_MACHINE_LIMIT = 1 << 61

_ENTRIES = 1 << 18
"""The most numbers of an array between the layers: what is bounded in one piece follows from it, and so does memory."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Bounds for a batch of boxes, in integers of the margin's unit.

    `low` and `high`, shape (B, S), enclose the margins; `between[:, a, b]`, shape (B, S, S), is at least the margin of
    assignment a minus that of b; `slopes`, shape (B, n_x), shows how strongly each column moves a margin.
    """

    low: Numbers
    high: Numbers
    between: Numbers
    slopes: Numbers


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The layers and the protected table as numbers of one kind; make it with :func:`guiding` or :func:`proving`."""

    layers: tuple[tuple[Numbers, Numbers], ...]
    table: Numbers
    bits: int

    def bound(self, low: Numbers, high: Numbers) -> Relaxed:
        """Bound the margins over boxes of plain columns, shape (B, n_x) each, both ends included."""
        step = self._share(len(self.table) ** 2)
        if len(low) <= step:
            return self._bound(low, high)
        parts = [self._bound(low[i : i + step], high[i : i + step]) for i in range(0, len(low), step)]
        return Relaxed(
            *(np.concatenate([getattr(one, name) for one in parts]) for name in ("low", "high", "between", "slopes"))
        )

    def _share(self, places: int) -> int:
        """Return how many boxes, or rows, are bounded in one piece where each has so many times the widest layer."""
        widest = max(int(weights.shape[1]) for weights, _ in self.layers)
        return max(1, _ENTRIES // (places * widest))

    def _bound(self, low: Numbers, high: Numbers) -> Relaxed:
        """Bound the margins over boxes in one piece."""
        known, rows = self._layers(low, high)
        between = np.minimum(self._apart(rows, low, high), self._moved(known))
        least, most = known[-1]
        return Relaxed(least[..., 0], most[..., 0], between, abs(rows[0]).max(axis=(1, 2)))

    def margins(self, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Bound the margins alone, shape (B, S) each, and return the slopes of the columns, shape (B, n_x)."""
        known, rows = self._layers(low, high)
        least, most = known[-1]
        return least[..., 0], most[..., 0], abs(rows[0]).max(axis=(1, 2))

    def hull(self, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Bound the margins of all assignments together, shape (B,) each, and return the slopes of the plain columns.

        The protected columns are taken as a box, too: looser than :meth:`margins`, and S times cheaper.
        """
        ends = [
            np.concatenate([side, np.broadcast_to(end, (len(side), len(end)))], axis=1)
            for side, end in ((low, self.table.min(axis=0)), (high, self.table.max(axis=0)))
        ]
        least, most, slopes = replace(self, table=self.table[:1, :0]).margins(*ends)
        return least[:, 0], most[:, 0], slopes[:, : low.shape[1]]

    def lines(self, low: Numbers, high: Numbers) -> Ends:
        """Return linear upper bounds over boxes of the margins and, second, of the margins with a minus.

        They are slopes of the plain columns, shape (B, S, 2, n_x), and constants, (B, S, 2), all times one number.
        """
        return self._layers(low, high)[1]

    def ends(self, low: Numbers, high: Numbers) -> list[Ends]:
        """Bound every layer's pre-activations over one box under any protected assignment; shapes (h,) each."""
        known, _ = self._layers(low, high)
        return [(least.min(axis=(0, 1)), most.max(axis=(0, 1))) for least, most in known]

    def _layers(self, low: Numbers, high: Numbers) -> tuple[list[Ends], Ends]:
        """Bound every layer, and return the margin's linear bounds over the plain columns, too."""
        (weights, biases), *rest = self.layers
        plain = low.shape[1]
        groups = self.table @ weights[:, plain:].T + biases
        first = weights[:, :plain]
        least = (low @ _plus(first).T + high @ _minus(first).T)[:, None, :] + groups
        most = (high @ _plus(first).T + low @ _minus(first).T)[:, None, :] + groups
        known = [(least, most)]
        rows = (least, most)
        for index, (weights, biases) in enumerate(rest, start=1):
            least, most, rows = self._next(known, index, weights, biases, low, high)
            known.append((least, most))
        return known, rows

    def _next(
        self, known: list[Ends], index: int, weights: Numbers, biases: Numbers, low: Numbers, high: Numbers
    ) -> tuple[Numbers, Numbers, Ends]:
        """Bound a layer by the better of intervals and relaxation; also return the rows over the inputs."""
        least, most = (np.maximum(end, 0) for end in known[-1])
        interval_low = least @ _plus(weights).T + most @ _minus(weights).T + biases
        interval_high = most @ _plus(weights).T + least @ _minus(weights).T + biases
        both = np.concatenate([weights, -weights]), np.concatenate([biases, -biases])
        unit = 1 << (self.bits * index)
        step = self._share(len(low) * len(self.table))
        rows, constants = self._back(known, index, both[0][:step], both[1][:step])
        tops = [_largest(rows, constants, low, high)]
        for start in range(step, len(both[0]), step):
            piece = self._back(known, index, *(part[start : start + step] for part in both))
            tops.append(_largest(*piece, low, high))
        # Rounded up, as an upper bound has to be. The second half are the negated rows: its negative is the lower
        # bound.
        most = -(-np.concatenate(tops, axis=-1) // unit)
        count = len(biases)
        if len(tops) > 1 and index == len(self.layers) - 1:  # the lines of both rows of the margin are asked for
            rows, constants = self._back(known, index, *both)
        return (
            np.maximum(interval_low, -most[..., count:]),
            np.minimum(interval_high, most[..., :count]),
            (rows, constants),
        )

    def _back(self, known: list[Ends], index: int, rows: Numbers, constants: Numbers) -> tuple[Numbers, Numbers]:
        """Return linear upper bounds over the plain columns of rows over h_index, scaled by 2^(k index).

        Rows have shape (m, h), results (B, S, m, n_x) and (B, S, m).
        """
        one = 1 << self.bits
        rows = rows[None, None]
        constants = constants[None, None]
        for layer in range(index - 1, -1, -1):
            least, most = known[layer]
            upper, lower, offset = _lines(least, most, self.bits)
            above = _plus(rows)
            below = _minus(rows)
            constants = constants * one + (above @ offset[..., None])[..., 0]
            rows = above * upper[:, :, None, :] + below * lower[:, :, None, :]
            weights, biases = self.layers[layer]
            # The scaled rows times the bias of the layer below.
            constants = constants + rows @ biases
            rows = rows @ weights
        plain = rows.shape[-1] - self.table.shape[1]
        groups = (rows[..., plain:] * self.table[None, :, None, :]).sum(axis=-1)
        return rows[..., :plain], constants + groups

    def _apart(self, rows: Ends, low: Numbers, high: Numbers) -> Numbers:
        """Bound the difference of two assignments' margins by their linear bounds over the same columns."""
        slopes, constants = rows
        joint = slopes[:, :, None, 0] + slopes[:, None, :, 1]
        offset = constants[:, :, None, 0] + constants[:, None, :, 1]
        unit = 1 << (self.bits * (len(self.layers) - 1))
        return -(-_largest(joint, offset, low, high) // unit)

    def _moved(self, known: list[Ends]) -> Numbers:
        """Bound the same difference by intervals of the difference network: layer 1 differs by a constant."""
        count = self.table.shape[1]
        own = self.table @ self.layers[0][0][:, -count:].T
        least = most = (own[:, None] - own[None, :])[None]
        for (low, high), (weights, _) in zip(known, self.layers[1:], strict=False):
            on = low >= 0
            off = high <= 0
            both_on = on[:, :, None] & on[:, None, :]
            both_off = off[:, :, None] & off[:, None, :]
            down = np.maximum(low, 0)
            up = np.maximum(high, 0)
            widest = up[:, :, None] - down[:, None, :]
            lowest = -np.swapaxes(widest, 1, 2)
            # Relu is monotone and never enlarges a difference, so it lies between 0 and the one before.
            below = np.where(both_on, least, np.where(both_off, 0, np.maximum(np.minimum(least, 0), lowest)))
            above = np.where(both_on, most, np.where(both_off, 0, np.minimum(np.maximum(most, 0), widest)))
            least = below @ _plus(weights).T + above @ _minus(weights).T
            most = above @ _plus(weights).T + below @ _minus(weights).T
        bound: Numbers = most[..., 0]
        return bound


def guiding(layers: Layers, grid: Grid) -> Relaxation:
    """Return a relaxation in floats, which is fast but proves nothing."""
    return _relaxation(layers, grid, SLOPE_BITS, np.float64)


def proving(layers: Layers, grid: Grid) -> Relaxation:
    """Return a relaxation in integers: machine integers if no sum can overflow, Python's otherwise.

    Coefficients times values never exceed 2^(k(L-1)) times the margin's bound by absolute values; a handful of such
    terms per layer is summed, twice that for a difference.
    """
    largest = _magnitude(layers, grid) * 16 * len(layers)
    for bits in range(SLOPE_BITS, _MIN_SLOPE_BITS - 1, -1):
        if largest << (bits * (len(layers) - 1)) < _MACHINE_LIMIT:
            return _relaxation(layers, grid, bits, np.int64)
    return _relaxation(layers, grid, SLOPE_BITS, object)


def corners(grid: Grid, box: tuple[Integers, Integers]) -> tuple[Integers, Integers]:
    """Return the least and largest plain columns, shape (B, n_x), of boxes of indices, shape (B, F) each.

    Numbers' columns rise with their index; of ranks and indicators the extremes among the box's values are taken.
    """
    least = []
    most = []
    for f, level in enumerate(grid.levels):
        low = box[0][:, f]
        high = box[1][:, f]
        if (np.diff(level, axis=0) >= 0).all():
            least.append(level[low])
            most.append(level[high])
            continue
        inside = (np.arange(len(level)) >= low[:, None]) & (np.arange(len(level)) <= high[:, None])
        masked = np.where(inside[..., None], level[None], level.max(axis=0))
        least.append(masked.min(axis=1))
        most.append(np.where(inside[..., None], level[None], level.min(axis=0)).max(axis=1))
    return np.concatenate(least, axis=1), np.concatenate(most, axis=1)


def _relaxation(layers: Layers, grid: Grid, bits: int, kind: Any) -> Relaxation:
    """Return a relaxation in numbers of a kind."""
    arrays = tuple((np.array(weights, dtype=kind), np.array(biases, dtype=kind)) for weights, biases in layers)
    return Relaxation(arrays, grid.table.astype(kind), bits)


def _magnitude(layers: Layers, grid: Grid) -> int:
    """Return a bound of every sum of absolute values in the network, over the whole grid."""
    size = [int(x) for level in (*grid.levels, grid.table) for x in abs(level).max(axis=0)]
    largest = max(size)
    for weights, biases in layers:
        size = [
            sum(abs(w) * x for w, x in zip(row, size, strict=True)) + abs(b)
            for row, b in zip(weights, biases, strict=True)
        ]
        largest = max(largest, *size)
    return largest


def _lines(least: Numbers, most: Numbers, bits: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return upper slopes, lower slopes and upper constants of relu, scaled by 2^bits."""
    one = 1 << bits
    on = least >= 0
    off = most <= 0
    width = np.where(on | off, 1, most - least)
    slope = -((-most * one) // width)
    upper = np.where(on, one, np.where(off, 0, slope))
    lower = np.where(on, one, np.where(off, 0, np.where(most > -least, one, 0)))
    return upper, lower, np.where(on | off, 0, -upper * least)


def _largest(rows: Numbers, constants: Numbers, low: Numbers, high: Numbers) -> Numbers:
    """Return the largest value of rows over each box; rows have shape (B, ..., n_x)."""
    shape = (len(low),) + (1,) * (rows.ndim - 2) + low.shape[1:]
    # One of the two products is zero in every column.
    maximum: Numbers = (_plus(rows) * high.reshape(shape) + _minus(rows) * low.reshape(shape)).sum(axis=-1) + constants
    return maximum


def _plus(numbers: Numbers) -> Numbers:
    """Return the positive parts."""
    parts: Numbers = np.maximum(numbers, 0)
    return parts


def _minus(numbers: Numbers) -> Numbers:
    """Return the negative parts."""
    parts: Numbers = np.minimum(numbers, 0)
    return parts
