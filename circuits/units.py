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
        return f"+- {_rounded_down(moved)}{_unit(feature)}"
    if feature.encoding == "rank":
        # Closer than the radius: a whole radius itself is already too far.
        steps = max(0, math.ceil(moved) - 1)
        if steps >= len(feature.domain) - 1:
            return "any value"
        return f"+- {steps} of {len(feature.domain)} ranks" if steps else "this value only"
    # Two indicators change at once, each by one.
    return "any value" if moved * moved > 2 else "this value only"


def interval(spec: Spec, feature: Feature, radius: Fraction, value: str | float) -> str:
    """Write a value of a feature, and the values among which it alone may move.

    Cut at the ends of the feature's range, and where the spec restricts neighbors to ranges at those of the width.
    """
    if feature.encoding == "scaled":
        own = Decimal(str(value))
        moved = Decimal(_rounded_down(radius * Fraction(feature.scale)).replace(",", ""))
        with localcontext(prec=200):
            low, high = own - moved, own + moved
        if feature.range is not None or spec.use_ranges:
            least, most = _ends(spec, feature)
            # Ends of the width are rounded inward; the value itself was proven all the same.
            low, high = max(low, min(own, least)), min(high, max(own, most))
        return f"{own:,f}: {low:,f} to {high:,f}{_unit(feature)}"
    steps = max(0, math.ceil(radius * Fraction(feature.scale)) - 1)
    if feature.encoding == "rank" and 0 < steps < len(feature.domain) - 1:
        place, last = feature.domain.index(str(value)), len(feature.domain) - 1
        return f"{value}: {feature.domain[max(0, place - steps)]} to {feature.domain[min(last, place + steps)]}"
    return f"{value}: {in_units(feature, radius)}"


def kept_to(spec: Spec, feature: Feature) -> str:
    """Write the values of a feature that neighbors are kept to where a spec restricts them to ranges.

    A unit of several words stands in quotes, so that it does not go on with the range: 18 to 25 "and more".
    """
    if feature.encoding != "scaled":
        return f"any of its {len(feature.domain)} values"
    low, high = _ends(spec, feature)
    unit = f' "{feature.unit}"' if " " in feature.unit else _unit(feature)
    return f"{low:,f} to {high:,f}{unit}"


def _ends(spec: Spec, feature: Feature) -> tuple[Decimal, Decimal]:
    """Return the ends of a number's range; without one those that the width holds, which are a box's then.

    The latter are rounded inward, to six digits of the way between them.
    """
    if feature.range is not None:
        return Decimal(feature.range[0]), Decimal(feature.range[1])
    mean, step = Fraction(feature.mean), Fraction(feature.scale) / spec.scale_unit
    limit = 1 << (spec.input_bits - 1)
    low, high = mean - limit * step, mean + (limit - 1) * step
    place = _exponent(high - low) - 5
    unit = Fraction(10) ** place
    inward = math.ceil(low / unit), math.floor(high / unit)
    with localcontext(prec=200):
        least, most = (Decimal(end).scaleb(place).normalize() for end in inward)
    return least, most


def _unit(feature: Feature) -> str:
    """Write a feature's unit behind a number."""
    return f" {feature.unit}" if feature.unit else ""


def _ceil_sqrt(number: int) -> int:
    """Return the least integer whose square is at least `number`."""
    return math.isqrt(number - 1) + 1


def _rounded_down(number: Fraction) -> str:
    """Write a number with three significant digits, never more than it is."""
    if number == 0:
        return "0"
    place = _exponent(number) - 2
    kept = math.floor(number / Fraction(10) ** place)
    return f"{Decimal(kept).scaleb(place).normalize():,f}"


def _exponent(number: Fraction) -> int:
    """Return the place of the first digit of a number above 0, or of powers of ten the one below."""
    return Decimal(math.floor(number)).adjusted() if number >= 1 else -len(str(math.ceil(1 / number)))
