"""Wires about an ensemble, and what follows from them: each stage is filled anew from the wires before it, lies or not.

So a lie breaks one rule: what follows from the wires follows from the lie too, and only that rule's constraint refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from itertools import accumulate
from typing import Literal, get_args

import msgspec

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.trees_layout import SPAN
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.prover.witness.additive import Slot, distances, least_levels
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.trees.ensembles import table_of
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires
from tests.support import LOANS

SPEC = msgspec.structs.replace(LOANS, logits=1)
PREDICATES = ((0, -30, 0), (0, 20, 0), (0, 400, 0), (1, 15, -3), (1, 70, 0), (2, 10, 0), (3, 0, 1))
"""Three thresholds of column 0, the last far away, two of column 1, one of column 2, one of the sensitive column."""

TREES = [
    (1, (3, 8, -4), (0, -6, -1)),
    (2, (4, 0, 4), -9),
    (6, (1, 6, 2), (5, 0, 4)),
    (5, (3, -1, 8), -9),
    (2, (6, (0, 4, -9), (1, 4, 2)), 5),
]
"""The first two and the last begin with a dead node; the third and the last ask the sensitive predicate."""

QUERY = (0, 0, 0)
SLOTS, ROWS, CAPACITY = 6, 12, 8
RADIUS = 300
"""A squared radius in which columns 1 and 2 have a slot each."""


def model(bias: int) -> EnsembleModel:
    """Return the model with a bias."""
    columns, thresholds, jumps = zip(*PREDICATES, strict=True)
    additive = AdditiveModel(columns, thresholds, jumps, bias, 3, 1, SPEC.input_fraction_bits)
    return EnsembleModel(additive, table_of(TREES))


NARROW, AMPLE = model(9), model(4000)
"""One that is wrong near the query, and one whose bias outweighs all trees."""


@cache
def searched(most: int) -> EnsembleSearch:
    """Return the search about the narrow model up to a squared radius."""
    found = ensemble_search(NARROW, QUERY, SPEC.domain_table, max_radius_squared=most, max_leaves=CAPACITY)
    assert isinstance(found, EnsembleSearch)
    return found


def shape() -> Shape:
    """Return the shape of all cases here, with rows and slots to spare."""
    return ensemble_shape(SPEC, NARROW.predicates, NARROW.nodes.sizes, SLOTS, ROWS, CAPACITY)


def filled(of: EnsembleModel, evidence: EnsembleEvidence) -> Told:
    """Return the wires of evidence."""
    secrets = Secrets(of, 7, QUERY, 9, SPEC.domain_table, SPEC.box)
    return filled_under(shape(), secrets, evidence)


def filled_under(of: Shape, secrets: Secrets, evidence: EnsembleEvidence) -> Told:
    """Return the wires of evidence about any model and query, under a shape of it."""
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    return Told("", of, deepcopy(fill(of, blank, secrets, evidence)))


def honest() -> Told:
    """Return evidence of the exact radius."""
    return filled(NARROW, searched(100_000).evidence)


def nothing_live() -> Told:
    """Return evidence of the radius 0."""
    return filled(NARROW, searched(0).evidence)


def ample_at_the_query() -> Told:
    """Return evidence of the radius 0 that closes whatever trees are worth."""
    leaf = EnsembleLeaf((), (0,), (0, 1), 0, True, (0,) * len(live_rows(AMPLE, QUERY, ())))
    return filled(AMPLE, EnsembleEvidence(1, 0, (), (leaf,)))


def ample() -> Told:
    """Return evidence that closes whatever trees are worth: column 2's slot is stayed in one leaf, crossed in another.

    Charges are one to three units wherever the slot of column 1 or the sensitive one is free and both children differ.
    """
    charges = (16, 0, 32, 0, 16, 48)
    leaves = tuple(EnsembleLeaf((0, sign), (0,), (0, 1), 1 << 20, True, charges) for sign in (-1, 1))
    told = filled(AMPLE, EnsembleEvidence(1, RADIUS, (3, 5), leaves))
    for k in range(2, CAPACITY):
        told.wires["signs"][k * (SLOTS + 1) + 1] = -1
    again(told, "ways")
    return told


def wide() -> Told:
    """Return evidence of one leaf in which all four slots are free: two of column 0, one on each side of the query."""
    slots = (0, 1, 3, 5)
    leaf = EnsembleLeaf((0, 0, 0, 0), (0,), (0, 1), 1 << 20, True, (0,) * len(live_rows(AMPLE, QUERY, slots)))
    return filled(AMPLE, EnsembleEvidence(1, 1000, slots, (leaf,)))


def signs_of(shape: Shape) -> int:
    """Return how many signs a leaf has: those of slots, and those of sensitive predicates."""
    return shape.slot_count + shape.architecture.predicate_counts[1]


Stage = Literal["references", "rows", "parts", "ways", "values", "levels"]
"""References of children and roots; rows; each reference as a value and a row, and marks; ways of rows; their values
and what they charge; levels."""

STAGES: tuple[Stage, ...] = get_args(Stage)


def again(told: Told, stage: Stage) -> None:
    """Fill a stage and all behind it anew from the other wires."""
    steps: dict[Stage, Callable[[Told], None]] = {
        "references": _references, "rows": _rows, "parts": _parts, "ways": _ways, "values": _values, "levels": _levels,
    }  # fmt: skip
    for name in list(steps)[list(steps).index(stage) :]:
        steps[name](told)


def _resolved(wires: Wires) -> list[int]:
    """Return what each node stands for, by its side, its life and the references of its children."""
    sides = zip(wires["node_side"], wires["node_live"], wires["low_reference"], wires["high_reference"], strict=True)
    return [SPAN * i if live else (low if side else high) for i, (side, live, low, high) in enumerate(sides, start=1)]


def _references(told: Told) -> None:
    """Find the children of every node by the counts and kinds, the last nodes first."""
    wires, (trees, nodes) = told.wires, told.shape.architecture.node_counts
    wires["low_reference"], wires["high_reference"] = [0] * nodes, [0] * nodes
    for i in range(nodes - 1, -1, -1):
        before = wires["node_before"][i - 1] if i else 0
        for name, kind, place in (("low", wires["node_low"][i], 2 * i), ("high", wires["node_high"][i], 2 * i + 1)):
            before += wires["node_low"][i] if name == "high" else 0
            leaf = nodes + place - before
            key = leaf + kind * (trees + before - leaf)
            found = _resolved(wires)[key] if key < nodes else wires["node_value"][key - nodes]
            wires[f"{name}_reference"][i] = found


def _pair(wires: Wires, node: int) -> tuple[int, int]:
    """Return the references of a node's staying and crossing child."""
    low, high = wires["low_reference"][node], wires["high_reference"][node]
    return (low, high) if wires["node_side"][node] else (high, low)


