"""The gadgets of boxes alone: R-X-ENDS to R-X-CLOSE over a stated box and stated sides (docs/relation-box.md).

Each function takes a shape and the wires of the sub-circuit of its name, and raises RuleError with the rule's id.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from equiproof.circuits.reference.box import base, beside, compared, settled, stated
from equiproof.circuits.reference.box import gains as least_gains
from equiproof.circuits.reference.box import levels as least_levels
from equiproof.circuits.reference.falls import categories, ends, first_on_box, tied
from equiproof.circuits.reference.field import RuleError, Wires, integers
from equiproof.circuits.reference.slots import Numbers, bits, missing, ordered, sliced, with_sets
from equiproof.circuits.reference.trees import slices
from equiproof.circuits.shape import Shape


def people(shape: Shape, wires: Wires) -> None:
    """R-X-ENDS and R-X-CATEGORY: a box with somebody in it, who has one value of each category."""
    inhabited(shape, wires)
    settled(shape, integers(wires))
    if shape.branches:
        tied(shape, wires)


def sides(shape: Shape, wires: Wires) -> None:
    """R-T-ORDER, R-T-SIDE and R-X-SIDE: predicates in order, compared with both ends of a box and with slices."""
    numbers = inhabited(shape, wires)
    ordered(shape, numbers)
    if shape.has_nodes:
        bits("R-X-SIDE", numbers, "side_low", "side_high")
        apart = zip(numbers["side_low"], numbers["side_high"], strict=True)
        dead = [1 - low + high for low, high in apart]
        numbers |= {"query": numbers["box_low"], "radius_squared": [0], "side": numbers["side_low"], "dead": dead}
        stated(shape, numbers)
        missing(shape, numbers)
        numbers = with_sets(shape, numbers)
        beside(shape, numbers)
    else:
        compared(shape, numbers)
    sliced(shape, numbers)


def levels(shape: Shape, wires: Wires) -> None:
    """R-T-SLICES, R-X-LEVEL and R-X-CLOSE: the score for the label at the worst point of a box, on the worst slice."""
    numbers = integers(wires)
    _passed_in_order(numbers)
    for place, (one, other) in enumerate(pairwise(numbers["columns"])):
        if one > other:
            raise RuleError("R-X-LEVEL", f"predicate {place}", "the next one is of a column before its own")
    slices(shape, numbers)
    least = base(shape, numbers) + least_levels(shape, numbers) + sum(numbers.get("least", ()))
    if least + sum(numbers.get("worst", ())) < 1:
        raise RuleError("R-X-CLOSE", "score", "somebody in the box may not be decided so")


def gains(shape: Shape, wires: Wires) -> None:
    """R-X-GAIN: what open categories add at least is no more than what any possible value adds."""
    numbers = inhabited(shape, wires)
    _passed_in_order(numbers)
    sigma = 2 * numbers["label"][0] - 1
    stray: defaultdict[int, int] = defaultdict(int)
    facts = (numbers[name] for name in ("columns", "jumps", "side_low", "side_high", "loose_at"))
    for column, jump, low, high, loose in zip(*facts, strict=True):
        if column in shape.numbers:
            stray[column] += sigma * jump * (low - high) * loose
    if any(stray.values()):
        raise RuleError("R-X-GAIN", "loose_at", "a column of no category adds what a value would")
    # What is left of such columns adds nothing.
    kept = [
        loose * (column not in shape.numbers)
        for column, loose in zip(numbers["columns"], numbers["loose_at"], strict=True)
    ]
    least_gains(shape, {**numbers, "loose_at": kept})


def falls(shape: Shape, wires: Wires) -> None:
    """R-X-FIRST and R-X-FALL: bounds of layer 1 on a box, whose categories with open values are free."""
    first_on_box(shape, around_least_ends(shape, wires))


def around_least_ends(shape: Shape, wires: Wires) -> Wires:
    """Return the wires with the least ends as the query that passes are around, of a box with somebody in it."""
    inhabited(shape, wires)
    tied(shape, wires)
    return {**wires, "query": wires["box_low"]}


def inhabited(shape: Shape, wires: Wires) -> dict[str, list[int]]:
    """R-X-ENDS and R-X-CATEGORY: return the integers of a box with somebody in it."""
    numbers = integers(wires)
    ends(numbers)
    categories(shape, numbers, "open" if shape.has_nodes else "free")
    return numbers


def _passed_in_order(numbers: Numbers) -> None:
    """R-X-SIDE: a stated largest end is at most a threshold nowhere that the least one is not."""
    for place, (low, high) in enumerate(zip(numbers["side_low"], numbers["side_high"], strict=True)):
        if high > low:
            raise RuleError("R-X-SIDE", f"predicate {place}", "it is passed by the least end, and not by the largest")
