"""The distance from a query to a facet of a polytope: a float solver guesses, integers decide.

Notation: y is a point relative to the query, the origin. A polytope is a list of rows, a_i.y + v_i >= 0; a facet is its
intersection with a hyperplane c.y + w = 0. The nearest point solves a convex quadratic program, whose dual holds for
any multipliers M_i >= 0 and M of either sign: on the facet the form g.y + h, with g = sum of M_i a_i + M c and h = sum
of M_i v_i + M w, is not negative, so for h < 0 its squared distance is at least h^2 / |g|^2, and there is no facet
where g = 0 (Farkas). A float solution rounded to integer multipliers is therefore a proof as tight as its digits; a
wrong solution gives a weak bound, never a false one. The exact distance follows from the guessed active set by
:mod:`equiproof.certify.active_set`. (GeoCert, Jordan, Lewis and Dimakis 2019; FairProof keeps the hyperplane and drops
the rest.)

DAQP used to return "optimal" with an infeasible point on zero and duplicate rows (its issue 82), which dead neurons and
narrow layers produce; it still does where rows contradict each other by less than its tolerance. It is not given such
rows: rows are divided by their norm, and of parallel rows only the nearest on either side is kept. It is not given an
infeasible problem either, since it returns no multipliers for one: it projects onto a cone, whose apex stands for
"infinitely far". With tau the share of v that a point takes, it minimises |y|^2 + K^2 (tau - 1)^2 over a_i.y + v_i tau
>= 0, c.y + w tau = 0. At squared distance D^2, tau is K^2 / (K^2 + D^2), and the multipliers are those of the facet but
for a factor; for tau = 0 they are those of Farkas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd, isfinite, isqrt, sqrt
from operator import mul

import daqp
import numpy as np
import numpy.typing as npt

from equiproof.certify.active_set import Infeasible, Nearest, nearest
from equiproof.certify.polytope import LinearForm, Row, combine

Floats = npt.NDArray[np.float64]

_OPTIMAL = 1
_EQUALITY = 5
_NO_BOUND = 1e30
_DIGITS = 2.0**60
"""The scale of the largest multiplier: a float has 53 bits, a few more keep those of the small ones."""


@dataclass(frozen=True)
class DualBound:
    """Multipliers that keep a facet away: its squared distance is at least `numerator` / `denominator`.

    A denominator of 0 means that the facet is empty. `support` has the numbers of the used rows: on this hyperplane the
    bound holds for every polytope with these rows.
    """

    numerator: int
    denominator: int
    support: tuple[int, ...]


class Polytope:
    """The points y with a_i.y + v_i >= 0, for `rows` of shape (m, n_x) and m `values`; y is relative to the query.

    All are plain integers in grid units. Rows may be zero, parallel or repeated. `reach_squared`, in squared grid
    units, is the approximate distance up to which facets matter; it only conditions the float problem.
    """

    def __init__(self, rows: Sequence[Row], values: Sequence[int], reach_squared: int = 1 << 20) -> None:
        """Keep the rows; the solver's data is made on first use."""
        self.rows = tuple(rows)
        self.values = tuple(values)
        self._reach = sqrt(max(1, reach_squared))

    @classmethod
    def around(cls, forms: Iterable[LinearForm], query: Sequence[int]) -> Polytope:
        """Return the polytope on which the forms are not negative, relative to a query of n_x integers."""
        forms = tuple(forms)
        return cls([form.coefficients for form in forms], [form.value(query) for form in forms])

    def facet(self, row: Row, value: int) -> Nearest | Infeasible:
        """Return the point of the facet on row.y + value = 0 that is nearest to the query, or a proof that it is empty.

        Exact: all rows are checked in integers. In the multipliers, number 0 is the hyperplane and number i + 1 is row
        i. Raises ValueError for a zero row.
        """
        if not any(row):
            raise ValueError("a form that is constant on the slice has no hyperplane")
        solution = self._guess(row, value)
        guess = [] if solution is None else sorted(solution.rows, key=solution.rows.__getitem__, reverse=True)
        return nearest((row, *self.rows), (value, *self.values), [number + 1 for number in guess])

    def bound(self, row: Row, value: int) -> DualBound | None:
        """Return a lower bound for the facet on row.y + value = 0, None where the solver's multipliers prove nothing.

        It is as tight as the solver's digits: where the solver is right, it equals the exact distance up to rounding.
        """
        nowhere = self._nowhere(row, value)
        if nowhere is not None:
            return DualBound(1, 0, (nowhere,))
        solution = self._guess(row, value)
        if solution is None:
            return None
        numbers = list(solution.rows)
        scales = [*(isqrt(_squared(self.rows[number])) for number in numbers), isqrt(_squared(row))]
        floats = [*solution.rows.values(), solution.hyperplane]
        largest = max(map(abs, floats))
        shift = max(scale.bit_length() for scale in scales)
        # Any multipliers prove a bound, those of inequalities from 0 on, so the solver's may be rounded freely. The
        # norms that the solver divided rows by are put back.
        multipliers = [(int(u / largest * _DIGITS) << shift) // scale for u, scale in zip(floats, scales, strict=True)]
        form = combine(multipliers, [*((*self.rows[number], self.values[number]) for number in numbers), (*row, value)])
        # On the facet the combined form c.y + d is not negative; where d < 0, every such point is |d| / |c| away at
        # least.
        return None if form[-1] >= 0 else DualBound(form[-1] ** 2, _squared(form[:-1]), tuple(numbers))

    @cached_property
    def _sides(self) -> dict[Row, dict[bool, int]]:
        """The relevant rows: by direction and side, the number of the tightest row."""
        result: dict[Row, dict[bool, int]] = {}
        for number, row in enumerate(self.rows):
            direction, factor = _direction(row)
            if factor:
                side = result.setdefault(direction, {})
                other = side.get(factor > 0)
                # value / |factor| is the distance of the row along its direction.
                if other is None or self.values[number] * abs(_direction(self.rows[other])[1]) < self.values[
                    other
                ] * abs(factor):
                    side[factor > 0] = number
        return result

    def _nowhere(self, row: Row, value: int) -> int | None:
        """Return the number of a row that is negative on all of the hyperplane: a constant or a parallel one."""
        for number, constant in self._constants:
            if constant < 0:
                return number
        direction, factor = _direction(row)
        for number in self._sides.get(direction, {}).values():
            # There direction.y = -value / factor, and this row is a multiple of the direction.
            if (self.values[number] * factor - _direction(self.rows[number])[1] * value) * factor < 0:
                return number
        return None

    @cached_property
    def _constants(self) -> list[tuple[int, int]]:
        """The rows with a = 0: number and value."""
        return [(number, self.values[number]) for number, row in enumerate(self.rows) if not any(row)]

    def _guess(self, row: Row, value: int) -> _Guess | None:
        """Run the solver; None where it failed or used no row."""
        places, matrix, lower = self._problem
        last = len(places)
        if not last:
            return _Guess({}, -1.0 if value > 0 else 1.0)
        matrix[last], lower[last] = self._scaled(row, value)
        bounds = lower.copy()
        for number in self._sides.get(_direction(row)[0], {}).values():
            # On the hyperplane this row is constant.
            bounds[places[number]] = -_NO_BOUND
        upper = np.full(last + 1, _NO_BOUND)
        sense = np.zeros(last + 1, dtype=np.intc)
        upper[last] = bounds[last]
        sense[last] = _EQUALITY
        _, _, flag, info = daqp.solve(None, None, matrix, upper, bounds, sense)
        multipliers: list[float] = (-info["lam"]).tolist()
        if flag != _OPTIMAL or not all(map(isfinite, multipliers)):
            return None
        # Weak duality needs multipliers that are not negative; what the solver's rounding made negative is left out.
        used = {number: multipliers[place] for number, place in places.items() if multipliers[place] > 0}
        return _Guess(used, multipliers[last]) if used or multipliers[last] else None

    @cached_property
    def _problem(self) -> tuple[dict[int, int], Floats, Floats]:
        """The solver's matrix with a last row to be filled in, its lower bounds, and number -> place of the rows."""
        numbers = [number for side in self._sides.values() for number in side.values()]
        matrix = np.zeros((len(numbers) + 1, 1 + max(map(len, self.rows), default=0)))
        lower = np.zeros(len(numbers) + 1)
        for place, number in enumerate(numbers):
            matrix[place], lower[place] = self._scaled(self.rows[number], self.values[number])
        return {number: place for place, number in enumerate(numbers)}, matrix, lower

    def _scaled(self, row: Row, value: int) -> tuple[list[float], float]:
        """Return a row over (y, tau - 1), divided by its norm, in units of the reach; and its lower bound."""
        scale = isqrt(_squared(row))
        constant = value / scale / self._reach
        return [*(c / scale for c in row), constant], -constant


@dataclass(frozen=True)
class _Guess:
    """The solver's multipliers for rows divided by their norm: those above 0 by number, and the hyperplane's."""

    rows: dict[int, float]
    hyperplane: float


@lru_cache(maxsize=1 << 14)
def _direction(row: Row) -> tuple[Row, int]:
    """Return the direction and the factor of a row: parallel rows have the same direction; the factor of 0 is 0."""
    factor = gcd(*row)
    if factor and next(c for c in row if c) < 0:
        factor = -factor
    return (tuple(c // factor for c in row) if factor else row), factor


def _squared(row: Row) -> int:
    """Return |a|^2."""
    return sum(map(mul, row, row))
