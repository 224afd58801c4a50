"""The linear constraints that a part of a slice's ball puts on the relaxation: the rows of its quadratic program.

Notation: columns are (y, h, 1), with y the n_x columns of the way from the query and h the free neurons, layer by
layer; a row r demands r (y, h, 1) >= 0. A free neuron h = relu(z) becomes h >= 0, h >= z and h <= upper z + offset, its
chord; a neuron that is fixed or stable is linear or 0, and its sign is a row of its own where it is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from equiproof.certify.branch.arrays import Bools, Floats, Indices
from equiproof.certify.branch.scaled_ball import ScaledBall, ScaledLayer

RowKind = Literal["zero", "line", "chord", "sign"]
"""What a row demands of a neuron: h >= 0, h >= z, the chord, or the sign that the part fixes."""


@dataclass(frozen=True, repr=False)
class RowBlock:
    """Consecutive rows of one kind: of the neurons with these numbers in the hidden layer `depth`, from 0."""

    kind: RowKind
    depth: int
    neurons: Indices


@dataclass(frozen=True, repr=False)
class Constraints:
    """The rows of a part, shape (m, n_x + free + 1), those of ranges last: these are in no block.

    `pre` and `post` are z and h of every hidden layer over the columns, shape (n, n_x + free + 1). `free`, `on` and
    `off` have the signs of each layer's neurons, shape (n,). `centre` holds h of the free neurons at the query.
    """

    matrix: Floats
    blocks: list[RowBlock]
    pre: list[Floats]
    post: list[Floats]
    free: list[Bools]
    on: list[Bools]
    off: list[Bools]
    centre: Floats


def constraints_of(ball: ScaledBall, on: Bools, off: Bools) -> Constraints:
    """Return the constraints of the part with these signs, a bit per hidden neuron."""
    layers_on = [on[layer.neurons] for layer in ball.layers]
    layers_off = [off[layer.neurons] for layer in ball.layers]
    free = [layer.unstable & ~up & ~down for layer, up, down in zip(ball.layers, layers_on, layers_off, strict=True)]
    width = ball.columns + sum(int(bits.sum()) for bits in free) + 1
    column = ball.columns
    inputs = np.eye(ball.columns, width)
    value = np.zeros(ball.columns)
    matrix: list[Floats] = []
    blocks: list[RowBlock] = []
    pre: list[Floats] = []
    post: list[Floats] = []
    centre: list[Floats] = []
    for depth, layer in enumerate(ball.layers):
        z = layer.weights @ inputs
        z[:, -1] += layer.biases
        linear = (layer.active | layers_on[depth]) & ~layers_off[depth] & ~free[depth]
        free_neurons = np.flatnonzero(free[depth])
        h = _features(z, linear, free_neurons, column)
        column += len(free_neurons)
        value = _features_at_query(layer, value, linear, free[depth])
        centre.append(value[free_neurons])
        for kind, neurons, rows in _layer_rows(layer, z, h, free_neurons, layers_on[depth], layers_off[depth]):
            matrix.append(rows)
            blocks.append(RowBlock(kind, depth, neurons))
        pre.append(z)
        post.append(h)
        inputs = h
    if ball.room is not None:
        matrix += ball.room.rows(width)
    return Constraints(
        matrix=np.concatenate(matrix),
        blocks=blocks,
        pre=pre,
        post=post,
        free=free,
        on=layers_on,
        off=layers_off,
        centre=np.concatenate(centre),
    )


def _features(z: Floats, linear: Bools, free_neurons: Indices, column: int) -> Floats:
    """Return h over the columns: z where linear, a column of its own from `column` on where free, else 0."""
    h = np.where(linear[:, None], z, 0.0)
    h[free_neurons, column + np.arange(len(free_neurons))] = 1.0
    return h


def _features_at_query(layer: ScaledLayer, value: Floats, linear: Bools, free: Bools) -> Floats:
    """Return h at the query from the values below, with fixed neurons as the part has them."""
    z = layer.weights @ value + layer.biases
    return np.where(free, np.maximum(z, 0), np.where(linear, z, 0.0))


def _layer_rows(
    layer: ScaledLayer, z: Floats, h: Floats, free_neurons: Indices, on: Bools, off: Bools
) -> list[tuple[RowKind, Indices, Floats]]:
    """Return the rows of one layer by kind, with the neurons that they are about."""
    chord = layer.upper[free_neurons, None] * z[free_neurons] - h[free_neurons]
    chord[:, -1] += layer.offset[free_neurons]
    neurons_on = np.flatnonzero(on)
    neurons_off = np.flatnonzero(off)
    return [
        ("zero", free_neurons, h[free_neurons]),
        ("line", free_neurons, h[free_neurons] - z[free_neurons]),
        ("chord", free_neurons, chord),
        ("sign", neurons_on, z[neurons_on]),
        ("sign", neurons_off, -z[neurons_off]),
    ]
