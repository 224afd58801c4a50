"""The plaintext checker of scheme `branch`: one function per rule, in exact integers; the search is not trusted.

Every private number is checked against its width by the first rule that uses it. Why the rules suffice: start at the
root of a slice and follow, at each split, the sign of the neuron at a point of the open ball. Each split fixes one more
neuron, so the path ends in a leaf, whose multipliers give a positive lower bound of M times the margin there.
(docs/adr/0008-branch-and-bound-in-integers.md)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any

from equiproof.certify.branch.backward import Signs, bound_start, final_form, margin_start, split_parts, squared
from equiproof.certify.branch.evidence import BranchEvidence, Leaf, Margin, Pass, Row, Split
from equiproof.certify.branch.forms import (
    Centre,
    backward,
    cut,
    hold_bounds,
    hold_count,
    hold_integer,
    hold_row,
    hold_slopes,
    inside,
    radius,
)
from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.evidence_check import minimum
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

Key = tuple[int, Row, Row]
"""A row of the tree: slice, on, off."""


def check(
    evidence: BranchEvidence,
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    box: Box | None = None,
) -> None:
    """Raise EvidenceError, with the first rule that is broken, unless the evidence proves its label and radius.

    `parameters` are those of a shape. `query` holds the n_x non-sensitive integers, `table` the S rows of n_s sensitive
    ones, `box` the ranges that neighbors are restricted to. Raises ValueError where network, query, table, box and
    parameters do not fit together.
    """
    _refuse_misfit(parameters, network, query, table, box)
    radius_squared = evidence.radius_squared
    # 1. One radius serves every slice; the label is the centres', which lie in the ranges.
    if box is not None:
        inside(query, box)
    hold_integer("R-MIN", "radius", radius_squared, -(1 << parameters.sizes.radius_bits), parameters.sizes.radius_bits)
    minimum(radius_squared, [radius_squared] * len(table))
    for number, row in enumerate(table):
        centre(network, query, row, evidence.label, number)
    # 2. Bounds of every slice, from layer 1 upwards.
    hold_count("R-B-BOUND", "bounds", evidence.bounds, len(table))
    for number, row in enumerate(table):
        hold_count("R-B-BOUND", f"slice {number}", evidence.bounds[number], len(network.hidden))
        first_bounds(evidence, parameters, network, query, row, number)
        relaxation(evidence, parameters, number, 1)
        for top in range(2, len(network.hidden) + 1):
            bounds(evidence, parameters, network, query, row, number, top)
            relaxation(evidence, parameters, number, top)
    # 3. A tree over each slice, and a proof at each of its leaves.
    keys = [key(line, number, network.neurons, len(table)) for number, line in enumerate(_rows(evidence))]
    rows = frozenset(keys)
    root(rows, len(table))
    if not evidence.splits:
        raise EvidenceError("R-B-SPLIT", "tree", "no row is split: a constraint system has at least one split row")
    for number, parent in enumerate(evidence.splits):
        split(parent, rows, f"row {number}")
    for number, end in enumerate(evidence.leaves, start=len(evidence.splits)):
        leaf(end, evidence, parameters, network, query, table[end.slice], box, f"row {number}, slice {end.slice}")


def centre(network: QuantisedNetwork, query: Sequence[int], row: Sequence[int], label: int, number: int) -> None:
    """R-B-CENTRE: the label is decided strictly at the slice's centre: margins are at least 1, label 0 included."""
    if type(label) is not int or not 0 <= label < max(network.logit_count, 2):
        raise EvidenceError("R-B-CENTRE", "label", f"label {label} does not exist")
    decided = decide(network.logits((*query, *row)))
    if decided != label:
        decision = "a tie" if decided is None else str(decided)
        raise EvidenceError(
            "R-B-CENTRE", f"slice {number}, centre", f"the decision is {decision}, not strictly {label}"
        )


