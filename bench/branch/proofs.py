"""Proofs of found evidence under one key, in a separate process that holds neither data set nor torch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import apart, peak_megabytes, set_up, spread
from equiproof.circuits import field
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.shape import Shape
from equiproof.prover import KeyStore
from equiproof.prover.opening import Opening, parse_opening
from equiproof.prover.prove import state
from equiproof.prover.witness.relation import AnyEvidence, Secrets, generate
from equiproof.verifier.programs import load

Found = tuple[tuple[int, ...], AnyEvidence]
"""A query of n_x integers and the evidence around it."""


def prove_all(
    opening: Opening,
    shape: Shape,
    found: Sequence[Found],
    folder: Path,
    proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM,
) -> dict[str, Any]:
    """Make the key of a shape in `folder` and prove each evidence under it, after one proof to warm up.

    Set-up and proving have a process each. Returns the figures of `bench.harness.set_up`; its memory `setup_mb` and
    `peak_mb` of proving; and, under `proofs`, `witness_s`, `prove_s`, `prove_cpu_s` (of all cores), `check_ms` and
    `proof_bytes` of each proof.
    """
    made = apart(_set_up, str(folder), shape, proof_system)
    return made | apart(_prove, opening.secret(), str(folder), list(found))


def summary(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of :func:`prove_all` as one flat object, with medians, quartiles and largest values."""
    proofs = made["proofs"]
    return {
        "constraints": made["constraints"],
        "setup_s": round(made["setup_s"], 2),
        "setup_mb": round(made["setup_mb"], 1),
        "key_mb": round(made["key_mb"], 2),
        "peak_mb": round(made["peak_mb"], 1),
        "proofs": len(proofs),
        "proof_bytes": max((one["proof_bytes"] for one in proofs), default=None),
        **spread("witness_s", [one["witness_s"] for one in proofs], 4),
        **spread("prove_s", [one["prove_s"] for one in proofs], 4),
        **spread("check_ms", [one["check_ms"] for one in proofs], 2),
    }


def _set_up(folder: str, shape: Shape, proof_system: ProofSystem) -> dict[str, Any]:
    """Make the keys, and measure the memory."""
    return set_up(folder, shape, proof_system) | {"setup_mb": peak_megabytes()}


def _prove(secret: bytes, folder: str, found: Sequence[Found]) -> dict[str, Any]:
    """Prove and check everything, after a first proof to warm up."""
    opening, key = parse_opening(secret, "opening"), KeyStore(Path(folder)).all()[0]
    shape, proofs = key.document.shape, []
    with key.load() as prover, load("native", key.document.proof_system, key.verifying) as checker:
        for query, evidence in [*found[:1], *found]:
            begun = time.perf_counter()
            blinding = field.random()
            statement = state(opening, evidence, query, blinding, {})
            witness = generate(shape, statement, Secrets.of(opening, query, blinding), evidence)
            filled, spent = time.perf_counter(), time.process_time()
            proof = prover.prove(witness)
            proven, spent = time.perf_counter(), time.process_time() - spent
            digest = field.to_bytes(statement.digest(shape))
            ready = time.perf_counter()
            checker.verify(digest, proof)
            checked = time.perf_counter()
            proofs.append(
                {
                    "witness_s": filled - begun,
                    "prove_s": proven - filled,
                    "prove_cpu_s": spent,
                    "check_ms": 1000 * (checked - ready),
                    "proof_bytes": len(proof),
                }
            )
    return {"proofs": proofs[1:], "peak_mb": peak_megabytes()}
