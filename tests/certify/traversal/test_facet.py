"""Exact distances to facets against enumeration in rationals, and against a solver that errs or lies."""

import random
from fractions import Fraction

import daqp
import numpy as np
import pytest

from equiproof.certify.active_set import Infeasible, Nearest, nearest, refutes
from equiproof.certify.polytope import LinearForm
from equiproof.certify.traversal.facet import Polytope
from tests.certify import oracle

FEW = 5000
MANY = 10 * FEW


def degenerate(rng, columns=(1, 2, 3), most=6, span=6):
    """Return a hyperplane and rows with values: zero rows, repeated, scaled and shifted ones, corners of many rows."""
    n_x = rng.choice(columns)
    rows, values = [], []
    while not rows:
        rows = [row for row in [tuple(rng.randint(-3, 3) for _ in range(n_x))] if any(row)]
    values.append(rng.randint(-span, span))
    corner = tuple(rng.randint(-3, 3) for _ in range(n_x))
    for _ in range(rng.randint(0, most)):
        row = tuple(rng.randint(-3, 3) for _ in range(n_x))
        kind = rng.random()
        if kind < 0.15:
            rows.append((0,) * n_x)
            values.append(rng.choice((-1, 0, 0, 1, 2)))
        elif kind < 0.35:
            number, factor = rng.randrange(len(rows)), rng.choice((-2, -1, 1, 1, 2))
            rows.append(tuple(factor * c for c in rows[number]))
            values.append(factor * values[number] + rng.choice((0, 0, 1, -1)))
        elif kind < 0.6:
            rows.append(row)
            values.append(-sum(c * p for c, p in zip(row, corner, strict=True)))
        else:
            rows.append(row)
            values.append(rng.randint(-span, span))
    return rows, values


def truth(rows, values):
    """Return (squared distance, offset) of the nearest point by enumeration of active sets, None for no facet."""
    hyperplane = (*rows[0], values[0])
    constraints = [(*row, value) for row, value in zip(rows, values, strict=True)]
    return oracle._nearest([*constraints, tuple(-c for c in hyperplane)], (0,) * len(rows[0]))


def judge(rows, values):
    """Hold exact distance, lower bound and refutation of one facet against enumeration; tell whether there is one."""
    polytope = Polytope(rows[1:], values[1:], 16)
    found, bound, expected = polytope.facet(rows[0], values[0]), polytope.bound(rows[0], values[0]), truth(rows, values)
    if expected is None:
        assert isinstance(found, Infeasible)
        assert refutes(rows, values, found)
        return False
    assert isinstance(found, Nearest)
    assert (found.squared, found.offset) == expected
    assert all(u > 0 for number, u in found.multipliers.items() if number)
    assert bound is None or bound.numerator <= found.squared * bound.denominator
    return True


def run(seeds):
    rng = random.Random(seeds)
    return [judge(*degenerate(rng)) for _ in range(seeds)]


