"""LightGBM model files, the text that `save_model` writes; the library itself is not needed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction

import msgspec

from equiproof.certify.models.ensembles.ensemble import Ensemble, Ties, Tree, of_number, tree_of
from equiproof.certify.models.ensembles.members import newer, refuse_unknown
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.arguments import argument

KIND = "lightgbm"

_CATEGORICAL = 1
_MISSING = 12
_ZERO = 4
"""Bits of decision_type: a split by categories, what counts as missing, and the value for zeros."""

NEWEST = (4,)
"""The version of the format, `version=v4`, that the newest release tested writes: 4.7.0."""

_RELEASE = "4.7.0"

_TIES = Ties(width=Fraction(1, 1 << 53))
"""The library takes the larger of p and 1 - p, in doubles, and of two equal ones the first."""

_OF_FILE = (
    "tree", "version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "objective",
    "average_output", "feature_names", "monotone_constraints", "feature_infos", "tree_sizes",
)  # fmt: skip

_OF_TREE = (
    "num_leaves", "num_cat", "split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child",
    "leaf_value", "leaf_weight", "leaf_count", "internal_value", "internal_weight", "internal_count", "cat_boundaries",
    "cat_threshold", "is_linear", "leaf_const", "num_features", "leaf_features", "leaf_coeff", "shrinkage",
)  # fmt: skip
"""The lines of the file's head and of a tree that are known."""

_BOOSTINGS = ("gbdt", "gbrt", "dart", "rf", "random_forest", "goss")

_DEFAULT_NAME = re.compile(r"Column_[0-9]+")


def is_lightgbm(data: bytes) -> bool:
    """Return whether a file begins as LightGBM's do."""
    return data.lstrip()[:4] == b"tree" and b"version=" in data[:64]


_OF_OWN = "missing"
"""Where the model was trained by a function of its owner's, the file names no objective."""


def read_lightgbm(data: bytes, *, is_logit: bool = False) -> Ensemble:
    """Read the bytes of a model file; raises ModelImportError naming the tree or the line that is not imported.

    Directions of missing values are dropped, as a row with a missing value has no certificate.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ModelImportError("save the model again with save_model: the file is not UTF-8 text") from None
    body, _, tail = text.replace("\r\n", "\n").partition("\nend of trees")
    head, *blocks = body.split("\nTree=")
    fields = _fields(head)
    factor = _factor(fields, is_logit=is_logit)
    notes = newer(_version(fields), NEWEST, "LightGBM's format")
    refuse_unknown(fields, _OF_FILE, "the head of the file", "LightGBM", _RELEASE)
    _refuse_tail(tail, fields)
    names = tuple(fields.get("feature_names", "").split())
    trees = tuple(_tree(_lines(block), f"tree {number}") for number, block in enumerate(blocks, start=1))
    if not trees:
        raise ModelImportError("train for one iteration or more, and save the model again: the file has no tree")
    if "average_output" in fields:
        factor /= len(trees)
    scaled = tuple(Tree(tree.splits, tuple(factor * leaf for leaf in tree.leaves)) for tree in trees)
    unnamed = all(map(_DEFAULT_NAME.fullmatch, names))
    ensemble = Ensemble(
        KIND,
        len(names),
        scaled,
        columns=None if unnamed else names,
        notes=notes,
        ties=_TIES,
        own_objective="objective" not in fields,
    )
    return of_number(ensemble) if fields.get("objective") == "regression" else ensemble


def _version(fields: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the format, which is written as v4."""
    return (_integer(fields.get("version", "").removeprefix("v"), "version"),)


def _refuse_tail(tail: str, fields: Mapping[str, str]) -> None:
    """Refuse another way of boosting than those known, and numbers that stand for categories of pandas.

    The file lists the categories of such columns without the columns' names. A split by categories is refused where it
    stands; a column that was trained as a number has no such split.
    """
    boosting = re.search(r"^\[boosting: (.*)\]$", tail, re.MULTILINE)
    if boosting is not None and boosting[1] not in _BOOSTINGS:
        raise ModelImportError(f"train with boosting {', '.join(_BOOSTINGS)}: {shown(boosting[1])!r} is not read")
    categories = re.search(r"^pandas_categorical:(.*)$", tail, re.MULTILINE)
    try:
        lists = msgspec.json.decode(categories[1], type=list[msgspec.Raw] | None) if categories else None
    except (msgspec.MsgspecError, RecursionError):
        raise ModelImportError("save the model again: pandas_categorical is not a list of lists") from None
    # The range of a number is written as [low:high], the codes of a category as 0:1:2.
    split_by_category = sum(
        not info.startswith("[") and ":" in info for info in fields.get("feature_infos", "").split()
    )
    if lists and len(lists) != split_by_category:
        raise ModelImportError(
            f"train on columns of numbers: {len(lists)} columns of the table were categories of pandas, whose codes "
            "the model takes for numbers, and the file does not say which"
        )


