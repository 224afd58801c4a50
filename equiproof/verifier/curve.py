"""BN254 from py_ecc, and the reading of points: compressed, each in exactly one form.

A point is its x-coordinate in big-endian bytes, in G2 the imaginary half first; the two top bits select one of the two
y-coordinates, or mark infinity. Each point that is read is on its curve and in the subgroup of prime order: py_ecc
checks neither.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TypeAlias

from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.errors import Reason

# py_ecc raises the interpreter's recursion limit to 100,000, with which a nested document overflows the stack.
_limit = sys.getrecursionlimit()
from py_ecc.optimized_bn128 import (  # noqa: E402
    FQ,
    FQ2,
    FQ12,
    G1,
    G2,
    Z1,
    Z2,
    add,
    b2,
    curve_order,
    eq,
    field_modulus,
    is_inf,
    multiply,
    neg,
    normalize,
    pairing,
)
from py_ecc.typing import Optimized_Point3D  # noqa: E402

sys.setrecursionlimit(_limit)

# Only this module uses py_ecc; other modules get these names from here.
__all__ = ["G1", "G2", "add", "eq", "is_inf", "multiply", "neg"]

G1Point: TypeAlias = Optimized_Point3D[FQ]
G2Point: TypeAlias = Optimized_Point3D[FQ2]
Pair: TypeAlias = tuple[int, int]
"""A number of the field of p^2 elements: its real and its imaginary half."""

BYTES = 32
_INFINITY = 0b01
_SMALLER = 0b10
_LARGER = 0b11


def read_g1(data: bytes, name: str) -> G1Point:
    """Read 32 bytes as a point of G1; raises MalformedInputError naming the point."""
    flag, (x,) = _coordinates(data, name)
    if flag == _INFINITY:
        return Z1
    y = _root((x**3 + 3) % field_modulus)
    if y is None:
        raise MalformedInputError(say("point.not_on_curve", point=name), Reason.OFF_CURVE)
    # The order of the curve is odd, so no point has y = 0, and exactly one flag selects each of y and p - y.
    if _is_larger(y) != (flag == _LARGER):
        y = field_modulus - y
    # The curve's order is the prime itself: there is no other subgroup to be in.
    return FQ(x), FQ(y), FQ.one()


def read_g2(data: bytes, name: str) -> G2Point:
    """Read 64 bytes as a point of G2; raises MalformedInputError naming the point."""
    flag, (imaginary, real) = _coordinates(data, name)
    if flag == _INFINITY:
        return Z2
    x = FQ2([real, imaginary])
    y = _root_of_pair(x * x * x + b2)
    if y is None:
        raise MalformedInputError(say("point.not_on_curve", point=name), Reason.OFF_CURVE)
    # The imaginary halves are compared first; where they are 0, the real ones decide.
    if _is_larger(int(y.coeffs[1]) or int(y.coeffs[0])) != (flag == _LARGER):
        y = -y
    # This curve has more points than the prime order: the others must be refused.
    if not has_prime_order(_pair(x), _pair(y)):
        raise MalformedInputError(say("point.not_in_subgroup", point=name), Reason.OUTSIDE_SUBGROUP)
    return x, y, FQ2.one()


def uncompressed(point: G1Point) -> bytes:
    """Return the 64 bytes of x and y of a point; those of infinity are zero."""
    if is_inf(point):
        return bytes(2 * BYTES)
    x, y = normalize(point)
    return int(x).to_bytes(BYTES, "big") + int(y).to_bytes(BYTES, "big")


def uncompressed_g2(point: G2Point) -> bytes:
    """Return the 128 bytes of x and y of a point, the imaginary half of each first; those of infinity are zero."""
    if is_inf(point):
        return bytes(4 * BYTES)
    x, y = ([int(part) % field_modulus for part in value.coeffs] for value in normalize(point))
    return b"".join(part.to_bytes(BYTES, "big") for part in (x[1], x[0], y[1], y[0]))


def sum_of(points: Iterable[G1Point], factors: Iterable[int]) -> G1Point:
    """Return the sum of points times their factors, of which there are as many."""
    total = Z1
    for point, factor in zip(points, factors, strict=True):
        total = add(total, multiply(point, factor % curve_order))
    return total


def multiply_to_one(*pairs: tuple[G1Point, G2Point]) -> bool:
    """Return whether the pairings of all these pairs multiply to one."""
    product = FQ12.one()
    for left, right in pairs:
        # A power of a product is the product of the powers, so one final exponentiation serves all pairs.
        product *= pairing(right, left, final_exponentiate=False)
    return bool(_finished(product) == FQ12.one())


def _finished(product: FQ12) -> FQ12:
    """Return the product to the power of (p^12 - 1) / r, which is (p^6 - 1) times (p^6 + 1) / r.

    To the power of p^6 only signs change: w^12 = 18 w^6 - 82 has the roots w and -w, so the odd coefficients turn. That
    halves the work.
    """
    conjugate = FQ12([-int(part) if place % 2 else int(part) for place, part in enumerate(product.coeffs)])
    return (conjugate / product) ** ((field_modulus**6 + 1) // curve_order)


def _coordinates(data: bytes, name: str) -> tuple[int, list[int]]:
    """Split the bytes of a point into its flag and its coordinates below the field's modulus."""
    flag = data[0] >> 6
    plain = bytes([data[0] & 0x3F]) + data[1:]
    numbers = [int.from_bytes(plain[at : at + BYTES], "big") for at in range(0, len(plain), BYTES)]
    if flag not in (_INFINITY, _SMALLER, _LARGER) or (flag == _INFINITY and any(numbers)):
        raise MalformedInputError(say("point.not_canonical", point=name), Reason.POINT_NOT_CANONICAL)
    if any(number >= field_modulus for number in numbers):
        raise MalformedInputError(say("point.coordinate_not_below_modulus", point=name), Reason.COORDINATE_TOO_LARGE)
    return flag, numbers


