"""The lower bound of a margin that multipliers prove on a part of a ball: a backward pass in floats (CROWN).

For any slopes A in 0..1 of free neurons, any overlap >= 0 and any multipliers beta >= 0 of signs, the backward pass
carries the margin down to a linear form c.y + d that is at most the margin on the part (weak duality). Its least value
on the ball, inside the ranges, is the bound. So the bound holds, up to errors of floats, however wrong the solver was
that the multipliers come from. (Wong and Kolter 2018; beta-CROWN, Wang and others 2021.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.constraints import Constraints, RowKind
from equiproof.certify.branch.cutting import least
from equiproof.certify.branch.making import Guess
from equiproof.certify.branch.scaled_ball import Objective, ScaledBall, ScaledLayer

_SHARED = 1e-9
"""P and Q overlap where the smaller is above this share of the larger: below it, it is an error of the solver."""


@dataclass(frozen=True)
class MarginBound:
    """The lower bound of one margin on one part, and what led to it.

    `bound` is what the multipliers prove of the margin, as a share of the margin at the query (of M times the margin,
    where M is not 1): positive where the part is proven or empty. `guess` holds the multipliers of a leaf. `point` is
    where the relaxation has its least margin, shape (n_x,) in grid units from the query, None where there is none.
    `losses` has, for each hidden neuron, the part of the bound that its relaxation loses. `penalty` is t of the
    quadratic program that the multipliers solve.
    """

    bound: float
    guess: Guess
    point: Floats | None
    losses: Floats
    penalty: float


@dataclass(frozen=True, repr=False)
class _LayerMultipliers:
    """The multipliers of one layer's rows, shape (n,) each: of h >= 0, h >= z, the chord and the sign; 0 for no row."""

    zero: Floats
    line: Floats
    chord: Floats
    sign: Floats


def margin_bound(
    ball: ScaledBall,
    constraints: Constraints,
    objective: Objective,
    multiplier: float,
    row_multipliers: Floats,
    *,
    solution: Floats | None = None,
    penalty: float = 1.0,
) -> MarginBound:
    """Return the bound of `multiplier` (M) times the margin that the multipliers of all rows, shape (m,), prove.

    The point and the losses are those of a `solution` (y, h, 1); without one there is no point and losses are 0.
    """
    multipliers = _by_layer(ball, constraints, row_multipliers)
    coefficients = multiplier * objective.row
    constant = multiplier * objective.bias
    lower: list[list[float]] = []
    overlaps: list[list[float]] = []
    losses: list[Floats] = []
    for depth in range(len(ball.layers) - 1, -1, -1):
        layer = ball.layers[depth]
        slope = _lower_slope(layer, multipliers[depth])
        overlap = _overlap(multipliers[depth])
        mu, offset = _relax(layer, coefficients, slope, overlap, multipliers[depth], constraints, depth)
        constant += float(mu @ layer.biases - offset.sum())
        if solution is not None:
            z = constraints.pre[depth] @ solution
            loss = coefficients * np.maximum(z, 0.0) - (mu * z - offset)
            losses.append(np.where(constraints.free[depth], loss, 0.0))
        coefficients = mu @ layer.weights
        lower.append(slope.tolist())
        overlaps.append((overlap / layer.scale * objective.unit).tolist())
    beta = [
        (rows.sign / layer.scale * objective.unit).tolist()
        for rows, layer in zip(multipliers, ball.layers, strict=True)
    ]
    # The best cut follows from the form, so the multipliers of ranges are not read.
    fall, _ = least(coefficients[None], ball.room)
    return MarginBound(
        bound=constant + float(fall[0]),
        guess=Guess(multiplier, tuple(beta), tuple(reversed(lower)), tuple(reversed(overlaps))),
        point=None if solution is None else ball.clip(solution[: ball.columns]),
        losses=np.concatenate(losses[::-1]) if losses else np.zeros(sum(ball.sizes)),
        penalty=penalty,
    )


def no_bound(ball: ScaledBall) -> MarginBound:
    """Return the bound where no solver has an answer: multipliers of 0, which prove nothing."""
    zeros = tuple([0.0] * size for size in ball.sizes)
    return MarginBound(-1.0, Guess(0.0, zeros, zeros, zeros), None, np.zeros(sum(ball.sizes)), 1.0)


def _by_layer(ball: ScaledBall, constraints: Constraints, row_multipliers: Floats) -> list[_LayerMultipliers]:
    """Return the multipliers of all rows by layer; those of ranges, which come last, are left out."""
    kinds: tuple[RowKind, ...] = ("zero", "line", "chord", "sign")
    layers = [{kind: np.zeros(size) for kind in kinds} for size in ball.sizes]
    start = 0
    for block in constraints.blocks:
        end = start + len(block.neurons)
        layers[block.depth][block.kind][block.neurons] = row_multipliers[start:end]
        start = end
    return [_LayerMultipliers(**rows) for rows in layers]


def _lower_slope(layer: ScaledLayer, multipliers: _LayerMultipliers) -> Floats:
    """Return A: the share of h >= z in both lower sides of a neuron, or the slope of its sign where neither is used."""
    total = multipliers.zero + multipliers.line
    share = multipliers.line / np.where(total > 0, total, 1.0)
    return np.where(total > 0, share, layer.active.astype(float))


def _overlap(multipliers: _LayerMultipliers) -> Floats:
    """Return the common part of P and Q: positive where a lower side and the chord both hold with equality."""
    below = multipliers.zero + multipliers.line
    above = multipliers.chord
    overlap = np.minimum(below, above)
    return np.where(overlap > _SHARED * np.maximum(below, above), overlap, 0.0)


def _relax(
    layer: ScaledLayer,
    coefficients: Floats,
    slope: Floats,
    overlap: Floats,
    multipliers: _LayerMultipliers,
    constraints: Constraints,
    depth: int,
) -> tuple[Floats, Floats]:
    """Return mu over z and the offsets with coefficients.h >= mu.z - sum of offsets on the part, shapes (n,).

    On: lambda - beta; off: beta; free: A P - K Q and an offset of Q T, with lambda = P - Q.
    """
    positive = np.maximum(coefficients, 0.0) + overlap
    negative = np.maximum(-coefficients, 0.0) + overlap
    on = constraints.on[depth]
    off = constraints.off[depth]
    mu = slope * positive - layer.upper * negative
    mu = np.where(on, coefficients - multipliers.sign, np.where(off, multipliers.sign, mu))
    return mu, np.where(on | off, 0.0, negative * layer.offset)
