"""Filling of the relations of additive models: the wires beyond the statement's, from the evidence, in plain integers.

Signs, multipliers and the use of each leaf are the evidence's; everything else follows from them, the model and the
query. Wrong evidence has no witness that the circuit accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from equiproof.circuits.additive_parameters import AdditiveParameters
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Box


@dataclass(frozen=True)
class Slot:
    """A live predicate, or a phantom: its column, gap squared, side (1: the query is at most the threshold) and step.

    `step` is what crossing it adds for the label.
    """

    column: int
    gap2: int
    side: int
    step: int
    live: int = 1


def fill(
    shape: Shape,
    model: AdditiveModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    evidence: AdditiveEvidence,
    box: Box | None = None,
) -> dict[str, list[int]]:
    """Return the wires by name; raises WitnessError where model or evidence do not fit the shape.

    `box` is the ranges that neighbors are kept to, with relation `additive-ranges`.
    """
    _refuse_misfit(shape, model, query, evidence)
    sign = 2 * evidence.label - 1
    slots = slots_of(shape, model, query, evidence.slots, sign)
    wires = predicate_wires(model, query, evidence.slots, box)
    worst = worst_wires(model, table, sign)
    return wires | sensitive_wires(model, table) | worst | slot_wires(slots) | _leaves(shape, slots, evidence)


def predicate_wires(
    model: AdditiveModel, query: Sequence[int], slots: Sequence[int], box: Box | None
) -> dict[str, list[int]]:
    """Return the wires of the plain predicates as a query sees them, inside a box where neighbors are kept to one.

    `slots` are the places of the live ones.
    """
    at, sides = _oriented(model, query)
    live = frozenset(slots)
    wires = {"at": at, "side": sides, "dead": [int(place not in live) for place in range(len(at))]}
    if model.absent is not None:
        wires["absent"] = [int(value == model.absent) for value in query[: model.stated]]
        wires["away"] = [int(model.lacks(place, query)) for place in range(len(at))]
    return wires if box is None else wires | _ends(model, sides, box)


def slots_of(
    shape: Shape, model: AdditiveModel, query: Sequence[int], places: Sequence[int], sign: int
) -> tuple[Slot, ...]:
    """Return the slots of a shape: the live predicates, and phantoms behind them."""
    at, sides = _oriented(model, query)
    slots = [_slot(model, at, sides, place, sign) for place in places]
    phantoms = range(len(slots), shape.slot_count)
    # Each phantom is in a column of its own behind those of the model, so that it is next to no other slot.
    return (*slots, *(Slot(shape.architecture.columns + j + 1, 0, 1, 0, 0) for j in phantoms))


def slot_wires(slots: Sequence[Slot]) -> dict[str, list[int]]:
    """Return the wires of the slots."""
    return {
        "slot_column": [slot.column for slot in slots],
        "slot_gap2": [slot.gap2 for slot in slots],
        "slot_side": [slot.side for slot in slots],
        "slot_step": [slot.step for slot in slots],
        "slot_live": [slot.live for slot in slots],
        "same": [int(one.column == other.column) for one, other in pairwise(slots)],
    }


def _refuse_misfit(shape: Shape, model: AdditiveModel, query: Sequence[int], evidence: AdditiveEvidence) -> None:
    """Raise WitnessError where the evidence does not fit the shape's slots and leaves, or the model."""
    if model.predicates != shape.architecture.predicate_counts:
        raise WitnessError(f"columns: {model.predicates} predicates do not fit shape {shape.name}")
    if len(query) != shape.architecture.plain:
        raise WitnessError(f"query: {len(query)} values for {shape.architecture.plain} wires of shape {shape.name}")
    if not 1 <= len(evidence.leaves) <= shape.capacity:
        raise WitnessError(f"signs: {len(evidence.leaves)} leaves do not fit shape {shape.name}")
    if len(evidence.slots) > shape.slot_count:
        raise WitnessError(f"slot_live: {len(evidence.slots)} live predicates do not fit shape {shape.name}")
    if any(not 0 <= place < model.predicates[0] for place in evidence.slots):
        raise WitnessError("slot_live: a slot is no predicate of a plain column")
    if any(len(leaf.signs) != len(evidence.slots) for leaf in evidence.leaves):
        raise WitnessError(f"signs: a leaf has no sign for each of {len(evidence.slots)} slots")


