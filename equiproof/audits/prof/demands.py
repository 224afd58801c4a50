"""The constraints of step 2: columns of a change of the last layer, and rows that demand margins over sets.

Notation: the last layer is W h + b with h >= 0. With a single logit the margin of label 1 is the logit and that of
label 0 its negative; else it is a difference of logits, so that several classes need no bounds of each logit apart.
(PROF, equations (12), (13), (20) and (22), with these differences: margins and the rounding of weights stand inside the
constraints, and features whose lines coincide take no multipliers.)

Rounding: a committed weight is off by at most delta, a bias by at most delta_b. Over h >= 0 the least value of
(C + e) h + e_b is that of (C - delta) h - delta_b, so C is taken that much smaller: nothing is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.sets import Box, FeatureSet, Points, Polytope
from equiproof.certify.integer_program import Program

Floats = npt.NDArray[np.float64]

FREE = float("inf")


@dataclass(frozen=True)
class Demand:
    """What a repaired layer has to keep: a margin, with weights and biases each off by so much, and limits.

    `largest` bounds every |W + dW|, so that the weights still fit their width; `seconds` bound the search, which ends
    with `clock` if that is earlier.
    """

    margin: float = 0.0
    delta: float = 0.0
    delta_b: float = 0.0
    largest: float = FREE
    seconds: float = 12.0
    seed: int = 0
    clock: Clock = ENDLESS


@dataclass(frozen=True, eq=False)
class Expression:
    """A constant and a coefficient per column."""

    constant: float
    terms: dict[int, float]

    def plus(self, factor: float, other: Expression) -> Expression:
        """Return self + factor * other."""
        terms = dict(self.terms)
        for index, value in other.terms.items():
            terms[index] = terms.get(index, 0.0) + factor * value
        return Expression(self.constant + factor * other.constant, terms)


def forms(label: int, logits: int) -> Floats:
    """Return the margins of a label as rows over the logits: one for a single logit, else one per rival."""
    if logits == 1:
        return np.array([[1.0 if label else -1.0]])
    return np.array([np.eye(logits)[label] - np.eye(logits)[rival] for rival in range(logits) if rival != label])


def rounded_down(weights: Floats, form: Floats, delta: float) -> Floats:
    """Return the coefficients (d,) over the features of a form (logits,), less what rounding may take: h is >= 0."""
    return np.asarray(form @ weights - delta * np.abs(form).sum())


def _room(largest: float, weight: float) -> tuple[float, float]:
    """Return how far a weight has to go up, and may, so that it is at most `largest` in size."""
    return max(0.0, -largest - weight), max(0.0, largest - weight)


class Model:
    """The program: the columns of the change, and the rows of every demand."""

    def __init__(self, weights: Floats, biases: Floats, demand: Demand) -> None:
        """Add the columns: each weight and bias may go up and down, at cost 1."""
        self.program = Program()
        self._weights = weights
        self._biases = biases
        self._demand = demand
        largest = demand.largest
        self._up = np.array([[self.program.column(*_room(largest, w), 1.0) for w in row] for row in weights])
        self._down = np.array([[self.program.column(*_room(largest, -w), 1.0) for w in row] for row in weights])
        self._bias_up = np.array([self.program.column(0, FREE, 1.0) for _ in biases])
        self._bias_down = np.array([self.program.column(0, FREE, 1.0) for _ in biases])

    def changes(self) -> list[int]:
        """Return the columns of the change."""
        parts = (self._up.ravel(), self._down.ravel(), self._bias_up, self._bias_down)
        return [int(column) for part in parts for column in part]

    def read(self, values: Floats) -> tuple[Floats, Floats]:
        """Return dW and db of the columns' values."""
        return values[self._up] - values[self._down], values[self._bias_up] - values[self._bias_down]

    def demand(self, features: FeatureSet, form: Floats, unless: tuple[int, float] | None = None) -> None:
        """Demand that a form over the logits is at least the margin over a set.

        `unless` is (column, big): where that column is 0 the demand is less by `big`.
        """
        bias = self._form_of(form, self._biases, self._bias_up, self._bias_down, self._demand.delta_b)
        lows = self._points(features, form) if isinstance(features, Points) else [self._least(features, form)]
        for low in lows:
            total = bias.plus(1.0, low)
            if unless is not None:
                column, big = unless
                total = total.plus(big, Expression(1.0, {column: -1.0}))
            self.program.row(total.terms, self._demand.margin - total.constant)

    def _form_of(self, form: Floats, numbers: Floats, up: Floats, down: Floats, error: float) -> Expression:
        """Return a form over numbers that may go up and down and are off by at most `error` afterwards."""
        terms: dict[int, float] = {}
        for factor, up_column, down_column in zip(form, up, down, strict=True):
            if factor:
                terms[int(up_column)] = factor
                terms[int(down_column)] = -factor
        return Expression(float(form @ numbers - error * np.abs(form).sum()), terms)

    def _coefficients(self, form: Floats) -> list[Expression]:
        """Return C, one expression per feature."""
        columns = zip(self._weights.T, self._up.T, self._down.T, strict=True)
        return [self._form_of(form, *column, self._demand.delta) for column in columns]

    def _points(self, points: Points, form: Floats) -> list[Expression]:
        """Return C h of every point."""
        constants = points.features @ rounded_down(self._weights, form, self._demand.delta)
        logits = np.flatnonzero(form)
        columns = np.concatenate([self._up[logits].ravel(), self._down[logits].ravel()]).tolist()
        expressions = []
        for h, constant in zip(points.features, constants, strict=True):
            gains = np.concatenate([factor * h for factor in form[logits]])
            terms = dict(zip(columns, np.concatenate([gains, -gains]).tolist(), strict=True))
            expressions.append(Expression(float(constant), terms))
        return expressions

    def _least(self, features: Box | Polytope, form: Floats) -> Expression:
        """Return an expression that is at most the least C h, and reaches it: equations (13) and (20)."""
        coefficients = self._coefficients(form)
        if isinstance(features, Box):
            return self._ends(coefficients, features)
        d, m = features.lower[0].shape
        total = Expression(0.0, {})
        slopes = [Expression(0.0, {}) for _ in range(m)]
        for j in range(d):
            total, slopes = self._feature(features, j, coefficients[j], total, slopes)
        return total.plus(1.0, self._ends(slopes, features.inputs))

    def _ends(self, coefficients: Sequence[Expression], box: Box) -> Expression:
        """Return the least of a form over a box: each coordinate takes the worse of its ends, equation (12)."""
        total = Expression(0.0, {})
        for coefficient, low, high in zip(coefficients, box.low.tolist(), box.high.tolist(), strict=True):
            if low == high or not (coefficient.terms or coefficient.constant):
                total = total.plus(low, coefficient)
                continue
            worst = self.program.column(-FREE, FREE)
            for end in (low, high):
                bound = Expression(0.0, {worst: -1.0}).plus(end, coefficient)
                self.program.row(bound.terms, -bound.constant)
            total = total.plus(1.0, Expression(0.0, {worst: 1.0}))
        return total

    def _feature(
        self, polytope: Polytope, j: int, coefficient: Expression, total: Expression, slopes: list[Expression]
    ) -> tuple[Expression, list[Expression]]:
        """Add the part of one feature to the dual: multipliers of its two lines and of its two ends.

        C_j is their signed sum (stationarity in h_j); each line hands its slopes, times its multiplier, on to x.
        """
        low = float(polytope.box.low[j])
        high = float(polytope.box.high[j])
        lower_slopes = polytope.lower[0][j]
        lower_offset = polytope.lower[1][j]
        upper_slopes = polytope.upper[0][j]
        upper_offset = polytope.upper[1][j]
        if low == high:
            return total.plus(low, coefficient), slopes
        if np.array_equal(lower_slopes, upper_slopes) and lower_offset == upper_offset:
            slopes = [slope.plus(float(a), coefficient) for slope, a in zip(slopes, lower_slopes, strict=True)]
            return total.plus(float(lower_offset), coefficient), slopes
        balance = coefficient
        sides = ((1.0, lower_slopes, lower_offset, low), (-1.0, upper_slopes, upper_offset, high))
        for side, a, offset, end in sides:
            line = Expression(0.0, {self.program.column(0, FREE): 1.0})
            edge = Expression(0.0, {self.program.column(0, FREE): 1.0})
            balance = balance.plus(-side, line).plus(-side, edge)
            total = total.plus(side * float(offset), line).plus(side * end, edge)
            slopes = [slope.plus(side * float(value), line) for slope, value in zip(slopes, a, strict=True)]
        self.program.row(balance.terms, -balance.constant, -balance.constant)
        return total, slopes
