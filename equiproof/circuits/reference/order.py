"""R-ORDER: a facet that is not crossed is no nearer than the radius."""

from __future__ import annotations

from equiproof.circuits.reference.distance import excess
from equiproof.circuits.reference.field import GF, Wires, require_non_negative
from equiproof.circuits.shape import Shape


def order(shape: Shape, wires: Wires) -> None:
    """Refuse a near facet of a region that is not crossed: one form and one bit of `crossed` per hidden neuron."""
    for number in range(shape.architecture.neurons):
        ahead = (GF(1) - wires["crossed"][number]) * excess(wires, number)
        require_non_negative("R-ORDER", f"facet {number}", ahead)
