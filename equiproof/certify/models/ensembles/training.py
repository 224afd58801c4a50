"""Training of ensembles by scikit-learn: boosted trees, forests, and stumps rounded to the points of a scorecard.

Notation: columns are trained on as integers n over 2^f_x, as they are committed. A split n <= t is written as n < m +
1/2 with m = floor(t), so no column, rounded or not, lies between a threshold and its rounding.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.certify.data.dataset import Dataset
from equiproof.certify.digits import percent
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.additive import additive
from equiproof.certify.models.ensembles.columns import placed
from equiproof.certify.models.ensembles.ensemble import BEYOND, Ensemble, Split, Tree
from equiproof.certify.models.ensembles.estimators import read_trees
from equiproof.certify.models.ensembles.points import scorecard_of
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scorecard import Scorecard
from equiproof.certify.models.ensembles.ties import settled
from equiproof.certify.models.ensembles.trained_inputs import Inputs, by_columns, inputs_of
from equiproof.certify.models.network import balanced_accuracy
from equiproof.certify.models.training import TrainingError
from equiproof.circuits.spec import Spec, refuse_told_as_value

BINS = {"boosting": 64, "scorecard": 8}
"""The most bins of a column, by kind of model."""


@dataclass(frozen=True)
class EnsembleReport:
    """The figures of an ensemble before rounding, on its data set.

    `accuracy` and `balanced_accuracy` are (training rows, test rows); `flip_share` is the share of all rows whose label
    changes for some assignment of the sensitive features. `predicates` are those of (plain, sensitive) columns,
    `nodes` the numbers of trees that read several columns and of their splits.
    """

    data: str
    model: str
    rounds: int
    seed: int
    predicates: tuple[int, int]
    accuracy: tuple[float, float]
    balanced_accuracy: tuple[float, float]
    flip_share: float
    depth: int
    nodes: tuple[int, int]

    def summary(self) -> str:
        """Return the figures as a few lines of text."""
        train, test, balanced_train, balanced_test = map(percent, (*self.accuracy, *self.balanced_accuracy))
        plain, sensitive = self.predicates
        return "\n".join(
            [
                f"{self.data}, {self.model} of {self.rounds} trees of depth {self.depth}, seed {self.seed}",
                f"predicates {plain}+{sensitive}, trees of several columns {self.nodes[0]} with {self.nodes[1]} splits",
                f"training rows: accuracy {train}, balanced {balanced_train}",
                f"test rows: accuracy {test}, balanced {balanced_test}",
                f"the label of {percent(self.flip_share)} of all rows changes when only the sensitive value changes",
            ]
        )


def train_additive(
    dataset: Dataset,
    model: str,
    *,
    rounds: int = 100,
    seed: int = 0,
    depth: int = 1,
    monotone: Mapping[str, int] | None = None,
    native: bool = False,
) -> tuple[Score, Scorecard | None, EnsembleReport]:
    """Train boosted trees or a forest on the training rows; for a scorecard stumps, rounded to whole points.

    `monotone` has 1 for features that may only raise the score of the second label, -1 for those that may only lower
    it. With `native`, boosted trees split one-hot categories by sets of their values. Missing values are trained on.
    Raises TrainingError for more than two labels, a feature that has no order, a scorecard of deeper trees, and what
    the library does not train together.
    """
    if model == "scorecard" and depth != 1:
        raise TrainingError("a scorecard has trees of depth 1")
    spec = dataset.spec
    if spec.logits != 1:
        raise TrainingError(f"{dataset.name}: {len(spec.labels)} labels; an additive model decides two")
    _refuse_apart(spec, model, monotone or {}, native=native)
    inputs = inputs_of(dataset, native=native)
    labels = dataset.label_array()
    rows = np.asarray(dataset.train)
    trained = _estimator(model, rounds, depth, seed, _directions(spec, monotone or {}), inputs)
    trained.fit(inputs.values[rows], labels[rows])
    ensemble = by_columns(between_columns(read_trees(trained), spec), inputs, spec)
    score = additive(
        dataclasses.replace(ensemble, kind=model), spec, units="spec", columns=ensemble.columns, rows=dataset.rows
    )
    card = None
    if model == "scorecard":
        card = scorecard_of(score, spec, dataset.rows)
        trees = card.ensemble(spec)
        score = additive(trees, spec, units="raw", columns=trees.columns, rows=dataset.rows)
    else:
        # A table of points has no ties: a total that reaches the cut-off is above it.
        score = settled(score, spec, dataset.rows, ensemble.ties)
    return score, card, _judge(score, dataset, model, rounds, seed, depth)


def _refuse_apart(spec: Spec, model: str, monotone: Mapping[str, int], *, native: bool) -> None:
    """Raise TrainingError for what is not trained together, SpecError for a spec that is not trained under."""
    if native and model != "boosting":
        raise TrainingError("native categories are for boosted trees, not for a " + model)
    if not spec.has_missing:
        return
    refuse_told_as_value(spec)
    if model == "scorecard":
        name = next(feature.name for feature in spec.features if feature.may_miss)
        raise TrainingError(
            "train boosting of depth 1: a scorecard has no points for a missing value, and the spec lets feature "
            f"{name[:80]!r} be missing"
        )
    if model == "forest" and any(monotone.values()):
        raise TrainingError(
            "train boosting, or leave out monotone: a forest takes no directions under a spec that lets values be "
            "missing"
        )


def _estimator(model: str, rounds: int, depth: int, seed: int, directions: list[int], inputs: Inputs) -> Any:
    """Return the classifier of scikit-learn that is trained; `directions` are those of the spec's columns."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    if model == "forest":
        return RandomForestClassifier(
            n_estimators=rounds,
            max_depth=depth,
            random_state=seed,
            # With directions, even if each is 0, the library takes no missing values; trees differ a little without.
            monotonic_cst=None if np.isnan(inputs.values).any() else directions,
            min_samples_leaf=5,
        )
    return HistGradientBoostingClassifier(
        max_depth=depth,
        max_iter=rounds,
        max_bins=max(BINS[model], inputs.most_values),
        early_stopping=False,
        random_state=seed,
        monotonic_cst=[directions[column] for column in inputs.columns],
        categorical_features=inputs.natives if any(inputs.natives) else None,
    )


