"""CatBoost model files in JSON, as `save_model("model.json", format="json")` writes them, without the library.

A split is taken where the number, cast to single precision, is above its border, or where a category has one value, of
which the file has the hash. A symmetric tree asks the same splits on every way, and the first one is the lowest bit of
a leaf's number; trees of other grow policies are nested.

A missing number is below all borders (nan_mode='Min', and where there was none in training) or above them
('Max'). The library takes no missing category.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from equiproof.certify.limits import MAX_JSON_MARKS
from equiproof.certify.models.cuts import logit
from equiproof.certify.models.ensembles.catboost_file import (
    LIBRARY,
    NEWEST,
    FeaturesInfo,
    ModelFile,
    ModelInfo,
    NodePart,
    SplitPart,
    SymmetricPart,
    read_part,
)
from equiproof.certify.models.ensembles.ensemble import BEYOND, MAX_NODES, Ensemble, Split, Tree
from equiproof.certify.models.ensembles.grown import Fork, grown
from equiproof.certify.models.ensembles.hashed import Hashed
from equiproof.certify.models.ensembles.members import newer
from equiproof.certify.models.ensembles.rays import cast
from equiproof.certify.models.importing.errors import ModelImportError, shown

KIND = "catboost"

MARK = "scale_and_bias"
"""A member of every such file, and of no file of another library."""

LOGITS = ("Logloss", "CrossEntropy", "Focal")
"""The loss functions whose score is a logit."""

NUMBERS = ("RMSE", "MAE", "Quantile", "Huber")
"""The loss functions whose score is a number, with a threshold of the lender's own."""

_RELEASE = re.compile(r"tags/v([0-9]{1,3}(?:\.[0-9]{1,3}){1,3})")

_SPLITS = {
    "OnlineCtr": "train with one_hot_max_size of as many values as a category has: it splits by statistics of the "
    "target",
}
"""What to do about the kinds of splits that are not read."""

_OTHER_FEATURES = {"text_features": "texts", "embedding_features": "embeddings"}


class _Inputs(NamedTuple):
    """The input of each number and of each category, by the index that splits name.

    `above`: the inputs of which a missing number is above all borders.
    """

    numbers: dict[int, int]
    categories: dict[int, int]
    above: frozenset[int]


Reader = Callable[[Any, _Inputs, str, int], Tree]
"""What reads a tree: its part of the file, the inputs, its name, and the most splits that it may have."""

_TREATMENTS = ("AsIs", "AsFalse", "AsTrue")
"""What a file may say of missing numbers: there was none in training, it is below all borders, or above them."""

_LARGEST = Fraction((1 << 24) - 1) * (1 << 104)
"""The largest float of single precision; a border there parts missing numbers from all others."""


def read_catboost(data: bytes) -> Ensemble:
    """Read the bytes of a JSON model file; raises ModelImportError naming the tree or member that is not imported.

    The score is the sum of the leaves times the scale, and the bias; a probability that the model was given as its own
    threshold (set_probability_threshold) becomes score 0.
    """
    marks = data.count(b",") + data.count(b"{") + data.count(b"[")
    if marks > MAX_JSON_MARKS:
        raise ModelImportError(
            f"train fewer or smaller trees: {marks} values and lists, at most {MAX_JSON_MARKS} are read"
        )
    file = read_part(data, ModelFile)
    classes = _classes(file)
    scale, biases = file.scale_and_bias
    bias = biases if isinstance(biases, float) else biases[0]
    own, notes = _threshold(file.model_info)
    inputs = _inputs(file.features_info)
    trees = _trees(file, inputs, _exact(scale, "the scale"))
    names = _names(file.features_info)
    return Ensemble(
        KIND,
        len(names),
        trees,
        base=_exact(bias, "the bias") - own,
        single=True,
        columns=names if all(names) else None,
        classes=classes,
        categories=_categories(file.features_info, inputs, trees),
        notes=(*notes, *_age(file.model_info.catboost_version_info)),
        scale="cut" if own else "score" if _loss(file.model_info) in NUMBERS else "logit",
    )


def _classes(file: ModelFile) -> tuple[str | int, ...] | None:
    """Return the names of the classes, None where the file has none; raises ModelImportError unless there are two."""
    info = file.model_info
    loss = _loss(info)
    if loss is not None and loss not in (*LOGITS, *NUMBERS):
        raise ModelImportError(f"train with loss_function {' or '.join(LOGITS[:2])}: {shown(loss)!r} is not read")
    names = info.class_params.class_names if info.class_params else []
    _, biases = file.scale_and_bias
    if len(names) not in (0, 2) or (isinstance(biases, list) and len(biases) != 1):
        count = max(len(names), len(biases) if isinstance(biases, list) else 1)
        raise ModelImportError(
            f"train one decision of two classes (loss_function Logloss): it has {count} classes or targets"
        )
    if not names:
        return None
    # CatBoost writes classes of floats, such as 1.0, as it does integers; those of booleans stand in their order.
    return tuple(int(name) if isinstance(name, float | bool) and name == int(name) else _name(name) for name in names)


