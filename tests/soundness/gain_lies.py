"""Lies of relation `gain`: each would pass if one thing of the pair, or of its statement, were left open."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import count, pairwise

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.field import ORDER
from equiproof.circuits.statement import GainStatement, Statement
from tests.certify.tiny import Case
from tests.soundness.branch_case import FREE, NOTHING, OFF, ON, UNIT, leaf_of, margin_of, split_of
from tests.soundness.cheating_owner import implied
from tests.soundness.composed_lies import HALF, net
from tests.soundness.deep_lies import BITS, SCALE, SECOND, THIRD
from tests.soundness.gain_case import LEAST, RISES, GainLie, filled, one, shown, stated, with_leaves_of
from tests.support import changed

ALL = (FREE,) * 6
"""The signs of the root of a pair of three neurons each."""
BY_SECOND = (((0, (*ALL[:3], ON, *ALL[4:])), (0, (*ALL[:3], OFF, *ALL[4:]))), (split_of(0, ALL, 3),))
"""Leaves of which one has the second copy's first neuron on, and one off."""


# -- what is true


def gain_of_one_layer() -> GainLie:
    """Return the witness of relu(x + 45) - relu(x), at least 26."""
    return stated(RISES, LEAST)


def gain_at_the_query() -> GainLie:
    """Return that of radius 0: 45, as much as there is at x."""
    return stated(RISES, 45, reach=0)


def least_gain_of_its_width() -> GainLie:
    """Return a gain so small that every network of the shape has it."""
    return stated(RISES, -(1 << (stated(RISES, LEAST).shape.sizes.gain_bits - 1)))


def gain_of_label_0() -> GainLie:
    """Return that of the other label: it gains as much from 0 in place of 1."""
    return stated(one(1, 45, 0, (0, 1)), LEAST, label=0)


def loss() -> GainLie:
    """Return that of 0 in place of 1: a loss of 45 at most, by leaves where x is on and where it is off."""
    own = (UNIT, UNIT, 0, UNIT, UNIT, 0)
    margins = (margin_of(1, (own, (0, 0, 0, 1, 0, 0))), margin_of(1, (own, (UNIT, 0, 0, 1, 0, 0))))
    return by_signs(one(1, 45, 0, (0, 1)), -45, ((ON, *ALL[1:]), (OFF, *ALL[1:])), margins)


def gain_of_three_logits() -> GainLie:
    """Return a witness of the label's gain over both others: x + 1045 and twice as much, less the same without 45."""
    case = net((1, 0), (((1, 45), (1, 0), (1, 0)), (1000, 100, 0)), (((0, 1, 0), (1, 0, 0), (-1, 0, 0)), (3, 4, 5)))
    return stated(case, 45)


def gain_of_two_layers() -> GainLie:
    """Return a witness with a relu over another one, and one more; they gain at least 15."""
    second, out = (((1, 0, 0), (0, 1, 0)), (3, -100)), (((1, 1),), (60,))
    return stated(net((1, 0), (((1, 45), (1, 0), (1, 0)), (-10, 100, 0)), second, out), 15)


def gain_of_many_columns() -> GainLie:
    """Return a witness of three logits and two columns of each kind, of numbers as good as any."""
    powers, layers = (pow(11, n, 1009) for n in count(1)), []
    for inputs, outputs in pairwise((4, 3, 2, 3)):
        rows = tuple(tuple(next(powers) % 19 - 9 for _ in range(inputs)) for _ in range(outputs))
        layers.append(Layer(rows, tuple(next(powers) % 180 - 90 for _ in range(outputs))))
    case = Case(QuantisedNetwork(tuple(layers), 10, (0,) * 3), (31, -17), ((3, -8), (-5, 2)))
    return stated(case, -60000, capacity=4)


def gain_of_three_layers() -> GainLie:
    """Return a witness whose forms are rounded: relu(x + 45 s), twice and at scale, of which 0 in place of 1 loses."""
    second, third = (((SECOND,), (-SECOND,)), (0, 7)), (((THIRD, THIRD),), (0,))
    return stated(net((0, 1), (((1, 45),), (0,)), second, third, (((1,),), (3,))), -100 * SCALE, **BITS)


def gain_of_coarse_forms() -> GainLie:
    """Return a witness whose margin has coefficients that are rounded before they are squared."""
    layers = (((1, 45), (1, 0)), (0, 100)), (((1 << 12, -5),), (0,)), (((1,),), (3,))
    return stated(net((1, 0), *layers), 20 << 12, input_bits=50, weight_bits=(16, 20, 16))


