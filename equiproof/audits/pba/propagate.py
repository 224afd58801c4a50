"""From a question and a box to its relaxation: bounds of every neuron in exact integers, layer by layer.

Bounds of a layer are the least and greatest values of its rows over the relaxation of the layers below, found by going
backward through these once: where a coefficient is positive, h is at least alpha z with alpha 0 or 1, where it is
negative, at most its chord (CROWN, Zhang and others 2018), with slopes in multiples of 2^-10. The paper's own bounds
are plain intervals; `style` "paper" gives those, and no rows between the copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba.copies import Copies
from equiproof.audits.pba.integers import Integers, bits, compact, exact, least, product
from equiproof.audits.pba.relaxation import Block, Relaxation, Sides, difference_rows

Style = Literal["difference", "separate", "paper"]
"""difference: the copies' rows are tied together. separate: they are not. paper: nor are bounds more than intervals."""

_SLOPE_BITS = 10
_SLOPE = 1 << _SLOPE_BITS

Bools = npt.NDArray[np.bool_]


@dataclass
class _Layer:
    """One layer of all copies: z over the variables before it, its bounds, and which neurons are on throughout."""

    z: list[Integers]
    z0: list[Integers]
    sides: list[Sides]
    apart: Sides | None


def relax(copies: Copies, lower: Integers, upper: Integers, style: Style = "difference") -> Relaxation:
    """Return the relaxation of a question over the box from `lower` to `upper` of its varying columns, shape (d,)."""
    inputs = len(copies.varying)
    signs = copies.signs
    blocks: list[Block] = []
    sides = Sides(lower, upper)
    tied = len(signs) == 2 and style == "difference"
    below: _Layer | None = None
    h: list[Integers] = [np.eye(inputs, dtype=np.int64)] * len(signs)
    h0: list[Integers] = [np.zeros(inputs, dtype=np.int64)] * len(signs)
    for depth, weight in enumerate(copies.weights):
        z = [compact(product(weight, over)) for over in h]
        z0 = [
            compact(exact(product(weight, start)) + bias) for start, bias in zip(h0, copies.biases[depth], strict=True)
        ]
        bounds = [bounded(over, start, blocks, sides, style) for over, start in zip(z, z0, strict=True)]
        apart = _apart(weight, z0, bounds, below) if tied else None
        below = _Layer(z, z0, bounds, apart)
        block = _opened(below, len(sides.lower))
        blocks.append(block)
        top = np.maximum(block.sides.upper, 0)
        sides = Sides(np.concatenate([sides.lower, np.zeros(block.count, dtype=np.int64)]), _joined(sides.upper, top))
        h, h0 = _after(below, block, len(sides.lower))
    objective = sum(sign * exact(product(copies.top, over)) for sign, over in zip(signs, h, strict=True))
    start = sum(sign * int(product(copies.top[None, :], over)[0]) for sign, over in zip(signs, h0, strict=True))
    return Relaxation(
        copies,
        inputs,
        blocks,
        compact(np.asarray(objective)),
        copies.constant + start,
        sides,
        [difference_rows(block, inputs, pair) for block in blocks for pair in range(len(block.pairs))],
    )


def bounded(
    rows: Integers, start: Integers, blocks: Sequence[Block], sides: Sides, style: Style = "difference"
) -> Sides:
    """Return exact integer bounds of rows @ v + start, shapes (r, v) and (r,), over the relaxation of `blocks`."""
    plain = Sides(least(rows, sides.lower, sides.upper), -least(-rows, sides.lower, sides.upper))
    low = exact(plain.lower)
    high = exact(plain.upper)
    if style != "paper" and any(block.count for block in blocks):
        low = np.maximum(low, _backward(rows, blocks, sides))
        high = np.minimum(high, -_backward(-rows, blocks, sides))
    return Sides(compact(low + start), compact(high + start))


def _backward(rows: Integers, blocks: Sequence[Block], sides: Sides) -> Integers:
    """Return lower bounds of rows @ v by one pass back through the blocks, rounded down to integers, shape (r,)."""
    constant: Integers = np.zeros(len(rows), dtype=object)
    shift = 0
    for block in reversed(blocks):
        if block.count == 0:
            continue
        own = rows[:, block.start :]
        rows = rows[:, : block.start]
        up = np.maximum(own, 0)
        down = np.minimum(own, 0)
        low = exact(block.sides.lower)
        high = exact(block.sides.upper)
        slope = _SLOPE * high // (high - low)
        # The offset makes up for the rounded slope: the chord lies above relu at both ends, so in between too.
        offset = np.maximum(-slope * low, (_SLOPE - slope) * high)
        # Any slope from 0 to 1 bounds relu from below; this one has the smaller area between.
        alpha = np.where(high > -low, _SLOPE, 0)
        mu = compact(exact(up) * alpha + exact(down) * slope)
        constant = (constant << _SLOPE_BITS) + product(down, offset) + product(mu, block.z0)
        rows = compact((exact(rows) << _SLOPE_BITS) + product(mu, block.z))
        shift += _SLOPE_BITS
    ends = sides.lower[: rows.shape[1]], sides.upper[: rows.shape[1]]
    return np.asarray((exact(least(rows, *ends)) + constant) >> shift)