def _loss(info: ModelInfo) -> str | None:
    """Return the name of the loss function, None where the file does not say it."""
    return info.params.loss_function.type if info.params and info.params.loss_function else None


def _name(name: float | str) -> str | int:
    """Return the name of a class."""
    return name if isinstance(name, str | int) else repr(name)


def _threshold(info: ModelInfo) -> tuple[Fraction, tuple[str, ...]]:
    """Return the score from which on the file itself decides for the second class, and a note unless it is 0."""
    text = info.binclass_probability_threshold
    if text is None:
        return Fraction(0), ()
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        raise ModelImportError(f"set binclass_probability_threshold between 0 and 1: it is {shown(str(text))!r}")
    note = f"the model decides from probability {share:g} on (set_probability_threshold), which is score 0 here"
    return logit(Fraction(share)), (note,)


def _age(version: str) -> tuple[str, ...]:
    """Return a note about a release that is newer than any that was tested."""
    match = _RELEASE.search(version)
    return () if match is None else newer(tuple(map(int, match[1].split("."))), NEWEST, LIBRARY)


def _inputs(features: FeaturesInfo) -> _Inputs:
    """Return the inputs; raises ModelImportError for features of other kinds, and what a missing number is."""
    for kind, what in _OTHER_FEATURES.items():
        if getattr(features, kind):
            raise ModelImportError(f"train without {kind}: features of {what} are not read")
    for number in features.float_features:
        if number.nan_value_treatment not in _TREATMENTS:
            raise ModelImportError(
                f"train with nan_mode='Min' or 'Max': nan_value_treatment {shown(number.nan_value_treatment)!r} is not "
                "read"
            )
    numbers = {one.feature_index: one.flat_feature_index for one in features.float_features}
    categories = {one.feature_index: one.flat_feature_index for one in features.categorical_features}
    for places, own, what in (
        (numbers, features.float_features, "numbers"), (categories, features.categorical_features, "categories"),
    ):  # fmt: skip
        if len(places) != len(own):
            raise ModelImportError(f"features_info: save the model again: two {what} have one feature_index")
    above = (one.flat_feature_index for one in features.float_features if one.nan_value_treatment == "AsTrue")
    return _Inputs(numbers, categories, frozenset(above))


def _categories(features: FeaturesInfo, inputs: _Inputs, trees: Sequence[Tree]) -> dict[int, Hashed]:
    """Return the categories by input, each with the hashes that trees ask for."""
    asked: dict[int, set[int]] = {place: set() for place in inputs.categories.values()}
    for tree in trees:
        for split in tree.splits:
            if split.among is not None:
                asked[split.column] |= split.among
    codes = {one.value: one.hash for one in features.cat_features_hash}
    names = {
        one.flat_feature_index: one.feature_id or str(one.flat_feature_index) for one in features.categorical_features
    }
    return {place: Hashed(codes, name=names[place], asked=frozenset(hashes)) for place, hashes in asked.items()}


def _names(features: FeaturesInfo) -> tuple[str, ...]:
    """Return the names of the inputs in order, "" for those that have none but their number."""
    named = {one.flat_feature_index: one.feature_id for one in features.float_features}
    named |= {one.flat_feature_index: one.feature_id for one in features.categorical_features}
    count = len(features.float_features) + len(features.categorical_features)
    if sorted(named) != list(range(count)) or not count:
        raise ModelImportError(
            "features_info: save the model again: the flat_feature_index of features is not 0, 1, 2, ..."
        )
    return tuple("" if named[place] == str(place) else named[place] for place in range(count))


def _trees(file: ModelFile, inputs: _Inputs, scale: Fraction) -> tuple[Tree, ...]:
    """Return the trees, their leaves times the scale."""
    symmetric, nested = bytes(file.oblivious_trees), bytes(file.trees)
    if bool(symmetric) == bool(nested):
        raise ModelImportError("save the model again: it has not one of oblivious_trees and trees")
    if symmetric:
        return _each(read_part(symmetric, list[SymmetricPart]), _symmetric, inputs, scale)
    return _each(read_part(nested, list[NodePart]), _nested, inputs, scale)


