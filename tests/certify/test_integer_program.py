"""Programs are solved as written, and the result reports how they end."""

import math
import time

import pytest

from equiproof.certify.integer_program import Program


def knapsack(capacity):
    """Return max 5 a + 4 b + 3 c over 2 a + 3 b + c <= capacity, each 0 or 1."""
    program = Program()
    columns = [program.column(0, 1, -worth, integer=True) for worth in (5, 4, 3)]
    program.row(dict(zip(columns, (2, 3, 1), strict=True)), -math.inf, capacity)
    return program


@pytest.mark.parametrize(("capacity", "worth"), [(0, 0), (2, 5), (3, 8), (5, 9), (6, 12)])
def test_integers_are_integers(capacity, worth):
    """The best choice is found, its bound agrees, and a start that is given changes nothing."""
    for start in (None, {0: 0.0, 1: 0.0, 2: 0.0}):
        solved = knapsack(capacity).solve(10, start)
        assert solved.status == "optimal"
        assert solved.objective == pytest.approx(-worth)
        assert solved.bound == pytest.approx(-worth)


def test_an_infeasible_program_is_reported():
    """A row that no value fits is infeasible, and there are no values."""
    program = Program()
    program.row({program.column(0, 1): 1.0}, 2)
    solved = program.solve(10)
    assert (solved.status, solved.values) == ("infeasible", None)


def test_a_fraction_may_be_a_fraction():
    """Without integers the same rows are a linear program."""
    program = Program()
    x, y = program.column(0, math.inf, 1), program.column(0, math.inf, 2)
    program.row({x: 1, y: 1}, 1)
    program.row({x: 1, y: 3}, 2)
    solved = program.solve(10)
    assert solved.values == pytest.approx([0.5, 0.5])
    assert solved.objective == solved.bound == pytest.approx(1.5)


def test_ranges_of_forms_are_those_of_the_linear_program():
    """x + y <= 1.5 with x and y up to 1, one of them whole: in real numbers; not looked for after the end."""
    program = Program()
    x, y = program.column(0, 1, -5.0, integer=True), program.column(-1, 1)
    program.row({x: 1, y: 1}, -math.inf, 1.5)
    forms = [{x: 1, y: 1}, {x: 2, y: 1}, {y: -1}]
    assert program.ranges(forms) == [pytest.approx(ends) for ends in ((-1, 1.5), (-1, 2.5), (-1, 1))]
    assert program.ranges(forms, end=time.monotonic()) == [(-math.inf, math.inf)] * 3
    assert program.solve(10).objective == -5


def test_a_program_that_was_stopped_has_no_values():
    """Without time there are neither values nor a bound."""
    solved = knapsack(5).solve(0.0)
    assert (solved.status, solved.values) == ("stopped", None)
    assert solved.bound <= -12
