"""Both checks of a proof, asked the same: what they say must be the same."""

from __future__ import annotations

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier import pairing
from equiproof.verifier.programs import load

CHECKS = {"native": backend.VerifyingKey, "python": pairing.VerifyingKey}
"""Those of the default proof system."""


def verdict(
    name: str, key: bytes, digest: bytes, proof: bytes, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM
) -> tuple[str, str]:
    """Return `accepted`, `refused` or `malformed`, and the reason; any other exception escapes."""
    try:
        with load(name, proof_system, key) as check:
            check.verify(digest, proof)
    except MalformedInputError as error:
        return "malformed", error.reason
    except RefusedError as error:
        return "refused", error.reason
    return "accepted", ""


def agreed(key: bytes, digest: bytes, proof: bytes, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM) -> str:
    """Return the one verdict of both checks."""
    native, python = (verdict(name, key, digest, proof, proof_system) for name in ("native", "python"))
    assert native[0] == python[0], (native, python, key.hex(), digest.hex(), proof.hex())
    return native[0]
