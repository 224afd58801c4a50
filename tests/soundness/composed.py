"""All witnesses of the composed circuits of scheme `branch` and relation `gain`: honest ones, and every lie."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, pairwise

from equiproof.certify.network import Layer, QuantisedNetwork
from tests.certify.tiny import Case
from tests.soundness.branch_case import FREE, IDENTITY, OFF, ON, Lie, lie_of, line_over, proven, sliced, split_of
from tests.soundness.branch_lies import COARSE, FALLS, LIES, by_lines, rounded
from tests.soundness.composed_lies import COMPOSED_LIES, another_statement, net, of_logits
from tests.soundness.deep_lies import DEEP_LIES, FORM_NUMBERS, deep_truth, forms_at_the_ends, rest_with_a_radius
from tests.soundness.gain_lies import GAIN_LIES, GAIN_TRUTHS, GAINS_BROKEN, OTHER_GAINS
from tests.soundness.range_lies import KEPT, RANGE_LIES
from tests.soundness.width_lies import (
    PACKED_LIES,
    WIDE,
    at_the_ends,
    falls_along_the_second_column,
    inside,
    of_two_columns,
)


def one_layer() -> Lie:
    """Return the witness of 10 - relu(x) up to 9."""
    return by_lines(FALLS, (line_over(-9, 9), IDENTITY, line_over(-9, 9)), reach=9)


def of_slices(*rows: int, capacity: int = 4) -> Lie:
    """Return the witness of 10 - relu(x + 10 s - 60) on the slices of these numbers."""
    case, _ = sliced(rows, 10, -60)
    return lie_of(case, proven(case, capacity=capacity), capacity=capacity)


def two_layers() -> Lie:
    """Return a witness with a relu over another, and one over a neuron that is positive everywhere."""
    second, out = (((1, 0, 0), (0, 1, 0)), (3, -100)), (((-1, 1),), (60,))
    case = net((0, 1), (((1, 5), (1, 0), (1, 0)), (-10, 100, 0)), second, out)
    return lie_of(case, proven(case))


def split_in_layer_2() -> Lie:
    """Return a witness of two layers whose first slice is split by a neuron of the second one."""
    second, out = (((1, 0, 0), (0, 1, 0)), (-3, -100)), (((-1, 1),), (60,))
    case = net((0, 1), (((1, 5), (1, 0), (1, 0)), (0, 100, 0)), second, out)
    signs = ((FREE, FREE, FREE, sign, FREE) for sign in (ON, OFF))
    whole = (FREE,) * 5
    return lie_of(case, proven(case, (*((0, at) for at in signs), (1, whole)), (split_of(0, whole, 3),)))


def two_columns() -> Lie:
    """Return the witness of relu(y) - 100 where y is 150."""
    case = of_two_columns((150, -7))
    return lie_of(case, proven(case))


def of_many_columns(ranges: bool, hidden: tuple[int, ...] = (3, 2)) -> Lie:
    """Return a witness of three logits and two columns of each kind, of numbers as good as any."""
    powers, layers = (pow(11, n, 1009) for n in count(1)), []
    for inputs, outputs in pairwise((4, *hidden, 3)):
        rows = tuple(tuple(next(powers) % 19 - 9 for _ in range(inputs)) for _ in range(outputs))
        layers.append(Layer(rows, tuple(next(powers) % 180 - 90 for _ in range(outputs))))
    last = layers.pop()
    layers.append(Layer(last.weights, (last.biases[0], 1 << 20, last.biases[2])))
    box, cut = (((20, -60), (35, 9)), (700, -300)) if ranges else (None, ())
    network = QuantisedNetwork(tuple(layers), 10, (0,) * len(layers))
    case = Case(network, (31, -17), ((3, -8), (-5, 2), (7, 6)), box)
    evidence = proven(case)
    leaves = [replace(leaf, margins=tuple(replace(at, cut=cut) for at in leaf.margins)) for leaf in evidence.leaves]
    return lie_of(case, replace(evidence, leaves=tuple(leaves)))


TRUTHS = {
    "one-layer": one_layer,
    "three-slices": lambda: of_slices(0, 2, 1),
    "four-slices": lambda: of_slices(0, 2, 1, 3, capacity=8),
    "many-slices": lambda: of_slices(0, 2, 1, 3, 5, capacity=8),
    "three-logits": lambda: of_logits((10, 130, 3), (1, 0, -1)),
    "two-layers": two_layers,
    "rounded": lambda: rounded(5, radius=5 * COARSE // 2),
    "three-layers": deep_truth,
    "ranges": lambda: KEPT,
    "two-columns": two_columns,
    "ranges-of-two-columns": lambda: inside(1, ((-500, -5), (90, 70))),
    "many-columns": lambda: of_many_columns(ranges=False),
    "ranges-of-many-columns": lambda: of_many_columns(ranges=True),
    "three-layers-of-many-columns": lambda: of_many_columns(ranges=False, hidden=(3, 2, 2)),
    **GAIN_TRUTHS,
}
"""An honest witness of every shape that lies are of."""

OTHER_TRUTHS = (at_the_ends, forms_at_the_ends, rest_with_a_radius, split_in_layer_2, *OTHER_GAINS)
"""More honest witnesses of these shapes."""

FALSE = (*LIES, *RANGE_LIES, *COMPOSED_LIES, *PACKED_LIES, *DEEP_LIES, falls_along_the_second_column, *GAIN_LIES)
"""Lies whose statements are false by enumeration of all patterns."""

BROKEN = (another_statement, *WIDE, *FORM_NUMBERS, *GAINS_BROKEN)
"""What breaks a rule, too, and states nothing that enumeration could tell: a fraction of a radius, another digest."""
