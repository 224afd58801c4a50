"""R-INSTANCE: the one public input of a sub-circuit is the digest of its name, its shape and its instance wires."""

from __future__ import annotations

from equiproof.circuits.commitment import tag
from equiproof.circuits.reference.field import Elements, Wires, require_equal, residues
from equiproof.circuits.reference.hashing import hashed, packed
from equiproof.circuits.subcircuit import SubCircuit


def instance(circuit: SubCircuit, digest: Elements, wires: Wires) -> None:
    """Refuse a public input that is not the digest of the instance wires."""
    integers = packed(circuit.instance, wires)
    any_element = [
        wire
        for segment in circuit.instance
        for wire, interval in zip(residues(wires[segment.name]), segment.intervals, strict=True)
        if interval is None
    ]
    head = [tag(circuit.gadget), circuit.shape.digest, len(integers)]
    computed = hashed("equiproof.circuit", [*head, *any_element, *integers])
    require_equal("R-INSTANCE", "digest", digest, computed)
