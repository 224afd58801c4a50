"""The whole relation of scheme `branch`, composed of the gadgets' functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.layout import segments
from equiproof.circuits.reference.bounds import bounds
from equiproof.circuits.reference.field import Wires, elements
from equiproof.circuits.reference.first_bounds import first_bounds
from equiproof.circuits.reference.leaf import leaf
from equiproof.circuits.reference.passes import one_of
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.relaxation import relaxation
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.reference.tree import tree
from equiproof.circuits.shape import Shape
from equiproof.circuits.subcircuit import subcircuit


def branch(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]], first: int | None = None) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest.

    `first` is the challenge of a kept model's words; other shapes have none.
    """
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. Every number has its width: from here on elements stand for integers.
    ranges(segments(shape), field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires, first)
    # 3. On every slice's ball, bounds of all layers and lines over them; one radius serves every slice.
    for number in range(shape.slices):
        first_bounds(shape, _part(shape, "first_bounds", field_wires, number))
        relaxation(shape, _part(shape, "relaxation", field_wires, number))
        if len(shape.architecture.hidden) > 1:
            bounds(shape, _part(shape, "bounds", field_wires, number))
    # 4. Leaves that cover the balls, and at each of them a proof of every margin.
    tree(shape, field_wires)
    for number in range(shape.capacity):
        leaf(shape, _part(shape, "leaf", field_wires, number))


def _part(shape: Shape, gadget: str, wires: Wires, number: int) -> Wires:
    """Return the wires that a gadget has of one slice or leaf."""
    pool = {**wires, "row": wires["table"], "blinding": elements([0])}
    part = {name: values for name, values in wires.items() if name.startswith("negative_part.")}
    for segment in subcircuit(gadget, shape.self_contained).segments:
        # A kept model has negative parts in place of the bits of signs.
        if shape.kept and segment.name.startswith("negative_weight."):
            continue
        values = pool[segment.name]
        length = len(segment.intervals)
        part[segment.name] = (
            values if len(values) == length else one_of(pool, len(values) // length, number)(segment.name)
        )
    return part
