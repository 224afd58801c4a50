"""Every family of vectors, and the files that they make."""

from __future__ import annotations

import json

from tests.vectors.generate import (
    additive_keys,
    bad_bytes,
    box_certificates,
    box_circuits,
    bundles,
    circuits,
    encodings,
    ensemble_keys,
    false_certificates,
    false_proofs,
    gain,
    levels,
    linked,
    linking,
    log,
    lot,
    no_certificates,
    plonk,
    score_circuits,
    set_keys,
    transcripts,
    true_certificates,
    true_proofs,
    words,
)
from tests.vectors.generate.cases import proof_bases
from tests.vectors.vector import CertificateVector, CircuitVector, ProofVector, TranscriptVector, Vector, written

FAMILIES = (
    *(true_proofs, false_proofs, bad_bytes, plonk, transcripts),
    *(true_certificates, false_certificates, levels, no_certificates, additive_keys, ensemble_keys, set_keys),
    *(circuits, score_circuits, box_circuits),
)

KINDS = {CertificateVector: "files", CircuitVector: "circuit", TranscriptVector: "transcript"}
"""What the names of files begin with; those of proofs with their proof system."""


def kind(vector: Vector) -> str:
    """Return what the name of a vector's file begins with."""
    if isinstance(vector, ProofVector):
        return proof_bases()[vector.base]["proof_system"].partition("-")[0]
    return KINDS[type(vector)]


def files() -> dict[str, bytes]:
    """Return every file by its name under tests/vectors."""
    found = {
        f"base/{name}.json": (json.dumps(parts, indent=1) + "\n").encode() for name, parts in proof_bases().items()
    }
    for family in FAMILIES:
        for name, vector in family.vectors():
            path = f"{vector.verdict}/{kind(vector)}-{name}.json"
            assert path not in found, path
            found[path] = written(vector)
    found |= {f"bundles/base/{name}.equiproof": data for name, data in bundles.bases().items()}
    for name, bundle in bundles.vectors():
        path = f"bundles/{bundle.verdict}/{name}.json"
        assert path not in found, path
        found[path] = written(bundle)
    found[words.FILE] = words.written()
    found[lot.FILE] = lot.written()
    found[encodings.FILE] = encodings.written()
    found[log.FILE] = log.document()
    found[gain.FILE] = gain.written()
    found[linking.FILE] = linking.written()
    found[box_certificates.FILE] = box_certificates.written()
    found[linked.FILE] = linked.written()
    return found
