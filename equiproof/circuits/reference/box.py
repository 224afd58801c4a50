"""R-X-SIDE to R-X-CLOSE: the relations `additive-box` and `trees-box`, everybody in a box (docs/relation-box.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from equiproof.circuits.layout import opened_segments, segments
from equiproof.circuits.reference.box_branch import box_branch
from equiproof.circuits.reference.ensembles import grown, node_widths
from equiproof.circuits.reference.falls import categories, ends
from equiproof.circuits.reference.field import RuleError, elements, integers
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.slots import (
    Numbers,
    bits,
    capacity,
    missing,
    ordered,
    read_slots,
    sliced,
    with_sets,
)
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.reference.trees import slices
from equiproof.circuits.reference.values import loose_slots
from equiproof.circuits.shape import Shape


def box(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest."""
    if shape.has_nodes:
        _ensembles(shape, digest, wires)
        return
    if shape.branches:
        box_branch(shape, digest, wires)
        return
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. The model, what is stated, and numbers that nothing else bounds have their widths.
    widths = [segment for segment in segments(shape) if segment.name in ("worst", "least")]
    ranges([*opened_segments(shape), *widths], field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires)
    # 3. The box, with somebody in it.
    numbers = integers(field_wires)
    ends(numbers)
    categories(shape, numbers)
    # 4. Predicates in order, compared with the ends and with every slice.
    ordered(shape, numbers)
    sliced(shape, numbers)
    slices(shape, numbers)
    compared(shape, numbers)
    # 5. The worst of each column, of each category, and of all.
    least = base(shape, numbers) + levels(shape, numbers) + gains(shape, numbers)
    if least + sum(numbers.get("worst", ())) < 1:
        raise RuleError("R-X-CLOSE", "score", "somebody in the box may not be decided so")


