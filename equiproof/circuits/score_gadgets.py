"""The wires of the sub-circuits of scheme `trees`; mirrors go-gnark/subcircuit/score.go and ensemble.go.

Each function returns the wires of the instance, the blinding first, and those that the proof only shows to exist.
"""

from __future__ import annotations

from equiproof.circuits.additive_parameters import AdditiveParameters
from equiproof.circuits.layout import model_segments, shares
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.circuits.widths import BIT, Interval, signed, unsigned

Layout = tuple[tuple[Segment, ...], tuple[Segment, ...]]
"""The wires of the instance, and those that the proof only shows to exist."""

BLINDING = Segment.of("blinding", 1, None)
"""The first wire of every sub-circuit."""

_STEP = signed(JUMP_BITS + 1)
"""What crossing a predicate adds: a jump, or one that is turned around."""

_RESOLUTION_WIRES = ("node_slot", "node_side", "node_live", "node_before", "low_reference", "high_reference")
"""The wires by which nodes become rows, as far as no instance states them."""

_ROOT_WIRES = ("root_value", "root_row", "row_id", "row_slot")
_CHILD_WIRES = ("stay_value", "cross_value", "stay_row", "cross_row", "row_root")


def predicates_layout(shape: Shape) -> Layout:
    """Return the wires of predicates in order, compared with query, slices and radius."""
    names = ("columns", "thresholds", "table", "query", "radius_squared", "range_low", "range_high")
    instance = _of(shape, 1, *names, "side", "dead", "side_of_slice", "sets")
    return (BLINDING, *instance), _of(shape, 1, "at", "absent", "away", "end", "beyond", "sensitive_at")


def centre_layout(shape: Shape) -> Layout:
    """Return the wires of the score at the query, and of what crossing each predicate adds to it."""
    plain = shape.architecture.predicate_counts[0]
    model = (*_of(shape, 1, "jumps", "bias", "label"), Segment.of("side", plain, BIT))
    worst = () if shape.has_nodes else _of(shape, 1, "side_of_slice", "worst")
    stated = (Segment.of("step", plain, _STEP), _base(shape), *_sensitive_steps(shape))
    return (BLINDING, *model, *worst, *stated), ()


def slots_layout(shape: Shape) -> Layout:
    """Return the wires of plain predicates as the query sees them, and of the slots."""
    a = shape.architecture
    count = shape.architecture.predicate_counts[0]
    columns = Segment.of("columns", count, Interval(0, a.columns - 1))
    bits = (Segment.of("side", count, BIT), Segment.of("dead", count, BIT))
    step = Segment.of("step", count, _STEP)
    if shape.boxes:
        predicates: tuple[Segment, ...] = (step, columns, *bits)
    else:
        predicates = (Segment.of("gap2", count, unsigned(2 * shape.input_bits)), columns, *bits, step)
    slots = _of(shape, 1, "slot_column", "slot_gap2", "slot_side", "slot_step", "slot_live", "same")
    return (BLINDING, *predicates, *slots), ()


def chain_layout(shape: Shape) -> Layout:
    """Return the wires of one leaf over slots, with what the values of open categories add to it."""
    instance = (
        *_of(shape, 1, "radius_squared", "slot_gap2", "slot_side", "slot_step", "same"),
        *_of(shape, shape.capacity, "leaf_live", "signs", "charged"),
        _base(shape),
        *_sensitive_steps(shape),
        *_score(shape),
    )
    closing = _of(shape, shape.capacity, "used", "multiplier")
    widest = (TreesParameters if shape.has_nodes else AdditiveParameters).of(shape).level_bits
    # Stated steps and charges have a bit more than those of a model.
    (taken,) = _of(shape, shape.capacity, "taken")
    level = Segment.of("level", len(taken.intervals), signed(widest + 2))
    if not shape.choices:
        return (BLINDING, *instance), (*closing, taken, level)
    people = (*_of(shape, 1, "slot_column"), *_of(shape, 1, "box_low", "box_high", "open"))
    values = (
        *_of(shape, 1, "slot_open"),
        *_of(shape, shape.capacity, "gain", "value_stayed", "value_crossed", "least"),
    )
    return (BLINDING, *instance, *people), (*closing, taken, level, *values)


