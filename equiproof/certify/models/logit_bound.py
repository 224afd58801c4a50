"""A proven bound of how far rounding moves a logit, by propagating intervals through both models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.certify.models.network import Floats, Network
from equiproof.certify.models.random_rows import column_ends
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.encodings import ENCODINGS, on_grid
from equiproof.circuits.spec import Feature, Spec

BigIntegers = npt.NDArray[np.object_]

_ZERO = Fraction(0)
_ROUNDING_BITS = 96
"""Bounds are rounded outward to 2^-96 after each layer."""


def logit_bound(network: Network, quantised: QuantisedNetwork, spec: Spec) -> Fraction:
    """Return a bound of the difference of any logit between the two models, on every row of the spec's domain.

    The domain is every value of a category or sensitive feature, and every number of a range; a number without a range
    takes every value that `input_bits` holds, which makes the bound large.

    Notation: h_l are the values after layer l of the float model, h_l + d_l those of the committed one. Intervals of h
    and of d are propagated: W' (h + d) - W h = W' d + (W' - W) h, and relu(z + d) - relu(z) is between 0 and d, at most
    relu(z + d) and at least -relu(z). All is computed in integers, and rounded outward to 2^-96 after each layer.
    """
    features = (*spec.plain_features, *spec.sensitive_features)
    columns = [column for feature in features for column in _ends(spec, feature)]
    values = _outward([column.low for column in columns], [column.high for column in columns])
    errors = [column.error for column in columns]
    change = _outward([-error for error in errors], errors)
    below = spec.input_fraction_bits
    last = len(quantised.layers) - 1
    for index, (layer, bits) in enumerate(zip(quantised.layers, quantised.weight_fraction_bits, strict=True)):
        below += bits
        threshold = Fraction(spec.threshold) if index == last else Fraction(0)
        floats = [Fraction(bias) for bias in network.biases[index].tolist()]
        shift = [Fraction(bias, 1 << below) + threshold - own for bias, own in zip(layer.biases, floats, strict=True)]
        W, Q, fine = _common(network.weights[index], layer.weights, bits)
        # W' (h + d) + b' - (W h + b), where b' includes the threshold that was folded in.
        change = _times(Q, change, fine) + _times(Q - W, values, fine) + _outward(shift, shift)
        values = _times(W, values, fine) + _outward(floats, floats)
        if index < last:
            largest = np.maximum(values.high, 0)
            change = _Between(
                np.maximum(np.minimum(change.low, 0), -largest),
                np.minimum(np.maximum(change.high, 0), np.maximum(values.high + change.high, 0)),
            )
            values = _Between(np.maximum(values.low, 0), largest)
    return Fraction(max(*change.high.tolist(), -min(change.low.tolist())), 2**_ROUNDING_BITS)


@dataclass(frozen=True)
class _Between:
    """Intervals in integers of 96 fractional bits."""

    low: BigIntegers
    high: BigIntegers

    def __add__(self, other: _Between) -> _Between:
        return _Between(self.low + other.low, self.high + other.high)


class _Column(NamedTuple):
    """The ends of an unrounded column, and the most that rounding moves it, in the spec's units."""

    low: Fraction
    high: Fraction
    error: Fraction


def _ends(spec: Spec, feature: Feature) -> list[_Column]:
    """Return the ends of each column of a feature; ends of a number are cut to what `input_bits` holds."""
    if feature.has_mark:
        # Columns of a missing value are 0, and its mark is exact.
        unmarked = msgspec.structs.replace(feature, missing=msgspec.UNSET)
        own = [_Column(min(one.low, _ZERO), max(one.high, _ZERO), one.error) for one in _ends(spec, unmarked)]
        return [*own, _Column(_ZERO, Fraction(spec.mark, spec.scale_unit), _ZERO)]
    unit = spec.scale_unit
    if feature.domain:
        raw = [ENCODINGS[feature.encoding].raw_columns(feature, value) for value in feature.domain]
        return [_column(feature, numbers, unit) for numbers in zip(*raw, strict=True)]
    low, high = column_ends(spec, feature)
    lost = _lost(feature)
    return [_Column(_scaled(feature, low), _scaled(feature, high) + lost, Fraction(1, 2 * unit) + lost)]


def _column(feature: Feature, numbers: Sequence[Fraction], unit: int) -> _Column:
    """Return the ends of a column that takes a few numbers, and how far rounding moves any of them."""
    scaled = [_scaled(feature, number) for number in numbers]
    error = max(
        abs(Fraction(on_grid(feature, number, unit), unit) - value)
        for number, value in zip(numbers, scaled, strict=True)
    )
    lost = _lost(feature)
    return _Column(min(scaled), max(scaled) + lost, error + lost)


def _lost(feature: Feature) -> Fraction:
    """Return how far a column may lie below the one that the float model takes, before it is rounded to the grid."""
    return ENCODINGS[feature.encoding].loss / Fraction(feature.scale)


def _scaled(feature: Feature, number: Fraction) -> Fraction:
    """Return the column of a raw number, unrounded."""
    return (number - Fraction(feature.mean)) / Fraction(feature.scale)


def _common(weights: Floats, committed: Sequence[Sequence[int]], bits: int) -> tuple[BigIntegers, BigIntegers, int]:
    """Return the weights of a layer in floats and as committed, both in integers of so many fractional bits."""
    ratios = [[weight.as_integer_ratio() for weight in row] for row in weights.tolist()]
    # The denominator of a float is a power of two, so the largest one holds all weights exactly.
    fine = max(bits, *(below.bit_length() - 1 for row in ratios for _, below in row))
    ours = [[(above << fine) // below for above, below in row] for row in ratios]
    return (
        np.array(ours, dtype=object),
        np.array([[weight << (fine - bits) for weight in row] for row in committed], dtype=object),
        fine,
    )


def _outward(low: Sequence[Fraction], high: Sequence[Fraction]) -> _Between:
    """Return intervals with these ends, rounded outward."""
    return _Between(
        np.array([math.floor(end * 2**_ROUNDING_BITS) for end in low], dtype=object),
        np.array([math.ceil(end * 2**_ROUNDING_BITS) for end in high], dtype=object),
    )


def _times(matrix: BigIntegers, values: _Between, bits: int) -> _Between:
    """Return the product of a matrix of so many fractional bits with intervals, rounded outward."""
    plus = np.maximum(matrix, 0)
    minus = np.minimum(matrix, 0)
    low = plus @ values.low + minus @ values.high
    high = plus @ values.high + minus @ values.low
    # A shift rounds down; for the upper end that is turned around.
    return _Between(low >> bits, -(-high >> bits))
