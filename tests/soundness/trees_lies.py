"""Lies about an ensemble, by the lines of the table of docs/relation-ensembles.md.

What follows from a change is filled anew where the lie says so, so that nothing but the broken rule refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.prover.witness.additive import Slot, distances, least_levels
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.trees.ensembles import table_of
from tests.soundness.additive_told import HALF, Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires
from tests.support import LOANS

SPEC = msgspec.structs.replace(LOANS, logits=1)
ADDITIVE = AdditiveModel(
    (0, 0, 0, 1, 1, 2, 3), (-30, 20, 400, 15, 70, 10, 0), (0, 0, 0, -3, 0, 0, 1), 9, 3, 1, SPEC.input_fraction_bits
)  # fmt: skip
"""Three thresholds of column 0, the last far away, two of column 1, one of column 2, one of the sensitive column."""

TREES = [
    (1, (3, 8, -4), (0, -6, -1)),
    (2, (4, 0, 4), -9),
    (6, (1, 6, 2), (5, 0, 4)),
    (5, (3, -1, 8), -9),
    (2, (6, (0, 4, -9), (1, 4, 2)), 5),
]
"""The first two and the last begin with a dead node; the third and the last ask the sensitive predicate."""

MODEL = EnsembleModel(ADDITIVE, table_of(TREES))
QUERY = (0, 0, 0)
SLOTS, ROWS, CAPACITY = 6, 12, 16


@cache
def searched(most: int) -> EnsembleSearch:
    """Return the search up to a squared radius."""
    found = ensemble_search(MODEL, QUERY, SPEC.domain_table, max_radius_squared=most, max_leaves=CAPACITY)
    assert isinstance(found, EnsembleSearch)
    return found


def shape() -> Shape:
    """Return the shape of all cases here, with a row and a slot more than are needed."""
    return ensemble_shape(SPEC, MODEL.predicates, MODEL.nodes.sizes, SLOTS, ROWS, CAPACITY)


def filled(most: int) -> Told:
    """Return the wires of the evidence of a squared radius."""
    evidence = searched(most).evidence
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    secrets = Secrets(MODEL, 7, QUERY, 9, SPEC.domain_table, SPEC.box)
    return Told("", shape(), deepcopy(fill(shape(), blank, secrets, evidence)))


def honest() -> Told:
    """Return evidence of the exact radius."""
    return filled(100_000)


def nothing_live() -> Told:
    """Return evidence of the radius 0."""
    return filled(0)


Lie = Callable[[Wires], None]

LIES: dict[str, tuple[str, Callable[[], Told], Lie, bool]] = {}
"""By name: the rule, the honest witness, the change, and whether what follows is filled anew."""


def lie(rule: str, of: Callable[[], Told] = honest, *, refilled: bool = False) -> Callable[[Lie], Lie]:
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Lie) -> Lie:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change, refilled)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    _, of, change, refilled = LIES[name]
    found = of()
    change(found.wires)
    if refilled:
        again(found)
    return found


def again(told: Told) -> None:
    """Fill anew, leaf by leaf, the values of rows, what they charge, and levels, from all other wires."""
    wires, of = told.wires, told.shape
    sensitive = of.architecture.predicate_counts[1]
    count, rows = of.slot_count + sensitive, of.row_count
    names = ("column", "gap2", "side", "step", "live")
    slots = [Slot(*one) for one in zip(*(wires[f"slot_{name}"] for name in names), strict=True)]
    sign = 2 * wires["label"][0] - 1
    slots += [Slot(1000 + i, 0, 1, sign * jump) for i, jump in enumerate(wires["jumps"][len(wires["at"]) :])]
    deltas, parameters = distances(slots), TreesParameters.of(of)
    for name in ("stay", "cross", "charged", "level", "taken"):
        wires[name] = []
    for k, multiplier in enumerate(wires["multiplier"]):
        part = slice(k * rows, (k + 1) * rows)
        sums = leaf(wires, rows, count, part, sign)
        charges = [
            (slot.step << parameters.scale) + multiplier * delta - (paid << parameters.charge_scale)
            for slot, delta, paid in zip(slots, deltas, sums, strict=True)
        ]
        levels, taken = least_levels(slots, charges, wires["signs"][k * count : (k + 1) * count])
        wires["charged"] += sums
        wires["level"] += levels
        wires["taken"] += taken


def leaf(wires: Wires, rows: int, count: int, part: slice, sign: int) -> list[int]:
    """Fill the values of one leaf's rows from their ways and charges; return what they charge each slot."""
    values, sums = [0] * (rows + 1), [0] * count
    stay, cross = [0] * rows, [0] * rows
    for i in range(rows - 1, -1, -1):
        way, gamma = wires["way"][part][i], wires["charge"][part][i]
        stay[i], cross[i] = values[wires["stay_row"][i]], values[wires["cross_row"][i]]
        a = (sign * wires["stay_value"][i] << VALUE_BITS) + stay[i]
        b = (sign * wires["cross_value"][i] << VALUE_BITS) + cross[i]
        values[i + 1] = (b if way else a) + gamma
        if wires["row_slot"][i]:
            sums[wires["row_slot"][i] - 1] += gamma if way else -gamma
    wires["stay"] += stay
    wires["cross"] += cross
    return sums


