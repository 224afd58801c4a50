"""R-COMMITMENT, R-QUERY and R-DOMAIN: what opens the digests that a statement names."""

from __future__ import annotations

from equiproof.circuits.layout import network_segments, range_segments
from equiproof.circuits.reference.field import Elements, Wires, require_equal
from equiproof.circuits.reference.hashing import hashed, packed
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.widths import signed

STATED = {
    "model_commitment": "R-COMMITMENT",
    "query_commitment": "R-QUERY",
    "domain_digest": "R-DOMAIN",
}


def commitment(shape: Shape, wires: Wires) -> None:
    """Refuse stated digests that the opening does not open."""
    for name, found in opened(shape, wires).items():
        require_equal(STATED[name], name, wires[name][0], found)


def opened(shape: Shape, wires: Wires) -> dict[str, Elements]:
    """Return the digests that network, query, table, blindings and the spec digest open."""
    a, bits = shape.architecture, shape.input_bits
    model = packed(network_segments(shape), wires)
    query = packed([Segment.of("query", a.plain, signed(bits))], wires)
    table = packed([Segment.of("table", shape.slices * a.sensitive, signed(bits)), *range_segments(shape)], wires)
    blinded = [wires["spec_digest"][0], wires["model_blinding"][0]]
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, bits]
    return {
        "model_commitment": hashed("equiproof.model", [len(model), a.digest, *blinded, *model]),
        "query_commitment": hashed("equiproof.query", [a.plain, bits, len(query), wires["query_blinding"][0], *query]),
        "domain_digest": hashed(f"equiproof.domain{'.ranges' * shape.ranges}", [*sizes, len(table), *table]),
    }
