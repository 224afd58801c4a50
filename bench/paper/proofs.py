"""Proofs of many applicants under one key, in a separate process that holds neither data set nor torch."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import BenchError, apart, peak_megabytes, set_up
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_bytes
from equiproof.circuits.shape import traversal_shape
from equiproof.prover import KeyStore, Proven, Prover
from equiproof.prover.opening import Opening, parse_opening
from equiproof.verifier import (
    AllOf,
    ForContext,
    ForQuery,
    TrustStore,
    Verifier,
    parse_certificate,
    parse_commitment,
    parse_context,
)
from equiproof.verifier.programs import VerifyingKey, load

Row = Mapping[str, Any]


def prove_all(opening: Opening, capacity: int, rows: Sequence[Row], folder: Path) -> dict[str, Any]:
    """Make a key of a capacity in `folder` and prove every row under it, each step in a process of its own.

    Returns the figures of `bench.harness.set_up`, `peak_mb` and, under `proofs`, one record of times, sizes and radius
    per row.
    """
    made = apart(set_up, str(folder), traversal_shape(opening.spec, opening.network.hidden, capacity))
    return made | apart(_prove, opening.secret(), opening.public(), str(folder), list(rows))


def _prove(secret: bytes, public: bytes, folder: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Prove and verify every row, after one proof and one verification to warm up."""
    opening, store = parse_opening(secret, "opening"), TrustStore.open(Path(folder))
    verifier = Verifier(parse_commitment(public, "commitment"), store, "native")
    key = KeyStore(Path(folder)).all()[0]
    with Prover(opening, key) as prover, load("native", key.document.proof_system, key.verifying) as loaded:
        if rows:
            _one(prover, verifier, loaded, rows[0])
        proofs = [_one(prover, verifier, loaded, row) for row in rows]
    return {"proofs": proofs, "peak_mb": peak_megabytes()}


def _one(prover: Prover, verifier: Verifier, loaded: VerifyingKey, row: Row) -> dict[str, Any]:
    """Prove one row; verify the certificate as its applicant would, and its proof alone."""
    context = parse_context(canonical_bytes({"nonce": secrets.token_hex(16)}), "context")
    proven = prover.prove(row, context)
    if not isinstance(proven, Proven):
        raise BenchError("the search called an applicant fair, and the prover did not")
    data = proven.certificate.to_bytes()
    policy = AllOf(ForQuery(proven.query), ForContext(context))
    begun = time.perf_counter()
    verifier.verify(data, policy)
    verified = time.perf_counter()
    certificate = parse_certificate(data, "certificate")
    digest = to_bytes(certificate.to_statement().digest(prover.key.document.shape))
    ready = time.perf_counter()
    loaded.verify(digest, certificate.proof_bytes)
    checked = time.perf_counter()
    return {
        **{f"{name}_s": proven.seconds[name] for name in ("certify", "witness", "prove")},
        "online_s": sum(proven.seconds[name] for name in ("certify", "witness", "prove")),
        "verify_ms": 1000 * (verified - begun),
        "check_ms": 1000 * (checked - ready),
        "proof_bytes": len(certificate.proof_bytes),
        "certificate_bytes": len(data),
        "radius_squared": proven.evidence.radius_squared,
        "regions": proven.evidence.size,
    }
