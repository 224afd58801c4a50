"""Where a gadget's values come from: one region of a real search, under the committed model."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence import Evidence, Region
from certify.polytope import slices
from circuits import field
from circuits.shape import Shape
from circuits.statement import Statement
from circuits.subcircuit import SubCircuit, SubCircuitError
from circuits.subwitness import Place, fill_alone
from circuits.witness import Secrets, fill
from prover.opening import Opening
from prover.prove import state


@dataclass(frozen=True)
class Searched:
    """Evidence for one applicant, and what is stated about it under a shape."""

    shape: Shape
    statement: Statement
    secrets: Secrets
    evidence: Evidence

    @classmethod
    def of(cls, opening: Opening, shape: Shape, integers: tuple[int, ...], evidence: Evidence) -> Searched:
        """State evidence for an applicant's integers under a fresh blinding."""
        blinding = field.random()
        secrets = Secrets(opening.network, opening.blinding, integers, blinding, opening.spec.domain_table)
        return cls(shape, state(opening, evidence, integers, blinding, {}), secrets, evidence)

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
