"""Programs reach HiGHS as they were written: matrix, bounds, integers, options."""

import highspy
import numpy as np
import pytest
from scipy.sparse import csr_array

from equiproof.certify.highs import by_rows, opened, program

INF = highspy.kHighsInf


def solved(*given, **more):
    """Run HiGHS on a program and return its status, objective and values."""
    solver = opened(program(*given, **more), {"time_limit": 10.0})
    solver.run()
    status = solver.getModelStatus()
    return status, solver.getInfo().objective_function_value, list(solver.getSolution().col_value)


@pytest.mark.parametrize("seed", range(5))
def test_rows_make_the_matrix_that_they_are(seed):
    """Entries by number and value, empty rows among them, are the rows of the dense matrix."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(-3, 4, size=(6, 5)) * (rng.random((6, 5)) < 0.4)
    dense[seed] = 0
    rows = [(np.flatnonzero(row).tolist(), row[row != 0].tolist()) for row in dense]
    assert (by_rows(rows, 5).toarray() == dense).all()
    assert by_rows([], 5).shape == (0, 5)


def test_a_linear_program_is_solved_as_written():
    """min x + 2 y, x + y >= 1, x + 3 y between 2 and 9, is 1.5 at (0.5, 0.5); sparse or dense it is one program."""
    ends, sides = ([0, 0], [INF, INF]), ([1, 2], [INF, 9])
    for matrix in (by_rows([([0, 1], [1, 1]), ([0, 1], [1, 3])], 2), csr_array(np.array([[1.0, 1.0], [1.0, 3.0]]))):
        status, objective, values = solved([1, 2], ends, matrix, sides)
        assert status == highspy.HighsModelStatus.kOptimal
        assert objective == pytest.approx(1.5)
        assert values == pytest.approx([0.5, 0.5])


def test_upper_bounds_of_rows_and_columns_hold():
    """max x + y with x <= 2 and x + y <= 3 is 3; with y <= 0.5 as well it is 2.5."""
    for top, best in ((INF, 3.0), (0.5, 2.5)):
        found = solved([-1, -1], ([0, 0], [2, top]), by_rows([([0, 1], [1, 1])], 2), ([-INF], [3]))
        assert found[1] == pytest.approx(-best)


def test_only_the_columns_that_are_named_are_integers():
    """max x + y, 2 x + 2 y <= 3, y <= 0.25: 1.5 in real numbers, 1.25 where x is whole, 1 where both are."""
    for whole, best in (((), 1.5), ((0,), 1.25), ((0, 1), 1.0)):
        given = ([-1, -1], ([0, 0], [5, 0.25 if whole == (0,) else 5]), by_rows([([0, 1], [2, 2])], 2), ([-INF], [3]))
        assert solved(*given, integers=whole)[1] == pytest.approx(-best)


def test_a_program_without_rows_has_its_bounds():
    """Without rows each column goes to the end that costs least."""
    assert solved([1, -1], ([-2, 0], [3, 4]), by_rows([], 2), ([], []))[2] == [-2, 4]


def test_shapes_that_do_not_fit_are_refused():
    """Too few costs, or too many bounds of rows, are no program."""
    matrix = by_rows([([0], [1.0])], 2)
    for costs, sides in (([1.0], ([0], [1])), ([1.0, 1.0], ([0, 0], [1, 1]))):
        with pytest.raises(ValueError, match="1 rows and 2 columns"):
            program(costs, ([0, 0], [1, 1]), matrix, sides)


def test_options_reach_the_solver_and_others_are_refused():
    """One thread and no output by default; a name that HiGHS does not know is an error, not silence."""
    made = program([1], ([0], [1]), by_rows([], 1), ([], []))
    solver = opened(made, {"presolve": "off", "random_seed": 7})
    assert [solver.getOptionValue(name)[1] for name in ("threads", "output_flag", "presolve", "random_seed")] == [
        1, False, "off", 7,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no option speed"):
        opened(made, {"speed": 2})
