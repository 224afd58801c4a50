"""PLONK with KZG over BN254 and one commitment, in plain Python: the native check written a second time.

It reads the same bytes as the native library, shares no code with it, and comes to the same verdict for the same
reason. docs/proof.md has the formats and the equations: those of Gabizon, Williamson and Ciobotaru ("PLONK",
ePrint 2019/953, section 8), with the linearised polynomial opened like the others and a selector of committed wires, as
gnark writes both.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from equiproof.circuits import field
from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import (
    G1,
    G2,
    G1Point,
    G2Point,
    eq,
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
from equiproof.verifier.parts import Part, read_element, read_parts
from equiproof.verifier.plain import PlainKey

COMMITMENT_DOMAIN = b"BSB22-Plonk"

_R = field.ORDER
_COSET = 5
"""It generates the multiplicative group, so that the domain and its two cosets by 5 and 25 do not meet."""

_MOST_BITS = 28
_ROOT = pow(_COSET, (_R - 1) >> _MOST_BITS, _R)
"""The root of unity that generates the largest domain, of 2^28 elements."""

_PUBLIC_ROWS = 1
"""The first rows hold the public inputs: the statement digest alone."""

# The parts of a file in their order; the last eight bytes of a key's head are the row of the challenge.
_HEAD_BYTES = 16
_KEY: tuple[Part, ...] = (
    *((name, read_g1) for name in ("S1", "S2", "S3", "Ql", "Qr", "Qm", "Qo", "Qk", "Qcp")),
    ("tau", read_g2),
)
_PROOF: tuple[Part, ...] = (
    *((name, read_g1) for name in ("L", "R", "O", "Z", "H0", "H1", "H2", "W")),
    7,
    *((f"value {name}", read_element) for name in ("linear", "l", "r", "o", "s1", "s2", "qcp")),
    *(("W'", read_g1), ("value z", read_element), 1, ("D", read_g1)),
)


@dataclass(frozen=True)
class _Key:
    """A verifying key: the domain, the commitments of the circuit's polynomials by name, and tau G2."""

    size: int
    generator: int
    challenge_row: int
    points: dict[str, G1Point]
    tau: G2Point


@dataclass(frozen=True)
class _Challenges:
    """What the prover could not choose: hashes of all that stood before."""

    gamma: int
    beta: int
    alpha: int
    zeta: int


class VerifyingKey(PlainKey):
    """A verifying key, ready to check proofs; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes) -> None:
        self._key = _read_key(bytes(memoryview(key)))

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check that the proof holds for the statement digest.

        Raises RefusedError unless it does, MalformedInputError for malformed bytes.
        """
        values = read_parts(bytes(memoryview(proof)), _PROOF, "proof")
        names = [part[0].removeprefix("value ") for part in _PROOF if isinstance(part, tuple)]
        statement = read_element(bytes(memoryview(digest)), "statement digest")
        _check(self._key, statement, dict(zip(names, values, strict=True)))


