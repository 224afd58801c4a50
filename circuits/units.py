"""Squared distances on the grid as lengths in a spec's units; proven ones are rounded down."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec


def radius_of_any(spec: Spec, radius_squared: int) -> Fraction:
    """Return the radius that holds for real-valued queries and neighbors: each coordinate may be rounded by a step."""
    return Fraction(max(0, math.isqrt(radius_squared) - _ceil_sqrt(spec.plain_columns)), spec.scale_unit)


def length(spec: Spec, squared: int | Fraction, *, up: bool = False) -> Decimal:
    """Return the root of a squared distance of grid points with six decimals, rounded down or up."""
    millionths = Fraction(squared) * 10**12 / spec.scale_unit**2
    root = math.isqrt(math.floor(millionths))
    root += up and root * root < millionths
    return Decimal(root).scaleb(-6)


def cut(number: Fraction) -> Decimal:
    """Return a number that is not negative with six decimals, rounded down."""
    return Decimal(math.floor(number * 10**6)).scaleb(-6)


def in_units(feature: Feature, radius: Fraction) -> str:
    """Return in words how far one feature alone may move, in its own unit."""
    return ENCODINGS[feature.encoding].moved(feature, radius)


def interval(spec: Spec, feature: Feature, radius: Fraction, value: str | float) -> str:
    """Return in words a value of a feature, and the values among which it alone may move.

    A number's are cut at the ends of its range, and where the spec restricts neighbors to ranges at those of the width.
    """
    return ENCODINGS[feature.encoding].interval(spec, feature, radius, value)


def kept_to(spec: Spec, feature: Feature) -> str:
    """Return in words the values of a feature that neighbors are kept to where a spec restricts them to ranges."""
    return ENCODINGS[feature.encoding].kept_to(spec, feature)


def _ceil_sqrt(number: int) -> int:
    """Return the least integer whose square is at least `number`."""
    return math.isqrt(number - 1) + 1
