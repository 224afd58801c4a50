"""R-COMMITMENT, R-QUERY and R-DOMAIN: what opens the digests that a statement names."""

from __future__ import annotations

from equiproof.circuits.additive_layout import alternating
from equiproof.circuits.additive_layout import model_segments as additive_segments
from equiproof.circuits.layout import network_segments, range_segments
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.reference.field import Elements, Wires, elements, require_equal, residues
from equiproof.circuits.reference.hashing import hashed, packed
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_layout import model_segments as ensemble_segments
from equiproof.circuits.widths import signed

STATED = {
    "model_commitment": "R-COMMITMENT",
    "query_commitment": "R-QUERY",
    "box_commitment": "R-X-BOX",
    "domain_digest": "R-DOMAIN",
}


def commitment(shape: Shape, wires: Wires) -> None:
    """Refuse stated digests that the opening does not open."""
    for name, digest in opened(shape, wires).items():
        require_equal(STATED[name], name, wires[name][0], digest)


def opened(shape: Shape, wires: Wires) -> dict[str, Elements]:
    """Return the digests that model, query, table, blindings and the spec digest open; a kept model's link opens it."""
    a = shape.architecture
    bits = shape.input_bits
    names = ("box_low", "box_high") if shape.boxes else ("query",)
    own = packed([Segment.of(name, a.plain, signed(bits)) for name in names], wires)
    table = packed([Segment.of("table", shape.slices * a.sensitive, signed(bits)), *range_segments(shape)], wires)
    sizes = [a.plain, a.sensitive, shape.slices, shape.input_fraction_bits, bits]
    of = "box" if shape.boxes else "query"
    return {
        "model_commitment": wires["model_commitment"][0] if shape.kept else opened_model(shape, wires),
        f"{of}_commitment": hashed(f"equiproof.{of}", [a.plain, bits, len(own), wires[f"{of}_blinding"][0], *own]),
        "domain_digest": hashed(f"equiproof.domain{'.ranges' * shape.ranges}", [*sizes, len(table), *table]),
    }


def opened_model(shape: Shape | LinkShape, wires: Wires) -> Elements:
    """Return the model commitment that a model, the spec digest and a blinding open."""
    blinded = [shape.architecture.digest, wires["spec_digest"][0], wires["model_blinding"][0]]
    if shape.additive:
        numbers = _numbers(wires, shape)
        return hashed("equiproof.trees", [len(numbers), *blinded, *numbers])
    network = packed(network_segments(shape), wires)
    return hashed("equiproof.model", [len(network), *blinded, *network])


def _numbers(wires: Wires, shape: Shape | LinkShape) -> list[Elements]:
    """Pack an additive model or an ensemble.

    In order: column and threshold of each predicate, the jumps, the bias; the predicate of each node, two bits for
    the kinds of its children, where it sends missing values if they can be, and the values.
    """
    columns, thresholds, *others = (ensemble_segments if shape.has_nodes else additive_segments)(shape)
    packs = [alternating("predicates", columns, thresholds)]
    turned = {"predicates": in_turn(wires, "columns", "thresholds")}
    if shape.has_nodes:
        jumps, bias, node_predicates, low, high, *rest = others
        others = [jumps, bias, node_predicates, alternating("kinds", low, high), *rest]
        turned["kinds"] = in_turn(wires, "node_low", "node_high")
    return packed([*packs, *others], {**wires, **turned})


def in_turn(wires: Wires, *names: str) -> Elements:
    """Return the first wire of each name, then the second of each, and so on."""
    return elements(value for one in zip(*(residues(wires[name]) for name in names), strict=True) for value in one)
