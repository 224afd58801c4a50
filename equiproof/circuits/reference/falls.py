"""R-X-ENDS, R-X-CATEGORY, R-X-FALL and R-X-FIRST: a box, and how much a linear form falls on it from the least ends.

In the columns of no category it falls by the negative part of its coefficient times the way to the other end; a
category that is free has one of its allowed values, and so rises by no less than its least coefficient says.
"""

from __future__ import annotations

from equiproof.circuits.reference.field import GF, Elements, RuleError, Wires, require_equal, require_non_negative
from equiproof.circuits.reference.passes import Take, weights_of
from equiproof.circuits.reference.slots import Numbers, bits
from equiproof.circuits.shape import Shape


def ends(numbers: Numbers) -> None:
    """R-X-ENDS: no column's largest value is below its least one."""
    for column, (low, high) in enumerate(zip(numbers["box_low"], numbers["box_high"], strict=True)):
        if low > high:
            raise RuleError("R-X-ENDS", f"column {column}", "nobody is in the box")


def categories(shape: Shape, numbers: Numbers, name: str = "free") -> None:
    """R-X-CATEGORY: the ends of a value are one or a step apart; an open category has `low`, and a step somewhere.

    The wires of this name say which categories are open.
    """
    if not shape.choices:
        return
    bits("R-X-CATEGORY", numbers, name)
    for choice, free in zip(shape.choices, numbers[name], strict=True):
        where = f"column {choice.first}"
        low = [numbers["box_low"][column] for column in choice.columns]
        spans = [numbers["box_high"][column] - end for column, end in zip(choice.columns, low, strict=True)]
        step = choice.high - choice.low
        if any(span not in (0, step) for span in spans):
            raise RuleError("R-X-CATEGORY", where, "a value is neither open nor closed")
        if free and any(end != choice.low for end in low):
            raise RuleError("R-X-CATEGORY", where, "it is open, and has a value")
        if free and not any(spans):
            raise RuleError("R-X-CATEGORY", where, "it is open, and nobody has a value")


def tied(shape: Shape, wires: Wires) -> None:
    """R-X-CATEGORY: a category of which a value is open is free."""
    spans = wires["box_high"] - wires["box_low"]
    for choice, free in zip(shape.choices, wires.get("free", ()), strict=True):
        if free == 0 and any(spans[column] != 0 for column in choice.columns):
            raise RuleError("R-X-CATEGORY", f"column {choice.first}", "a value is open, and the category is not free")


def fall(shape: Shape, wires: Wires, coefficients: Elements, parts: Elements, least: Elements, where: str) -> Elements:
    """Return how much a form over the plain columns falls at most; `parts` has the negative part of each coefficient.

    Parts of columns of categories are not read.
    """
    spans = wires["box_high"] - wires["box_low"]
    fallen = GF(0)
    for column in shape.numbers:
        fallen += parts[column] * spans[column]
    for choice, free, most in zip(shape.choices, wires.get("free", ()), least, strict=True):
        for column in choice.columns:
            if spans[column] != 0:
                require_non_negative("R-X-FALL", f"{where}, least of column {column}", coefficients[column] - most)
        fallen -= free * most * GF(choice.high - choice.low)
    return fallen


def fall_of(shape: Shape, wires: Wires, take: Take, top: int, coefficients: Elements, where: str) -> Elements:
    """Return how much the form falls that a pass of a top layer ends with."""
    parts = GF.Zeros(len(coefficients))
    if shape.numbers:
        numbers = [*shape.numbers]
        below = take(f"negative.{top}.0")
        hold_signs("R-X-FALL", where, coefficients[numbers], below)
        parts[numbers] = -below * coefficients[numbers]
    return fall(shape, wires, coefficients, parts, take(f"least.{top}.0") if shape.choices else (), where)


def hold_signs(rule: str, where: str, values: Elements, negative: Elements) -> None:
    """Refuse a bit that is not 1 where its integer is below 0, and only there."""
    for number, (value, bit) in enumerate(zip(values, negative, strict=True)):
        # The integer, or -x - 1 where the bit says that it is below 0.
        require_non_negative(rule, f"{where}, sign of {number}", (GF(1) - GF(2) * bit) * value - bit)


def first_on_box(shape: Shape, wires: Wires) -> None:
    """R-X-FIRST: the bounds of layer 1 on a slice are exactly a neuron's least and largest value on the box."""
    plain = shape.architecture.plain
    weights = weights_of(shape, wires, 1)
    negative = wires["negative_weight.1"].reshape(weights.shape)
    values = weights[:, :plain] @ wires["box_low"] + weights[:, plain:] @ wires["row"] + wires["biases.1"]
    every = len(shape.choices)
    least = wires["first_least"].reshape(len(weights), 2, every) if every else [((), ())] * len(weights)
    for number, value in enumerate(values):
        where = f"neuron {number}"
        hold_signs("R-B-BACKWARD", where, weights[number], negative[number])
        row = weights[number, :plain]
        below = -negative[number, :plain] * row
        down = fall(shape, wires, row, below, least[number][0], where)
        up = fall(shape, wires, -row, row + below, least[number][1], where)
        require_equal("R-X-FIRST", f"{where}, lower bound", wires["low.1"][number], value - down)
        require_equal("R-X-FIRST", f"{where}, upper bound", wires["high.1"][number], value + up)
