"""Filling of the relations of ensembles: the wires beyond the statement's, from the evidence, in plain integers.

Signs, slices, multipliers, charges and the use of each leaf are the evidence's; everything else follows from them, the
model and the query. Wrong evidence has no witness that the circuit accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.sets import seen_box
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.rows import children_of, live_rows, passed_nodes, resolved, stays_low
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Box
from equiproof.circuits.trees_layout import SPAN
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.prover.witness.additive import (
    Slot,
    distances,
    least_levels,
    predicate_wires,
    sensitive_wires,
    slot_wires,
    slots_of,
)
from equiproof.prover.witness.model import node_references, nodes_before


@dataclass(frozen=True)
class _Row:
    """A live node as all leaves see it: its slot from 1, and both children, behind dead nodes."""

    node: int
    slot: int
    stay: Child
    cross: Child


@dataclass(frozen=True)
class _Case:
    """What the wires follow from; `slots` are those of the shape, phantoms and sensitive ones among them."""

    shape: Shape
    model: EnsembleModel
    query: Sequence[int]
    evidence: EnsembleEvidence
    slots: tuple[Slot, ...]
    numbers: tuple[int, ...]
    rows: tuple[_Row, ...]
    roots: tuple[Child, ...]

    @property
    def sign(self) -> int:
        """1 for label 1, -1 for label 0."""
        return 2 * self.evidence.label - 1

    @property
    def places(self) -> dict[int, int]:
        """The row of each live node, from 1."""
        return {row.node: place for place, row in enumerate(self.rows, start=1)}

    def reference(self, child: Child) -> int:
        """Return the reference of a child behind dead nodes."""
        return SPAN * (child.number + 1) if child.is_node else child.number


def fill(
    shape: Shape,
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    evidence: EnsembleEvidence,
    box: Box | None = None,
) -> dict[str, list[int]]:
    """Return the wires by name; raises WitnessError where model or evidence do not fit the shape.

    `box` is the ranges that neighbors are kept to, with relation `trees-ranges`.
    """
    refuse_misfit(shape, model, query, evidence)
    if model.sets:
        box = seen_box(model.sets, query, box, 1 << (shape.input_bits - 1))
        query = model.additive.seen(query)
    wires = predicate_wires(model.additive, query, evidence.slots, box)
    return wires | around(shape, model, query, table, evidence)


def around(
    shape: Shape,
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    evidence: EnsembleEvidence,
) -> dict[str, list[int]]:
    """Return the wires of slices, slots, nodes, rows and leaves around a query that has the columns of sets."""
    case = _case(shape, model, query, evidence)
    return (
        sensitive_wires(model.additive, table)
        | slot_wires(case.slots[: shape.slot_count])
        | (_visited(case) if shape.visits else _nodes(case) | _rows(case))
        | _leaves(case)
    )


def refuse_misfit(shape: Shape, model: EnsembleModel, query: Sequence[int], evidence: EnsembleEvidence) -> None:
    """Raise WitnessError where the evidence does not fit the shape's slots, rows and leaves, or the model."""
    a = shape.architecture
    if tuple(one.category for one in model.sets) != a.asked:
        raise WitnessError(f"sets: the categories of the model are not those of {shape.name}")
    if model.predicates != a.predicate_counts or model.nodes.sizes != a.node_counts:
        raise WitnessError(f"columns: {model.predicates} predicates and {model.nodes.sizes} do not fit {shape.name}")
    if len(query) != a.plain:
        raise WitnessError(f"query: {len(query)} values for {a.plain} wires of shape {shape.name}")
    if not 1 <= len(evidence.leaves) <= shape.capacity:
        raise WitnessError(f"signs: {len(evidence.leaves)} leaves do not fit shape {shape.name}")
    if len(evidence.slots) > shape.slot_count:
        raise WitnessError(f"slot_live: {len(evidence.slots)} live predicates do not fit shape {shape.name}")
    if any(not 0 <= place < model.predicates[0] for place in evidence.slots):
        raise WitnessError("slot_live: a slot is no predicate of a plain column")
    rows = len(live_rows(model, model.additive.seen(query), evidence.slots))
    if rows > shape.row_count:
        raise WitnessError(f"row_id: {rows} live nodes do not fit shape {shape.name}")
    if shape.visits:
        passed = len(passed_nodes(model, model.additive.seen(query), evidence.slots))
        if passed > shape.passed_count:
            raise WitnessError(f"passed_id: {passed} nodes on the way do not fit shape {shape.name}")
    for leaf in evidence.leaves:
        lengths = (len(leaf.signs), len(leaf.sensitive), len(leaf.charges))
        if lengths != (len(evidence.slots), model.predicates[1], rows):
            raise WitnessError("signs: a leaf has no sign for each slot, or no charge for each row")


