"""The linear program over a relaxation, solved by HiGHS; its multipliers are only a guess.

Variables and rows are scaled to the unit interval and to coefficients of at most 1, then the program is solved in
floats and the duals are scaled back. No number of the solver is trusted: the bound is what the multipliers prove
exactly, see :mod:`equiproof.audits.pba.relaxation`, and the point of the minimum only suggests a counterexample.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equiproof.audits.pba.relaxation import ONE, Relaxation, Row, Sides
from equiproof.certify.highs import opened, program

Floats = npt.NDArray[np.float64]

_OPTIONS: dict[str, bool | int | float | str] = {
    "presolve": "off",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
"""Duals that are only nearly feasible cost the bound."""


_PENALTY = 1e6
"""What missing a row by one unit of its largest coefficient costs where a program is infeasible, in units of the
objective's largest coefficient."""


@dataclass(frozen=True, eq=False)
class Solution:
    """HiGHS' solution of a relaxation: multipliers of the rows, columns (d,), and by how much h exceeds relu(z).

    Where it is infeasible, `feasible` is False and the multipliers are those of a program that may miss rows for a
    price. They prove a bound as all multipliers do, one as high as the price where rows are missed by more than a hair.
    """

    multipliers: Floats
    columns: Floats
    gaps: Floats
    feasible: bool


def solve(relaxation: Relaxation, rows: list[Row], z_sides: Sides, seconds: float = 30.0) -> Solution | None:
    """Solve the program; None if HiGHS does not finish in time."""
    matrix, constants = _dense(relaxation, rows)
    ends = relaxation.variables(z_sides)
    lower = ends.lower.astype(np.float64)
    upper = ends.upper.astype(np.float64)
    span = upper - lower
    scaled = matrix * span
    objective = relaxation.objective.astype(np.float64) * span
    norms = _norms(scaled, 1)
    unit = float(_norms(objective, 0))
    least = np.zeros(len(span))
    most = (span > 0).astype(np.float64)
    scaled = scaled / norms[:, None]
    starts = -(constants + matrix @ lower) / norms
    costs = objective / unit
    solver = _solved(scaled, starts, costs, (least, most), seconds)
    feasible = solver.getModelStatus() != highspy.HighsModelStatus.kInfeasible
    if not feasible:
        missed = np.hstack([scaled, np.ones((len(rows), 1))])
        sides = (np.append(least, 0.0), np.append(most, highspy.kHighsInf))
        solver = _solved(missed, starts, np.append(costs, _PENALTY), sides, seconds)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    # The solver's tolerance lets duals fall just below 0, where they are no evidence; scales are taken back.
    duals = np.maximum(np.asarray(solution.row_dual, dtype=np.float64), 0.0) * unit / norms
    values = lower + np.asarray(solution.col_value)[: len(span)] * span
    gaps = values[relaxation.inputs :] - np.maximum(_pre_activations(relaxation, values), 0.0)
    return Solution(duals, values[: relaxation.inputs], gaps, feasible)


def _norms(values: Floats, axis: int) -> Floats:
    """Return the largest absolute values along an axis, 1 where all are 0."""
    norms = np.abs(values).max(axis=axis, initial=0.0)
    return np.where(norms > 0, norms, 1.0)


def _dense(relaxation: Relaxation, rows: list[Row]) -> tuple[Floats, Floats]:
    """Return the rows over the variables in floats, shapes (rows, v) and (rows,)."""
    count = len(relaxation.objective)
    z = np.zeros((relaxation.open, count))
    z0 = np.zeros(relaxation.open)
    for block in relaxation.blocks:
        first = block.start - relaxation.inputs
        z[first : first + block.count, : block.start] = block.z.astype(np.float64)
        z0[first : first + block.count] = block.z0.astype(np.float64)
    over_z = np.zeros((len(rows), relaxation.open))
    matrix = np.zeros((len(rows), count))
    for number, row in enumerate(rows):
        for variable, coefficient in row.h:
            matrix[number, variable] = coefficient / ONE
        for neuron, coefficient in row.z:
            over_z[number, neuron] = coefficient / ONE
    constants = np.array([float(row.constant) for row in rows]) / ONE
    return matrix + over_z @ z, constants + over_z @ z0


def _pre_activations(relaxation: Relaxation, values: Floats) -> Floats:
    """Return z of the open neurons at values of all variables."""
    parts = [
        block.z.astype(np.float64) @ values[: block.start] + block.z0.astype(np.float64) for block in relaxation.blocks
    ]
    return np.concatenate([np.zeros(0), *parts])


def _solved(
    matrix: Floats, starts: Floats, costs: Floats, sides: tuple[Floats, Floats], seconds: float
) -> highspy.Highs:
    """Return HiGHS after a run on min costs @ t, matrix @ t >= starts, t between `sides`."""
    model = program(costs, sides, csr_array(matrix), (starts, np.full(len(starts), highspy.kHighsInf)))
    solver = opened(model, {**_OPTIONS, "time_limit": seconds})
    solver.run()
    return solver
