"""The private wires of ensembles' relations and their intervals; mirrors go-gnark/relation/trees_layout.go."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.circuits.additive_layout import model_segments as additive_model_segments
from equiproof.circuits.additive_layout import predicate_segments, slot_segments
from equiproof.circuits.additive_layout import word_segments as additive_word_segments
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_parameters import TreesParameters
from equiproof.circuits.widths import BIT, Interval, signed, unsigned

SPAN = 1 << 20
"""The distance of two nodes' references; a leaf's reference is its value, of fewer bits: so none is both."""


KINDS = ("node_low", "node_high")
"""Which children of nodes are nodes."""


def model_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the wires of the model: those of its additive part, and the nodes in level order."""
    a = shape.architecture
    trees, nodes = shape.architecture.node_counts
    return (
        *additive_model_segments(shape),
        Segment.of("node_predicate", nodes, Interval(0, max(1, sum(a.predicate_counts) - 1))),
        Segment.of("node_low", nodes, BIT),
        Segment.of("node_high", nodes, BIT),
        *((Segment.of("node_missing", nodes, BIT),) if a.has_missing else ()),
        Segment.of("node_value", nodes + trees, signed(a.weight_bits[0])),
        *((Segment.of("sets", a.members, BIT),) if a.asked else ()),
    )


def word_segments(shape: Shape | LinkShape) -> tuple[Segment, ...]:
    """Return the words of a kept ensemble with the intervals that its link proves, in the commitment's order.

    Behind the numbers, in the place of the kinds of children, stand the places of both children of each node, the low
    one's first: among the nodes, or behind all nodes among the values. Where certificates visit nodes, one word a node
    stands for all its numbers (:mod:`.node_words`).
    """
    trees, nodes = shape.architecture.node_counts
    if shape.visits:
        sets = (one for one in model_segments(shape)[4:] if one.name == "sets")
        word = Interval(0, (1 << NodeWords.of(shape).bits) - 1)
        return (*additive_word_segments(shape), *sets, Segment.of("node_word", nodes, word))
    others = (one for one in model_segments(shape)[4:] if one.name not in KINDS)
    places = Segment.of("node_child", 2 * nodes, Interval(trees, 2 * nodes + trees - 1))
    return (*additive_word_segments(shape), *others, places)


def before_segment(shape: Shape | LinkShape) -> Segment:
    """Return the wires of how many children before each node but the first are nodes."""
    trees, nodes = shape.architecture.node_counts
    return Segment.of("node_before", nodes - 1, Interval(0, nodes - trees))


def reference_segments(shape: LinkShape) -> tuple[Segment, ...]:
    """Return the wires of the references of both children of each node, for links whose words are nodes."""
    words, nodes = NodeWords.of(shape), shape.architecture.node_counts[1]
    return tuple(Segment.of(name, nodes, words.reference) for name in ("low_reference", "high_reference"))


def trees_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires that follow those of the statement, in order.

    Raises WidthError for a shape that the field does not hold.
    """
    parameters = TreesParameters.of(shape)
    return (
        *predicate_segments(shape),
        *slot_segments(shape),
        *(visited_segments(shape) if shape.visits else (*node_segments(shape), *row_segments(shape))),
        *leaf_segments(shape, parameters),
    )


def _reference(shape: Shape) -> Interval:
    """Return what a reference is: a leaf's value, or a multiple of SPAN."""
    return Interval(-(1 << (shape.architecture.weight_bits[0] - 1)), SPAN * (shape.architecture.node_counts[1] + 1))


def node_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the nodes as the query sees them, and of the trees' roots."""
    trees, nodes = shape.architecture.node_counts
    yield Segment.of("node_slot", nodes, Interval(0, shape.slot_count + shape.architecture.predicate_counts[1]))
    yield Segment.of("node_side", nodes, BIT)
    yield Segment.of("node_live", nodes, BIT)
    if not shape.kept:
        # A kept model's words have the places of children themselves.
        yield before_segment(shape)
    yield Segment.of("low_reference", nodes, _reference(shape))
    yield Segment.of("high_reference", nodes, _reference(shape))
    yield Segment.of("root_value", trees, signed(shape.architecture.weight_bits[0]))
    yield Segment.of("root_row", trees, Interval(0, shape.row_count))


def row_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the rows, which are the same in every leaf."""
    rows = shape.row_count
    value = signed(shape.architecture.weight_bits[0])
    yield Segment.of("row_id", rows, Interval(1, shape.architecture.node_counts[1] + 1))
    yield Segment.of("row_slot", rows, Interval(0, shape.slot_count + shape.architecture.predicate_counts[1]))
    yield Segment.of("stay_reference", rows, _reference(shape))
    yield Segment.of("cross_reference", rows, _reference(shape))
    yield Segment.of("stay_value", rows, value)
    yield Segment.of("cross_value", rows, value)
    yield Segment.of("stay_row", rows, Interval(0, rows))
    yield Segment.of("cross_row", rows, Interval(0, rows))
    yield Segment.of("row_root", rows, BIT)


def visited_segments(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the nodes that a ball reaches, rows and passed ones, and of the trees' roots."""
    words = NodeWords.of(shape)
    trees, nodes = shape.architecture.node_counts
    rows, passed = shape.row_count, shape.passed_count
    value = signed(shape.architecture.weight_bits[0])
    node, row, number = Interval(1, nodes + 1), Interval(0, rows), Interval(0, words.empty)

    def child(name: str, length: int) -> Iterator[Segment]:
        yield Segment.of(f"{name}_value", length, value)
        yield Segment.of(f"{name}_node", length, Interval(0, nodes + 1))
        yield Segment.of(f"{name}_behind", length, value)
        yield Segment.of(f"{name}_row", length, row)

    yield Segment.of("row_id", rows, node)
    yield Segment.of("row_number", rows, number)
    yield Segment.of("row_slot", rows, Interval(0, shape.slot_count + shape.architecture.predicate_counts[1]))
    yield Segment.of("row_side", rows, BIT)
    yield Segment.of("row_root", rows, BIT)
    yield from child("stay", rows)
    yield from child("cross", rows)
    yield Segment.of("passed_id", passed, node)
    yield Segment.of("passed_number", passed, number)
    yield Segment.of("passed_side", passed, BIT)
    yield from child("passed", passed)
    yield Segment.of("passed_other", passed, words.reference)
    yield Segment.of("root_value", trees, value)
    yield Segment.of("root_row", trees, row)


def leaf_segments(shape: Shape, parameters: TreesParameters) -> Iterator[Segment]:
    """Yield the wires of the leaves; those of slots and rows stand leaf by leaf, sensitive slots behind the others."""
    every = shape.capacity * (shape.slot_count + shape.architecture.predicate_counts[1])
    rows = shape.capacity * shape.row_count
    value = signed(parameters.value_bits + 1)
    yield Segment.of("leaf_live", shape.capacity, BIT)
    yield Segment.of("used", shape.capacity, BIT)
    yield Segment.of("multiplier", shape.capacity, unsigned(parameters.multiplier_bits))
    yield Segment.of("serves", shape.capacity * shape.slices, BIT)
    yield Segment.of("signs", every, Interval(-1, 1))
    yield Segment.of("taken", every, BIT)
    yield Segment.of("level", every, signed(parameters.level_bits + 1))
    yield Segment.of("charged", every, signed(parameters.charged_bits + 1))
    yield Segment.of("free", rows, BIT)
    yield Segment.of("way", rows, BIT)
    yield Segment.of("charge", rows, unsigned(parameters.charge_bits))
    yield Segment.of("stay", rows, value)
    yield Segment.of("cross", rows, value)
