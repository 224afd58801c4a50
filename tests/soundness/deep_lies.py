"""Lies about rounded forms in the composed circuit of scheme `branch`: bounds of layer 3, and margins.

With weights of 32 bits forms of bounds of layer 3 are rounded by 2^21 over layer 1.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.field import ORDER
from tests.soundness.branch_case import (
    IDENTITY,
    NOTHING,
    REACH,
    UNIT,
    Lie,
    ends_of,
    evidence_of,
    layer_of,
    lie_of,
    line_over,
    margin_of,
    plain_pass,
    proven,
    shape_of,
    tree_of,
)
from tests.soundness.branch_lies import CARRIED, COARSE, OVER
from tests.soundness.composed_lies import net

BITS = {"weight_bits": (32, 32, 32, 2)}
SECOND, THIRD = 1 << 30, 1 << 29
SCALE = SECOND * THIRD
"""What x is multiplied by in layer 3."""
ROUNDED = UNIT * SCALE >> 21
"""A form of layer 3 has it, or its multiples, over layer 1."""


def deep(rows, biases, out, bias):
    """Return the case of relu(x) and x + 100 in layer 2, rows of them in layer 3, and the logit, all at scale."""
    third = tuple(tuple(THIRD * weight for weight in row) for row in rows)
    second = ((SECOND, 0, 0), (0, SECOND, 0)), (0, 0)
    layers = (((1, 0), (1, 0), (1, 0)), (0, 100, 0)), second, (third, tuple(SCALE * value for value in biases))
    return net((0, 1), *layers, ((out,), (SCALE * bias,)))


def copied(bias):
    """Return a bias less relu(x), which layer 3 has once more."""
    return deep(((1, 0), (0, 0)), (0, 0), (-1, 0), bias)


def deep_truth() -> Lie:
    """25 - relu(x) is positive."""
    case = copied(25)
    return lie_of(case, proven(case, **BITS), **BITS)


def of_layer_3(case, **told) -> Lie:
    """Claim by what is told of layer 3 on both slices."""
    evidence = proven(case, told={(number, 3): told for number in range(2)}, **BITS)
    return lie_of(case, evidence, **BITS)


def nothing_above(**claims) -> Lie:
    """Claim that relu(x) of layer 3 is at most 0, by other claims of the pass of its upper bound."""
    case = copied(10)
    here = proven(case, **BITS).bounds[0][2]
    above = (replace(here.above[0], **claims), here.above[1])
    return of_layer_3(case, high=(0, 0), upper=(0, 0), offset=(0, 0), above=above)


def bound_by_a_positive_part_below_0():
    """P = -1 and Q = 0 of a weight -1: the upper line of relu(x) is taken for the lower one, of slope 0."""
    return nothing_above(positive=((-ROUNDED, 0, 0),), negative=((0, 0, 0),), radius=0)


def bound_by_a_rest_below_0():
    """-1 is rounded up to 0: all of it is left to the rest."""
    return nothing_above(negative=((0, 0, 0),), radius=0)


def rest_of_a_whole() -> Lie:
    """-1 is rounded down to -2, and 1 is left: the bound is looser, and said to be."""
    case, more = copied(25), ROUNDED + 1
    here = proven(case, **BITS).bounds[0][2]
    pass_above = replace(here.above[0], negative=((more, 0, 0),), radius=more * REACH * UNIT // 2)
    return of_layer_3(case, high=(30 * SCALE, 0), above=(pass_above, here.above[1]))


def of_a_zero(part: int, radius: int) -> Lie:
    """Claim by passes of a neuron of layer 3 that is 0: P and Q of x + 100, which nothing comes of, and the radius."""
    case, parts = copied(25), ((0, part, 0),)
    here = proven(case, **BITS).bounds[0][2]
    claim = {"positive": parts, "negative": parts, "radius": radius}
    below, above = ((at[0], replace(at[1], **claim)) for at in (here.below, here.above))
    # A bound of layer 3 is at 2^5 times the scale of its form.
    far = radius << 5
    told = {"low": (here.low[0], -far), "high": (here.high[0], far), "upper": (UNIT, 0), "offset": (0, UNIT * far)}
    return of_layer_3(case, below=below, above=above, **told)


def widths_of_layer_3() -> tuple[int, int]:
    """Return the bits of P and Q over layer 1, and of radii, of bounds of layer 3."""
    form = shape_parameters(shape_of(copied(25), **BITS)).form(3)
    return form.split_bits[0], form.radius_bits


def forms_at_the_ends() -> Lie:
    """Claim by parts and a radius that are as large as their widths: the truth."""
    parts, radius = widths_of_layer_3()
    return of_a_zero((1 << parts) - 1, (1 << radius) - 1)


def parts_out_of_their_width():
    """P and Q are one larger."""
    parts, _ = widths_of_layer_3()
    return of_a_zero(1 << parts, 0)


def radius_out_of_its_width():
    """It is one larger."""
    _, radius = widths_of_layer_3()
    return of_a_zero(0, 1 << radius)


def bound_by_a_constant_rounded_up():
    """What the upper line takes off is added to the constant before."""
    lie = nothing_above()
    # By slice, then by neuron, the lower bound's before the upper one's.
    for number in (1, 5):
        lie.wires["kappa.3.1"][number] += REACH * ROUNDED
    return lie


def bound_by_a_negative_part_below_0():
    """P = 0 and Q = -2 of a weight 2: 2 relu(x) - x - 10, which is -10 at 0, is 10 by the upper line of relu(x)."""
    case = deep(((2, -1), (2, -1)), (90, 190), (-1, 1), 5 - 100)
    here = proven(case, **BITS).bounds[0][2]
    parts = {"positive": ((0, 0, 0),), "negative": ((-2 * ROUNDED, ROUNDED, 0),), "radius": 0}
    return of_layer_3(
        case, low=(10 * SCALE, here.low[1]), upper=(UNIT, UNIT), offset=(0, 0),
        below=(replace(here.below[0], **parts), here.below[1]),
    )  # fmt: skip


# -- margins: as `rounded` of branch_lies, with whole numbers that show what rounding leaves


def carried(reach, line=IDENTITY, third=0, **radii) -> Lie:
    """Claim 5 - x by its form rounded by 2^2, with a line of layer 2 and a multiplier of the third neuron's signs."""
    case = net((0, 1), (((1, 0), (1, 0), (1, 0)), (0, 100, 0)), CARRIED, (((-1, 0),), (105,)))
    passes = {side: (plain_pass(UNIT * reach), plain_pass(0)) for side in ("below", "above")}
    second = layer_of(((100 - reach, 100 + reach), (0, 0)), (line, NOTHING), **passes)
    fixed, free = (margin_of(1, ((0, 0), (1, 0)), (OVER, (0, COARSE // UNIT, at))) for at in (third, 0))
    splits, leaves = tree_of(replace(fixed, **radii), 5)
    leaves = (*leaves[:2], replace(leaves[2], margins=(replace(free, **radii),)))
    at = line_over(-reach, reach)
    bounds = (layer_of(ends_of(reach), (at, IDENTITY, at), lower=OVER), second)
    evidence = evidence_of(bounds, splits, leaves, reach=reach)
    return lie_of(case, evidence, input_bits=50, weight_bits=(16, 20, 16))


def rest_with_a_radius() -> Lie:
    """Claim by an odd coefficient, what is left of which has its radius: the truth."""
    return carried(4, third=1, radius=4 * COARSE // 2, remainder_radius=4)


def constant_that_is_a_fraction():
    """An offset of 1 makes the constant odd; a quarter of it is no number, 256 quarters are."""
    lie = carried(4, (UNIT, 1), radius=4 * COARSE // 2)
    # What the first step ends with: 256 (105 - x - 100) less the offset.
    exact = UNIT * 105 - 1
    assert {value << 2 for value in lie.wires["kappa.3.1"]} == {exact - exact % 4}
    lie.wires["kappa.3.1"] = [exact * pow(4, -1, ORDER) % ORDER] * 4
    return lie


def constant_rounded_by_one_more():
    """It is one less than it is rounded down."""
    lie = carried(4, radius=4 * COARSE // 2)
    lie.wires["kappa.3.1"] = [value - 1 for value in lie.wires["kappa.3.1"]]
    return lie


def coefficient_rounded_by_too_much():
    """c' is one nearer to 0: what is left is -2."""
    lie = carried(5, radius=5 * (COARSE // 2 - 1), remainder_radius=2 * 5)
    lie.wires["coarse.3.0"] = [value + 1 for value in lie.wires["coarse.3.0"]]
    return lie


def no_radius_of_the_rest():
    """A multiplier of 1 makes the coefficient odd; what is left of it has no radius."""
    return carried(5, third=1, radius=5 * COARSE // 2)


def rest_that_reaches_too_far():
    """What is left has a radius, with which the form reaches below 0."""
    return carried(5, third=1, radius=5 * COARSE // 2, remainder_radius=5)


DEEP_LIES = (
    bound_by_a_positive_part_below_0, bound_by_a_negative_part_below_0, bound_by_a_rest_below_0,
    bound_by_a_constant_rounded_up,
)  # fmt: skip
FORM_NUMBERS = (
    parts_out_of_their_width, radius_out_of_its_width, rest_of_a_whole, constant_rounded_by_one_more,
    constant_that_is_a_fraction, coefficient_rounded_by_too_much, no_radius_of_the_rest,
    rest_that_reaches_too_far,
)  # fmt: skip
"""What rounds these forms wrongly, and says nothing false."""
