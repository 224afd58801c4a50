"""Linear and mixed-integer programs for HiGHS: costs, bounds of columns and rows, and a sparse matrix by rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Sides = tuple[Sequence[float] | Floats, Sequence[float] | Floats]
"""Lower and upper bounds; an infinite value means no bound."""


def by_rows(rows: Sequence[tuple[Sequence[int], Sequence[float]]], columns: int) -> csr_array:
    """Return the matrix (rows, columns) whose rows are given by the numbers and the values of their entries."""
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum([len(numbers) for numbers, _ in rows])]).astype(np.int32)
    numbers = np.array([number for own, _ in rows for number in own], dtype=np.int32)
    values = np.array([value for _, own in rows for value in own], dtype=np.float64)
    return csr_array((values, numbers, starts), shape=(len(rows), columns))


def program(
    costs: Sequence[float] | Floats, ends: Sides, matrix: csr_array, sides: Sides, integers: Iterable[int] = ()
) -> highspy.HighsLp:
    """Return min costs @ t where ends[0] <= t <= ends[1], sides[0] <= matrix @ t <= sides[1], and some t are integers.

    Explicit zeros in the matrix are kept. Raises ValueError if shapes do not fit.
    """
    rows, columns = matrix.shape
    if {len(costs), *map(len, ends)} != {columns} or {*map(len, sides)} != {rows}:
        raise ValueError(f"the matrix has {rows} rows and {columns} columns: bounds and costs must have the same sizes")
    lp = highspy.HighsLp()
    lp.num_col_ = columns
    lp.num_row_ = rows
    lp.col_cost_ = np.asarray(costs, dtype=np.float64)
    lp.col_lower_, lp.col_upper_ = (np.asarray(end, dtype=np.float64) for end in ends)
    lp.row_lower_, lp.row_upper_ = (np.asarray(side, dtype=np.float64) for side in sides)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    if chosen := set(integers):
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[number in chosen] for number in range(columns)]
    return lp


def opened(lp: highspy.HighsLp, options: Mapping[str, Any]) -> highspy.Highs:
    """Return HiGHS with a program loaded, silent and on one thread. Raises ValueError for unknown options."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no types
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise ValueError(f"HiGHS takes no option {name} = {value!r}")
    solver.passModel(lp)
    return solver