# -- the gain, and its margin


def gain_that_is_one_too_large():
    """27 where x is near -20."""
    return stated(RISES, LEAST + 1)


def gain_at_the_query_that_is_one_too_large():
    """The gain at x is 45, and the ball of radius 0 holds nobody else."""
    return stated(RISES, 46, reach=0)


def loss_at_the_query_that_is_one_too_small():
    """By 0 in place of 1 the loss there is 45."""
    return stated(one(1, 45, 0, (0, 1)), -44, reach=0)


def gain_at_the_query_by_no_multiplier():
    """M = 0 says that not even x has these signs, at radius 0 too."""
    return by_margin(RISES, 46, 0, (0, UNIT, 0) * 2, (0,) * 6, reach=0)


def gain_that_is_the_largest_of_its_width():
    """No network of the shape has more, and this one has 45."""
    return stated(RISES, (1 << (stated(RISES, LEAST).shape.sizes.gain_bits - 1)) - 1)


def gain_of_a_row_over_itself():
    """Verifiers refuse rows that are one; nor has the circuit a gain for them."""
    return stated(replace(RISES, table=((1,), (1,))), 1)


def gain_over_the_first_class():
    """Label 1 gains 45 over the last class, and over the first nothing."""
    case = net((1, 0), (((1, 45), (1, 0), (1, 0)), (1000, 100, 0)), (((1, 0, 0), (1, 0, 0), (0, 0, 0)), (3, 4, 5)))
    return stated(case, 45)


def gain_over_the_last_class():
    """The same with both classes exchanged."""
    case = net((1, 0), (((1, 45), (1, 0), (1, 0)), (1000, 100, 0)), (((0, 0, 0), (1, 0, 0), (1, 0, 0)), (3, 4, 5)))
    return stated(case, 45)


def by_margin(case, least_gain, *margin, **options):
    """Claim a gain by the multipliers of all leaves: M, slopes of lower lines, and Q of each neuron."""
    number, lower, excess = margin
    tree, found = shown(case, least_gain, **options), margin_of(number, (lower, excess))
    leaves = tuple(replace(leaf, margins=(found,)) for leaf in tree.leaves)
    return filled(case, least_gain, replace(tree, leaves=leaves))


def gain_of_one_copy_alone():
    """relu(x) is at least 0; what is claimed leaves relu(x + 45) out, as if it had no weight in the logit."""
    lower, excess = (0, UNIT, 0, UNIT, UNIT, 0), (0, 0, 0, 1, 0, 0)
    lie, none = (by_margin(one(weight, 45, 0, (0, 1)), 0, 1, lower, excess) for weight in (1, 0))
    return with_leaves_of(lie, none)


def gain_of_the_other_label():
    """Label 0 loses what label 1 gains; what is claimed is said of label 1."""
    lie = by_margin(RISES, LEAST, 1, (UNIT, UNIT, 0, 0, UNIT, 0), (1, 0, 0, 1, 0, 0))
    lie.wires["label"] = [0]
    return lie


def gain_by_no_multiplier():
    """M = 0 shows that a part is empty, with multipliers of its signs; the whole ball is not."""
    return by_margin(RISES, 100, 0, (0, UNIT, 0) * 2, (0,) * 6)


def gain_by_a_multiplier_below_0():
    """M = -1 shows that the gain is at most so much. Q is 1 where the coefficient is -1: that is the first copy's."""
    return by_margin(RISES, 100, -1, (0, UNIT, 0) * 2, (1, 0, 0, 0, 0, 0))


def gain_that_is_a_fraction():
    """26 and a half is a number of the field, whose residue is far above any gain."""
    lie = stated(RISES, LEAST)
    lie.wires["least_gain"] = [(LEAST - HALF) % ORDER]
    return lie


def gain_below_its_width():
    """It is so small that it holds: nothing but its width refuses it."""
    lie = stated(RISES, LEAST)
    lie.wires["least_gain"] = [-(1 << (lie.shape.sizes.gain_bits - 1)) - 1]
    return lie


# -- which copy, and of what


def columns_of_the_other_copy():
    """x + 45 s + 1000 loses 45 by 0 in place of 1, and would gain as much with both exchanged."""
    return stated(one(1, 45, 1000, (0, 1)), 45)


