"""Numbers outside their widths in the composed circuit of scheme `branch`; nothing else is wrong with these witnesses.

Those of PACKED_LIES pack to the digests of other numbers, about which the statement is false. What the others state
is of no network, query or radius that there is, or true.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.circuits.field import ORDER
from tests.soundness.branch_case import FREE, OFF, ON, REACH, UNIT, Lie, lie_of, margin_of, proven, split_of
from tests.soundness.branch_lies import ALL, OVER
from tests.soundness.cheating_owner import implied
from tests.soundness.composed_lies import net

HALF = pow(2, -1, ORDER)
ROWS, BIASES = ((1, 0), (1, 0), (1, 0)), (0, 100, 0)
FAIR = (((0, 0, 0),), (10,))
"""The logit is 10."""


def taken_for(claimed, meant) -> Lie:
    """Prove a case whose numbers pack to those of another one, which is what the statement is about."""
    return passed_off(*(lie_of(case, proven(case)) for case in (claimed, meant)))


def passed_off(lie, other) -> Lie:
    """Return a witness as one of the case of another, whose statement is the same."""
    assert implied(lie.shape, lie.wires) == implied(other.shape, other.wires)
    return replace(lie, case=other.case)


def falling(first=(ROWS, BIASES), last=(((-1, 0, 0),), (10,)), table=(0, 1)):
    """Return 10 - relu(x), which falls at 10, or another case of one layer."""
    return net(table, first, last)


def weight_of_layer_1():
    """-2^16 s, with s from -2 to -1, makes the neuron negative; the next weight is 0 for it instead of 1."""
    claimed = ((1, 1 << 16), (0, 0), (1, 0))
    return taken_for(falling((claimed, BIASES), table=(-2, -1)), falling(table=(-2, -1)))


def bias_of_layer_1():
    """-2^35 makes it negative; the next bias is 101 for it instead of 100."""
    return taken_for(falling((ROWS, (-1 << 35, 101, 0))), falling())


def weight_of_the_logit():
    """2^16 makes the logit positive; the next weight is -1 for it instead of 0."""
    claimed, meant = (falling(last=((row,), (200,))) for row in ((-50 + (1 << 16), -1, 0), (-50, 0, 0)))
    return taken_for(claimed, meant)


def by_two_layers(row, others, biases):
    """Return 11 - relu(z), z over layer 1 by the first of two rows."""
    return net((0, 1), (ROWS, BIASES), ((row, others), biases), (((-1, 0),), (11,)))


def weight_of_layer_2():
    """-2^16 makes z negative, so that the next weight may be 1 instead of 0: 50 relu(x) - 200 falls."""
    claimed, meant = (by_two_layers(row, (0, 0, 0), (-200, 0)) for row in ((50 - (1 << 16), 1, 0), (50, 0, 0)))
    return taken_for(claimed, meant)


def bias_of_layer_2():
    """-2^52 makes z negative."""
    claimed, meant = (by_two_layers((1, 0, 0), (0, 0, 0), biases) for biases in ((-1 << 52, 1), (0, 0)))
    return taken_for(claimed, meant)


def table_of_the_same_domain():
    """s is 2^18 and 0 instead of 0 and 1: 10 - relu(x + 45 s - 20) + relu(x + 90 s - 100) falls at 1 only."""
    first = ((1, 45), (1, 0), (1, 90)), (-REACH, 100, -100)
    claimed, meant = (falling(first, (((-1, 0, 1),), (10,)), table) for table in ((1 << 18, 0), (0, 1)))
    halves = tuple((0, (FREE, sign, FREE)) for sign in (ON, OFF))
    leaves, splits = (*halves, (1, ALL)), (split_of(0, ALL, 1),)
    return passed_off(*(lie_of(case, proven(case, leaves, splits)) for case in (claimed, meant)))


def of_two_columns(query, last=(((1, 0, 0),), (-100,)), box=None):
    """Return relu(y) - 100, or another logit over y and z + 100, for a query of two columns y and z."""
    case = net((0, 1), (((1, 0, 0), (0, 1, 0), (0, 0, 0)), (0, 100, 0)), last)
    return replace(case, query=query, box=box)


def falls_along_the_second_column():
    """5 - z falls at 5, which its coefficient of y does not show."""
    case = of_two_columns((0, 0), (((0, -1, 0),), (105,)))
    return lie_of(case, proven(case))


def query_of_the_same_commitment():
    """(2^18, -1) instead of (0, 0): relu(y) - 100 is positive there."""
    return taken_for(of_two_columns((1 << 18, -1)), of_two_columns((0, 0)))


def inside(slope, box):
    """Return 2 z + 11 or -2 z + 11, cut as a whole where z ends, for the query (0, 0)."""
    case = of_two_columns((0, 0), (((0, 2 * slope, 0),), (11 - 200 * slope,)), box)
    evidence = proven(case)
    cut = (0, 2 * slope * UNIT * UNIT)
    leaves = tuple(replace(leaf, margins=(replace(leaf.margins[0], cut=cut),)) for leaf in evidence.leaves)
    return lie_of(case, replace(evidence, leaves=leaves))


def low_ends_of_the_same_domain():
    """y begins at 5 - 2^18 by word, and z at -5 instead of -6: 2 z + 11 falls between them."""
    return passed_off(inside(1, ((5 - (1 << 18), -5), (60, 50))), inside(1, ((5, -6), (60, 50))))


def high_ends_of_the_same_domain():
    """y ends at 2^18 - 5 by word, and z at 5 instead of 6: 11 - 2 z falls between them."""
    return passed_off(inside(-1, ((-60, -50), ((1 << 18) - 5, 5))), inside(-1, ((-60, -50), (-5, 6))))


PACKED_LIES = (
    weight_of_layer_1, bias_of_layer_1, weight_of_the_logit, weight_of_layer_2, bias_of_layer_2,
    table_of_the_same_domain, query_of_the_same_commitment, low_ends_of_the_same_domain, high_ends_of_the_same_domain,
)  # fmt: skip


# -- one step past an end


def fair(rows=ROWS, last=FAIR, query=(0,), reach=REACH, **wires) -> Lie:
    """Claim a logit that is 10, with some wires set."""
    case = replace(net((0, 1), (rows, BIASES), last), query=query)
    lie = lie_of(case, proven(case, reach=reach))
    lie.wires.update(wires)
    return lie


def bias_of_the_logit():
    """2^51."""
    return fair(last=(((0, 0, 0),), (1 << 51,)))


def query_too_large():
    """2^17."""
    return fair(query=(1 << 17,))


def query_too_small():
    """-2^17 - 1."""
    return fair(query=(-(1 << 17) - 1,))


def radius_below_0():
    """-1: what is needed is less than nothing."""
    return fair(reach=0, radius_squared=[-1])


def radius_too_large():
    """2^29, of which 23171 is more than the root."""
    return fair(reach=23171, radius_squared=[1 << 29])


def radius_of_a_fraction():
    """1/2: twice that is a number."""
    return fair(((2, 0), (2, 0), (2, 0)), reach=1, radius_squared=[HALF])


def label_of_two():
    """The logit counts three times."""
    return fair(label=[2])


def said(rows=ROWS, **told) -> Lie:
    """Claim a logit of 10 with other numbers of layer 1 on slice 1."""
    case = net((0, 1), (rows, BIASES), FAIR)
    return lie_of(case, proven(case, told={(1, 1): told}))


def low_end_out_of_its_width():
    """-2^36 - 1 of the third neuron, under a line that is flat."""
    return said(low=(-REACH, 80, -(1 << 36) - 1), upper=(128, UNIT, 0), offset=(128 * REACH, 0, UNIT * REACH))


def high_end_out_of_its_width():
    """2^36 of it, under a line that is as steep."""
    return said(high=(REACH, 120, 1 << 36), upper=(128, UNIT, UNIT), offset=(128 * REACH, 0, UNIT * REACH))


def line_steeper_than_1():
    """257/256, and above the neuron."""
    return said(upper=(128, UNIT, UNIT + 1), offset=(128 * REACH, 0, (UNIT + 1) * REACH))


def line_that_falls():
    """-1/256, and above the neuron."""
    return said(upper=(128, UNIT, -1), offset=(128 * REACH, 0, (UNIT + 1) * REACH))


def offset_out_of_its_width():
    """The line is far above the neuron."""
    return said(offset=(128 * REACH, 0, 1 << 45))


def offset_of_layer_1_out_of_its_width():
    """It has the width of layer 2, which is larger."""
    case = by_two_layers((0, 0, 0), (0, 0, 0), (0, 0))
    told = {"upper": (128, UNIT, 128), "offset": (128 * REACH, 0, 1 << 45)}
    return lie_of(case, proven(case, told={(1, 1): told}))


def by_multipliers(margin) -> Lie:
    """Claim a logit of 10 by the multipliers of all leaves, the third neuron being 0."""
    case = net((0, 1), ((*ROWS[:2], (0, 0)), BIASES), FAIR)
    evidence = proven(case)
    leaves = tuple(replace(leaf, margins=(margin,)) for leaf in evidence.leaves[:2])
    return lie_of(case, replace(evidence, leaves=(*leaves, evidence.leaves[2])))


def multiplier_above_1():
    """M = 257/256."""
    return by_multipliers(margin_of(UNIT + 1, (OVER, (0, 0, 0))))


def excess_out_of_its_width():
    """2^32 of a neuron that is 0."""
    return by_multipliers(margin_of(1, (OVER, (0, 0, 1 << 32))))


def radius_of_layer_1_out_of_its_width():
    """2^31 of the third neuron, whose ends are as far."""
    far = 1 << 31
    case = net((0, 1), (ROWS, BIASES), FAIR)
    ends = {"low": (-REACH, 80, -far - REACH), "high": (REACH, 120, far + REACH)}
    lines = {"upper": (128, UNIT, UNIT), "offset": (128 * REACH, 0, UNIT * (far + REACH))}
    evidence = proven(case, told={(number, 1): {**ends, **lines} for number in range(2)})
    return lie_of(case, replace(evidence, first_radii=(REACH, REACH, far)))


def query_beyond_the_range_of_its_column():
    """y is 50 and ends at 20, z is 0 and ends at 60."""
    case = of_two_columns((50, 0), FAIR, ((-9, -9), (20, 60)))
    return lie_of(case, proven(case))


def at_the_ends() -> Lie:
    """Claim a logit that is large by numbers at the ends of their widths: the truth."""
    half, top = 1 << 15, 1 << 34
    first = ((0, 0), (0, 0), (-half, half - 1)), (-top, top - 1, 0)
    case = net((-1 << 17, (1 << 17) - 1), first, (((-half, half - 1, 0),), ((1 << 51) - 1,)))
    case = replace(case, query=((1 << 17) - 1,))
    third = {"low": -1 << 36, "high": (1 << 36) - 1, "upper": UNIT, "offset": (1 << 45) - 1}
    true = {"low": (-top, top - 1), "high": (-top, top - 1), "upper": (0, UNIT), "offset": (0, 0)}
    told = {(number, 1): {name: (*true[name], third[name]) for name in third} for number in range(2)}
    halves = tuple((0, (sign, FREE, FREE)) for sign in (ON, OFF))
    evidence = proven(case, (*halves, (1, ALL)), (split_of(0, ALL, 0),), told=told, reach=23171)
    on, off, other = evidence.leaves
    off = replace(off, margins=(replace(off.margins[0], excess=(((1 << 32) - 1, 0, 0),)),))
    radii = (0, 0, (1 << 31) - 1)
    lie = lie_of(case, replace(evidence, first_radii=radii, leaves=(on, off, other)))
    lie.wires["radius_squared"] = [(1 << 29) - 1]
    return lie


WIDE = (
    bias_of_the_logit, query_too_large, query_too_small, radius_below_0, radius_too_large, radius_of_a_fraction,
    label_of_two, low_end_out_of_its_width, high_end_out_of_its_width, line_steeper_than_1, line_that_falls,
    radius_of_layer_1_out_of_its_width, query_beyond_the_range_of_its_column, offset_out_of_its_width,
    offset_of_layer_1_out_of_its_width, multiplier_above_1, excess_out_of_its_width,
)  # fmt: skip
