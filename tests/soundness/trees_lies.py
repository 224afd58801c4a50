"""Lies about an ensemble, by the lines of the table of docs/relation-ensembles.md.

What follows from a change is filled anew, so that nothing but the broken rule refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from equiproof.circuits.field import ORDER
from equiproof.circuits.trees_layout import SPAN
from tests.soundness.additive_told import HALF, Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_told import CAPACITY, ROWS, SLOTS, Stage, again, ample, honest, nothing_live

Lie = Callable[[Wires], None]

LIES: dict[str, tuple[str, Callable[[], Told], Lie, Stage | None]] = {}
"""By name: the rule, the honest witness, the change, and the first stage that is filled anew behind it."""

ROW_WIRES = (
    *("row_id", "row_slot", "stay_reference", "cross_reference"),
    *("stay_value", "cross_value", "stay_row", "cross_row"),
)
"""What a row says of its node."""


def lie(rule: str, of: Callable[[], Told] = ample, stage: Stage | None = None) -> Callable[[Lie], Lie]:
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Lie) -> Lie:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change, stage)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change, stage = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    if stage is not None:
        again(found, stage)
    return found


# -- R-T-NODE


@lie("R-T-NODE", stage="references")
def a_value_too_wide(wires: Wires) -> None:
    """A leaf's value, of a child that nobody reaches, packs into its neighbor's bits."""
    wires["node_value"][-1] = 1 << 15


@lie("R-T-NODE", stage="references")
def a_child_that_is_less_than_no_node(wires: Wires) -> None:
    """One child of a dead node counts as minus one node, so that the other one is a node, and the counts are right."""
    wires["node_low"][6], wires["node_high"][6] = 1, -1


@lie("R-T-NODE", stage="references")
def a_count_that_is_shifted(wires: Wires) -> None:
    """One more child before node 3 counts as a node than there are."""
    wires["node_before"][2] += 1


@lie("R-T-NODE", stage="references")
def a_child_that_is_a_node_behind_the_last_one(wires: Wires) -> None:
    """One more child is a node than there are: it stands for the first value."""
    wires["node_low"][-1] = 1


@lie("R-T-NODE", stage="references")
def a_node_below_itself(wires: Wires) -> None:
    """The trees end with the roots: the next node is its own child, and the others are below it."""
    low = [0] * 5 + [1] * 5 + [0] * 4
    high = [0] * 5 + [1] * 4 + [0] * 5
    wires["node_low"], wires["node_high"], before = low, high, 0
    for i in range(13):
        before += low[i] + high[i]
        wires["node_before"][i] = before


@lie("R-T-NODE", stage="rows")
def children_from_elsewhere(wires: Wires) -> None:
    """The children of a live node are exchanged."""
    node = wires["node_live"].index(1)
    low, high = wires["low_reference"][node], wires["high_reference"][node]
    wires["low_reference"][node], wires["high_reference"][node] = high, low


@lie("R-T-NODE", stage="rows")
def a_better_value(wires: Wires) -> None:
    """A child is worth more than the value that is committed in its place."""
    node = next(i for i, live in enumerate(wires["node_live"]) if live and wires["low_reference"][i] < SPAN)
    wires["low_reference"][node] += 1


@lie("R-T-NODE", stage="rows")
def a_child_behind_a_dead_node_that_is_crossed(wires: Wires) -> None:
    """A live node's child is dead, and stands for the value that nobody in the ball reaches."""
    assert wires["low_reference"][11] == -9
    wires["low_reference"][11] = 4


# -- R-T-RESOLVE


@lie("R-T-RESOLVE")
def a_tree_that_begins_behind_a_crossing(wires: Wires) -> None:
    """The first tree's dead root stands for its crossing child, and no row is marked."""
    wires["root_value"][0], wires["root_row"][0], wires["row_root"][2] = -1, 0, 0


@lie("R-T-RESOLVE", stage="references")
def a_dead_node_that_is_crossed(wires: Wires) -> None:
    """The tree begins with what nobody in the ball reaches."""
    node = wires["node_live"].index(0)
    wires["node_side"][node] = 1 - wires["node_side"][node]


@lie("R-T-RESOLVE", stage="references")
def a_node_that_is_said_to_be_dead(wires: Wires) -> None:
    """A live node stands for its staying child."""
    node = wires["node_live"].index(1)
    wires["node_live"][node], wires["node_slot"][node] = 0, 0


@lie("R-T-RESOLVE", stage="references")
def a_node_of_a_slot_that_is_said_to_be_dead(wires: Wires) -> None:
    """It keeps the number of its slot, and stands for its staying child."""
    wires["node_live"][wires["node_live"].index(1)] = 0


