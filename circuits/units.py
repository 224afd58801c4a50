"""Squared integers of the grid as lengths in a spec's units: rounded down where they promise, up where they admit."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from circuits.spec import Feature, Spec


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
    """Write how far one feature alone may move, in its own unit."""
    moved = radius * Fraction(feature.scale)
    if feature.encoding == "scaled":
        return f"+- {_rounded_down(moved)}{' ' + feature.unit if feature.unit else ''}"
    if feature.encoding == "rank":
        # Closer than the radius: a whole radius itself is already too far.
        steps = max(0, math.ceil(moved) - 1)
        if steps >= len(feature.domain) - 1:
            return "any value"
        return f"+- {steps} of {len(feature.domain)} ranks" if steps else "this value only"
    # Two indicators change at once, each by one.
    return "any value" if moved * moved > 2 else "this value only"


def interval(feature: Feature, radius: Fraction, value: str | float) -> str:
    """Write a value of a feature, and the values among which it alone may move; cut at the ends of the spec's range."""
    if feature.encoding == "scaled":
        own = Decimal(str(value))
        moved = Decimal(_rounded_down(radius * Fraction(feature.scale)).replace(",", ""))
        with localcontext(prec=200):
            low, high = own - moved, own + moved
        if feature.range is not None:
            low, high = max(low, Decimal(feature.range[0])), min(high, Decimal(feature.range[1]))
        return f"{own:,f}: {low:,f} to {high:,f}{' ' + feature.unit if feature.unit else ''}"
    steps = max(0, math.ceil(radius * Fraction(feature.scale)) - 1)
    if feature.encoding == "rank" and 0 < steps < len(feature.domain) - 1:
        place, last = feature.domain.index(str(value)), len(feature.domain) - 1
        return f"{value}: {feature.domain[max(0, place - steps)]} to {feature.domain[min(last, place + steps)]}"
    return f"{value}: {in_units(feature, radius)}"


def kept_to(feature: Feature) -> str:
    """Write the values of a feature that neighbors are kept to where a spec restricts them to ranges."""
    if feature.encoding != "scaled":
        return f"any of its {len(feature.domain)} values"
    if feature.range is None:
        return "any number"
    low, high = (Decimal(end) for end in feature.range)
    return f"{low:,f} to {high:,f}{' ' + feature.unit if feature.unit else ''}"


def _ceil_sqrt(number: int) -> int:
    """Return the least integer whose square is at least `number`."""
    return math.isqrt(number - 1) + 1


def _rounded_down(number: Fraction) -> str:
    """Write a number with three significant digits, never more than it is."""
    if number == 0:
        return "0"
    exponent = Decimal(math.floor(number)).adjusted() if number >= 1 else -len(str(math.ceil(1 / number)))
    kept = math.floor(number / Fraction(10) ** (exponent - 2))
    return f"{Decimal(kept).scaleb(exponent - 2).normalize():,f}"
