"""The forms of all bounds of a layer, carried down to the inputs together, in arrays of exact integers.

Each becomes what :mod:`equiproof.certify.branch.backward` makes of it alone, which the checker goes by. Numbers of an
array are int64 where no result can be beyond it, and Python's own otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.branch.evidence import LayerBounds, Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters

Integers = npt.NDArray[Any]
"""Of int64, or of Python's integers."""

Descent = tuple[Row, int, list[tuple[Row, Row]]]
"""A form over all columns, its constant, and P and Q of every layer that it went through, from the upper one down."""

_BITS = 62
"""Numbers of int64 stay below 2^62, so that the sum of two is held, too."""


def descents(
    network: QuantisedNetwork, parameters: Parameters, top: int, layers: Sequence[LayerBounds]
) -> Iterator[Descent]:
    """Return the forms of z and then of -z of every neuron of hidden layer `top`, with the layers below relaxed."""
    above = network.layers[top - 1]
    coefficients, constants = _both(_integers(above.weights)), _both(_integers(above.biases))
    parts = []
    for j in range(top - 1, 0, -1):
        shift = parameters.rounding[top - 2][j - 1]
        coefficients, constants = _shifted(coefficients, shift), _shifted(constants, shift)
        positive, negative = np.maximum(coefficients, 0), np.maximum(-coefficients, 0)
        parts.append([_rows(positive), _rows(negative)])
        bounds, layer = layers[j - 1], network.layers[j - 1]
        mu = _times(positive, _integers(bounds.lower)) - _times(negative, _integers(bounds.upper))
        offsets = _product(negative, _integers(bounds.offset))
        scaled = _times(constants, _integers([parameters.unit]))
        constants = _sum(scaled, -offsets, _product(mu, _integers(layer.biases)))
        coefficients = _product(mu, _integers(layer.weights))
    for place, (row, constant) in enumerate(zip(_rows(coefficients), constants.tolist(), strict=True)):
        yield row, constant, [(positive[place], negative[place]) for positive, negative in parts]


def _integers(numbers: Sequence[Any]) -> Integers:
    """Return numbers, or rows of them, as an array."""
    exact = np.array(numbers, dtype=object)
    return exact.astype(np.int64) if _size(exact) >> _BITS == 0 else exact


def _both(numbers: Integers) -> Integers:
    """Return an array, and behind it its negative."""
    return np.concatenate([numbers, -numbers])


def _rows(numbers: Integers) -> list[Row]:
    """Return the rows of a matrix, in Python's integers."""
    return [tuple(row) for row in numbers.tolist()]


def _size(numbers: Integers) -> int:
    """Return the largest absolute value."""
    return int(np.abs(numbers).max(initial=0))


def _shifted(numbers: Integers, bits: int) -> Integers:
    """Return numbers divided by 2^bits and rounded down."""
    # Beyond 63 bits int64 is not defined, and shifts no more.
    return numbers >> (bits if numbers.dtype == object else min(bits, 63))


def _within(bound: int, *arrays: Integers) -> tuple[Integers, ...]:
    """Return arrays to compute with where no result is beyond a bound."""
    return arrays if bound >> _BITS == 0 else tuple(one.astype(object) for one in arrays)


def _times(left: Integers, right: Integers) -> Integers:
    """Return the products of numbers at the same place."""
    left, right = _within(_size(left) * _size(right), left, right)
    return left * right


def _product(left: Integers, right: Integers) -> Integers:
    """Return the product of matrices."""
    left, right = _within(left.shape[-1] * _size(left) * _size(right), left, right)
    return left @ right


def _sum(*terms: Integers) -> Integers:
    """Return the sum of arrays."""
    first, *others = _within(sum(map(_size, terms)), *terms)
    for one in others:
        first = first + one
    return first
