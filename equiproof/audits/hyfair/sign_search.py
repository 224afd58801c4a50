"""The search for evidence by signs: linear programs choose signs and multipliers, and exact sums confirm every leaf."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.margin import Layers
from equiproof.audits.hyfair.signs import SCALE, Affine, Ends, Path, Signs, SignsError, bound, check

MAX_NEURONS = 16
"""Of more neurons there are too many signs."""


def neurons(layers: Layers) -> int:
    """Return how many signs there are."""
    return sum(len(biases) for _, biases in layers[:-1])


def prove(layers: Layers, ends: Ends, allowed: Callable[[int], bool], ended: Callable[[], bool]) -> Signs | None:
    """Return checked evidence that all margins of a box are allowed, as `check` has it; None where none is found.

    `ended` says when there is no more time.
    """
    nodes: list[tuple[int, ...] | None] = []
    pending = [Path.start(layers)]
    while pending:
        if ended():
            return None
        path = pending.pop()
        leaf = _leaf(path, ends, allowed)
        nodes.append(leaf)
        if leaf is None and path.whole:
            return None
        if leaf is None:
            pending += [path.taken(active=False), path.taken(active=True)]
    signs = Signs(tuple(nodes))
    check(layers, ends, signs, allowed)
    return signs


def _leaf(path: Path, ends: Ends, allowed: Callable[[int], bool]) -> tuple[int, ...] | None:
    """Return the multipliers of a leaf, None where there is none here."""
    for multipliers in _proposed(path, ends):
        try:
            most = bound(path, multipliers, ends)
        except SignsError:
            continue
        if most is None or allowed(most):
            return multipliers
    return None


def _proposed(path: Path, ends: Ends) -> list[tuple[int, ...]]:
    """Return multipliers to try: those that best show a leaf to be empty, then those of the least bound."""
    if not path.conditions:
        return [()]
    rows, sizes = _floats(path.conditions, ends)
    columns = rows.shape[1] - 1
    # The largest t with c_i(x) >= t |c_i|; its multipliers show that no applicant has the signs where it is below 0.
    widened = np.hstack([-rows[:, :-1], np.ones((len(rows), 1))])
    costs = np.append(np.zeros(columns), -1.0)
    box = [(0.0, 1.0)] * columns
    proposals = [
        _solved(costs, widened, rows[:, -1], [*box, (-1.0, 1.0)], [Fraction(max(sizes), own) for own in sizes])
    ]
    if path.whole:
        (goal,), (size,) = _floats((path.next(),), ends)
        factors = [Fraction(size, own) for own in sizes]
        proposals.append(_solved(-goal[:-1], -rows[:, :-1], rows[:, -1], box, factors))
    return [one for one in proposals if one is not None]


def _floats(parts: tuple[Affine, ...], ends: Ends) -> tuple[Floats, list[int]]:
    """Return affine functions of the box as [0, 1]^n, divided by their sizes, with the constant last; and the sizes."""
    rows = []
    sizes = []
    for part in parts:
        base = part.constant + sum(w * a for w, a in zip(part.weights, ends[0], strict=True))
        row = [*(w * (b - a) for w, a, b in zip(part.weights, *ends, strict=True)), base]
        sizes.append(max(1, *(abs(number) for number in row)))
        rows.append([float(Fraction(number, sizes[-1])) for number in row])
    return np.array(rows, dtype=np.float64), sizes


def _solved(
    costs: Floats, matrix: Floats, limits: Floats, box: list[tuple[float, float]], factors: list[Fraction]
) -> tuple[int, ...] | None:
    """Return the multipliers of a program's rows, times factors, as integers of `SCALE`; None if it is not solved."""
    done = linprog(costs, A_ub=matrix, b_ub=limits, bounds=box, method="highs")
    if done.status != 0:
        return None
    pairs = zip(done.ineqlin.marginals, factors, strict=True)
    return tuple(max(0, round(Fraction(-float(u)) * factor * (1 << SCALE))) for u, factor in pairs)
