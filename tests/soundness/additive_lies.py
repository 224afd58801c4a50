"""Lies about an additive model with one sensitive column, by the lines of the tables of docs/relation-trees.md.

:mod:`tests.soundness.additive_told` says what a lie is.
"""

from __future__ import annotations

from equiproof.circuits.field import ORDER
from tests.prover.additive_case import Case, additive_model
from tests.soundness.additive_told import HALF, Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import LOANS

PREDICATES = ((0, -30, 40), (0, -10, 60), (0, 20, -50), (0, 45, -70), (1, 15, -40), (1, 70, 30), (3, 0, -5))
"""Around (0, 0, 0): two thresholds of column 0 below, two above; two of column 1 above; one of the sensitive column."""

CASE = Case(additive_model(LOANS, PREDICATES, 40), LOANS, (0, 0, 0))
EXACT = CASE.exact()
SLOTS, CAPACITY = 6, 8


def honest() -> Told:
    """Return evidence of the exact radius."""
    return filled(CASE.evidence(EXACT), CASE, SLOTS, CAPACITY)


def nothing_live() -> Told:
    """Return evidence of the radius 0: every predicate is dead, and one leaf holds the query's own cell."""
    return filled(CASE.evidence(0), CASE, SLOTS, CAPACITY)


def one_leaf() -> Told:
    """Return evidence of one leaf in which all four slots are free, so that it covers any cells."""
    evidence = CASE.evidence(901)
    assert [leaf.signs for leaf in evidence.leaves] == [(0, 0, 0, 0)]
    assert evidence.leaves[0].multiplier > 0
    return filled(evidence, CASE, SLOTS, CAPACITY)


@lie("R-RANGE", honest)
def a_multiplier_below_0(wires: Wires) -> None:
    """A negative lambda of a leaf that is not live."""
    wires["multiplier"][-1] = -1


@lie("R-RANGE", honest)
def a_threshold_too_wide(wires: Wires) -> None:
    """A threshold that packs into its neighbor's bits."""
    wires["thresholds"][5] = 1 << 17
    wires["dead"][5] = 1


@lie("R-T-ORDER", nothing_live)
def a_plain_predicate_of_a_sensitive_column(wires: Wires) -> None:
    """It is compared with the first slice's value as if that were the query's."""
    wires["columns"][5], wires["thresholds"][5] = 3, -50
    wires["at"][5] = wires["table"][0]


@lie("R-T-ORDER", nothing_live)
def a_sensitive_predicate_of_a_plain_column(wires: Wires) -> None:
    """Its value on the second slice is the table's first one."""
    wires["columns"][6] = 2
    wires["sensitive_at"] = [wires["query"][2], wires["table"][0]]
    wires["side_of_slice"], wires["worst"] = [1, 1], [0]


@lie("R-T-ORDER", one_leaf)
def a_column_that_stands_apart(wires: Wires) -> None:
    """The farthest predicate of column 0, which is dead, stands behind one of column 1."""
    for name in ("columns", "thresholds", "jumps", "at", "side", "dead"):
        wires[name][3], wires[name][4] = wires[name][4], wires[name][3]


@lie("R-T-ORDER", honest)
def a_threshold_twice(wires: Wires) -> None:
    """The last two predicates of column 1 are one; the second is not live."""
    wires["thresholds"][5] = wires["thresholds"][4]


@lie("R-T-SIDE", honest)
def a_value_of_another_column(wires: Wires) -> None:
    """The query's value of a predicate is one that the query does not have."""
    wires["at"][5] = 1


@lie("R-T-SIDE", honest)
def another_side_of_a_dead_predicate(wires: Wires) -> None:
    """The query counts as above a threshold that it is below of: the jump behind it counts for it."""
    wires["side"][5] = 0


@lie("R-T-SIDE", nothing_live)
def a_jump_ahead_of_the_query(wires: Wires) -> None:
    """The query counts as at most a threshold that it is above of: the jump behind it does not count."""
    wires["side"][1] = 1


@lie("R-T-SIDE", honest)
def another_side_of_a_slice(wires: Wires) -> None:
    """A slice's value counts as below a threshold that it is above of."""
    wires["side_of_slice"] = [1, 1]


