"""LightGBM model files, the text that `save_model` writes; the library itself is not needed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Ensemble, Split, Tree
from equiproof.certify.models.importing.errors import ModelImportError, shown

KIND = "lightgbm"

_CATEGORICAL, _MISSING, _ZERO = 1, 12, 4
"""Bits of decision_type: a split by categories, what counts as missing, and the value for zeros."""

_UNNAMED = re.compile(r"Column_[0-9]+")


def is_lightgbm(data: bytes) -> bool:
    """Return whether a file begins as LightGBM's do."""
    return data.lstrip()[:4] == b"tree" and b"version=" in data[:64]


def read_lightgbm(data: bytes) -> Ensemble:
    """Read the bytes of a model file; raises ModelImportError naming the tree or the line that is not imported.

    Directions of missing values are dropped, as a row with a missing value has no certificate.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ModelImportError("not UTF-8 text") from None
    head, *blocks = text.split("\nend of trees", 1)[0].replace("\r\n", "\n").split("\nTree=")
    fields = _fields(head)
    factor = _factor(fields)
    names = tuple(fields.get("feature_names", "").split())
    trees = tuple(_tree(_fields(block), f"tree {number}") for number, block in enumerate(blocks, start=1))
    if not trees:
        raise ModelImportError("the file has no tree")
    if "average_output" in fields:
        factor /= len(trees)
    scaled = tuple(Tree(tree.splits, tuple(factor * leaf for leaf in tree.leaves)) for tree in trees)
    unnamed = all(map(_UNNAMED.fullmatch, names))
    return Ensemble(KIND, len(names), scaled, columns=None if unnamed else names)


def _factor(fields: Mapping[str, str]) -> Fraction:
    """Return what a sum of leaves is multiplied by to give a logit; refuse every objective but binary."""
    objective = fields.get("objective", "missing").split()
    if objective[0] != "binary" or fields.get("num_class") != "1":
        raise ModelImportError(
            f"objective {shown(' '.join(objective))!r} of {shown(fields.get('num_class', '?'))} classes is not read; "
            "train with objective=binary"
        )
    if fields.get("num_tree_per_iteration") != "1":
        raise ModelImportError("more than one tree an iteration; train with objective=binary")
    sigmoid = next((part.removeprefix("sigmoid:") for part in objective[1:] if part.startswith("sigmoid:")), "1")
    return _number(sigmoid, "objective")


def _tree(fields: Mapping[str, str], where: str) -> Tree:
    """Read one tree."""
    if fields.get("is_linear", "0") != "0":
        raise ModelImportError(f"{where}: its leaves are linear; train with linear_tree=false")
    leaves = tuple(_number(text, where) for text in fields.get("leaf_value", "").split())
    if fields.get("num_leaves") == "1":
        return Tree((), leaves[:1])
    lists = [fields.get(name, "").split() for name in ("split_feature", "threshold", "decision_type", "left_child")]
    lists.append(fields.get("right_child", "").split())
    if len({len(some) for some in lists}) != 1 or len(lists[0]) + 1 != len(leaves):
        raise ModelImportError(f"{where}: its lists of splits and leaves have different lengths")
    splits = []
    for place, (feature, threshold, kind, left, right) in enumerate(zip(*lists, strict=True), start=1):
        decision = _integer(kind, where)
        if decision & _CATEGORICAL:
            raise ModelImportError(
                f"{where}: split {place} is by categories; make one-hot columns of feature {int(feature) + 1} and "
                "train without categorical_feature"
            )
        if decision & _MISSING == _ZERO:
            raise ModelImportError(f"{where}: split {place} takes 0 for missing; train with zero_as_missing=false")
        children = _integer(left, where), _integer(right, where)
        splits.append(Split(_integer(feature, where), _number(threshold, where), False, *children))
    return Tree(tuple(splits), leaves)


def _fields(block: str) -> dict[str, str]:
    """Return the lines name=value of a part of the file; a line without a value is a name alone."""
    parts = (line.partition("=") for line in block.splitlines() if line)
    return {name: value for name, _, value in parts}


def _number(text: str, where: str) -> Fraction:
    """Read a finite number as the double that the library reads."""
    try:
        number = float(text)
    except ValueError:
        raise ModelImportError(f"{where}: {shown(text)!r} is not a number") from None
    if not math.isfinite(number):
        raise ModelImportError(f"{where}: {shown(text)} is not finite")
    return Fraction(number)


def _integer(text: str, where: str) -> int:
    """Read a whole number."""
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ModelImportError(f"{where}: {shown(text)!r} is not a whole number")
    return int(text)
