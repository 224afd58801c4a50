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
    """A backward pass: the splits P - Q of the coefficients, layer by layer downwards, and the radii of its form.

    A bound's top layer is split once for all, in :class:`WeightSplit`; its rows here begin below it. A leaf's rows
    begin at layer H.
    """

    positive: tuple[Row, ...]
    negative: tuple[Row, ...]
    radius: int
    remainder_radius: int


@dataclass(frozen=True)
class WeightSplit:
    """P - Q = W of a hidden layer L >= 2, h_L rows of h_(L-1): upper bounds use Q - P = -W."""

    positive: tuple[Row, ...]
    negative: tuple[Row, ...]


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

    `neuron` is free here. `on_child` and `off_child` number rows of the tree: splits first, then leaves.
    """

    slice: int
    on: Row
    off: Row
    neuron: int
    on_child: int
    off_child: int


@dataclass(frozen=True)
class Margin:
    """A leaf's proof for one class: M, beta and A per layer j = H..1, and the pass of M times the margin.

    M > 0 proves the margin positive on the leaf's part of the open ball, M = 0 that this part is empty.
    """

    multiplier: int
    beta: tuple[Row, ...]
    lower: tuple[Row, ...]
    descent: Pass


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

    `first_radii` are the radii of layer 1, which slices share. `weight_splits` are those of layers 2..H. `bounds[s]`
    has a LayerBounds for each hidden layer on slice s. `roots[s]` numbers the row of the tree where slice s begins.
    """

    label: int
    radius_squared: int
    first_radii: Row
    weight_splits: tuple[WeightSplit, ...]
    bounds: tuple[tuple[LayerBounds, ...], ...]
    roots: Row
    splits: tuple[Split, ...]
    leaves: tuple[Leaf, ...]

    @property
    def size(self) -> int:
        """What of a key's capacity it takes: its leaves."""
        return len(self.leaves)