def _directions(spec: Spec, monotone: Mapping[str, int]) -> list[int]:
    """Return the direction of each column, 0 where it is free."""
    directions = [0] * (spec.plain_columns + spec.sensitive_columns)
    places = {feature.name: (feature, first) for feature, first in placed(spec)}
    for name, direction in monotone.items():
        if name not in places or places[name][0].width != 1:
            raise TrainingError(f"monotone: {name[:80]!r} is not a feature of one column; want a number or a rank")
        directions[places[name][1]] = direction
    return directions


def between_columns(ensemble: Ensemble, spec: Spec) -> Ensemble:
    """Return the ensemble with every threshold moved half a step above the last column that stays below it."""

    def moved(split: Split) -> Split:
        """Return a split that parts the same integers, or as it is where it parts none."""
        if split.among is not None or split.threshold == BEYOND:
            return split
        integer = math.floor(split.threshold * spec.scale_unit)
        return dataclasses.replace(split, threshold=(integer + Fraction(1, 2)) / spec.scale_unit, strict=True)

    trees = tuple(Tree(tuple(map(moved, tree.splits)), tree.leaves) for tree in ensemble.trees)
    # The moved thresholds are the model, so no comparison of the library is left to follow.
    return dataclasses.replace(ensemble, trees=trees, classes=None, single=False, exact=True)


def _judge(score: Score, dataset: Dataset, model: str, rounds: int, seed: int, depth: int) -> EnsembleReport:
    """Measure a score on its data set."""
    committed = quantise_score(score, dataset.spec)
    spec = dataset.spec
    labels = dataset.label_array()
    ranks = score.ranks(spec, dataset.rows)
    totals = score.totals_at(ranks)
    least, largest = score.extremes_at(spec, ranks)
    cut = math.floor(Fraction(spec.threshold) * score.unit)
    decided = np.asarray(totals > cut, dtype=np.int64)
    flips = np.asarray(least > cut) != np.asarray(largest > cut)
    parts: Sequence[Any] = [np.asarray(part) for part in (dataset.train, dataset.test)]
    accuracy = [float(np.mean(decided[part] == labels[part])) for part in parts]
    balanced = [balanced_accuracy(decided[part], labels[part]) for part in parts]
    return EnsembleReport(
        data=dataset.name,
        model=model,
        rounds=rounds,
        seed=seed,
        predicates=committed.predicates,
        accuracy=(accuracy[0], accuracy[1]),
        balanced_accuracy=(balanced[0], balanced[1]),
        flip_share=float(np.mean(flips)),
        depth=depth,
        nodes=committed.nodes.sizes if isinstance(committed, EnsembleModel) else (0, 0),
    )
