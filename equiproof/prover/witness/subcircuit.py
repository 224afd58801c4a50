"""The witness of a sub-circuit: the private wires of one gadget at one place, a region, slice or leaf of a search.

Evidence is stated as for a certificate, and fills the whole relation's wires; those of a gadget are taken from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Generic, Self, TypeVar

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.polytope import slices
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits.field import random
from equiproof.circuits.shape import Shape
from equiproof.circuits.statement import Statement
from equiproof.circuits.subcircuit import SubCircuit, SubCircuitError
from equiproof.prover.opening import Opening
from equiproof.prover.prove import state
from equiproof.prover.witness.relation import Secrets, fill
from equiproof.prover.witness.score_alone import alone, part
from equiproof.prover.witness.wires import FilledWires

BY_SLICE = ("first_bounds", "relaxation", "bounds")
"""The gadgets of scheme `branch` that are about one slice."""

E = TypeVar("E", Evidence, BranchEvidence, AdditiveEvidence | EnsembleEvidence)


@dataclass(frozen=True)
class _Stated(Generic[E]):
    """Evidence for one applicant, and what is stated about it under a shape of its scheme."""

    shape: Shape
    statement: Statement
    secrets: Secrets
    evidence: E = field(repr=False)

    @classmethod
    def of(cls, opening: Opening, shape: Shape, integers: tuple[int, ...], evidence: E) -> Self:
        """State evidence for an applicant's integers under a fresh blinding."""
        blinding = random()
        statement = state(opening, evidence, integers, blinding, {})
        return cls(shape, statement, Secrets.of(opening, integers, blinding), evidence)

    @cached_property
    def wires(self) -> FilledWires:
        """The wires of the whole relation."""
        return fill(self.shape, self.statement, self.secrets, self.evidence)

    @cached_property
    def statement_digest(self) -> int:
        """The public input of the whole relation, which gadget `digest` opens."""
        return self.statement.digest(self.shape)

    def _pool(self, radii: Sequence[int], blinding: int) -> FilledWires:
        """Return the relation's wires, and all others that sub-circuits of either scheme have."""
        pool = FilledWires((name, list(values)) for name, values in self.wires.items())
        parts = [part.name for part in fields(Statement) if part.name != "label"]
        pool.update({name: [getattr(self.statement, name)] for name in parts})
        pool.update(blinding=[blinding], statement_digest=[self.statement_digest], radii=list(radii))
        return pool


@dataclass(frozen=True)
class BranchPlaces(_Stated[BranchEvidence]):
    """The slices and leaves of a tree for one applicant, under a shape of scheme `branch`."""

    def count(self, circuit: SubCircuit) -> int:
        """Return how many places a gadget has: slices or, where it is not about one of these, leaves."""
        return self.shape.slices if circuit.gadget in BY_SLICE else len(self.evidence.leaves)

    def slice_of(self, circuit: SubCircuit, place: int) -> int:
        """Return the slice of a place."""
        return place if circuit.gadget in BY_SLICE else self.evidence.leaves[place].slice

    def values(self, circuit: SubCircuit, place: int, blinding: int) -> FilledWires:
        """Return a sub-circuit's wires at one slice or leaf."""
        pool = self._pool([self.statement.radius_squared] * self.shape.slices, blinding)
        pool["row"] = pool["table"]
        wires = FilledWires()
        for segment in circuit.segments:
            values = pool[segment.name]
            length = len(segment.intervals)
            wires[segment.name] = values if len(values) == length else _run(values, length, place)
        return wires


@dataclass(frozen=True)
class ScorePlaces(_Stated[AdditiveEvidence | EnsembleEvidence]):
    """The leaves of a partition for one applicant, under a shape of scheme `trees`."""

    def count(self, circuit: SubCircuit) -> int:  # noqa: ARG002 -- as of the other schemes
        """Return how many places a gadget has: leaves."""
        return len(self.evidence.leaves)

    def slice_of(self, circuit: SubCircuit, place: int) -> None:
        """Return no slice: leaves of this scheme are of several."""

    def values(self, circuit: SubCircuit, place: int, blinding: int) -> FilledWires:
        """Return a sub-circuit's wires at one leaf."""
        pool = self._pool([self.statement.radius_squared] * self.shape.slices, blinding)
        pool |= alone(self.shape, pool, place)
        return FilledWires(
            (segment.name, part(pool, segment.name, len(segment.intervals), place)) for segment in circuit.segments
        )