@lru_cache(maxsize=16)
def _read_key(data: bytes) -> _Key:
    """Read a verifying key; refuse keys that no honest set-up writes."""
    length = _HEAD_BYTES + 32 * (len(_KEY) - 1) + 64
    if len(data) != length:
        raise MalformedInputError(say("key.length_wrong", actual=len(data), required=length), Reason.WRONG_LENGTH)
    *points, tau = read_parts(data[_HEAD_BYTES:], _KEY, "verifying key")
    size = int.from_bytes(data[:8], "big")
    row = int.from_bytes(data[8:_HEAD_BYTES], "big")
    named_points = {part[0]: point for part, point in zip(_KEY, points, strict=False) if isinstance(part, tuple)}
    if weakness := _weakness(size, row, named_points, tau):
        raise MalformedInputError(f"verifying key: {weakness}", Reason.DEGENERATE_KEY)
    return _Key(size, pow(_ROOT, (1 << _MOST_BITS) // size, _R), row + _PUBLIC_ROWS, named_points, tau)


def _weakness(size: int, row: int, points: dict[str, G1Point], tau: G2Point) -> str | None:
    """Return what makes a key degenerate, or None."""
    if size.bit_count() != 1 or not 2 <= size <= 1 << _MOST_BITS:
        return say("key.domain_size_wrong")
    if row >= size - _PUBLIC_ROWS:
        return say("key.row_outside_domain")
    # Who knows tau can open every commitment to every value.
    if is_inf(tau):
        return say("key.secret_zero")
    quarter = _quarter()
    if any(eq(tau, known) for known in (G2, neg(G2), quarter, neg(quarter))):
        return say("key.secret_root_of_one")
    for name in ("S1", "S2", "S3", "Ql", "Qm", "Qo", "Qcp"):
        if is_inf(points[name]):
            return say("point.infinite", point=name)
    if any(eq(points[one], points[other]) for one, other in (("S1", "S2"), ("S1", "S3"), ("S2", "S3"))):
        return say("key.permutation_twice")
    return None


@cache
def _quarter() -> G2Point:
    """Return the generator times a fourth root of one."""
    return multiply(G2, pow(_ROOT, 1 << (_MOST_BITS - 2), _R))


def _check(key: _Key, statement: int, proof: dict[str, Any]) -> None:
    """Check a proof that was read; raises RefusedError unless it holds."""
    challenges = _challenges(key, statement, proof)
    alpha = challenges.alpha
    zeta = challenges.zeta
    vanishing = (pow(zeta, key.size, _R) - 1) % _R
    first = _lagrange(key, 0, zeta, vanishing)
    commitment_hash = hash_to_field(uncompressed(proof["D"]), COMMITMENT_DOMAIN)
    public = statement * first + commitment_hash * _lagrange(key, key.challenge_row, zeta, vanishing)
    # The gates, the copies and the start of their product, all at zeta and each times its power of alpha.
    factors = _product(challenges, proof, (proof["s1"], proof["s2"]))
    copies = alpha * factors * (proof["o"] + challenges.gamma) * proof["z"]
    if proof["linear"] != -(public - alpha * alpha * first + copies) % _R:
        raise RefusedError(say("proof.relation_unsatisfied"), Reason.RELATION_FAILS)
    linear = _linearised(key, proof, challenges, vanishing, first)
    digests = [linear, *(proof[name] for name in "LRO"), key.points["S1"], key.points["S2"], key.points["Qcp"]]
    values = [proof[name] for name in ("linear", "l", "r", "o", "s1", "s2", "qcp")]
    fold = _folding(zeta, digests, values, proof["z"])
    powers = [pow(fold, exponent, _R) for exponent in range(len(digests))]
    folded = sum(power * value for power, value in zip(powers, values, strict=True))
    # Both openings at once, the second times a number that the prover does not know:
    # e(F - v G1 + zeta W + u (Z - z G1 + zeta w W'), G2) = e(W + u W', tau G2).
    # It is not 0, which would leave the second opening unchecked.
    u = secrets.randbelow(_R - 1) + 1
    left = sum_of(
        [*digests, G1, proof["W"], proof["Z"], proof["W'"]],
        [*powers, -folded - u * proof["z"], zeta, u, u * zeta * key.generator],
    )
    right = sum_of([proof["W"], proof["W'"]], [1, u])
    if not multiply_to_one((left, G2), (neg(right), key.tau)):
        raise RefusedError(say("proof.pairings_differ"), Reason.PAIRINGS_DIFFER)


def _lagrange(key: _Key, row: int, zeta: int, vanishing: int) -> int:
    """Return the value at zeta of the polynomial that is 1 in a row and 0 in all others; 0 for a zeta of the domain."""
    point = pow(key.generator, row, _R)
    # The power R - 2 inverts, and keeps 0 where a division would fail.
    return point * vanishing * pow(key.size * (zeta - point), _R - 2, _R) % _R


def _product(challenges: _Challenges, proof: dict[str, Any], places: tuple[int, int]) -> int:
    """Return (l + beta a + gamma)(r + beta b + gamma) for the places a and b."""
    a, b = places
    left = proof["l"] + challenges.beta * a + challenges.gamma
    right = proof["r"] + challenges.beta * b + challenges.gamma
    return int(left * right)


def _linearised(key: _Key, proof: dict[str, Any], challenges: _Challenges, vanishing: int, first: int) -> G1Point:
    """Return the commitment to the linearised polynomial: gates + alpha copies + alpha^2 start - Z_H quotient."""
    alpha = challenges.alpha
    beta = challenges.beta
    gamma = challenges.gamma
    zeta = challenges.zeta
    l = proof["l"]  # noqa: E741 -- as the paper names it
    r = proof["r"]
    o = proof["o"]
    own = _product(challenges, proof, (zeta, _COSET * zeta)) * (o + beta * _COSET * _COSET * zeta + gamma)
    # The quotient comes in three parts of size + 2 coefficients each, so each part is shifted by as many powers.
    shift = pow(zeta, key.size + 2, _R)
    scaled = {
        "Ql": l,
        "Qr": r,
        "Qm": l * r,
        "Qo": o,
        "Qk": 1,
        "S3": alpha * beta * proof["z"] * _product(challenges, proof, (proof["s1"], proof["s2"])),
    }
    of_proof = {
        "D": proof["qcp"],
        "Z": alpha * alpha * first - alpha * own,
        "H0": -vanishing,
        "H1": -vanishing * shift,
        "H2": -vanishing * shift * shift,
    }
    points = [*(key.points[name] for name in scaled), *(proof[name] for name in of_proof)]
    return sum_of(points, [*scaled.values(), *of_proof.values()])


def _challenges(key: _Key, statement: int, proof: dict[str, Any]) -> _Challenges:
    """Draw the challenges: each is the SHA-256 of its name, the one before, and what the prover said since then."""
    circuit = b"".join(uncompressed(point) for point in key.points.values())
    gamma = _drawn("gamma", circuit, field.to_bytes(statement), *(uncompressed(proof[name]) for name in "LRO"))
    beta = _drawn("beta", gamma)
    alpha = _drawn("alpha", beta, uncompressed(proof["D"]), uncompressed(proof["Z"]))
    zeta = _drawn("zeta", alpha, *(uncompressed(proof[name]) for name in ("H0", "H1", "H2")))
    return _Challenges(*(int.from_bytes(digest, "big") % _R for digest in (gamma, beta, alpha, zeta)))


def _folding(zeta: int, digests: list[G1Point], values: list[int], shifted: int) -> int:
    """Draw the challenge that folds the openings at zeta into one."""
    inputs = (*map(uncompressed, digests), *map(field.to_bytes, (*values, shifted)))
    return int.from_bytes(_drawn("gamma", field.to_bytes(zeta), *inputs), "big") % _R


def _drawn(name: str, *inputs: bytes) -> bytes:
    """Hash a challenge's name and what it depends on."""
    return hashlib.sha256(name.encode() + b"".join(inputs)).digest()
