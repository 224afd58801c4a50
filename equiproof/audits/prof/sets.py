"""Sets that contain the features of all inputs similar to one: points, a box, or a polytope.

Notation: h in R^d are the features, the values below the last layer; x in R^m the inputs that vary. C is a linear form
over h. (PROF, section III-C and III-D, equations (11) and (15).)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Points:
    """All features there are, shape (points, d): nothing is added, so no repair is smaller than one for these."""

    features: Floats

    def least(self, form: Floats) -> float:
        """Return the least value of a linear form over the set."""
        return float((self.features @ form).min())

    @property
    def high(self) -> Floats:
        """The largest value of each feature, shape (d,)."""
        return np.asarray(self.features.max(axis=0))


@dataclass(frozen=True, eq=False)
class Box:
    """Every h with low <= h <= high, shapes (d,): the naive set of equation (11)."""

    low: Floats
    high: Floats

    def least(self, form: Floats) -> float:
        """Return the least value of a linear form over the set."""
        return float(np.minimum(form * self.low, form * self.high).sum())


@dataclass(frozen=True, eq=False)
class Polytope:
    """Every h of a box with lower(x) <= h <= upper(x) for one x of the inputs' own box: equation (15).

    `lower` and `upper` are (slopes (d, m), offsets (d,)). The paper leaves the box of the features out; meeting it
    costs nothing, and makes sure that a repair is never larger than one for the box alone (theorem 2).
    """

    box: Box
    inputs: Box
    lower: tuple[Floats, Floats]
    upper: tuple[Floats, Floats]

    def least(self, form: Floats) -> float:
        """Return the least value of a linear form over the set, by a linear program in h and x."""
        d, m = self.lower[0].shape
        rows = np.block([[-np.eye(d), self.lower[0]], [np.eye(d), -self.upper[0]]])
        limits = np.concatenate([-self.lower[1], self.upper[1]])
        ends = [*zip(self.box.low, self.box.high, strict=True), *zip(self.inputs.low, self.inputs.high, strict=True)]
        optimum = linprog(np.concatenate([form, np.zeros(m)]), A_ub=rows, b_ub=limits, bounds=ends, method="highs")
        if optimum.status != 0:
            # The box contains the polytope, so its least value is a lower bound, too.
            return self.box.least(form)
        return float(optimum.fun)

    @property
    def high(self) -> Floats:
        """The largest value of each feature, shape (d,)."""
        return self.box.high


FeatureSet = Points | Box | Polytope
