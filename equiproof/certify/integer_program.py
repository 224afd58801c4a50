"""A mixed-integer linear program, built row by row and solved with HiGHS."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import highspy
import numpy as np
import numpy.typing as npt

from equiproof.certify.highs import by_rows, opened, program

Floats = npt.NDArray[np.float64]
Status = Literal["optimal", "stopped", "infeasible", "failed"]

FEASIBILITY = 1e-9
"""The feasibility tolerance of HiGHS; the exact check catches what it lets through."""

_RELATIVE_GAP = 1e-6
"""A mixed-integer program ends where its bound is this near to the objective, relative to the objective."""

_TOLERANCES = {
    "primal_feasibility_tolerance": FEASIBILITY,
    "dual_feasibility_tolerance": FEASIBILITY,
    "mip_feasibility_tolerance": FEASIBILITY,
}

_STATUS: Mapping[highspy.HighsModelStatus, Status] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
    highspy.HighsModelStatus.kTimeLimit: "stopped",
}


@dataclass(frozen=True, eq=False)
class Solved:
    """How a program ended: values of its columns, None where no feasible ones were found; a bound of the objective."""

    status: Status
    values: Floats | None
    objective: float
    bound: float


@dataclass
class Program:
    """Columns with costs and bounds, rows as sparse linear forms between two bounds; the costs are minimised."""

    costs: list[float] = field(default_factory=list)
    ends: list[tuple[float, float]] = field(default_factory=list)
    integers: list[int] = field(default_factory=list)
    rows: list[tuple[Sequence[int], Sequence[float], float, float]] = field(default_factory=list)

    def column(self, low: float, high: float, cost: float = 0.0, *, integer: bool = False) -> int:
        """Add a column and return its number."""
        if integer:
            self.integers.append(len(self.costs))
        self.costs.append(cost)
        self.ends.append((low, high))
        return len(self.costs) - 1

    def row(self, terms: Mapping[int, float], low: float, high: float = highspy.kHighsInf) -> None:
        """Add a row: low <= sum of coefficient times column <= high."""
        nonzero = {index: value for index, value in terms.items() if value}
        self.rows.append((list(nonzero), list(nonzero.values()), low, high))

    def ranges(self, forms: Sequence[Mapping[int, float]], end: float = math.inf) -> list[tuple[float, float]]:
        """Return the least and the largest value of each linear form, as if no column were an integer.

        They are right up to the solver's tolerance; an end that it does not find, or not until `end` of the monotonic
        clock, is infinite.
        """
        solver = opened(self._model([0.0] * len(self.costs), ()), _TOLERANCES)
        found = []
        for form in forms:
            if time.monotonic() >= end:
                found.append((-math.inf, math.inf))
            else:
                opposite = {column: -value for column, value in form.items()}
                found.append((_least(solver, form), -_least(solver, opposite)))
        return found

    def solve(self, seconds: float, start: Mapping[int, float] | None = None, *, seed: int = 0) -> Solved:
        """Solve on one thread within this many seconds, starting from the values of some columns if given."""
        options = {"random_seed": seed, "time_limit": seconds, "mip_rel_gap": _RELATIVE_GAP}
        highs = opened(self._model(self.costs, self.integers), _TOLERANCES | options)
        if start is not None and self.integers:
            columns = np.array(list(start), dtype=np.int32)
            highs.setSolution(len(columns), columns, np.array(list(start.values())))
        highs.run()
        status = _STATUS.get(highs.getModelStatus(), "failed")
        info = highs.getInfo()
        if info.primal_solution_status != highspy.kSolutionStatusFeasible:
            bound = float(info.mip_dual_bound) if self.integers and status == "stopped" else -np.inf
            return Solved("failed" if status == "optimal" else status, None, np.inf, bound)
        objective = float(info.objective_function_value)
        if self.integers:
            bound = float(info.mip_dual_bound)
        else:
            # A linear program has no bound of its own before the simplex method ends.
            bound = objective if status == "optimal" else -np.inf
        return Solved(status, np.array(highs.getSolution().col_value), objective, bound)

    def _model(self, costs: Sequence[float], integers: Sequence[int]) -> highspy.HighsLp:
        """Return the program with these costs and integers."""
        column_ends = ([low for low, _ in self.ends], [high for _, high in self.ends])
        matrix = by_rows([(numbers, values) for numbers, values, _, _ in self.rows], len(self.costs))
        row_ends = ([low for _, _, low, _ in self.rows], [high for _, _, _, high in self.rows])
        return program(costs, column_ends, matrix, row_ends, integers)


def _least(solver: highspy.Highs, form: Mapping[int, float]) -> float:
    """Return the least value of a linear form, whose costs are in the solver only meanwhile."""
    for column, value in form.items():
        solver.changeColCost(column, value)
    solver.run()
    optimal = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    least = float(solver.getInfo().objective_function_value) if optimal else -np.inf
    for column in form:
        solver.changeColCost(column, 0.0)
    return least
