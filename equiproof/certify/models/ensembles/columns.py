"""Where the columns of a spec stand, and what they are exactly: scaled, and not rounded to the grid."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from equiproof.certify.data.dataset import DataError, remedy
from equiproof.circuits.encodings import ENCODINGS, EncodingError
from equiproof.circuits.spec import Feature, Spec


def placed(spec: Spec, sets: int = 0) -> list[tuple[Feature, int]]:
    """Return each feature with its first column, in the order of the columns; sensitive ones stand behind `sets`."""
    layout = []
    place = 0
    for feature in spec.plain_features:
        layout.append((feature, place))
        place += feature.width
    place = spec.plain_columns + sets
    for feature in spec.sensitive_features:
        layout.append((feature, place))
        place += feature.width
    return layout


def exact_columns(feature: Feature, value: Any, row: int) -> list[Fraction]:
    """Return the scaled columns of a raw value, not rounded; raises DataError naming the row and the feature."""
    if value is None:
        raise DataError(f"row {row}: feature {feature.name!r} is missing{remedy(feature, value)}")
    try:
        raw = ENCODINGS[feature.encoding].raw_columns(feature, value)
    except EncodingError as error:
        raise DataError(f"row {row}: feature {feature.name!r}: {error}{remedy(feature, value)}") from None
    return [scaled(feature, number) for number in raw]


def scaled(feature: Feature, number: Fraction) -> Fraction:
    """Return the scaled column of a raw number."""
    return (number - _written(feature.mean)) / _written(feature.scale)


@lru_cache(maxsize=4096)
def _written(text: str) -> Fraction:
    """Return a number of a spec: each is needed for every row."""
    return Fraction(text)