@lie("R-T-SIDE", honest)
def a_value_of_another_slice(wires: Wires) -> None:
    """Both slices are proven with the value of the first one."""
    wires["sensitive_at"] = [wires["sensitive_at"][0]] * 2
    wires["side_of_slice"] = [wires["side_of_slice"][0]] * 2
    wires["worst"] = [0]


@lie("R-T-SLICES", honest)
def the_better_slice(wires: Wires) -> None:
    """The label gains what it gains on the better slice."""
    wires["worst"] = [wires["worst"][0] + 1]


@lie("R-T-DEAD", nothing_live)
def dead_inside_the_ball(wires: Wires) -> None:
    """All predicates stay dead under a radius that reaches them."""
    wires["radius_squared"] = [101]


@lie("R-T-CAPACITY", honest)
def a_live_predicate_without_a_slot(wires: Wires) -> None:
    """One live predicate more than there are live slots."""
    wires["dead"][5] = 0


@lie("R-T-SLOT", one_leaf, refilled=True)
def a_phantom_for_a_live_predicate(wires: Wires) -> None:
    """The last live slot has the numbers of its phantom: crossing it costs nothing."""
    for name, value in (("column", 3 + 4), ("gap2", 0), ("side", 1), ("step", 0)):
        wires[f"slot_{name}"][3] = value


@lie("R-T-SLOT", one_leaf, refilled=True)
def a_phantom_with_a_step(wires: Wires) -> None:
    """The slot behind the last live one is worth something to the label."""
    wires["slot_step"][5] = 1000


@lie("R-T-SLOT", one_leaf, refilled=True)
def a_phantom_with_a_gap(wires: Wires) -> None:
    """The slot behind the last live one is far away."""
    wires["slot_gap2"][5] = 1000


@lie("R-T-SLOT", one_leaf, refilled=True)
def another_gap(wires: Wires) -> None:
    """A slot is farther away than its predicate."""
    wires["slot_gap2"][3] += 1


@lie("R-T-SLOT", one_leaf, refilled=True)
def another_step(wires: Wires) -> None:
    """Crossing a slot costs less than its predicate's jump."""
    wires["slot_step"][3] += 1


@lie("R-T-SLOT", one_leaf, refilled=True)
def another_side_of_a_slot(wires: Wires) -> None:
    """The only slot of column 1 is below the query, and not above it."""
    wires["slot_side"][3] = 0


@lie("R-T-SLOT", one_leaf, refilled=True)
def another_column_of_a_slot(wires: Wires) -> None:
    """The only slot of column 1 is of column 2."""
    wires["slot_column"][3] = 2


@lie("R-T-SLOT", one_leaf, refilled=True)
def a_phantom_of_a_column(wires: Wires) -> None:
    """The slot behind the last live one is of its column, and as far away: crossing it costs nothing."""
    wires["slot_column"][4], wires["slot_gap2"][4], wires["same"][3] = wires["slot_column"][3], wires["slot_gap2"][3], 1


@lie("R-T-SLOT", one_leaf, refilled=True)
def one_column_as_two(wires: Wires) -> None:
    """Two thresholds of a column are independent: their distances add up."""
    wires["same"][0] = 0


@lie("R-T-SLOT", one_leaf, refilled=True)
def two_columns_as_one(wires: Wires) -> None:
    """Thresholds of two columns are a chain: who crosses the outer one crosses the nearer one."""
    wires["same"][2] = 1


@lie("R-T-LEAF", honest)
def half_a_sign(wires: Wires) -> None:
    """A slot that is half crossed, in a leaf that is not live."""
    wires["signs"][-1] = HALF


@lie("R-T-LEAF", honest)
def a_sign_of_two(wires: Wires) -> None:
    """A slot that is crossed twice, in a leaf that is not live."""
    wires["signs"][-1] = 2


@lie("R-T-CHAIN", honest)
def a_crossing_left_out(wires: Wires) -> None:
    """A crossed slot whose crossing does not count."""
    at = next(i for i, sign in enumerate(wires["signs"]) if sign == 1)
    wires["taken"][at], wires["level"][at] = 0, 0


@lie("R-T-CHAIN", honest)
def a_stayed_slot_whose_crossing_counts(wires: Wires) -> None:
    """A stayed slot has the level of one that is crossed."""
    at = wires["signs"].index(-1)
    wires["taken"][at] = 1


