"""Where a gadget's values come from: one region, slice or leaf of a real search, under the committed model."""

from __future__ import annotations

from dataclasses import dataclass

from certify.branch.evidence import BranchEvidence
from certify.evidence import Evidence, Region
from certify.polytope import slices
from circuits import field
from circuits.shape import Shape
from circuits.statement import Statement
from circuits.subcircuit import SubCircuit, SubCircuitError
from circuits.subwitness import BY_SLICE, Part, Place, fill_alone, fill_part
from circuits.witness import Secrets, fill
from prover.opening import Opening
from prover.prove import state


def _stated(
    opening: Opening, integers: tuple[int, ...], evidence: Evidence | BranchEvidence
) -> tuple[Statement, Secrets]:
    """State evidence for an applicant's integers under a fresh blinding."""
    blinding = field.random()
    secrets = Secrets(opening.network, opening.blinding, integers, blinding, opening.spec.domain_table)
    return state(opening, evidence, integers, blinding, {}), secrets


@dataclass(frozen=True)
class Branched:
    """A tree for one applicant, and what is stated about it under a shape of scheme `branch`."""

    shape: Shape
    statement: Statement
    secrets: Secrets
    evidence: BranchEvidence

    @classmethod
    def of(cls, opening: Opening, shape: Shape, integers: tuple[int, ...], evidence: BranchEvidence) -> Branched:
        """State a tree for an applicant's integers."""
        return cls(shape, *_stated(opening, integers, evidence), evidence)

    def count(self, circuit: SubCircuit) -> int:
        """Return how many places a gadget has: slices or, where it is not about one of these, leaves."""
        return self.shape.slices if circuit.gadget in BY_SLICE else len(self.evidence.leaves)

    def slice_of(self, circuit: SubCircuit, number: int) -> int:
        """Return the slice of a place."""
        return number if circuit.gadget in BY_SLICE else self.evidence.leaves[number].slice

    def values(self, circuit: SubCircuit, number: int, blinding: int) -> dict[str, list[int]]:
        """Return a sub-circuit's wires at one slice or leaf."""
        wires = fill(self.shape, self.statement, self.secrets, self.evidence)
        return fill_part(circuit, Part(wires, self.statement, number), blinding)


@dataclass(frozen=True)
class Searched:
    """Regions for one applicant, and what is stated about them under a shape of scheme `traversal`."""

    shape: Shape
    statement: Statement
    secrets: Secrets
    evidence: Evidence

    @classmethod
    def of(cls, opening: Opening, shape: Shape, integers: tuple[int, ...], evidence: Evidence) -> Searched:
        """State regions for an applicant's integers."""
        return cls(shape, *_stated(opening, integers, evidence), evidence)

    def count(self, circuit: SubCircuit) -> int:
        """Return how many places a gadget has: regions, for inference the slices' centres."""
        return self.shape.slices if circuit.gadget == "inference" else len(self.evidence.regions)

    def slice_of(self, circuit: SubCircuit, number: int) -> int:
        """Return the slice of a place."""
        return number if circuit.gadget == "inference" else self.region(number).slice

    def region(self, row: int) -> Region:
        """Return the region in a row; rows past the evidence repeat its last one."""
        return self.evidence.regions[min(row, len(self.evidence.regions) - 1)]

    def values(self, circuit: SubCircuit, row: int, blinding: int) -> dict[str, list[int]]:
        """Return a sub-circuit's wires at one row; raises SubCircuitError for a row where the rule is not asked for."""
        if circuit.gadget == "inference" and row >= self.shape.slices:
            raise SubCircuitError(f"inference is about the slices' centres: regions 0 to {self.shape.slices - 1}")
        wires = fill(self.shape, self.statement, self.secrets, self.evidence)
        forms = self._forms(self.region(row))
        return fill_alone(circuit, Place(wires, self.statement, row, forms, self.radii()), blinding)

    def radii(self) -> list[int]:
        """Return for each slice the largest squared radius that its own regions prove, within the shape's width.

        It is that of the nearest hyperplane that counts: a facet whose other side is not in the set, or a decision.
        """
        found = [(1 << self.shape.radius_bits) - 1] * self.shape.slices
        neurons, members = self.shape.architecture.neurons, frozenset(self.evidence.regions)
        for region in members:
            for number, (value, norm) in enumerate(self._forms(region)):
                crossed = number < neurons and region.across(number) in members
                if norm and not crossed:
                    found[region.slice] = min(found[region.slice], value**2 // norm)
        return found

    def _forms(self, region: Region) -> list[tuple[int, int]]:
        """Return value and squared norm of every form of a region."""
        label = self.evidence.label
        sliced = slices(self.secrets.network, self.secrets.table)[region.slice]
        forms = [*sliced.hidden_forms(region.pattern), *sliced.margin_forms(region.pattern, label)]
        found = [(form.value(self.secrets.query), form.norm_squared) for form in forms]
        if self.shape.architecture.logits > 1:
            # The label's margin against itself, which the search leaves out.
            found.insert(self.shape.architecture.neurons + label, (0, 0))
        return found
