"""LightGBM model files, the text that `save_model` writes; the library itself is not needed."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from equiproof.certify.models.ensembles.ensemble import Category, Ensemble, Ties, Tree, of_number, tree_of
from equiproof.certify.models.ensembles.members import newer, refuse_unknown
from equiproof.certify.models.ensembles.named import codes_by_text
from equiproof.certify.models.ensembles.zeros import Nodes, asking_zero
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.arguments import argument

KIND = "lightgbm"

_CATEGORICAL = 1
_LEFT = 2
_MISSING = 12
"""Bits of decision_type: a split by categories, the side of missing values, and what counts as missing."""

_NO, _ZERO, _NAN = 0, 4, 8
"""What counts as missing: nothing, so that a missing value is a zero; zero and a missing value; a missing value."""

_ALIKE = (4,)
"""From this version of the format on, the library decides missing values of categories alike on all machines.

Before, where none were seen in training, they were what the machine makes an integer of them.
"""

_WORDS = 1 << 20
"""The most 32-bit words of a tree's sets of categories."""

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


_ORDERED = (
    "compare your own decisions: the file lists values of pandas' categories without their columns, and they are taken "
    "for those of the columns that the model splits by categories, as with categorical_feature='auto'"
)

_OF_OWN = "missing"
"""Where the model was trained by a function of its owner's, the file names no objective."""


def read_lightgbm(data: bytes, *, is_logit: bool = False) -> Ensemble:
    """Read the bytes of a model file; raises ModelImportError naming the tree or the line that is not imported.

    `is_logit`: the owner says that the score is a logit where the file names no objective.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ModelImportError("save the model again with save_model: the file is not UTF-8 text") from None
    body, _, tail = text.replace("\r\n", "\n").partition("\nend of trees")
    head, *blocks = body.split("\nTree=")
    fields = _fields(head)
    factor = _factor(fields, is_logit=is_logit)
    version = _version(fields)
    notes = newer(version, NEWEST, "LightGBM's format")
    refuse_unknown(fields, _OF_FILE, "the head of the file", "LightGBM", _RELEASE)
    _refuse_boosting(tail)
    names = tuple(fields.get("feature_names", "").split())
    alike = version >= _ALIKE
    trees = tuple(_tree(_lines(block), f"tree {number}", alike=alike) for number, block in enumerate(blocks, start=1))
    if not trees:
        raise ModelImportError("train for one iteration or more, and save the model again: the file has no tree")
    by_category = {split.column for tree in trees for split in tree.splits if split.among is not None}
    read = _categories(fields.get("feature_infos", "").split(), tail, by_category, len(names))
    if "average_output" in fields:
        factor /= len(trees)
    scaled = tuple(Tree(tree.splits, tuple(factor * leaf for leaf in tree.leaves)) for tree in trees)
    unnamed = all(map(_DEFAULT_NAME.fullmatch, names))
    ensemble = Ensemble(
        KIND,
        len(names),
        scaled,
        columns=None if unnamed else names,
        categories=read.categories,
        notes=(*notes, *read.notes),
        ties=_TIES,
        own_objective="objective" not in fields,
    )
    return of_number(ensemble) if fields.get("objective") == "regression" else ensemble


def _version(fields: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the format, which is written as v4."""
    return (_integer(fields.get("version", "").removeprefix("v"), "version"),)


def _refuse_boosting(tail: str) -> None:
    """Refuse another way of boosting than those known."""
    boosting = re.search(r"^\[boosting: (.*)\]$", tail, re.MULTILINE)
    if boosting is not None and boosting[1] not in _BOOSTINGS:
        raise ModelImportError(f"train with boosting {', '.join(_BOOSTINGS)}: {shown(boosting[1])!r} is not read")


class _Categories(NamedTuple):
    """The categories of a model by input, and what is said of them."""

    categories: dict[int, Category]
    notes: tuple[str, ...]


def _categories(infos: Sequence[str], tail: str, by_category: set[int], inputs: int) -> _Categories:
    """Return the categories that a model splits by, with the values of those that were categories of pandas.

    The file lists the values of such columns without the columns' names. They are those of the columns that were
    trained as categories, in order; what else may be is refused where the numbers differ, and noted where the file
    cannot tell.
    """
    # The range of a number is written as [low:high], the codes of a category as 0:1:2.
    own = {place for place, info in enumerate(infos) if not info.startswith("[") and ":" in info} | by_category
    named = re.search(r"^\[categorical_feature: ([0-9]{1,9}(?:,[0-9]{1,9})*)\]$", tail, re.MULTILINE)
    own |= {int(place) for place in (named[1].split(",") if named else ()) if place and int(place) < inputs}
    lists = _lists(tail)
    if not lists:
        return _Categories({place: Category({}, numbers=True) for place in sorted(own)}, ())
    if len(lists) != len(own):
        raise ModelImportError(
            "train with categorical_feature='auto', and on numbers in place of ordered categories of pandas: "
            f"{len(lists)} columns of the table were categories, the model splits {len(own)} as such, and the file "
            "does not say which they are"
        )
    categories = {}
    for place, values in zip(sorted(own), lists, strict=True):
        if max(_codes(infos, place), default=-1) >= len(values):
            raise ModelImportError(
                f"input {place + 1}: train with categorical_feature='auto' on categories of pandas alone: it has more "
                "codes than the file lists values"
            )
        categories[place] = Category(codes_by_text(values, f"input {place + 1}"))
    numbers = [values for values in lists if all(isinstance(value, int | float) for value in values)]
    is_doubtful = any(_may_be_codes(info, len(values)) for info in infos for values in numbers)
    return _Categories(categories, (_ORDERED,) if is_doubtful else ())


