"""Gadgets proven alone: values of one region of a real search, keys of their own, proofs about a blinded digest.

Such a proof is no certificate. Its keys have files of another name and format than a certificate's, and its public
input has a domain tag of its own.
"""

from __future__ import annotations

from certify.evidence import Evidence
from certify.polytope import slices
from circuits.statement import Statement
from circuits.subcircuit import SubCircuit
from circuits.subwitness import Place, fill_alone
from circuits.witness import Secrets, fill


def values_at(
    circuit: SubCircuit, statement: Statement, secrets: Secrets, evidence: Evidence, row: int, blinding: int
) -> dict[str, list[int]]:
    """Return the wires of a sub-circuit at one row of the set that the evidence fills."""
    shape = circuit.shape
    wires = fill(shape, statement, secrets, evidence)
    region = evidence.regions[min(row, len(evidence.regions) - 1)]
    sliced = slices(secrets.network, secrets.table)[region.slice]
    margins = list(sliced.margin_forms(region.pattern, evidence.label))
    forms = [*sliced.hidden_forms(region.pattern), *margins]
    found = [(form.value(secrets.query), form.norm_squared) for form in forms]
    if shape.architecture.logits > 1:
        found.insert(shape.architecture.neurons + evidence.label, (0, 0))
    return fill_alone(circuit, Place(wires, statement, row, found), blinding)
