"""R-B-RELAXATION: a line K z + T is no less than 2^q relu(z) over a neuron's bounds, that is at both of their ends.

Slopes from 0 to 2^q and offsets of 0 or more are widths.
"""

from __future__ import annotations

from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.reference.field import GF, Wires, require_non_negative
from equiproof.circuits.shape import Shape


def relaxation(shape: Shape, wires: Wires) -> None:
    """Refuse upper lines of any hidden layer, on one slice, that are below the neuron at an end of its bounds."""
    unit = GF(shape_parameters(shape).unit)
    for layer, size in enumerate(shape.architecture.hidden, start=1):
        for number in range(size):
            slope = wires[f"upper.{layer}"][number]
            offset = wires[f"offset.{layer}"][number]
            for name in ("low", "high"):
                end = wires[f"{name}.{layer}"][number]
                where = f"layer {layer}, neuron {number}, {name}"
                require_non_negative("R-B-RELAXATION", where, slope * end + offset)
                require_non_negative("R-B-RELAXATION", where, slope * end + offset - unit * end)
