"""Tree ensembles of scikit-learn: boosting, forests, single trees, and AdaBoost of trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify.data.labels import class_of
from equiproof.certify.models.ensembles.ensemble import REGRESSOR_NOTE, Category, Ensemble, Tree, summed, tree_of
from equiproof.certify.models.ensembles.named import codes_by_text
from equiproof.certify.models.ensembles.sizes import refuse_thresholds
from equiproof.certify.models.importing.errors import ModelImportError

KIND = "scikit-learn"

NAMES = (
    "GradientBoostingClassifier", "HistGradientBoostingClassifier", "RandomForestClassifier", "ExtraTreesClassifier",
    "DecisionTreeClassifier", "ExtraTreeClassifier", "AdaBoostClassifier",
)  # fmt: skip
"""The estimators that are read, derived classes excepted: they may decide differently."""

_VOTING = (
    "RandomForestClassifier", "ExtraTreesClassifier", "DecisionTreeClassifier", "ExtraTreeClassifier",
    "AdaBoostClassifier",
)  # fmt: skip
"""The estimators whose shares or votes are often equal."""

_SHARES = _VOTING[:-1]
"""The estimators whose score is a share less one half."""

_DOUBLE = 53
"""The bits of a double."""

REGRESSORS = (
    "RandomForestRegressor", "ExtraTreesRegressor", "DecisionTreeRegressor", "ExtraTreeRegressor",
    "GradientBoostingRegressor", "HistGradientBoostingRegressor",
)  # fmt: skip
"""The regressors that are read, of targets 0 and 1: what they predict is a share."""

_HISTOGRAMS = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
"""The estimators that split by categories."""

_IDENTITY_LOSSES = ("squared_error", "absolute_error", "quantile")
"""The losses of HistGradientBoostingRegressor whose prediction is the sum itself."""

_CONSTANT_STRATEGIES = ("prior", "most_frequent", "uniform", "constant")
"""The strategies of a DummyClassifier that give every row the same shares."""


def read_trees(model: Any) -> Ensemble:
    """Read a fitted estimator of :data:`NAMES`; raises ModelImportError naming what cannot be imported exactly.

    The score of a forest is the mean share of the second class less one half.
    """
    name = type(model).__name__
    if name in REGRESSORS:
        return _regressor(model, name)
    if not hasattr(model, "classes_"):
        raise ModelImportError(f"{name}: fit it first: it has learnt nothing yet")
    if len(model.classes_) != 2 or getattr(model, "n_outputs_", 1) != 1:
        raise ModelImportError(f"{name}: train one decision of two classes: only that is read")
    trees, base = _READERS[name](model, name)
    categories = _categories(model)
    names = getattr(model, "feature_names_in_", None)
    classes = [one for value in model.classes_.tolist() if (one := class_of(value)) is not None]
    if len(classes) != 2:
        raise ModelImportError(f"{name}: fit it on names of labels: its classes are neither texts nor whole numbers")
    return Ensemble(
        KIND,
        int(model.n_features_in_),
        tuple(trees),
        base=base,
        single=name != "HistGradientBoostingClassifier",
        columns=None if names is None else tuple(map(str, names)),
        classes=tuple(classes),
        categories=categories,
        # The raw score of GradientBoostingClassifier decides with >= 0, all others with > 0 or by the first of two
        # equal shares.
        ties=summed(trees, _DOUBLE, second=name == "GradientBoostingClassifier", likely=name in _VOTING),
        scale="share" if name in _SHARES else "logit",
    )


def _regressor(model: Any, name: str) -> Ensemble:
    """Read a regressor of 0 and 1, whose prediction less one half is the score."""
    if not hasattr(model, "n_features_in_"):
        raise ModelImportError(f"{name}: fit it first: it has learnt nothing yet")
    if getattr(model, "n_outputs_", 1) != 1:
        raise ModelImportError(f"{name}: fit it on one target: only one is read")
    if name == "GradientBoostingRegressor":
        rate = Fraction(float(model.learning_rate))
        trees = [_tree(one.tree_, lambda value: rate * Fraction(value[0])) for one in model.estimators_[:, 0]]
        base = _constant(model, name)
    elif name == "HistGradientBoostingRegressor":
        if model.loss not in _IDENTITY_LOSSES:
            raise ModelImportError(f"{name}: train with loss='squared_error': loss {model.loss!r} is not read")
        trees, base = _histogram(model, name)
    else:
        own = getattr(model, "estimators_", None) or [model]
        may_miss = _may_miss(model)
        trees = [_tree(one.tree_, lambda value: Fraction(value[0]) / len(own), may_miss=may_miss) for one in own]
        base = Fraction(0)
    names = getattr(model, "feature_names_in_", None)
    return Ensemble(
        KIND,
        int(model.n_features_in_),
        tuple(trees),
        base=base - Fraction(1, 2),
        single=name != "HistGradientBoostingRegressor",
        columns=None if names is None else tuple(map(str, names)),
        categories=_categories(model),
        ties=summed(trees, _DOUBLE, likely=name in REGRESSORS[:4]),
        scale="share",
        notes=(REGRESSOR_NOTE,),
    )


def _constant(model: Any, name: str) -> Fraction:
    """Return the number that boosting of a regressor starts from."""
    from sklearn.dummy import DummyRegressor

    if model.init_ == "zero":
        return Fraction(0)
    if type(model.init_) is not DummyRegressor:
        raise ModelImportError(f"{name}: train with init=None: init is a model of its own")
    return Fraction(float(model.init_.constant_.ravel()[0]))


def _boosted(model: Any, name: str) -> tuple[list[Tree], Fraction]:
    """Read a GradientBoostingClassifier."""
    if model.loss != "log_loss":
        raise ModelImportError(f"{name}: train with loss='log_loss': loss {model.loss!r} is not read")
    rate = Fraction(float(model.learning_rate))
    base = Fraction(_start(model, name))
    return [_tree(one.tree_, lambda value: rate * Fraction(value[0])) for one in model.estimators_[:, 0]], base


def _start(model: Any, name: str) -> float:
    """Return the logit that boosting starts from: that of a share which is the same for every row, or 0."""
    import numpy as np
    from sklearn.dummy import DummyClassifier

    if model.init_ == "zero":
        return 0.0
    if type(model.init_) is not DummyClassifier:
        raise ModelImportError(f"{name}: train with init=None: init is a model of its own")
    if model.init_.strategy not in _CONSTANT_STRATEGIES:
        raise ModelImportError(
            f"{name}: train with init=None: init draws its shares by strategy {model.init_.strategy!r}"
        )
    share = float(model.init_.predict_proba(np.zeros((1, model.n_features_in_)))[0, 1])
    # The library keeps shares of 0 and 1 this far from the ends, so that their logit is finite.
    near = float(np.finfo(np.float32).eps)
    share = min(max(share, near), 1 - near)
    return math.log(share / (1 - share))


def _histogram(model: Any, _: str) -> tuple[list[Tree], Fraction]:
    """Read a HistGradientBoostingClassifier or -Regressor, whose trees read categories before all other inputs."""
    codes = _codes(model)
    order = sorted(range(int(model.n_features_in_)), key=lambda place: place not in codes)
    # The library has no public name for either; tests hold this against its decisions.
    predictors = model._predictors  # noqa: SLF001
    baseline = model._baseline_prediction  # noqa: SLF001
    return [_nodes(stage[0], order, codes) for stage in predictors], Fraction(float(baseline[0, 0]))


def _codes(model: Any) -> dict[int, dict[str, int]]:
    """Return the code of each value of the inputs that boosting on histograms splits by categories.

    Whole numbers are codes themselves, other values are counted: so the library takes them where it takes numbers
    alone. In its sets each value has its place.
    """
    name = type(model).__name__
    flags = getattr(model, "is_categorical_", None) if name in _HISTOGRAMS else None
    if flags is None or not any(flags):
        return {}
    inputs = [place for place, flag in enumerate(flags.tolist()) if flag]
    lists = model._preprocessor.named_transformers_["encoder"].categories_  # noqa: SLF001
    codes = {}
    for place, values in zip(inputs, (some.tolist() for some in lists), strict=True):
        # A missing value stands last, and is encoded as one.
        own = values[:-1] if values and isinstance(values[-1], float) and math.isnan(values[-1]) else values
        counted = codes_by_text(own, f"{name}: input {place + 1}")
        codes[place] = counted if any(isinstance(one, str) for one in own) else {text: int(text) for text in counted}
    return codes


def encodes_texts(model: Any) -> bool:
    """Return whether an estimator takes texts for some of its categories, and so no table of numbers alone."""
    return any(text != str(code) for codes in _codes(model).values() for text, code in codes.items())


def _categories(model: Any) -> dict[int, Category]:
    """Return the categories of boosting on histograms by input: a value that it never saw counts as a missing one."""
    return {place: Category(codes, unseen=None) for place, codes in _codes(model).items()}


def _forest(model: Any, _: str) -> tuple[list[Tree], Fraction]:
    """Read a forest: the mean of its trees' shares."""
    count = len(model.estimators_)
    _refuse_counts(model.estimators_)
    may_miss = _may_miss(model)
    trees = [_tree(one.tree_, lambda value: _share(value) / count, may_miss=may_miss) for one in model.estimators_]
    return trees, Fraction(-1, 2)


