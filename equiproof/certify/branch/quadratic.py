"""The strictly convex quadratic programs of the relaxation, in floats, as problems of the least norm (solver: daqp).

Notation: a point is (y, h, 1), with y the way from the query in units of the radius and h the free neurons. A program
has m rows, `matrix` (y, h, 1) >= 0; the multipliers of its rows, shape (m,), are at least 0. What is read from them is
a bound only after a backward pass (:mod:`equiproof.certify.branch.duals`), so a solver's error costs tightness alone.
"""

from __future__ import annotations

from math import sqrt

import daqp
import numpy as np

from equiproof.certify.branch.arrays import Floats

TOLERANCE = 1e-10
"""The solver's tolerance of a violated row, each scaled to norm 1."""

LOOSE_TOLERANCE = 1e-7
"""The tolerance of a second attempt, where the rows almost leave a single ray."""

_OPTIMAL = 1
"""The solver's flag of a solution."""

_NO_BOUND = 1e30
"""The solver's number for a row without an upper bound."""

_FEATURE_WEIGHT = 1e-3
"""The weight of h relative to y: the objective is about y alone, but the solver needs a strictly convex program."""

_ZERO_ROW = 1e-13
"""A row of at most this share of the largest norm is 0 but for the errors of its sums."""


def minimise(
    matrix: Floats, objective: Floats, columns: int, centre: Floats, penalty: float
) -> tuple[Floats, Floats] | None:
    """Minimise objective (y, h) + penalty/2 |y|^2 over matrix (y, h, 1) >= 0; h is also drawn to `centre`.

    `objective` has no constant, shape (n_x + free,), `columns` is n_x, `centre` has shape (free,). Returns the
    multipliers of the rows and the solution (y, h, 1), or None where no such point exists or the solver failed.
    """
    roots = np.concatenate([np.full(columns, sqrt(penalty)), np.full(len(centre), _FEATURE_WEIGHT)])
    # With v = roots (x - origin) the objective is |v|^2 / 2 and a constant: origin is its minimum without rows.
    origin = np.concatenate([np.zeros(columns), centre]) - objective / roots**2
    problem = matrix[:, :-1] / roots
    lower = -(matrix[:, -1] + matrix[:, :-1] @ origin)
    optimum = _least_norm(problem, lower)
    if optimum is None:
        return None
    multipliers, solution = optimum
    return multipliers, np.concatenate([origin + solution / roots, [1.0]])


def project(matrix: Floats, columns: int, centre: Floats, tolerance: float = TOLERANCE) -> Floats | None:
    """Return the multipliers of the point of matrix (y, h, 1) >= 0 nearest to y = 0, or those of Farkas if it is empty.

    The constants are multiplied by tau, the share of them that a point takes, and (tau - 1)^2 joins the norm: the cone
    always has a nearest point, its apex where the set is empty. None where the solver failed. (As in
    :mod:`equiproof.certify.traversal.facet`.)
    """
    constants = matrix[:, -1] + matrix[:, columns:-1] @ centre
    features = matrix[:, columns:-1] / _FEATURE_WEIGHT
    problem = np.concatenate([matrix[:, :columns], features, constants[:, None]], axis=1)
    optimum = _least_norm(problem, -constants, tolerance)
    if optimum is None:
        return None
    multipliers, _ = optimum
    return multipliers


def _least_norm(problem: Floats, lower: Floats, tolerance: float = TOLERANCE) -> tuple[Floats, Floats] | None:
    """Return multipliers (m,) and solution (n,) of the least |v| with problem v >= lower; None without a solution."""
    norms = np.linalg.norm(problem, axis=1)
    rows = np.flatnonzero(norms > _ZERO_ROW * max(1.0, float(norms.max(initial=0.0))))
    zero_rows = np.setdiff1d(np.arange(len(problem)), rows)
    if (lower[zero_rows] > 0).any():
        return None
    multipliers = np.zeros(len(problem))
    if not len(rows):
        return multipliers, np.zeros(problem.shape[1])
    unit_rows = np.ascontiguousarray(problem[rows] / norms[rows, None])
    unit_lower = lower[rows] / norms[rows]
    upper = np.full(len(rows), _NO_BOUND)
    sense = np.zeros(len(rows), dtype=np.intc)
    solution, _, flag, info = daqp.solve(None, None, unit_rows, upper, unit_lower, sense, primal_tol=tolerance)
    # The solver counts multipliers of lower sides as negative.
    row_multipliers = -np.asarray(info["lam"])
    if flag != _OPTIMAL or not np.isfinite(row_multipliers).all():
        return None
    # A multiplier below 0 is an error of the solver: as 0 it proves a weaker bound, but a bound.
    multipliers[rows] = np.maximum(row_multipliers, 0.0) / norms[rows]
    return multipliers, np.asarray(solution)