def first_bounds(
    evidence: BranchEvidence,
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    number: int,
) -> None:
    """R-B-FIRST: l <= z - r and u >= z + r for each neuron of layer 1 on a slice, with r >= 0, r^2 >= R2 |c|^2.

    z is the neuron's value at the slice's centre and c its weights over the n_x columns; r serves all slices.
    """
    layer = network.layers[0]
    layer_bounds = evidence.bounds[number][0]
    hold_row("R-B-FIRST", "radii of layer 1", evidence.first_radii, layer.outputs, 0, parameters.first_radius_bits)
    hold_bounds("R-B-FIRST", layer_bounds, parameters, number, 1)
    values = layer((*query, *row))
    for i, (low, high, value, r) in enumerate(
        zip(layer_bounds.low, layer_bounds.high, values, evidence.first_radii, strict=True)
    ):
        where = f"slice {number}, layer 1, neuron {i}"
        if r * r < evidence.radius_squared * squared(layer.weights[i][: len(query)]):
            raise EvidenceError("R-B-FIRST", where, "the radius is too small for the neuron's weights")
        if low > value - r or high < value + r:
            raise EvidenceError("R-B-FIRST", where, "the bounds do not contain the values on the ball")


def relaxation(evidence: BranchEvidence, parameters: Parameters, number: int, depth: int) -> None:
    """R-B-RELAXATION: A and K are from 0 to 2^q, T is not negative, and K z + T is above 2^q relu(z) at l and at u.

    Four comparisons per neuron: K l + T >= 0, K l + T >= 2^q l, K u + T >= 0, K u + T >= 2^q u.
    """
    layer_bounds = evidence.bounds[number][depth - 1]
    where = f"slice {number}, layer {depth}"
    size = parameters.sizes.hidden[depth - 1]
    # The last hidden layer has no A: only leaves go through it, each with its own.
    lower_size = 0 if depth == len(parameters.sizes.hidden) else size
    hold_slopes("R-B-RELAXATION", f"{where}, lower slopes", layer_bounds.lower, lower_size, parameters.unit)
    hold_slopes("R-B-RELAXATION", f"{where}, upper slopes", layer_bounds.upper, size, parameters.unit)
    hold_row("R-B-RELAXATION", f"{where}, offsets", layer_bounds.offset, size, 0, parameters.offset_bits[depth - 1])
    for i, (low, high, k, t) in enumerate(
        zip(layer_bounds.low, layer_bounds.high, layer_bounds.upper, layer_bounds.offset, strict=True)
    ):
        # relu is convex: a line above it at both ends is above it in between.
        for end in (low, high):
            if k * end + t < 0 or k * end + t < parameters.unit * end:
                raise EvidenceError(
                    "R-B-RELAXATION", f"{where}, neuron {i}", f"the upper line is below the neuron at {end}"
                )


def bounds(
    evidence: BranchEvidence,
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    number: int,
    top: int,
) -> None:
    """R-B-BOUND: 2^(q (L-1)) l <= 2^(sum of k) (centre - 2^kc r - rho) of the passes of z, and likewise of -z for -u.

    Both sides are divided by the power of two that they share. Every neuron below is free.
    """
    layer_bounds = evidence.bounds[number][top - 1]
    below = evidence.bounds[number][: top - 1]
    hold_bounds("R-B-BOUND", layer_bounds, parameters, number, top)
    size = network.hidden[top - 1]
    shift = parameters.shift(top)
    hold_count("R-B-BOUND", f"slice {number}, layer {top}, lower passes", layer_bounds.below, size)
    hold_count("R-B-BOUND", f"slice {number}, layer {top}, upper passes", layer_bounds.above, size)
    for i in range(size):
        sides = (
            (1, layer_bounds.low[i], layer_bounds.below[i], "lower"),
            (-1, -layer_bounds.high[i], layer_bounds.above[i], "upper"),
        )
        for sign, stated, descent, side in sides:
            where = f"slice {number}, layer {top}, neuron {i}, {side} bound"
            hold_count("R-B-BACKWARD", where, descent.positive, top - 2)
            hold_count("R-B-BACKWARD", where, descent.negative, top - 2)
            start = bound_start(network, top, i, sign)
            positive, negative = split_parts(start[0])
            full = Pass((positive, *descent.positive), (negative, *descent.negative), 0, 0)
            coefficients, constant = backward(network, parameters, top, start, full, below, (), where)
            form = final_form(coefficients, constant, query, row, parameters.coefficient_rounding[top - 2])
            reach = radius(form, descent, parameters, top, evidence.radius_squared, where)
            # Both sides are integers times a power of two, so the comparison is exact.
            if stated << max(-shift, 0) > (form.centre - reach) << max(shift, 0):
                raise EvidenceError("R-B-BOUND", where, "the bound is nearer than the form shows")


