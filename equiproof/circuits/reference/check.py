"""A sub-circuit's whole witness: widths, public input, and the gadget's rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from equiproof.circuits.reference import people, scores
from equiproof.circuits.reference.boundary import boundary
from equiproof.circuits.reference.bounds import bounds
from equiproof.circuits.reference.commitment import commitment
from equiproof.circuits.reference.digest import digest as statement_digest
from equiproof.circuits.reference.distance import distance
from equiproof.circuits.reference.field import Wires, elements
from equiproof.circuits.reference.first_bounds import first_bounds
from equiproof.circuits.reference.inference import inference
from equiproof.circuits.reference.instance import instance
from equiproof.circuits.reference.leaf import leaf
from equiproof.circuits.reference.minimum import minimum
from equiproof.circuits.reference.neighbor import neighbor
from equiproof.circuits.reference.order import order
from equiproof.circuits.reference.polytope import polytope
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.relaxation import relaxation
from equiproof.circuits.reference.tree import tree
from equiproof.circuits.shape import Shape
from equiproof.circuits.subcircuit import SubCircuit


def _centred(shape: Shape, wires: Wires) -> Wires:
    """Return the wires of passes around a query, on a box around its least ends."""
    return people.around_least_ends(shape, wires) if shape.boxes else wires


GADGETS: MappingProxyType[str, Callable[[Shape, Wires], None]] = MappingProxyType(
    {
        "inference": inference,
        "polytope": polytope,
        "distance": distance,
        "neighbor": neighbor,
        "boundary": boundary,
        "order": order,
        "first_bounds": first_bounds,
        "relaxation": relaxation,
        "bounds": lambda shape, wires: bounds(shape, _centred(shape, wires)),
        "tree": tree,
        "leaf": lambda shape, wires: leaf(shape, _centred(shape, wires)),
        "predicates": scores.predicates,
        "centre": scores.centre,
        "slots": scores.slots,
        "chain": scores.chain,
        "cover": scores.coverage,
        "nodes": scores.nodes,
        "rows": scores.rows,
        "people": people.people,
        "sides": people.sides,
        "levels": people.levels,
        "gains": people.gains,
        "falls": people.falls,
        "minimum": minimum,
        "commitment": commitment,
        "digest": statement_digest,
    }
)


def check(circuit: SubCircuit, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Raise RuleError unless the wires satisfy the sub-circuit under a public input."""
    field_wires = {segment.name: elements(wires[segment.name]) for segment in circuit.segments}
    ranges(circuit.segments, field_wires)
    instance(circuit, elements([digest])[0], field_wires)
    GADGETS[circuit.gadget](circuit.shape, field_wires)
