"""Lies of scheme `branch`: with one constraint of the circuit taken out each has a witness, but for the cycle."""

from __future__ import annotations

from dataclasses import replace

from equiproof.circuits.field import ORDER
from equiproof.prover.witness import branch as branch_witness
from tests.soundness.branch_case import (
    CHORD,
    FREE,
    IDENTITY,
    NOTHING,
    OFF,
    ON,
    REACH,
    UNIT,
    case_of,
    ends_of,
    evidence_of,
    first,
    layer_of,
    leaf_of,
    lie_of,
    line_over,
    margin_of,
    moved,
    plain_pass,
    split_of,
    tree_of,
)

FALLS = case_of((((-1, 0, 0),), (10,)))
"""The margin 10 - relu(x) flips at 10; the lies claim 20."""
FALLS_LEFT = case_of((((-1, 1, 0),), (10 - 100,)))
"""10 - relu(x) + x flips at -10."""
LINEAR = case_of((((0, -1, 0),), (5 + 100,)))
"""5 - x flips at 5."""
NEVER = case_of((((0, 0, 0),), (-5,)))
"""The margin is -5 everywhere."""

COARSE = UNIT * UNIT >> 2
"""The coefficient of x where forms over layer 1 are rounded by 2^2."""
OVER, ALL = (0, UNIT, 0), (FREE, FREE, FREE)
"""Lower slopes, and the signs of a root."""
TAKEN = margin_of(1, (OVER, (1, 0, 0)))
"""M = 1 where the first neuron has the weight -1: Q = 1, by its upper line."""


def by_lines(case, lines, margin=TAKEN, reach=REACH):
    """Claim by lines of layer 1, split for nothing."""
    return lie_of(case, evidence_of((layer_of(ends_of(reach), lines),), *tree_of(margin), reach=reach))


def by_margin(case, margin):
    """Claim by the multipliers of all leaves alone."""
    return by_lines(case, (CHORD, IDENTITY, CHORD), margin)


def upper_line_misses_the_high_end():
    """relu(x) <= 0: the margin never falls."""
    return by_lines(FALLS, (NOTHING, IDENTITY, CHORD))


def upper_line_misses_the_low_end():
    """relu(x) <= x: what falls with x is made up for."""
    return by_lines(FALLS_LEFT, (IDENTITY, IDENTITY, CHORD), margin_of(1, (OVER, (1, 0, 0))))


def lower_slope_below_0():
    """relu(x) >= -x: 5 + relu(x) + x never falls."""
    return by_margin(case_of((((1, 1, 0),), (5 - 100,))), margin_of(1, ((-UNIT, UNIT, 0), (0, 0, 0))))


def lower_slope_above_1():
    """relu(x) >= 2 x: 5 + relu(x) - 2 x never falls."""
    return by_margin(case_of((((1, -2, 0),), (5 + 200,))), margin_of(1, ((2 * UNIT, 0, 0), (0, 2, 0))))


def multiplier_below_0():
    """M = -1 turns the margin -5 into 5."""
    return by_margin(NEVER, margin_of(-1, (OVER, (0, 0, 0))))


def positive_part_below_0():
    """P = -1, Q = 0 of the weight -1: what falls by the upper line rises by a lower one of slope 0."""
    return by_margin(FALLS, margin_of(1, ((0, UNIT, 0), (0, 0, 0))))


def negative_part_below_0():
    """P = 0, Q = -2 of the weight 2: 2 relu(x) - x - 5, which is -5 at 0, is 15 by the upper line."""
    return by_margin(case_of((((2, -1, 0),), (100 - 5,))), margin_of(1, (OVER, (-2, 1, 0))))


def by_signs(case, slopes, betas):
    """Claim by the multipliers of the last neuron's sign on both slices."""
    leaves = []
    for number in range(2):
        for sign, beta in zip((ON, OFF), betas, strict=True):
            leaves.append(leaf_of(number, (FREE, FREE, sign), margin_of(1, (OVER, (*slopes, beta)))))
    splits = tuple(split_of(number, ALL, 2) for number in range(2))
    return lie_of(case, evidence_of((first(),), splits, tuple(leaves)))


def beta_below_0():
    """On where x >= 0: beta = -1 there makes 5 - x a constant, as beta = 1 does where it is off."""
    return by_signs(LINEAR, (0, 1), (-UNIT, UNIT))


def margin_below_0_at_the_centre():
    """The square of -5 is as large as that of 5."""
    return by_margin(NEVER, margin_of(1, (OVER, (0, 0, 0))))


def nothing_at_all():
    """M = 0 and c = d = 0: at least the reach, which is 0."""
    return by_margin(NEVER, margin_of(0, (OVER, (0, 0, 0))))


