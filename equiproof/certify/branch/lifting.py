"""Evidence about a network without what it does not use, as evidence about the whole network.

An idle neuron is 0 at every point, so both its bounds are 0, it is active, and no form has a coefficient there. A
column of the padding is 0 in every coefficient. The integers of everything else stay as they are, so that radius and
leaves do; the checker checks the result like any other evidence.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from equiproof.certify.branch.evidence import BranchEvidence, LayerBounds, Leaf, Margin, Pass, Row, Split
from equiproof.certify.padding import Idle
from equiproof.circuits.branch_parameters import Parameters


def same_rounding(fewer: Parameters, parameters: Parameters) -> bool:
    """Return whether forms of two shapes are rounded alike, so that evidence of one has the other's integers."""
    return (fewer.fraction_bits, fewer.rounding, fewer.coefficient_rounding) == (
        parameters.fraction_bits,
        parameters.rounding,
        parameters.coefficient_rounding,
    )


def lift(evidence: BranchEvidence, idle: Idle, unit: int) -> BranchEvidence:
    """Return evidence about a reduced network as evidence about the whole one; `unit` is 2^q, an active slope.

    Valid only where both shapes have the :func:`same_rounding`.
    """
    return replace(
        evidence,
        first_radii=idle.spread(1, evidence.first_radii, 0),
        bounds=tuple(
            tuple(_bounds(layer, idle, depth, unit) for depth, layer in enumerate(at_slice, start=1))
            for at_slice in evidence.bounds
        ),
        splits=tuple(
            Split(row.slice, _signs(row.on, idle), _signs(row.off, idle), _place(row.neuron, idle))
            for row in evidence.splits
        ),
        leaves=tuple(
            Leaf(row.slice, _signs(row.on, idle), _signs(row.off, idle), _margins(row, idle, unit))
            for row in evidence.leaves
        ),
    )


def _bounds(layer: LayerBounds, idle: Idle, depth: int, unit: int) -> LayerBounds:
    """Return the bounds of a layer with those of its idle neurons."""
    zeros = tuple((0,) * len(idle.used[j - 1]) for j in range(depth - 2, 0, -1))
    idle_pass = Pass(zeros, zeros, 0, 0)
    below = tuple(_pass(descent, idle, depth) for descent in layer.below)
    above = tuple(_pass(descent, idle, depth) for descent in layer.above)
    return LayerBounds(
        low=idle.spread(depth, layer.low, 0),
        high=idle.spread(depth, layer.high, 0),
        lower=layer.lower and idle.spread(depth, layer.lower, unit),
        upper=idle.spread(depth, layer.upper, unit),
        offset=idle.spread(depth, layer.offset, 0),
        below=below and idle.spread(depth, below, idle_pass),
        above=above and idle.spread(depth, above, idle_pass),
    )


def _pass(descent: Pass, idle: Idle, depth: int) -> Pass:
    """Return the pass of a bound of layer `depth`, whose rows begin two layers below."""
    return replace(
        descent,
        positive=tuple(idle.spread(depth - 2 - place, row, 0) for place, row in enumerate(descent.positive)),
        negative=tuple(idle.spread(depth - 2 - place, row, 0) for place, row in enumerate(descent.negative)),
    )


def _margins(leaf: Leaf, idle: Idle, unit: int) -> tuple[Margin, ...]:
    """Return the proofs of a leaf, whose rows begin at the last hidden layer."""
    top = len(idle.used)
    return tuple(
        replace(
            margin,
            excess=tuple(idle.spread(top - place, row, 0) for place, row in enumerate(margin.excess)),
            lower=tuple(idle.spread(top - place, row, unit) for place, row in enumerate(margin.lower)),
            cut=margin.cut and idle.appended(margin.cut, 0),
        )
        for margin in leaf.margins
    )


def _signs(bits: Row, idle: Idle) -> Row:
    """Return the signs of all hidden neurons: idle ones are free."""
    remaining = iter(bits)
    return tuple(next(remaining) if used else 0 for layer in idle.used for used in layer)


def _place(neuron: int, idle: Idle) -> int:
    """Return the number of a used neuron among all hidden neurons."""
    counts = list(accumulate(int(used) for layer in idle.used for used in layer))
    return counts.index(neuron + 1)