def _factor(fields: Mapping[str, str], *, is_logit: bool) -> Fraction:
    """Return what a sum of leaves is multiplied by to give the score; refuse objectives but binary and regression.

    An objective without a name was a function of the owner's: `is_logit` is the owner's word about its score.
    """
    objective = fields.get("objective", "").split() or [_OF_OWN]
    if objective == ["regression"]:
        objective = ["binary", "sigmoid:1"]
    if objective[0] not in ("binary", _OF_OWN) or fields.get("num_class") != "1":
        raise ModelImportError(
            f"train with objective=binary: objective {shown(' '.join(objective))!r} of "
            f"{shown(fields.get('num_class', '?'))} classes is not read"
        )
    if objective == [_OF_OWN] and not is_logit:
        raise ModelImportError(
            f"say {argument('score_is_logit', True)} if a score above 0 decides for the second class; otherwise train "
            "with objective=binary: the file names no objective, as after training by a function of your own"
        )
    if fields.get("num_tree_per_iteration") != "1":
        raise ModelImportError("train with objective=binary: the file has more than one tree an iteration")
    sigmoid = next((part.removeprefix("sigmoid:") for part in objective[1:] if part.startswith("sigmoid:")), "1")
    if odd := next((part for part in objective[1:] if not part.startswith("sigmoid:")), None):
        raise ModelImportError(f"train with objective=binary alone: {shown(odd)!r} beside it is not read")
    return _number(sigmoid, "objective")


def _tree(fields: Mapping[str, str], where: str) -> Tree:
    """Read one tree."""
    if fields.get("is_linear", "0") != "0":
        raise ModelImportError(f"{where}: train with linear_tree=false: its leaves are linear")
    leaves = tuple(_number(text, where) for text in fields.get("leaf_value", "").split())
    if fields.get("num_leaves") == "1" and leaves:
        return Tree((), leaves[:1])
    lists = [fields.get(name, "").split() for name in ("split_feature", "threshold", "decision_type", "left_child")]
    lists.append(fields.get("right_child", "").split())
    if len({len(some) for some in lists}) != 1 or len(lists[0]) + 1 != len(leaves):
        raise ModelImportError(f"{where}: save the model again: its lists of splits and leaves have different lengths")
    for place, (feature, kind) in enumerate(zip(lists[0], lists[2], strict=True), start=1):
        _refuse_decision(_integer(kind, where), f"{where}: split {place}", _integer(feature, where) + 1)
    count = len(lists[0])
    left, right = ([_child(text, count, where) for text in some] + [-1] * len(leaves) for some in lists[3:])
    columns = [_integer(text, where) for text in lists[0]]
    thresholds = [math.inf if text == "inf" else float(_number(text, where)) for text in lists[1]]
    return tree_of((left, right), columns, thresholds, lambda node: leaves[node - count], where, strict=False)


def _refuse_decision(decision: int, where: str, feature: int) -> None:
    """Refuse a split by categories, and one that takes 0 for missing."""
    if decision & _CATEGORICAL:
        raise ModelImportError(
            f"{where}: make one-hot columns of feature {feature} and train without categorical_feature: it is by "
            "categories"
        )
    if decision & _MISSING == _ZERO:
        raise ModelImportError(f"{where}: train with zero_as_missing=false: it takes 0 for missing")


def _child(text: str, splits: int, where: str) -> int:
    """Read the child of a split: a split, or as ~i leaf i, which is node splits + i."""
    child = _integer(text, where)
    if child >= splits:
        raise ModelImportError(f"{where}: save the model again: its nodes do not form one tree")
    return child if child >= 0 else splits + ~child


def _lines(block: str) -> dict[str, str]:
    """Return the fields of a tree, whose first line is its number; refuse those that are not known."""
    number, _, rest = block.partition("\n")
    fields = _fields(rest)
    refuse_unknown(fields, _OF_TREE, f"tree {shown(number)}", "LightGBM", _RELEASE)
    return fields


def _fields(block: str) -> dict[str, str]:
    """Return the lines name=value of a part of the file; a line without a value is a name alone."""
    parts = (line.partition("=") for line in block.splitlines() if line)
    return {name: value for name, _, value in parts}


def _number(text: str, where: str) -> Fraction:
    """Read a finite number as the double that the library reads."""
    try:
        number = float(text)
    except ValueError:
        raise ModelImportError(f"{where}: save the model again: {shown(text)!r} is not a number") from None
    if not math.isfinite(number):
        raise ModelImportError(
            f"{where}: train on finite numbers and save the model again: {shown(text)} is not finite"
        )
    return Fraction(number)


def _integer(text: str, where: str) -> int:
    """Read a whole number."""
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ModelImportError(f"{where}: save the model again: {shown(text)!r} is not a whole number")
    return int(text)
