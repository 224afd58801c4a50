"""Every family of vectors, and the files that they make."""

from __future__ import annotations

import json

from tests.vectors.generate import (
    bad_bytes,
    circuits,
    false_certificates,
    false_proofs,
    no_certificates,
    transcripts,
    true_certificates,
    true_proofs,
)
from tests.vectors.generate.cases import proof_bases
from tests.vectors.vector import CertificateVector, CircuitVector, ProofVector, TranscriptVector, written

FAMILIES = (
    true_proofs, false_proofs, bad_bytes, true_certificates, false_certificates, no_certificates, circuits, transcripts
)  # fmt: skip

KINDS = {
    ProofVector: "groth16",
    CertificateVector: "files",
    CircuitVector: "circuit",
    TranscriptVector: "transcript",
}
"""What the names of files begin with."""


def files() -> dict[str, bytes]:
    """Return every file by its name under tests/vectors."""
    found = {
        f"base/{name}.json": (json.dumps(parts, indent=1) + "\n").encode() for name, parts in proof_bases().items()
    }
    for family in FAMILIES:
        for name, vector in family.vectors():
            path = f"{vector.verdict}/{KINDS[type(vector)]}-{name}.json"
            assert path not in found, path
            found[path] = written(vector)
    return found
