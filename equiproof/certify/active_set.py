"""The nearest point of a polyhedron in exact integers: the dual active-set method of Goldfarb and Idnani (1983).

Notation: y is a point relative to the query, which is the origin. Row i with value v_i says a_i.y + v_i >= 0; row 0 is
an equality, a_0.y + v_0 = 0. On a set W of independent rows the nearest point is y = sum of u_k a_k over W with G_W u =
-v_W, G the Gram matrix of the rows: integers over one denominator, its determinant. The method holds a set W whose
inequalities have u >= 0, adds a row that y violates and drops the rows that block it. Every full step makes the
distance larger, so no set occurs twice and the method ends: at a point that all rows admit, which with u >= 0 is the
nearest (Karush, Kuhn and Tucker), or at multipliers of Farkas, which show that no such point exists.

The initial set affects the running time only, so a guess in floats is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import mul

from equiproof.certify.polytope import Row, combine


@dataclass(frozen=True)
class Nearest:
    """The nearest point: `offset` from the query to it in grid units, n_x rationals, and their sum of squares.

    `multipliers` are those that are not 0, by the number of their row; offset = sum of multipliers times rows.
    """

    squared: Fraction
    offset: tuple[Fraction, ...]
    multipliers: dict[int, Fraction]


@dataclass(frozen=True)
class Infeasible:
    """No point satisfies all rows: the multipliers combine them to 0.y + a negative number (Farkas)."""

    multipliers: dict[int, Fraction]


@dataclass
class _Pair:
    """A set W of independent rows, row 0 first, with multipliers numerators / determinant that are dual feasible."""

    active: list[int]
    numerators: list[int]
    determinant: int


def nearest(rows: Sequence[Row], values: Sequence[int], guess: Iterable[int] = ()) -> Nearest | Infeasible:
    """Return the point nearest to the query that all rows admit, row 0 with equality, or a proof that there is none.

    `rows` has shape (m, n_x), `values` m, plain integers. `guess` lists the numbers of rows that may hold with equality
    there, the most important first; wrong ones cost time only. Rows after row 0 may be zero, parallel or dependent.
    Raises ValueError where row 0 is zero, since it has no hyperplane.
    """
    if not any(rows[0]):
        raise ValueError("a form that is constant on the slice has no hyperplane")
    active = list(dict.fromkeys((0, *guess)))
    while True:
        pair = _dual_feasible(rows, values, active)
        offset = combine(pair.numerators, [rows[k] for k in pair.active])
        worst = _most_violated(rows, values, offset, pair.determinant)
        if worst is None:
            squared = -sum(u * values[k] for k, u in zip(pair.active, pair.numerators, strict=True))
            return Nearest(
                Fraction(squared, pair.determinant),
                tuple(Fraction(c, pair.determinant) for c in offset),
                {k: Fraction(u, pair.determinant) for k, u in zip(pair.active, pair.numerators, strict=True) if u},
            )
        active = pair.active
        refuted = _admit(rows, values, pair, worst)
        if refuted is not None:
            return refuted


def refutes(rows: Sequence[Row], values: Sequence[int], infeasible: Infeasible) -> bool:
    """Return whether multipliers show that no point satisfies all rows, checked in integers."""
    common = lcm(*(u.denominator for u in infeasible.multipliers.values()))
    scaled = {k: int(u * common) for k, u in infeasible.multipliers.items()}
    if any(u < 0 for k, u in scaled.items() if k):
        return False
    vanishes = not any(combine(list(scaled.values()), [rows[k] for k in scaled]))
    return vanishes and sum(u * values[k] for k, u in scaled.items()) < 0


def _dual_feasible(rows: Sequence[Row], values: Sequence[int], active: Sequence[int]) -> _Pair:
    """Drop dependent rows, then the inequality of the most negative multiplier, until none is negative."""
    active = list(active)
    while True:
        independent, determinant, (numerators,) = _solve([rows[k] for k in active], [[-values[k] for k in active]])
        active = [active[i] for i in independent]
        # Row 0 is an equality, whose multiplier may have either sign.
        worst = min(range(1, len(active)), key=numerators.__getitem__, default=0)
        if not worst or numerators[worst] >= 0:
            return _Pair(active, numerators, determinant)
        del active[worst]


def _admit(rows: Sequence[Row], values: Sequence[int], pair: _Pair, new: int) -> Infeasible | None:
    """Add a violated row to the active set of a pair, dropping those whose multiplier would fall below 0 on the way.

    Changes `pair.active`; the caller recomputes the multipliers. Returns Farkas multipliers where no step is left.
    """
    active = pair.active
    norm = sum(map(mul, rows[new], rows[new]))
    u_new = Fraction(0)
    multipliers = [Fraction(u, pair.determinant) for u in pair.numerators]
    while True:
        products = [sum(map(mul, rows[k], rows[new])) for k in active]
        _, determinant, (numerators,) = _solve([rows[k] for k in active], [products])
        ratios = [Fraction(r, determinant) for r in numerators]
        # a_new = sum of ratios times active rows + z, z orthogonal to them; z = 0 where the row depends on them.
        z_squared = norm - sum(map(mul, ratios, products))
        # While the new row's multiplier rises by t, that of active row i falls by t r_i: the least ratio reaches 0
        # first.
        blocking = [(multipliers[i] / r, i) for i, r in enumerate(ratios) if i and r > 0]
        if z_squared:
            slack = sum(map(mul, multipliers, products)) + u_new * norm + values[new]
            # The full step, t = -slack / z_squared, makes the new row hold with equality; it is taken unless a
            # multiplier blocks it earlier.
            if not blocking or min(blocking)[0] * z_squared >= -slack:
                active.append(new)
                return None
        elif not blocking:
            return Infeasible({new: Fraction(1), **{k: -r for k, r in zip(active, ratios, strict=True) if r}})
        step, drop = min(blocking)
        multipliers = [u - step * r for u, r in zip(multipliers, ratios, strict=True)]
        u_new += step
        del active[drop], multipliers[drop]


def _most_violated(rows: Sequence[Row], values: Sequence[int], offset: Row, denominator: int) -> int | None:
    """Return the number of the row that offset / denominator violates by the largest distance, or None.

    The distances are rounded down: which of several violated rows is added first affects the running time only.
    """
    deepest = None
    for number, (row, value) in enumerate(zip(rows, values, strict=True)):
        slack = sum(map(mul, row, offset)) + value * denominator
        if slack < 0 and number:
            # A row of zeros has no distance; that it is violated is enough for it to be added.
            depth = slack * slack // (sum(map(mul, row, row)) or 1)
            if deepest is None or depth > deepest[0]:
                deepest = depth, number
    return None if deepest is None else deepest[1]


def _solve(rows: Sequence[Row], targets: Sequence[Sequence[int]]) -> tuple[list[int], int, list[list[int]]]:
    """Solve G u = target for the independent ones among the rows: their places, det G > 0, and det G * u per target.

    Elimination after Gauss and Jordan without fractions (Bareiss 1968): every division is exact, every entry a minor.
    G is positive semidefinite, so a pivot of 0 says that the row depends on those before it.
    """
    size = len(rows)
    previous = 1
    independent: list[int] = []
    matrix = [
        [sum(map(mul, row, other)) for other in rows] + [target[i] for target in targets] for i, row in enumerate(rows)
    ]
    for k in range(size):
        pivot = matrix[k][k]
        upper = matrix[k]
        if not pivot:
            continue
        for i in (*independent, *range(k + 1, size)):
            factor = matrix[i][k]
            matrix[i] = [(pivot * a - factor * b) // previous for a, b in zip(matrix[i], upper, strict=True)]
        independent.append(k)
        previous = pivot
    return independent, previous, [[matrix[i][size + t] for i in independent] for t in range(len(targets))]
