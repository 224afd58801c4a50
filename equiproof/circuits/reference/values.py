"""R-X-GAIN of ensembles: what the values of open categories add to a leaf (docs/relation-box.md)."""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.circuits.reference.field import RuleError
from equiproof.circuits.reference.slots import Numbers, Slots
from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_parameters import VALUE_BITS


def loose_slots(shape: Shape, numbers: Numbers) -> frozenset[int]:
    """R-X-GAIN: `slot_open` is 1 where a slot's column is of an open category, else 0; return these slots."""
    if not shape.choices:
        return frozenset()
    loose = {
        column
        for choice, is_open in zip(shape.choices, numbers["open"], strict=True)
        if is_open
        for column in choice.columns
    }
    for slot, (column, is_open) in enumerate(zip(numbers["slot_column"], numbers["slot_open"], strict=True)):
        if is_open != (column in loose):
            raise RuleError("R-X-GAIN", f"slot {slot}", "`slot_open` is not whether its category is open")
    return frozenset(slot for slot, is_open in enumerate(numbers["slot_open"]) if is_open)


def added(shape: Shape, numbers: Numbers, slots: Slots, leaf: int, signs: Sequence[int]) -> int:
    """R-X-GAIN: return what open categories add to a leaf at least, at scale 2^q.

    That is no more than what any value adds that somebody in the leaf can have: none of its slots is stayed, and none
    of another value of the category is crossed.
    """
    where = f"leaf {leaf}"
    charged = numbers["charged"][leaf * len(slots) :]
    values = sum(choice.values for choice in shape.choices)
    claims = [numbers[name][leaf * values :][:values] for name in ("gain", "value_stayed", "value_crossed")]
    claimed = iter(zip(*claims, strict=True))
    leasts = numbers["least"][leaf * len(shape.choices) :]
    total = 0
    for choice, is_open, least in zip(shape.choices, numbers["open"], leasts, strict=False):
        if least and not is_open:
            raise RuleError("R-X-GAIN", f"{where}, column {choice.first}", "it is not open, and adds something")
        own = {column: [j for j in slots.loose if numbers["slot_column"][j] == column] for column in choice.columns}
        counted = {
            column: (
                sum((slots.steps[j] << VALUE_BITS) - charged[j] for j in at),
                sum(signs[j] == -1 for j in at),
                sum(signs[j] == 1 for j in at),
            )
            for column, at in own.items()
        }
        for column, sums in counted.items():
            if next(claimed) != sums:
                raise RuleError("R-X-GAIN", f"{where}, column {column}", "its sums are not those of its slots")
        crossed = sum(across for _, _, across in counted.values())
        for column, (gain, stayed, across) in counted.items():
            allowed = numbers["box_low"][column] != numbers["box_high"][column]
            if allowed and not stayed and crossed == across and gain < least:
                raise RuleError("R-X-GAIN", f"{where}, column {column}", "a value adds less than is said of all")
        total += least
    return total