def cover_layout(shape: Shape) -> Layout:
    """Return the wires of the leaves' signs, and of the slices that they serve."""
    sides = ("side_of_slice",) if shape.has_nodes else ()
    return (BLINDING, *_of(shape, 1, *sides, "slot_side", "same", "leaf_live", "serves", "signs")), ()


def nodes_layout(shape: Shape) -> Layout:
    """Return the wires of an ensemble's nodes, and of the rows that they become."""
    rest = _of(shape, 1, "stay_reference", "cross_reference", *_RESOLUTION_WIRES)
    return (BLINDING, *_ensemble(shape), *_of(shape, 1, *_ROOT_WIRES, *_CHILD_WIRES)), rest


def rows_layout(shape: Shape) -> Layout:
    """Return the wires of what an ensemble's rows add to one leaf."""
    instance = (*_ensemble(shape), *_of(shape, 1, "label"), *_of(shape, shape.capacity, "signs", "charged"))
    rows = _of(shape, 1, "stay_reference", "cross_reference", *_RESOLUTION_WIRES, *_ROOT_WIRES, *_CHILD_WIRES)
    worth = _of(shape, shape.capacity, "free", "way", "charge", "stay", "cross")
    return (BLINDING, *instance, *_score(shape)), (*rows, *worth)


def opened_model(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of the model, where nothing but its commitment is held: a column is of its predicate's kind."""
    columns, *others = model_segments(shape)
    if not shape.additive:
        return (columns, *others)
    a = shape.architecture
    plain, sensitive = shape.architecture.predicate_counts
    kinds = [Interval(0, a.columns - 1)] * plain + [Interval(a.columns, a.columns + a.sensitive - 1)] * sensitive
    return (Segment(columns.name, tuple(kinds)), *others)


def _of(shape: Shape, count: int, *names: str) -> tuple[Segment, ...]:
    """Return the relation's wires of these names, of one of `count` equal parts."""
    return shares(shape, count, names.__contains__)


def _base(shape: Shape) -> Segment:
    """Return the wire of the score at the query: bias, jumps that are passed and, of an additive model, `worst`."""
    plain, sensitive = shape.architecture.predicate_counts
    most = (1 << (SCORE_BIAS_BITS - 1)) + (plain << (JUMP_BITS - 1))
    if sensitive and not shape.has_nodes:
        most += 1 << (AdditiveParameters.of(shape).worst_bits - 1)
    return Segment.of("base", 1, signed(most.bit_length() + 1))


def _sensitive_steps(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of the steps of sensitive predicates, which are slots of an ensemble only."""
    count = shape.architecture.predicate_counts[1]
    return (Segment.of("sensitive_step", count, _STEP),) if shape.has_nodes else ()


def _score(shape: Shape) -> tuple[Segment, ...]:
    """Return the wire of what trees add to a leaf: a leaf's value for each row and tree, less what rows charge."""
    if not shape.has_nodes:
        return ()
    most = (3 * shape.row_count + shape.architecture.node_counts[0]) << (JUMP_BITS - 1 + VALUE_BITS)
    return (Segment.of("score", 1, signed(most.bit_length() + 1)),)


def _ensemble(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of nodes, and of all predicates as a query sees them: slot from 1 or 0, side, life."""
    plain, sensitive = shape.architecture.predicate_counts
    bits = ("side", "live", "away") if shape.architecture.has_missing else ("side", "live")
    return (
        Segment.of("predicate_slot", plain + sensitive, Interval(0, shape.slot_count + sensitive)),
        *(Segment.of(f"predicate_{name}", plain + sensitive, BIT) for name in bits),
        *_of(shape, 1, "node_predicate", "node_low", "node_high", "node_missing", "node_value"),
    )
