"""Copies of models that are not linear: labels, and points inside proven balls, which have the label of their centre.

Every learner fits points in the spec's units with labels and weights. Which one is taken, the attacker decides by
cross-validation on the certificates at hand; points of a ball stay with their certificate.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equiproof.certify.leak.certificates import Certificate, Levels, interval
from equiproof.certify.leak.linear import Floats, LinearCopy, linear_copy
from equiproof.certify.leak.thresholds import Threshold, explained
from equiproof.circuits.spec import Spec

Labels = NDArray[np.int64]
Decide = Callable[[Floats], Labels]
"""A copy: labels of rows of columns in the spec's units."""

BALL_POINTS = 6
BALL_WEIGHT = 0.5
"""What a point of a ball weighs, where an applicant weighs 1."""

BEYOND_WEIGHT = 2.0
"""What a point at the boundary weighs."""

_INSIDE = 0.999
_FOLDS = 3


class Evidence(Protocol):
    """What an attacker has, as labelled points in the spec's units with weights; `known` are thresholds to cut at."""

    spec: Spec
    known: set[Threshold]
    seed: int
    points: Floats
    labels: Labels
    weights: Floats

    @property
    def count(self) -> int:
        """The number of certificates."""

    def part(self, places: Sequence[int]) -> Evidence:
        """Return that of some certificates."""

    def held(self, places: Sequence[int]) -> tuple[Floats, Labels]:
        """Return the people of some certificates by whom a copy from others is judged, and their labels."""

    def linear(self) -> LinearCopy:
        """Return the hyperplane that fits best."""


class Sample:
    """Certificates as labelled points: the applicants, points of their balls, and points just beyond a threshold."""

    def __init__(
        self, certificates: Sequence[Certificate], spec: Spec, levels: Levels | None, known: set[Threshold], seed: int
    ) -> None:
        """Draw the points of the balls with the seed."""
        self.certificates = certificates
        self.spec = spec
        self.levels = levels
        self.known = known
        self.seed = seed
        rng = np.random.default_rng(seed)
        points, labels, weights = [], [], []
        for one in certificates:
            centre = np.array(one.query, dtype=float)
            low = interval(one.radius_squared, levels)[0]
            points.append(centre)
            labels.append(one.label)
            weights.append(1.0)
            if low:
                inside = _ball(rng, centre, math.sqrt(low) * _INSIDE, spec)
                points += inside
                labels += [one.label] * len(inside)
                weights += [BALL_WEIGHT] * len(inside)
            if levels is None and (pairs := explained(one.query, one.radius_squared, known)):
                points.append(_beyond(centre, pairs))
                labels.append(1 - one.label)
                weights.append(BEYOND_WEIGHT)
        self.points = np.array(points) / spec.scale_unit
        self.labels = np.array(labels, dtype=np.int64)
        self.weights = np.array(weights)

    @property
    def count(self) -> int:
        """The number of certificates."""
        return len(self.certificates)

    def part(self, places: Sequence[int]) -> Sample:
        """Return the sample of some certificates."""
        return Sample([self.certificates[place] for place in places], self.spec, self.levels, self.known, self.seed)

    def held(self, places: Sequence[int]) -> tuple[Floats, Labels]:
        """Return the applicants of some certificates, and their labels."""
        some = [self.certificates[place] for place in places]
        return np.array([one.query for one in some]) / self.spec.scale_unit, np.array([one.label for one in some])

    def linear(self) -> LinearCopy:
        """Return the hyperplane that fits the bounds of the distances to it."""
        return linear_copy(self.certificates, self.spec, self.levels)


def best_copy(kind: str, sample: Evidence) -> Decide:
    """Return the copy by the learner of a family that decides left-out certificates best."""
    learners = LEARNERS[kind]
    count = sample.count
    scores = dict.fromkeys(learners, 0)
    for fold in range(min(_FOLDS, count) if len(learners) > 1 else 0):
        held = np.arange(count) % _FOLDS == fold
        points, truth = sample.held(np.flatnonzero(held).tolist())
        part = sample.part(np.flatnonzero(~held).tolist())
        for name in learners:
            scores[name] += int(np.sum(fitted(name, part)(points) == truth))
    return fitted(max(learners, key=scores.__getitem__), sample)


