"""A question about one or two copies of a network, reduced to the columns that vary in a neighborhood.

Notation: columns that do not vary are folded into the biases of the first layer, once per copy, so the copies share the
weights W_l of every layer and the biases b_l of every layer but the first. All numbers are exact integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba.definition import Number, Question, margin_row
from equiproof.audits.pba.integers import Integers, compact, exact, product
from equiproof.certify.network import QuantisedNetwork

Floats = npt.NDArray[np.float64]


class Arrays:
    """A network as integer arrays, made once for many questions."""

    def __init__(self, network: QuantisedNetwork) -> None:
        """Turn the layers' tuples into arrays: weights (outputs, inputs), biases (outputs,)."""
        self.network = network
        self.weights = [np.array(layer.weights, dtype=np.int64) for layer in network.layers[:-1]]
        self.biases = [compact(np.array(layer.biases, dtype=object)) for layer in network.layers[:-1]]
        self.scales = [
            float(2 ** sum((network.input_fraction_bits, *network.weight_fraction_bits[:depth])))
            for depth in range(len(network.layers) + 1)
        ]


@dataclass(frozen=True, eq=False)
class Copies:
    """A question in its d varying columns.

    `varying` numbers these columns, `lower` and `upper` (d,) are their ends, `query` (d,) the person's own values.
    `weights[l]` is (outputs, inputs) with d inputs of layer 0; `biases[l][c]` (outputs,) is that of copy c. The
    objective is the sum over copies c of signs[c] * (top @ h_c), plus `constant`.
    """

    question: Question
    network: QuantisedNetwork
    varying: tuple[int, ...]
    query: Integers
    lower: Integers
    upper: Integers
    weights: Sequence[Integers]
    biases: Sequence[Sequence[Integers]]
    signs: tuple[int, ...]
    top: Integers
    constant: int
    scales: Sequence[float]

    def whole(self, values: Sequence[Number]) -> tuple[Number, ...]:
        """Return the n_x columns of a point given by its varying ones, whole numbers as integers."""
        columns: list[Number] = list(self.question.query)
        for column, value in zip(self.varying, values, strict=True):
            columns[column] = int(value) if value.denominator == 1 else value
        return tuple(columns)

    def value(self, point: Sequence[int], shift: int = 0) -> Fraction:
        """Return the exact objective at d integers in units of 2^-shift grid units, in units of the integer logits.

        relu(t z) = t relu(z) for t > 0, so biases times 2^shift give the objective times 2^shift.
        """
        total = self.constant << shift
        for copy, sign in enumerate(self.signs):
            values: Integers = compact(np.array(point, dtype=object))
            for weight, biases in zip(self.weights, self.biases, strict=True):
                values = compact(np.maximum(exact(product(weight, values)) + (exact(biases[copy]) << shift), 0))
            total += sign * int(product(self.top[None, :], values)[0])
        return Fraction(total, 1 << shift)

    @cached_property
    def _in_floats(self) -> list[tuple[Floats, list[Floats]]]:
        """The weights, transposed, and biases in floats."""
        return [
            (weight.T.astype(np.float64), [bias.astype(np.float64) for bias in biases])
            for weight, biases in zip(self.weights, self.biases, strict=True)
        ]

    def floats(self, points: Floats) -> Floats:
        """Return the objective at points (rows, d) in floats, in units of the integer logits: for guesses only."""
        total = np.full(len(points), float(self.constant))
        for copy, sign in enumerate(self.signs):
            values = points
            for weight, biases in self._in_floats:
                values = np.maximum(values @ weight + biases[copy], 0.0)
            total += sign * (values @ self.top.astype(np.float64))
        return total


def copies_of(arrays: Arrays, question: Question) -> Copies:
    """Fold what does not vary into the biases of the first layer."""
    network = arrays.network
    plain = len(question.query)
    varying = tuple(column for column in range(plain) if question.lower[column] < question.upper[column])
    first = arrays.weights[0]
    fixed = [column for column in range(plain) if column not in varying]
    constants = np.array([question.query[column] for column in fixed], dtype=np.int64)
    shared = product(first[:, fixed], constants) + arrays.biases[0]
    rows = [np.array(row, dtype=np.int64) for row, _ in question.copies]
    starts = [compact(exact(shared) + product(first[:, plain:], row)) for row in rows]
    signs = tuple(sign for _, sign in question.copies)
    top, constant = margin_row(network, question.label, question.against)

    def picked(values: Sequence[int]) -> Integers:
        return np.array([values[column] for column in varying], dtype=np.int64)

    return Copies(
        question=question,
        network=network,
        varying=varying,
        query=picked(question.query),
        lower=picked(question.lower),
        upper=picked(question.upper),
        weights=[first[:, list(varying)], *arrays.weights[1:]],
        biases=[starts, *([bias] * len(signs) for bias in arrays.biases[1:])],
        signs=signs,
        top=np.array(top, dtype=np.int64),
        constant=sum(signs) * constant,
        scales=arrays.scales,
    )