def _rows(told: Told) -> None:
    """Make the live nodes that the roots lead to rows, ascending."""
    wires, (trees, nodes) = told.wires, told.shape.architecture.node_counts
    ahead, found = _resolved(wires)[:trees], set[int]()
    while ahead:
        node, value = divmod(ahead.pop(), SPAN)
        if node > 0 and value == 0 and node - 1 not in found:
            found.add(node - 1)
            ahead += _pair(wires, node - 1)
    rows, empty = sorted(found), told.shape.row_count - len(found)
    wires["row_id"] = [node + 1 for node in rows] + [nodes + 1] * empty
    wires["row_slot"] = [wires["node_slot"][node] for node in rows] + [0] * empty
    for i, name in enumerate(("stay", "cross")):
        wires[f"{name}_reference"] = [_pair(wires, node)[i] for node in rows] + [0] * empty


def _parts(told: Told) -> None:
    """Split references into a value and a row, and mark where trees begin."""
    wires, trees = told.wires, told.shape.architecture.node_counts[0]

    def split(references: Sequence[int], value: str, row: str) -> None:
        ids = [reference // SPAN if reference >= SPAN else 0 for reference in references]
        wires[row] = [wires["row_id"].index(id_) + 1 if id_ else 0 for id_ in ids]
        wires[value] = [reference - SPAN * id_ for reference, id_ in zip(references, ids, strict=True)]

    for name in ("stay", "cross"):
        split(wires[f"{name}_reference"], f"{name}_value", f"{name}_row")
    split(_resolved(wires)[:trees], "root_value", "root_row")
    wires["row_root"] = [wires["root_row"].count(place) for place in range(1, told.shape.row_count + 1)]


def _signs(told: Told, k: int) -> list[int]:
    """Return the signs of a leaf by the number of the slot; 0 is stayed."""
    count = signs_of(told.shape)
    return [-1, *told.wires["signs"][k * count : (k + 1) * count]]


def _ways(told: Told) -> None:
    """Send rows where the signs of their slots say, free ones to the smaller child; cap charges by the difference."""
    wires, rows = told.wires, told.shape.row_count
    for name in ("free", "way"):
        wires[name] = [0] * (told.shape.capacity * rows)
    for k in range(told.shape.capacity):
        signs, values = _signs(told, k), [0] * (rows + 1)
        for i in range(rows - 1, -1, -1):
            at, sign = k * rows + i, signs[wires["row_slot"][i]]
            stay, cross = _children(wires, i, values)
            wires["free"][at], wires["way"][at] = int(sign == 0), int(cross <= stay) if sign == 0 else int(sign == 1)
            wires["charge"][at] = min(wires["charge"][at], abs(stay - cross)) if sign == 0 else 0
            values[i + 1] = (cross if wires["way"][at] else stay) + wires["charge"][at]


def _children(wires: Wires, row: int, values: Sequence[int]) -> tuple[int, int]:
    """Return the values of a row's children."""
    sign = 2 * wires["label"][0] - 1
    of = [(wires[f"{name}_value"][row], wires[f"{name}_row"][row]) for name in ("stay", "cross")]
    stay, cross = ((sign * value << VALUE_BITS) + values[place] for value, place in of)
    return stay, cross


def _values(told: Told) -> None:
    """Find the values of rows by their ways and charges, and what they charge each slot."""
    wires, rows, count = told.wires, told.shape.row_count, signs_of(told.shape)
    for name in ("stay", "cross", "charged"):
        wires[name] = []
    for k in range(told.shape.capacity):
        values, sums = [0] * (rows + 1), [0] * (count + 1)
        for i in range(rows - 1, -1, -1):
            at = k * rows + i
            way, gamma = wires["way"][at], wires["charge"][at]
            values[i + 1] = _children(wires, i, values)[0 if not way else 1] + gamma
            sums[wires["row_slot"][i]] += gamma if way else -gamma
        for name in ("stay", "cross"):
            wires[name] += [values[row] for row in wires[f"{name}_row"]]
        wires["charged"] += sums[1:]


def _levels(told: Told) -> None:
    """Find the levels by steps, gaps, multipliers and sums of charges; columns are those that `same` claims."""
    wires, parameters = dict(told.wires), TreesParameters.of(told.shape)
    wires["slot_column"] = list(accumulate((0, *wires["same"]), lambda column, same: column + 1 - same))
    names = ("column", "gap2", "side", "step", "live")
    slots = [Slot(*one) for one in zip(*(wires[f"slot_{name}"] for name in names), strict=True)]
    sign = 2 * wires["label"][0] - 1
    slots += [Slot(1000 + i, 0, 1, sign * jump) for i, jump in enumerate(wires["jumps"][len(wires["at"]) :])]
    deltas, count = distances(slots), len(slots)
    told.wires["level"], told.wires["taken"] = [], []
    for k, multiplier in enumerate(wires["multiplier"]):
        sums = wires["charged"][k * count : (k + 1) * count]
        charges = [
            (slot.step << parameters.scale) + multiplier * delta - (paid << parameters.charge_scale)
            for slot, delta, paid in zip(slots, deltas, sums, strict=True)
        ]
        levels, taken = least_levels(slots, charges, wires["signs"][k * count : (k + 1) * count])
        told.wires["level"] += levels
        told.wires["taken"] += taken
