"""R-T-ORDER to R-T-COVER: the relations of scheme `trees`; those about additive models are here.

What they share with those about ensembles is in :mod:`equiproof.circuits.reference.slots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.layout import opened_segments, segments
from equiproof.circuits.reference.ensembles import ensembles
from equiproof.circuits.reference.field import RuleError, elements, integers
from equiproof.circuits.reference.inside import inside
from equiproof.circuits.reference.kept import with_predicates
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.slots import (
    Numbers,
    base_of,
    capacity,
    compared,
    cover,
    dead,
    leaf,
    missing,
    ordered,
    read_slots,
    seen,
    with_sets,
)
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.shape import Shape


def trees(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]], first: int | None = None) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest.

    `first` is the challenge of a kept model's words; other shapes have none.
    """
    if shape.has_nodes:
        ensembles(shape, digest, wires, first)
        return
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. The model, what is stated, and numbers that nothing else bounds have their widths.
    widths = [segment for segment in segments(shape) if segment.name in ("worst", "multiplier")]
    ranges([*opened_segments(shape), *widths], field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires, first)
    # 3. Predicates in order, which of a kept model is its link's, compared with the query and with every slice.
    numbers = with_predicates(shape, integers(field_wires))
    if shape.ranges:
        inside(shape, field_wires)
    if not shape.kept:
        ordered(shape, numbers)
    missing(shape, numbers)
    numbers = with_sets(shape, numbers)
    compared(shape, numbers)
    slices(shape, numbers)
    dead(shape, numbers)
    # 4. The live ones as slots.
    capacity(numbers)
    slots = read_slots(shape, numbers, seen(shape, numbers))
    # 5. Every leaf, and all of them together.
    base = base_of(shape, numbers)
    boxes = [leaf(shape, numbers, slots, number, base) for number in range(shape.capacity)]
    cover(slots, [box for box, live in zip(boxes, numbers["leaf_live"], strict=True) if live])


def slices(shape: Shape, numbers: Numbers) -> None:
    """R-T-SLICES: what is claimed of the worst slice is at most what any slice adds."""
    plain, count = shape.architecture.predicate_counts
    if not count:
        return
    jumps = numbers["jumps"][plain:]
    sigma = 2 * numbers["label"][0] - 1
    for slice_ in range(shape.slices):
        sides = numbers["side_of_slice"][slice_ * count : (slice_ + 1) * count]
        if sigma * sum(jump for jump, side in zip(jumps, sides, strict=True) if not side) < numbers["worst"][0]:
            raise RuleError("R-T-SLICES", f"slice {slice_}", "it adds less than is claimed of all")
