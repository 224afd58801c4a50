"""R-T-NODE, R-T-RESOLVE, R-T-CHARGE and what else docs/relation-ensembles.md adds to the rules of additive models.

Lookups are membership in a list, identities over the challenge are the sums that they stand for, and the coverage is
counted cell by cell for each slice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.layout import opened_segments, segments
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.reference.fact import Fact
from equiproof.circuits.reference.field import RuleError, elements, integers
from equiproof.circuits.reference.inside import inside
from equiproof.circuits.reference.kept import with_predicates
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.slots import (
    Numbers,
    Slots,
    Span,
    Terms,
    base_of,
    bits,
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
from equiproof.circuits.reference.values import added
from equiproof.circuits.reference.visited import visited
from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_layout import SPAN
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters


def ensembles(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]], first: int | None = None) -> None:
    """Raise RuleError unless the wires satisfy the relation of ensembles under a statement digest.

    `first` is the challenge of a kept model's words; other shapes have none.
    """
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    numbers = with_predicates(shape, integers(field_wires))
    # 1. Widths; those of nodes are R-T-NODE's.
    widths = [segment for segment in segments(shape) if segment.name == "multiplier"]
    ranges(
        [segment for segment in opened_segments(shape) if not segment.name.startswith("node_")] + widths, field_wires
    )
    if not shape.kept:
        node_widths(shape, numbers)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires, first)
    # 3. Predicates, and the live ones as slots.
    if shape.ranges:
        inside(shape, field_wires)
    if not shape.kept:
        ordered(shape, numbers)
    missing(shape, numbers)
    numbers = with_sets(shape, numbers)
    compared(shape, numbers)
    dead(shape, numbers)
    capacity(numbers)
    grown(shape, numbers, read_slots(shape, numbers, seen(shape, numbers)))


def grown(shape: Shape, numbers: Numbers, plain: Slots) -> None:
    """R-T-NODE to R-T-COVER: nodes as rows, every leaf, and for each slice all that serve it, over the plain slots."""
    own = numbers["jumps"][shape.architecture.predicate_counts[0] :]
    sigma = 2 * numbers["label"][0] - 1
    slots = with_sensitive(plain, [sigma * jump for jump in own])
    facts = _facts(shape, numbers)
    if shape.visits:
        numbers = visited(shape, numbers, facts)
        _marks(numbers)
    else:
        resolve(shape, numbers, facts)
    boxes = []
    base = base_of(shape, numbers)
    for number in range(shape.capacity):
        signs = numbers["signs"][number * len(slots) :][: len(slots)]
        served(shape, numbers, number, signs)
        terms = terms_of(shape, numbers, number, signs)
        if shape.choices:
            least = added(shape, numbers, slots, number, signs) << TreesParameters.of(shape).charge_scale
            terms = Terms(terms.score + least, terms.charges)
        box = leaf(shape, numbers, slots, number, base, terms)
        boxes.append(box[: len(plain.columns)])
    cover_slices(shape, numbers, plain, boxes)


def cover_slices(shape: Shape, numbers: Numbers, slots: Slots, boxes: Sequence[list[Span]]) -> None:
    """R-T-COVER: for each slice, every cell of the plain slots is in exactly one leaf that serves it."""
    for slice_ in range(shape.slices):
        serving = numbers["serves"][slice_ :: shape.slices]
        cover(slots, [box for box, serves in zip(boxes, serving, strict=True) if serves])


def resolve(shape: Shape, numbers: Numbers, facts: Sequence[Fact]) -> None:
    """R-T-NODE and R-T-RESOLVE: the nodes and the rows that they become."""
    _nodes(shape, numbers)
    _resolved(shape, numbers, facts)
    _rows(shape, numbers)
    _marks(numbers)


def node_widths(shape: Shape, numbers: Numbers) -> None:
    """R-T-NODE: predicates are below P, kinds and sides of missing values are bits, values have 16 bits."""
    bits("R-T-NODE", numbers, "node_low", "node_high", *(("node_missing",) if shape.architecture.has_missing else ()))
    limit = 1 << (shape.architecture.weight_bits[0] - 1)
    if any(not 0 <= place < sum(shape.architecture.predicate_counts) for place in numbers["node_predicate"]):
        raise RuleError("R-T-NODE", "node_predicate", "there is no such predicate")
    if any(not -limit <= value < limit for value in numbers["node_value"]):
        raise RuleError("R-T-NODE", "node_value", "a value does not have its width")


def with_sensitive(slots: Slots, steps: Sequence[int]) -> Slots:
    """Return the slots with sensitive predicates of these steps behind them: on side 1, at no distance, each alone."""
    count = len(steps)
    return Slots(
        [*slots.sides, *[1] * count],
        [*slots.steps, *steps],
        [*slots.deltas, *[0] * count],
        [*slots.columns, *(range(j, j + 1) for j in range(len(slots), len(slots) + count))],
        slots.loose,
    )


def _nodes(shape: Shape, numbers: Numbers) -> None:
    """R-T-NODE: the reference of a child is that of its place among the nodes, or behind them among the values."""
    trees, count = shape.architecture.node_counts
    places = numbers["node_child"] if shape.kept else child_places(shape, numbers)
    names = ("low_reference", "high_reference")
    for number, place in enumerate(places):
        if not trees <= place < 2 * count + trees:
            raise RuleError("R-T-NODE", f"child {number}", "there is no such place")
        node, high = divmod(number, 2)
        reference = _reference(numbers, place) if place < count else numbers["node_value"][place - count]
        if numbers[names[high]][node] != reference:
            raise RuleError("R-T-NODE", f"{names[high]} {node}", "it is that of another child")


def child_places(shape: Shape | LinkShape, numbers: Numbers) -> list[int]:
    """R-T-NODE: the r-th child that is a node is node T + r, the r-th that is a leaf has the r-th value; return places.

    Places are among the nodes, or behind all nodes among the values.
    """
    trees, count = shape.architecture.node_counts
    kinds = list(zip(numbers["node_low"], numbers["node_high"], strict=True))
    before = 0
    for i, pair in enumerate(kinds):
        if i and numbers["node_before"][i - 1] != before:
            raise RuleError("R-T-NODE", f"node {i}", f"{before} children before it are nodes")
        if before < i + 1 - trees:
            raise RuleError("R-T-NODE", f"node {i}", "it is no child of a node before it")
        before += sum(pair)
    if before != count - trees:
        raise RuleError("R-T-NODE", "nodes", f"{before} children are nodes, there are {count - trees}")
    nodes = iter(range(trees, count))
    values = iter(range(count, 2 * count + trees))
    return [next(nodes if kind else values) for pair in kinds for kind in pair]


def _reference(numbers: Numbers, node: int) -> int:
    """Return what a node stands for: itself where it is live, its staying child elsewhere."""
    return SPAN * (node + 1) if numbers["node_live"][node] else _pair(numbers, node)[0]


def _pair(numbers: Numbers, node: int) -> tuple[int, int]:
    """Return the references of a node's staying and crossing child."""
    low = numbers["low_reference"][node]
    high = numbers["high_reference"][node]
    return (low, high) if numbers["node_side"][node] else (high, low)