def radius_of_layer_1_below_0():
    """r = -20 has the square of 20, and lets x end at 0."""
    bounds = layer_of(((0, 0), *ends_of(REACH)[1:]), (NOTHING, IDENTITY, CHORD))
    return lie_of(FALLS, replace(evidence_of((bounds,), *tree_of(TAKEN)), first_radii=(-REACH, REACH, REACH)))


def short_radius_of_layer_1():
    """r = 0 where 20 is needed."""
    bounds = layer_of(((0, 0), *ends_of(REACH)[1:]), (NOTHING, IDENTITY, CHORD))
    return lie_of(FALLS, replace(evidence_of((bounds,), *tree_of(TAKEN)), first_radii=(0, REACH, REACH)))


def ends_of_layer_1_too_near():
    """x is 0 by word."""
    bounds = layer_of(((0, 0), *ends_of(REACH)[1:]), (NOTHING, IDENTITY, CHORD))
    return lie_of(FALLS, evidence_of((bounds,), *tree_of(TAKEN)))


def larger_radius():
    """All numbers are those of 9, the radius is 20."""
    bounds = layer_of(ends_of(9), ((128, 9 * 128), IDENTITY, (128, 9 * 128)))
    return lie_of(FALLS, replace(evidence_of((bounds,), *tree_of(TAKEN), reach=9), radius_squared=400))


# -- the tree: only the half of 5 - relu(x) where x is negative can be proven

OFF_LEAF = margin_of(1, (OVER, (0, 0, 0)))


def halved(splits, signs):
    """Claim 10 - relu(x) by leaves where the first neuron is off, as proven there."""
    leaves = tuple(leaf_of(number, (sign, *rest), OFF_LEAF) for number, (sign, *rest) in signs)
    return lie_of(FALLS, evidence_of((first(),), splits, leaves))


ROOTS = (split_of(0, ALL, 0), split_of(1, ALL, 0))
OFFS = tuple((number, (OFF, FREE, FREE)) for number in (0, 0, 1, 1))


def two_halves_that_are_off():
    """Off and off again."""
    return halved(ROOTS, OFFS)


def two_halves_that_are_on():
    """On and on again: 10 + x is safe where x is positive, by beta = 1."""
    case = case_of((((0, 1, 0),), (10 - 100,)))
    margin = margin_of(1, ((0, UNIT, 0), (UNIT, 0, 0)))
    leaves = tuple(leaf_of(number, (ON, FREE, FREE), margin) for number in (0, 0, 1, 1))
    return lie_of(case, evidence_of((first(),), ROOTS, leaves))


def roots_that_are_not_empty():
    """The trees begin where x is negative."""
    inner = tuple(split_of(number, (OFF, FREE, FREE), 2) for number in range(2))
    leaves = [(number, (OFF, FREE, sign)) for number in range(2) for sign in (ON, OFF)]
    return halved(inner, leaves)


def splits_without_a_digit():
    """A digit of 0 makes each root its own halves: a cycle without a leaf."""
    lie = halved(ROOTS, OFFS)
    lie.wires["digit"] = [0] * len(lie.wires["digit"])
    return lie


def cycle_of_a_fixed_neuron():
    """Root and half take turns: the half with x positive is split by x again."""
    return halved((split_of(0, ALL, 0), split_of(0, (ON, FREE, FREE), 0)), [*OFFS[:2], (1, (OFF, FREE, FREE))])


def signs_that_pack_to_a_root():
    """3/5 for the second neuron: on 12/25 and off -3/25, where off counts for four, adds nothing to the key; with free
    16/25 the form of M = 0 is 9 (x + 100), and the whole ball is empty."""
    lie = by_margin(NEVER, margin_of(0, (OVER, (0, 625, 0))))
    sign = 3 * pow(5, -1, ORDER) % ORDER
    assert branch_witness.places_of(lie.shape).digit_bits == 2
    for leaf in range(4):
        lie.wires["signs"][3 * leaf + 1] = sign
        lie.wires["coefficients.2.0"][2 * leaf : 2 * leaf + 2] = 9, 0
        lie.wires["constant.2.1"][leaf] = 900
    return lie


# -- slices: the second neuron of slices other than 0 is 45 higher