def _lists(tail: str) -> list[list[Any]]:
    """Return the values of the categories of pandas, in the order of the table's columns."""
    found = re.search(r"^pandas_categorical:(.*)$", tail, re.MULTILINE)
    try:
        return (msgspec.json.decode(found[1], type=list[list[Any]] | None) or []) if found else []
    except (msgspec.MsgspecError, RecursionError):
        raise ModelImportError("save the model again: pandas_categorical is not a list of lists") from None


def _codes(infos: Sequence[str], place: int) -> list[int]:
    """Return the codes of a category that training saw; -1 stands there for all others."""
    info = infos[place] if place < len(infos) else ""
    return [int(code) for code in info.split(":") if re.fullmatch(r"[0-9]{1,9}", code)]


def _may_be_codes(info: str, values: int) -> bool:
    """Return whether a column of numbers may have the codes of so many values."""
    return re.fullmatch(r"\[0:[0-9]{1,9}\]", info) is not None and int(info[3:-1]) < values


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


def _tree(fields: Mapping[str, str], where: str, *, alike: bool) -> Tree:
    """Read one tree; `alike` if the release decides missing values of categories alike on all machines."""
    if fields.get("is_linear", "0") != "0":
        raise ModelImportError(f"{where}: train with linear_tree=false: its leaves are linear")
    leaves = tuple(_number(text, where) for text in fields.get("leaf_value", "").split())
    if fields.get("num_leaves") == "1" and leaves:
        return Tree((), leaves[:1])
    lists = [fields.get(name, "").split() for name in ("split_feature", "threshold", "decision_type", "left_child")]
    lists.append(fields.get("right_child", "").split())
    if len({len(some) for some in lists}) != 1 or len(lists[0]) + 1 != len(leaves):
        raise ModelImportError(f"{where}: save the model again: its lists of splits and leaves have different lengths")
    count = len(lists[0])
    kinds = [_integer(text, where) for text in lists[2]]
    left, right = ([_child(text, count, where) for text in some] + [-1] * len(leaves) for some in lists[3:])
    nodes = Nodes(
        left,
        right,
        [_integer(text, where) for text in lists[0]] + [0] * len(leaves),
        [math.inf if text == "inf" else float(_number(text, where)) for text in lists[1]] + [0.0] * len(leaves),
        [],
        [Fraction(0)] * count + list(leaves),
    )
    sets = _sets(fields, where)
    for place, kind in enumerate(kinds):
        _decide(nodes, place, kind, sets, f"{where}: split {place + 1}")
    nodes.missing_left += [False] * len(leaves)
    zeros = {place for place, kind in enumerate(kinds) if kind & _MISSING == _ZERO and place not in nodes.among}
    silent = {nodes.columns[place] for place in nodes.among if kinds[place] & _MISSING != _NAN and not alike}
    nodes = asking_zero(nodes, zeros, where) if zeros else nodes
    tree = tree_of(
        (nodes.left, nodes.right),
        nodes.columns,
        nodes.thresholds,
        nodes.leaves.__getitem__,
        where,
        strict=False,
        missing_left=nodes.missing_left,
        among=nodes.among,
    )
    splits = (dataclasses.replace(one, missing=None) if one.column in silent else one for one in tree.splits)
    return Tree(tuple(splits), tree.leaves) if silent else tree


def _decide(nodes: Nodes, place: int, kind: int, sets: Sequence[frozenset[int]], where: str) -> None:
    """Say of a split where missing values go, and of one by categories which codes go right.

    In the file codes of the set go left, all others and missing values right: the children change places.
    """
    if not 0 <= kind <= (_CATEGORICAL | _LEFT | _MISSING) or kind & _MISSING == _MISSING:
        raise ModelImportError(f"{where}: save the model again: its decision_type is {kind}")
    if not kind & _CATEGORICAL:
        reads_zero = kind & _MISSING == _NO
        nodes.missing_left.append(nodes.thresholds[place] >= 0 if reads_zero else bool(kind & _LEFT))
        return
    number = nodes.thresholds[place]
    if not 0 <= number < len(sets) or not number.is_integer():
        raise ModelImportError(f"{where}: save the model again: it has no set of categories")
    nodes.among[place] = sets[int(number)]
    nodes.thresholds[place] = 0.0
    nodes.left[place], nodes.right[place] = nodes.right[place], nodes.left[place]
    nodes.missing_left.append(True)


def _sets(fields: Mapping[str, str], where: str) -> list[frozenset[int]]:
    """Return the sets of categories of a tree: bits of 32-bit words."""
    ends = [_integer(text, where) for text in fields.get("cat_boundaries", "").split()]
    words = [_integer(text, where, 10) for text in fields.get("cat_threshold", "").split()]
    if len(words) > _WORDS or any(not 0 <= word < 1 << 32 for word in words):
        raise ModelImportError(f"{where}: save the model again: cat_threshold does not have 32-bit words")
    if any(not 0 <= start <= end <= len(words) for start, end in pairwise(ends)):
        raise ModelImportError(f"{where}: save the model again: cat_boundaries are not those of cat_threshold")
    return [
        frozenset(
            32 * number + bit for number, word in enumerate(words[start:end]) for bit in range(32) if word >> bit & 1
        )
        for start, end in pairwise(ends)
    ]


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


def _integer(text: str, where: str, digits: int = 9) -> int:
    """Read a whole number of at most so many digits."""
    if not re.fullmatch(rf"-?[0-9]{{1,{digits}}}", text):
        raise ModelImportError(f"{where}: save the model again: {shown(text)!r} is not a whole number")
    return int(text)
