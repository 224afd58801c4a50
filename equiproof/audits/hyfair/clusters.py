"""k-discrimination of many applicants: into how many clusters the protected values alone split the scores.

Four separate properties: `buckets` is the paper's k over fixed buckets of width eps; `gaps` is k without edges, where a
cluster ends if the next score is more than eps away; `apart`: two scores differ by more than eps (the paper's
2-discriminant); `flipped`: the label differs. Floats decide if their proven error allows it, exact margins otherwise,
so every value is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ulp
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair import scores
from equiproof.audits.hyfair.bounds import Relaxation, guiding, proving
from equiproof.audits.hyfair.forward import Floats, Forward
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.scores import EPSILON, bucket_count

Flags = npt.NDArray[np.bool_]
Property = Literal["apart", "flipped"]
PROPERTIES: tuple[Property, ...] = ("apart", "flipped")

_SCORE_ERROR = 2.0**-48
"""An upper bound of the rounding error of a score in floats, besides the margin's own error."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The properties of n applicants; `settled` counts those that floats left open and integers decided.

    `margins` are the float margins, shape (n, S), for pictures and orders only.
    """

    margins: Floats
    buckets: Integers
    gaps: Integers
    apart: Flags
    flipped: Flags
    settled: int


@dataclass(frozen=True, eq=False)
class Judge:
    """Counts clusters at width `epsilon`; use one for all batches of an audit."""

    forward: Forward
    epsilon: Fraction = EPSILON

    def __post_init__(self) -> None:
        """Raise ValueError for a width that is not 1/n."""
        bucket_count(self.epsilon)

    @cached_property
    def guiding(self) -> Relaxation:
        """Bounds in floats over boxes of the grid."""
        return guiding(self.forward.margin.layers, self.forward.grid)

    @cached_property
    def proving(self) -> Relaxation:
        """Bounds in integers over boxes of the grid."""
        return proving(self.forward.margin.layers, self.forward.grid)

    def judge(self, applicants: Integers) -> Judged:
        """Count the clusters of applicants, shape (n, F), exactly."""
        margins = self.forward.margins(applicants)
        slack = self.forward.error
        buckets, edge = _buckets(margins, slack, bucket_count(self.epsilon))
        gaps, apart, close = _gaps(margins, slack, float(self.epsilon))
        flipped: Flags = np.asarray((margins > 0).any(axis=1) & (margins <= 0).any(axis=1))
        # Floats decide nothing that is within their error of a bucket's edge, of a gap of epsilon, or of a margin of 0.
        doubtful = np.flatnonzero(edge | close | (abs(margins) <= slack).any(axis=1))
        for index in doubtful:
            exact = self.exactly(applicants[index])
            buckets[index], gaps[index], apart[index], flipped[index] = exact
        return Judged(margins, buckets, gaps, apart, flipped, len(doubtful))

    def places(self, applicants: Integers) -> Integers:
        """Return the bucket of every score, shape (n, S), exactly."""
        margins = self.forward.margins(applicants)
        below, above = _places(margins, self.forward.error, bucket_count(self.epsilon))
        for index in np.flatnonzero((below != above).any(axis=1)):
            below[index] = [scores.bucket(margin, self.epsilon) for margin in self.forward.exact(applicants[index])]
        return below

    def has(self, property_: Property, applicant: Integers) -> bool:
        """Return whether one applicant, shape (F,), has a property, from the integers."""
        return bool(self.exactly(applicant)[2 + PROPERTIES.index(property_)])

    def exactly(self, applicant: Integers) -> tuple[int, int, bool, bool]:
        """Return k by buckets and by gaps, whether scores are apart, and whether the label flips, from the integers."""
        margins = self.forward.exact(applicant)
        return (
            scores.bucket_clusters(margins, self.epsilon),
            scores.gap_clusters(margins, self.epsilon),
            scores.gap_exceeds(max(margins), min(margins), self.epsilon),
            scores.flips(margins),
        )


def _buckets(margins: Floats, slack: float, n: int) -> tuple[Integers, Flags]:
    """Return the number of filled buckets, and where an edge is closer than the error."""
    below, above = _places(margins, slack, n)
    counts: Integers
    # One bit of an integer for each bucket.
    if n <= 63:
        filled = np.bitwise_or.reduce(np.left_shift(np.int64(1), below), axis=1)
        counts = np.bitwise_count(filled).astype(np.int64)
    else:
        ordered = np.sort(below, axis=1)
        counts = 1 + (np.diff(ordered, axis=1) > 0).sum(axis=1)
    return counts, (below != above).any(axis=1)


def _places(margins: Floats, slack: float, n: int) -> tuple[Integers, Integers]:
    """Return the least and the largest bucket that margins may lie in, given their error."""
    edges = _edges(n)
    room = slack + 2 * ulp(float(edges[-1]))
    below, above = (np.searchsorted(edges, end, side="right") for end in (margins - room, margins + room))
    return below, above


@lru_cache(maxsize=16)
def _edges(n: int) -> Floats:
    """Return the margins where buckets 1 to n - 1 begin, each rounded once or twice."""
    return np.array([float(sum(scores.edge(i, n)) / 2) for i in range(1, n)])


def _gaps(margins: Floats, slack: float, epsilon: float) -> tuple[Integers, Flags, Flags]:
    """Return clusters by gaps, whether scores are apart, and where a gap is closer to epsilon than the error."""
    # The slope of the score is at most 1/4; two scores, and the rounding of epsilon.
    room = slack / 2 + 2 * _SCORE_ERROR
    ordered = np.sort(_scores(margins), axis=1)
    between = np.diff(ordered, axis=1)
    spread = ordered[:, -1] - ordered[:, 0]
    close = (abs(between - epsilon) <= room).any(axis=1) | (abs(spread - epsilon) <= room)
    return 1 + (between > epsilon).sum(axis=1), spread > epsilon, close


def _scores(margins: Floats) -> Floats:
    """Return 1 / (1 + exp(-m)) without overflow."""
    small = np.exp(-abs(margins))
    scores: Floats = np.where(margins >= 0, 1.0, small) / (1.0 + small)
    return scores
