"""The private wires of the relations of boxes; mirrors go-gnark/relation/box.go and box_trees.go."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.circuits.additive_layout import missing_segments, slice_segments, slot_segments
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS
from equiproof.circuits.trees_layout import leaf_segments, node_segments, row_segments
from equiproof.circuits.trees_parameters import TreesParameters
from equiproof.circuits.widths import BIT, Interval, signed


def gain_bits(shape: Shape) -> int:
    """Return the signed width of what the values of a category add: all plain jumps fit."""
    return JUMP_BITS + shape.architecture.predicate_counts[0].bit_length()


def box_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires that follow those of the statement, in order."""
    plain, sensitive = shape.architecture.predicate_counts
    entry = signed(shape.input_bits)
    yield Segment.of("low_at", plain, entry)
    yield Segment.of("high_at", plain, entry)
    yield Segment.of("loose_at", plain, BIT)
    yield Segment.of("side_low", plain, BIT)
    yield Segment.of("side_high", plain, BIT)
    yield Segment.of("same_column", plain - 1, BIT)
    yield Segment.of("lowers", plain, BIT)
    yield from slice_segments(shape)
    if sensitive:
        yield Segment.of("worst", 1, signed(JUMP_BITS + sensitive.bit_length()))
    if shape.choices:
        gain = signed(gain_bits(shape))
        yield Segment.of("free", len(shape.choices), BIT)
        yield Segment.of("gain", sum(choice.values for choice in shape.choices), gain)
        yield Segment.of("least", len(shape.choices), gain)


_CLOSED_BY_DISTANCE = ("slot_gap2", "used", "multiplier")
"""What relation `trees` has for leaves that distance closes, or helps to close."""


def box_trees_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires that follow those of the statement about an ensemble, in order; raises as `trees_segments`."""
    plain = shape.architecture.predicate_counts[0]
    entry = signed(shape.input_bits)
    yield Segment.of("low_at", plain, entry)
    yield Segment.of("high_at", plain, entry)
    yield Segment.of("side_low", plain, BIT)
    yield Segment.of("side_high", plain, BIT)
    yield from missing_segments(shape)
    yield from slice_segments(shape)
    parameters = TreesParameters.of(shape)
    leaves = leaf_segments(shape, parameters)
    for segment in (*slot_segments(shape), *node_segments(shape), *row_segments(shape), *leaves):
        if segment.name not in _CLOSED_BY_DISTANCE:
            yield segment
    if shape.choices:
        gain = signed(parameters.gain_bits)
        values = shape.capacity * sum(choice.values for choice in shape.choices)
        yield Segment.of("open", len(shape.choices), BIT)
        yield Segment.of("slot_open", shape.slot_count, BIT)
        yield Segment.of("gain", values, gain)
        yield Segment.of("value_stayed", values, Interval(0, shape.slot_count))
        yield Segment.of("value_crossed", values, Interval(0, shape.slot_count))
        yield Segment.of("least", shape.capacity * len(shape.choices), gain)