def _oriented(model: AdditiveModel, query: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return, for each plain predicate, the query's value in its column and whether it is at most the threshold."""
    at = [query[column] for column in model.columns[: model.predicates[0]]]
    return at, [int(value <= threshold) for value, threshold in zip(at, model.thresholds, strict=False)]


def _ends(model: AdditiveModel, sides: Sequence[int], box: Box) -> dict[str, list[int]]:
    """Return, for each plain predicate, the end of its column's range behind it, and whether it is not farther."""
    columns = model.columns[: len(sides)]
    ends = [box[side][column] for side, column in zip(sides, columns, strict=True)]
    facts = zip(sides, ends, model.thresholds, strict=False)
    return {
        "end": ends,
        "beyond": [int(threshold >= end if side else threshold < end) for side, end, threshold in facts],
    }


def _slot(model: AdditiveModel, at: Sequence[int], sides: Sequence[int], place: int, sign: int) -> Slot:
    """Return the slot of a live predicate."""
    gap = at[place] - model.thresholds[place]
    orientation = 2 * sides[place] - 1
    return Slot(model.columns[place], gap * gap, sides[place], sign * orientation * model.jumps[place])


def sensitive_wires(model: AdditiveModel, table: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """Return the wires of the sensitive predicates, slice by slice; none where the model has none."""
    first = model.predicates[0]
    if first == len(model.columns):
        return {}
    at = [[row[column - model.plain] for column in model.columns[first:]] for row in table]
    return {
        "sensitive_at": [value for row in at for value in row],
        "side_of_slice": [int(x <= t) for row in at for x, t in zip(row, model.thresholds[first:], strict=True)],
    }


def worst_wires(model: AdditiveModel, table: Sequence[Sequence[int]], sign: int) -> dict[str, list[int]]:
    """Return the wire of what the sensitive predicates add at least; none where the model has none."""
    first = model.predicates[0]
    if first == len(model.columns):
        return {}
    own = list(zip(model.columns, model.thresholds, model.jumps, strict=True))[first:]
    sums = [sign * sum(jump for column, t, jump in own if row[column - model.plain] > t) for row in table]
    return {"worst": [min(sums)]}


def _leaves(shape: Shape, slots: Sequence[Slot], evidence: AdditiveEvidence) -> dict[str, list[int]]:
    """Return the wires of the leaves; those behind the evidence's are not live and leave every slot free."""
    scale = AdditiveParameters.of(shape).scale
    padding = shape.capacity - len(evidence.leaves)
    phantoms = (0,) * (shape.slot_count - len(evidence.slots))
    nothing = AdditiveLeaf((0,) * len(evidence.slots), 0, used=False)
    leaves = [*evidence.leaves, *[nothing] * padding]
    signs = [(*leaf.signs, *phantoms) for leaf in leaves]
    levels = []
    deltas = distances(slots)
    for leaf, row in zip(leaves, signs, strict=True):
        charges = [(slot.step << scale) + leaf.multiplier * delta for slot, delta in zip(slots, deltas, strict=True)]
        levels.append(least_levels(slots, charges, row))
    return {
        "leaf_live": [1] * len(evidence.leaves) + [0] * padding,
        "used": [int(leaf.used) for leaf in leaves],
        "multiplier": [leaf.multiplier for leaf in leaves],
        "signs": [sign for row in signs for sign in row],
        "taken": [bit for _, taken in levels for bit in taken],
        "level": [value for row, _ in levels for value in row],
    }


def distances(slots: Sequence[Slot]) -> list[int]:
    """Return delta of each slot: its squared gap, less that of the next nearer slot of its column and side."""
    deltas = []
    for j, slot in enumerate(slots):
        near = j - 1 if slot.side else j + 1
        of = slots[near] if 0 <= near < len(slots) else None
        nearer = of.gap2 if of is not None and (of.column, of.side) == (slot.column, slot.side) else 0
        deltas.append(slot.gap2 - nearer)
    return deltas


def least_levels(slots: Sequence[Slot], charges: Sequence[int], signs: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the least charged sum from each slot outwards, and whether it takes the crossing (R-T-CHAIN)."""
    levels = [0] * len(slots)
    taken = [0] * len(slots)
    # On either side from the outermost slot inwards. The lower side is last: its innermost slot adds the upper side.
    above = [j for j in range(len(slots) - 1, -1, -1) if slots[j].side]
    below = [j for j in range(len(slots)) if not slots[j].side]
    for j in (*above, *below):
        slot = slots[j]
        outer = j + 1 if slots[j].side else j - 1
        across = charges[j]
        beside = 0
        if _joined(slots, j, outer) and slots[outer].side == slot.side:
            across += levels[outer]
        if not slot.side and _joined(slots, j, j + 1) and slots[j + 1].side:
            beside = levels[j + 1]
        taken[j] = int(across < beside) if signs[j] == 0 else int(signs[j] == 1)
        levels[j] = across if taken[j] else beside
    return levels, taken


def _joined(slots: Sequence[Slot], one: int, other: int) -> bool:
    """Return whether there is such a slot, of the same column."""
    return 0 <= other < len(slots) and slots[one].column == slots[other].column
