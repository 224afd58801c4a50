"""Exact radii of networks in a weighted distance: sqrt((x - q)' M (x - q)) for a public positive-definite matrix M.

The matrix is given as its inverse S, such as the covariance of the rows: the distance is then that of Mahalanobis, in
which a way counts less where rows vary more. With S = B B' and x = q + B y, a ball of that distance is a round one of
y, and a network of x is a network of y with first weights W B. So every search for round balls finds its radii.

B has to be whole numbers over 2^bits. A matrix hardly ever has such a factor: the factor is that of a matrix S_B
nearby, and radii are exact for S_B. How near it is, is proven in fractions: S_B / (1 + slack) <= S <= (1 + slack) S_B,
where A <= C says that C - A is positive semidefinite. A radius for S itself follows from it.

Notation: n is the number n_x of non-sensitive columns, q the query, f_x the fractional bits of inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np

from equiproof.certify.digits import percent
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.certify.polytope import Row, combine
from equiproof.certify.traversal.exact import ExactBudgetError, ExactSearch, exact_search
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.exit_codes import MISUSED

BITS = 10
"""The fractional bits of a factor, where none are named."""

MAX_BITS = 24
"""The most fractional bits of a factor: weights of 32 bits have no room for more."""

MAX_SLACK = Fraction(1, 20)
"""A factor that is further away than this does not represent a matrix."""

Matrix = tuple[tuple[Fraction, ...], ...]


class MetricError(ValueError):
    """A matrix that is no distance, or that no factor of so many bits represents; one line with the remedy first."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Metric:
    """A distance of n columns: `factor` is 2^bits B, rows of n integers, lower triangular with a positive diagonal.

    `slack` is how far S_B may be from the given matrix; see the module.
    """

    factor: tuple[Row, ...]
    bits: int
    slack: Fraction

    @classmethod
    def of(cls, matrix: Sequence[Sequence[int | float | str | Decimal | Fraction]], bits: int = BITS) -> Metric:
        """Return the distance of S, shape (n, n); its entries are squares of the input's units and are read exactly.

        Raises MetricError for a matrix that is empty, not square, not symmetric or not positive definite, for an entry
        that is not a finite number, and where `bits` (0 to MAX_BITS) are too few for a factor within MAX_SLACK.
        """
        if not 0 <= bits <= MAX_BITS:
            raise MetricError(f"use 0 to {MAX_BITS} fractional bits: {bits} were given")
        S = _exact(matrix)
        if (column := _failing(S)) is not None:
            raise MetricError(
                "add a share of the identity to the matrix: it is not positive definite, since the minor of its first "
                f"{column + 1} rows and columns is not positive"
            )
        factor = _rounded_factor(S, bits)
        if factor is not None:
            found = cls(factor, bits, Fraction(0))
            slack = _slack(S, found.matrix)
            if slack is not None:
                return replace(found, slack=slack)
        raise MetricError(
            f"use more than {bits} fractional bits, or add a share of the identity to the matrix: no factor of so few "
            f"is within {percent(float(MAX_SLACK))} of it"
        )

    @property
    def columns(self) -> int:
        """The number n of columns."""
        return len(self.factor)

    @property
    def matrix(self) -> Matrix:
        """S_B, whose radii are exact."""
        unit = 1 << (2 * self.bits)
        return tuple(
            tuple(Fraction(sum(a * b for a, b in zip(row, other, strict=True)), unit) for other in self.factor)
            for row in self.factor
        )

    def squared(self, way: Sequence[Fraction | int]) -> Fraction:
        """Return the squared distance of S_B that a way of n numbers leads, exactly; raises ValueError for another n.

        y solves B y = way, from its first entry to the last.
        """
        y: list[Fraction] = []
        for place, (row, step) in enumerate(zip(self.factor, way, strict=True)):
            before = sum((Fraction(row[below]) * y[below] for below in range(place)), Fraction(0))
            y.append((Fraction(step) * (1 << self.bits) - before) / row[place])
        return sum((one * one for one in y), Fraction(0))

    def within(self, radius_squared: Fraction) -> Fraction:
        """Return a squared radius that is certain for the given matrix, from one that is for S_B."""
        return radius_squared / (1 + self.slack)

    def around(self, network: QuantisedNetwork, query: Sequence[int]) -> QuantisedNetwork:
        """Return the network of (y, s), with y = 0 at a query of n integers and s the sensitive columns.

        All its values are 2^bits times those of `network`, so it decides alike. Raises MetricError where a weight does
        not fit, ValueError for another n.
        """
        unit = 1 << self.bits
        first, *others = network.layers
        n = self.columns
        if len(query) != n or first.inputs < n:
            raise ValueError(f"the matrix has {n} columns, the query {len(query)}, the network {first.inputs}")
        weights = tuple(
            (*combine(row[:n], self.factor), *(unit * weight for weight in row[n:])) for row in first.weights
        )
        values = first((*query, *(0,) * (first.inputs - n)))
        layers = [Layer(weights, tuple(unit * value for value in values))]
        layers += [Layer(layer.weights, tuple(unit * bias for bias in layer.biases)) for layer in others]
        scales = network.weight_fraction_bits
        try:
            return QuantisedNetwork(tuple(layers), network.input_fraction_bits, (scales[0] + self.bits, *scales[1:]))
        except NetworkError as error:
            raise MetricError(f"use fewer than {self.bits} fractional bits: in other coordinates, {error}") from None

    def back(self, y: Sequence[Fraction], query: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the point x = q + B y of n rationals."""
        return tuple(
            place + sum((weight * step for weight, step in zip(row, y, strict=True)), Fraction(0)) / (1 << self.bits)
            for place, row in zip(query, self.factor, strict=True)
        )


def metric_search(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    metric: Metric,
    *,
    max_radius_squared: int,
    max_regions: int,
    max_seconds: float | None = None,
) -> ExactSearch | Counterexample:
    """Search for the nearest point with another decision as :func:`equiproof.certify.traversal.exact.exact_search`.

    Distances are those of the metric's S_B: its square root of an entry 1 is as long as a grid unit. The boundary point
    is one of x, in grid units. Ranges of columns are not looked at, so that a radius is certain with and without them.
    Where seconds end the search, the interval that is certain by then is returned. Raises MetricError where the network
    does not fit other coordinates, and the errors of `exact_search`.
    """
    turned = metric.around(network, query)
    try:
        found = exact_search(
            turned,
            (0,) * metric.columns,
            table,
            max_radius_squared=max_radius_squared,
            max_regions=max_regions,
            max_seconds=max_seconds,
        )
    except ExactBudgetError as error:
        found = error.search
    if isinstance(found, Counterexample):
        # Logits are those of the network itself again.
        logits = tuple(tuple(value >> metric.bits for value in row) for row in found.logits)
        return replace(found, logits=logits)
    point = found.boundary_point
    if point is None:
        return found
    return replace(found, boundary_point=replace(point, point=metric.back(point.point, query)))


def _exact(matrix: Sequence[Sequence[int | float | str | Decimal | Fraction]]) -> Matrix:
    """Return a symmetric matrix in fractions; raises MetricError for another one."""
    n = len(matrix)
    if n == 0 or any(len(row) != n for row in matrix):
        raise MetricError(
            f"give as many columns as rows: the matrix has {n} rows of {sorted({len(r) for r in matrix})}"
        )
    rows = []
    for place, row in enumerate(matrix):
        try:
            rows.append(tuple(Fraction(cell) for cell in row))
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            raise MetricError(f"give finite numbers: row {place + 1} of the matrix has an entry that is none") from None
    for first in range(n):
        for second in range(first):
            if rows[first][second] != rows[second][first]:
                raise MetricError(
                    f"give a symmetric matrix: row {first + 1} and row {second + 1} have two entries for one pair"
                )
    return tuple(rows)


def _failing(matrix: Matrix) -> int | None:
    """Return the first column whose leading principal minor is not positive; None for a positive-definite matrix.

    Elimination without fractions (Bareiss 1968): pivots are the minors, up to a positive factor.
    """
    unit = lcm(*(cell.denominator for row in matrix for cell in row))
    rows = [[int(cell * unit) for cell in row] for row in matrix]
    before = 1
    for place, pivot_row in enumerate(rows):
        pivot = pivot_row[place]
        if pivot <= 0:
            return place
        for row in rows[place + 1 :]:
            head = row[place]
            for column in range(place + 1, len(row)):
                row[column] = (pivot * row[column] - head * pivot_row[column]) // before
        before = pivot
    return None


def _rounded_factor(matrix: Matrix, bits: int) -> tuple[Row, ...] | None:
    """Return the factor of Cholesky, rounded to whole numbers over 2^bits; None where a diagonal entry becomes 0."""
    try:
        factor = np.linalg.cholesky(np.array([[float(cell) for cell in row] for row in matrix]))
    except np.linalg.LinAlgError:
        return None
    whole = [[round(float(cell) * (1 << bits)) for cell in row] for row in factor]
    return tuple(map(tuple, whole)) if all(whole[place][place] > 0 for place in range(len(whole))) else None


def _slack(matrix: Matrix, near: Matrix) -> Fraction | None:
    """Return a slack that is proven to hold between two matrices, None if it is too large.

    Floats guess, fractions decide, and a guess that fails is doubled.
    """
    root = np.linalg.inv(np.linalg.cholesky(np.array([[float(cell) for cell in row] for row in matrix])))
    shares = np.linalg.eigvalsh(root @ np.array([[float(cell) for cell in row] for row in near]) @ root.T)
    guess = max(float(shares[-1]) - 1, 1 / max(float(shares[0]), 1e-9) - 1, 2.0**-40)
    slack = Fraction(f"{1.01 * guess:.3g}")
    while slack <= MAX_SLACK:
        if _below(matrix, near, slack) and _below(near, matrix, slack):
            return slack
        slack *= 2
    return None


def _below(matrix: Matrix, other: Matrix, slack: Fraction) -> bool:
    """Return whether (1 + slack) other - matrix is positive definite."""
    return (
        _failing(
            tuple(
                tuple((1 + slack) * large - small for small, large in zip(row, above, strict=True))
                for row, above in zip(matrix, other, strict=True)
            )
        )
        is None
    )
