"""XGBoost model files in JSON, as `save_model("model.json")` writes them; the library itself is not needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import msgspec

from equiproof.certify.models.ensembles.ensemble import Category, Ensemble, Ties, Tree, of_number, tree_of
from equiproof.certify.models.ensembles.members import decoded, newer, refuse_unknown
from equiproof.certify.models.ensembles.rays import cast
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.arguments import argument

KIND = "xgboost"

TreeChoice = Literal["best", "all"]
"""Which trees of a model are taken that was stopped early: those up to the best iteration, or all."""

OBJECTIVES = ("binary:logistic", "binary:logitraw", "reg:logistic", "reg:squarederror")
"""The objectives that are read: the last one's score is the number itself, the others' is a logit."""

_NUMBER = "reg:squarederror"
"""The objective of a number; a file has it too where the model was trained by a function of its owner's."""


_OF_OWN = "; for a function of your own of which a score above 0 decides, say {}"

NEWEST = (3, 4, 1)
"""The newest release whose files the tests read."""

_RELEASE = ".".join(map(str, NEWEST))

_TIES = Ties(width=Fraction(1, 1 << 24))
"""The library decides for the second class where the logistic function, in single precision, is above one half."""

_SPARSE = (
    "compare your own decisions: the model had missing values in training. If they were the zeros of a sparse table, "
    "XGBoost takes such a 0 for missing and the committed model does not; train on a dense table then"
)

_KNOWN_PARAMETERS = ("num_deleted", "num_feature", "num_nodes", "size_leaf_vector")


class _Tree(msgspec.Struct, forbid_unknown_fields=True):
    """A tree. What is left unread here describes training.

    `categories_nodes` are the nodes that split by categories. The codes that go right there are as many of `categories`
    as `categories_sizes` says, from `categories_segments` on.
    """

    left_children: list[int]
    right_children: list[int]
    split_indices: list[int]
    split_conditions: list[float]
    split_type: list[int] = []
    categories_nodes: list[int] = []
    tree_param: dict[str, str] = {}
    id: int = 0
    parents: msgspec.Raw = msgspec.Raw()
    default_left: list[int | bool] = []
    base_weights: msgspec.Raw = msgspec.Raw()
    loss_changes: msgspec.Raw = msgspec.Raw()
    sum_hessian: msgspec.Raw = msgspec.Raw()
    categories: list[int] = []
    categories_segments: list[int] = []
    categories_sizes: list[int] = []


class _TreesParameters(msgspec.Struct, forbid_unknown_fields=True):
    num_trees: str = ""
    num_parallel_tree: str = "1"
    size_leaf_vector: str = "0"


class _Names(msgspec.Struct, forbid_unknown_fields=True):
    """The values of a category in the order of their codes: bytes of texts that end at `offsets`, or numbers."""

    values: list[int] = []
    offsets: list[int] = []
    type: int = 0

    def texts(self) -> list[str]:
        """Return the values as texts; raises ModelImportError where they are none."""
        if not self.offsets:
            return list(map(str, self.values))
        data = bytes(value & 255 for value in self.values)
        try:
            return [data[start:end].decode() for start, end in pairwise(self.offsets)]
        except UnicodeDecodeError:
            raise ModelImportError("save the model again: a name of a category is not UTF-8") from None


class _Cats(msgspec.Struct, forbid_unknown_fields=True):
    """The names of categories by input, since release 3.1; empty where the model was given codes."""

    enc: list[_Names] = []
    feature_segments: msgspec.Raw = msgspec.Raw()
    sorted_idx: msgspec.Raw = msgspec.Raw()


class _Trees(msgspec.Struct, forbid_unknown_fields=True):
    """Trees. Since release 3.4 the weights of dropped ones stand here, before that in the booster.

    `tree_info` has the class of each tree, `cats` the names of categories.
    """

    trees: list[_Tree] = []
    iteration_indptr: list[int] = []
    tree_info: list[int] = []
    weight_drop: list[float] = []
    gbtree_model_param: _TreesParameters | None = None
    cats: _Cats = msgspec.field(default_factory=_Cats)


class _Inner(msgspec.Struct, forbid_unknown_fields=True):
    model: _Trees
    name: str = "gbtree"