def test_distances_are_those_of_enumeration():
    """On thousands of degenerate polytopes the point is the nearest, or multipliers in integers show there is none."""
    outcomes = run(FEW // 2)
    assert min(sum(outcomes), len(outcomes) - sum(outcomes)) > FEW // 8


@pytest.mark.slow
def test_distances_are_those_of_enumeration_on_many_more():
    """The same law on ten times as many polytopes."""
    run(MANY)


def test_bounds_meet_the_distance_but_for_rounding():
    """Where the solver is right, its rounded multipliers prove the distance to twelve digits, or that none exists."""
    rng = random.Random(3)
    for _ in range(FEW // 2):
        rows, values = degenerate(rng)
        bound, expected = Polytope(rows[1:], values[1:], 16).bound(rows[0], values[0]), truth(rows, values)
        if bound is None:
            assert expected is not None
            assert expected[0] == 0
        elif expected is None:
            assert bound.numerator > 10**12 * bound.denominator
        else:
            assert bound.numerator * 10**12 >= expected[0] * bound.denominator * (10**12 - 1)


def test_support_alone_carries_the_bound():
    """A bound needs no row outside its support: the facet of the supporting rows alone is as far, or not there."""
    rng = random.Random(4)
    for _ in range(FEW // 5):
        rows, values = degenerate(rng)
        bound = Polytope(rows[1:], values[1:], 16).bound(rows[0], values[0])
        if bound is not None:
            kept = [0, *(number + 1 for number in bound.support)]
            expected = truth([rows[k] for k in kept], [values[k] for k in kept])
            assert expected is None or bound.numerator <= expected[0] * bound.denominator


def test_any_guess_leads_to_the_same_point():
    """The set of rows to begin with changes neither the point nor the verdict."""
    rng = random.Random(5)
    for _ in range(FEW // 5):
        rows, values = degenerate(rng)
        plain = nearest(rows, values)
        guess = [rng.randrange(len(rows)) for _ in range(rng.randint(1, 8))]
        other = nearest(rows, values, guess)
        assert type(plain) is type(other)
        if isinstance(plain, Nearest):
            assert (plain.squared, plain.offset) == (other.squared, other.offset)


def test_more_dimensions_satisfy_the_optimality_conditions():
    """In twelve dimensions, with 80-bit numbers, point and multipliers satisfy all conditions of the optimum."""
    rng = random.Random(6)
    feasible = 0
    for _ in range(60):
        rows = [tuple(rng.randint(-(1 << 80), 1 << 80) for _ in range(12)) for _ in range(rng.choice((8, 20, 30)))]
        values = [rng.randint(-(1 << 80), 1 << 82) for _ in rows]
        found = Polytope(rows[1:], values[1:], 16).facet(rows[0], values[0])
        if isinstance(found, Infeasible):
            assert refutes(rows, values, found)
            continue
        feasible += 1
        slacks = [sum(c * y for c, y in zip(row, found.offset, strict=True)) for row in rows]
        slacks = [slack + value for slack, value in zip(slacks, values, strict=True)]
        assert slacks[0] == 0
        assert min(slacks) == 0
        assert all(not slacks[number] and u > 0 for number, u in found.multipliers.items() if number)
        point = [sum(u * rows[k][i] for k, u in found.multipliers.items()) for i in range(12)]
        assert found.offset == tuple(point)
        assert found.squared == sum(y * y for y in found.offset)
    assert feasible > 20


def test_forms_are_taken_relative_to_the_query():
    """The facet x = 0 of the half-line 0 <= x seen from 5 is five away."""
    polytope = Polytope.around([LinearForm((1,), 0), LinearForm((-1,), 9)], (5,))
    assert polytope.facet((1,), 5) == Nearest(Fraction(25), (Fraction(-5),), {0: Fraction(-5)})


def test_a_constant_form_has_no_facet():
    """A zero row is refused: it is no hyperplane."""
    with pytest.raises(ValueError, match="no hyperplane"):
        Polytope([(1,)], [1]).facet((0,), 0)
    with pytest.raises(ValueError, match="no hyperplane"):
        nearest([(0,)], [0])


def contradiction(gap):
    """Return x = 3 y with 10^gap x >= 10^gap and 10^gap x <= 10^gap - 1, zero rows and repeats: no point at all."""
    scale = 10**gap
    rows = [(1, -3), (0, 0), (scale, 0), (scale, 0), (-scale, 0), (-2 * scale, 0), (0, 0), (0, 1)]
    values = [0, 0, -scale, -scale, scale - 1, 2 * scale - 2, 4, 5]
    return rows, values


@pytest.mark.parametrize("gap", [7, 8, 9, 12, 15])
def test_success_of_the_solver_on_infeasible_rows_is_harmless(gap):
    """The solver calls optimal what zero and repeated rows contradict by less than its tolerance; integers do not."""
    rows, values = contradiction(gap)
    matrix = np.array(rows, dtype=float)
    norms = np.maximum(1, np.linalg.norm(matrix, axis=1))
    lower = -np.array(values, dtype=float) / norms
    upper = np.full(len(rows), 1e30)
    sense = np.zeros(len(rows), dtype=np.intc)
    upper[0], sense[0] = lower[0], 5
    *_, flag, _ = daqp.solve(None, None, matrix / norms[:, None], upper, lower, sense)
    assert flag == 1
    assert truth(rows, values) is None
    assert not judge(rows, values)


def liar(rng, kind):
    """Return a solver that claims success with multipliers from nowhere, or none."""

    def solve(hessian, linear, matrix, upper, lower, sense):
        multipliers = np.array([rng.choice((0.0, -1.0, 1.0, rng.gauss(0, 1))) for _ in lower])
        if kind == "infinite":
            multipliers[rng.randrange(len(lower))] = rng.choice((float("nan"), float("inf"), -float("inf")))
        return np.zeros(matrix.shape[1]), 0.0, -1 if kind == "failing" else 1, {"lam": multipliers}

    return solve


@pytest.mark.parametrize("kind", ["lying", "infinite", "failing"])
def test_no_word_of_the_solver_is_believed(monkeypatch, kind):
    """With a solver that lies, diverges or fails, every distance and verdict stays exact and no bound is too large."""
    rng = random.Random(8)
    monkeypatch.setattr(daqp, "solve", liar(rng, kind))
    for _ in range(FEW // 5):
        judge(*degenerate(rng))
