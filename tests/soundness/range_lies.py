"""Lies of scheme `branch` about neighbors inside ranges: with one constraint taken out each has a witness.

The column x is 0 at the query, and the radius is REACH.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.circuits.field import ORDER
from tests.soundness.branch_case import (
    CHORD,
    IDENTITY,
    REACH,
    UNIT,
    Lie,
    ends_of,
    evidence_of,
    layer_of,
    lie_of,
    margin_of,
    tree_of,
)
from tests.soundness.branch_lies import LINEAR, NEVER, OVER

KEEPS = margin_of(UNIT, (OVER, (0, UNIT, 0)))
"""5 - x as it is, at the scale of M = 1: its coefficient is -2^16, and its value at the query 5 2^16."""
SLOPE = UNIT * UNIT


def inside(low: int, high: int, cut: int, margin=KEEPS, case=LINEAR) -> Lie:
    """Claim by the margin of all leaves, cut by a number of the one column, whose range is given."""
    bounds = layer_of(ends_of(REACH), (CHORD, IDENTITY, CHORD))
    boxed = replace(case, box=((low,), (high,)))
    return lie_of(boxed, evidence_of((bounds,), *tree_of(replace(margin, cut=(cut,)))))


def signed(lie: Lie, sign: int) -> Lie:
    """Call the cut of every leaf negative or not, or something else."""
    lie.wires["negative_cut"] = [sign] * len(lie.wires["negative_cut"])
    return lie


KEPT = inside(-3, 4, -SLOPE)
"""Of all that is closer than 20, 5 - x falls to 1 at most inside the range: what the lies differ from."""


def cut_that_is_not_enough():
    """5 - x is 0 at 5, where the range ends: nothing is left of the value at the query."""
    return inside(-REACH, 5, -SLOPE)


def cut_charged_to_the_least_value():
    """A negative number that is called positive is charged to the end at which the query is, for nothing."""
    return signed(inside(0, 9, -SLOPE), 0)


def cut_that_raises_the_form():
    """The same where the query is far from that end: -g (x - low) is gained."""
    return signed(inside(-REACH, 9, -SLOPE), 0)


def cut_of_the_wrong_sign():
    """A positive number that is called negative: g (high - x) is gained, and the slope may be as steep."""
    return signed(inside(-REACH, 60, SLOPE), 1)


def cut_of_a_part_of_each_end():
    """A sign of 20/29 weighs the way to the end at 9 against that to the one at -20: nothing is charged.

    The number is chosen so that the magnitude which that sign leads to is a number, too.
    """
    number = 65526
    assert (2 * number - 1) % (REACH + 9) == 0
    return signed(inside(-REACH, 9, -number), REACH * pow(REACH + 9, -1, ORDER) % ORDER)


def query_below_its_range():
    """Nobody inside is closer than 20 where the range begins at 30: M = 0 shows that, and says nothing of the query."""
    return inside(30, 40, 1, margin_of(0, (OVER, (0, 0, 0))), NEVER)


def query_above_its_range():
    """The same where the range ends at -30."""
    return inside(-40, -30, -1, margin_of(0, (OVER, (0, 0, 0))), NEVER)


RANGE_LIES = (
    cut_that_is_not_enough, cut_charged_to_the_least_value, cut_that_raises_the_form, cut_of_the_wrong_sign,
    cut_of_a_part_of_each_end, query_below_its_range, query_above_its_range,
)  # fmt: skip
