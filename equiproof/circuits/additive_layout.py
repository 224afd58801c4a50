"""The private wires of additive models' relations and their intervals; mirrors go-gnark/relation/additive_layout.go."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.circuits.additive_parameters import AdditiveParameters
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.widths import BIT, Interval, signed, unsigned


def model_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the wires of the additive model: column, threshold and jump of each predicate, and the bias."""
    a = shape.architecture
    count = sum(shape.architecture.predicate_counts)
    return (
        Segment.of("columns", count, Interval(0, a.columns + a.sensitive - 1)),
        Segment.of("thresholds", count, signed(shape.input_bits)),
        Segment.of("jumps", count, signed(a.weight_bits[0])),
        Segment.of("bias", 1, signed(a.bias_bits[0])),
    )


def word_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the words of a kept additive model with the intervals that its link proves, in the commitment's order.

    `predicates` are a column and a threshold each.
    """
    columns, thresholds, *others = model_segments(shape)
    return (alternating("predicates", columns, thresholds), *others)


def alternating(name: str, *segments: Segment) -> Segment:
    """Return a run of the first wire of each segment, then the second of each, and so on."""
    every = zip(*(segment.intervals for segment in segments), strict=True)
    return Segment(name, [interval for one in every for interval in one])


def additive_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires that follow those of the statement, in order.

    Raises WidthError for a shape that the field does not hold.
    """
    parameters = AdditiveParameters.of(shape)
    worst = Segment.of("worst", 1, signed(parameters.worst_bits))
    of_slices = (worst,) if shape.architecture.predicate_counts[1] else ()
    return (*predicate_segments(shape), *of_slices, *slot_segments(shape), *_leaves(shape, parameters))


def predicate_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the predicates as the query and the slices see them."""
    plain = shape.architecture.predicate_counts[0]
    entry = signed(shape.input_bits)
    yield Segment.of("at", plain, entry)
    yield Segment.of("side", plain, BIT)
    yield Segment.of("dead", plain, BIT)
    yield from missing_segments(shape)
    if shape.ranges or shape.architecture.asked:
        yield Segment.of("end", plain, entry)
        yield Segment.of("beyond", plain, BIT)
    yield from slice_segments(shape)


def missing_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of values that may be missing, and of the predicates away from them."""
    if shape.architecture.has_missing:
        yield Segment.of("absent", shape.architecture.plain, BIT)
        yield Segment.of("away", shape.architecture.predicate_counts[0], BIT)


def slice_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the sensitive predicates as every slice sees them."""
    count = shape.slices * shape.architecture.predicate_counts[1]
    if count:
        yield Segment.of("sensitive_at", count, signed(shape.input_bits))
        yield Segment.of("side_of_slice", count, BIT)


def slot_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the slots; a phantom's column is behind all columns."""
    count = shape.slot_count
    yield Segment.of("slot_column", count, Interval(0, shape.architecture.columns + count))
    yield Segment.of("slot_gap2", count, unsigned(2 * shape.input_bits))
    yield Segment.of("slot_side", count, BIT)
    yield Segment.of("slot_step", count, signed(shape.architecture.weight_bits[0] + 1))
    yield Segment.of("slot_live", count, BIT)
    yield Segment.of("same", count - 1, BIT)


def _leaves(shape: Shape, parameters: AdditiveParameters) -> Iterator[Segment]:
    """Yield the wires of the leaves; those of slots stand leaf by leaf."""
    every = shape.capacity * shape.slot_count
    yield Segment.of("leaf_live", shape.capacity, BIT)
    yield Segment.of("used", shape.capacity, BIT)
    yield Segment.of("multiplier", shape.capacity, unsigned(parameters.multiplier_bits))
    yield Segment.of("signs", every, Interval(-1, 1))
    yield Segment.of("taken", every, BIT)
    yield Segment.of("level", every, signed(parameters.level_bits + 1))
