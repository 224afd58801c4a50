"""R-B-FIRST: the bounds of layer 1 hold a neuron's value on the ball: its value at the centre, less and plus r."""

from __future__ import annotations

from equiproof.circuits.reference.field import Wires, require_non_negative
from equiproof.circuits.reference.passes import reach_of, weights_of
from equiproof.circuits.shape import Shape


def first_bounds(shape: Shape, wires: Wires) -> None:
    """Refuse `low.1` and `high.1` of one slice inside z - r and z + r, and `first_radii` that are too small."""
    plain = shape.architecture.plain
    weights = weights_of(shape, wires, 1)
    values = weights[:, :plain] @ wires["query"] + weights[:, plain:] @ wires["row"] + wires["biases.1"]
    for number, (value, r) in enumerate(zip(values, wires["first_radii"], strict=True)):
        where = f"neuron {number}"
        reach_of("R-B-FIRST", where, weights[number, :plain], wires["radius_squared"][0], r)
        require_non_negative("R-B-FIRST", f"{where}, lower bound", value - r - wires["low.1"][number])
        require_non_negative("R-B-FIRST", f"{where}, upper bound", wires["high.1"][number] - value - r)
