"""What the families of vectors are written with: base cases, edits of documents, and vectors by verdict."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.circuits.spec import Spec
from equiproof.verifier import parse_certificate, parse_commitment
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.reading import Reading
from tests.trapdoor import Trapdoor, digest_bytes
from tests.vectors.vector import (
    CERTIFICATE,
    COMMITMENT,
    KEY,
    VERIFYING,
    CertificateVector,
    Policy,
    ProofVector,
    Vector,
    certificate_base,
)

Named = Iterator[tuple[str, Vector]]

KNOWN = Trapdoor()
"""The set-up of the base `known`; its secrets are public, so that a vector can hold any proof."""

DIGEST = 7
PROOF = KNOWN.forge(DIGEST)
LOANS = "loans"
EVERYTHING = Policy(query=True, context=True, min_radius="0.25")

KINDS = {
    "accept": (None, None),
    "reject": ("RefusedError", "ProofError"),
    "malformed": ("MalformedInputError", "CertificateFormatError"),
}


def proof_bases() -> dict[str, dict[str, str]]:
    """Return the base cases of proof vectors: one whose secrets are known, and one of a real set-up of each system."""
    cases = {"known": (KNOWN.key(), DIGEST, PROOF.data(), DEFAULT_PROOF_SYSTEM)}
    for name, folder in (("published", LOANS), ("plonk", "loans-plonk")):
        files = certificate_base(folder)
        certificate = parse_certificate(files[CERTIFICATE], CERTIFICATE)
        digest = certificate.to_statement().digest(parse_key(files[KEY], KEY).shape)
        cases[name] = (files[VERIFYING], digest, certificate.proof_bytes, certificate.proof_system)
    return {
        name: {
            "proof_system": proof_system,
            "key": key.hex(),
            "digest": digest_bytes(number).hex(),
            "proof": proof.hex(),
        }
        for name, (key, number, proof, proof_system) in cases.items()
    }


def proof_vector(
    verdict: Any,
    what: str,
    why: str,
    reason: Reason | None = None,
    base: str = "known",
    **parts: bytes,
) -> ProofVector:
    """Return a vector of key, digest and proof; parts that are not given are the base's."""
    return ProofVector(
        what=what,
        why=why,
        verdict=verdict,
        exception=KINDS[verdict][0],
        reason=reason,
        base=base,
        **{name: data.hex() for name, data in parts.items()},
    )


def certificate_vector(
    verdict: Any,
    what: str,
    why: str,
    reason: str | None = None,
    field: str | None = None,
    exception: str | None = None,
    policy: Policy = Policy(),  # noqa: B008  # frozen
    base: str = LOANS,
    files: dict[str, Any] | None = None,
) -> CertificateVector:
    """Return a vector of files; one that is given as a document is written canonically, as bytes in hexadecimal."""
    files = files or {}
    return CertificateVector(
        what=what,
        why=why,
        verdict=verdict,
        exception=exception or KINDS[verdict][1],
        reason=reason,
        field=field,
        base=base,
        policy=policy,
        text={
            name: canonical_bytes(data).decode() if isinstance(data, dict) else data
            for name, data in files.items()
            if not isinstance(data, bytes)
        },
        hex={name: data.hex() for name, data in files.items() if isinstance(data, bytes)},
    )


def document(name: str, base: str = LOANS) -> Any:
    """Return a base file as a document that may be changed."""
    return copy.deepcopy(json.loads(certificate_base(base)[name]))


def edited(name: str, path: str, value: Any, base: str = LOANS) -> Any:
    """Return a base file with one field, at a dotted path, replaced or added."""
    whole = document(name, base)
    *way, last = path.split(".")
    place = whole
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[last] = value
    return whole


def without(name: str, path: str) -> Any:
    """Return a base file without one field."""
    whole = document(name)
    *way, last = path.split(".")
    place = whole
    for step in way:
        place = place[step]
    del place[last]
    return whole


def with_proof(proof: bytes) -> Any:
    """Return the base certificate with another proof."""
    return edited(CERTIFICATE, "proof", base64.b64encode(proof).decode())


def proof_of(base: str = LOANS) -> bytes:
    """Return the base certificate's proof."""
    return base64.b64decode(document(CERTIFICATE, base)["proof"])


def spec_of(base: str = LOANS) -> Spec:
    """Return the base's spec."""
    return parse_commitment(certificate_base(base)[COMMITMENT], COMMITMENT).spec


def restated(**fields: Any) -> Any:
    """Return the base certificate with other statement fields, and the words that go with them."""
    whole = document(CERTIFICATE)
    whole["statement"] |= fields
    statement = whole["statement"]
    reading = Reading.of(spec_of(), statement["label"], statement["radius_squared"])
    return whole | {"reading": json.loads(canonical_bytes(reading))}