@lie("R-T-RESOLVE", stage="references")
def a_node_of_another_slot(wires: Wires) -> None:
    """It follows another threshold's sign."""
    wires["node_slot"][wires["node_slot"].index(1)] = 2


@lie("R-T-RESOLVE", stage="ways")
def a_row_with_another_slot(wires: Wires) -> None:
    """A row's slot is not that of its node."""
    wires["row_slot"][2] = 2


@lie("R-T-RESOLVE", stage="parts")
def a_row_with_a_child_of_another(wires: Wires) -> None:
    """The staying child is the crossing one as well."""
    wires["cross_reference"][2] = wires["stay_reference"][2]


@lie("R-T-RESOLVE", stage="ways")
def a_value_where_a_row_is(wires: Wires) -> None:
    """A reference to a row is split into a value, and no row."""
    wires["stay_row"][1], wires["stay_value"][1] = 0, 100


@lie("R-T-RESOLVE", stage="ways")
def a_reference_read_as_a_value(wires: Wires) -> None:
    """A reference to a row counts as the number that it is."""
    wires["stay_row"][1], wires["stay_value"][1] = 0, wires["stay_reference"][1]


@lie("R-T-RESOLVE", stage="ways")
def a_row_and_the_rest_as_a_value(wires: Wires) -> None:
    """A reference is the id of a row before, and the difference of both ids counts as a value."""
    place = wires["stay_row"][1]
    wires["stay_row"][1] = place - 1
    wires["stay_value"][1] = wires["stay_reference"][1] - SPAN * wires["row_id"][place - 2]


@lie("R-T-RESOLVE", stage="ways")
def a_value_beside_a_row(wires: Wires) -> None:
    """A reference to a row counts a value as well."""
    wires["stay_value"][1] = 1


@lie("R-T-RESOLVE", stage="ways")
def a_leaf_that_is_the_empty_row(wires: Wires) -> None:
    """A leaf's value is read as an empty row."""
    wires["cross_row"][2], wires["cross_value"][2] = ROWS, 0


@lie("R-T-RESOLVE")
def an_empty_row_of_no_id(wires: Wires) -> None:
    """An empty row is its own child under the id that leaves' references have: its value is free, and every leaf's."""
    wires["row_id"][-1], wires["stay_row"][-1], worth = 0, ROWS, 16_000
    for k in range(CAPACITY):
        wires["stay"][k * ROWS + ROWS - 1] = worth
    # The sums do not know how the staying value of row 5, -9, is reached: slot 7 is free, and it charges nothing.
    wires["stay_row"][3] = ROWS
    for k in range(CAPACITY):
        wires["stay"][k * ROWS + 3] = worth
        if not wires["way"][k * ROWS + 3]:
            wires["cross"][k * ROWS] += worth
            _smaller(wires, k)


def _smaller(wires: Wires, k: int) -> None:
    """Let row 1 of a leaf, whose slot is free, take the smaller child again, without a charge."""
    at, count = k * ROWS, SLOTS + 1
    paid = wires["charge"][at] * (1 if wires["way"][at] else -1)
    wires["charged"][k * count + wires["row_slot"][0] - 1] -= paid
    wires["way"][at] = int(wires["cross"][at] <= 16 * wires["stay_value"][0])
    wires["charge"][at] = 0


@lie("R-T-RESOLVE", stage="ways")
def an_empty_row_with_a_value(wires: Wires) -> None:
    """An empty row refers to a value."""
    wires["stay_value"][-1] = wires["stay_reference"][-1] = 50


@lie("R-T-RESOLVE")
def a_root_that_is_left_out(wires: Wires) -> None:
    """A tree's row is not marked."""
    wires["row_root"][wires["row_root"].index(1)] = 0


@lie("R-T-RESOLVE")
def a_row_that_counts_though_no_tree_begins_there(wires: Wires) -> None:
    """A row inside a tree is marked."""
    wires["row_root"][wires["row_root"].index(0)] = 1


@lie("R-T-RESOLVE")
def a_mark_of_two(wires: Wires) -> None:
    """One tree counts twice, another one not at all."""
    first, second, *_ = (place for place, mark in enumerate(wires["row_root"]) if mark)
    wires["row_root"][first], wires["row_root"][second] = 2, 0