def columns_of_one_copy_twice():
    """The same gains nothing where both copies have one row."""
    return stated(one(1, 45, 1000, (0, 1)), 0)


def by_a_line(weight, rows, neuron):
    """Claim that relu(x + 45 s - 20) gains nothing, by the line of the row where it is 0 for the copy of the other."""
    case = one(weight, 45, -20, rows)
    here = shown(case, 0).bounds[0][0]
    upper, offset = list(here.upper), list(here.offset)
    upper[neuron], offset[neuron] = NOTHING
    told = {(0, 1): {"upper": tuple(upper), "offset": tuple(offset)}}
    return with_leaves_of(stated(case, 0), stated(case, 0, told=told))


def line_of_the_first_copy():
    """The second copy is positive where the first one is 0."""
    return by_a_line(1, (0, 1), 3)


def line_of_the_second_copy():
    """The first copy counts negatively, and the second one is 0."""
    return by_a_line(-1, (1, 0), 0)


def by_a_bound(weight, rows, neuron, **wrong):
    """Claim by a bound of layer 2, which is relu(x + 45 s - 20), or by a line over it."""
    layers = (((1, 0, 0), (0, 0, 0)), (0, 0)), (((weight, 0),), (7,))
    case = net(rows, (((1, 45), (1, 0), (1, 0)), (-20, 100, 0)), *layers)
    here, told = shown(case, 0).bounds[0][1], {}
    for name, value in wrong.items():
        row = list(getattr(here, name))
        row[neuron] = value
        told[name] = tuple(row)
    return stated(case, 0, told={(0, 2): told})


def bound_of_the_second_copy_too_near():
    """It is at most 0 by word."""
    return by_a_bound(1, (0, 1), 2, low=0, high=0, upper=0, offset=0)


def bound_of_the_first_copy_too_near():
    """The same of the first copy, which counts negatively."""
    return by_a_bound(-1, (1, 0), 0, low=0, high=0, upper=0, offset=0)


def line_that_misses_the_second_copy():
    """Its bounds are true."""
    return by_a_bound(1, (0, 1), 2, upper=0, offset=0)


def line_that_misses_the_first_copy():
    """The same of the first copy."""
    return by_a_bound(-1, (1, 0), 0, upper=0, offset=0)


def norm_of_one_copy():
    """0 less x + 25 falls with x, by the second copy's coefficient; that of the first is 0, and so it is claimed."""
    lie = stated(one(1, 45, -20, (0, 1)), -25)
    lie.wires["coefficients.2.0"] = [0, *lie.wires["coefficients.2.0"][1:3]] * 2
    return lie


# -- the tree of both copies


FAR = 44
"""The gain where the second copy's x is on is 45."""
IS_ON = margin_of(1, ((UNIT, UNIT, 0, 0, UNIT, 0), (0, 0, 0, 1, 0, 0)))
"""relu(x + 45) by its own line, less relu(x), which is x where x is on, and a little less."""
IS_EMPTY = margin_of(0, ((0,) * 6, (1, 0, 0, 0, 0, 0)))
"""x + 45 is nowhere off."""


def by_signs(case, least_gain, signs, margins, neuron=0):
    """Claim a gain by two leaves of these signs and margins, with the root split by a neuron."""
    leaves = tuple(leaf_of(0, own, margin) for own, margin in zip(signs, margins, strict=True))
    tree = replace(shown(case, least_gain), splits=(split_of(0, ALL, neuron),), leaves=leaves)
    return filled(case, least_gain, tree)


def sign_of_a_neuron_that_is_not_split():
    """Where the first copy's neuron is on, the second one's is said to be on, too."""
    on, off = (ON, *ALL[1:3], ON, *ALL[4:]), (OFF, *ALL[1:])
    return by_signs(RISES, FAR, (on, off), (IS_ON, IS_EMPTY))


def sign_of_the_other_copy():
    """The leaf's signs are those of the tree; its proof takes the first copy's sign for the second's."""
    on, off = (ON, *ALL[1:]), (OFF, *ALL[1:])
    lie = by_signs(RISES, FAR, (on, off), (IS_ON, IS_EMPTY))
    return with_leaves_of(lie, by_signs(RISES, FAR, ((*ALL[:3], ON, *ALL[4:]), off), (IS_ON, IS_EMPTY)))