def _root(value: int) -> int | None:
    """Return a square root modulo p, or None: p is 3 modulo 4."""
    root = pow(value, (field_modulus + 1) // 4, field_modulus)
    return root if root * root % field_modulus == value else None


def _root_of_pair(value: FQ2) -> FQ2 | None:
    """Return a square root of `a + b i`, or None.

    With `n^2 = a^2 + b^2`, one of `(a + n) / 2` and `(a - n) / 2` is the square of the root's real part.
    """
    a, b = _pair(value)
    norm = _root((a * a + b * b) % field_modulus)
    if norm is None:
        return None
    half = pow(2, -1, field_modulus)
    for square in ((a + norm) * half % field_modulus, (a - norm) * half % field_modulus):
        real = _root(square)
        if real:
            return FQ2([real, b * half * pow(real, -1, field_modulus)])
    # No real part: b is 0, and the root of a negative number is imaginary.
    imaginary = _root(-a % field_modulus)
    return None if imaginary is None else FQ2([0, imaginary])


def _pair(value: FQ2) -> Pair:
    """Return the coordinates of `a + b i`, of 0 to p - 1."""
    real, imaginary = (int(part) % field_modulus for part in value.coeffs)
    return real, imaginary


def has_prime_order(x: Pair, y: Pair) -> bool:
    """Return whether a point of the twist, other than infinity, times r - 1 is its negative: whether its order is r.

    In plain integers, which takes a seventh of the time of py_ecc's objects. Jacobian coordinates, and the formulas
    dbl-2009-l and madd of https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-0.html. Where madd does not hold, as
    the sum is infinity, the point or its negative, Z becomes 0 and stays 0. That is before the end, so the order of the
    point is less than r.
    """
    sum_x, sum_y, sum_z = x, y, (1, 0)
    for bit in f"{curve_order - 1:b}"[1:]:
        sum_x, sum_y, sum_z = _doubled(sum_x, sum_y, sum_z)
        if bit == "1":
            square = _times(sum_z, sum_z)
            run = _minus(_times(x, square), sum_x)
            rise = _minus(_times(y, _times(sum_z, square)), sum_y)
            run_squared = _times(run, run)
            run_cubed, middle = _times(run, run_squared), _times(sum_x, run_squared)
            sum_x = _minus(_minus(_times(rise, rise), run_cubed), (2 * middle[0], 2 * middle[1]))
            sum_y = _minus(_times(rise, _minus(middle, sum_x)), _times(sum_y, run_cubed))
            sum_z = _times(sum_z, run)
    square = _times(sum_z, sum_z)
    opposite = _minus((0, 0), _times(y, _times(sum_z, square)))
    return sum_z != (0, 0) and sum_x == _times(x, square) and sum_y == opposite


def _doubled(x: Pair, y: Pair, z: Pair) -> tuple[Pair, Pair, Pair]:
    """Return twice a point of the twist in Jacobian coordinates."""
    y_squared = _times(y, y)
    (slope_real, slope_imaginary), (middle_real, middle_imaginary) = _times(x, x), _times(x, y_squared)
    slope, middle = (3 * slope_real, 3 * slope_imaginary), (4 * middle_real, 4 * middle_imaginary)
    doubled_x = _minus(_times(slope, slope), (2 * middle[0], 2 * middle[1]))
    fourth_real, fourth_imaginary = _times(y_squared, y_squared)
    doubled_y = _minus(_times(slope, _minus(middle, doubled_x)), (8 * fourth_real, 8 * fourth_imaginary))
    real, imaginary = _times(y, z)
    return doubled_x, doubled_y, (2 * real % field_modulus, 2 * imaginary % field_modulus)


def _times(left: Pair, right: Pair) -> Pair:
    """Return the product of `a + b i` and `c + d i`."""
    (a, b), (c, d) = left, right
    return (a * c - b * d) % field_modulus, (a * d + b * c) % field_modulus


def _minus(left: Pair, right: Pair) -> Pair:
    """Return the difference of two numbers."""
    return (left[0] - right[0]) % field_modulus, (left[1] - right[1]) % field_modulus


def _is_larger(y: int) -> bool:
    """Return whether y is the larger of y and p - y."""
    return 2 * y > field_modulus
