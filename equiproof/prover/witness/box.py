"""Filling of relation `additive-box`: everything follows from the model, the box and the label, in plain integers.

A box that the label is not decided on everywhere has no witness that the circuit accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.trees.box import Box
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.prover.witness.additive import sensitive_wires, worst_wires
from equiproof.prover.witness.relation import additive_wires
from equiproof.prover.witness.wires import FilledWires


def generate(
    shape: Shape,
    statement: BoxStatement,
    model: AdditiveModel,
    blindings: tuple[int, int],
    box: Box,
    table: Sequence[Sequence[int]],
) -> bytes:
    """Return the witness of a statement as the proving library reads it; `blindings` are of the model and of the box.

    Raises WitnessError where a part does not fit the shape.
    """
    wires = fill(shape, statement, model, blindings, box, table)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(
    shape: Shape,
    statement: BoxStatement,
    model: AdditiveModel,
    blindings: tuple[int, int],
    box: Box,
    table: Sequence[Sequence[int]],
) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    sign = 2 * statement.label - 1
    wires = FilledWires(
        additive_wires(model)
        | {
            "model_blinding": [blindings[0]],
            "spec_digest": [statement.spec_digest],
            "table": [value for row in table for value in row],
            "box_low": [*box.low],
            "box_high": [*box.high],
            "box_blinding": [blindings[1]],
            "label": [statement.label],
            "context_digest": [statement.context_digest],
        }
    )
    wires |= predicates(model, box, sign)
    wires |= sensitive_wires(model, table) | worst_wires(model, table, sign)
    wires |= categories(shape, model, box, sign)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def predicates(model: AdditiveModel, box: Box, sign: int) -> dict[str, list[int]]:
    """Return the wires of the plain predicates; `lowers`: passing one, with the best of those behind, is below 0."""
    count = model.predicates[0]
    columns, thresholds = model.columns[:count], model.thresholds[:count]
    low = [box.low[column] for column in columns]
    high = [box.high[column] for column in columns]
    loose = [int(column in box.loose) for column in columns]
    sides = [int(end <= threshold) for end, threshold in zip(low, thresholds, strict=True)]
    largest = [int(end <= threshold) for end, threshold in zip(high, thresholds, strict=True)]
    same = [int(one == other) for one, other in pairwise(columns)]
    lowers = [0] * count
    behind = 0
    for place in reversed(range(count)):
        counts = (sides[place] - largest[place]) * (1 - loose[place])
        across = counts * sign * model.jumps[place] + (behind if place + 1 < count and same[place] else 0)
        lowers[place], behind = int(across < 0), min(across, 0)
    return {
        "low_at": low, "high_at": high, "loose_at": loose, "side_low": sides, "side_high": largest,
        "same_column": same, "lowers": lowers,
    }  # fmt: skip


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
