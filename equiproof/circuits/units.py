"""Squared distances on the grid as lengths in a spec's units; proven ones are rounded down."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import msgspec

from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.levels import shown
from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.tables import written

_MOST_VALUES = 8
"""How many values of a feature are written out."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]*")


def radius_of_any(spec: Spec, radius_squared: int) -> Fraction:
    """Return the radius that holds for real-valued queries and neighbors: each coordinate may be rounded by a step.

    Columns of the padding are 0 for everybody, so that none of them is rounded.
    """
    # Query and neighbor are rounded by at most half a step in each coordinate, so their difference changes by at most a
    # step in each: by sqrt(n_x) in length. The root is rounded down and what is taken off up, so the radius is never
    # larger than the proven one.
    return Fraction(max(0, math.isqrt(radius_squared) - _ceil_sqrt(spec.own_columns)), spec.scale_unit)


def largest_shown(spec: Spec) -> Fraction:
    """Return the largest radius for real-valued queries that certificates show under a spec: that of its last level."""
    return radius_of_any(spec, shown(spec, spec.max_radius_squared))


def squared_radius(spec: Spec, radius: Fraction) -> int:
    """Return the least R2 whose radius for real values is at least this one, 0 for 0; raises SpecError beyond all."""
    # The inverse of `radius_of_any`, rounded up where that rounds down: this R2 has at least the radius.
    root = math.ceil(radius * spec.scale_unit) + _ceil_sqrt(spec.own_columns) if radius > 0 else 0
    if radius < 0 or root**2 > spec.max_radius_squared:
        largest = f"{cut(radius_of_any(spec, spec.max_radius_squared)):.6f}"
        raise SpecError(f"the radius is not between 0 and {largest}, the largest one under this spec")
    return root**2


def length(spec: Spec, squared: int | Fraction, *, up: bool = False) -> Decimal:
    """Return the root of a squared distance of grid points with six decimals, rounded down or up."""
    millionths = Fraction(squared) * 10**12 / spec.scale_unit**2
    # The root of a number and that of the number cut to an integer are the same when both are cut.
    root = math.isqrt(math.floor(millionths))
    # Up only if something was cut off: an exact root stays as it is.
    root += up and root * root < millionths
    return Decimal(root).scaleb(-6)


def at_least(spec: Spec, radius_squared: int) -> bool:
    """Return whether a stated radius is said to be "at least" so much: the largest that is stated, and any level."""
    return radius_squared == spec.max_radius_squared or not isinstance(spec.levels, msgspec.UnsetType)


def cut(number: Fraction) -> Decimal:
    """Return a number that is not negative with six decimals, rounded down."""
    return Decimal(math.floor(number * 10**6)).scaleb(-6)


def in_units(feature: Feature, radius: Fraction) -> str:
    """Return in words how far one feature alone may move, in its own unit."""
    return ENCODINGS[feature.encoding].moved(feature, radius)


def first_number_moved(spec: Spec, radius_squared: int) -> str:
    """Return in words how far the first number alone may move at a squared radius, or the first feature without any."""
    feature = next((one for one in spec.plain_features if one.kind == "numeric"), spec.plain_features[0])
    return f"{feature.name} {in_units(feature, radius_of_any(spec, radius_squared))}"


def interval(spec: Spec, feature: Feature, radius: Fraction, value: str | float | None) -> str:
    """Return in words a value of a feature, and the values among which it alone may move; of a missing one, that it is.

    A number's are cut at the ends of its range, and where the spec restricts neighbors to ranges at those of the width.
    """
    if value is None:
        return written("value.missing")
    return ENCODINGS[feature.encoding].interval(spec, feature, radius, value)


def kept_to(spec: Spec, feature: Feature) -> str:
    """Return in words the values of a feature that neighbors are kept to where a spec restricts them to ranges."""
    return ENCODINGS[feature.encoding].kept_to(spec, feature)


def in_short(domain: Sequence[str], pointer: str = "") -> str:
    """Return the values of a feature in words; of many, their number, the first and the last, and a pointer to them.

    Only where no whole number is missing between the first and the last do the words say that they are covered.
    """
    if len(domain) <= _MOST_VALUES:
        return " / ".join(map(quoted, domain))
    ordered = sorted(domain, key=Fraction) if all(map(_NUMBER.fullmatch, domain)) else domain
    first = ordered[0]
    last = ordered[-1]
    if all(map(_WHOLE_NUMBER.fullmatch, domain)) and int(last) - int(first) == len(domain) - 1:
        return f"every whole number from {first} to {last}"
    return f"{len(domain)} listed values from {quoted(first)} to {quoted(last)}{pointer}"


def _ceil_sqrt(number: int) -> int:
    """Return the least integer whose square is at least `number`."""
    return math.isqrt(number - 1) + 1