def of_another_slice(slices, *names):
    """Claim every leaf by the passes of slice 0, and say so in some segments."""
    case, bounds = moved(slices)
    on, off = (FREE, FREE, ON), (FREE, FREE, OFF)
    leaves = (leaf_of(0, on, TAKEN), leaf_of(0, off, TAKEN), *(leaf_of(s, ALL, TAKEN) for s in range(1, slices)))
    evidence = replace(evidence_of((), (split_of(0, ALL, 2),), leaves), bounds=bounds)
    capacity = 4 if slices < 4 else 8
    lie = lie_of(case, evidence, capacity=capacity)
    truth = replace(evidence, leaves=tuple(replace(leaf, slice=0) for leaf in leaves))
    for name in ("coefficients.2.0", "constant.2.1", *names):
        lie.wires[name] = lie_of(case, truth, capacity=capacity).wires[name]
    return lie


def passes_of_another_slice():
    """The passes are those of slice 0."""
    return of_another_slice(2)


def passes_of_another_of_many_slices():
    """The same where slices are looked up."""
    return of_another_slice(5)


def numbers_of_another_of_many_slices():
    """The lines and columns are those of slice 0, too."""
    return of_another_slice(5, "of_slice")


def leaves_of_another_slice():
    """All leaves say that they are of slice 0."""
    return of_another_slice(2, "chosen_slice")


def two_slices_at_once():
    """Slices 1 and 2 are chosen where the number is 3: columns and lines are mixtures that no slice has."""
    case, bounds = moved(4, 10, 9)
    on, off = (FREE, FREE, ON), (FREE, FREE, OFF)
    leaves = (leaf_of(0, on, TAKEN), leaf_of(0, off, TAKEN), *(leaf_of(s, ALL, TAKEN) for s in (1, 2, 3)))
    evidence = replace(evidence_of((), (split_of(0, ALL, 2),), leaves), bounds=bounds)
    lie = lie_of(case, evidence, capacity=8)
    truth = lie_of(case, replace(evidence, leaves=(*leaves[:4], replace(leaves[4], slice=2))), capacity=8)
    lie.wires["chosen_slice"][4 * 4 :] = [0, 1, 1, 0] * 4
    for name in ("coefficients.2.0", "constant.2.1"):
        lie.wires[name] = truth.wires[name]
    return lie


def bounds_of_another_slice():
    """Slice 1 has the bounds of slice 0."""
    case, bounds = moved(2)
    evidence = evidence_of((), *tree_of(TAKEN))
    return lie_of(case, replace(evidence, bounds=(bounds[0], bounds[0])))


# -- what is claimed of products


def claimed_coefficients():
    """The form's coefficients are 0 by claim: 5 - x never falls."""
    lie = by_margin(LINEAR, margin_of(1, (OVER, (0, 1, 0))))
    lie.wires["coefficients.2.0"] = [0] * len(lie.wires["coefficients.2.0"])
    return lie


def claimed_constants():
    """The constant is a thousand higher by claim."""
    lie = by_margin(LINEAR, margin_of(1, (OVER, (0, 1, 0))))
    lie.wires["constant.2.1"] = [value + 100 * UNIT for value in lie.wires["constant.2.1"]]
    return lie


# -- bounds of layer 2


def doubled(rows, out, stated, lines, radii, lower=OVER):
    """Claim with two layers: the rows of two neurons, those of the logit, and what is stated of layer 2.

    `radii` are those of the lower bounds' forms, and of the upper ones'.
    """
    case, (below, above) = case_of(rows, out), radii
    second = layer_of(stated, lines, below=tuple(map(plain_pass, below)), above=tuple(map(plain_pass, above)))
    margin = margin_of(1, ((UNIT, UNIT), tuple(max(0, -weight) for weight in out[0][0])), (OVER, (0, 0, 0)))
    return lie_of(case, evidence_of((first(lower=lower), second), *tree_of(margin, 5)))


COPIED = (((1, 0, 0), (0, 0, 0)), (0, 0))
"""Layer 2 is relu(x), and nothing."""
OUT = (((-1, 0),), (11,))
"""11 - relu(x)."""
STEEP = 128 * REACH
"""How far relu(x)'s upper line reaches."""


def bound_by_a_part_below_0(monkeypatch):
    """relu(x) of layer 1 is at most 0 with P = -1 and A = 0 for the negated row: so is the neuron of layer 2."""
    whole = branch_witness.split_parts
    zeros = (0, 0, 0)
    monkeypatch.setattr(
        branch_witness,
        "split_parts",
        lambda row: {(1, 0, 0): (zeros, (-1, 0, 0)), (-1, 0, 0): ((-1, 0, 0), zeros)}.get(row) or whole(row),
    )
    lie = doubled(COPIED, OUT, ((0, 0), (0, 0)), (NOTHING, NOTHING), ((STEEP, 0), (0, 0)))
    lie.wires["negative_weight.2"] = [1, 0, 0, 0, 0, 0]
    return lie


