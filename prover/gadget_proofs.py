"""Proving one gadget for one part of an applicant's search: the search, the proof, and what was proven where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.documents import sensitive_values
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.circuits.shape import Shape, shape_of
from equiproof.circuits.spec import Spec
from equiproof.circuits.subcircuit import SubCircuit, SubCircuitError, gadget_scheme, subcircuit
from equiproof.prover import subcircuits
from equiproof.prover.evidence import find_evidence
from equiproof.prover.gadgets import describe_proof
from equiproof.prover.opening import Opening
from equiproof.prover.subcircuits import InstanceDocument, SubProofDocument
from equiproof.prover.witness.subcircuit import BranchPlaces, TraversalPlaces


def circuit_of(name: str, scheme: Scheme | None, opening: Opening, capacity: int) -> SubCircuit:
    """Return a gadget's circuit for a model; raises SubCircuitError for a name that the model's shape does not have.

    Without a scheme it is the gadget's own, or the default one where every scheme has the gadget.
    """
    chosen = scheme or gadget_scheme(name) or DEFAULT_SCHEME
    return subcircuit(name, shape_of(chosen, opening.spec, opening.network.hidden, capacity))


def search(
    opening: Opening, shape: Shape, query: Sequence[int], max_seconds: float | None
) -> BranchPlaces | TraversalPlaces | Counterexample:
    """Search around a query of n_x integers, and state what was found; raises as :func:`find_evidence`."""
    integers = tuple(query)
    found = find_evidence(opening, shape, integers, max_seconds, None)
    if isinstance(found, Counterexample):
        return found
    match found.evidence:
        case Evidence() as regions:
            return TraversalPlaces.of(opening, shape, integers, regions)
        case BranchEvidence() as tree:
            return BranchPlaces.of(opening, shape, integers, tree)
        case _:
            raise SubCircuitError(f"{shape.name}: circuits of single gadgets are for networks")


def prove(
    keys: Path,
    spec: Spec,
    circuit: SubCircuit,
    searched: BranchPlaces | TraversalPlaces,
    region: int,
    owner_secret: Path | None = None,
) -> tuple[SubProofDocument, InstanceDocument, dict[str, Any]]:
    """Prove a gadget's rule for one region, slice or leaf of a search; makes the sub-circuit's keys if there are none.

    Returns the proof, the secret values behind its digest, and what was proven where as a JSON document. Raises
    KeyStoreError for damaged keys.
    """
    wires = searched.values(circuit, region, field.random())
    key, made = subcircuits.find_or_make(keys, circuit, owner_secret)
    proof = subcircuits.prove(key, wires, owner_secret)
    document = {
        **describe_proof(proof),
        "region": region,
        "slice": sensitive_values(spec, searched.slice_of(circuit, region)),
        "key": str(key.folder),
        "key_made": made,
        "constraints": key.document.constraints,
    }
    return proof, subcircuits.instance(circuit, wires), document