def _facts(shape: Shape, numbers: Numbers) -> list[Fact]:
    """Return every predicate as the query sees it; sensitive ones are live, on side 1 and stated."""
    number = 0
    facts = []
    aways = numbers["away"] if shape.architecture.has_missing else [0] * len(numbers["dead"])
    for side, gone, away in zip(numbers["side"], numbers["dead"], aways, strict=True):
        number += 1 - gone
        facts.append(Fact(0 if gone else number, side, 1 - gone, away))
    return [*facts, *(Fact(shape.slot_count + 1 + i, 1, 1, 0) for i in range(shape.architecture.predicate_counts[1]))]


def _resolved(shape: Shape, numbers: Numbers, facts: Sequence[Fact]) -> None:
    """R-T-RESOLVE: number, side and life of every node are those of its predicate; that of a missing value its own."""
    claimed = zip(numbers["node_slot"], numbers["node_side"], numbers["node_live"], strict=True)
    for i, (place, claim) in enumerate(zip(numbers["node_predicate"], claimed, strict=True)):
        if place >= len(facts):
            raise RuleError("R-T-RESOLVE", f"node {i}", "there is no such predicate")
        slot, side, life, away = facts[place]
        if shape.architecture.has_missing and away:
            side = 1 - numbers["node_missing"][i]
        if claim != (slot, side, life):
            raise RuleError("R-T-RESOLVE", f"node {i}", "number, side or life are not its predicate's")


def _rows(shape: Shape, numbers: Numbers) -> None:
    """R-T-RESOLVE: rows are nodes or empty, and every reference is a value or the id of a row."""
    trees, count = shape.architecture.node_counts
    known = {(i + 1, numbers["node_slot"][i], *_pair(numbers, i)) for i in range(count)} | {(count + 1, 0, 0, 0)}
    names = ("row_id", "row_slot", "stay_reference", "cross_reference")
    for i, row in enumerate(zip(*(numbers[name] for name in names), strict=True)):
        if row not in known:
            raise RuleError("R-T-RESOLVE", f"row {i}", "it is no node, and not empty")
    for kind in ("stay", "cross"):
        _parted(shape, numbers, kind, numbers[f"{kind}_reference"])
    _parted(shape, numbers, "root", [_reference(numbers, root) for root in range(trees)])


