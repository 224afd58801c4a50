"""Filling of the relations of boxes, in plain integers.

Of an additive model everything follows from the model, the box and the label; of ensembles and networks leaves are the
evidence. A box that the label is not decided on everywhere has no witness that the circuit accepts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.people import Box
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.trees_parameters import VALUE_BITS, TreesParameters
from equiproof.prover.opening import OwnModel
from equiproof.prover.witness.additive import sensitive_wires, worst_wires
from equiproof.prover.witness.branch import fill_on_box
from equiproof.prover.witness.model import additive_wires, network_wires, node_wires
from equiproof.prover.witness.relation import label_wires
from equiproof.prover.witness.trees import around, refuse_misfit
from equiproof.prover.witness.wires import FilledWires


@dataclass(frozen=True)
class Secrets:
    """What opens a statement about a box: the model, both blindings and the box; the table's (S, n_s) are public.

    `leaves` are of an ensemble or of a network, None of an additive model. The repr shows the table only.
    """

    model: OwnModel = field(repr=False)
    model_blinding: int = field(repr=False)
    box: Box = field(repr=False)
    box_blinding: int = field(repr=False)
    table: Sequence[Sequence[int]]
    leaves: EnsembleEvidence | BranchEvidence | None = field(default=None, repr=False)


def generate(shape: Shape, statement: BoxStatement, secrets: Secrets) -> bytes:
    """Return the witness of a statement as the proving library reads it.

    Raises WitnessError where a part does not fit the shape.
    """
    wires = fill(shape, statement, secrets)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(shape: Shape, statement: BoxStatement, secrets: Secrets) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    model, box, table = secrets.model, secrets.box, secrets.table
    wires = FilledWires(
        _model(model)
        | {
            "model_blinding": [secrets.model_blinding],
            "spec_digest": [statement.spec_digest],
            "table": [value for row in table for value in row],
            "box_low": [*box.low],
            "box_high": [*box.high],
            "box_blinding": [secrets.box_blinding],
            "label": label_wires(model.logit_count, statement.label),
            "context_digest": [statement.context_digest],
        }
    )
    if isinstance(model, EnsembleModel):
        wires |= _ensemble(shape, model, secrets)
    elif isinstance(model, QuantisedNetwork):
        wires |= _network(shape, model, secrets)
    else:
        sign = 2 * statement.label - 1
        wires |= predicates(model, box, sign)
        wires |= sensitive_wires(model, table) | worst_wires(model, table, sign)
        wires |= categories(shape, model, box, sign)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def _model(model: OwnModel) -> dict[str, list[int]]:
    """Return the wires of what is committed to, but for an ensemble's nodes."""
    if isinstance(model, QuantisedNetwork):
        return network_wires(model)
    return additive_wires(model.additive if isinstance(model, EnsembleModel) else model)


def _network(shape: Shape, model: QuantisedNetwork, secrets: Secrets) -> dict[str, list[int]]:
    """Return the wires of a network: which categories leave values open, bounds of the box, and the leaves."""
    box = secrets.box
    if not isinstance(secrets.leaves, BranchEvidence):
        raise WitnessError("signs: a statement about a network has leaves")
    free = {"free": [int(bool(box.open(choice))) for choice in box.choices]} if box.choices else {}
    return free | fill_on_box(shape, model, box, secrets.table, secrets.leaves)


def _ensemble(shape: Shape, model: EnsembleModel, secrets: Secrets) -> dict[str, list[int]]:
    """Return the wires of an ensemble: its nodes, the ends that predicates see, and everything around the least end."""
    if not isinstance(secrets.leaves, EnsembleEvidence):
        raise WitnessError("leaf_live: a statement about an ensemble has leaves")
    box, own = secrets.box, model.additive
    refuse_misfit(shape, model, box.low, secrets.leaves)
    query = own.seen(box.low)
    behind = query[len(box.low) :]
    wires = node_wires(model) | _ends(own, query, (*box.high, *behind))
    if own.absent is not None:
        wires["absent"] = [int(value == own.absent) for value in box.low]
        wires["away"] = [int(own.lacks(place, query)) for place in range(model.predicates[0])]
    wires |= around(shape, model, query, secrets.table, secrets.leaves)
    return wires | values(shape, box, wires)


