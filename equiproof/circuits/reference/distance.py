"""R-DISTANCE: a hyperplane c.x + d = 0 is no nearer than the radius where (c.x + d)^2 >= R2 |c|^2."""

from __future__ import annotations

from equiproof.circuits.reference.field import Elements, Wires, require_equal
from equiproof.circuits.shape import Shape


def distance(shape: Shape, wires: Wires) -> None:
    """Refuse a stated `excess` that is not that of its form and the radius."""
    for number in range(shape.architecture.neurons + shape.architecture.logits):
        require_equal("R-DISTANCE", f"excess {number}", wires["excess"][number], excess(wires, number))


def excess(wires: Wires, number: int) -> Elements:
    """Return (c.x + d)^2 - R2 |c|^2 of one of the forms in `value` and `norm_squared`."""
    value = wires["value"][number]
    return value * value - wires["radius_squared"][0] * wires["norm_squared"][number]
