"""Lies about the composed circuit of scheme `branch`: each would pass if one slice, leaf, layer or line were left out.

The lies of `branch_lies` are about a gadget and are told at once wherever it is used; these are told in one place, and
everywhere else the evidence is true.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.field import ORDER
from tests.certify.tiny import Case
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
    layer_of,
    leaf_of,
    lie_of,
    line_over,
    margin_of,
    proven,
    sliced,
    split_of,
)
from tests.soundness.branch_lies import (
    ALL,
    COARSE,
    FALLS,
    LINEAR,
    OFFS,
    OVER,
    ROOTS,
    TAKEN,
    by_lines,
    by_margin,
    doubled,
    halved,
    rounded,
)
from tests.soundness.cheating_owner import implied

HALF = pow(2, -1, ORDER)
EXACT = margin_of(1, (OVER, (0, 1, 0)))
"""M = 1 where the second neuron has the weight -1: its own line is exact."""


def net(table, first, *above):
    """Return the case of x = 0 and rows (x, s) with biases, and further layers."""
    layers = tuple(Layer(rows, biases) for rows, biases in (first, *above))
    return Case(QuantisedNetwork(layers, 10, (0,) * len(layers)), (0,), tuple((row,) for row in table))


def borrowed(lie, truth, *names):
    """Take the claims of margins of another witness, and other wires."""
    for name in ("coefficients.2.0", "constant.2.1", *names):
        lie.wires[name] = truth.wires[name]
    return lie


# -- the statement, and the radius


def another_statement():
    """The public input is that of a larger radius."""
    truth = by_lines(FALLS, (line_over(-9, 9), IDENTITY, line_over(-9, 9)), reach=9)
    larger = implied(truth.shape, {**truth.wires, "radius_squared": [400]})
    return replace(truth, digest=larger.digest(truth.shape))


def leaves_without_a_radius():
    """5 - x is positive where x is 0."""
    return by_margin(LINEAR, EXACT)


# -- layer 1, in its last neuron or on one slice


def by_the_last_neuron(rows, bias, ends, line, radii=(REACH,) * 3):
    """Claim by the third neuron, x, whose ends and line are given; the first is split for nothing."""
    case = case_of(((rows,), (bias,)))
    bounds = layer_of((*ends_of(REACH)[:2], ends), (CHORD, IDENTITY, line))
    margin = margin_of(1, (OVER, (0, 0, 1)))
    leaves = tuple(leaf_of(n, (sign, FREE, FREE), margin) for n, sign in ((0, ON), (0, OFF), (1, FREE)))
    return lie_of(case, replace(evidence_of((bounds,), ROOTS[:1], leaves), first_radii=radii))


def short_radius_of_the_last_neuron():
    """r = 0 of the third neuron: relu(x) is 0."""
    return by_the_last_neuron((0, 0, -1), 10, (0, 0), NOTHING, (REACH, REACH, 0))


def high_end_of_the_last_neuron_too_near():
    """x is at most 0 by word."""
    return by_the_last_neuron((0, 0, -1), 10, (-REACH, 0), NOTHING)


def low_end_of_the_last_neuron_too_near():
    """x is at least 0 by word, and relu(x) at most x: 10 - relu(x) + x never falls."""
    return by_the_last_neuron((0, 1, -1), 10 - 100, (0, REACH), IDENTITY)


def line_of_the_last_neuron():
    """relu(x) is at most 0 by word."""
    return by_the_last_neuron((0, 0, -1), 10, (-REACH, REACH), NOTHING)


def on_one_slice(rows, **told):
    """Claim 10 - relu(x + 45 s - 20), which falls where s is 1, by what is told of that slice."""
    case, _ = sliced(rows, 45, -REACH)
    return lie_of(case, proven(case, told={(rows.index(1), 1): told}))


def ends_of_the_first_slice():
    """The first slice has the ends of the second one."""
    return on_one_slice((1, 0), low=(-40, 80, -REACH), high=(0, 120, REACH), upper=(0, UNIT, 128), offset=(0, 0, 2560))


def ends_of_the_last_slice():
    """The second slice has the ends of the first one."""
    return on_one_slice((0, 1), low=(-40, 80, -REACH), high=(0, 120, REACH), upper=(0, UNIT, 128), offset=(0, 0, 2560))


def lines_of_the_first_slice():
    """relu(x + 25) is at most 0 on the first slice."""
    return on_one_slice((1, 0), upper=(0, UNIT, 128))


def lines_of_the_last_slice():
    """The same on the second one."""
    return on_one_slice((0, 1), upper=(0, UNIT, 128))


# -- bounds of layer 2


def on_one_deeper_slice(rows, second=0, neuron=0, told=((-40, 0), NOTHING)):
    """Claim 11 - relu(z), z = relu(x + 45 s - 20) or, with a bias of layer 2, x + 45 s - 20 once more.

    What is told of the neuron of layer 2 that is z is said of the slice where s is 1.
    """
    zeros = (0, 0, 0)
    order = ((1, 0, 0), zeros) if neuron == 0 else (zeros, (1, 0, 0))
    out = (-1, 0) if neuron == 0 else (0, -1)
    biases = tuple(second if i == neuron else 0 for i in range(2))
    case = net(rows, (((1, 45), (1, 0), (1, 0)), (-REACH - second, 100, 0)), (order, biases), ((out,), (11,)))
    (low, high), (upper, offset) = told
    values = {"low": low, "high": high, "upper": upper, "offset": offset}
    said = {name: (value, 0) if neuron == 0 else (0, value) for name, value in values.items()}
    return case, lie_of(case, proven(case, told={(rows.index(1), 2): said}))


def bound_of_the_first_slice():
    """The neuron is at most 0 on the first slice, by word."""
    return on_one_deeper_slice((1, 0))[1]


def bound_of_the_last_slice():
    """The neuron is at most 0 on the second slice, by word."""
    return on_one_deeper_slice((0, 1))[1]


def bound_of_the_last_neuron():
    """The second neuron of layer 2 is at most 0 by word."""
    return on_one_deeper_slice((0, 1), neuron=1)[1]


def line_of_layer_2():
    """The neuron is from 5 to 45 on the second slice, and its line 0."""
    return on_one_deeper_slice((0, 1), told=((5, 45), NOTHING))[1]


def bound_by_another_sensitive_column():
    """Passes of both slices are the same; with the column of the first slice the neuron of the second is negative."""
    return on_one_deeper_slice((0, 1), second=-1000)[1]


def bound_by_lines_of_another_slice():
    """Passes of the second slice are those of the first one, where relu(x - 20) is at most 0."""
    _, lie = on_one_deeper_slice((0, 1))
    for name in ("coefficients.2.0", "constant.2.1", "radius.2.0"):
        half = lie.wires[name][: len(lie.wires[name]) // 2]
        lie.wires[name] = half * 2
    return lie


def low_bound_that_is_not_shown():
    """x is at least 0 by word, and relu(x) at most x: 5 - relu(x) + x never falls."""
    rows, radii = (((0, 1, 0), (0, 1, 0)), (-100, 0)), (UNIT * REACH, UNIT * REACH)
    return doubled(rows, (((-1, 1),), (5 - 100,)), ((0, 20), (80, 120)), (IDENTITY, IDENTITY), (radii, radii))


def claims_that_cancel():
    """The same by claims: 20 more in a neuron's constant, and 20 s less in the next one, whose bound is lower.

    Where all rows of an identity had one power of the challenge, both would stand at the same one.
    """
    rows, radii = (((0, 1, 0), (0, 1, 0)), (-100, 0)), (UNIT * REACH, UNIT * REACH)
    lie = doubled(rows, (((-1, 1),), (5 - 100,)), ((0, 20), (60, 120)), (IDENTITY, IDENTITY), (radii, radii))
    # By slice, then by neuron, the lower bound's before the upper one's.
    for first_pass in (0, 4):
        lie.wires["constant.2.1"][first_pass] += UNIT * REACH
        lie.wires["coefficients.2.0"][2 * (first_pass + 2) + 1] -= UNIT * REACH
    return lie


def bound_that_forgets_its_reach():
    """The upper line of relu(x) ends at its value at x = 0, which is 10."""
    told = ((-REACH, 10), (0, 0)), ((0, 10 * UNIT), NOTHING), ((0, 0), (UNIT * REACH // 2, 0))
    return doubled((((1, 0, 0), (0, 0, 0)), (0, 0)), (((-1, 0),), (11,)), *told)


# -- slices and leaves


def by_slices(case, bounds, *numbers):
    """Claim by a leaf for each number of a slice, the first of them split for nothing."""
    first_one, *others = numbers
    leaves = [leaf_of(first_one, (FREE, FREE, sign), TAKEN) for sign in (ON, OFF)]
    leaves += [leaf_of(number, ALL, TAKEN) for number in others]
    return lie_of(case, replace(evidence_of((), (split_of(first_one, ALL, 2),), tuple(leaves)), bounds=bounds))


def half_slices():
    """The leaf of slice 1 is half of slice 0 and half of slice 2, where nothing falls: the number is 1, too."""
    case, bounds = sliced((0, 9, 1), 10, -30)
    lie = by_slices(case, bounds, 0, 1, 2)
    lie.wires["chosen_slice"][2 * 3 : 3 * 3] = [HALF, 0, HALF]
    return borrowed(lie, by_slices(case, bounds, 0, 0, 2))


def no_root_of_the_first_slice():
    """All leaves say that they are of the second slice."""
    case, bounds = sliced((1, 0), 45, -REACH)
    lie = by_slices(case, bounds, 0, 1)
    return borrowed(lie, by_slices(case, bounds, 1, 1), "chosen_slice", "key")


def no_root_of_a_slice_between():
    """No leaf is of slice 1 of three."""
    case, bounds = sliced((0, 9, 1), 10, -30)
    return by_slices(case, bounds, 0, 2)


def sensitive_column_of_another_slice():
    """21 - x - 45 s, of a neuron that is positive everywhere: only the column of the first slice keeps it positive."""
    case = net((0, 1), (((1, 45), (1, 0), (1, 0)), (1000, 100, 0)), (((-1, 0, 0),), (1021,)))
    return lie_of(case, proven(case))


def signs_of_another_leaf():
    """Leaves where x is positive are proven as those are where it is negative."""
    lie = halved(ROOTS, OFFS)
    for leaf in (1, 3):
        lie.wires["signs"][3 * leaf] = 1
    return lie


def halves(rows, signs):
    """Claim 10 - relu(x + 45 s - 20) by leaves that split the first neuron on both slices, in a way."""
    case, _ = sliced(rows, 45, -REACH)
    return lie_of(case, proven(case, tuple((n, (sign, FREE, FREE)) for n, sign in signs), ROOTS))


def two_offs_of_the_first_slice():
    """Off and off again where s is 1."""
    return halves((1, 0), ((0, OFF), (0, OFF), (1, ON), (1, OFF)))


def two_offs_of_the_last_slice():
    """The same on the second slice."""
    return halves((0, 1), ((0, ON), (0, OFF), (1, OFF), (1, OFF)))


def by_one_leaf(rows, places):
    """Claim 5 + x + 45 s, which falls where s is 0 and x negative, by leaves of x on and off."""
    case = net(rows, (((1, 45), (1, 0), (1, 0)), (100, 100, 0)), (((1, 0, 0),), (5 - 100,)))
    evidence = proven(
        case, tuple((n, (FREE, FREE, sign)) for n, sign in places), (split_of(0, ALL, 2), split_of(1, ALL, 2))
    )
    # Where x is on, it is taken off by its multiplier.
    kept = tuple(
        replace(leaf, margins=(replace(leaf.margins[0], excess=((0, 0, UNIT * UNIT),)),)) if leaf.on[2] else leaf
        for leaf in evidence.leaves
    )
    return lie_of(case, replace(evidence, leaves=kept))


def first_leaf_alone():
    """The leaf that falls is the first."""
    return by_one_leaf((0, 1), ((0, OFF), (0, ON), (1, ON), (1, OFF)))


def last_leaf_alone():
    """The leaf that falls is the last."""
    return by_one_leaf((1, 0), ((0, ON), (0, OFF), (1, ON), (1, OFF)))


# -- labels


def of_logits(biases, weights=(0, 0, 0)):
    """Return the claim of three logits by these biases, and weights of the neuron x + 100."""
    case = case_of((tuple((0, weight, 0) for weight in weights), biases))
    return lie_of(case, proven(case))


def first_rival():
    """The logit of class 0 is x + 25, that of the label 30; class 2 is far below."""
    return of_logits((25 - 100, 30, -170), (1, 0, 0))


def last_rival():
    """The same of class 2, with class 0 far below."""
    return of_logits((-170, 30, 25 - 100), (0, 0, 1))


def no_label():
    """Without a bit the label is 0: what is above the logits of classes 0 and 1 is 0."""
    lie = of_logits((-5, -5, 0))
    lie.wires["label"] = [0, 0, 0]
    return lie


def label_of_three_bits():
    """-1, 3, -1: the label is 1, and its logit three times itself less the others."""
    lie = of_logits((6, 5, 0))
    lie.wires["label"] = [-1, 3, -1]
    return lie


# -- forms that are rounded


def rounded_form_that_reaches_too_far():
    """Its radius is right, and larger than its value at the query."""
    return rounded(radius=REACH * COARSE // 2)


def short_radius_of_a_rounded_form():
    """It is that of a ball of 5."""
    return rounded(radius=5 * COARSE // 2)


COMPOSED_LIES = (
    leaves_without_a_radius, short_radius_of_the_last_neuron, high_end_of_the_last_neuron_too_near,
    low_end_of_the_last_neuron_too_near, line_of_the_last_neuron, ends_of_the_first_slice, ends_of_the_last_slice,
    lines_of_the_first_slice, lines_of_the_last_slice, bound_of_the_first_slice, bound_of_the_last_slice,
    bound_of_the_last_neuron, line_of_layer_2, bound_that_forgets_its_reach,
    claims_that_cancel, bound_by_another_sensitive_column,
    bound_by_lines_of_another_slice, low_bound_that_is_not_shown, half_slices, no_root_of_the_first_slice,
    no_root_of_a_slice_between, sensitive_column_of_another_slice, signs_of_another_leaf, two_offs_of_the_first_slice,
    two_offs_of_the_last_slice, first_leaf_alone, last_leaf_alone, first_rival, last_rival, no_label,
    label_of_three_bits, rounded_form_that_reaches_too_far, short_radius_of_a_rounded_form,
)  # fmt: skip
