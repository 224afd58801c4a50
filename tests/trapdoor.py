"""Verifying keys whose secrets are known, so that any proof can be made; and points spelled by hand.

Written on plain numbers and py_ecc's group law alone: what reads points in `verifier.curve` is not used to write them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from py_ecc.optimized_bn128 import FQ2, G1, G2, b2, curve_order, field_modulus, is_inf, multiply, normalize

from equiproof.circuits.field import to_bytes
from equiproof.verifier.hashing import hash_to_field

ORDER, PRIME = curve_order, field_modulus
INFINITY_G1 = b"\x40" + bytes(31)
INFINITY_G2 = b"\x40" + bytes(63)

# Where each point starts in a proof and in a verifying key, and how many bytes it has.
PROOF_PLACES = {"A": (0, 32), "B": (32, 64), "C": (96, 32), "D": (132, 32), "pok": (164, 32)}
KEY_PLACES = {
    "alpha": (0, 32),
    "beta_g1": (32, 32),
    "beta": (64, 64),
    "gamma": (128, 64),
    "delta_g1": (192, 32),
    "delta": (224, 64),
    "K_0": (292, 32),
    "K_1": (324, 32),
    "K_2": (356, 32),
    "G": (400, 64),
    "sigma_G": (464, 64),
}
PLONK_PROOF_PLACES = {
    **{name: (32 * place, 32) for place, name in enumerate(("L", "R", "O", "Z", "H0", "H1", "H2", "W"))},
    **{name: (260 + 32 * place, 32) for place, name in enumerate(("linear", "l", "r", "o", "s1", "s2", "qcp"))},
    "W'": (484, 32),
    "z": (516, 32),
    "D": (552, 32),
}
PLONK_PROOF_COUNTS = {256: 7, 548: 1}
PLONK_KEY_PLACES = {
    "size": (0, 8),
    "row": (8, 8),
    **{
        name: (16 + 32 * place, 32)
        for place, name in enumerate(("S1", "S2", "S3", "Ql", "Qr", "Qm", "Qo", "Qk", "Qcp"))
    },
    "tau": (304, 64),
}
PROOF_COUNTS = {128: 1}
KEY_COUNTS = {288: 3, 388: 1, 392: 0, 396: 1}


@cache
def g1(factor: int) -> bytes:
    """Spell a multiple of G1's generator."""
    return spell_g1(multiply(G1, factor % ORDER))


@cache
def g2(factor: int) -> bytes:
    """Spell a multiple of G2's generator."""
    return spell_g2(multiply(G2, factor % ORDER))


def spell_g1(point) -> bytes:
    """Spell a point of G1."""
    if is_inf(point):
        return INFINITY_G1
    x, y = (int(part) for part in normalize(point))
    return spelled([x], larger=2 * y > PRIME)


def spell_g2(point) -> bytes:
    """Spell any point of the twist, in its subgroup or not."""
    if is_inf(point):
        return INFINITY_G2
    x, y = ([int(part) % PRIME for part in value.coeffs] for value in normalize(point))
    return spelled([x[1], x[0]], larger=2 * (y[1] or y[0]) > PRIME)


def spelled(numbers: list[int], *, larger: bool) -> bytes:
    """Join coordinates of 254 bits behind their flag."""
    data = bytearray(b"".join(number.to_bytes(32, "big") for number in numbers))
    data[0] |= 0xC0 if larger else 0x80
    return bytes(data)


