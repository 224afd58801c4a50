"""Tree ensembles of scikit-learn: boosting, forests, single trees, and AdaBoost of trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree
from equiproof.certify.models.importing.errors import ModelImportError

KIND = "scikit-learn"

NAMES = (
    "GradientBoostingClassifier", "HistGradientBoostingClassifier", "RandomForestClassifier", "ExtraTreesClassifier",
    "DecisionTreeClassifier", "ExtraTreeClassifier", "AdaBoostClassifier",
)  # fmt: skip
"""The estimators that are read, derived classes excepted: they may decide differently."""


def read_trees(model: Any) -> Ensemble:
    """Read a fitted estimator of :data:`NAMES`; raises ModelImportError naming what cannot be imported exactly.

    The score of a forest is the mean share of the second class less one half.
    """
    name = type(model).__name__
    if not hasattr(model, "classes_"):
        raise ModelImportError(f"{name}: not fitted")
    if len(model.classes_) != 2 or getattr(model, "n_outputs_", 1) != 1:
        raise ModelImportError(f"{name}: only one decision of two classes is read")
    trees, base = _READERS[name](model, name)
    names = getattr(model, "feature_names_in_", None)
    classes = model.classes_.tolist()
    if not all(type(value) in (str, int) for value in classes):
        raise ModelImportError(f"{name}: its classes are neither texts nor integers; fit it on names of labels")
    return Ensemble(
        KIND,
        int(model.n_features_in_),
        tuple(trees),
        base=base,
        single=name != "HistGradientBoostingClassifier",
        columns=None if names is None else tuple(map(str, names)),
        classes=tuple(classes),
    )


def _boosted(model: Any, name: str) -> tuple[list[Tree], Fraction]:
    """Read a GradientBoostingClassifier."""
    from sklearn.dummy import DummyClassifier

    if model.loss != "log_loss":
        raise ModelImportError(f"{name}: loss {model.loss!r} is not read; train with loss='log_loss'")
    base = 0.0
    if type(model.init_) is DummyClassifier:
        prior = float(model.init_.class_prior_[1])
        base = math.log(prior / (1 - prior))
    elif model.init_ != "zero":
        raise ModelImportError(f"{name}: init is a model of its own; train with init=None")
    rate = Fraction(float(model.learning_rate))
    return [_tree(one.tree_, lambda value: rate * Fraction(value[0])) for one in model.estimators_[:, 0]], Fraction(
        base
    )


def _histogram(model: Any, name: str) -> tuple[list[Tree], Fraction]:
    """Read a HistGradientBoostingClassifier."""
    if getattr(model, "is_categorical_", None) is not None and any(model.is_categorical_):
        raise ModelImportError(
            f"{name}: it splits by categories; make one-hot columns of them and train with categorical_features=None"
        )
    # The library has no public name for either; tests hold this against its decisions.
    predictors, baseline = model._predictors, model._baseline_prediction  # noqa: SLF001
    return [_nodes(stage[0].nodes) for stage in predictors], Fraction(float(baseline[0, 0]))


def _forest(model: Any, _: str) -> tuple[list[Tree], Fraction]:
    """Read a forest: the mean of its trees' shares."""
    count = len(model.estimators_)
    return [_tree(one.tree_, lambda value: _share(value) / count) for one in model.estimators_], Fraction(-1, 2)


def _single(model: Any, _: str) -> tuple[list[Tree], Fraction]:
    """Read one tree."""
    return [_tree(model.tree_, _share)], Fraction(-1, 2)


def _voted(model: Any, name: str) -> tuple[list[Tree], Fraction]:
    """Read an AdaBoostClassifier: each tree votes for a class, with its weight."""
    weights = [Fraction(float(weight)) for weight in model.estimator_weights_[: len(model.estimators_)]]
    # The library's score is a difference of both classes' votes, which a weight of one would halve.
    whole = sum(weights, Fraction(0)) / 2
    if not whole:
        raise ModelImportError(f"{name}: its trees have no weight")
    trees = []
    for one, weight in zip(model.estimators_, weights, strict=True):
        if type(one).__name__ not in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
            raise ModelImportError(f"{name}: it is made of {type(one).__name__}; only trees are read")
        if len(one.classes_) != 2:
            only = Fraction(1 if one.classes_[0] == model.classes_[1] else -1)
            trees.append(Tree((), (only * weight / whole,)))
            continue
        trees.append(_tree(one.tree_, _vote(weight / whole)))
    return trees, Fraction(0)


def _vote(weight: Fraction) -> Callable[[Sequence[float]], Fraction]:
    """Return the value of a leaf that votes with a weight; equal shares vote for the first class."""
    return lambda value: weight if value[1] > value[0] else -weight


def _share(value: Sequence[float]) -> Fraction:
    """Return the share of the second class in a leaf."""
    first, second = map(Fraction, value)
    return second / (first + second)


def _tree(tree: Any, value: Callable[[Sequence[float]], Fraction]) -> Tree:
    """Read the arrays of one tree; `value` makes a leaf's number of its row of values."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    splits = [node for node, child in enumerate(left) if child != -1]
    leaves = [node for node, child in enumerate(left) if child == -1]
    place = {node: at for at, node in enumerate(splits)} | {node: ~at for at, node in enumerate(leaves)}
    features, thresholds = tree.feature.tolist(), tree.threshold.tolist()
    return Tree(
        tuple(
            Split(features[node], Fraction(thresholds[node]), False, place[left[node]], place[right[node]])
            for node in splits
        ),
        tuple(value(tree.value[node, 0].tolist()) for node in leaves),
    )


def _nodes(nodes: Any) -> Tree:
    """Read the nodes of a histogram tree; a split at infinity sends every row without missing values to the left."""
    fields = {
        name: nodes[name].tolist() for name in ("feature_idx", "num_threshold", "left", "right", "is_leaf", "value")
    }

    def through(node: int) -> int:
        """Return the node that rows without missing values reach."""
        while not fields["is_leaf"][node] and math.isinf(fields["num_threshold"][node]):
            node = fields["left"][node]
        return node

    order, waiting = [], [through(0)]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if not fields["is_leaf"][node]:
            waiting += [through(fields["right"][node]), through(fields["left"][node])]
    splits = [node for node in order if not fields["is_leaf"][node]]
    leaves = [node for node in order if fields["is_leaf"][node]]
    place = {node: at for at, node in enumerate(splits)} | {node: ~at for at, node in enumerate(leaves)}
    return Tree(
        tuple(
            Split(
                fields["feature_idx"][node], Fraction(fields["num_threshold"][node]), False,
                place[through(fields["left"][node])], place[through(fields["right"][node])],
            )
            for node in splits
        ),
        tuple(Fraction(fields["value"][node]) for node in leaves),
    )  # fmt: skip


_READERS: dict[str, Callable[[Any, str], tuple[list[Tree], Fraction]]] = dict(
    zip(NAMES, (_boosted, _histogram, _forest, _forest, _single, _single, _voted), strict=True)
)