def values(shape: Shape, box: Box, wires: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Return the wires of an ensemble's categories: which are open, and leaf by leaf what values add, and all at least.

    A category of which nobody in a leaf has a value adds as much as its width holds.
    """
    if not shape.choices:
        return {}
    parameters = TreesParameters.of(shape)
    most = (1 << (parameters.gain_bits - 1)) - 1
    free = {choice: box.open(choice) for choice in shape.choices}
    loose = {column for choice, columns in free.items() if columns for column in choice.columns}
    of = {
        column: [j for j, own in enumerate(wires["slot_column"]) if own == column and column in loose]
        for choice in shape.choices
        for column in choice.columns
    }
    found: dict[str, list[int]] = {"gain": [], "value_stayed": [], "value_crossed": [], "least": []}
    every = len(wires["signs"]) // shape.capacity
    for leaf in range(shape.capacity):
        signs, charged = (wires[name][leaf * every :] for name in ("signs", "charged"))
        steps = [(step << VALUE_BITS) - charge for step, charge in zip(wires["slot_step"], charged, strict=False)]
        gain = {column: sum(steps[j] for j in at) for column, at in of.items()}
        stayed = {column: sum(signs[j] == -1 for j in at) for column, at in of.items()}
        crossed = {column: sum(signs[j] == 1 for j in at) for column, at in of.items()}
        for name, sums in (("gain", gain), ("value_stayed", stayed), ("value_crossed", crossed)):
            found[name] += sums.values()
        for choice, columns in free.items():
            across = sum(crossed[column] for column in choice.columns)
            had = [gain[column] for column in columns if not stayed[column] and crossed[column] == across]
            found["least"].append(min(had, default=most if columns else 0))
    slots = [int(column in loose) for column in wires["slot_column"]]
    return {"open": [int(bool(columns)) for columns in free.values()], "slot_open": slots} | found


def _ends(model: AdditiveModel, low: Sequence[int], high: Sequence[int]) -> dict[str, list[int]]:
    """Return the wires of what plain predicates see of the ends of their columns."""
    count = model.predicates[0]
    columns, thresholds = model.columns[:count], model.thresholds[:count]
    return {
        "low_at": [low[column] for column in columns],
        "high_at": [high[column] for column in columns],
        "side_low": [int(low[column] <= threshold) for column, threshold in zip(columns, thresholds, strict=True)],
        "side_high": [int(high[column] <= threshold) for column, threshold in zip(columns, thresholds, strict=True)],
    }


def predicates(model: AdditiveModel, box: Box, sign: int) -> dict[str, list[int]]:
    """Return the wires of the plain predicates; `lowers`: passing one, with the best of those behind, is below 0."""
    count = model.predicates[0]
    columns = model.columns[:count]
    wires = _ends(model, box.low, box.high)
    loose = [int(column in box.loose) for column in columns]
    same = [int(one == other) for one, other in pairwise(columns)]
    lowers = [0] * count
    behind = 0
    for place in reversed(range(count)):
        counts = (wires["side_low"][place] - wires["side_high"][place]) * (1 - loose[place])
        across = counts * sign * model.jumps[place] + (behind if place + 1 < count and same[place] else 0)
        lowers[place], behind = int(across < 0), min(across, 0)
    return wires | {"loose_at": loose, "same_column": same, "lowers": lowers}


def categories(shape: Shape, model: AdditiveModel, box: Box, sign: int) -> dict[str, list[int]]:
    """Return the wires of the categories: whether each is open, what each value adds, the least of those allowed."""
    if not shape.choices:
        return {}
    added = {column: 0 for choice in shape.choices for column in choice.columns}
    for column, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True):
        if column in box.loose and box.low[column] <= threshold < box.high[column]:
            added[column] += sign * jump
    free = [box.open(choice) for choice in shape.choices]
    return {
        "free": [int(bool(columns)) for columns in free],
        "gain": [*added.values()],
        "least": [min((added[column] for column in columns), default=0) for columns in free],
    }