def key(line: Split | Leaf, number: int, neurons: int, slices: int) -> Key:
    """R-B-KEY: a row of the tree names a slice and, per neuron, on or off or neither: bits, and not both."""
    where = f"row {number}"
    if type(line.slice) is not int or not 0 <= line.slice < slices:
        raise EvidenceError("R-B-KEY", where, f"there are {slices} slices")
    hold_row("R-B-KEY", f"{where}, on", line.on, neurons, 0, 1)
    hold_row("R-B-KEY", f"{where}, off", line.off, neurons, 0, 1)
    for i, (on, off) in enumerate(zip(line.on, line.off, strict=True)):
        if on and off:
            raise EvidenceError("R-B-KEY", f"{where}, neuron {i}", "the neuron is both on and off")
    return line.slice, line.on, line.off


def root(keys: AbstractSet[Key], slices: int) -> None:
    """R-B-ROOT: for every slice there is a row with every neuron free."""
    for number in range(slices):
        if not any(place == number and not any(on) and not any(off) for place, on, off in keys):
            raise EvidenceError("R-B-ROOT", f"slice {number}", "no row is the whole ball: each row fixes a neuron")


def split(line: Split, keys: AbstractSet[Key], where: str) -> None:
    """R-B-SPLIT: one neuron, free in this row, is chosen; there are rows like this one with just that one on, and off.

    Slice and all other signs of both are the row's own.
    """
    if type(line.neuron) is not int or not 0 <= line.neuron < len(line.on):
        raise EvidenceError("R-B-SPLIT", where, f"there is no neuron {line.neuron}")
    if line.on[line.neuron] or line.off[line.neuron]:
        raise EvidenceError("R-B-SPLIT", where, f"neuron {line.neuron} is fixed already")
    halves = {
        "on": (line.slice, _with_bit(line.on, line.neuron), line.off),
        "off": (line.slice, line.on, _with_bit(line.off, line.neuron)),
    }
    for name, half in halves.items():
        if half not in keys:
            raise EvidenceError("R-B-SPLIT", where, f"there is no row like this one with neuron {line.neuron} {name}")


def leaf(
    line: Leaf,
    evidence: BranchEvidence,
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    box: Box | None,
    where: str,
) -> None:
    """R-B-LEAF: for every class but the label, centre >= 1 and centre >= 2^kc r + rho of the form of M times a margin.

    0 <= M <= 2^q, 0 <= A <= 2^q, and the excess is at least 0: beta >= 0 on neurons that are on or off, Q >= 0 on free
    ones. Bounds are those of the row's slice. The first part is essential: a form that is 0 everywhere passes the
    second.
    """
    top = len(network.layers)
    margin_rows = margin_signs(network.logit_count, evidence.label)
    hold_count("R-B-LEAF", f"{where}, margins", line.margins, len(margin_rows))
    layer_ends = pairwise(accumulate(network.hidden, initial=0))
    signs = [Signs(line.on[start:end], line.off[start:end]) for start, end in layer_ends]
    for other, (margin, logits) in enumerate(zip(line.margins, margin_rows, strict=True)):
        at_margin = f"{where}, margin {other}"
        _multipliers(margin, parameters, at_margin)
        start = margin_start(network, logits, margin.multiplier)
        at_slice = evidence.bounds[line.slice]
        over_columns = backward(network, parameters, top, start, margin, at_slice, signs, at_margin)
        form = cut(margin, over_columns, parameters, Centre(query, row), box, at_margin)
        if form.centre < 1:
            raise EvidenceError("R-B-LEAF", at_margin, "the form is not positive at the centre")
        reach = radius(form, margin, parameters, top, evidence.radius_squared, at_margin)
        if form.centre < reach:
            raise EvidenceError("R-B-LEAF", at_margin, "the form is not positive on the whole open ball")


