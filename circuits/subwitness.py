"""Filling of sub-circuits: the values that a gadget has at one row, slice or leaf of a whole relation's witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from circuits.shape import Shape
from circuits.statement import Statement
from circuits.subcircuit import SubCircuit, Wires


@dataclass(frozen=True)
class Place:
    """One row of a filled relation of scheme `traversal`, with the statement that its wires open.

    `forms` has (value at the centre, squared norm) of each hidden neuron of the row's region, layer by layer, and then
    of each margin; with several logits the label's margin against itself is (0, 0). `radii` has a squared radius of
    every slice.
    """

    wires: Wires
    statement: Statement
    row: int
    forms: Sequence[tuple[int, int]]
    radii: Sequence[int]


BY_SLICE = ("first_bounds", "relaxation", "bounds")
"""The gadgets of scheme `branch` that are about one slice."""


@dataclass(frozen=True)
class Part:
    """One slice or leaf, by its number, of a filled relation of scheme `branch`, with the statement that it opens."""

    wires: Wires
    statement: Statement
    number: int


def fill_part(circuit: SubCircuit, part: Part, blinding: int) -> dict[str, list[int]]:
    """Return a sub-circuit's wires by name, out of those of a relation of scheme `branch`."""
    shape = circuit.shape
    pool = _pool(shape, part.wires, part.statement, [part.statement.radius_squared] * shape.slices, blinding)
    pool["row"] = pool["table"]
    found = {}
    for segment in circuit.segments:
        values, length = pool[segment.name], len(segment.intervals)
        found[segment.name] = values if len(values) == length else _cut(values, length, part.number)
    return found


def _pool(
    shape: Shape, wires: Wires, statement: Statement, radii: Sequence[int], blinding: int
) -> dict[str, list[int]]:
    """Return the relation's wires with all that sub-circuits of either scheme have besides."""
    pool = {name: list(values) for name, values in wires.items()}
    pool |= {field.name: [getattr(statement, field.name)] for field in fields(Statement) if field.name != "label"}
    return pool | {
        "blinding": [blinding],
        "statement_digest": [statement.digest(shape)],
        "radii": list(radii),
    }


def fill_alone(circuit: SubCircuit, place: Place, blinding: int) -> dict[str, list[int]]:
    """Return a sub-circuit's wires by name, out of those of a relation of scheme `traversal`."""
    shape = circuit.shape
    forms, neurons = list(place.forms), shape.architecture.neurons
    pool = _pool(shape, place.wires, place.statement, place.radii, blinding)
    pool["slice"] = [*range(shape.slices), *pool["slice"]]
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
