"""The whole relation `branch-box`: a network on a box (docs/relation-box.md).

It is that of scheme `branch` around the least ends, with how much forms fall on the box in place of how far they reach
on a ball.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.layout import segments
from equiproof.circuits.reference.bounds import bounds
from equiproof.circuits.reference.falls import categories, ends, first_on_box, tied
from equiproof.circuits.reference.field import elements, integers
from equiproof.circuits.reference.leaf import leaf
from equiproof.circuits.reference.passes import by_leaf, by_slice, shares
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.relaxation import relaxation
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.reference.tree import tree
from equiproof.circuits.shape import Shape


def box_branch(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest."""
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. Every number has its width: from here on elements stand for integers.
    ranges(segments(shape), field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires)
    # 3. The box, with somebody in it, of whom each has one value of each category.
    numbers = integers({name: field_wires[name] for name in ("box_low", "box_high", "free") if name in field_wires})
    ends(numbers)
    categories(shape, numbers)
    tied(shape, field_wires)
    pool = {**field_wires, "query": field_wires["box_low"]}
    # 4. On every slice, bounds of all layers on the box and lines over them.
    rows = field_wires["table"].reshape(shape.slices, shape.architecture.sensitive)
    for number in range(shape.slices):
        side = {**pool, **shares(pool, by_slice(shape, field_wires), shape.slices, number), "row": rows[number]}
        first_on_box(shape, side)
        relaxation(shape, side)
        if len(shape.architecture.hidden) > 1:
            bounds(shape, side)
    # 5. Leaves that cover the box on every slice, and at each of them a proof of every margin.
    tree(shape, field_wires)
    for number in range(shape.capacity):
        leaf(shape, {**pool, **shares(pool, by_leaf(field_wires), shape.capacity, number)})