def outside_subgroup():
    """Return a point of the twist outside the subgroup of prime order: the first with a real x, where y^2 has a root.

    Almost every point of the twist is one; how a root is found does not matter where its square is checked.
    """
    for x in range(1, 100):
        square = FQ2([x, 0]) ** 3 + b2
        real, imaginary = (int(part) % PRIME for part in square.coeffs)
        norm = pow(real * real + imaginary * imaginary, (PRIME + 1) // 4, PRIME)
        for sign in (norm, -norm):
            half = pow((real + sign) * pow(2, -1, PRIME), (PRIME + 1) // 4, PRIME)
            y = FQ2([half, imaginary * pow(2 * half, -1, PRIME)])
            if y * y == square:
                point = (FQ2([x, 0]), y, FQ2.one())
                assert not is_inf(multiply(point, ORDER))
                return point
    raise AssertionError("half of all x have a y")


def off_twist() -> bytes:
    """Spell the first real x that no point of the twist has: the right side is no square there."""
    x = next(x for x in range(1, 100) if (FQ2([x, 0]) ** 3 + b2) ** ((PRIME**2 - 1) // 2) != FQ2.one())
    return spelled([0, x], larger=False)


def off_curve() -> bytes:
    """Spell the first x that no point of G1 has."""
    x = next(x for x in range(1, 100) if pow(x**3 + 3, (PRIME - 1) // 2, PRIME) != 1)
    return spelled([x], larger=False)


@dataclass(frozen=True)
class Trapdoor:
    """The secrets of a set-up, as discrete logarithms."""

    alpha: int = 1001
    beta: int = 1002
    gamma: int = 1003
    delta: int = 1004
    inputs: tuple[int, int, int] = (1005, 1006, 1007)
    generator: int = 1008
    sigma: int = 1009

    def key(self) -> bytes:
        """Return the verifying key of these secrets."""
        counts = {place: count.to_bytes(4, "big") for place, count in KEY_COUNTS.items()}
        return b"".join(
            (
                *(g1(self.alpha), g1(self.beta), g2(self.beta), g2(self.gamma), g1(self.delta), g2(self.delta)),
                *(counts[288], *(g1(factor) for factor in self.inputs), counts[388], counts[392], counts[396]),
                *(g2(self.generator), g2(-self.sigma * self.generator)),
            )
        )

    def forge(self, digest: int, a: int = 11, b: int = 12, commitment: int = 13) -> Proof:
        """Make a proof for any digest: what nobody can who does not know the secrets."""
        constant, statement, challenge = self.inputs
        public = constant + digest * statement + hashed(commitment) * challenge + commitment
        c = (a * b - self.alpha * self.beta - self.gamma * public) * pow(self.delta, -1, ORDER)
        return Proof(a, b, c % ORDER, commitment, self.sigma * commitment % ORDER)


@dataclass(frozen=True)
class Proof:
    """A proof as discrete logarithms."""

    a: int
    b: int
    c: int
    commitment: int
    knowledge: int

    def with_(self, **changes: int) -> Proof:
        """Return the proof with some of its points replaced."""
        return replace(self, **changes)

    def data(self) -> bytes:
        """Return the proof's bytes."""
        return b"".join(
            (g1(self.a), g2(self.b), g1(self.c), b"\0\0\0\x01", g1(self.commitment), g1(self.knowledge)),
        )


@dataclass(frozen=True)
class KeptTrapdoor:
    """The secrets of a set-up for kept models, whose proofs have two commitments, as discrete logarithms."""

    alpha: int = 2001
    beta: int = 2002
    gamma: int = 2003
    delta: int = 2004
    inputs: tuple[int, int, int, int] = (2005, 2006, 2007, 2008)
    generator: int = 2009
    sigmas: tuple[int, int] = (2010, 2011)

    def key(self) -> bytes:
        """Return the verifying key of these secrets: the hash of the second commitment takes input 2, the first's."""
        one, two, four = (count.to_bytes(4, "big") for count in (1, 2, 4))
        return b"".join(
            (
                *(g1(self.alpha), g1(self.beta), g2(self.beta), g2(self.gamma), g1(self.delta), g2(self.delta)),
                *(four, *(g1(factor) for factor in self.inputs), two, bytes(4), one, bytes(7), b"\x02", two),
                *(g2(factor * self.generator) for sigma in self.sigmas for factor in (1, -sigma)),
            )
        )

    def forge(self, digest: int, first: int = 13, second: int = 14) -> bytes:
        """Make the bytes of a proof for any digest, with these commitments; the first one is of the model."""
        return self.proof(digest, first, second).data()

    def proof(
        self,
        digest: int,
        first: int = 13,
        second: int = 14,
        challenge: int | None = None,
        other: int | None = None,
        factor: int | None = None,
    ) -> KeptProof:
        """Make a proof for any digest; hashes and factor are those of its commitments where none are given."""
        challenge = hashed(first) if challenge is None else challenge
        other = hashed(second, to_bytes(challenge)) if other is None else other
        factor = folded(challenge, other) if factor is None else factor
        c = self.error(digest, KeptProof(11, 12, 0, first, second, 0), challenge, other) * pow(self.delta, -1, ORDER)
        knowledge = self.sigmas[0] * first + self.sigmas[1] * factor * second
        return KeptProof(11, 12, c % ORDER, first, second, knowledge % ORDER)

    def error(self, digest: int, proof: KeptProof, challenge: int, other: int) -> int:
        """Return by how much the main equation fails with these hashes, as a logarithm: 0 where it holds."""
        public = sum(a * b for a, b in zip(self.inputs, (1, digest, challenge, other), strict=True))
        public += proof.first + proof.second
        return (proof.a * proof.b - self.alpha * self.beta - self.gamma * public - self.delta * proof.c) % ORDER


@dataclass(frozen=True)
class KeptProof:
    """A proof with two commitments as discrete logarithms."""

    a: int
    b: int
    c: int
    first: int
    second: int
    knowledge: int

    def with_(self, **changes: int) -> KeptProof:
        """Return the proof with some of its points replaced."""
        return replace(self, **changes)

    def data(self) -> bytes:
        """Return the proof's bytes."""
        commitments = g1(self.first), g1(self.second)
        return b"".join((g1(self.a), g2(self.b), g1(self.c), b"\0\0\0\x02", *commitments, g1(self.knowledge)))


def folded(challenge: int, other: int) -> int:
    """Return the factor of the second commitment in the proof of knowledge, from the hashes of both."""
    return hash_to_field(to_bytes(challenge) + to_bytes(other), b"G16-BSB22")


def hashed(commitment: int, earlier: bytes = b"") -> int:
    """Return the challenge that a commitment leads to, behind the challenges of earlier ones."""
    point = multiply(G1, commitment % ORDER)
    if is_inf(point):
        return hash_to_field(bytes(64) + earlier, b"bsb22-commitment")
    x, y = (int(part) for part in normalize(point))
    return hash_to_field(x.to_bytes(32, "big") + y.to_bytes(32, "big") + earlier, b"bsb22-commitment")


def placed(data: bytes, place: tuple[int, int], new: bytes) -> bytes:
    """Return data with a point replaced by other bytes."""
    at, width = place
    assert len(new) == width
    return data[:at] + new + data[at + width :]


def digest_bytes(digest: int) -> bytes:
    """Return a statement digest as both checks take it."""
    return to_bytes(digest)
