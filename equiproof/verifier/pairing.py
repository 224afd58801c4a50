"""Groth16 over BN254 with one commitment or two, in plain Python: the native check written a second time.

It reads the same bytes as the native library, shares no code with it, and comes to the same verdict for the same
reason. docs/proof.md has the formats and the two equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from equiproof.circuits.field import to_bytes
from equiproof.circuits.tables import say, written
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import (
    G1,
    G2,
    G1Point,
    G2Point,
    add,
    is_inf,
    multiply,
    multiply_to_one,
    neg,
    read_g1,
    read_g2,
    sum_of,
    uncompressed,
)
from equiproof.verifier.errors import Reason
from equiproof.verifier.hashing import hash_to_field
from equiproof.verifier.parts import Index, Part, read_element, read_parts
from equiproof.verifier.plain import PlainKey

COMMITMENT_DOMAIN = b"bsb22-commitment"
FOLDING_DOMAIN = b"G16-BSB22"

# The first parts of a key: points by name and group.
_POINTS: tuple[Part, ...] = (
    *(("alpha", read_g1), ("beta in G1", read_g1), ("beta", read_g2), ("gamma", read_g2)),
    *(("delta in G1", read_g1), ("delta", read_g2)),
)


def _proof_parts(commitments: int) -> tuple[Part, ...]:
    """Return the parts of a proof with so many commitments, in their order."""
    points = ((f"D{number}" if commitments > 1 else "D", read_g1) for number in range(1, commitments + 1))
    knowledge = (written("key.proof_of_knowledge"), read_g1)
    return (("A", read_g1), ("B", read_g2), ("C", read_g1), commitments, *points, knowledge)


def _key_parts(commitments: int) -> tuple[Part, ...]:
    """Return the parts of a verifying key for so many commitments, in their order.

    There is a point for one, for the statement digest and for the hash of each commitment; then for each commitment the
    inputs that its hash takes, which are the hashes of the commitments before it; and the key of each commitment.
    """
    count = 2 + commitments
    hashed: list[Part] = [commitments]
    for earlier in range(commitments):
        hashed += [earlier, *(Index(2 + place) for place in range(earlier))]
    keys = (("the commitment's G", read_g2), (written("key.sigma_g"), read_g2)) * commitments
    return (*_POINTS, count, *((f"K_{place}", read_g1) for place in range(count)), *hashed, commitments, *keys)


@dataclass(frozen=True)
class Key:
    """A verifying key, its points in their subgroups.

    `inputs` are the points of one, of the statement digest and of each commitment's hash; each of `negative_sigmas` is
    -sigma of a commitment times `generator`.
    """

    alpha: G1Point
    beta: G2Point
    gamma: G2Point
    delta: G2Point
    inputs: tuple[G1Point, ...]
    generator: G2Point
    negative_sigmas: tuple[G2Point, ...]


@dataclass(frozen=True)
class Proof:
    """A proof: A, B and C of Groth16, the commitments to private wires, and one proof of knowledge for all of them."""

    a: G1Point
    b: G2Point
    c: G1Point
    commitments: tuple[G1Point, ...]
    knowledge: G1Point


class VerifyingKey(PlainKey):
    """A verifying key, ready to check proofs; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes) -> None:
        self._key = read_key(bytes(memoryview(key)))

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check that the proof holds for the statement digest.

        Raises RefusedError unless it does, MalformedInputError for malformed bytes.
        """
        points = read_proof(bytes(memoryview(proof)))
        check(self._key, points, read_element(bytes(memoryview(digest)), "statement digest"))


def check(key: Key, proof: Proof, statement: int) -> None:
    """Check the two equations of a proof; raises RefusedError unless both hold."""
    hashes = challenges(proof.commitments)
    # The owner knows what it committed to: e(D_1, -sigma_1 G) e(f D_2, -sigma_2 G) e(pok, G) = 1.
    weighed = proof.commitments[:1] + tuple(multiply(point, folding(hashes)) for point in proof.commitments[1:])
    opened = zip(weighed, key.negative_sigmas, strict=True)
    if not multiply_to_one(*opened, (proof.knowledge, key.generator)):
        raise RefusedError(say("proof.commitment_unopened"), Reason.COMMITMENT_NOT_OPENED)
    # e(A, B) = e(alpha, beta) e(K_0 + digest K_1 + hash K_2 .. + D .., gamma) e(C, delta)
    public = sum_of(key.inputs, (1, statement, *hashes))
    for commitment in proof.commitments:
        public = add(public, commitment)
    pairs = ((neg(proof.a), proof.b), (key.alpha, key.beta), (public, key.gamma), (proof.c, key.delta))
    if not multiply_to_one(*pairs):
        raise RefusedError(say("proof.pairings_differ"), Reason.PAIRINGS_DIFFER)


def challenges(commitments: Sequence[G1Point]) -> list[int]:
    """Return the hash of each commitment; each takes those of the commitments before it, too."""
    hashes: list[int] = []
    for commitment in commitments:
        earlier = b"".join(to_bytes(challenge) for challenge in hashes)
        hashes.append(hash_to_field(uncompressed(commitment) + earlier, COMMITMENT_DOMAIN))
    return hashes


def folding(hashes: Sequence[int]) -> int:
    """Return the factor of the second commitment in the proof of knowledge, which the hashes of both decide."""
    return hash_to_field(b"".join(to_bytes(challenge) for challenge in hashes), FOLDING_DOMAIN)


def read_proof(data: bytes, commitments: int = 1) -> Proof:
    """Read a proof; raises MalformedInputError naming the first wrong part."""
    a, b, c, *points, knowledge = read_parts(data, _proof_parts(commitments), "proof")
    return Proof(a, b, c, tuple(points), knowledge)


@lru_cache(maxsize=16)
def read_key(data: bytes, commitments: int = 1) -> Key:
    """Read a verifying key; raises MalformedInputError for malformed bytes and for what no honest set-up writes."""
    values = read_parts(data, _key_parts(commitments), "verifying key")
    alpha, _, beta, gamma, _, delta, *points = values
    inputs, keys = tuple(points[: 2 + commitments]), points[2 + commitments :]
    key = Key(alpha, beta, gamma, delta, inputs, keys[0], tuple(keys[1::2]))
    # All commitments are opened by one equation, so that their generator is one.
    weakness = _weakness(key) if keys[::2] == keys[:1] * commitments else say("key.commitment_degenerate")
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
    # With sigma = 1 or -1, the commitment or its negative would be its own proof of knowledge. With one sigma for two
    # commitments, up to sign, the second could move what the first is of: a certificate would be of another model.
    known = [key.generator]
    for sigma in key.negative_sigmas:
        if is_inf(key.generator) or is_inf(sigma) or sigma in known or neg(sigma) in known:
            return say("key.commitment_degenerate")
        known.append(sigma)
    return None
