"""Lies about an ensemble, by the lines of the tables of docs/relation-trees.md that hold for ensembles, too."""

from __future__ import annotations

from tests.soundness.additive_told import HALF
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_lies import lie
from tests.soundness.trees_told import ample, ample_at_the_query, honest, nothing_live, wide


def asking(wires: Wires, predicate: int) -> list[int]:
    """Return the nodes that ask a predicate."""
    return [node for node, asked in enumerate(wires["node_predicate"]) if asked == predicate]


# -- R-T-ORDER


@lie("R-T-ORDER")
def a_threshold_of_an_ensemble_twice(wires: Wires) -> None:
    """Two dead predicates of column 0 are one."""
    wires["thresholds"][2] = wires["thresholds"][1]


@lie("R-T-ORDER", nothing_live)
def a_plain_predicate_of_an_ensemble_of_a_sensitive_column(wires: Wires) -> None:
    """It is compared with the first slice's value as if that were the query's."""
    wires["columns"][5], wires["thresholds"][5], wires["at"][5] = 3, -1, wires["table"][0]


@lie("R-T-ORDER", nothing_live)
def a_sensitive_predicate_of_an_ensemble_of_a_plain_column(wires: Wires) -> None:
    """Its value on the second slice is the table's first one."""
    wires["columns"][6], wires["thresholds"][6] = 2, 20
    wires["sensitive_at"], wires["side_of_slice"] = [wires["query"][2], wires["table"][0]], [1, 1]


# -- R-T-SIDE


@lie("R-T-SIDE")
def a_value_that_the_query_does_not_have(wires: Wires) -> None:
    """The query's value of a dead predicate is another one."""
    wires["at"][2] = 1


@lie("R-T-SIDE", stage="references")
def an_ensemble_above_a_threshold_that_it_is_below(wires: Wires) -> None:
    """The nodes of a dead predicate stand for their other child."""
    wires["side"][2] = 0
    for node in asking(wires, 2):
        wires["node_side"][node] = 0


@lie("R-T-SIDE")
def a_slice_of_an_ensemble_with_another_value(wires: Wires) -> None:
    """Both slices have the value of the first one."""
    wires["sensitive_at"], wires["side_of_slice"] = [wires["sensitive_at"][0]] * 2, [wires["side_of_slice"][0]] * 2


@lie("R-T-SIDE")
def a_slice_of_an_ensemble_on_the_other_side(wires: Wires) -> None:
    """The second slice counts as below a threshold that it is above of."""
    wires["side_of_slice"] = [1, 1]


# -- R-T-DEAD, R-T-CAPACITY


@lie("R-T-DEAD", nothing_live)
def an_ensemble_dead_inside_the_ball(wires: Wires) -> None:
    """All plain predicates stay dead under a radius that reaches one of them."""
    wires["radius_squared"] = [101]


@lie("R-T-CAPACITY", ample_at_the_query, stage="references")
def a_live_predicate_of_an_ensemble_without_a_slot(wires: Wires) -> None:
    """The one live predicate has no slot, and its nodes are live."""
    wires["dead"][5] = 0
    for node in asking(wires, 5):
        wires["node_slot"][node], wires["node_live"][node] = 1, 1


# -- R-T-SLOT


@lie("R-T-SLOT", stage="levels")
def an_ensemble_with_another_gap(wires: Wires) -> None:
    """A slot is farther away than its predicate."""
    wires["slot_gap2"][1] += 1


@lie("R-T-SLOT", stage="levels")
def an_ensemble_with_another_step(wires: Wires) -> None:
    """Crossing a slot costs less than its predicate's jump."""
    wires["slot_step"][0] += 1


@lie("R-T-SLOT", stage="levels")
def a_phantom_for_a_live_predicate_of_an_ensemble(wires: Wires) -> None:
    """The last live slot has the numbers of its phantom: crossing it costs nothing, and nodes go on asking it."""
    for name, value in (("column", 3 + 2), ("gap2", 0), ("side", 1), ("step", 0)):
        wires[f"slot_{name}"][1] = value


@lie("R-T-SLOT", stage="levels")
def a_phantom_of_an_ensemble_with_a_gap(wires: Wires) -> None:
    """The slot behind the last live one is far away."""
    wires["slot_gap2"][5] = 1000


@lie("R-T-SLOT", wide, stage="levels")
def one_column_of_an_ensemble_as_two(wires: Wires) -> None:
    """Two thresholds of a column are independent: their distances add up."""
    wires["same"][0] = 0


@lie("R-T-SLOT", wide, stage="levels")
def two_columns_of_an_ensemble_as_one(wires: Wires) -> None:
    """Who crosses the threshold of one column crosses that of another."""
    wires["same"][2] = 1


# -- R-T-LEAF, R-T-CHAIN


@lie("R-T-LEAF")
def half_a_sign_of_an_ensemble(wires: Wires) -> None:
    """A phantom that is half crossed, in a leaf that is not live."""
    wires["signs"][-2] = HALF


@lie("R-T-CHAIN", wide)
def the_larger_sum_of_an_ensemble(wires: Wires) -> None:
    """A free slot whose crossing costs the label something counts as stayed."""
    at = next(at for at, taken in enumerate(wires["taken"]) if taken and not wires["signs"][at])
    wires["taken"][at], wires["level"][at] = 0, 0


@lie("R-T-CHAIN")
def a_sensitive_level_of_ones_choice(wires: Wires) -> None:
    """What the sensitive predicate adds at least, in a leaf that is not live."""
    wires["level"][-1] += 1


@lie("R-T-CHAIN", honest)
def a_crossing_of_an_ensemble_left_out(wires: Wires) -> None:
    """A crossed slot whose crossing does not count."""
    at = next(at for at, sign in enumerate(wires["signs"]) if sign == 1)
    wires["taken"][at] = 0


# -- R-T-CLOSE, R-T-COVER


@lie("R-T-CLOSE", honest)
def a_near_leaf_of_an_ensemble_by_distance(wires: Wires) -> None:
    """A leaf inside the ball is closed as if it were outside."""
    wires["used"][1] = 0


@lie("R-T-CLOSE")
def half_a_leaf_of_an_ensemble(wires: Wires) -> None:
    """Two leaves count by a half and by minus a half."""
    wires["leaf_live"][-2:] = [HALF, -HALF]


@lie("R-T-COVER", wide, stage="ways")
def rising_signs_of_an_ensemble(wires: Wires) -> None:
    """A leaf not above a threshold of column 0 and above the next one, where nobody is; it is not live."""
    wires["signs"][-7:-5] = [1, 1]


@lie("R-T-COVER", ample, stage="ways")
def cells_of_an_ensemble_that_no_leaf_holds(wires: Wires) -> None:
    """The first leaf fixes a slot, and nothing holds the cells on the other side."""
    wires["signs"][0] = 1
