"""The wires of the sub-circuits of boxes alone; mirrors go-gnark/subcircuit/box.go.

Each function returns the wires of the instance, the blinding first, and those that the proof only shows to exist.
"""

from __future__ import annotations

from equiproof.circuits.layout import network_segments, shares
from equiproof.circuits.score_gadgets import BLINDING, Layout
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS
from equiproof.circuits.widths import BIT, Interval, signed


def ends(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of a box: both ends of each plain column, and which categories are free."""
    plain = shape.architecture.plain
    entry = signed(shape.input_bits)
    box = (Segment.of("box_low", plain, entry), Segment.of("box_high", plain, entry))
    # Of ensembles `free` are the rows.
    name = "open" if shape.has_nodes else "free"
    return (*box, Segment.of(name, len(shape.choices), BIT)) if shape.choices else box


def people_layout(shape: Shape) -> Layout:
    """Return the wires of a box with somebody in it."""
    return (BLINDING, *ends(shape)), ()


def sides_layout(shape: Shape) -> Layout:
    """Return the wires of predicates in order, compared with both ends of a box and with slices."""
    model = _of(shape, "columns", "thresholds", "sets", "table")
    sides = (*_of(shape, "side_low", "side_high"), *_of(shape, "loose_at"), *_of(shape, "side_of_slice"))
    return (BLINDING, *model, *ends(shape), *sides), _of(shape, "low_at", "high_at", "absent", "away", "sensitive_at")


def levels_layout(shape: Shape) -> Layout:
    """Return the wires of an additive model's score at the worst point of a box."""
    model = (*_of(shape, "jumps", "bias"), _columns(shape))
    stated = (*_of(shape, "side_low", "side_high"), *_of(shape, "loose_at"), *_of(shape, "label"))
    worst = (*_of(shape, "side_of_slice", "worst"), *_of(shape, "least"))
    return (BLINDING, *model, *stated, *worst), _of(shape, "same_column", "lowers")


def gains_layout(shape: Shape) -> Layout:
    """Return the wires of what free categories add at least."""
    jumps = Segment.of("jumps", shape.architecture.predicate_counts[0], signed(JUMP_BITS))
    stated = (*_of(shape, "side_low", "side_high"), *_of(shape, "loose_at"), *_of(shape, "label"))
    instance = (jumps, _columns(shape), *stated, *ends(shape), *_of(shape, "least"))
    return (BLINDING, *instance), _of(shape, "gain")


def falls_layout(shape: Shape) -> Layout:
    """Return the wires of the bounds of layer 1 on one slice."""
    row = Segment.of("row", shape.architecture.sensitive, signed(shape.input_bits))
    bounds = shares(shape, shape.slices, {"low.1", "high.1"}.__contains__)
    instance = (BLINDING, *network_segments(shape)[:2], *ends(shape), row, *bounds)
    return instance, _of(shape, "first_least", "negative_weight.1")


def _of(shape: Shape, *names: str) -> tuple[Segment, ...]:
    """Return the relation's wires of these names."""
    return shares(shape, 1, names.__contains__)


def _columns(shape: Shape) -> Segment:
    """Return the wires of the columns of the plain predicates."""
    a = shape.architecture
    return Segment.of("columns", a.predicate_counts[0], Interval(0, a.plain - 1))