def _ensembles(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Raise RuleError unless the wires satisfy relation `trees-box`: that of ensembles around the least end."""
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    numbers = dict(integers(field_wires))
    # 1. Widths; those of nodes are R-T-NODE's.
    widths = [segment for segment in segments(shape) if segment.name == "least"]
    ranges([*(one for one in opened_segments(shape) if not one.name.startswith("node_")), *widths], field_wires)
    node_widths(shape, numbers)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires)
    # 3. The box, with somebody in it, whose least end is the query of everything that follows.
    ends(numbers)
    categories(shape, numbers, "open")
    settled(shape, numbers)
    ordered(shape, numbers)
    bits("R-X-SIDE", numbers, "side_low", "side_high")
    live = [low - high for low, high in zip(numbers["side_low"], numbers["side_high"], strict=True)]
    numbers |= {"query": numbers["box_low"], "radius_squared": [0], "side": numbers["side_low"]}
    numbers["dead"] = [1 - one for one in live]
    stated(shape, numbers)
    missing(shape, numbers)
    numbers = with_sets(shape, numbers)
    beside(shape, numbers)
    sliced(shape, numbers)
    # 4. Predicates that some of the box pass are slots at no distance; leaves are closed by the score.
    capacity(numbers)
    numbers |= {"slot_gap2": [0] * shape.slot_count, "multiplier": [0] * shape.capacity, "used": numbers["leaf_live"]}
    plain, sigma = shape.architecture.predicate_counts[0], 2 * numbers["label"][0] - 1
    steps = [sigma * jump * (2 * side - 1) for jump, side in zip(numbers["jumps"], numbers["side"], strict=False)]
    predicates = [(numbers["columns"][at], 0, numbers["side"][at], steps[at]) for at in range(plain)]
    slots = read_slots(shape, numbers, predicates)
    grown(shape, numbers, replace(slots, loose=loose_slots(shape, numbers)))


def settled(shape: Shape, numbers: Numbers) -> None:
    """R-X-CATEGORY: a category of whose values nodes ask sets has one value."""
    for category in shape.architecture.asked:
        for column in category.columns:
            if numbers["box_low"][column] != numbers["box_high"][column]:
                raise RuleError("R-X-CATEGORY", f"column {column}", "sets of its values are asked, and it is open")


def stated(shape: Shape, numbers: Numbers) -> None:
    """R-X-ENDS: where values can be missing, a largest end is that of a missing value only where the least one is."""
    if not shape.architecture.has_missing:
        return
    for column, (low, high) in enumerate(zip(numbers["box_low"], numbers["box_high"], strict=True)):
        if high == shape.absent and low != shape.absent:
            raise RuleError("R-X-ENDS", f"column {column}", "whoever lacks the value is in the box, and others are too")


def beside(shape: Shape, numbers: Numbers) -> None:
    """R-X-SIDE: each predicate is compared with both ends of its own column; those of sets have one."""
    a = shape.architecture
    high = [*numbers["box_high"], *numbers["inputs"][a.plain :]]
    for place in range(a.predicate_counts[0]):
        column, threshold = numbers["columns"][place], numbers["thresholds"][place]
        found = (numbers["low_at"][place], numbers["high_at"][place])
        if found != (numbers["inputs"][column], high[column]):
            raise RuleError("R-X-SIDE", f"predicate {place}", "the ends are not those of its column")
        for end, name in zip(found, ("side_low", "side_high"), strict=True):
            if numbers[name][place] != (end <= threshold):
                raise RuleError("R-X-SIDE", f"predicate {place}", f"`{name}` is not the side of {end}")


def compared(shape: Shape, numbers: Numbers) -> None:
    """R-X-SIDE: each predicate is compared with both ends of its own column, and knows whether a category is open."""
    plain = shape.architecture.predicate_counts[0]
    bits("R-X-SIDE", numbers, "loose_at", "side_low", "side_high")
    loose = {}
    for choice, free in zip(shape.choices, numbers.get("free", ()), strict=True):
        loose.update(dict.fromkeys(choice.columns, free))
    for place in range(plain):
        column, threshold = numbers["columns"][place], numbers["thresholds"][place]
        found = tuple(numbers[name][place] for name in ("low_at", "high_at", "loose_at"))
        if found != (numbers["box_low"][column], numbers["box_high"][column], loose.get(column, 0)):
            raise RuleError("R-X-SIDE", f"predicate {place}", "the ends are not those of its column")
        for end, name in zip(found, ("side_low", "side_high"), strict=False):
            if numbers[name][place] != (end <= threshold):
                raise RuleError("R-X-SIDE", f"predicate {place}", f"`{name}` is not the side of {end}")


def _steps(numbers: Numbers) -> list[int]:
    """Return what passing each plain predicate adds for the label, 0 of those that nobody or everybody passes."""
    sigma = 2 * numbers["label"][0] - 1
    facts = zip(numbers["jumps"], numbers["side_low"], numbers["side_high"], strict=False)
    return [sigma * jump * (low - high) for jump, low, high in facts]


def base(shape: Shape, numbers: Numbers) -> int:
    """Return the score for the label at the least ends, without the sensitive predicates."""
    plain = shape.architecture.predicate_counts[0]
    passed = zip(numbers["jumps"][:plain], numbers["side_low"], strict=True)
    score = numbers["bias"][0] + sum(jump for jump, side in passed if not side)
    return (2 * numbers["label"][0] - 1) * score


def levels(shape: Shape, numbers: Numbers) -> int:
    """R-X-LEVEL: return the sum of the least levels of columns, which are joined where columns are one."""
    bits("R-X-LEVEL", numbers, "same_column", "lowers")
    columns = numbers["columns"][: shape.architecture.predicate_counts[0]]
    for place, (one, other) in enumerate(pairwise(columns)):
        if numbers["same_column"][place] != (one == other):
            raise RuleError(
                "R-X-LEVEL", f"predicate {place}", "`same_column` is not whether the next one is of its column"
            )
    total = behind = 0
    steps = [step * (1 - loose) for step, loose in zip(_steps(numbers), numbers["loose_at"], strict=True)]
    joined = [*numbers["same_column"], 0]
    for place in reversed(range(len(columns))):
        if not joined[place]:
            total, behind = total + behind, 0
        across = steps[place] + behind
        if numbers["lowers"][place] != (across < 0):
            raise RuleError("R-X-LEVEL", f"predicate {place}", "its level is not the least sum")
        behind = min(across, 0)
    return total + behind


def gains(shape: Shape, numbers: Numbers) -> int:
    """R-X-GAIN: return what open categories add at least, which is no more than any value adds."""
    if not shape.choices:
        return 0
    added = {column: 0 for choice in shape.choices for column in choice.columns}
    facts = zip(numbers["columns"], _steps(numbers), numbers["loose_at"], strict=False)
    for column, step, loose in facts:
        if loose:
            added[column] += step
    if [*added.values()] != [*numbers["gain"]]:
        raise RuleError("R-X-GAIN", "gain", "a value is said to add what its predicates do not")
    total = 0
    for choice, free, least in zip(shape.choices, numbers["free"], numbers["least"], strict=True):
        if least and not free:
            raise RuleError("R-X-GAIN", f"column {choice.first}", "it is not open, and adds something")
        for column in choice.columns:
            allowed = numbers["box_high"][column] != numbers["box_low"][column]
            if allowed and added[column] < least:
                raise RuleError("R-X-GAIN", f"column {column}", "a value adds less than is said of all")
        total += least
    return total