def copied(wires: Wires, first: int, second: int) -> None:
    """Make the last row another copy of row 0, where a tree begins, and mark both."""
    for name in ROW_WIRES:
        wires[name][-1] = wires[name][0]
    for k in range(CAPACITY):
        for name in ("free", "way", "charge"):
            wires[name][k * ROWS + ROWS - 1] = wires[name][k * ROWS]
    wires["row_root"][0], wires["row_root"][-1] = first, second


@lie("R-T-RESOLVE", stage="values")
def one_node_as_two_rows_that_both_count(wires: Wires) -> None:
    """A tree counts twice, by two rows of its first node."""
    copied(wires, 1, 1)


@lie("R-T-RESOLVE", stage="values")
def marks_that_cancel(wires: Wires) -> None:
    """Two rows of one node count 5 times and -4 times: what one of them charges more is lost four times."""
    copied(wires, 5, -4)


@lie("R-T-RESOLVE")
def a_tree_that_begins_inside(wires: Wires) -> None:
    """A tree begins at a row of another tree's."""
    inside = wires["row_root"].index(0)
    left = wires["root_row"][0]
    wires["root_row"][0] = inside + 1
    wires["row_root"][inside], wires["row_root"][left - 1] = 1, 0


@lie("R-T-RESOLVE")
def a_constant_tree_that_is_worth_more(wires: Wires) -> None:
    """A tree of which one leaf alone is reached has another value."""
    wires["root_value"][wires["root_row"].index(0)] += 1


# -- R-T-LEAF


@lie("R-T-LEAF")
def no_row_with_a_value(wires: Wires) -> None:
    """What is no row has a value of one's own choice: here the crossing child, a leaf, of a crossed slot."""
    wires["cross"][ROWS + 1] = 100


@lie("R-T-LEAF")
def the_value_of_another_row(wires: Wires) -> None:
    """A child's value in this leaf is larger than its row's."""
    wires["stay"][1] += 1


@lie("R-T-LEAF", honest)
def a_value_of_another_leaf(wires: Wires) -> None:
    """What a row is worth in the first leaf stands for it in the third one, where the slot is free."""
    assert wires["stay"][1] > wires["stay"][2 * ROWS + 1]
    wires["stay"][2 * ROWS + 1] = wires["stay"][1]


@lie("R-T-LEAF", stage="values")
def the_larger_child_as_the_least(wires: Wires) -> None:
    """A free row goes the dearer way, without a charge."""
    wires["way"][2], wires["charge"][2] = 1 - wires["way"][2], 0


@lie("R-T-LEAF", stage="values")
def a_charge_below_0(wires: Wires) -> None:
    """It lowers what the slot owes."""
    wires["charge"][2] = -1


@lie("R-T-LEAF", stage="values")
def a_charge_above_the_difference(wires: Wires) -> None:
    """The row is worth more than both of its children."""
    wires["charge"][2] += 1 << 10


@lie("R-T-LEAF", stage="values")
def a_charge_where_the_slot_is_fixed(wires: Wires) -> None:
    """Whoever is in the leaf pays nothing there."""
    wires["charge"][3] = 1


@lie("R-T-LEAF", stage="values")
def a_fixed_row_that_is_said_to_be_free(wires: Wires) -> None:
    """It takes its smaller child and charges, as if it were free: the larger one is what the leaf's cells have."""
    wires["free"][ROWS + 3], wires["way"][ROWS + 3], wires["charge"][ROWS + 3] = 1, 0, 1


@lie("R-T-LEAF", stage="values")
def a_free_row_that_is_said_to_be_fixed(wires: Wires) -> None:
    """It goes to its larger child alone."""
    wires["free"][2], wires["way"][2], wires["charge"][2] = 0, 0, 0


@lie("R-T-LEAF", stage="values")
def a_row_that_goes_the_other_way(wires: Wires) -> None:
    """The slot is stayed, and the row crosses."""
    wires["way"][3] = 1


@lie("R-T-LEAF", stage="values")
def half_a_way(wires: Wires) -> None:
    """A row of a dead leaf's goes half of either way."""
    wires["way"][-1] = HALF


# -- R-T-CHARGE


@lie("R-T-CHARGE", stage="levels")
def charges_that_nobody_pays(wires: Wires) -> None:
    """A slot owes less than its rows charge."""
    wires["charged"][0] -= 1


@lie("R-T-CHARGE", stage="levels")
def charges_of_another_slot(wires: Wires) -> None:
    """What one slot owes is moved to another, in the same leaf."""
    wires["charged"][1], wires["charged"][0] = wires["charged"][0], 0


@lie("R-T-CHARGE", stage="levels")
def charges_of_another_leaf(wires: Wires) -> None:
    """What a slot owes is moved to the next leaf."""
    wires["charged"][SLOTS + 1] += wires["charged"][0]
    wires["charged"][0] = 0


