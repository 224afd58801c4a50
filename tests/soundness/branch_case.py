"""A network of one column, with evidence written by hand: what an owner of scheme `branch` would like to get away with.

Layer 1 has three neurons over the column x: `x`, `x + 100`, which is positive on every ball here, and `x` once more,
to be split without a use. Each lie is consistent: all that follows from the wrong number is what follows from it, so
that one constraint alone stands in the way, and the statement that it would prove is false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from itertools import accumulate, pairwise
from operator import add
from typing import Any

import pytest

from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.evidence import BranchEvidence, LayerBounds, Leaf, Margin, Pass, Split
from equiproof.certify.branch.making import Guess, first_radii_of, leaf_margin, slice_bounds
from equiproof.certify.network import Layer, QuantisedNetwork, decide
from equiproof.certify.polytope import margin_signs
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.statement import Statement
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.oracle import nearest_flip
from tests.certify.tiny import Case
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires, implied, opened_digest

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
    rows = (*range(slices - 1), last or slices - 1)
    return sliced(rows, moves, -(moves * rows[-2] + REACH))


def sliced(rows: tuple[int, ...], moves: int, bias: int) -> tuple[Case, tuple[tuple[LayerBounds], ...]]:
    """Return 10 - relu(x + moves s + bias) on the slices of these numbers, and each slice's bounds."""
    case = case_of((((-1, 0, 0),), (10,)), sensitive=moves, bias=bias, slices=len(rows))
    case = replace(case, table=tuple((row,) for row in rows))
    ends = [((moves * row + bias - REACH, moves * row + bias + REACH), *ends_of(REACH)[1:]) for row in rows]
    lines = [line_over(*at[0]) for at in ends]
    return case, tuple((layer_of(at, (line, IDENTITY, CHORD)),) for at, line in zip(ends, lines, strict=True))


Place = tuple[int, tuple[tuple[int, int], ...]]
"""A leaf's slice and signs."""
Told = dict[tuple[int, int], dict[str, object]]
"""What is said of a layer, counted from 1, on a slice."""


def proven(
    case: Case, leaves: tuple[Place, ...] = (), splits: tuple[Split, ...] = (), *, told: Told | None = None,
    reach: int = REACH, label: int = 1, shape: Shape | None = None, **options: Any,
) -> BranchEvidence:  # fmt: skip
    """Return evidence with true bounds but for what is told, and leaves without a multiplier of a sign that follow.

    Leaves are given by slice and signs; without them the tree splits the third neuron on slice 0, for nothing. `shape`
    is that of the circuit, where it is not that of the case.
    """
    network, squared, whole = case.network, reach * reach, (FREE,) * case.network.neurons
    if not leaves:
        halves = ((0, (*whole[:2], sign, *whole[3:])) for sign in (ON, OFF))
        leaves = (*halves, *((number, whole) for number in range(1, len(case.table))))
        splits = (split_of(0, whole, 2),)
    parameters = shape_parameters(shape or shape_of(case, **options))
    bounds = []
    for number, row in enumerate(case.table):
        true = slice_bounds(parameters, network, case.query, row, squared)
        said = (told or {}).get
        bounds.append(tuple(replace(here, **said((number, layer), {})) for layer, here in enumerate(true, start=1)))
    found = tuple(
        _leaf(case, parameters, bounds[n], leaf_of(n, signs, margin_of()), label, squared) for n, signs in leaves
    )
    return BranchEvidence(label, squared, first_radii_of(network, case.columns, squared), tuple(bounds), splits, found)


def _leaf(
    case: Case, parameters: Parameters, at: tuple[LayerBounds, ...], leaf: Leaf, label: int, squared: int
) -> Leaf:
    """Return a leaf with its margins, however far they fall: as if the label's logit were much higher."""
    network, cuts = case.network, [0, *accumulate(case.network.hidden)]
    far = [int(index == label) << 200 for index in range(network.logit_count)]
    if network.logit_count == 1:
        far = [(2 * label - 1) << 200]
    *below, last = network.layers
    raised = Layer(last.weights, tuple(map(add, last.biases, far)))
    network = replace(network, layers=(*below, raised))
    signs = [Signs(leaf.on[a:b], leaf.off[a:b]) for a, b in pairwise(cuts)]
    zeros = tuple([0.0] * size for size in network.hidden)
    slopes = tuple([float(low + high > 0) for low, high in zip(here.low, here.high, strict=True)] for here in at)
    guess, row = Guess(1.0, zeros, slopes, zeros), case.table[leaf.slice]
    margins = [
        leaf_margin(parameters, network, case.query, row, at, signs, over, guess, squared)
        for over in margin_signs(network.logit_count, label)
    ]
    cut = () if case.box is None else (0,) * case.columns
    return replace(leaf, margins=tuple(replace(margin, cut=cut) for margin in margins if margin is not None))


@dataclass(frozen=True)
class Lie:
    """A case and the wires of what would be a false statement; `shape` is the circuit's.

    The public input is `digest` where it is given, else that of the statement which the wires open.
    """

    case: Case
    shape: Shape
    wires: Wires
    digest: int | None = None

    @property
    def public(self) -> int:
        """The public input."""
        return opened_digest(self.shape, self.wires) if self.digest is None else self.digest

    @property
    def is_false(self) -> bool:
        """Whether query or a point closer than the radius is decided otherwise, by enumeration of all patterns."""
        case, label = self.case, implied(self.shape, self.wires).label
        nearest = nearest_flip(case, label)
        if any(decide(case.network.logits((*case.query, *row))) != label for row in case.table):
            return True
        return nearest is not None and nearest[0] < self.wires["radius_squared"][0]


def tell(telling: Callable[..., Lie]) -> Lie:
    """Return a lie; what it takes away from the filling is put back."""
    with pytest.MonkeyPatch.context() as patch:
        return telling(patch) if signature(telling).parameters else telling()


def lie_of(case: Case, evidence: BranchEvidence, **options: Any) -> Lie:
    """Fill wires with evidence as it is."""
    shape = shape_of(case, **options)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    return Lie(case, shape, fill(shape, blank, Secrets(case.network, 7, case.query, 9, case.table, case.box), evidence))
