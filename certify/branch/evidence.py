"""Evidence of scheme `branch` in plain types: bounds per slice, a tree over each slice's ball, multipliers at leaves.

Notation: hidden layers 1..H; the backward pass of a form with top layer L goes through the layers j = L - 1..1, and its
rows stand in that order. Rows over the neurons of layer j have h_j integers. Everything is an integer of the circuit:
slopes and multipliers carry q fractional bits. It tells about the weights: it never leaves the owner.
(docs/adr/0008-branch-and-bound-in-integers.md)
"""

from __future__ import annotations

from dataclasses import dataclass

Row = tuple[int, ...]


@dataclass(frozen=True)
class Pass:
    """A bound's backward pass: the splits P - Q of the coefficients, layer by layer downwards, and its form's radii.

    At the top P and Q are the positive and negative parts of the weights; the rows here begin below it.
    """

    positive: tuple[Row, ...]
    negative: tuple[Row, ...]
    radius: int
    remainder_radius: int


@dataclass(frozen=True)
class LayerBounds:
    """Bounds `low` <= z <= `high` of a hidden layer on one slice's ball, and its relaxation.

    2^q relu(z) >= `lower` z and <= `upper` z + `offset`. `lower` (A) serves the bounds above: the last hidden layer has
    none. `below` and `above` are the passes of the lower and the upper bounds, neuron by neuron; layer 1 has none.
    """

    low: Row
    high: Row
    lower: Row
    upper: Row
    offset: Row
    below: tuple[Pass, ...]
    above: tuple[Pass, ...]


@dataclass(frozen=True)
class Split:
    """A row of the tree that is split: `on` and `off` hold a 0 or 1 per hidden neuron, layer by layer.

    `neuron` is free here. Its halves are the rows, splits or leaves, with the same slice and signs and this one neuron
    on, and off.
    """

    slice: int
    on: Row
    off: Row
    neuron: int


@dataclass(frozen=True)
class Margin:
    """A leaf's proof for one class: M, and per layer j = H..1 the excess and A; radii where the form is rounded.

    `excess` is Q where a neuron is free, lambda = P - Q, and beta, the multiplier of its sign, where it is on or off.
    `radius` and `remainder_radius` are 0 where kc = 0. `cut` has a number per column where neighbors are restricted to
    ranges: a multiplier of the column's least value where it is positive, its negative one of the largest.
    M > 0 proves the margin positive on the leaf's part of the open ball, M = 0 that this part is empty.
    """

    multiplier: int
    excess: tuple[Row, ...]
    lower: tuple[Row, ...]
    radius: int
    remainder_radius: int
    cut: Row = ()


@dataclass(frozen=True)
class Leaf:
    """A row of the tree that is not split, with a margin for every class but the label, in their order."""

    slice: int
    on: Row
    off: Row
    margins: tuple[Margin, ...]


@dataclass(frozen=True)
class BranchEvidence:
    """The label is decided strictly at every point closer than sqrt(radius_squared), on every slice.

    Where neighbors are restricted to ranges: at every such point inside them.

    `first_radii` are the radii of layer 1, which slices share. `bounds[s]` has a LayerBounds for each hidden layer on
    slice s. The tree of a slice begins at the row in which all neurons are free; rows are numbered in errors, splits
    first, then leaves.
    """

    label: int
    radius_squared: int
    first_radii: Row
    bounds: tuple[tuple[LayerBounds, ...], ...]
    splits: tuple[Split, ...]
    leaves: tuple[Leaf, ...]

    @property
    def size(self) -> int:
        """What of a key's capacity it takes: its leaves."""
        return len(self.leaves)
