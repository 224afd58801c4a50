"""Half-lines of numbers, and what becomes of them under roundings that ascend.

A threshold of a tree divides numbers into two half-lines. The upper one, seen through a cast or through an affine map,
is a half-line again: so a comparison that a library makes on rounded numbers is one comparison of exact numbers.
"""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from typing import Literal, NamedTuple

from equiproof.certify.additive import EnsembleError

Format = Literal["single", "double"]

_FRACTION = re.compile(r"-?(0|[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?")


class Ray(NamedTuple):
    """The numbers above an end, the end itself among them where it is `closed`."""

    end: Fraction
    closed: bool

    def __contains__(self, number: object) -> bool:
        """Return whether a number is on the ray."""
        return isinstance(number, Fraction) and (number > self.end or (self.closed and number == self.end))


def cast(number: Fraction, name: Format) -> Fraction:
    """Return the nearest float of a format, of two equally near ones the even one; raises OverflowError past the last.

    Single precision is reached by way of double precision, as libraries cast their rows.
    """
    near = float(number)
    return Fraction(near if name == "double" else struct.unpack("<f", struct.pack("<f", near))[0])


def before_cast(ray: Ray, name: Format) -> Ray:
    """Return the numbers that a cast to a format takes onto a ray; raises OverflowError past the last float."""
    first = first_float(ray, name)
    previous = _neighbor(first, name, -1)
    # A number is cast onto the ray from the middle between its first float and the one before; the middle itself goes
    # to the even one of both.
    return Ray((first + previous) / 2, _is_even(first, name))


def before_grid(ray: Ray, unit: int) -> Ray:
    """Return the numbers that rounding to multiples of 1 / unit, halves up, takes onto a ray."""
    steps = ray.end * unit
    first = math.ceil(steps)
    if first == steps and not ray.closed:
        first += 1
    return Ray((first - Fraction(1, 2)) / unit, closed=True)


def first_float(ray: Ray, name: Format) -> Fraction:
    """Return the smallest float on a ray; raises OverflowError past the last one."""
    # The cast of the end is one step from the first float on the ray at most; both loops are short.
    number = cast(ray.end, name)
    while number in ray:
        number = _neighbor(number, name, -1)
    while number not in ray:
        number = _neighbor(number, name, 1)
    return number


def _neighbor(number: Fraction, name: Format, way: int) -> Fraction:
    """Return the next float of a format, above or below; raises OverflowError past the last one."""
    code, integer, bits = _LAYOUTS[name]
    (raw,) = struct.unpack(integer, struct.pack(code, float(number)))
    # Without the sign bit, the bits of floats ascend as their magnitudes do: as signed places they ascend through 0.
    place = raw if raw >> (bits - 1) == 0 else -(raw & ((1 << (bits - 1)) - 1))
    moved = place + way
    raw = moved if moved >= 0 else -moved | 1 << (bits - 1)
    (neighbor,) = struct.unpack(code, struct.pack(integer, raw))
    if not math.isfinite(neighbor):
        raise OverflowError("a threshold past the largest float")
    return Fraction(neighbor)


def _is_even(number: Fraction, name: Format) -> bool:
    """Return whether the mantissa of a float ends in 0, so that halves are rounded to it."""
    code, integer, _ = _LAYOUTS[name]
    (raw,) = struct.unpack(integer, struct.pack(code, float(number)))
    return int(raw) % 2 == 0


_LAYOUTS: dict[Format, tuple[str, str, int]] = {"single": ("<f", "<I", 32), "double": ("<d", "<Q", 64)}


def read_fraction(text: str) -> Fraction:
    """Read a fraction; raises EnsembleError for other text."""
    if not _FRACTION.fullmatch(text):
        raise EnsembleError(f"{text[:40]!r} is not a fraction")
    above, _, below = text.partition("/")
    return Fraction(int(above), int(below or 1))
