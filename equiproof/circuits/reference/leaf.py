"""R-B-LEAF: every margin is positive on a leaf's part of the open ball, or that part is empty.

With R-B-BACKWARD and R-B-RADIUS, and where neighbors are kept to ranges with R-B-RANGES and R-B-CUT. M, A and beta in
their ranges are widths; the form of M times the margin is at least 1 at the centre, and at least its reach there. On a
box it is at least 1 more than it falls (R-X-FALL).
"""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from equiproof.circuits.branch_layout import looks_up_slices, shape_parameters
from equiproof.circuits.reference.cut import cut
from equiproof.circuits.reference.falls import fall_of
from equiproof.circuits.reference.field import GF, Elements, RuleError, Wires, require_equal, require_non_negative
from equiproof.circuits.reference.inside import inside
from equiproof.circuits.reference.passes import Lines, Start, descend, one_of, reach, reach_of, weights_of
from equiproof.circuits.shape import Shape


def leaf(shape: Shape, wires: Wires) -> None:
    """Refuse numbers of another slice than the leaf's own, and margins that its multipliers do not prove."""
    a = shape.architecture
    kc = shape_parameters(shape).coefficient_rounding[-1]
    top = len(a.layers)
    cuts = [0, *accumulate(a.hidden)]
    signs = wires["signs"]
    if shape.ranges:
        inside(shape, wires)
    row, lines = _of_slice(shape, wires)
    weights, biases = _rivals(wires["label"], weights_of(shape, wires, top), wires[f"biases.{top}"])
    for number in range(len(weights)):
        where = f"margin {number}"
        take = one_of(wires, len(weights), number)
        through = []
        for j, (low, high) in enumerate(pairwise(cuts), start=1):
            on, free = (GF([int(sign == side) for sign in signs[low:high]]) for side in (GF(1), GF(0)))
            through.append(Lines(take(f"leaf_lower.{j}"), *lines[j - 1], on, free, take(f"excess.{j}")))
        multiplier = take("multiplier")[0]
        start = Start(top, multiplier * weights[number], None, multiplier * biases[number])
        coefficients, centre = descend(shape, wires, take, start, through, row, where)
        if shape.boxes:
            far = fall_of(shape, wires, take, top, coefficients, where)
            require_non_negative("R-B-LEAF", f"{where}, centre and fall", centre - far - GF(1))
            continue
        if shape.ranges:
            coefficients, centre = cut(shape, wires, take, coefficients, centre, where)
        require_non_negative("R-B-LEAF", f"{where}, centre", centre - GF(1))
        if kc:
            far = reach(shape, take, top, coefficients, wires["radius_squared"][0], where)
            require_non_negative("R-B-LEAF", f"{where}, centre and reach", centre - far)
        else:
            # The centre serves as r.
            reach_of("R-B-LEAF", where, coefficients, wires["radius_squared"][0], centre)


def _of_slice(shape: Shape, wires: Wires) -> tuple[Elements, list[tuple[Elements, Elements]]]:
    """Return the sensitive columns of the leaf's slice, and K and T of every hidden layer there."""
    a = shape.architecture
    chosen = [int(bit) for bit in wires["chosen_slice"]]
    if sorted(chosen) != [0] * (shape.slices - 1) + [1]:
        raise RuleError("R-B-LEAF", "chosen_slice", "not exactly one slice is chosen")
    number = chosen.index(1)
    row = wires["table"].reshape(shape.slices, a.sensitive)[number]
    lines = []
    every = [row]
    for layer in range(1, len(a.hidden) + 1):
        upper, offset = (wires[f"{name}.{layer}"].reshape(shape.slices, -1)[number] for name in ("upper", "offset"))
        lines.append((upper, offset))
        every.append(GF(np.stack([upper, offset], axis=1)).ravel())
    if looks_up_slices(shape):
        for at, (claim, value) in enumerate(zip(wires["of_slice"], GF(np.concatenate(every)), strict=True)):
            require_equal("R-B-LEAF", f"number {at} of the slice", claim, value)
    return row, lines


def _rivals(label: Elements, weights: Elements, biases: Elements) -> tuple[Elements, Elements]:
    """Return the margins: (2y - 1) times the logit, or logit_y - logit_c for every class c but y."""
    if len(label) == 1:
        sign = GF(2) * label[0] - GF(1)
        return sign * weights, sign * biases
    others = [c for c, bit in enumerate(label) if bit == GF(0)]
    return (label @ weights - weights)[others], (label @ biases - biases)[others]
