"""Linear relaxations of a question over a box, and the exact bound that multipliers of their rows prove.

Notation: variables v are the d varying columns and one h per neuron whose sign the box leaves open; z = Z v + z0 is the
pre-activation of such a neuron over the variables made before it. Neurons that are active or off throughout are folded.
The rows, each >= 0 at every input of the box, stand over a common denominator 2^20:

    h - z                                        (h >= 0 and h <= u are the variable's own bounds)
    s z + t - h                                  the chord above relu on [l, u] (Ehlers 2017)
    r >= 0 with r = h - h' and what z - z' tells  the difference of the same neuron in two copies

The last kind is what a relaxation of two separate networks does not know: the copies share their input, so that z - z'
is a constant in the first layer and often nearly one above (as in ReluDiff, Paulsen and others 2020).

Why a bound from here is no float: all coefficients are integers, every slope is rounded to a multiple of 2^-20 and its
offset moved outward until the row holds at both ends. Multipliers y >= 0, from a linear program's duals or from
anywhere else, are rounded to multiples of 2^-40; then  c v >= c v - y.rows(v)  for all v that are possible, and the
right side is linear in v, with its least value over the variables' bounds summed up in Python integers (weak duality).
No multipliers can prove more than is true: wrong ones prove less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba.copies import Copies
from equiproof.audits.pba.integers import Integers, exact, least, product

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

ROW_BITS = 20
ONE = 1 << ROW_BITS
MULTIPLIER_BITS = 40


class MultiplierError(ValueError):
    """Invalid multipliers: negative, not finite, or not one per row."""


class Sides(NamedTuple):
    """Integer bounds of numbers: all lower ones, all upper ones."""

    lower: Integers
    upper: Integers


@dataclass
class Block:
    """The open neurons of one layer, those of copy 0 first.

    `start` is the variable of the first one; `z` (neurons, start) and `z0` (neurons,) give their pre-activations,
    `sides` the bounds of these. `copy` and `neuron` identify each neuron in the network. `pairs` lists the
    positions of a neuron that is open in both copies, with the bounds of z - z' in `apart` and z - z' itself in
    `shift` where it is a constant.
    """

    start: int
    z: Integers
    z0: Integers
    sides: Sides
    copy: Numbers
    neuron: Numbers
    pairs: list[tuple[int, int]] = field(default_factory=list)
    apart: list[tuple[int, int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of its neurons."""
        return len(self.z0)


class Row(NamedTuple):
    """A row over 2^20: coefficients of variables, coefficients of open neurons' z, and a constant."""

    h: tuple[tuple[int, int], ...]
    z: tuple[tuple[int, int], ...]
    constant: int


@dataclass
class Relaxation:
    """Minimise `objective` @ v + `constant` over `sides` of the variables under `rows`.

    `blocks` come in the order of layers. Open neurons are numbered as their variables are, from 0: neuron j is variable
    j + `inputs`. `difference` lists the rows between copies by the first neuron of each pair.
    """

    copies: Copies
    inputs: int
    blocks: list[Block]
    objective: Integers
    constant: int
    sides: Sides
    difference: list[tuple[Row, ...]]

    @property
    def open(self) -> int:
        """How many neurons are open."""
        return sum(block.count for block in self.blocks)

    def bounds(self) -> Sides:
        """Return the bounds of z of all open neurons."""
        empty = [np.zeros(0, dtype=np.int64)]
        return Sides(*(np.concatenate(empty + [exact(block.sides[end]) for block in self.blocks]) for end in (0, 1)))

    def rows(self, z_sides: Sides) -> list[Row]:
        """Return all rows where z has these bounds: two per open neuron in their order, then those between copies.

        `z_sides` may be tighter than :meth:`bounds` where signs are fixed: l = 0 where a neuron is active, u = 0 off.
        """
        rows = []
        for j in range(self.open):
            variable = j + self.inputs
            rows.append(Row(((variable, ONE),), ((j, -ONE),), 0))
            slope, offset = chord(int(z_sides.lower[j]), int(z_sides.upper[j]))
            rows.append(Row(((variable, -ONE),), ((j, slope),), offset))
        for group in self.difference:
            rows.extend(group)
        return rows

    def variables(self, z_sides: Sides) -> Sides:
        """Return the bounds of all variables where z has these bounds."""
        lower = np.concatenate([exact(self.sides.lower[: self.inputs]), np.zeros(self.open, dtype=object)])
        return Sides(lower, np.concatenate([exact(self.sides.upper[: self.inputs]), np.maximum(z_sides.upper, 0)]))

    def prove(self, rows: Sequence[Row], z_sides: Sides, multipliers: Floats) -> Fraction:
        """Return the exact bound of the objective that multipliers of the rows prove, rounded as the module describes.

        In units of the integer logits. Raises MultiplierError for multipliers that are no evidence.
        """
        if len(multipliers) != len(rows) or not np.isfinite(multipliers).all() or (multipliers < 0).any():
            raise MultiplierError(f"{len(rows)} rows want as many finite multipliers from 0 on")
        shift = MULTIPLIER_BITS + ROW_BITS
        over_v = exact(self.objective) << shift
        over_z = np.zeros(self.open, dtype=object)
        total = self.constant << shift
        for row, value in zip(rows, multipliers.tolist(), strict=True):
            y = int(value * (1 << MULTIPLIER_BITS))
            if y == 0:
                continue
            for variable, coefficient in row.h:
                over_v[variable] -= y * coefficient
            for neuron, coefficient in row.z:
                over_z[neuron] -= y * coefficient
            total -= y * row.constant
        for block in reversed(self.blocks):
            first = block.start - self.inputs
            mu = over_z[None, first : first + block.count]
            over_v[: block.start] += product(mu, block.z)[0]
            total += int(product(mu, block.z0)[0])
        ends = self.variables(z_sides)
        return Fraction(int(least(over_v[None, :], ends.lower, ends.upper)[0]) + total, 1 << shift)


