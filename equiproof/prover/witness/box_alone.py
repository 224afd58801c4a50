"""The witness of a sub-circuit of a box: the private wires of one gadget, at one slice or leaf if it is about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.subcircuit import SubCircuit
from equiproof.prover.witness.box import Secrets, fill
from equiproof.prover.witness.score_alone import alone, part
from equiproof.prover.witness.wires import FilledWires

BY_SLICE = ("falls", "relaxation", "bounds")
"""The gadgets of networks on boxes that are about one slice."""

BY_LEAF = ("leaf", "chain", "rows")
"""The gadgets of boxes that are about one leaf."""

Wires = Mapping[str, Sequence[int]]
"""Private wires by name."""


@dataclass(frozen=True)
class BoxPlaces:
    """What is stated about a box, and the slices and leaves that gadgets are about."""

    shape: Shape
    statement: BoxStatement
    secrets: Secrets

    def count(self, circuit: SubCircuit) -> int:
        """Return how many places a gadget has: slices, leaves, or the one box."""
        if circuit.gadget in BY_SLICE:
            return self.shape.slices
        leaves = self.secrets.leaves
        return len(leaves.leaves) if circuit.gadget in BY_LEAF and leaves is not None else 1

    def is_of_all(self, circuit: SubCircuit) -> bool:
        """Return whether a gadget is about the whole box, and not about a slice or a leaf."""
        return circuit.gadget not in (*BY_SLICE, *BY_LEAF)

    def slice_of(self, circuit: SubCircuit, place: int) -> int | None:
        """Return the slice of a place; None for a leaf of several slices, and for the whole box."""
        if circuit.gadget in BY_SLICE:
            return place
        leaves = self.secrets.leaves
        return leaves.leaves[place].slice if circuit.gadget == "leaf" and isinstance(leaves, BranchEvidence) else None

    @cached_property
    def wires(self) -> FilledWires:
        """The wires of the whole relation."""
        return fill(self.shape, self.statement, self.secrets)

    def values(self, circuit: SubCircuit, place: int, blinding: int) -> FilledWires:
        """Return a sub-circuit's wires at one place."""
        return values(circuit, self.wires, self.statement, place, blinding)


def values(circuit: SubCircuit, wires: Wires, statement: BoxStatement, place: int, blinding: int) -> FilledWires:
    """Return a sub-circuit's wires at one place, from those of the whole relation and what these state."""
    shape = circuit.shape
    pool = FilledWires((name, list(own)) for name, own in wires.items())
    pool.update({item.name: [getattr(statement, item.name)] for item in fields(BoxStatement) if item.name != "label"})
    pool.update(blinding=[blinding], statement_digest=[statement.digest(shape)], row=pool["table"])
    if shape.has_nodes:
        sides = list(zip(wires["side_low"], wires["side_high"], strict=True))
        # The least ends stand for the query: what none of the box passes, or all of it, is dead.
        pool |= {"side": [low for low, _ in sides], "dead": [1 - low + high for low, high in sides]}
        pool |= alone(shape, pool, place)
    found = FilledWires()
    for segment in circuit.segments:
        own, length = pool[segment.name], len(segment.intervals)
        if shape.branches and len(own) > length:
            found[segment.name] = own[length * place : length * (place + 1)]
        else:
            found[segment.name] = part(pool, segment.name, length, place)
    return found
