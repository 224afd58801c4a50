"""The gadgets of scheme `trees` alone: R-T-ORDER to R-T-COVER over stated predicates, slots and nodes.

Each function takes a shape and the wires of the sub-circuit of its name, and raises RuleError with the rule's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from equiproof.circuits.reference.ensembles import cover_slices, resolve, served, terms_of, with_sensitive
from equiproof.circuits.reference.fact import Fact
from equiproof.circuits.reference.field import RuleError, Wires, integers
from equiproof.circuits.reference.inside import inside
from equiproof.circuits.reference.people import inhabited
from equiproof.circuits.reference.slots import (
    Terms,
    base_of,
    capacity,
    cells,
    compared,
    cover,
    dead,
    joined,
    leaf,
    missing,
    ordered,
    read_slots,
    with_sets,
)
from equiproof.circuits.reference.trees import slices
from equiproof.circuits.reference.values import added, loose_slots
from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_parameters import TreesParameters


def predicates(shape: Shape, wires: Wires) -> None:
    """R-T-ORDER, R-T-SIDE, R-T-DEAD and R-B-RANGES: predicates in order, as query, slices and radius see them."""
    numbers = integers(wires)
    if shape.ranges:
        inside(shape, wires)
    ordered(shape, numbers)
    missing(shape, numbers)
    numbers = with_sets(shape, numbers)
    compared(shape, numbers)
    dead(shape, numbers)


def centre(shape: Shape, wires: Wires) -> None:
    """R-T-SLICES, R-T-SLOT and R-T-CLOSE: the score at the query for the label, and what crossing adds to it."""
    numbers = integers(wires)
    sigma = 2 * numbers["label"][0] - 1
    plain = shape.architecture.predicate_counts[0]
    turned = [sigma * (2 * side - 1) for side in numbers["side"]]
    steps = [turn * jump for turn, jump in zip(turned, numbers["jumps"][:plain], strict=True)]
    if numbers["step"] != steps:
        raise RuleError("R-T-SLOT", "step", "it is not what crossing the predicate adds")
    if shape.has_nodes and numbers["sensitive_step"] != [sigma * jump for jump in numbers["jumps"][plain:]]:
        raise RuleError("R-T-SLOT", "sensitive_step", "it is not what passing the predicate adds")
    if not shape.has_nodes:
        slices(shape, numbers)
    if numbers["base"][0] != base_of(shape, numbers):
        raise RuleError("R-T-CLOSE", "base", "it is not the score at the query")


def slots(shape: Shape, wires: Wires) -> None:
    """R-T-CAPACITY and R-T-SLOT: slots of stated predicates."""
    numbers = _near(shape, wires)
    capacity(numbers)
    predicates = [numbers[name] for name in ("columns", "gap2", "side", "step")]
    read_slots(shape, numbers, list(zip(*predicates, strict=True)))


def chain(shape: Shape, wires: Wires) -> None:
    """R-T-LEAF, R-T-CHAIN and R-T-CLOSE: one leaf over stated slots, which are as those of a model (R-T-SLOT).

    On a box that may leave categories open R-X-GAIN, and somebody is in it (R-X-ENDS, R-X-CATEGORY).
    """
    numbers = _near(shape, wires)
    sides = numbers["slot_side"]
    same = numbers["same"]
    for j, ((one, other), of_one) in enumerate(zip(pairwise(sides), same, strict=True), start=1):
        if of_one and one > other:
            raise RuleError("R-T-SLOT", f"slot {j}", "it is below the query, behind one of its column that is above")
    chain_slots = joined(numbers["slot_gap2"], sides, numbers["slot_step"], same)
    if any(delta < 0 for delta in chain_slots.deltas):
        raise RuleError("R-T-SLOT", "slot_gap2", "a slot is nearer than one that is crossed before it")
    terms = None
    if shape.has_nodes:
        chain_slots = with_sensitive(chain_slots, numbers["sensitive_step"])
        scale = TreesParameters.of(shape).charge_scale
        terms = Terms(numbers["score"][0] << scale, [paid << scale for paid in numbers["charged"]])
        if shape.choices:
            inhabited(shape, wires)
            chain_slots = replace(chain_slots, loose=_loose(shape, numbers))
            least = added(shape, numbers, chain_slots, 0, numbers["signs"])
            terms = replace(terms, score=terms.score + (least << TreesParameters.of(shape).charge_scale))
    leaf(shape, numbers, chain_slots, 0, numbers["base"][0], terms)


def _loose(shape: Shape, numbers: Mapping[str, list[int]]) -> frozenset[int]:
    """R-X-GAIN: return the slots of open categories, where each is of a column that predicates read, or a phantom."""
    for slot, column in enumerate(numbers["slot_column"]):
        if column == shape.architecture.columns:
            raise RuleError("R-X-GAIN", f"slot {slot}", "its column is none that a predicate reads, and no phantom's")
    return loose_slots(shape, numbers)


def _near(shape: Shape, wires: Wires) -> Mapping[str, list[int]]:
    """Return the integers of slots and leaves; on a box slots are at no distance, and the score closes every leaf."""
    numbers = integers(wires)
    if not shape.boxes:
        return numbers
    plain = shape.architecture.predicate_counts[0]
    gaps = {"gap2": [0] * plain, "slot_gap2": [0] * shape.slot_count, "radius_squared": [0], "multiplier": [0]}
    return {**numbers, **gaps, "used": numbers.get("leaf_live", [])}


def coverage(shape: Shape, wires: Wires) -> None:
    """R-T-LEAF and R-T-COVER: every cell of stated slots is in exactly one live leaf, of an ensemble for each slice."""
    numbers = integers(wires)
    nothing = [0] * shape.slot_count
    plain = joined(nothing, numbers["slot_side"], nothing, numbers["same"])
    sensitive = [0] * shape.architecture.predicate_counts[1] if shape.has_nodes else []
    all_slots = with_sensitive(plain, sensitive)
    boxes = []
    for number in range(shape.capacity):
        signs = numbers["signs"][number * len(all_slots) :][: len(all_slots)]
        boxes.append(cells(f"leaf {number}", all_slots, signs)[: len(plain.columns)])
        if shape.has_nodes:
            served(shape, numbers, number, signs)
    if shape.has_nodes:
        cover_slices(shape, numbers, plain, boxes)
    else:
        cover(plain, [box for box, live in zip(boxes, numbers["leaf_live"], strict=True) if live])


def nodes(shape: Shape, wires: Wires) -> None:
    """R-T-NODE and R-T-RESOLVE: the rows that stated nodes become."""
    numbers = integers(wires)
    resolve(shape, numbers, _facts(shape, numbers))


def rows(shape: Shape, wires: Wires) -> None:
    """R-T-LEAF and R-T-CHARGE: what the rows of an ensemble add to one leaf, and charge its slots."""
    numbers = integers(wires)
    resolve(shape, numbers, _facts(shape, numbers))
    terms = terms_of(shape, numbers, 0, numbers["signs"])
    if terms.score != numbers["score"][0] << TreesParameters.of(shape).charge_scale:
        raise RuleError("R-T-CHARGE", "score", "it is not what the rows add, less what staying pays")


def _facts(shape: Shape, numbers: Mapping[str, list[int]]) -> list[Fact]:
    """Return every stated predicate."""
    stated = [numbers[f"predicate_{name}"] for name in ("slot", "side", "live")]
    aways = numbers["predicate_away"] if shape.architecture.has_missing else [0] * len(stated[0])
    return [Fact(*of) for of in zip(*stated, aways, strict=True)]
