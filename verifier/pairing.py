"""Groth16 over BN254 with one commitment, in plain Python: the native check written a second time.

It reads the same bytes and accepts, refuses and calls malformed the same as the native library, without a line in
common with it. docs/certificate.md has the formats and the two equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from circuits import field
from ffi.errors import MalformedInputError, RefusedError
from verifier.curve import (
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
)
from verifier.hashing import hash_to_field

COMMITMENT_DOMAIN = b"bsb22-commitment"

# What stands in a file, in its order: a point by name and group, or a length that is always the same.
_PROOF = (("A", read_g1), ("B", read_g2), ("C", read_g1), 1, ("D", read_g1), ("its proof of knowledge", read_g1))
_KEY = (
    *(("alpha", read_g1), ("beta in G1", read_g1), ("beta", read_g2), ("gamma", read_g2)),
    *(("delta in G1", read_g1), ("delta", read_g2)),
    # The points of one, of the statement digest and of the commitment's hash; one commitment, to no public input.
    *(3, ("K_0", read_g1), ("K_1", read_g1), ("K_2", read_g1), 1, 0, 1),
    *(("the commitment's G", read_g2), ("the commitment's sigma G", read_g2)),
)
_COUNT_BYTES = 4
_WIDTH = {read_g1: 32, read_g2: 64}


@dataclass(frozen=True)
class _Key:
    """A verifying key, its points in their subgroups; `negative_sigma` is -sigma times `generator`."""

    alpha: G1Point
    beta: G2Point
    gamma: G2Point
    delta: G2Point
    inputs: tuple[G1Point, G1Point, G1Point]
    generator: G2Point
    negative_sigma: G2Point


class Verifier:
    """A verifying key, ready to check proofs; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes) -> None:
        self._key = _read_key(bytes(memoryview(key)))

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Return if the proof holds for the statement digest.

        Raises RefusedError if it does not, MalformedInputError for bytes that are no proof.
        """
        key, proof = self._key, bytes(memoryview(proof))
        a, b, c, commitment, knowledge = _read(proof, _PROOF, "proof")
        statement = int.from_bytes(bytes(memoryview(digest)), "big")
        if len(digest) != field.BYTES or statement >= field.ORDER:
            raise MalformedInputError("statement digest: not below the field's order")
        # The owner knows what it committed to: e(D, -sigma G) e(pok, G) = 1.
        if not multiply_to_one((commitment, key.negative_sigma), (knowledge, key.generator)):
            raise RefusedError("the proof does not hold: nothing is known to open its commitment")
        # e(A, B) = e(alpha, beta) e(K_0 + digest K_1 + hash K_2 + D, gamma) e(C, delta)
        hashed = hash_to_field(_uncompressed(commitment), COMMITMENT_DOMAIN)
        public = add(_combined(key.inputs, (1, statement, hashed)), commitment)
        pairs = ((neg(a), b), (key.alpha, key.beta), (public, key.gamma), (c, key.delta))
        if not multiply_to_one(*pairs):
            raise RefusedError("the proof does not hold: the pairings differ")

    def close(self) -> None:
        """Do nothing: there is nothing to free."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@lru_cache(maxsize=16)
def _read_key(data: bytes) -> _Key:
    """Read a verifying key and refuse what no honest set-up writes."""
    alpha, _, beta, gamma, _, delta, one, digest, hashed, generator, negative_sigma = _read(data, _KEY, "verifying key")
    key = _Key(alpha, beta, gamma, delta, (one, digest, hashed), generator, negative_sigma)
    weakness = _weakness(key)
    if weakness:
        raise MalformedInputError(f"verifying key: {weakness}")
    return key


def _weakness(key: _Key) -> str | None:
    """Say what makes a key degenerate: each of these let somebody prove anything in a deployed system."""
    # A key and its negative are forged alike, with a sign.
    if key.gamma in (key.delta, neg(key.delta)):
        return "gamma equals delta or its negative: the second phase of its set-up was never run"
    for name, point in (("beta", key.beta), ("delta", key.delta)):
        if is_inf(point) or point in (G2, neg(G2)):
            return f"{name} is the point at infinity or the generator, or its negative"
    # Ceremonies set gamma to the generator, which is sound as long as delta is not known.
    if is_inf(key.gamma):
        return "gamma is the point at infinity"
    if is_inf(key.alpha) or key.alpha in (G1, neg(G1)):
        return "alpha is the point at infinity or the generator, or its negative"
    for number, bound in enumerate(key.inputs):
        if is_inf(bound):
            return f"input point {number} is at infinity: nothing binds that input"
    # sigma = 1 or -1: the commitment, or its negative, would be its own proof of knowledge.
    known = key.negative_sigma in (key.generator, neg(key.generator))
    if is_inf(key.generator) or is_inf(key.negative_sigma) or known:
        return "the commitment's key is degenerate"
    return None


def _read(data: bytes, parts: tuple[Any, ...], what: str) -> list[Any]:
    """Return the points of a file whose parts, lengths among them, are all known beforehand."""
    wanted = sum(_COUNT_BYTES if isinstance(part, int) else _WIDTH[part[1]] for part in parts)
    if len(data) != wanted:
        raise MalformedInputError(f"{what}: {len(data)} bytes, want {wanted}")
    points, at = [], 0
    for part in parts:
        if isinstance(part, int):
            if data[at : at + _COUNT_BYTES] != part.to_bytes(_COUNT_BYTES, "big"):
                raise MalformedInputError(f"{what}: want a length of {part} at byte {at}")
            at += _COUNT_BYTES
        else:
            name, read = part
            points.append(read(data[at : at + _WIDTH[read]], f"{what}: {name}"))
            at += _WIDTH[read]
    return points


def _combined(points: tuple[G1Point, ...], factors: tuple[int, ...]) -> G1Point:
    """Return the sum of the points times their factors."""
    first, *others = (multiply(point, factor) for point, factor in zip(points, factors, strict=True))
    for other in others:
        first = add(first, other)
    return first


def _uncompressed(point: G1Point) -> bytes:
    """Return the 64 bytes of x and y of a point as it was read; those of infinity are zero."""
    x, y, _ = point
    return bytes(2 * field.BYTES) if is_inf(point) else int(x).to_bytes(32, "big") + int(y).to_bytes(32, "big")