def fitted(name: str, sample: Evidence) -> Decide:
    """Return the copy by one learner; where all labels are alike, everybody gets that one."""
    if len(set(sample.labels.tolist())) < 2:
        only = int(sample.labels[0])
        return lambda points: np.full(len(points), only, dtype=np.int64)
    return _LEARNERS[name](sample)


def _linear(sample: Evidence) -> Decide:
    """Fit a hyperplane by bounds."""
    return sample.linear().decide


def _boosted(depth: int) -> Callable[[Evidence], Decide]:
    """Return a learner of boosted trees."""

    def fit(sample: Evidence) -> Decide:
        from sklearn.ensemble import GradientBoostingClassifier

        trees = GradientBoostingClassifier(max_depth=depth, subsample=0.7, random_state=sample.seed)
        return _predictor(trees.fit(sample.points, sample.labels, sample_weight=sample.weights))

    return fit


def _network(sample: Evidence) -> Decide:
    """Fit a small network; it takes no weights, so every applicant stands as often as they weigh."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    times = np.maximum(1, np.round(sample.weights / BALL_WEIGHT).astype(int))
    network = MLPClassifier((16,), alpha=0.01, solver="lbfgs", max_iter=200, random_state=sample.seed)
    with warnings.catch_warnings():
        # An attacker who stops early has a copy all the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(np.repeat(sample.points, times, axis=0), np.repeat(sample.labels, times))
    return _predictor(network)


def _steps(sample: Evidence) -> Decide:
    """Fit a logistic regression on the steps at known thresholds, and at tenths of columns without any."""
    from sklearn.linear_model import LogisticRegression

    unit = sample.spec.scale_unit
    places = {(column, threshold / unit) for column, threshold in sample.known}
    for column in set(range(sample.points.shape[1])) - {column for column, _ in sample.known}:
        places |= {(column, float(tenth)) for tenth in np.quantile(sample.points[:, column], np.arange(1, 10) / 10)}
    ordered = sorted(places)
    columns = [column for column, _ in ordered]
    cuts = np.array([cut for _, cut in ordered])

    def passed(points: Floats) -> Floats:
        return (points[:, columns] > cuts).astype(float)

    model = LogisticRegression(C=1.0, max_iter=300)
    model.fit(passed(sample.points), sample.labels, sample_weight=sample.weights)
    return lambda points: np.asarray(model.predict(passed(points)), dtype=np.int64)


def _predictor(model: Any) -> Decide:
    """Return the decisions of a fitted model."""
    return lambda points: np.asarray(model.predict(points), dtype=np.int64)


def _ball(rng: np.random.Generator, centre: Floats, radius: float, spec: Spec) -> list[Floats]:
    """Return points of a ball around a centre in grid units, moved into the box that neighbors stay in.

    Missing values stay missing: neighbors lack the same ones.
    """
    steps = rng.normal(size=(BALL_POINTS, len(centre)))
    lacking = centre == spec.absent if spec.has_absent else np.zeros(len(centre), dtype=bool)
    if lacking.all():
        return []
    steps[:, lacking] = 0.0
    lengths = radius * rng.random(BALL_POINTS) ** (1 / len(centre)) / np.linalg.norm(steps, axis=1)
    points = centre + steps * lengths[:, None]
    kept = points if spec.box is None else np.clip(points, *map(np.array, spec.box))
    return list(np.where(lacking, centre, kept))


def _beyond(centre: Floats, pairs: Sequence[Threshold]) -> Floats:
    """Return the nearest point on the other side of thresholds."""
    point = centre.copy()
    for column, threshold in pairs:
        point[column] = threshold + 1 if centre[column] <= threshold else threshold
    return point


_LEARNERS: Mapping[str, Callable[[Evidence], Decide]] = {
    "linear": _linear,
    "stumps": _boosted(1),
    "trees": _boosted(3),
    "network": _network,
    "steps": _steps,
}
LEARNERS: Mapping[str, tuple[str, ...]] = {
    "linear": ("linear",),
    "additive": ("linear", "stumps", "steps"),
    "ensemble": ("linear", "stumps", "trees", "steps"),
    "network": ("linear", "network", "trees"),
}
"""The learners of each family of models."""
