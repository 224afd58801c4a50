"""Which numbers count by their logarithm, and what is added to them before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from equiproof.certify.data.dataset import DataError, Row, Value
from equiproof.certify.data.spec_builder import standardised_anew
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec, decimal

SKEWED = 1.0
"""Numbers of a greater skewness, whose logarithms have a smaller one, may be better compared by factors."""


def offset_of(column: str, values: Sequence[Value], wish: str | None) -> str:
    """Return what is added to values before their logarithm: a wish, else 0, or 1 where 0 occurs.

    Raises DataError where that is not enough, SpecError for a wish that is no decimal.
    """
    least = min(values, key=Fraction)
    offset = wish or ("0" if Fraction(least) else "1")
    if Fraction(least) + decimal(offset, f"logarithms: offset of {column!r}") > 0:
        return offset
    more = math.floor(-Fraction(least)) + 1
    raise DataError(
        f"logarithms: add {more} or more to {column!r} ({argument('logarithms', {column: str(more)})}), or leave it "
        f"out: it has the value {least}, which has no logarithm with the offset {offset}"
    )


def with_logarithms(spec: Spec, rows: Sequence[Row], train: Sequence[int], logs: Mapping[str, str | None]) -> Spec:
    """Return a spec in which these numbers count by their logarithm, standardised on the rows of indices `train`.

    Raises DataError for a name that is no number of the spec, and as :func:`offset_of`, ends of ranges included.
    """
    numbers = [feature.name for feature in spec.features if feature.kind == "numeric"]
    for name in logs:
        if name not in numbers:
            raise DataError(f"logarithms: {name!r} is no number; there are {', '.join(numbers)}")
    features = []
    for feature in spec.features:
        if feature.name in logs:
            values = [*(row[feature.name] for row in rows), *(feature.range or ())]
            offset = offset_of(feature.name, values, logs[feature.name])
            features.append(msgspec.structs.replace(feature, encoding="log", offset=offset))
    return standardised_anew(spec, features, rows, train)


def offered(feature: Feature, values: Sequence[Value]) -> str | None:
    """Return a note for a number that its logarithm spreads more evenly, None for any other feature."""
    if not ENCODINGS[feature.encoding].linear or feature.sensitive:
        return None
    numbers = [float(value) for value in values]
    least = min(numbers)
    if least < 0:
        return None
    own = _skewness(numbers)
    # A zero less, so that no figure is -0.0.
    logarithms = round(_skewness([math.log2(number + (least == 0)) for number in numbers]), 1) + 0.0
    if own <= SKEWED or abs(logarithms) >= SKEWED:
        return None
    return (
        f"{feature.name}: most values are small and a few large (skewness {own:.1f}, of the logarithms "
        f"{logarithms:.1f}); with {argument('logarithms', [feature.name])} its distances are factors"
    )


def _skewness(numbers: Sequence[float]) -> float:
    """Return the mean cube of numbers, standardised; 0 where all are the same."""
    mean = math.fsum(numbers) / len(numbers)
    variance = math.fsum((number - mean) ** 2 for number in numbers) / len(numbers)
    cubes = math.fsum((number - mean) ** 3 for number in numbers) / len(numbers)
    return cubes / variance**1.5 if variance else 0.0