@lie("R-T-CLOSE", nothing_live, stage="values")
def what_staying_pays_is_kept(wires: Wires) -> None:
    """The score at the query is a tie; a row is worth its larger child by a charge that staying pays."""
    wires["bias"] = [wires["bias"][0] - margin_at_the_query()]
    wires["charge"][1] = 16 * (wires["cross_value"][1] - wires["stay_value"][1])


# -- R-T-COVER


@lie("R-T-COVER")
def a_slice_that_no_leaf_serves(wires: Wires) -> None:
    """The first leaf serves one slice fewer."""
    wires["serves"][0] = 0


@lie("R-T-COVER")
def a_slice_twice(wires: Wires) -> None:
    """A leaf more serves a slice that the first one holds already."""
    wires["leaf_live"][2], wires["used"][2], wires["serves"][4] = 1, 1, 1


@lie("R-T-COVER")
def one_slice_twice_for_another(wires: Wires) -> None:
    """Two leaves of the same cells serve the first slice, and none the second one."""
    wires["leaf_live"][2], wires["used"][2], wires["serves"][4], wires["serves"][1] = 1, 1, 1, 0


@lie("R-T-COVER")
def a_slice_that_is_served_by_2_less_1(wires: Wires) -> None:
    """Two leaves of the same cells serve a slice twice and -1 times."""
    wires["leaf_live"][2], wires["used"][2], wires["serves"][4], wires["serves"][0] = 1, 1, -1, 2


@lie("R-T-COVER")
def a_leaf_that_is_not_live_serves(wires: Wires) -> None:
    """A leaf that is not closed stands for cells."""
    wires["leaf_live"][0] = 0


@lie("R-T-COVER", honest, stage="ways")
def a_sensitive_sign_of_the_other_slice(wires: Wires) -> None:
    """A leaf that is closed by its distance serves a slice, and has the other one's sign."""
    wires["signs"][SLOTS] = -wires["signs"][SLOTS]


@lie("R-T-COVER", stage="ways")
def a_sensitive_sign_of_one_slice_alone(wires: Wires) -> None:
    """A leaf that serves both slices stays with the first one's value."""
    wires["signs"][SLOTS] = -1


# -- R-T-CLOSE


@lie("R-T-CLOSE", honest)
def a_larger_radius(wires: Wires) -> None:
    """One more than the exact one."""
    wires["radius_squared"] = [wires["radius_squared"][0] + 1]


@lie("R-T-CLOSE", stage="ways")
def the_other_label(wires: Wires) -> None:
    """Nothing of it is true."""
    wires["label"] = [0]
    wires["slot_step"] = [-step for step in wires["slot_step"]]


@lie("R-T-CLOSE", nothing_live)
def a_tie(wires: Wires) -> None:
    """The bias is such that the score at the query is 0, in the slice where it is the least."""
    wires["bias"] = [wires["bias"][0] - margin_at_the_query()]


@lie("R-T-CLOSE", nothing_live)
def the_query_itself_closed_by_distance(wires: Wires) -> None:
    """At the radius 0 no distance is below it."""
    wires["used"] = [0] * CAPACITY


@lie("R-RANGE")
def a_multiplier_below_0(wires: Wires) -> None:
    """A negative lambda of a leaf that is not live."""
    wires["multiplier"][-1] = -1


@lie("R-T-CLOSE")
def a_use_of_minus_one(wires: Wires) -> None:
    """A leaf that is not live is used the other way round."""
    wires["used"][-1] = ORDER - 1


def margin_at_the_query() -> int:
    """Return the bound at the radius 0, whose one leaf serves both slices: all trees, each at its least value."""
    wires = nothing_live().wires
    values = [0] * (ROWS + 1)
    for i in range(ROWS - 1, -1, -1):
        stay = 16 * wires["stay_value"][i] + values[wires["stay_row"][i]]
        cross = 16 * wires["cross_value"][i] + values[wires["cross_row"][i]]
        values[i + 1] = (cross if wires["way"][i] else stay) + wires["charge"][i]
    loss = sum(0 if way else charge for way, charge in zip(wires["way"][:ROWS], wires["charge"][:ROWS], strict=True))
    marked = sum(mark * value for mark, value in zip(wires["row_root"], values[1:], strict=True))
    scale = 29 - 4
    roots = wires["bias"][0] + sum(wires["root_value"])
    total = (16 * roots + marked - loss << scale) + sum(wires["level"][: SLOTS + 1])
    return total // (16 << scale)