@lie("R-T-CHAIN", one_leaf)
def the_larger_sum(wires: Wires) -> None:
    """A free slot whose crossing costs the label something counts as stayed."""
    at = next(at for at, taken in enumerate(wires["taken"]) if taken and not wires["signs"][at])
    wires["taken"][at], wires["level"][at] = 0, 0


@lie("R-T-CHAIN", one_leaf)
def half_of_the_smaller_sum(wires: Wires) -> None:
    """A free slot is half crossed."""
    at = max(at for at, taken in enumerate(wires["taken"]) if taken and not wires["signs"][at])
    wires["taken"][at], wires["level"][at] = HALF, wires["level"][at] * HALF % ORDER


@lie("R-T-CHAIN", honest)
def a_crossing_at_a_tie(wires: Wires) -> None:
    """A phantom of a leaf that is not live counts as crossed where both sums are 0."""
    wires["taken"][-1] = 1


@lie("R-T-CHAIN", honest)
def a_level_of_ones_choice(wires: Wires) -> None:
    """A level that no charge leads to."""
    wires["level"][-1] = 1


@lie("R-T-CLOSE", honest)
def a_radius_too_large(wires: Wires) -> None:
    """A radius beyond the exact one, with the same leaves."""
    wires["radius_squared"] = [EXACT + 1]


@lie("R-T-CLOSE", honest)
def a_use_of_minus_one(wires: Wires) -> None:
    """A leaf that is used the other way round, and not live."""
    wires["used"][-1] = -1


@lie("R-T-CLOSE", honest)
def a_near_leaf_by_distance(wires: Wires) -> None:
    """A leaf of crossed cells inside the ball is closed as if it were outside."""
    of = [wires["signs"][k * SLOTS : (k + 1) * SLOTS] for k in range(CAPACITY)]
    at = next(k for k in range(CAPACITY) if wires["leaf_live"][k] and wires["used"][k] and 1 in of[k])
    wires["used"][at] = 0


@lie("R-T-CLOSE", nothing_live)
def the_own_cell_by_distance(wires: Wires) -> None:
    """At the radius 0 the query's own cell is as far away as the radius."""
    wires["used"][0] = 0


@lie("R-T-CLOSE", nothing_live)
def a_tie(wires: Wires) -> None:
    """The score at the query is 0 on the worst slice."""
    wires["bias"] = [wires["bias"][0] - CASE.margin({0, 1})]


@lie("R-T-CLOSE", nothing_live)
def the_other_label(wires: Wires) -> None:
    """The label that the model does not decide."""
    wires["label"] = [1 - wires["label"][0]]
    wires["worst"] = [0]
    for name in ("slot_step",):
        wires[name] = [-step for step in wires[name]]


@lie("R-T-CLOSE", honest)
def half_a_leaf(wires: Wires) -> None:
    """Two leaves of everything count by a half and by minus a half."""
    wires["leaf_live"][-2:] = [HALF, -HALF]


@lie("R-T-COVER", honest)
def a_leaf_left_out(wires: Wires) -> None:
    """The first leaf is not live, so nobody proves its cells."""
    wires["leaf_live"][0] = 0


@lie("R-T-COVER", nothing_live)
def a_leaf_twice(wires: Wires) -> None:
    """One leaf stands twice: everything is covered twice."""
    wires["leaf_live"][1], wires["used"][1] = 1, 1


@lie("R-T-COVER", nothing_live)
def half_of_the_cells(wires: Wires) -> None:
    """A leaf fixes a phantom, and nothing holds the other half of the cells."""
    wires["signs"][5] = -1


@lie("R-T-COVER", honest, refilled=True)
def rising_signs(wires: Wires) -> None:
    """A leaf that is not above a threshold of column 0 but above the next one, where nobody is; it is not live."""
    at = 7 * SLOTS
    wires["signs"][at + 1], wires["signs"][at + 2] = 1, 1


@lie("R-T-COVER", honest, refilled=True)
def signs_that_rise_from_free(wires: Wires) -> None:
    """A leaf that may be above a threshold of column 0 and is above the next one; it is not live."""
    wires["signs"][7 * SLOTS + 2] = 1
