"""How well copies agree with a model, against the number of certificates: at levels, beside labels alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.decisions import decided, decisions
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.leak.certificates import Certificate, Levels, family
from equiproof.certify.leak.learners import Evidence, Labels, Sample, best_copy
from equiproof.certify.leak.linear import Floats
from equiproof.certify.leak.thresholds import claimed, thresholds_of
from equiproof.certify.leak.ways import Answer, WaySample, located, right
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

_Shown = TypeVar("_Shown")

LABELS_ALONE: Levels = ()
"""The levels of an attacker who sees decisions only."""


@dataclass(frozen=True)
class Point:
    """What copies from `count` certificates come to, in the middle of several draws.

    `agreement` is the share of held-out people on whom copy and model decide alike. Of a model with thresholds,
    `claimed` are said to be known exactly and `known` of them are thresholds of the model; None for other models.
    """

    count: int
    agreement: float
    claimed: int | None = None
    known: int | None = None


@dataclass(frozen=True)
class Target:
    """A model under attack, and people who are not among the applicants: columns in the spec's units, labels."""

    model: QuantisedNetwork | ScoredModel
    spec: Spec
    points: Floats
    labels: Labels

    @property
    def family(self) -> str:
        """The family that decides which copies are tried."""
        return family(self.model)

    def attacked(self, certificates: Sequence[Certificate], levels: Levels | None, seed: int = 0) -> Point:
        """Return what the best copy from these certificates comes to."""
        known: set[tuple[int, int]] = set()
        counts: tuple[int | None, int | None] = (None, None)
        if isinstance(self.model, AdditiveModel | EnsembleModel):
            known = claimed(certificates, self.spec, levels)
            counts = (len(known), len(known & thresholds_of(self.model, self.spec)))
        return self._copied(Sample(certificates, self.spec, levels, known, seed), *counts)

    def attacked_by_ways(self, answers: Sequence[Answer], seed: int = 0) -> Point:
        """Return the same of ways and nones; a threshold is known that lies within a step of shown values."""
        known: set[tuple[int, int]] = set()
        counts: tuple[int | None, int | None] = (None, None)
        if isinstance(self.model, AdditiveModel | EnsembleModel):
            places = located(answers, self.spec)
            known = set(places)
            counts = (len(places), right(places, thresholds_of(self.model, self.spec)))
        return self._copied(WaySample(answers, self.spec, known, seed), *counts)

    def _copied(self, sample: Evidence, claims: int | None, known: int | None) -> Point:
        """Return what the best copy from a sample comes to."""
        decide = best_copy(self.family, sample)
        return Point(sample.count, float(np.mean(decide(self.points) == self.labels)), claims, known)


def aimed_at(model: QuantisedNetwork | ScoredModel, spec: Spec, queries: Sequence[Sequence[int]]) -> Target:
    """Return a model with the held-out queries whose decision does not depend on sensitive values.

    Of the others, no copy from queries alone can know the decision; they get no certificate either.
    """
    plain = np.array(queries, dtype=np.int64).reshape(len(queries), spec.plain_columns)
    slices = []
    for values in spec.domain_table:
        inputs = np.hstack([plain, np.tile(np.array(values, dtype=np.int64), (len(plain), 1))])
        if isinstance(model, QuantisedNetwork):
            slices.append(decisions(model, inputs))
        else:
            slices.append(decided(committed_scores(model, inputs)[:, None]))
    labels = np.stack(slices)
    fair = (labels == labels[0]).all(axis=0) & (labels[0] >= 0)
    return Target(model, spec, plain[fair] / spec.scale_unit, labels[0][fair])


def attack(
    target: Target, pool: Sequence[Certificate], levels: Levels | None, *, count: int, seed: int, draw: int
) -> Point:
    """Return what a copy from `count` certificates of the pool comes to; a draw has the same ones at any levels."""
    return target.attacked(_drawn(pool, count, seed, draw), levels, draw)


def curve(
    target: Target,
    pool: Sequence[Certificate],
    levels: Levels | None,
    counts: Sequence[int],
    *,
    draws: int = 3,
    seed: int = 0,
    deadline: float | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Point]:
    """Return a point for each count that the pool has, the median of `draws` choices of certificates from the pool.

    `levels` are None for exact radii, () for labels alone. The same seed draws the same certificates at any levels.
    From `deadline` on, a moment of `time.monotonic`, larger counts are left out. `progress` is called after each copy.
    """

    def copied(count: int, draw: int) -> Point:
        return attack(target, pool, levels, count=count, seed=seed, draw=draw)

    return _points(copied, [count for count in counts if count <= len(pool)], draws, deadline, progress)


def curve_of_ways(
    target: Target,
    pool: Sequence[Answer],
    counts: Sequence[int],
    *,
    draws: int = 3,
    seed: int = 0,
    deadline: float | None = None,
) -> list[Point]:
    """Return the same of ways and nones."""

    def copied(count: int, draw: int) -> Point:
        return target.attacked_by_ways(_drawn(pool, count, seed, draw), draw)

    return _points(copied, [count for count in counts if count <= len(pool)], draws, deadline)


def _drawn(pool: Sequence[_Shown], count: int, seed: int, draw: int) -> list[_Shown]:
    """Return `count` of a pool; a draw has the same places of pools of the same size."""
    rng = np.random.default_rng((seed, count, draw))
    return [pool[place] for place in rng.choice(len(pool), size=count, replace=False).tolist()]


def _points(
    copied: Callable[[int, int], Point],
    counts: Sequence[int],
    draws: int,
    deadline: float | None,
    progress: Callable[[], None] | None = None,
) -> list[Point]:
    """Return the middle of the draws of each count, until the deadline."""
    points: list[Point] = []
    for count in counts:
        found = []
        for draw in range(draws):
            if deadline is not None and time.monotonic() >= deadline:
                return points
            found.append(copied(count, draw))
            if progress is not None:
                progress()
        points.append(middle(found))
    return points


def gains(levels: Sequence[Point], labels: Sequence[Point]) -> Mapping[int, float]:
    """Return by how many points of percent copies at levels agree more than copies from labels, by count."""
    alone = {one.count: one.agreement for one in labels}
    return {one.count: 100 * (one.agreement - alone[one.count]) for one in levels if one.count in alone}


def middle(found: Sequence[Point]) -> Point:
    """Return the median of several draws of as many certificates."""
    count = found[0].count
    agreement = statistics.median(one.agreement for one in found)
    numbers = [(one.claimed, one.known) for one in found if one.claimed is not None and one.known is not None]
    if not numbers:
        return Point(count, agreement)
    claims, known = (statistics.median_low(column) for column in zip(*numbers, strict=True))
    return Point(count, agreement, claims, known)
