"""Proving one gadget for one part of an applicant's search: the search, the proof, and what was proven where."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.assignments import sensitive_values
from equiproof.circuits.schemes import DEFAULT_SCHEME, NetworkScheme
from equiproof.circuits.shape import Shape, shape_of
from equiproof.circuits.spec import Spec
from equiproof.circuits.subcircuit import SubCircuit, gadget_scheme
from equiproof.prover import subcircuits
from equiproof.prover.box import Ends, RoomError, decided, open_box, state_box
from equiproof.prover.evidence import find_evidence
from equiproof.prover.gadgets import describe_proof
from equiproof.prover.opening import Opening
from equiproof.prover.subcircuits import InstanceDocument, SubProofDocument
from equiproof.prover.witness.box import Secrets
from equiproof.prover.witness.box_alone import BoxPlaces
from equiproof.prover.witness.subcircuit import BranchPlaces, ScorePlaces, TraversalPlaces

Places = BranchPlaces | TraversalPlaces | ScorePlaces | BoxPlaces
"""What a search found for an applicant or a box, in the parts that gadgets are about."""


def network_shape(name: str, scheme: NetworkScheme | None, opening: Opening, capacity: int) -> Shape:
    """Return the shape of a network at which a gadget is proven.

    Without a scheme it is the gadget's own, or the default one where both have the gadget.
    """
    own = gadget_scheme(name)
    chosen = scheme or (DEFAULT_SCHEME if own in (None, "trees") else own)
    return shape_of(chosen, opening.spec, opening.network.hidden, capacity)


def search(opening: Opening, shape: Shape, query: Sequence[int], max_seconds: float | None) -> Places | Counterexample:
    """Search around a query of n_x integers, and state what was found; raises as :func:`find_evidence`."""
    integers = tuple(query)
    outcome = find_evidence(opening, shape, integers, max_seconds, None)
    if isinstance(outcome, Counterexample):
        return outcome
    match outcome.evidence:
        case Evidence() as regions:
            return TraversalPlaces.of(opening, shape, integers, regions)
        case BranchEvidence() as tree:
            return BranchPlaces.of(opening, shape, integers, tree)
        case partition:
            return ScorePlaces.of(opening, shape, integers, partition)


def search_box(opening: Opening, shape: Shape, ends: Ends, label: str) -> BoxPlaces:
    """Decide a model on a box, and state what was found under a fresh blinding.

    Raises as :meth:`.BoxProver.prove`, RoomError also for a shape without room for the leaves.
    """
    blinding = field.random()
    opened, box = open_box(opening.spec, ends, label, blinding)
    try:
        leaves = decided(opening, shape, box, label)
    except RoomError:
        raise RoomError("box: give a larger --capacity, --slots or --rows, or a smaller box: it has no room") from None
    secrets = Secrets(opening.model, opening.blinding, box, blinding, opening.spec.domain_table, leaves)
    return BoxPlaces(shape, state_box(opening, opened, label, {}), secrets)


def prove(
    keys: Path,
    spec: Spec,
    circuit: SubCircuit,
    searched: Places,
    region: int,
    owner_secret: Path | None = None,
) -> tuple[SubProofDocument, InstanceDocument, dict[str, Any]]:
    """Prove a gadget's rule for one region, slice or leaf of a search; makes the sub-circuit's keys if there are none.

    Returns the proof, the secret values behind its digest, and what was proven where as a JSON document, without a
    region for what is about a whole box. Raises KeyStoreError for damaged keys.
    """
    wires = searched.values(circuit, region, field.random())
    key, made = subcircuits.find_or_make(keys, circuit, owner_secret)
    proof = subcircuits.prove(key, wires, owner_secret)
    place = searched.slice_of(circuit, region)
    document = {
        **describe_proof(proof),
        "region": None if isinstance(searched, BoxPlaces) and searched.is_of_all(circuit) else region,
        "slice": None if place is None else sensitive_values(spec, place),
        "key": str(key.folder),
        "key_made": made,
        "constraints": key.document.constraints,
    }
    return proof, subcircuits.instance(circuit, wires), document
