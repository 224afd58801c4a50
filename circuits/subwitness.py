"""Filling of sub-circuits: the values that a gadget has at one row of a whole relation's witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from circuits.shape import Shape
from circuits.statement import Statement
from circuits.subcircuit import SubCircuit, Wires


@dataclass(frozen=True)
class Place:
    """One row of a filled relation, with the statement that its wires open.

    `forms` has (value at the centre, squared norm) of each hidden neuron of the row's region, layer by layer, and then
    of each margin; with several logits the label's margin against itself is (0, 0). `radii` has a squared radius of
    every slice.
    """

    wires: Wires
    statement: Statement
    row: int
    forms: Sequence[tuple[int, int]]
    radii: Sequence[int]


def fill_alone(circuit: SubCircuit, place: Place, blinding: int) -> dict[str, list[int]]:
    """Return a sub-circuit's wires by name, out of the relation's own."""
    shape = circuit.shape
    forms, neurons = list(place.forms), shape.architecture.neurons
    pool = {name: list(values) for name, values in place.wires.items()}
    pool |= {field.name: [getattr(place.statement, field.name)] for field in fields(Statement) if field.name != "label"}
    pool |= {
        "blinding": [blinding],
        "statement_digest": [place.statement.digest(shape)],
        "radii": list(place.radii),
        "slice": [*range(shape.slices), *pool["slice"]],
    }
    pool["crossed"] = [bit for row in range(shape.capacity) for bit in _crossed(shape, pool, row)]
    here = pool["slice"][place.row]
    pool["row"] = _cut(pool["table"], shape.architecture.sensitive, here)
    if circuit.gadget != "neighbor":
        pool["pattern"] = _cut(pool["pattern"], neurons, place.row)
        pool["crossed"] = _cut(pool["crossed"], neurons, place.row)
    if circuit.gadget == "minimum":
        # Alone, the slices have radii of their own; the relation states one for all.
        pool["radius_squared"] = [min(place.radii)]
    if circuit.gadget in ("boundary", "order"):
        forms = forms[neurons:] if circuit.gadget == "boundary" else forms[:neurons]
    pool["value"], pool["norm_squared"] = [value for value, _ in forms], [norm for _, norm in forms]
    radius = place.statement.radius_squared
    pool["excess"] = [value**2 - radius * norm for value, norm in forms]
    return {segment.name: pool[segment.name] for segment in circuit.segments}


def _crossed(shape: Shape, pool: Wires, row: int) -> list[int]:
    """Return which facets of a row are crossed."""
    first, neurons = shape.architecture.hidden[0], shape.architecture.neurons
    by_slice = _cut(pool["crossed_first"], first, pool["slice"][row])
    return by_slice + _cut(pool["crossed_deeper"], neurons - first, row)


def _cut(values: Sequence[int], length: int, number: int) -> list[int]:
    """Return one run of a list that consists of runs of a length."""
    return list(values[length * number : length * (number + 1)])
