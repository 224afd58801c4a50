"""Names, order, lengths and intervals of private wires, and their bytes; mirrors go-gnark/relation/layout.go."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

from equiproof.circuits.additive_layout import additive_segments
from equiproof.circuits.additive_layout import model_segments as additive_model_segments
from equiproof.circuits.additive_layout import word_segments as additive_words
from equiproof.circuits.box_layout import box_segments, box_trees_segments
from equiproof.circuits.branch_layout import branch_segments, gain_segments, negative_weights
from equiproof.circuits.field import BYTES, ORDER
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.table_shape import TableShape
from equiproof.circuits.trees_layout import before_segment, reference_segments, trees_segments
from equiproof.circuits.trees_layout import model_segments as ensemble_segments
from equiproof.circuits.trees_layout import word_segments as ensemble_words
from equiproof.circuits.widths import BIT, Interval, signed, unsigned

MAGIC = b"EPWIT\x01"


class WitnessError(ValueError):
    """Values that do not fit their wires; one line naming the wires."""


class Documented(Protocol):
    """What selects a constraint system by a canonical document: a shape, a link's shape, or a sub-circuit."""

    @property
    def document(self) -> bytes:
        """The canonical JSON that the proving library reads."""


def segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the runs of private wires of a shape's relation, in order.

    Raises WidthError for a shape of scheme `branch` or `trees` that the field does not hold.
    """
    if shape.boxes and shape.additive:
        own = box_trees_segments if shape.has_nodes else box_segments
        return (*opened_segments(shape), *own(shape))
    if shape.has_nodes:
        return (*opened_segments(shape), *trees_segments(shape))
    if shape.additive:
        return (*opened_segments(shape), *additive_segments(shape))
    if shape.branches:
        return (*opened_segments(shape), *branch_segments(shape))
    if shape.gains:
        return (*opened_segments(shape), *gain_segments(shape))
    return (*opened_segments(shape), *region_segments(shape))


def opened_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of the statement's parts; in every scheme they come first."""
    a = shape.architecture
    entry = signed(shape.input_bits)
    ends = ("box_low", "box_high") if shape.boxes else ("query",)
    radius = () if shape.boxes else (Segment.of("radius_squared", 1, unsigned(shape.radius_bits)),)
    return (
        *(kept_segments(shape) if shape.kept else model_segments(shape)),
        *(() if shape.kept else (Segment.of("model_blinding", 1, None),)),
        Segment.of("spec_digest", 1, None),
        Segment.of("table", shape.slices * a.sensitive, entry),
        *(Segment.of(name, a.plain, entry) for name in ends),
        Segment.of("box_blinding" if shape.boxes else "query_blinding", 1, None),
        Segment.of("label", a.logits, BIT),
        *radius,
        Segment.of("context_digest", 1, None),
        *gained_segments(shape),
        *range_segments(shape),
    )


def model_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the wires of the committed model."""
    if shape.has_nodes:
        return ensemble_segments(shape)
    return additive_model_segments(shape) if shape.additive else network_segments(shape)


def kept_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the wires of a kept model: its words, the model commitment, and what hides what is shown.

    No word has an interval: a link proves their widths, and certificates leave them unchecked.
    """
    return (
        *(Segment.of(word.name, len(word.intervals), None) for word in word_segments(shape)),
        Segment.of("model_commitment", 1, None),
        Segment.of("link_blinding", 1, None),
    )