def _each(trees: Sequence[Any], read: Reader, inputs: _Inputs, scale: Fraction) -> tuple[Tree, ...]:
    """Read one tree after another, while the splits are as many as are read."""
    if len(trees) > MAX_NODES:
        raise ModelImportError(f"train fewer trees: {len(trees)}, at most {MAX_NODES} are read")
    left = MAX_NODES
    read_trees = []
    for number, tree in enumerate(trees, start=1):
        one = read(tree, inputs, f"tree {number}", left)
        left -= len(one.splits)
        read_trees.append(Tree(one.splits, tuple(scale * leaf for leaf in one.leaves)))
    return tuple(read_trees)


def _symmetric(tree: SymmetricPart, inputs: _Inputs, where: str, most: int) -> Tree:
    """Read a symmetric tree: the last split is asked first, so that leaves stand in the order of the file."""
    asked = [_asked(split, inputs, where) for split in (tree.splits or [])[::-1]]
    inner = len(tree.leaf_values) - 1
    if len(tree.leaf_values) != 1 << min(len(asked), 64):
        raise ModelImportError(f"{where}: save the model again: {len(tree.leaf_values)} leaves for {len(asked)} splits")
    if inner > most:
        raise ModelImportError(
            f"{where}: train fewer or smaller trees: it has more than the {most} splits that are left to it"
        )
    splits = []
    for place in range(inner):
        children = (child if child < inner else ~(child - inner) for child in (2 * place + 1, 2 * place + 2))
        splits.append(Split(*_forked(asked[(place + 1).bit_length() - 1], *children)))
    return Tree(tuple(splits), tuple(_exact(value, where) for value in tree.leaf_values))


def _nested(tree: NodePart, inputs: _Inputs, where: str, most: int) -> Tree:
    """Read a tree of nodes in nodes; the right one is taken above the border."""

    def node_of(node: NodePart) -> Fork | Fraction:
        """Return a node's split or its value."""
        if node.split is None and node.value is not None and node.left is node.right is None:
            return _exact(node.value, where)
        if node.split is None or node.value is not None or node.left is None or node.right is None:
            raise ModelImportError(
                f"{where}: save the model again: a node is neither a split with two sides nor a leaf"
            )
        return _forked(_asked(node.split, inputs, where), node.left, node.right)

    return Tree(*grown(tree, node_of, where, most))


class _Question(NamedTuple):
    """What a split asks: is the number above the border, or has the category the hash `value`.

    `missing`: whether a missing number is above; None for a category, which is never missing.
    """

    column: int
    border: Fraction
    missing: bool | None
    value: int | None


def _asked(split: SplitPart, inputs: _Inputs, where: str) -> _Question:
    """Return what a split asks; its border is the single-precision float that the library compares with."""
    if split.split_type == "OneHotFeature":
        if split.cat_feature_index not in inputs.categories or split.value is None:
            raise ModelImportError(
                f"{where}: save the model again: a split names the category {split.cat_feature_index}, which is unknown"
            )
        # The file has hashes as signed integers in splits, and as unsigned ones beside their texts.
        return _Question(inputs.categories[split.cat_feature_index], Fraction(0), None, split.value & 0xFFFFFFFF)
    if split.split_type != "FloatFeature":
        why = _SPLITS.get(
            split.split_type, f"train on numbers alone: a split of the kind {shown(split.split_type)!r} is not read"
        )
        raise ModelImportError(f"{where}: {why}")
    if split.float_feature_index not in inputs.numbers or split.border is None:
        raise ModelImportError(
            f"{where}: save the model again: a split names the number {split.float_feature_index}, which is unknown"
        )
    place = inputs.numbers[split.float_feature_index]
    try:
        return _Question(place, cast(Fraction(split.border), "single"), place in inputs.above, None)
    except (OverflowError, ValueError):
        raise ModelImportError(f"{where}: save the model again: a border is none that single precision holds") from None


def _forked(question: _Question, below: Any, above: Any) -> Fork:
    """Return a question with what stands on both of its sides."""
    column, border, missing, value = question
    if value is not None:
        return Fork(column, border, False, below, above, None, frozenset((value,)))
    if border >= _LARGEST:
        return Fork(column, BEYOND, False, below, above, missing)
    if border <= -_LARGEST:
        return Fork(column, BEYOND, False, above, below, not missing)
    return Fork(column, border, False, below, above, missing)


def _exact(number: float, where: str) -> Fraction:
    """Return a finite number as a fraction."""
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        raise ModelImportError(
            f"{where}: train on finite numbers and save the model again: a number is not finite"
        ) from None
