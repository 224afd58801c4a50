"""The closed form for Gaussian features of one variance: what a linear classifier accepts of each of two groups.

Footnote 3 of the paper: given the group, the weighted sum is Gaussian. (Its print takes the other group's distribution
for one of the two; here each group has its own.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.coding import Binning
from equiproof.audits.fvgm.network import BOOLEAN, Chance, Choice, Network
from equiproof.audits.fvgm.scaling import Matrix, Scores


@dataclass(frozen=True)
class Population:
    """Two groups 0 and 1 of equal size; feature i is Gaussian with mean `means[group][i]` and one deviation."""

    means: tuple[tuple[float, ...], tuple[float, ...]]
    deviation: float

    def shares(self, scores: Scores) -> tuple[float, float]:
        """Return the share accepted of either group; columns are the features, then the group."""
        weights = scores.weights[:-1]
        own = float(scores.weights[-1])
        spread = self.deviation * math.hypot(*weights)
        centers = [float(np.dot(weights, self.means[group])) + own * group + scores.bias for group in (0, 1)]
        if spread == 0:
            return float(centers[0] >= 0), float(centers[1] >= 0)
        return NormalDist().cdf(centers[0] / spread), NormalDist().cdf(centers[1] / spread)

    def sample(
        self, rows: int, generator: np.random.Generator
    ) -> tuple[npt.NDArray[np.int64], Matrix, npt.NDArray[np.int64]]:
        """Return groups, features and labels of rows: label 1 where the features' sum is at least its overall mean."""
        groups = generator.integers(0, 2, rows)
        X = np.array(self.means)[groups] + self.deviation * generator.normal(size=(rows, len(self.means[0])))
        middle = 0.5 * sum(map(sum, self.means))
        return groups, X, (X.sum(axis=1) >= middle).astype(np.int64)

    def network(self, binnings: Sequence[Binning], group: str = "group") -> Network:
        """Return the network of the binned features x0, x1, ... and the group, with the population's own tables.

        Given the group the features are independent. A programme's result on it has no sampling error. The shares
        of bins are floats, written as fractions and made to add up to 1.
        """
        chances = []
        for place, binning in enumerate(binnings):
            table = []
            for means in self.means:
                below = [0.0, *(NormalDist(means[place], self.deviation).cdf(edge) for edge in binning.edges), 1.0]
                parts = [Fraction(high) - Fraction(low) for low, high in pairwise(below)]
                table.append(tuple(part / sum(parts) for part in parts))
            chances.append(Chance(f"x{place}", binning.labels, (group,), tuple(table)))
        return Network((Choice(group, BOOLEAN),), tuple(chances))


def drawn(features: int, generator: np.random.Generator, deviation: float = 0.1) -> Population:
    """Return a population of the accuracy benchmark (section 4.2): `features` with means uniform in [0, 1]."""
    means: Sequence[Sequence[float]] = generator.uniform(size=(2, features)).tolist()
    return Population((tuple(means[0]), tuple(means[1])), deviation)