def word_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the words of a kept model with the intervals that its link proves, in the order of the commitment.

    Behind a network's numbers stands the negative part max(0, -w) of each weight of the hidden layers from 2 up, row by
    row; behind an ensemble's the places of its nodes' children.
    """
    if shape.has_nodes:
        return ensemble_words(shape)
    if shape.additive:
        return additive_words(shape)
    a = shape.architecture
    parts = [
        Segment.of(f"negative_part.{layer}", outputs * inputs, Interval(0, 1 << (a.weight_bits[layer - 1] - 1)))
        for layer, (outputs, inputs) in enumerate(a.layers[:-1], start=1)
        if layer > 1
    ]
    return (*network_segments(shape), *parts)


def link_segments(shape: LinkShape) -> tuple[Segment, ...]:
    """Return the runs of private wires of a link's circuit, in order.

    `key` is the certificate key's element, `link_blinding` hides what is shown, and `at` is where the polynomial of the
    words is evaluated.
    """
    elements = ("model_blinding", "spec_digest", "key", "link_blinding", "at")
    opened = (*model_segments(shape), *(Segment.of(name, 1, None) for name in elements))
    if shape.has_nodes:
        return (*opened, before_segment(shape), *(reference_segments(shape) if shape.visits else ()))
    return (*opened, *negative_weights(shape.architecture, 2))


def table_segments(shape: TableShape) -> tuple[Segment, ...]:
    """Return the runs of private wires of counts over tables, in order; numbers of rows stand row by row.

    Columns and units have no interval: a verifier computes their polynomial itself. `magnitude` has that of the logit.
    """
    columns, limits = shape.rows * shape.columns, [limit.bit_length() for limit in shape.limits]
    single = ("spec_digest", "context_digest", "table_digest", "part")
    hidden = [
        Segment.of(f"{name}.{layer}", shape.rows * size, interval)
        for layer, (size, bits) in enumerate(zip(shape.architecture.hidden, limits[:-1], strict=True), start=1)
        for name, interval in (("value", signed(bits + 1)), ("negative", BIT))
    ]
    return (
        *kept_segments(shape.links),
        *(Segment.of(name, 1, None) for name in single),
        *(Segment.of(name, shape.elements, None) for name in ("granted_before", "tied_before")),
        *(Segment.of(name, 1, None) for name in ("blinding_before", "blinding_after")),
        Segment.of("columns", columns, None),
        Segment.of("units", shape.rows * shape.elements, None),
        *hidden,
        Segment.of("sign", shape.rows, Interval(-1, 1)),
        Segment.of("magnitude", shape.rows, Interval(0, 1 << limits[-1])),
    )


def gained_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of what a statement about a gain has beyond the others, none for any other shape."""
    if not shape.gains:
        return ()
    return (Segment.of("least_gain", 1, signed(shape.sizes.gain_bits)), Segment.of("logit_fraction_bits", 1, None))


def range_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of the ranges of the n_x columns, none for a shape without ranges."""
    names = ("range_low", "range_high") if shape.ranges else ()
    return tuple(Segment.of(name, shape.architecture.plain, signed(shape.input_bits)) for name in names)


def region_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of the set of regions of scheme `traversal`.

    slice: of rows S..K-1. pattern: K rows of N bits. crossed_first: S rows, the first layer's crossed facets.
    crossed_deeper: K rows, those of the other layers. neighbor: K rows of N row indices, which the lookup bounds.
    """
    a = shape.architecture
    first = shape.architecture.hidden[0]
    return (
        Segment.of("slice", shape.capacity - shape.slices, Interval(0, shape.slices - 1)),
        Segment.of("pattern", shape.capacity * a.neurons, BIT),
        Segment.of("crossed_first", shape.slices * first, BIT),
        Segment.of("crossed_deeper", shape.capacity * (a.neurons - first), BIT),
        Segment.of("neighbor", shape.capacity * a.neurons, None),
    )


def network_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the wires of the network: per layer its weights, output by output, and its biases."""
    a = shape.architecture
    runs = []
    for number, ((outputs, inputs), bias_bits) in enumerate(zip(a.layers, a.bias_bits, strict=True), start=1):
        runs.append(Segment.of(f"weights.{number}", outputs * inputs, signed(a.weight_bits[number - 1])))
        runs.append(Segment.of(f"biases.{number}", outputs, signed(bias_bits)))
    return tuple(runs)


def shares(shape: Shape, count: int, names: Callable[[str], bool]) -> tuple[Segment, ...]:
    """Return the relation's wires of one of `count` equal parts, such as slices or leaves."""
    return tuple(
        Segment(segment.name, segment.intervals[: len(segment.intervals) // count])
        for segment in segments(shape)
        if names(segment.name)
    )


def layout(shape: Shape | LinkShape | TableShape) -> tuple[tuple[str, int], ...]:
    """Return (name, length) of every run of private wires of a relation, of a link or of a table's counts, in order."""
    if isinstance(shape, TableShape):
        every = table_segments(shape)
    else:
        every = link_segments(shape) if isinstance(shape, LinkShape) else segments(shape)
    return tuple((segment.name, len(segment.intervals)) for segment in every)


def encode(circuit: Documented, digest: int, wires: Sequence[Sequence[int]]) -> bytes:
    """Write wires modulo the field's order behind the magic, the document's SHA-256 and the public digest."""
    head = MAGIC + hashlib.sha256(circuit.document).digest() + digest.to_bytes(BYTES, "big")
    return head + b"".join((wire % ORDER).to_bytes(BYTES, "big") for segment in wires for wire in segment)