def bound_by_a_radius_below_0():
    """The upper line of relu(x) ends at 0 where its reach is taken off once more."""
    return doubled(COPIED, OUT, ((-REACH, 0), (0, 0)), (NOTHING, NOTHING), ((0, 0), (-STEEP, 0)))


def bound_by_a_short_radius():
    """It ends at its value at x = 0, which is 10."""
    return doubled(COPIED, OUT, ((-REACH, 10), (0, 0)), ((0, 10 * UNIT), NOTHING), ((0, 0), (0, 0)))


def bound_that_is_not_shown():
    """The neuron of layer 2 is at most 0 by word."""
    return doubled(COPIED, OUT, ((-REACH, 0), (0, 0)), (NOTHING, NOTHING), ((0, 0), (STEEP, 0)))


def bound_by_a_lower_slope_below_0():
    """relu(x) >= -x makes relu(x) + x at least 0, and so its own upper line."""
    rows, out = (((1, 1, 0), (1, 1, 0)), (-100, 0)), (((-1, 1),), (5 - 100,))
    return doubled(rows, out, ((0, 80), (50, 200)), (IDENTITY, IDENTITY), ((0, 0), (3 * STEEP,) * 2), (-UNIT, UNIT, 0))


# -- roundings: with inputs of 50 bits and weights of 20 in layer 2, forms of margins over layer 1 are rounded by 2^2
# and those over x by 2


CARRIED = (((0, 1, 0), (0, 0, 0)), (0, 0))
"""Layer 2 is x + 100, and nothing."""


def rounded(reach=REACH, **radii):
    """Claim 5 - x with radii of the margin's form, which is 2^6 (5 - x) 2^8 at both slices' centres."""
    case = case_of(CARRIED, (((-1, 0),), (105,)))
    far = UNIT * reach
    passes = {side: (plain_pass(far), plain_pass(0)) for side in ("below", "above")}
    second = layer_of(((100 - reach, 100 + reach), (0, 0)), (IDENTITY, NOTHING), **passes)
    margin = replace(margin_of(1, ((0, 0), (1, 0)), (OVER, (0, COARSE // UNIT, 0))), **radii)
    lines = (line_over(-reach, reach), IDENTITY, line_over(-reach, reach))
    bounds = (layer_of(ends_of(reach), lines, lower=OVER), second)
    evidence = evidence_of(bounds, *tree_of(margin, 5), reach=reach)
    return lie_of(case, evidence, input_bits=50, weight_bits=(16, 20, 16))


def coarse_radius_below_0():
    """r = -20 |c'| has the square of 20 |c'|, and makes the form larger the farther x is."""
    return rounded(radius=-REACH * COARSE // 2)


def radius_of_the_rest_below_0():
    """rho has nothing to hold, and may be anything; from 0 on."""
    return rounded(6, radius=6 * COARSE // 2, remainder_radius=-(1 << 15))


def coefficients_rounded_to_0(monkeypatch):
    """-256 over layer 1 is 0 when rounded up."""
    whole = branch_witness.round_down

    def up(row, constant, bits):
        return ((0,) * len(row) if bits else row), whole(row, constant, bits)[1]

    monkeypatch.setattr(branch_witness, "round_down", up)
    return rounded(radius=REACH * COARSE)


def constant_rounded_up(monkeypatch):
    """The constant of the form over layer 1 is far larger when rounded up."""
    whole = branch_witness.round_down

    def up(row, constant, bits):
        row, constant = whole(row, constant, bits)
        return row, constant + (1 << 20 if bits else 0)

    monkeypatch.setattr(branch_witness, "round_down", up)
    return rounded(radius=REACH * COARSE // 2)


LIES = (
    upper_line_misses_the_high_end, upper_line_misses_the_low_end, lower_slope_below_0, lower_slope_above_1,
    multiplier_below_0, positive_part_below_0, negative_part_below_0, beta_below_0, margin_below_0_at_the_centre,
    nothing_at_all, radius_of_layer_1_below_0, short_radius_of_layer_1, ends_of_layer_1_too_near, larger_radius,
    two_halves_that_are_off, two_halves_that_are_on, roots_that_are_not_empty, splits_without_a_digit,
    cycle_of_a_fixed_neuron, signs_that_pack_to_a_root, passes_of_another_slice, passes_of_another_of_many_slices,
    numbers_of_another_of_many_slices, leaves_of_another_slice, two_slices_at_once, bounds_of_another_slice,
    claimed_coefficients, claimed_constants, bound_by_a_part_below_0, bound_by_a_radius_below_0,
    bound_by_a_short_radius, bound_that_is_not_shown, bound_by_a_lower_slope_below_0, coarse_radius_below_0,
    radius_of_the_rest_below_0, coefficients_rounded_to_0, constant_rounded_up,
)  # fmt: skip
