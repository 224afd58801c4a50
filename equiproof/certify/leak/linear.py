"""Copies of a linear model: bounds on the distance to its hyperplane, fitted smoothly, with equations where exact.

A certificate says that the signed distance s (v . x + c) - t of its applicant lies between two radii, where |v| = 1 in
the spec's units and t >= 0 is what the worst sensitive values take off, the same for everybody. Each bound that is
missed costs log(1 + exp(miss / tau)), so that outliers (neighbors that stay inside ranges, ends of a search) pull
little. tau is chosen by cross-validation. Labels alone are the bounds from 0 to infinity: the fit is then a logistic
regression with |v| / tau as its length. Exact radii are intervals that narrow to equations, which are then solved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiproof.certify.leak.certificates import Certificate, Levels, interval
from equiproof.circuits.spec import Spec

Floats = NDArray[np.float64]

TAUS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
"""The temperatures that are tried, in the spec's units."""

_FOLDS = 5
_ROUNDS = 80
_SOLVED = 1e-3
"""Equations that are missed by less than this, in the spec's units, are taken as solved."""


@dataclass(frozen=True)
class LinearCopy:
    """A hyperplane: label 1 where `direction . x + offset` > 0, x in the spec's units."""

    direction: Floats
    offset: float

    def decide(self, points: Floats) -> NDArray[np.int64]:
        """Return the label of each row of columns in the spec's units."""
        return (points @ self.direction + self.offset > 0).astype(np.int64)


@dataclass(frozen=True)
class Bounds:
    """Certificates as arrays: columns, sides (1 or -1), and the ends of each distance in the spec's units."""

    points: Floats
    sides: Floats
    low: Floats
    high: Floats

    def at(self, places: Sequence[int] | NDArray[Any]) -> Bounds:
        """Return some of them."""
        return Bounds(self.points[places], self.sides[places], self.low[places], self.high[places])

    def margins(self, unknown: Floats) -> Floats:
        """Return the signed distances under unknowns (direction, offset, loss t)."""
        direction = unknown[:-2] / np.linalg.norm(unknown[:-2])
        return np.asarray(self.sides * (self.points @ direction + unknown[-2]) - unknown[-1])


def linear_copy(certificates: Sequence[Certificate], spec: Spec, levels: Levels | None) -> LinearCopy:
    """Return the copy from certificates at levels: None for exact radii, () for labels alone."""
    return copy_within(_bounds(certificates, spec, levels), solved=levels is None)


def copy_within(bounds: Bounds, *, solved: bool) -> LinearCopy:
    """Return the copy from bounds; with `solved`, those with two ends are equations as well."""
    unknown = _path(bounds, _tempered(bounds))
    if solved and (ended := np.isfinite(bounds.high)).any():
        unknown = _equations(bounds.at(ended), unknown)
    direction = unknown[:-2] / np.linalg.norm(unknown[:-2])
    return LinearCopy(direction, float(unknown[-2]))


def _bounds(certificates: Sequence[Certificate], spec: Spec, levels: Levels | None) -> Bounds:
    """Return certificates as arrays."""
    unit = spec.scale_unit
    ends = [interval(one.radius_squared, levels) for one in certificates]
    return Bounds(
        np.array([one.query for one in certificates], dtype=float) / unit,
        np.array([1.0 if one.label else -1.0 for one in certificates]),
        np.array([math.sqrt(low) / unit for low, _ in ends]),
        np.array([math.inf if high is None else math.sqrt(high) / unit for _, high in ends]),
    )


def _tempered(bounds: Bounds) -> float:
    """Return the temperature under which certificates that were left out are likeliest."""
    count = len(bounds.sides)
    folds = min(_FOLDS, count)
    if folds < 2:
        return TAUS[0]
    scores = dict.fromkeys(TAUS, 0.0)
    places = np.arange(count)
    for fold in range(folds):
        held = places % folds == fold
        unknown = _start(bounds.at(~held))
        for tau in TAUS:
            unknown = _fit(bounds.at(~held), tau, unknown)
            scores[tau] += _likelihood(bounds.at(held), unknown, tau)
    return max(TAUS, key=scores.__getitem__)


def _likelihood(bounds: Bounds, unknown: Floats, tau: float) -> float:
    """Return the log likelihood of intervals under a logistic distribution around the distances."""
    margins = bounds.margins(unknown)
    width = (bounds.high - bounds.low) / tau
    return float(np.sum(np.log(-np.expm1(-width))) - np.sum(_missed(bounds, margins, tau)))


def _missed(bounds: Bounds, margins: Floats, tau: float) -> Floats:
    """Return what each certificate's missed bounds cost."""
    return np.asarray(np.logaddexp(0, (bounds.low - margins) / tau) + np.logaddexp(0, (margins - bounds.high) / tau))


def _start(bounds: Bounds) -> Floats:
    """Return unknowns to begin with: a ridge regression on the sides, scaled to a direction."""
    extended = np.c_[bounds.points, np.ones(len(bounds.sides))]
    columns = extended.shape[1]
    weights = np.linalg.solve(extended.T @ extended + 0.1 * np.eye(columns), extended.T @ bounds.sides)
    length = float(np.linalg.norm(weights[:-1])) or 1.0
    direction = weights[:-1] / length if weights[:-1].any() else np.ones(columns - 1) / math.sqrt(columns - 1)
    return np.append(direction, [weights[-1] / length, 0.0])


def _path(bounds: Bounds, last: float) -> Floats:
    """Return the fit at a temperature, warmed by the higher ones."""
    unknown = _start(bounds)
    for tau in TAUS:
        unknown = _fit(bounds, tau, unknown)
        if tau <= last:
            break
    return unknown


def _fit(bounds: Bounds, tau: float, start: Floats) -> Floats:
    """Return the unknowns that miss least at one temperature."""
    from scipy.optimize import minimize
    from scipy.special import expit

    def cost(unknown: Floats) -> tuple[float, Floats]:
        length = float(np.linalg.norm(unknown[:-2]))
        direction = unknown[:-2] / length
        margins = bounds.sides * (bounds.points @ direction + unknown[-2]) - unknown[-1]
        pull = (expit((margins - bounds.high) / tau) - expit((bounds.low - margins) / tau)) / (tau * len(margins))
        along = bounds.points.T @ (pull * bounds.sides)
        turned = (along - direction * (direction @ along)) / length
        gradient = np.r_[turned, pull @ bounds.sides, -pull.sum()]
        return float(np.mean(_missed(bounds, margins, tau))), gradient

    free = [(None, None)] * (len(start) - 1) + [(0.0, None)]
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=free, options={"maxiter": _ROUNDS})
    unknown = np.asarray(found.x, dtype=float)
    unknown[:-2] /= np.linalg.norm(unknown[:-2])
    return unknown


def _equations(bounds: Bounds, start: Floats) -> Floats:
    """Return the unknowns that solve the distances as equations, robustly; the start where most stay unsolved."""
    from scipy.optimize import least_squares

    middle = (bounds.low + bounds.high) / 2
    best = start
    for scale in (0.1, 0.01, 0.001):
        found = least_squares(
            lambda unknown: bounds.margins(unknown) - middle, best, loss="soft_l1", f_scale=scale, max_nfev=200
        )
        best = np.asarray(found.x, dtype=float)
    missed = np.abs(bounds.margins(best) - middle)
    return best if float(np.median(missed)) < _SOLVED else start
