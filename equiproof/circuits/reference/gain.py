"""The whole relation `gain`, composed of the gadgets' functions: of the network for bounds, of its pair for the leaves.

R-G-COPIES and R-G-GAIN are what the pair's wires are made of: the network's, a copy beside the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from equiproof.circuits.layout import segments
from equiproof.circuits.reference.bounds import bounds
from equiproof.circuits.reference.field import GF, Elements, Wires, elements
from equiproof.circuits.reference.first_bounds import first_bounds
from equiproof.circuits.reference.leaf import leaf
from equiproof.circuits.reference.passes import by_leaf, by_slice, shares, weights_of
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.relaxation import relaxation
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.reference.tree import tree
from equiproof.circuits.shape import Shape

COPIES = 2


def gain(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]], first: int | None = None) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest.

    `first` is the challenge of a kept model's words; other shapes have none.
    """
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. Every number has its width: from here on elements stand for integers.
    ranges(segments(shape), field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires, first)
    # 3. The network's bounds and lines on the ball of each row.
    for number in range(COPIES):
        own = shares(field_wires, by_slice(shape, field_wires), COPIES, number)
        side = {**field_wires, **own, **_row(shape, field_wires, number)}
        first_bounds(shape, side)
        relaxation(shape, side)
        bounds(shape, side)
    # 4. Leaves of the pair that cover its ball, and at each of them a proof of every gain.
    pair = {**field_wires, **_paired(shape, field_wires)}
    tree(shape.pair, pair)
    for number in range(shape.capacity):
        leaf(shape.pair, {**pair, **shares(pair, by_leaf(field_wires), shape.capacity, number)})


def _row(shape: Shape, wires: Wires, number: int) -> dict[str, Elements]:
    """Return the sensitive columns of a copy."""
    return {"row": wires["table"].reshape(COPIES, shape.architecture.sensitive)[number]}


def _paired(shape: Shape, wires: Wires) -> dict[str, Elements]:
    """Return the layers of the pair: the network's in two blocks, and of each logit the difference of the copies'."""
    plain = shape.architecture.plain
    last = len(shape.architecture.layers)
    label = wires["label"]
    over = GF(1) - wires["least_gain"][0]
    pair = {}
    for layer in range(1, last):
        weights = weights_of(shape, wires, layer)
        shared = plain if layer == 1 else 0
        own = weights[:, shared:]
        none = GF.Zeros((len(weights), weights.shape[1] - shared))
        first, second = (np.hstack([weights[:, :shared], *blocks]) for blocks in ((own, none), (none, own)))
        pair[f"weights.{layer}"] = GF(np.vstack([first, second])).ravel()
        pair[f"biases.{layer}"] = GF(np.tile(wires[f"biases.{layer}"], COPIES))
    weights = weights_of(shape, wires, last)
    pair[f"weights.{last}"] = GF(np.hstack([weights, -weights])).ravel()
    sign = GF(2) * label - GF.Ones(1) if len(label) == 1 else label
    pair[f"biases.{last}"] = over * sign
    return pair