def free_row(wires: Wires) -> int:
    """Return the place, over all leaves, of a free row whose children differ."""
    for place, (free, charge) in enumerate(zip(wires["free"], wires["charge"], strict=True)):
        if free and charge:
            return place
    raise AssertionError("no row charges")


def dead_node(wires: Wires) -> int:
    """Return a root that is dead."""
    return wires["node_live"].index(0)


@lie("R-T-NODE")
def a_child_from_elsewhere(wires: Wires) -> None:
    """Two values of leaves are exchanged for the query alone: the commitment has them in order."""
    place = next(i for i, kind in enumerate(wires["node_low"]) if not kind and not wires["node_high"][i])
    wires["low_reference"][place], wires["high_reference"][place] = (
        wires["high_reference"][place], wires["low_reference"][place],
    )  # fmt: skip


@lie("R-T-NODE")
def a_count_that_is_shifted(wires: Wires) -> None:
    """One more child counts as a node than there are."""
    wires["node_before"][2] += 1


@lie("R-T-NODE")
def half_a_child(wires: Wires) -> None:
    """A child that is neither a node nor a leaf."""
    wires["node_low"][0] = HALF


@lie("R-T-NODE")
def a_node_without_a_predicate(wires: Wires) -> None:
    """It asks a predicate behind the last one."""
    wires["node_predicate"][-1] = 7


@lie("R-T-NODE")
def a_value_too_wide(wires: Wires) -> None:
    """A leaf's value that packs into its neighbor's bits."""
    wires["node_value"][0] = 1 << 15


@lie("R-T-RESOLVE")
def a_dead_node_that_is_crossed(wires: Wires) -> None:
    """The tree begins with the value that nobody in the ball reaches."""
    node = dead_node(wires)
    wires["node_side"][node] = 1 - wires["node_side"][node]


@lie("R-T-RESOLVE")
def a_node_that_is_said_to_be_dead(wires: Wires) -> None:
    """A live node stands for its staying child."""
    node = wires["node_live"].index(1)
    wires["node_live"][node], wires["node_slot"][node] = 0, 0


@lie("R-T-RESOLVE")
def a_node_of_another_slot(wires: Wires) -> None:
    """It follows another threshold's sign."""
    node = wires["node_live"].index(1)
    other = next(slot for slot in wires["node_slot"] if slot not in (0, wires["node_slot"][node]))
    wires["node_slot"][node] = other


@lie("R-T-RESOLVE", refilled=True)
def a_row_with_another_slot(wires: Wires) -> None:
    """A row's slot is not that of its node."""
    wires["row_slot"][0] = wires["row_slot"][0] % 3 + 1


@lie("R-T-RESOLVE", refilled=True)
def a_row_with_a_child_of_another(wires: Wires) -> None:
    """The crossing child, a value, becomes the staying one's."""
    place = next(
        i for i, row in enumerate(wires["cross_row"]) if not row and not wires["stay_row"][i] and wires["row_slot"][i]
    )
    wires["cross_reference"][place] = wires["stay_reference"][place]
    wires["cross_value"][place] = wires["stay_value"][place]