def _case(shape: Shape, model: EnsembleModel, query: Sequence[int], evidence: EnsembleEvidence) -> _Case:
    """Return slots, numbers of predicates, rows and roots of the evidence."""
    sign = 2 * evidence.label - 1
    own = model.additive
    plain = model.predicates[0]
    slots = slots_of(shape, own, query, evidence.slots, sign)
    # Each sensitive predicate is alone in a column behind those of phantoms.
    behind = shape.architecture.columns + shape.slot_count + 1
    sensitive = [Slot(behind + i, 0, 1, sign * jump) for i, jump in enumerate(own.jumps[plain:])]
    of = {place: number for number, place in enumerate(evidence.slots, start=1)}
    numbers = [of.get(place, 0) for place in range(plain)]
    numbers += [shape.slot_count + 1 + i for i in range(len(sensitive))]
    live = frozenset(evidence.slots)

    def behind_dead(child: Child) -> Child:
        return resolved(model, child, query, live)

    rows = []
    for node in live_rows(model, query, evidence.slots):
        stay, cross = map(behind_dead, children_of(model, node, query))
        rows.append(_Row(node, numbers[model.nodes.predicates[node]], stay, cross))
    roots = [behind_dead(Child(True, root)) for root in range(model.nodes.roots)]
    return _Case(shape, model, query, evidence, (*slots, *sensitive), tuple(numbers), tuple(rows), tuple(roots))


def _nodes(case: _Case) -> dict[str, list[int]]:
    """Return the wires of the nodes as the query sees them, and of the roots."""
    model = case.model
    nodes = case.model.nodes
    live = frozenset(case.evidence.slots)
    children = [[resolved(model, child, case.query, live) for child in pair] for pair in nodes.children]
    return {
        "node_slot": [case.numbers[place] for place in nodes.predicates],
        "node_side": [int(stays_low(model, node, case.query)) for node in range(len(nodes.predicates))],
        "node_live": [int(case.numbers[place] > 0) for place in nodes.predicates],
        **({} if case.shape.kept else {"node_before": nodes_before(nodes.kinds)}),
        "low_reference": [case.reference(low) for low, _ in children],
        "high_reference": [case.reference(high) for _, high in children],
        **_roots(case),
    }


def _rows(case: _Case) -> dict[str, list[int]]:
    """Return the wires of the rows; behind the live ones stand empty rows."""
    padding = [0] * (case.shape.row_count - len(case.rows))
    places = case.places
    empty = case.shape.architecture.node_counts[1] + 1
    begun = {root.number for root in case.roots if root.is_node}
    wires = {
        "row_id": [row.node + 1 for row in case.rows] + [empty for _ in padding],
        "row_slot": [row.slot for row in case.rows] + padding,
        "row_root": [int(row.node in begun) for row in case.rows] + padding,
    }
    for name in ("stay", "cross"):
        children: list[Child] = [getattr(row, name) for row in case.rows]
        wires |= {
            f"{name}_reference": [case.reference(child) for child in children] + padding,
            f"{name}_value": [0 if child.is_node else child.number for child in children] + padding,
            f"{name}_row": [places[child.number] if child.is_node else 0 for child in children] + padding,
        }
    return wires


def _visited(case: _Case) -> dict[str, list[int]]:
    """Return the wires of the nodes that the ball reaches, and of the roots; empty places stand behind them."""
    model, shape = case.model, case.shape
    words = NodeWords.of(shape)
    nodes = model.nodes
    low, high = node_references(model, shape)
    empty = shape.architecture.node_counts[1] + 1
    live = frozenset(case.evidence.slots)
    places = case.places
    rows = [row.node for row in case.rows]
    passed = passed_nodes(model, case.query, case.evidence.slots)
    begun = {root.number for root in case.roots if root.is_node}

    def number(node: int) -> int:
        return nodes.predicates[node] + (words.second * nodes.highs[node] if nodes.highs else 0)

    def child(name: str, children: Sequence[Child]) -> dict[str, list[int]]:
        behind = [resolved(model, one, case.query, live) if one.is_node else one for one in children]
        return {
            f"{name}_value": [0 if one.is_node else one.number for one in children],
            f"{name}_node": [one.number + 1 if one.is_node else 0 for one in children],
            f"{name}_behind": [
                end.number if one.is_node and not end.is_node else 0 for one, end in zip(children, behind, strict=True)
            ],
            f"{name}_row": [places[end.number] if end.is_node else 0 for end in behind],
        }

    def padded(wires: dict[str, list[int]], length: int, **padding: int) -> dict[str, list[int]]:
        return {name: run + [padding.get(name, 0)] * (length - len(run)) for name, run in wires.items()}

    of_rows = {
        "row_id": [node + 1 for node in rows],
        "row_number": [number(node) for node in rows],
        "row_slot": [row.slot for row in case.rows],
        "row_side": [int(stays_low(model, node, case.query)) for node in rows],
        "row_root": [int(node in begun) for node in rows],
        **child("stay", [children_of(model, node, case.query)[0] for node in rows]),
        **child("cross", [children_of(model, node, case.query)[1] for node in rows]),
    }
    of_passed = {
        "passed_id": [node + 1 for node in passed],
        "passed_number": [number(node) for node in passed],
        "passed_side": [int(stays_low(model, node, case.query)) for node in passed],
        **child("passed", [children_of(model, node, case.query)[0] for node in passed]),
        "passed_other": [(high if stays_low(model, node, case.query) else low)[node] for node in passed],
    }
    return (
        padded(of_rows, shape.row_count, row_id=empty, row_number=words.empty, row_side=1)
        | padded(of_passed, shape.passed_count, passed_id=empty, passed_number=words.empty, passed_side=1)
        | _roots(case)
    )


