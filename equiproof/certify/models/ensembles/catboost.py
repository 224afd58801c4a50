"""CatBoost model files in JSON, as `save_model("model.json", format="json")` writes them, without the library.

A split is taken where the number, cast to single precision, is above its border. A symmetric tree asks the same splits
on every way, and the first one is the lowest bit of a leaf's number; trees of other grow policies are nested.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

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
from equiproof.certify.models.ensembles.ensemble import MAX_NODES, Ensemble, Split, Tree
from equiproof.certify.models.ensembles.grown import Fork, grown
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
    "OneHotFeature": "make one-hot columns of it, and train without cat_features: it splits by a category",
    "OnlineCtr": "make one-hot columns of categories, and train without cat_features: it splits by statistics "
    "of the target",
}
"""What to do about the kinds of splits that are not read."""

_OTHER_FEATURES = {"text_features": "texts", "embedding_features": "embeddings"}


Reader = Callable[[Any, dict[int, int], str, int], Tree]
"""What reads a tree: its part of the file, the inputs of numbers, its name, and the most splits that it may have."""


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
    numbers = _numbers(file.features_info)
    trees = _trees(file, numbers, _exact(scale, "the scale"))
    names = _names(file.features_info)
    return Ensemble(
        KIND,
        len(names),
        trees,
        base=_exact(bias, "the bias") - own,
        single=True,
        columns=names if all(names) else None,
        classes=classes,
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


def _numbers(features: FeaturesInfo) -> dict[int, int]:
    """Return the input of each number, by the index that splits name."""
    for kind, what in _OTHER_FEATURES.items():
        if getattr(features, kind):
            raise ModelImportError(f"train without {kind}: features of {what} are not read")
    for number in features.float_features:
        if number.has_nans:
            name = shown(number.feature_id) or str(number.flat_feature_index)
            raise ModelImportError(
                f"leave rows without {name!r} out, and train with nan_mode='Forbidden': the feature had missing values "
                f"in training ({shown(number.nan_value_treatment)}), and rows with one have no certificate"
            )
    places = {number.feature_index: number.flat_feature_index for number in features.float_features}
    if len(places) != len(features.float_features):
        raise ModelImportError("features_info: save the model again: two numbers have one feature_index")
    return places


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


def _trees(file: ModelFile, numbers: dict[int, int], scale: Fraction) -> tuple[Tree, ...]:
    """Return the trees, their leaves times the scale."""
    symmetric, nested = bytes(file.oblivious_trees), bytes(file.trees)
    if bool(symmetric) == bool(nested):
        raise ModelImportError("save the model again: it has not one of oblivious_trees and trees")
    if symmetric:
        return _each(read_part(symmetric, list[SymmetricPart]), _symmetric, numbers, scale)
    return _each(read_part(nested, list[NodePart]), _nested, numbers, scale)


def _each(trees: Sequence[Any], read: Reader, numbers: dict[int, int], scale: Fraction) -> tuple[Tree, ...]:
    """Read one tree after another, while the splits are as many as are read."""
    if len(trees) > MAX_NODES:
        raise ModelImportError(f"train fewer trees: {len(trees)}, at most {MAX_NODES} are read")
    left = MAX_NODES
    read_trees = []
    for number, tree in enumerate(trees, start=1):
        one = read(tree, numbers, f"tree {number}", left)
        left -= len(one.splits)
        read_trees.append(Tree(one.splits, tuple(scale * leaf for leaf in one.leaves)))
    return tuple(read_trees)


def _symmetric(tree: SymmetricPart, numbers: dict[int, int], where: str, most: int) -> Tree:
    """Read a symmetric tree: the last split is asked first, so that leaves stand in the order of the file."""
    asked = [_asked(split, numbers, where) for split in (tree.splits or [])[::-1]]
    inner = len(tree.leaf_values) - 1
    if len(tree.leaf_values) != 1 << min(len(asked), 64):
        raise ModelImportError(f"{where}: save the model again: {len(tree.leaf_values)} leaves for {len(asked)} splits")
    if inner > most:
        raise ModelImportError(
            f"{where}: train fewer or smaller trees: it has more than the {most} splits that are left to it"
        )
    splits = []
    for place in range(inner):
        column, border = asked[(place + 1).bit_length() - 1]
        below, above = (child if child < inner else ~(child - inner) for child in (2 * place + 1, 2 * place + 2))
        splits.append(Split(column, border, False, below, above))
    return Tree(tuple(splits), tuple(_exact(value, where) for value in tree.leaf_values))


def _nested(tree: NodePart, numbers: dict[int, int], where: str, most: int) -> Tree:
    """Read a tree of nodes in nodes; the right one is taken above the border."""

    def node_of(node: NodePart) -> Fork | Fraction:
        """Return a node's split or its value."""
        if node.split is None and node.value is not None and node.left is node.right is None:
            return _exact(node.value, where)
        if node.split is None or node.value is not None or node.left is None or node.right is None:
            raise ModelImportError(
                f"{where}: save the model again: a node is neither a split with two sides nor a leaf"
            )
        return Fork(*_asked(node.split, numbers, where), False, node.left, node.right)

    return Tree(*grown(tree, node_of, where, most))


def _asked(split: SplitPart, numbers: dict[int, int], where: str) -> tuple[int, Fraction]:
    """Return the input of a split, and its border as the single-precision float that the library compares with."""
    if split.split_type != "FloatFeature":
        why = _SPLITS.get(
            split.split_type, f"train on numbers alone: a split of the kind {shown(split.split_type)!r} is not read"
        )
        raise ModelImportError(f"{where}: {why}")
    if split.float_feature_index not in numbers or split.border is None:
        raise ModelImportError(
            f"{where}: save the model again: a split names the number {split.float_feature_index}, which is unknown"
        )
    try:
        return numbers[split.float_feature_index], cast(Fraction(split.border), "single")
    except (OverflowError, ValueError):
        raise ModelImportError(f"{where}: save the model again: a border is none that single precision holds") from None


def _exact(number: float, where: str) -> Fraction:
    """Return a finite number as a fraction."""
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        raise ModelImportError(
            f"{where}: train on finite numbers and save the model again: a number is not finite"
        ) from None