def split_of_the_other_copy():
    """The leaves have the second copy's neuron on and off, and the split row says that it is the first one's."""
    leaves, _ = BY_SECOND
    return stated(RISES, LEAST, leaves, (split_of(0, ALL, 0),))


def half_of_a_split_is_missing():
    """The leaf where x of the second copy is off stands nowhere: where it is on the gain is 45."""
    on = (*ALL[:3], ON, *ALL[4:])
    return by_signs(RISES, FAR, (on, on), (IS_ON, IS_ON), 3)


# -- the statement


def told(**changes: int) -> GainLie:
    """State something else than what the wires open."""
    lie = stated(RISES, LEAST)
    found = replace(implied(lie.shape, lie.wires), **changes)
    return replace(lie, digest=found.digest(lie.shape))


def statement_of_a_larger_gain():
    """The public input is that of 27."""
    return told(least_gain=LEAST + 1)


def statement_of_another_unit():
    """A logit of 2^9 makes the gain twice as large."""
    return told(logit_fraction_bits=9)


def statement_with_the_unit_for_the_gain():
    """Both parts in each other's place."""
    return told(least_gain=10, logit_fraction_bits=LEAST)


def statement_of_another_query():
    """Somebody else's query commitment."""
    return told(query_commitment=99)


def statement_of_the_rows_exchanged():
    """The domain digest of the rows in the other order."""
    turned = stated(one(1, 45, 0, (0, 1)), LEAST)
    return told(domain_digest=implied(turned.shape, turned.wires).domain_digest)


def statement_of_two_rows_for_one():
    """Both copies have the row that gains nothing against itself; the statement names two rows."""
    lie, twice = stated(RISES, 0), stated(replace(RISES, table=((1,), (1,))), 0)
    return replace(twice, digest=implied(lie.shape, lie.wires).digest(lie.shape))


def statement_without_a_gain():
    """Seven parts, as of the other relations."""
    lie = stated(RISES, LEAST)
    found = astuple(implied(lie.shape, lie.wires))[:7]
    return replace(lie, digest=Statement(*found).digest(lie.shape))


def statement_of_scheme_branch():
    """The same numbers under scheme `branch`, with the gain and its unit."""
    lie = stated(RISES, LEAST)
    found = implied(lie.shape, lie.wires)
    assert isinstance(found, GainStatement)
    return replace(lie, digest=found.digest(changed(lie.shape, scheme="branch")))


GAIN_TRUTHS = {
    "gain-of-one-layer": gain_of_one_layer,
    "gain-of-two-layers": gain_of_two_layers,
    "gain-of-three-logits": gain_of_three_logits,
    "gain-of-many-columns": gain_of_many_columns,
    "gain-of-three-layers": gain_of_three_layers,
    "gain-of-coarse-forms": gain_of_coarse_forms,
}
"""An honest witness of every shape that lies about gains are of."""

OTHER_GAINS = (gain_of_label_0, loss, gain_at_the_query, least_gain_of_its_width)
"""More honest witnesses of these shapes."""

GAIN_LIES = (
    gain_that_is_one_too_large, gain_at_the_query_that_is_one_too_large, loss_at_the_query_that_is_one_too_small,
    gain_at_the_query_by_no_multiplier, gain_that_is_the_largest_of_its_width, gain_of_a_row_over_itself,
    gain_over_the_first_class, gain_over_the_last_class, gain_of_one_copy_alone,
    gain_of_the_other_label, gain_by_no_multiplier, gain_by_a_multiplier_below_0, gain_that_is_a_fraction,
    columns_of_the_other_copy, columns_of_one_copy_twice, line_of_the_first_copy, line_of_the_second_copy,
    bound_of_the_second_copy_too_near, bound_of_the_first_copy_too_near, line_that_misses_the_second_copy,
    line_that_misses_the_first_copy, norm_of_one_copy, sign_of_a_neuron_that_is_not_split, sign_of_the_other_copy,
    half_of_a_split_is_missing,
)  # fmt: skip
"""Lies whose statements are false by enumeration of all patterns."""

GAINS_BROKEN = (
    gain_below_its_width, split_of_the_other_copy, statement_of_a_larger_gain, statement_of_another_unit,
    statement_with_the_unit_for_the_gain, statement_of_another_query, statement_of_the_rows_exchanged,
    statement_of_two_rows_for_one, statement_without_a_gain, statement_of_scheme_branch,
)  # fmt: skip
"""What breaks a rule, too, under a public input of something else or a gain that holds."""