def _roots(case: _Case) -> dict[str, list[int]]:
    """Return the wires of what the trees' roots lead to."""
    places = case.places
    return {
        "root_value": [0 if root.is_node else root.number for root in case.roots],
        "root_row": [places[root.number] if root.is_node else 0 for root in case.roots],
    }


def _leaves(case: _Case) -> dict[str, list[int]]:
    """Return the wires of the leaves; those behind the evidence's are not live and leave every slot free."""
    leaves = case.evidence.leaves
    shape = case.shape
    nothing = EnsembleLeaf(
        (0,) * len(case.evidence.slots), (0,) * case.model.predicates[1], (), 0, False, (0,) * len(case.rows)
    )
    padding = shape.capacity - len(leaves)
    wires: dict[str, list[int]] = {
        "leaf_live": [1] * len(leaves) + [0] * padding,
        "used": [int(leaf.used) for leaf in leaves] + [0] * padding,
        "multiplier": [leaf.multiplier for leaf in leaves] + [0] * padding,
    }
    for leaf in (*leaves, *[nothing] * padding):
        for name, values in _leaf(case, leaf).items():
            wires.setdefault(name, []).extend(values)
    return wires


def _leaf(case: _Case, leaf: EnsembleLeaf) -> dict[str, list[int]]:
    """Return the wires of one leaf."""
    shape = case.shape
    parameters = TreesParameters.of(case.shape)
    phantoms = (0,) * (shape.slot_count - len(leaf.signs))
    signs = (*leaf.signs, *phantoms, *leaf.sensitive)
    rows, charged = _charges(case, leaf, signs)
    deltas = distances(case.slots)
    charges = [
        (slot.step << parameters.scale) + leaf.multiplier * delta - (sum_ << parameters.charge_scale)
        for slot, delta, sum_ in zip(case.slots, deltas, charged, strict=True)
    ]
    levels, taken = least_levels(case.slots, charges, signs)
    return {
        "serves": [int(row in leaf.slices) for row in range(shape.slices)],
        "signs": list(signs),
        "taken": taken,
        "level": levels,
        "charged": charged,
        **rows,
    }


def _charges(case: _Case, leaf: EnsembleLeaf, signs: Sequence[int]) -> tuple[dict[str, list[int]], list[int]]:
    """Return the wires of the rows in a leaf (R-T-LEAF), and what they charge each slot (R-T-CHARGE)."""
    count = case.shape.row_count
    places = case.places
    wires = {name: [0] * count for name in ("free", "way", "charge", "stay", "cross")}
    charged = [0] * len(signs)
    row_values = [0] * (len(case.rows) + 1)

    def value(child: Child) -> tuple[int, int]:
        """Return a child's value, and the part of it that is a row's."""
        own = row_values[places[child.number]] if child.is_node else 0
        return (own, own) if child.is_node else (case.sign * child.number << VALUE_BITS, 0)

    # From the last row up: children stand behind their parents, so a row's children have their values already.
    for place in range(len(case.rows) - 1, -1, -1):
        row = case.rows[place]
        gamma = leaf.charges[place]
        stay, wires["stay"][place] = value(row.stay)
        cross, wires["cross"][place] = value(row.cross)
        sign = signs[row.slot - 1]
        way = int(cross <= stay) if sign == 0 else int(sign == 1)
        wires["free"][place] = int(sign == 0)
        wires["way"][place] = way
        wires["charge"][place] = gamma
        row_values[place + 1] = (cross if way else stay) + gamma
        charged[row.slot - 1] += gamma if way else -gamma
    return wires, charged
