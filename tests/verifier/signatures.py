"""Signatures at the edges of Ed25519, where programs differ, and what the equation itself says of them (RFC 8032).

Here a signature holds if its number is below the order, and the encoding of [S]B - [k]A is its first half, byte by
byte: without the cofactor, a public key in any of its encodings.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from equiproof.verifier.notes import VerifierKey

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)
SIGN = 1 << 255

Point = tuple[int, int]
NEUTRAL: Point = (0, 1)


def plus(left: Point, right: Point) -> Point:
    """Add two points."""
    return _affine(_sum((*left, 1), (*right, 1)))


def times(scalar: int, point: Point) -> Point:
    """Multiply a point."""
    found = (*NEUTRAL, 1)
    for bit in bin(scalar)[2:]:
        found = _sum(found, found)
        if bit == "1":
            found = _sum(found, (*point, 1))
    return _affine(found)


def _sum(left: tuple[int, int, int], right: tuple[int, int, int]) -> tuple[int, int, int]:
    """Add points with a common denominator; the curve's one formula has no exception."""
    (a, b, c), (d, e, f) = left, right
    both = c * f % PRIME
    product = D * a * d % PRIME * b * e % PRIME
    low, high = both * both - product, both * both + product
    return both * low * (a * e + b * d) % PRIME, both * high * (b * e + a * d) % PRIME, low * high % PRIME


def _affine(point: tuple[int, int, int]) -> Point:
    below = pow(point[2], -1, PRIME)
    return point[0] * below % PRIME, point[1] * below % PRIME


def decoded(data: bytes) -> Point | None:
    """Read a point in any encoding: y is reduced, and 0 may have a sign."""
    sign, y = divmod(int.from_bytes(data, "little"), SIGN)
    y %= PRIME
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    x = x if x * x % PRIME == square else x * ROOT % PRIME
    if x * x % PRIME != square:
        return None
    return (x if x & 1 == sign else -x % PRIME), y


def encoded(point: Point) -> bytes:
    """Write a point in its one canonical encoding."""
    return (point[1] | (point[0] & 1) * SIGN).to_bytes(32, "little")


def others(point: Point) -> list[bytes]:
    """Write a point in all its encodings, the canonical one first."""
    signs = {point[0] & 1, *([0, 1] if point[0] == 0 else [])}
    heights = [y for y in (point[1], point[1] + PRIME) if y < SIGN]
    found = {(y | sign * SIGN).to_bytes(32, "little") for y in heights for sign in signs}
    return sorted(found, key=lambda data: data != encoded(point))


BASE = decoded((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))
assert BASE is not None


def small() -> list[Point]:
    """Return the eight points of small order."""
    for y in range(2, 100):
        point = decoded(y.to_bytes(32, "little"))
        if point is not None and times(4 * ORDER, point) != NEUTRAL:
            return [times(at * ORDER, point) for at in range(8)]
    raise AssertionError


@dataclass(frozen=True)
class Signed:
    """A public key, a signature and a text. `cofactored` says what the equation times eight, leniently read, says."""

    public: bytes
    signature: bytes
    text: str

    @property
    def _parts(self) -> tuple[Point | None, int, Point]:
        number = int.from_bytes(self.signature[32:], "little")
        key = decoded(self.public)
        challenge = hashlib.sha512(self.signature[:32] + self.public + self.text.encode()).digest()
        k = int.from_bytes(challenge, "little") % ORDER
        return key, number, plus(times(number % ORDER, BASE), times(8 * ORDER - k, key or NEUTRAL))

    @property
    def holds(self) -> bool:
        """Whether the signature holds."""
        key, number, wanted = self._parts
        return key is not None and number < ORDER and encoded(wanted) == self.signature[:32]

    @property
    def cofactored(self) -> bool:
        """Whether a program with the cofactor, which reads every encoding, would take it."""
        (key, number, wanted), point = self._parts, decoded(self.signature[:32])
        return None not in (key, point) and number < ORDER and times(8, wanted) == times(8, point)

    @property
    def note(self) -> tuple[bytes, str]:
        """The note, and the line of the key."""
        key = VerifierKey("anna", self.public)
        line = base64.b64encode(key.identifier + self.signature).decode()
        return f"{self.text}\n— anna {line}\n".encode(), key.text


def edges(rng: Random) -> Iterator[Signed]:
    """Return signatures under keys of small and mixed order, in other encodings, with numbers from the order up."""
    torsion = small()
    encodings = [data for point in torsion for data in others(point)]
    for public in encodings:
        yield from (Signed(public, first + bytes(32), f"{rng.randrange(100)}\n") for first in encodings)
    for at in range(24):
        secret, nonce = (rng.randrange(1, ORDER) for _ in range(2))
        left, right = torsion[at % 8], torsion[rng.randrange(8)]
        key, first = plus(times(secret, BASE), left), plus(times(nonce, BASE), right)
        yield from _numbers(encoded(key), encoded(first), secret, nonce, f"{at}\n")
    yield Signed(bytes([2]) + bytes(31), bytes(64), "no point\n")
    yield Signed(b"\xff" * 32, b"\xff" * 64, "no point\n")


def _numbers(public: bytes, first: bytes, secret: int, nonce: int, text: str) -> Iterator[Signed]:
    """Sign with a first half; the same number plus the order, and with a bit above it, must not hold."""
    challenge = hashlib.sha512(first + public + text.encode()).digest()
    number = (nonce + int.from_bytes(challenge, "little") * secret) % ORDER
    for one in (number, number + ORDER, number | SIGN, number ^ 1):
        yield Signed(public, first + one.to_bytes(32, "little"), text)