def _apart(weight: Integers, z0: Sequence[Integers], sides: Sequence[Sides], below: _Layer | None) -> Sides:
    """Return bounds of z - z' between the two copies, per neuron of a layer.

    In the first layer it is a constant. Above, it is W (h - h') with h - h' inside what is known of the layer below.
    """
    if below is None:
        shift = exact(z0[0]) - z0[1]
        return Sides(compact(shift), compact(shift))
    low, high = _shifted(below)
    apart = Sides(least(weight, low, high), -least(-weight, low, high))
    return Sides(
        compact(np.maximum(exact(apart.lower), exact(sides[0].lower) - sides[1].upper)),
        compact(np.minimum(exact(apart.upper), exact(sides[0].upper) - sides[1].lower)),
    )


def _shifted(layer: _Layer) -> Sides:
    """Return bounds of h - h' of each neuron of a layer.

    relu is monotone and never steeper than 1, so h - h' lies between min(0, z - z') and max(0, z - z'). Where z - z' is
    a constant, h - h' is monotone in z': its values at the two ends are its bounds.
    """
    if layer.apart is None:
        raise ValueError("bounds between copies are for copies that are tied")
    low, high = layer.sides[0]
    there_low, there_high = layer.sides[1]
    d_low, d_high = layer.apart
    least_h = np.maximum(low, 0)
    most_h = np.maximum(high, 0)
    least_there = np.maximum(there_low, 0)
    most_there = np.maximum(there_high, 0)
    lower = np.maximum(least_h - most_there, np.minimum(d_low, 0))
    upper = np.minimum(most_h - least_there, np.maximum(d_high, 0))
    on = (low >= 0) & (there_low >= 0)
    # Where both are on, h - h' is z - z' itself.
    lower = np.where(on, np.maximum(lower, d_low), lower)
    upper = np.where(on, np.minimum(upper, d_high), upper)
    at_low = np.maximum(exact(there_low) + d_low, 0) - least_there
    at_high = np.maximum(exact(there_high) + d_low, 0) - most_there
    fixed = d_low == d_high
    return Sides(
        compact(np.where(fixed, np.maximum(np.minimum(at_low, at_high), lower), lower)),
        compact(np.where(fixed, np.minimum(np.maximum(at_low, at_high), upper), upper)),
    )


def _opened(layer: _Layer, start: int) -> Block:
    """Return the block of the neurons whose sign is open."""
    open_neurons = [np.flatnonzero((low < 0) & (high > 0)) for low, high in layer.sides]
    z = np.concatenate([over[rows] for over, rows in zip(layer.z, open_neurons, strict=True)])
    block = Block(
        start=start,
        z=z,
        z0=np.concatenate([over[rows] for over, rows in zip(layer.z0, open_neurons, strict=True)]),
        sides=Sides(
            *(
                np.concatenate([bound[end][rows] for bound, rows in zip(layer.sides, open_neurons, strict=True)])
                for end in (0, 1)
            )
        ),
        copy=np.repeat(np.arange(len(open_neurons)), [len(rows) for rows in open_neurons]),
        neuron=np.concatenate(open_neurons),
    )
    if layer.apart is not None:
        _, here, there = np.intersect1d(open_neurons[0], open_neurons[1], assume_unique=True, return_indices=True)
        block.pairs = [(int(a), int(b) + len(open_neurons[0])) for a, b in zip(here, there, strict=True)]
        neurons = open_neurons[0][here]
        block.apart = [(int(layer.apart.lower[n]), int(layer.apart.upper[n])) for n in neurons]
    return block


def _after(layer: _Layer, block: Block, variables: int) -> tuple[list[Integers], list[Integers]]:
    """Return h of every copy over all variables so far: z where a neuron is on, its variable where it is open."""
    copies = []
    starts = []
    for copy, (over, start, sides) in enumerate(zip(layer.z, layer.z0, layer.sides, strict=True)):
        on: Bools = np.asarray(sides.lower >= 0, dtype=np.bool_)
        h = np.zeros((len(start), variables), dtype=over.dtype)
        h[:, : over.shape[1]] = np.where(on[:, None], over, 0)
        for position in np.flatnonzero(block.copy == copy):
            h[block.neuron[position], block.start + position] = 1
        copies.append(h)
        starts.append(np.where(on, start, 0))
    return copies, starts


def _joined(first: Integers, second: Integers) -> Integers:
    """Return two vectors as one, of 64-bit integers where all fit."""
    vector = np.concatenate([exact(first), exact(second)])
    return compact(vector) if bits(vector) else vector.astype(np.int64)