def chord(low: int, high: int) -> tuple[int, int]:
    """Return s and t over 2^20 with s z + t >= relu(z) on [low, high], as tight as 20 bits allow; low < high."""
    if high <= 0:
        return 0, 0
    # relu is convex, so that a line above it at both ends is above it in between; the offset makes up for the rounded
    # slope.
    slope = ONE if low >= 0 else ONE * high // (high - low)
    return slope, max(-slope * low if low < 0 else (ONE - slope) * low, (ONE - slope) * high)


def difference_rows(block: Block, inputs: int, pair: int) -> tuple[Row, ...]:
    """Return the rows that tie a neuron of two copies together."""
    here, there = block.pairs[pair]
    low, high = block.apart[pair]
    first = block.start - inputs
    a = block.start + here
    b = block.start + there
    za = first + here
    zb = first + there
    # max(0, d) is convex in d = z - z': the chord lies above it, and relu(z) - relu(z') below; so it is from below.
    above, above0 = _line(low, high, 1)
    below, below0 = _line(low, high, -1)
    rows = [
        Row(((a, -ONE), (b, ONE)), ((za, above), (zb, -above)), above0),
        Row(((a, ONE), (b, -ONE)), ((za, -below), (zb, below)), -below0),
    ]
    if low == high and low != 0:
        rows += _ramp(block, (here, there), low, inputs)
    return tuple(rows)


def _line(low: int, high: int, sign: int) -> tuple[int, int]:
    """Return p and q over 2^20 with p d + q >= max(0, d) on [low, high], or <= min(0, d) for sign -1."""
    if sign < 0:
        slope, offset = _line(-high, -low, 1)
        return slope, -offset
    if high <= 0:
        return 0, 0
    if low >= 0:
        return ONE, 0
    slope = ONE * high // (high - low)
    return slope, max(-slope * low, (ONE - slope) * high)


def _ramp(block: Block, pair: tuple[int, int], shift: int, inputs: int) -> list[Row]:
    """Return the envelopes of relu(z' + c) - relu(z') for a constant c = z - z', which is a ramp from 0 to c.

    For c > 0 and z in [l, u], z' in [l', u'], l and l' < 0 < u and u': at least c z / u, and at most c (z' - l') / -l'.
    For c < 0 the copies change their parts.
    """
    here, there = pair if shift > 0 else pair[::-1]
    c = abs(shift)
    first = block.start - inputs
    top = int(block.sides.upper[here])
    bottom = int(block.sides.lower[there])
    a = block.start + here
    b = block.start + there
    # No steeper than the ramp itself: bounds of one copy may be looser than those of the other.
    slope = min(ONE, ONE * c // top)
    rising = min(ONE, ONE * c // -bottom)
    return [
        Row(((a, ONE), (b, -ONE)), ((first + here, -slope),), 0),
        Row(((a, -ONE), (b, ONE)), ((first + there, rising),), max(ONE * c, -rising * bottom)),
    ]