@lie("R-T-RESOLVE", refilled=True)
def a_value_where_a_row_is(wires: Wires) -> None:
    """A reference to a row is split into a value, and no row."""
    place = next(i for i, row in enumerate(wires["stay_row"]) if row)
    wires["stay_row"][place], wires["stay_value"][place] = 0, 100


@lie("R-T-RESOLVE", refilled=True)
def a_value_beside_a_row(wires: Wires) -> None:
    """A reference to a row counts a value as well."""
    place = next(i for i, row in enumerate(wires["stay_row"]) if row)
    wires["stay_value"][place] = 1


@lie("R-T-RESOLVE", refilled=True)
def a_leaf_that_is_the_empty_row(wires: Wires) -> None:
    """A leaf's value is read as an empty row, whose value is free."""
    place = next(i for i, row in enumerate(wires["cross_row"]) if not row and wires["row_slot"][i])
    wires["cross_row"][place], wires["cross_value"][place] = ROWS, 0


@lie("R-T-LEAF")
def no_row_with_a_value(wires: Wires) -> None:
    """What is no row has a value of one's own choice."""
    place = next(i for i, row in enumerate(wires["stay_row"]) if not row)
    wires["stay"][place] = 16_000


@lie("R-T-RESOLVE", refilled=True)
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
    wires["row_root"][next(i for i, mark in enumerate(wires["row_root"]) if not mark)] = 1


@lie("R-T-RESOLVE")
def marks_that_cancel(wires: Wires) -> None:
    """One tree counts twice, another one not at all."""
    first, second = _two(wires["row_root"])
    wires["row_root"][first], wires["row_root"][second] = 2, 0


@lie("R-T-RESOLVE")
def a_tree_that_begins_elsewhere(wires: Wires) -> None:
    """Two trees begin at one row."""
    first, second = _two([int(row > 0) for row in wires["root_row"]])
    wires["root_row"][first] = wires["root_row"][second]


@lie("R-T-RESOLVE", refilled=True)
def one_node_as_two_rows_that_both_count(wires: Wires) -> None:
    """An empty row becomes another copy of a tree's first row, marked as well."""
    place, last = wires["row_root"].index(1), ROWS - 1
    for name in ("row_id", "row_slot", "stay_reference", "cross_reference", "stay_value", "cross_value", "row_root"):
        wires[name][last] = wires[name][place]
    for k in range(CAPACITY):
        for name in ("free", "way", "charge"):
            wires[name][k * ROWS + last] = wires[name][k * ROWS + place]


@lie("R-T-LEAF", refilled=True)
def the_larger_child_as_the_least(wires: Wires) -> None:
    """A free row goes the dearer way."""
    place = free_row(wires)
    wires["way"][place] = 1 - wires["way"][place]


@lie("R-T-LEAF", refilled=True)
def a_charge_below_0(wires: Wires) -> None:
    """It lowers what the slot owes."""
    wires["charge"][free_row(wires)] = -1


@lie("R-T-LEAF", refilled=True)
def a_charge_above_the_difference(wires: Wires) -> None:
    """The row is worth more than both of its children."""
    wires["charge"][free_row(wires)] += 1 << 10


@lie("R-T-LEAF", refilled=True)
def a_charge_where_the_slot_is_fixed(wires: Wires) -> None:
    """Whoever is in the leaf pays nothing there."""
    place = next(i for i in range(len(wires["free"])) if not wires["free"][i] and wires["row_slot"][i % ROWS])
    wires["charge"][place] = 1


@lie("R-T-LEAF", refilled=True)
def a_fixed_row_that_is_said_to_be_free(wires: Wires) -> None:
    """It takes the smaller child and charges."""
    place = next(i for i in range(len(wires["free"])) if not wires["free"][i] and wires["row_slot"][i % ROWS])
    wires["free"][place] = 1


@lie("R-T-LEAF", refilled=True)
def a_row_that_goes_the_other_way(wires: Wires) -> None:
    """The slot is crossed, and the row stays; or the other way round."""
    place = next(i for i in range(len(wires["free"])) if not wires["free"][i] and wires["row_slot"][i % ROWS])
    wires["way"][place] = 1 - wires["way"][place]


