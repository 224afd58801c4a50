"""R-INFERENCE: the region has the activation pattern of the slice's centre, and the label is strict there."""

from __future__ import annotations

from equiproof.circuits.reference.field import GF, Wires, require_non_negative
from equiproof.circuits.reference.polytope import forms
from equiproof.circuits.shape import Shape


def inference(shape: Shape, wires: Wires) -> None:
    """Refuse a pattern that is not the centre's, and a label that is not decided strictly there.

    The values of the pattern's own forms are compared: by induction over the layers they are the network's where every
    bit is right.
    """
    neurons = shape.architecture.neurons
    value = forms(shape, wires).value
    for number, bit in enumerate(wires["pattern"]):
        # z >= 0 for an active neuron, -z - 1 >= 0 for one that is not.
        signed = (GF(2) * bit - GF(1)) * value[number] + bit - GF(1)
        require_non_negative("R-INFERENCE", f"neuron {number}", signed)
    several = shape.architecture.logits > 1
    for number, margin in enumerate(value[neurons:]):
        # The label's margin against itself is 0.
        own = wires["label"][number] if several else GF(0)
        require_non_negative("R-INFERENCE", f"margin {number}", margin + own - GF(1))