class _Booster(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    model: _Trees | None = None
    gbtree: _Inner | None = None
    weight_drop: list[float] = []


_RAW_NOTE = (
    "binary:logitraw: a score above 0 decides, or above a threshold that is given; XGBClassifier.predict decides above "
    "0.5: if that is what runs, give the threshold score=0.5"
)


class _Parameters(msgspec.Struct, forbid_unknown_fields=True):
    base_score: str
    num_feature: str
    num_class: str = "0"
    num_target: str = "1"
    boost_from_average: str = "1"


class _Objective(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    reg_loss_param: dict[str, str] = {}


class _Learner(msgspec.Struct, forbid_unknown_fields=True):
    gradient_booster: _Booster
    learner_model_param: _Parameters
    objective: _Objective
    feature_names: list[str] = []
    feature_types: list[str] = []
    attributes: dict[str, str] = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    learner: _Learner
    version: list[int] = []


class _Named(msgspec.Struct):
    name: str


class _Outputs(msgspec.Struct):
    num_class: str = "0"
    num_target: str = "1"


class _FirstLearner(msgspec.Struct):
    gradient_booster: _Named
    learner_model_param: _Outputs
    objective: _Named


class _First(msgspec.Struct):
    """What is read first: other boosters and objectives have other members, and are refused as such."""

    learner: _FirstLearner


def read_xgboost(data: bytes, choice: TreeChoice | None = None, *, is_logit: bool = False) -> Ensemble:
    """Read the bytes of a JSON model file; raises ModelImportError naming the tree or field that is not imported.

    `choice` is demanded where the model was stopped early and holds more trees than its best iteration. Members that
    are not known are refused. `is_logit`: the owner says that the score is a logit where the file has the objective of
    a number.
    """
    first = decoded(data, _First, "XGBoost", _RELEASE).learner
    objective = first.objective.name
    if objective not in OBJECTIVES:
        raise ModelImportError(f"train with {' or '.join(OBJECTIVES[:2])}: objective {shown(objective)!r} is not read")
    if first.gradient_booster.name not in ("gbtree", "dart"):
        raise ModelImportError(
            f"booster {shown(first.gradient_booster.name)!r} has no trees; only gbtree and dart are read (a linear "
            "model is imported as LogisticRegression)"
        )
    if first.learner_model_param.num_class not in ("0", "1") or first.learner_model_param.num_target != "1":
        raise ModelImportError("train one decision of two classes: several classes or targets at once")
    file = decoded(data, _File, "XGBoost", _RELEASE)
    learner = file.learner
    parameters = learner.learner_model_param
    booster = learner.gradient_booster
    model = booster.model if booster.gbtree is None else booster.gbtree.model
    if model is None:
        raise ModelImportError("not a JSON model file of XGBoost: its booster has no trees")
    weights = _weights(booster, model)
    count = _count(learner, model, choice)
    trees = [
        _tree(tree, weight, f"tree {number}")
        for number, (tree, weight) in enumerate(zip(model.trees[:count], weights, strict=False), start=1)
    ]
    inputs = _whole(parameters.num_feature, "num_feature")
    if learner.feature_types and len(learner.feature_types) != inputs:
        raise ModelImportError("feature_types: save the model again: it does not have one for each input")
    names = tuple(learner.feature_names) or None
    base = _base(parameters.base_score, objective)
    notes = (*newer(file.version, NEWEST, "XGBoost"), *_of_missing(model.trees[:count]))
    notes += (_RAW_NOTE,) if objective == "binary:logitraw" else ()
    is_own = objective == _NUMBER and is_logit
    ensemble = Ensemble(
        KIND,
        inputs,
        tuple(trees),
        base=base,
        single=True,
        columns=names,
        categories=_categories(learner.feature_types, model.cats, trees),
        notes=notes,
        ties=_TIES,
        own_objective=is_own,
    )
    if objective != _NUMBER or is_own:
        return ensemble
    return of_number(ensemble, _OF_OWN.format(argument("score_is_logit", True)))


def _categories(types: Sequence[str], names: _Cats, trees: Sequence[Tree]) -> dict[int, Category]:
    """Return the categories of a model, by input; without names the values are their codes."""
    splits = {split.column: split.among for tree in trees for split in tree.splits}
    inputs = {place for place, kind in enumerate(types) if kind == "c"}
    inputs |= {column for column, among in splits.items() if among is not None}
    categories = {}
    for place in sorted(inputs):
        texts = names.enc[place].texts() if place < len(names.enc) else []
        if len(set(texts)) != len(texts):
            raise ModelImportError(f"input {place + 1}: save the model again: two of its categories have one name")
        categories[place] = Category({text: code for code, text in enumerate(texts)}, numbers=not texts)
    return categories


def _of_missing(trees: Sequence[_Tree]) -> tuple[str, ...]:
    """Return a note where splits send missing values to either side.

    Without missing values in its training, the library sends them to one side everywhere. A sparse table counts: the
    library takes a number for missing that stands in none of its cells, and a file does not say so.
    """
    sides = {
        bool(side)
        for tree in trees
        for side, child in zip(tree.default_left, tree.left_children, strict=False)
        if child != -1
    }
    return (_SPARSE,) if len(sides) == 2 else ()


def _weights(booster: _Booster, model: _Trees) -> list[Fraction]:
    """Return what each tree is multiplied by: where no weights are written, nothing was dropped."""
    if booster.name == "dart" and booster.gbtree is None:
        raise ModelImportError("save the model again: booster 'dart' has no member gbtree with its trees")
    if booster.weight_drop and model.weight_drop:
        raise ModelImportError("save the model again with one release: weight_drop stands in two places")
    weights = [_single(one, "weight_drop") for one in booster.weight_drop or model.weight_drop]
    if not weights and booster.name == "dart" and model.trees:
        raise ModelImportError("weight_drop is missing, the weights of trees with dropout: save the model again")
    if weights and len(weights) != len(model.trees):
        raise ModelImportError("weight_drop does not have one number per tree")
    return weights or [Fraction(1)] * len(model.trees)


def _count(learner: _Learner, model: _Trees, choice: TreeChoice | None) -> int:
    """Return how many trees are taken."""
    text = learner.attributes.get("best_iteration")
    ends = model.iteration_indptr
    if text is None:
        return len(model.trees)
    best = _whole(text, "best_iteration") + 1
    if ends and best >= len(ends):
        raise ModelImportError("best_iteration is past the last tree")
    count = ends[best] if ends else best
    if not 0 < count <= len(model.trees):
        raise ModelImportError("best_iteration is past the last tree")
    if choice is None and count != len(model.trees):
        raise ModelImportError(
            f"say which trees decide with {argument('trees', 'best')} or {argument('trees', 'all')}: the model was "
            f"stopped early, its best iteration has {count} trees, the file {len(model.trees)}"
        )
    return len(model.trees) if choice == "all" else count


def _tree(tree: _Tree, weight: Fraction, where: str) -> Tree:
    """Read one tree: its nodes, renumbered so that splits and leaves are apart."""
    refuse_unknown(tree.tree_param, _KNOWN_PARAMETERS, f"tree_param of {where}", "XGBoost", _RELEASE)
    if tree.tree_param.get("size_leaf_vector", "1") not in ("0", "1"):
        raise ModelImportError(f"{where}: train with multi_strategy=one_output_per_tree: it has vectors for leaves")
    lists = (tree.left_children, tree.right_children, tree.split_indices, tree.split_conditions)
    count = len(tree.left_children)
    if not count or len({len(some) for some in lists}) != 1:
        raise ModelImportError(f"{where}: its lists have different lengths")
    conditions = [_single(one, where) for one in tree.split_conditions]
    return tree_of(
        (tree.left_children, tree.right_children),
        tree.split_indices,
        list(map(float, conditions)),
        lambda node: weight * conditions[node],
        where,
        strict=True,
        missing_left=[bool(side) for side in tree.default_left] if len(tree.default_left) == count else None,
        among=_sets(tree, where),
    )


def _sets(tree: _Tree, where: str) -> dict[int, frozenset[int]]:
    """Return the codes that go right, by the nodes that split a category."""
    own = {
        node
        for node, (kind, left) in enumerate(zip(tree.split_type, tree.left_children, strict=False))
        if kind and left != -1
    }
    lists = (tree.categories_nodes, tree.categories_segments, tree.categories_sizes)
    ends = [start + size for start, size in zip(*lists[1:], strict=False)]
    if (
        len({len(some) for some in lists}) != 1
        or len(tree.split_type) not in (0, len(tree.left_children))
        or own != set(tree.categories_nodes)
        or any(not 0 <= start <= end <= len(tree.categories) for start, end in zip(lists[1], ends, strict=True))
    ):
        raise ModelImportError(f"{where}: save the model again: its splits by categories do not fit together")
    return {
        node: frozenset(tree.categories[start:end])
        for node, start, end in zip(tree.categories_nodes, tree.categories_segments, ends, strict=True)
    }


def _base(text: str, objective: str) -> Fraction:
    """Return the logit of base_score, a probability; since version 3 it is a list of one number."""
    try:
        base = float(text.strip().removeprefix("[").removesuffix("]"))
    except ValueError:
        raise ModelImportError(f"base_score {shown(text)!r} is not one number") from None
    as_it_is = objective in ("binary:logitraw", "reg:squarederror")
    if as_it_is and math.isfinite(base):
        return Fraction(base)
    if as_it_is or not 0 < base < 1:
        raise ModelImportError(f"base_score {shown(text)!r} is not between 0 and 1")
    return Fraction(math.log(base / (1 - base)))


def _single(number: float, where: str) -> Fraction:
    """Return a number of the file as the single-precision float that the library reads."""
    try:
        return cast(Fraction(number), "single")
    except (OverflowError, ValueError):
        raise ModelImportError(f"{where}: a number that single precision does not hold") from None


def _whole(text: str, what: str) -> int:
    """Read a whole number."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ModelImportError(f"{what}: {shown(text)!r} is not a whole number")
    return int(text)