@lie("R-T-LEAF")
def the_value_of_another_row(wires: Wires) -> None:
    """A child's value in this leaf is larger than its row's."""
    place = next(i for i in range(ROWS) if wires["stay_row"][i])
    wires["stay"][place] += 1


@lie("R-T-CHARGE")
def charges_that_nobody_pays(wires: Wires) -> None:
    """A slot owes less than its rows charge."""
    place = next(i for i, sum_ in enumerate(wires["charged"]) if sum_)
    wires["charged"][place] -= 1


@lie("R-T-CHARGE")
def charges_of_another_slot(wires: Wires) -> None:
    """What one slot owes is moved to another, in the same leaf."""
    place = next(i for i, sum_ in enumerate(wires["charged"]) if sum_)
    count = SLOTS + 1
    other = place + 1 if (place + 1) % count else place - 1
    wires["charged"][other] += wires["charged"][place]
    wires["charged"][place] = 0


@lie("R-T-COVER")
def a_slice_that_no_leaf_serves(wires: Wires) -> None:
    """The first leaf serves one slice fewer."""
    wires["serves"][wires["serves"].index(1)] = 0


@lie("R-T-COVER")
def a_slice_twice(wires: Wires) -> None:
    """A leaf serves a slice that others hold already, or that its signs do not allow."""
    wires["serves"][wires["serves"].index(0)] = 1


@lie("R-T-COVER")
def twice_one_slice_for_another(wires: Wires) -> None:
    """Every leaf serves the first slice twice, and the second one not at all."""
    for k in range(CAPACITY):
        if any(wires["serves"][2 * k : 2 * k + 2]):
            wires["serves"][2 * k], wires["serves"][2 * k + 1] = 2, 0


@lie("R-T-COVER")
def a_leaf_that_is_not_live_serves(wires: Wires) -> None:
    """A leaf that is not closed stands for cells."""
    wires["leaf_live"][0] = 0


@lie("R-T-COVER", refilled=True)
def a_sensitive_sign_of_the_other_slice(wires: Wires) -> None:
    """A leaf that serves a slice is closed with the other one's value."""
    for k in range(CAPACITY):
        place = k * (SLOTS + 1) + SLOTS
        if wires["serves"][2 * k] != wires["serves"][2 * k + 1] and wires["signs"][place]:
            wires["signs"][place] = -wires["signs"][place]
            for i in range(ROWS):
                if wires["row_slot"][i] == SLOTS + 1:
                    wires["way"][k * ROWS + i] = 1 - wires["way"][k * ROWS + i]
            return
    raise AssertionError("no leaf fixes the sensitive predicate")


@lie("R-T-CLOSE", refilled=True)
def a_larger_radius(wires: Wires) -> None:
    """One more than the exact one."""
    wires["radius_squared"] = [wires["radius_squared"][0] + 1]


@lie("R-T-CLOSE", refilled=True)
def the_other_label(wires: Wires) -> None:
    """Nothing of it is true."""
    wires["label"] = [1 - wires["label"][0]]


@lie("R-T-CLOSE", nothing_live)
def the_query_itself_closed_by_distance(wires: Wires) -> None:
    """At the radius 0 no distance is below it."""
    wires["used"] = [0] * CAPACITY


@lie("R-T-CLOSE")
def a_multiplier_below_0(wires: Wires) -> None:
    """A negative lambda."""
    wires["multiplier"][-1] = -1


@lie("R-T-CLOSE")
def half_used(wires: Wires) -> None:
    """A leaf that is closed by half of both."""
    wires["used"][0] = HALF


@lie("R-T-CAPACITY")
def a_slot_that_is_missing(wires: Wires) -> None:
    """A live predicate is said to be dead."""
    wires["dead"][wires["dead"].index(0)] = 1


@lie("R-T-SLOT")
def a_phantom_for_a_live_predicate(wires: Wires) -> None:
    """Its crossing costs nothing."""
    wires["slot_live"][0] = 0


@lie("R-T-CHAIN")
def a_level_of_ones_choice(wires: Wires) -> None:
    """A level is larger than the least sum."""
    wires["level"][0] += 1


def _two(marks: list[int]) -> tuple[int, int]:
    """Return the places of the first two marks."""
    first, second, *_ = (place for place, mark in enumerate(marks) if mark)
    return first, second