def _parted(shape: Shape, numbers: Numbers, kind: str, references: Sequence[int]) -> None:
    """Refuse a reference that is not a value of 16 bits and the id of a row, of which one is 0."""
    limit = 1 << (shape.architecture.weight_bits[0] - 1)
    ids = [0, *numbers["row_id"]]
    for i, (value, row) in enumerate(zip(numbers[f"{kind}_value"], numbers[f"{kind}_row"], strict=True)):
        if not (-limit <= value < limit and 0 <= row < len(ids) and references[i] == value + SPAN * ids[row]):
            raise RuleError("R-T-RESOLVE", f"{kind} {i}", "value and row are not the reference's")


def _marks(numbers: Numbers) -> None:
    """R-T-RESOLVE: a row is marked where a tree begins, and at most one does."""
    bits("R-T-RESOLVE", numbers, "row_root")
    for i, mark in enumerate(numbers["row_root"]):
        if mark != numbers["root_row"].count(i + 1):
            raise RuleError("R-T-RESOLVE", f"row {i}", "its mark is not the number of trees that begin there")


def served(shape: Shape, numbers: Numbers, number: int, signs: Sequence[int]) -> None:
    """R-T-COVER: only a live leaf serves slices, and only those that have its sensitive signs."""
    where = f"leaf {number}"
    count = shape.architecture.predicate_counts[1]
    serves = numbers["serves"][number * shape.slices :][: shape.slices]
    bits("R-T-COVER", {where: serves}, where)
    if any(serves) and not numbers["leaf_live"][number]:
        raise RuleError("R-T-COVER", where, "it is not live, and serves a slice")
    for slice_ in (slice_ for slice_, serving in enumerate(serves) if serving):
        sides = numbers["side_of_slice"][slice_ * count :][:count] if count else []
        if any(sign == (1 if side else -1) for sign, side in zip(signs[shape.slot_count :], sides, strict=True)):
            raise RuleError("R-T-COVER", where, f"it serves slice {slice_}, which is on the other side of a predicate")


def terms_of(shape: Shape, numbers: Numbers, number: int, signs: Sequence[int]) -> Terms:
    """R-T-LEAF and R-T-CHARGE: hold the rows of a leaf; return what they add to it."""
    sigma = 2 * numbers["label"][0] - 1
    rows = shape.row_count
    names = ("free", "way", "charge", "stay", "cross")
    mine = {name: numbers[name][number * rows :][:rows] for name in names}
    worth = {
        name: [
            (sigma * value << VALUE_BITS) + below
            for value, below in zip(numbers[f"{name}_value"], mine[name], strict=True)
        ]
        for name in ("stay", "cross")
    }
    values = [0]
    loss = 0
    sums = [0] * (len(signs) + 1)
    for i, slot in enumerate(numbers["row_slot"]):
        stay = worth["stay"][i]
        cross = worth["cross"][i]
        way = mine["way"][i]
        charge = mine["charge"][i]
        _row(f"leaf {number}, row {i}", signs[slot - 1] if slot else -1, (mine["free"][i], way, charge), stay - cross)
        values.append((cross if way else stay) + charge)
        loss += 0 if way else charge
        sums[slot] += charge if way else -charge
    for name in ("stay", "cross"):
        if any(mine[name][i] != values[row] for i, row in enumerate(numbers[f"{name}_row"])):
            raise RuleError("R-T-LEAF", f"leaf {number}", f"a value of {name} is not that of the child's row")
    if numbers["charged"][number * len(signs) :][: len(signs)] != sums[1:]:
        raise RuleError("R-T-CHARGE", f"leaf {number}", "`charged` is not what the rows charge")
    marked = sum(mark * value for mark, value in zip(numbers["row_root"], values[1:], strict=True))
    constant = sigma * sum(numbers["root_value"]) << VALUE_BITS
    scale = TreesParameters.of(shape).charge_scale
    return Terms((constant + marked - loss) << scale, [paid << scale for paid in sums[1:]])


def _row(where: str, sign: int, claimed: tuple[int, int, int], fall: int) -> None:
    """R-T-LEAF: a row goes where its slot does, and charges up to the difference of both children where it is free."""
    free, way, charge = claimed
    if free != (sign == 0) or way not in (0, 1) or (not free and way != (sign == 1)):
        raise RuleError("R-T-LEAF", where, "it does not go where its slot does")
    if not 0 <= charge <= (2 * way - 1) * fall * free:
        raise RuleError("R-T-LEAF", where, "it charges more than its children differ by, or below 0")