@dataclass(frozen=True)
class TraversalPlaces(_Stated[Evidence]):
    """The regions of a set for one applicant, under a shape of scheme `traversal`."""

    def count(self, circuit: SubCircuit) -> int:
        """Return how many places a gadget has: regions, for inference the slices' centres."""
        return self.shape.slices if circuit.gadget == "inference" else len(self.evidence.regions)

    def slice_of(self, circuit: SubCircuit, place: int) -> int:
        """Return the slice of a place."""
        return place if circuit.gadget == "inference" else self.region(place).slice

    def region(self, row: int) -> Region:
        """Return the region in a row; rows past the evidence repeat its last one."""
        return self.evidence.regions[min(row, len(self.evidence.regions) - 1)]

    def values(self, circuit: SubCircuit, row: int, blinding: int) -> FilledWires:
        """Return a sub-circuit's wires at one row; raises SubCircuitError for a row that the gadget is not about."""
        if circuit.gadget == "inference" and row >= self.shape.slices:
            raise SubCircuitError(f"inference is about the slices' centres: regions 0 to {self.shape.slices - 1}")
        neurons = self.shape.architecture.neurons
        sensitive = self.shape.architecture.sensitive
        radii = self.radii()
        pool = self._pool(radii, blinding)
        pool["slice"] = [*range(self.shape.slices), *pool["slice"]]
        pool["crossed"] = [bit for at in range(self.shape.capacity) for bit in self._crossed(pool, at)]
        pool["row"] = _run(pool["table"], sensitive, pool["slice"][row])
        if circuit.gadget != "neighbor":
            pool["pattern"] = _run(pool["pattern"], neurons, row)
            pool["crossed"] = _run(pool["crossed"], neurons, row)
        if circuit.gadget == "minimum":
            # Alone, the slices have radii of their own; the relation states one for all.
            pool["radius_squared"] = [min(radii)]
        forms = self._forms(self.region(row))
        if circuit.gadget in ("boundary", "order"):
            forms = forms[neurons:] if circuit.gadget == "boundary" else forms[:neurons]
        pool["value"] = [value for value, _ in forms]
        pool["norm_squared"] = [norm for _, norm in forms]
        radius = self.statement.radius_squared
        pool["excess"] = [value**2 - radius * norm for value, norm in forms]
        return FilledWires((segment.name, pool[segment.name]) for segment in circuit.segments)

    def _crossed(self, pool: FilledWires, row: int) -> list[int]:
        """Return which facets of a row are crossed."""
        first = self.shape.architecture.hidden[0]
        neurons = self.shape.architecture.neurons
        by_slice = _run(pool["crossed_first"], first, pool["slice"][row])
        return by_slice + _run(pool["crossed_deeper"], neurons - first, row)

    def radii(self) -> list[int]:
        """Return for each slice the largest squared radius that its own regions prove, within the shape's width.

        It is that of the nearest hyperplane that counts: a facet whose other side is not in the set, or a decision.
        """
        radii = [(1 << self.shape.radius_bits) - 1] * self.shape.slices
        neurons = self.shape.architecture.neurons
        members = frozenset(self.evidence.regions)
        for region in members:
            for number, (value, norm) in enumerate(self._forms(region)):
                crossed = number < neurons and region.across(number) in members
                if norm and not crossed:
                    radii[region.slice] = min(radii[region.slice], value**2 // norm)
        return radii

    def _forms(self, region: Region) -> list[tuple[int, int]]:
        """Return (value at the centre, squared norm) of each hidden neuron of a region, and then of each margin."""
        label = self.evidence.label
        sliced = slices(self.secrets.network, self.secrets.table)[region.slice]
        forms = [*sliced.hidden_forms(region.pattern), *sliced.margin_forms(region.pattern, label)]
        numbers = [(form.value(self.secrets.query), form.norm_squared) for form in forms]
        if self.shape.architecture.logits > 1:
            # The label's margin against itself, which the search leaves out.
            numbers.insert(self.shape.architecture.neurons + label, (0, 0))
        return numbers


def _run(values: Sequence[int], length: int, number: int) -> list[int]:
    """Return one run of a list that consists of runs of a length."""
    return list(values[length * number : length * (number + 1)])
