"""Random rows of a spec's domain, and the ends of its numbers."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from equiproof.certify.data.dataset import DataError
from equiproof.circuits.encodings import ENCODINGS, on_grid
from equiproof.circuits.spec import Feature, Spec

_DIGITS = 3
"""A number that is not whole is drawn in steps of the power of ten that its range has 10^3 to 10^4 of."""

_MISSING = 8
"""One in so many values of a feature is missing, where values of it may be."""

_SCALES_AROUND_MEAN = 4
"""A number without a range is drawn from so many scales around its mean."""


def random_rows(spec: Spec, count: int, seed: int) -> list[dict[str, Any]]:
    """Return random rows of the spec's domain, the same for the same seed.

    Values of a category or sensitive feature are equally likely. A number is uniform over its range: a whole number
    where both ends are whole, else in decimal steps. A number without a range is uniform within 4 scales of its mean,
    and where its encoding is not linear its column is. One in eight values is missing where they may be. Values that
    `input_bits` does not hold are left out; raises DataError where there is no other.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    columns = [_column_values(spec, feature, count, rng) for feature in spec.features]
    for feature, values in zip(spec.features, columns, strict=True):
        if feature.may_miss:
            for place in np.flatnonzero(rng.integers(_MISSING, size=count) == 0):
                values[place] = None
    names = [feature.name for feature in spec.features]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def column_ends(spec: Spec, feature: Feature) -> tuple[Fraction, Fraction]:
    """Return the ends of a number's raw column: those of its range, cut to those that `input_bits` holds."""
    mean = Fraction(feature.mean)
    step = Fraction(feature.scale) / spec.scale_unit
    limit = 1 << (spec.input_bits - 1)
    low = mean - (limit + Fraction(1, 2)) * step
    high = mean + (limit - Fraction(1, 2)) * step
    for ends in ENCODINGS[feature.encoding].ends(feature):
        if ends is not None:
            low = max(low, ends[0])
            high = min(high, ends[1])
    return low, high


def _column_values(spec: Spec, feature: Feature, count: int, rng: np.random.Generator) -> list[Any]:
    """Draw raw values of one feature; raises DataError where `input_bits` holds none."""
    if feature.domain:
        values = [value for value in feature.domain if _fits(spec, feature, value)]
        if values:
            return [values[place] for place in rng.integers(len(values), size=count).tolist()]
        raise _unheld(spec, feature)
    if not ENCODINGS[feature.encoding].linear:
        if feature.range is None:
            return _by_column(spec, feature, count, rng)
        held = _held(spec, feature)
        low, high = max(held[0], Fraction(feature.range[0])), min(held[1], Fraction(feature.range[1]))
    else:
        low, high = column_ends(spec, feature)
    if feature.range is None:
        mean = Fraction(feature.mean)
        reach = _SCALES_AROUND_MEAN * Fraction(feature.scale)
        low = max(low, mean - reach)
        high = min(high, mean + reach)
    if low > high:
        raise _unheld(spec, feature)
    span = Decimal((high - low).numerator) / Decimal((high - low).denominator)
    whole = feature.range is not None and all(Fraction(end).denominator == 1 for end in feature.range)
    place = 0 if whole or not span else span.adjusted() - _DIGITS
    unit = Fraction(10) ** place
    first = math.ceil(low / unit)
    last = math.floor(high / unit)
    if first > last:
        raise _unheld(spec, feature)
    steps = rng.integers(first, last, size=count, endpoint=True).tolist()
    return [f"{Decimal(step).scaleb(place):f}" for step in steps]


def _held(spec: Spec, feature: Feature) -> tuple[Fraction, Fraction]:
    """Return the ends of the numbers that `input_bits` holds, whatever the range, a little inside them."""
    ends = ENCODINGS[feature.encoding].shown_ends(spec, msgspec.structs.replace(feature, range=None))
    if ends is None:
        raise _unheld(spec, feature)
    return Fraction(ends[0]), Fraction(ends[1])


def _by_column(spec: Spec, feature: Feature, count: int, rng: np.random.Generator) -> list[Any]:
    """Draw columns within some scales of the mean, and read them back as numbers."""
    encoding = ENCODINGS[feature.encoding]
    reach = _SCALES_AROUND_MEAN * spec.scale_unit
    ends = [on_grid(feature, encoding.level(feature, end), spec.scale_unit) for end in _held(spec, feature)]
    first, last = max(ends[0], -reach), min(ends[1], reach)
    if first > last:
        raise _unheld(spec, feature)
    columns = rng.integers(first, last, size=count, endpoint=True).tolist()
    return [encoding.decoded(feature, [Fraction(column)], spec.scale_unit, _written) for column in columns]


def _written(value: Fraction, digits: int | None) -> str:
    """Write a number in full, or with so many decimals."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{number:f}" if digits is None else f"{number:.{digits}f}"


def _fits(spec: Spec, feature: Feature, value: str) -> bool:
    """Return whether `input_bits` holds each column of a value."""
    least, most = spec.limits(feature)
    numbers = ENCODINGS[feature.encoding].raw_columns(feature, value)
    return all(least <= on_grid(feature, number, spec.scale_unit) <= most for number in numbers)


def _unheld(spec: Spec, feature: Feature) -> DataError:
    """Return the error for a feature without any value that fits its columns."""
    return DataError(f"feature {feature.name!r}: no value of it fits {spec.input_bits} bits (input_bits)")
