"""A sub-circuit's whole witness: widths, public input, and the gadget's rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from circuits.reference.boundary import boundary
from circuits.reference.bounds import bounds
from circuits.reference.commitment import commitment
from circuits.reference.digest import digest as statement_digest
from circuits.reference.distance import distance
from circuits.reference.field import Wires, elements
from circuits.reference.first_bounds import first_bounds
from circuits.reference.inference import inference
from circuits.reference.instance import instance
from circuits.reference.leaf import leaf
from circuits.reference.minimum import minimum
from circuits.reference.neighbor import neighbor
from circuits.reference.order import order
from circuits.reference.polytope import polytope
from circuits.reference.ranges import ranges
from circuits.reference.relaxation import relaxation
from circuits.reference.tree import tree
from circuits.shape import Shape
from circuits.subcircuit import SubCircuit

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
        "bounds": bounds,
        "tree": tree,
        "leaf": leaf,
        "minimum": minimum,
        "commitment": commitment,
        "digest": statement_digest,
    }
)


def check(circuit: SubCircuit, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Return where the wires satisfy the sub-circuit under a public input; raises RuleError where they do not."""
    found = {segment.name: elements(wires[segment.name]) for segment in circuit.segments}
    ranges(circuit.segments, found)
    instance(circuit, elements([digest])[0], found)
    GADGETS[circuit.gadget](circuit.shape, found)
