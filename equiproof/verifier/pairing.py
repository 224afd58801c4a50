"""Groth16 over BN254 with one commitment, in plain Python: the native check written a second time.

It reads the same bytes as the native library, shares no code with it, and comes to the same verdict for the same
reason. docs/certificate.md has the formats and the two equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from equiproof.circuits.tables import say, written
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import (
    G1,
    G2,
    G1Point,
    G2Point,
    add,
    is_inf,
    multiply_to_one,
    neg,
    read_g1,
    read_g2,
    sum_of,
    uncompressed,
)
from equiproof.verifier.errors import Reason
from equiproof.verifier.hashing import hash_to_field
from equiproof.verifier.parts import Part, read_element, read_parts
from equiproof.verifier.plain import PlainKey

COMMITMENT_DOMAIN = b"bsb22-commitment"

# The parts of a file in their order: a point by name and group, or a length that is always the same.
_PROOF: tuple[Part, ...] = (
    ("A", read_g1),
    ("B", read_g2),
    ("C", read_g1),
    1,
    ("D", read_g1),
    (written("key.proof_of_knowledge"), read_g1),
)
_KEY: tuple[Part, ...] = (
    *(("alpha", read_g1), ("beta in G1", read_g1), ("beta", read_g2), ("gamma", read_g2)),
    *(("delta in G1", read_g1), ("delta", read_g2)),
    # The points of one, of the statement digest and of the commitment's hash; one commitment, to no public input.
    *(3, ("K_0", read_g1), ("K_1", read_g1), ("K_2", read_g1), 1, 0, 1),
    *(("the commitment's G", read_g2), (written("key.sigma_g"), read_g2)),
)


@dataclass(frozen=True)
class Key:
    """A verifying key, its points in their subgroups; `negative_sigma` is -sigma times `generator`."""

    alpha: G1Point
    beta: G2Point
    gamma: G2Point
    delta: G2Point
    inputs: tuple[G1Point, G1Point, G1Point]
    generator: G2Point
    negative_sigma: G2Point


class VerifyingKey(PlainKey):
    """A verifying key, ready to check proofs; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes) -> None:
        self._key = read_key(bytes(memoryview(key)))

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check that the proof holds for the statement digest.

        Raises RefusedError unless it does, MalformedInputError for malformed bytes.
        """
        key = self._key
        proof = bytes(memoryview(proof))
        a, b, c, commitment, knowledge = read_proof(proof)
        statement = read_element(bytes(memoryview(digest)), "statement digest")
        # The owner knows what it committed to: e(D, -sigma G) e(pok, G) = 1.
        if not multiply_to_one((commitment, key.negative_sigma), (knowledge, key.generator)):
            raise RefusedError(say("proof.commitment_unopened"), Reason.COMMITMENT_NOT_OPENED)
        # e(A, B) = e(alpha, beta) e(K_0 + digest K_1 + hash K_2 + D, gamma) e(C, delta)
        commitment_hash = hash_to_field(uncompressed(commitment), COMMITMENT_DOMAIN)
        public = add(sum_of(key.inputs, (1, statement, commitment_hash)), commitment)
        pairs = ((neg(a), b), (key.alpha, key.beta), (public, key.gamma), (c, key.delta))
        if not multiply_to_one(*pairs):
            raise RefusedError(say("proof.pairings_differ"), Reason.PAIRINGS_DIFFER)


def read_proof(data: bytes) -> tuple[G1Point, G2Point, G1Point, G1Point, G1Point]:
    """Return A, B, C, D and its proof of knowledge; raises MalformedInputError naming the first wrong part."""
    a, b, c, commitment, knowledge = read_parts(data, _PROOF, "proof")
    return a, b, c, commitment, knowledge


@lru_cache(maxsize=16)
def read_key(data: bytes) -> Key:
    """Read a verifying key; raises MalformedInputError for malformed bytes and for what no honest set-up writes."""
    alpha, _, beta, gamma, _, delta, one_point, digest_point, hash_point, generator, negative_sigma = read_parts(
        data, _KEY, "verifying key"
    )
    key = Key(alpha, beta, gamma, delta, (one_point, digest_point, hash_point), generator, negative_sigma)
    weakness = _weakness(key)
    if weakness:
        raise MalformedInputError(f"verifying key: {weakness}", Reason.DEGENERATE_KEY)
    return key


def _weakness(key: Key) -> str | None:
    """Return what makes a key degenerate, or None. Each of these made forged proofs possible in a deployed system."""
    # A forgery for a point is, up to a sign, a forgery for its negative.
    if key.gamma in (key.delta, neg(key.delta)):
        return say("key.gamma_delta")
    for name, point in (("beta", key.beta), ("delta", key.delta)):
        if is_inf(point) or point in (G2, neg(G2)):
            return say("key.point_degenerate", point=name)
    # Ceremonies set gamma to the generator, which is sound as long as the discrete logarithm of delta is unknown.
    if is_inf(key.gamma):
        return say("key.gamma_infinite")
    if is_inf(key.alpha) or key.alpha in (G1, neg(G1)):
        return say("key.alpha_degenerate")
    for number, bound in enumerate(key.inputs):
        if is_inf(bound):
            return say("key.input_infinite", number=number)
    # With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge.
    known = key.negative_sigma in (key.generator, neg(key.generator))
    if is_inf(key.generator) or is_inf(key.negative_sigma) or known:
        return say("key.commitment_degenerate")
    return None
