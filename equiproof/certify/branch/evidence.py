"""Evidence of scheme `branch` in plain types: bounds per slice, a tree over each slice's ball, multipliers at leaves.

Notation: hidden layers 1..H; the backward pass of a form with top layer L goes through the layers j = L - 1..1, and its
rows stand in that order. Rows over the neurons of layer j have h_j integers. Everything is an integer of the circuit:
slopes and multipliers carry q fractional bits. Evidence reveals something of the weights: the owner keeps it secret,
and a repr shows none of its numbers but label, radius and signs. (docs/adr/0008-branch-and-bound-in-integers.md)
"""

from __future__ import annotations

from dataclasses import dataclass, field

Row = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Pass:
    """A bound's backward pass: the splits P - Q of the coefficients, layer by layer downwards, and its form's radii.

    At the top P and Q are the positive and negative parts of the weights; the rows here begin below it.
    """

    positive: tuple[Row, ...]
    negative: tuple[Row, ...]
    radius: int
    remainder_radius: int


@dataclass(frozen=True, repr=False)
class LayerBounds:
    """Bounds `low` <= z <= `high` of a hidden layer on one slice's ball, and its relaxation.

    2^q relu(z) >= `lower` z and <= `upper` z + `offset`. The bounds of the layers above use `lower` (A); the last
    hidden layer has none. `below` and `above` are the passes of the lower and the upper bounds, neuron by neuron; layer
    1 has none.
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


@dataclass(frozen=True, repr=False)
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
    margins: tuple[Margin, ...] = field(repr=False)


@dataclass(frozen=True)
class BranchEvidence:
    """The label is decided strictly at every point closer than sqrt(radius_squared), on every slice.

    Where neighbors are restricted to ranges, this holds for the points inside them.

    `first_radii` are the radii of layer 1, which all slices share. `bounds[s]` has a LayerBounds for each hidden layer
    on slice s. The root of a slice's tree is the row with all neurons free. Errors number the rows, splits first, then
    leaves.
    """

    label: int
    radius_squared: int
    first_radii: Row = field(repr=False)
    bounds: tuple[tuple[LayerBounds, ...], ...] = field(repr=False)
    splits: tuple[Split, ...] = field(repr=False)
    leaves: tuple[Leaf, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The number of its leaves, which a key's capacity limits."""
        return len(self.leaves)
