"""Margins of many applicants under every protected value: floats with a proven error, integers where it matters.

Notation: layer l computes z_l = W_l h_(l-1) + b_l, h_l = relu(z_l). u = 2^-53. A sum of n products in floats, in any
order and with or without fused operations, is off by at most g_n sum |w||h|, g_n = n u / (1 - n u). So with |h| <= H
and an error of at most e below, the error of z is at most |W| e + g_(n+4) (|W| (H + e) + |b|): weights and bias are
rounded once, the bias is added, and layer 1 is summed in two parts. Relu does not enlarge an error. H is taken over the
whole domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.margin import Margin

Floats = npt.NDArray[np.float64]

_UNIT = 2.0**-53
_SLACK = 1.0 + 2.0**-20
"""An upper bound of the rounding in the error bound's own arithmetic."""

_ENTRIES = 1 << 20
"""The most values of a layer that are held at once: applicants are taken in pieces of as many."""

_UNDERFLOW = 2.0**-1000
"""An upper bound of what products lose below the smallest normal number."""


@dataclass(frozen=True, eq=False)
class Forward:
    """A margin on a grid, ready for batches; `given` takes its columns in the network's order."""

    given: Margin
    grid: Grid

    @cached_property
    def margin(self) -> Margin:
        """The margin of columns in the grid's order."""
        return self.given.reordered(self.grid.order)

    @cached_property
    def floats(self) -> tuple[tuple[Floats, Floats], ...]:
        """The layers in real units, weights as (inputs, outputs); layer 1 takes up the scale of the integer columns."""
        layers = []
        below = 1 << self.margin.input_bits
        total = Fraction(1, below)
        for (weights, biases), bits in zip(self.margin.layers, self.margin.weight_bits, strict=True):
            total /= 1 << bits
            # Int over int is rounded correctly, whatever the size of the two.
            matrix = np.array([[weight / (below << bits) for weight in row] for row in weights])
            layers.append((np.ascontiguousarray(matrix.T), np.array([float(bias * total) for bias in biases])))
            below = 1
        return tuple(layers)

    @cached_property
    def error(self) -> float:
        """The most that a float margin differs from the exact one, anywhere on the grid."""
        size = np.concatenate(
            [abs(level).max(axis=0) for level in self.grid.levels] + [abs(self.grid.table).max(axis=0)]
        )
        high = size.astype(np.float64)
        off = np.zeros(len(size))
        for weights, biases in self.floats:
            count = len(weights) + 4
            share = count * _UNIT / (1 - count * _UNIT)
            heavy = abs(weights).T
            off = _SLACK * (heavy @ off + share * (heavy @ (high + off) + abs(biases))) + _UNDERFLOW
            high = _SLACK * (heavy @ high + abs(biases))
        return float(off.max())

    def margins(self, applicants: Integers) -> Floats:
        """Return the margins, shape (n, S), of applicants of shape (n, F); off by at most `error`."""
        widest = max(weights.shape[1] for weights, _ in self.floats)
        step = max(1, _ENTRIES // (len(self.grid.table) * widest))
        if len(applicants) <= step:
            return self._margins(applicants)
        return np.concatenate([self._margins(applicants[i : i + step]) for i in range(0, len(applicants), step)])

    def _margins(self, applicants: Integers) -> Floats:
        """Return the margins of applicants in one piece."""
        (weights, biases), *rest = self.floats
        plain = self.grid.columns(applicants).astype(np.float64) @ weights[: len(weights) - self.grid.table.shape[1]]
        groups = self._groups
        values = np.maximum(plain[:, None, :] + groups[None, :, :], 0.0).reshape(-1, weights.shape[1])
        for weights, biases in rest[:-1]:
            values = values @ weights
            values += biases
            np.maximum(values, 0.0, out=values)
        weights, biases = rest[-1]
        return (values @ weights + biases).reshape(len(applicants), len(groups))

    def exact(self, applicant: Integers) -> tuple[Fraction, ...]:
        """Return the exact margins of one applicant of shape (F,) under every protected value."""
        columns = [int(value) for value in self.grid.columns(applicant[None])[0]]
        return tuple(self.margin([*columns, *map(int, values)]) for values in self.grid.table)

    @cached_property
    def _groups(self) -> Floats:
        """What the protected values and the biases add to layer 1, shape (S, h_1)."""
        weights, biases = self.floats[0]
        columns = self.grid.table.astype(np.float64)
        share: Floats = columns @ weights[len(weights) - columns.shape[1] :] + biases
        return share