def _refuse_counts(estimators: Sequence[Any]) -> None:
    """Refuse a forest with far too many thresholds by its arrays, before its trees are read."""
    trees = [one.tree_ for one in estimators]
    asked = [
        place
        for tree in trees
        for place in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True)
        if place[0] >= 0  # leaves have no feature
    ]
    refuse_thresholds(KIND, len(trees), len(asked), asked)


def _single(model: Any, _: str) -> tuple[list[Tree], Fraction]:
    """Read one tree."""
    return [_tree(model.tree_, _share, may_miss=_may_miss(model))], Fraction(-1, 2)


def _voted(model: Any, name: str) -> tuple[list[Tree], Fraction]:
    """Read an AdaBoostClassifier: each tree votes for a class, with its weight."""
    if (algorithm := getattr(model, "algorithm", "SAMME")) not in ("SAMME", "deprecated"):
        raise ModelImportError(f"{name}: train with algorithm='SAMME': {algorithm!r} adds logarithms of shares")
    weights = [Fraction(float(weight)) for weight in model.estimator_weights_[: len(model.estimators_)]]
    # The library's score is a difference of both classes' votes, which a weight of one would halve.
    whole = sum(weights, Fraction(0)) / 2
    if not whole:
        raise ModelImportError(
            f"{name}: train it on other rows or settings: its trees have no weight, so that it decides nothing"
        )
    trees = []
    for one, weight in zip(model.estimators_, weights, strict=True):
        if type(one).__name__ not in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
            raise ModelImportError(f"{name}: boost decision trees (estimator=None): it is made of {type(one).__name__}")
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


