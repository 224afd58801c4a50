"""R-BOUNDARY: no decision hyperplane of a region of the set is nearer than the radius."""

from __future__ import annotations

from equiproof.circuits.reference.distance import excess
from equiproof.circuits.reference.field import Wires, require_non_negative
from equiproof.circuits.shape import Shape


def boundary(shape: Shape, wires: Wires) -> None:
    """Refuse a near decision hyperplane: one form per margin."""
    for number in range(shape.architecture.logits):
        require_non_negative("R-BOUNDARY", f"margin {number}", excess(wires, number))
