"""The exact true radius of a tiny case by enumeration in rationals; shares no code with the search or the checker.

For every slice, activation pattern and wrong class, the nearest point of {the pattern's closed polytope, margin <= 0},
cut by the case's box where it has one, is found by its optimality conditions: for some linearly independent set of at
most n_x active constraints it is the projection onto their intersection, with multipliers of one sign, and feasible.
Any such point is the optimum.
"""

from __future__ import annotations

import itertools
from fractions import Fraction


def nearest_flip(case, label):
    """Return (eps*^2, slice, point) of the nearest real point that is not decided strictly as `label`, or None."""
    best = None
    for number, row in enumerate(case.table):
        for pattern in range(1 << case.network.neurons):
            hidden, margins = _forms(case, row, pattern, label)
            polytope = [form if pattern >> i & 1 else _negated(form) for i, form in enumerate(hidden)]
            for margin in margins:
                found = _nearest([*polytope, _negated(margin), *_ends(case)], case.query)
                if found is not None and (best is None or found[0] < best[0]):
                    best = (found[0], number, found[1])
    return best


def covers(case, region, point):
    """Tell whether a point lies in the closed polytope of a region."""
    hidden, _ = _forms(case, case.table[region.slice], region.pattern, 0)
    values = [sum(c * v for c, v in zip(form, (*point, 1), strict=True)) for form in hidden]
    return all(value >= 0 if region.pattern >> i & 1 else value <= 0 for i, value in enumerate(values))


def true_margins(case, point, row, label):
    """Return the margins of a label at a point of integers or rationals, by running the network forward."""
    logits = case.network.logits((*point, *row))
    if len(logits) == 1:
        return [(2 * label - 1) * logits[0]]
    return [logits[label] - logit for other, logit in enumerate(logits) if other != label]


def _forms(case, row, pattern, label):
    """Return the forms of the hidden neurons and of the margins as tuples (c_1, .., c_n, d)."""
    n_x = case.columns
    width = n_x + 1
    unit = [tuple(int(i == j) for j in range(width)) for i in range(n_x)]
    below = unit + [(0,) * n_x + (value,) for value in row]
    hidden, logits = [], []
    for depth, layer in enumerate(case.network.layers):
        logits = [
            tuple(
                sum(w * form[k] for w, form in zip(weights, below, strict=True)) + (bias if k == n_x else 0)
                for k in range(width)
            )
            for weights, bias in zip(layer.weights, layer.biases, strict=True)
        ]
        if depth < len(case.network.layers) - 1:
            below = [form if pattern >> (len(hidden) + i) & 1 else (0,) * width for i, form in enumerate(logits)]
            hidden += logits
    if len(logits) == 1:
        return hidden, [logits[0] if label else _negated(logits[0])]
    return hidden, [
        tuple(a - b for a, b in zip(logits[label], form, strict=True))
        for other, form in enumerate(logits)
        if other != label
    ]


def _ends(case):
    """Return the sides of a case's box as forms that are not negative inside it."""
    sides = []
    for column, (low, high) in enumerate(zip(*case.box, strict=True) if case.box else ()):
        unit = tuple(int(i == column) for i in range(case.columns))
        sides += [(*unit, -low), (*_negated(unit), high)]
    return sides


def _negated(form):
    return tuple(-c for c in form)


def _nearest(constraints, x):
    """Return (squared distance, point) of the nearest point with all constraints >= 0, None if there is none."""
    rows = [form[:-1] for form in constraints]
    values = [_dot(form[:-1], x) + form[-1] for form in constraints]
    if all(value >= 0 for value in values):
        return Fraction(0), tuple(map(Fraction, x))
    if any(value < 0 for row, value in zip(rows, values, strict=True) if not any(row)):
        return None
    gram = [[_dot(a, b) for b in rows] for a in rows]
    for size in range(1, len(x) + 1):
        for active in itertools.combinations(range(len(rows)), size):
            matrix = [[gram[i][j] for j in active] for i in active]
            determinant = _determinant(matrix)
            if determinant == 0:
                continue
            # x' = x + sum of multipliers / determinant * row, by Cramer's rule; the Gram determinant is positive.
            targets = [-values[i] for i in active]
            multipliers = [_determinant(_replaced(matrix, k, targets)) for k in range(size)]
            if min(multipliers) < 0:
                continue
            moved = [
                value * determinant + sum(m * gram[i][j] for m, j in zip(multipliers, active, strict=True))
                for i, value in enumerate(values)
            ]
            if min(moved) >= 0:
                squared = Fraction(sum(m * t for m, t in zip(multipliers, targets, strict=True)), determinant)
                steps = (sum(m * rows[j][k] for m, j in zip(multipliers, active, strict=True)) for k in range(len(x)))
                return squared, tuple(v + Fraction(step, determinant) for v, step in zip(x, steps, strict=True))
    return None


def _dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))


def _replaced(matrix, column, values):
    return [[*row[:column], value, *row[column + 1 :]] for row, value in zip(matrix, values, strict=True)]


def _determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    if len(matrix) == 2:
        return matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]
    return sum(
        (-1) ** k * top * _determinant([row[:k] + row[k + 1 :] for row in matrix[1:]])
        for k, top in enumerate(matrix[0])
        if top
    )
