"""Filling of relation `gain`: the wires beyond the statement's.

The evidence is that of scheme `branch` for the network of two copies. Its tree and leaves are filled as they are; the
bounds of a layer on its one slice are those of both copies, one behind the other, and are filled as the bounds of the
committed network on two slices: a pass that begins in one copy has nothing in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equiproof.certify.branch.evidence import LayerBounds, Pass, Row
from equiproof.certify.gain.pair import paired
from equiproof.certify.gain.search import GainEvidence
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.shape import Shape
from equiproof.prover.witness.branch import Filler, padded

COPIES = 2


def fill(
    shape: Shape, network: QuantisedNetwork, query: Sequence[int], rows: Sequence[Sequence[int]], evidence: GainEvidence
) -> dict[str, list[int]]:
    """Return the wires by name, as integers that may be negative; `rows` are the sensitive columns of each copy.

    Raises WitnessError as :func:`.branch.fill` does.
    """
    tree = padded(evidence.tree, shape.capacity, 1)
    sides = replace(
        tree,
        first_radii=_half(tree.first_radii, 0),
        bounds=tuple(tuple(_side(here, copy) for here in tree.bounds[0]) for copy in range(COPIES)),
    )
    filler = Filler.of(shape, network, query, rows, sides, None)
    filler.bounds()
    both = paired(network, len(query), evidence.label, evidence.least_gain)
    filler = replace(
        filler, shape=shape.pair, network=both, table=[tuple(x for row in rows for x in row)], evidence=tree
    )
    filler.tree()
    for leaf in tree.leaves:
        filler.leaf(leaf)
    return dict(filler.wires)


def _half(row: Sequence[int], copy: int) -> Row:
    """Return the part of one copy of numbers over the neurons of a layer, or of what stands by neuron."""
    size = len(row) // COPIES
    return tuple(row[copy * size : (copy + 1) * size])


def _side(here: LayerBounds, copy: int) -> LayerBounds:
    """Return what one copy has of a layer's bounds."""
    size = len(here.below) // COPIES
    own = slice(copy * size, (copy + 1) * size)
    return LayerBounds(
        low=_half(here.low, copy),
        high=_half(here.high, copy),
        lower=_half(here.lower, copy),
        upper=_half(here.upper, copy),
        offset=_half(here.offset, copy),
        below=tuple(_own(bound_pass, copy) for bound_pass in here.below[own]),
        above=tuple(_own(bound_pass, copy) for bound_pass in here.above[own]),
    )


def _own(bound_pass: Pass, copy: int) -> Pass:
    """Return a pass that begins in a copy as one of the committed network."""
    return replace(
        bound_pass,
        positive=tuple(_half(row, copy) for row in bound_pass.positive),
        negative=tuple(_half(row, copy) for row in bound_pass.negative),
    )
