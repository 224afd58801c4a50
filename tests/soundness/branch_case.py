"""A network of one column, with evidence written by hand: what an owner of scheme `branch` would like to get away with.

Layer 1 has three neurons over the column x: `x`, `x + 100`, which is positive on every ball here, and `x` once more,
to be split without a use. Each lie is consistent: all that follows from the wrong number is what follows from it, so
that one constraint alone stands in the way, and the statement that it would prove is false.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from equiproof.certify.branch.evidence import BranchEvidence, LayerBounds, Leaf, Margin, Pass, Split
from equiproof.certify.network import Layer, QuantisedNetwork, decide
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.spec import bias_widths
from equiproof.circuits.statement import Statement
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.oracle import nearest_flip
from tests.certify.tiny import Case
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires

REACH = 20
UNIT = 256
FREE, ON, OFF = (0, 0), (1, 0), (0, 1)

CHORD = (128, 128 * REACH)
"""K and T of the least upper line of relu(x) over [-REACH, REACH]; IDENTITY is that of a positive neuron."""
IDENTITY = (UNIT, 0)
NOTHING = (0, 0)


def shape_of(case: Case, capacity: int = 4, input_bits: int = 18, weight_bits: tuple[int, ...] | None = None) -> Shape:
    """Return the shape of a case; weights have 16 bits in every layer unless given."""
    network = case.network
    sizes = (*network.hidden, network.logit_count)
    weight_bits = weight_bits or (16,) * len(sizes)
    architecture = Architecture(
        plain=case.columns,
        sensitive=len(case.table[0]),
        hidden=network.hidden,
        logits=network.logit_count,
        weight_bits=weight_bits,
        bias_bits=bias_widths(network.inputs, input_bits, sizes, weight_bits),
    )
    return Shape(
        format=FORMAT, version=VERSION, scheme="branch" if case.box is None else "branch-ranges",
        architecture=architecture, slices=len(case.table),
        input_bits=input_bits, input_fraction_bits=10, radius_bits=29, capacity=capacity,
    )  # fmt: skip


Rows = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Weights and biases of a layer."""


def case_of(*above: Rows, sensitive: int = 0, bias: int = 0, slices: int = 2) -> Case:
    """Return the case of x = 0, layer 1 and further layers, and a table of 0, 1, .. .

    The first neuron is `x + sensitive s + bias`.
    """
    layer = Layer(((1, sensitive), (1, 0), (1, 0)), (bias, 100, 0))
    layers = (layer, *(Layer(rows, biases) for rows, biases in above))
    network = QuantisedNetwork(layers, 10, (0,) * len(layers))
    return Case(network, (0,), tuple((row,) for row in range(slices)))


def layer_of(
    ends: tuple[tuple[int, int], ...], lines: tuple[tuple[int, int], ...], lower: tuple[int, ...] = (), **passes: object
) -> LayerBounds:
    """Return bounds and lines of a layer, neuron by neuron."""
    low, high = zip(*ends, strict=True)
    upper, offset = zip(*lines, strict=True)
    return replace(LayerBounds(low, high, lower, upper, offset, (), ()), **passes)


def line_over(low: int, high: int) -> tuple[int, int]:
    """Return an upper line of relu over an interval."""
    if high <= 0:
        return NOTHING
    return IDENTITY if low >= 0 else (128, 128 * max(high, -low))


def ends_of(reach: int) -> tuple[tuple[int, int], ...]:
    """Return the true bounds of layer 1."""
    return ((-reach, reach), (100 - reach, 100 + reach), (-reach, reach))


FIRST = layer_of(ends_of(REACH), (CHORD, IDENTITY, CHORD))


def first(**changes: object) -> LayerBounds:
    """Return the true bounds of layer 1 with other lines or ends."""
    return replace(FIRST, **changes)


def plain_pass(radius: int) -> Pass:
    """Return the pass of a bound of layer 2: nothing but its radius is given."""
    return Pass((), (), radius, 0)


def margin_of(multiplier: int = 1, *layers: tuple[tuple[int, ...], tuple[int, ...]]) -> Margin:
    """Return a margin's multipliers: A and excess of each layer from the last one down."""
    return Margin(multiplier, tuple(excess for _, excess in layers), tuple(lower for lower, _ in layers), 0, 0)


def leaf_of(slice_number: int, signs: tuple[tuple[int, int], ...], margin: Margin) -> Leaf:
    """Return a leaf with the signs of its neurons."""
    return Leaf(slice_number, tuple(on for on, _ in signs), tuple(off for _, off in signs), (margin,))


def split_of(slice_number: int, signs: tuple[tuple[int, int], ...], neuron: int) -> Split:
    """Return a split row."""
    return Split(slice_number, tuple(on for on, _ in signs), tuple(off for _, off in signs), neuron)


def tree_of(margin: Margin, neurons: int = 3) -> tuple[tuple[Split, ...], tuple[Leaf, ...]]:
    """Return the tree of two slices that splits the third neuron on slice 0, for nothing; each leaf has the margin."""
    signs = {sign: (FREE, FREE, sign, *[FREE] * (neurons - 3)) for sign in (FREE, ON, OFF)}
    leaves = (leaf_of(0, signs[ON], margin), leaf_of(0, signs[OFF], margin), leaf_of(1, signs[FREE], margin))
    return (split_of(0, signs[FREE], 2),), leaves


def evidence_of(
    bounds: tuple[LayerBounds, ...], splits: tuple[Split, ...], leaves: tuple[Leaf, ...], reach: int = REACH
) -> BranchEvidence:
    """Return evidence for label 1 and the radius `reach`, with the same bounds on both slices."""
    return BranchEvidence(1, reach * reach, (reach,) * 3, (bounds, bounds), splits, leaves)


def moved(slices: int, moves: int = 45, last: int = 0) -> tuple[Case, tuple[tuple[LayerBounds], ...]]:
    """Return 10 - relu(x + moves s - base), which falls on the last slice alone, and each slice's bounds."""
    rows = [*range(slices - 1), last or slices - 1]
    base = moves * rows[-2] + REACH
    case = case_of((((-1, 0, 0),), (10,)), sensitive=moves, bias=-base, slices=slices)
    case = replace(case, table=tuple((row,) for row in rows))
    ends = [((moves * row - base - REACH, moves * row - base + REACH), *ends_of(REACH)[1:]) for row in rows]
    lines = [line_over(*at[0]) for at in ends]
    return case, tuple((layer_of(at, (line, IDENTITY, CHORD)),) for at, line in zip(ends, lines, strict=True))


@dataclass(frozen=True)
class Lie:
    """A case and the wires of what would be a false statement; `shape` is the circuit's."""

    case: Case
    shape: Shape
    wires: Wires

    @property
    def is_false(self) -> bool:
        """Whether query or a point closer than the radius is decided otherwise, by enumeration of all patterns."""
        case, nearest = self.case, nearest_flip(self.case, 1)
        if any(decide(case.network.logits((*case.query, *row))) != 1 for row in case.table):
            return True
        return nearest is not None and nearest[0] < self.wires["radius_squared"][0]


def lie_of(case: Case, evidence: BranchEvidence, **options: Any) -> Lie:
    """Fill wires with evidence as it is."""
    shape = shape_of(case, **options)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    return Lie(case, shape, fill(shape, blank, Secrets(case.network, 7, case.query, 9, case.table, case.box), evidence))