RULES: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "R-B-CENTRE": centre,
        "R-B-FIRST": first_bounds,
        "R-B-RELAXATION": relaxation,
        "R-B-BACKWARD": backward,
        "R-B-RADIUS": radius,
        "R-B-BOUND": bounds,
        "R-B-KEY": key,
        "R-B-ROOT": root,
        "R-B-SPLIT": split,
        "R-B-LEAF": leaf,
        "R-B-RANGES": inside,
        "R-B-CUT": cut,
        "R-MIN": minimum,
    }
)
"""Permanent rule id -> the function that checks it."""


def _multipliers(margin: Margin, parameters: Parameters, where: str) -> None:
    """Check M, the excess and A of a leaf by R-B-LEAF."""
    hidden = parameters.sizes.hidden
    split_bits = parameters.form(len(hidden) + 1).split_bits
    hold_slopes("R-B-LEAF", f"{where}, M", (margin.multiplier,), 1, parameters.unit)
    for rows in (margin.excess, margin.lower):
        hold_count("R-B-LEAF", where, rows, len(hidden))
    for place, j in enumerate(range(len(hidden), 0, -1)):
        at_layer = f"{where}, layer {j}"
        bits = split_bits[j - 1] + parameters.fraction_bits
        hold_slopes("R-B-LEAF", f"{at_layer}, lower slopes", margin.lower[place], hidden[j - 1], parameters.unit)
        hold_row("R-B-LEAF", f"{at_layer}, excess", margin.excess[place], hidden[j - 1], 0, bits)


def _rows(evidence: BranchEvidence) -> list[Split | Leaf]:
    """Return the rows of the tree in the order of their numbers: splits, then leaves."""
    return [*evidence.splits, *evidence.leaves]


def _with_bit(bits: Row, neuron: int) -> Row:
    """Return bits with one more set."""
    return (*bits[:neuron], 1, *bits[neuron + 1 :])


def _refuse_misfit(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    box: Box | None,
) -> None:
    """Raise ValueError for arguments that do not have the shape: a mistake of the caller, not of the evidence."""
    sizes = parameters.sizes
    shape = (sizes.plain + sizes.sensitive, sizes.hidden, sizes.logits)
    if (network.inputs, network.hidden, network.logit_count) != shape:
        raise ValueError("the network has other sizes than the parameters")
    if len(query) != sizes.plain or not table or any(len(row) != sizes.sensitive for row in table):
        raise ValueError("query or table have other lengths than the parameters")
    if sizes.ranges != (box is not None) or any(len(row) != sizes.plain for row in box or ()):
        raise ValueError("a box goes with parameters of a shape with ranges, and has both ends of every column")
    limit = 1 << (sizes.input_bits - 1)
    for row in (query, *table, *(box or ())):
        if any(type(value) is not int or not -limit <= value < limit for value in row):
            raise ValueError(f"query, table and box hold plain integers of {sizes.input_bits} signed bits")
    for layer, bits in zip(network.layers, sizes.bias_bits, strict=True):
        if any(not -(1 << (bits - 1)) <= bias < 1 << (bits - 1) for bias in layer.biases):
            raise ValueError(f"a bias does not fit {bits} signed bits")