def _tree(tree: Any, value: Callable[[Sequence[float]], Fraction], *, may_miss: bool = False) -> Tree:
    """Read the arrays of one tree; `value` makes a leaf's number of its row of values.

    `may_miss`: the estimator takes rows with missing values, and not only its tree.
    """
    children = tree.children_left.tolist(), tree.children_right.tolist()
    values = tree.value[:, 0].tolist()
    return tree_of(
        children,
        tree.feature.tolist(),
        tree.threshold.tolist(),
        lambda node: value(values[node]),
        KIND,
        strict=False,
        missing_left=tree.missing_go_to_left.astype(bool).tolist() if may_miss else None,
    )


def _may_miss(model: Any) -> bool:
    """Return whether an estimator takes rows with missing values, also where it saw none in training.

    It knows a side for them at each split then: the one that it found best, or where there were none, that of more
    rows.
    """
    from sklearn.utils import get_tags

    return bool(get_tags(model).input_tags.allow_nan)


def _nodes(predictor: Any, order: Sequence[int], codes: Mapping[int, Mapping[str, int]]) -> Tree:
    """Read the nodes of a histogram tree; `order` has the input of each column that it reads, `codes` its categories.

    In the library values of the set go left, all others right: the children change places.
    """
    nodes = predictor.nodes
    ends = nodes["is_leaf"].tolist()
    left, right = (
        [-1 if end else child for end, child in zip(ends, nodes[name].tolist(), strict=True)]
        for name in ("left", "right")
    )
    values = nodes["value"].tolist()
    thresholds = nodes["num_threshold"].tolist()
    missing_left = nodes["missing_go_to_left"].astype(bool).tolist()
    sets = predictor.raw_left_cat_bitsets.tolist()
    columns = [order[column] for column in nodes["feature_idx"].tolist()]
    among = {}
    for node, is_category in enumerate(nodes["is_categorical"].tolist()):
        if not is_category or ends[node]:
            continue
        words = sets[int(nodes["bitset_idx"][node])]
        own = codes[columns[node]].values()
        # A set may have places that the column has no value for: see the tests for a category of one value.
        among[node] = frozenset(code for at, code in enumerate(own) if words[at // 32] >> at % 32 & 1)
        left[node], right[node] = right[node], left[node]
        thresholds[node], missing_left[node] = 0.0, not missing_left[node]
    return tree_of(
        (left, right),
        columns,
        thresholds,
        lambda node: Fraction(values[node]),
        KIND,
        strict=False,
        missing_left=missing_left,
        among=among,
    )


_READERS: dict[str, Callable[[Any, str], tuple[list[Tree], Fraction]]] = dict(
    zip(NAMES, (_boosted, _histogram, _forest, _forest, _single, _single, _voted), strict=True)
)
