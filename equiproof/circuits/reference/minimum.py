"""R-MIN: the stated squared radius is the minimum of the squared radii of all slices."""

from __future__ import annotations

from equiproof.circuits.reference.field import GF, RuleError, Wires, require_non_negative
from equiproof.circuits.shape import Shape


def minimum(shape: Shape, wires: Wires) -> None:
    """Refuse a `radius_squared` that is above one of the `radii`, or equal to none."""
    smallest = wires["radius_squared"][0]
    product = GF(1)
    for number in range(shape.slices):
        above = wires["radii"][number] - smallest
        require_non_negative("R-MIN", f"slice {number}", above)
        product = product * above
    if product != GF(0):
        raise RuleError("R-MIN", "radius_squared", f"no slice has the squared radius {int(smallest)}")
