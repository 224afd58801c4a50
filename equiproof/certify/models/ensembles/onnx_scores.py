"""What an ONNX operator of trees makes of the sums of its leaves: a score, and the classes that it stands for.

Notation: s_0 and s_1 are the sums of both classes, base values included. The standard decides for the larger one behind
the transform, onnxruntime by s_1 alone, and with base values by b_1 + s_0. Where both agree, no more is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.models.ensembles.onnx_attributes import (
    FLOAT_LIST,
    INT,
    INTS,
    STRING,
    STRINGS,
    TENSOR,
    Types,
    Values,
    attribute_values,
    exact,
)
from equiproof.certify.models.ensembles.onnx_columns import Columns, Label, numbers, probabilities
from equiproof.certify.models.ensembles.onnx_nodes import Weighted, read_nodes, read_splits
from equiproof.certify.models.importing.errors import shown
from equiproof.certify.models.importing.onnx_values import Operator

_HALF = Fraction(1, 2)

_SHARED: Types = {
    "base_values": FLOAT_LIST, "nodes_falsenodeids": INTS, "nodes_featureids": INTS, "nodes_hitrates": FLOAT_LIST,
    "nodes_missing_value_tracks_true": INTS, "nodes_modes": STRINGS, "nodes_nodeids": INTS, "nodes_treeids": INTS,
    "nodes_truenodeids": INTS, "nodes_values": FLOAT_LIST, "post_transform": STRING,
}  # fmt: skip
_OF_CLASSES: Types = {
    **_SHARED, "class_ids": INTS, "class_nodeids": INTS, "class_treeids": INTS, "class_weights": FLOAT_LIST,
    "classlabels_int64s": INTS, "classlabels_strings": STRINGS,
}  # fmt: skip
_OF_TARGETS: Types = {
    **_SHARED, "aggregate_function": STRING, "n_targets": INT, "target_ids": INTS, "target_nodeids": INTS,
    "target_treeids": INTS, "target_weights": FLOAT_LIST,
}  # fmt: skip
_OF_VERSION_5: Types = {
    "aggregate_function": INT, "leaf_targetids": INTS, "leaf_weights": TENSOR, "membership_values": TENSOR,
    "n_targets": INT, "nodes_falseleafs": INTS, "nodes_falsenodeids": INTS, "nodes_featureids": INTS,
    "nodes_hitrates": TENSOR, "nodes_missing_value_tracks_true": INTS, "nodes_modes": TENSOR, "nodes_splits": TENSOR,
    "nodes_trueleafs": INTS, "nodes_truenodeids": INTS, "post_transform": INT, "tree_roots": INTS,
}  # fmt: skip

_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""The names of both, at their numbers in version 5."""

RUNTIME = "onnxruntime"
STANDARD = "the ONNX standard"
"""Who may decide a file otherwise."""


class Formula(NamedTuple):
    """A score: the sums of the classes, each times its factor, and a base."""

    factors: Mapping[int, Fraction]
    base: Fraction


class Scored(NamedTuple):
    """An operator of trees as it was read: its trees, its score, and its results by output.

    `other` is the score by which onnxruntime decides and `named` the classes that it answers, where they are not those
    of the standard; notes then say so. `is_based`: there are base values, and the scores of onnxruntime differ too.
    """

    trees: tuple[Weighted, ...]
    formula: Formula
    results: tuple[Label | Columns, ...]
    other: Formula | None = None
    named: tuple[str | int, ...] | None = None
    is_based: bool = False
    notes: tuple[str, ...] = ()


def classifier(operator: Operator, producer: str) -> Scored:
    """Read a TreeEnsembleClassifier of two classes; `producer` is the program that wrote the file."""
    values = attribute_values(operator, _OF_CLASSES)
    classes = tuple(values.get("classlabels_int64s") or values.get("classlabels_strings", []))
    if len(classes) != 2:
        raise operator.refused(f"{len(classes)} classes; only two are read")
    transform = values.get("post_transform", "NONE")
    if transform not in ("NONE", "LOGISTIC", "SOFTMAX"):
        raise operator.refused(f"export it with NONE or LOGISTIC: post_transform {shown(transform)!r} is not read")
    ids = set(values.get("class_ids", []))
    if not ids <= {0, 1}:
        raise operator.refused(f"class_ids: {min(ids - {0, 1})} is neither 0 nor 1")
    trees = read_nodes(operator, values, "class")
    base = [exact(operator, "base_values", one) for one in values.get("base_values", [])]
    if len(ids) == 1:
        return _one_sided(operator, values, trees, base, ids.pop(), classes)
    return _two_sided(operator, transform, trees, base, classes, producer)


def _one_sided(
    operator: Operator,
    values: Values,
    trees: tuple[Weighted, ...],
    base: list[Fraction],
    own: int,
    classes: tuple[str | int, ...],
) -> Scored:
    """Read weights of one class only: shares above one half decide for the second class, or logits above 0."""
    transform = values.get("post_transform", "NONE")
    negative = any(weight < 0 for weight in values["class_weights"])
    # Runtimes agree on these two cases only.
    if transform != ("LOGISTIC" if negative else "NONE"):
        raise operator.refused(
            f"export the weights of both classes: post_transform {transform} with "
            f"{'negative' if negative else 'no negative'} weights of one class is decided differently by different "
            "runtimes"
        )
    if len(base) > (own == 0):
        raise operator.refused(f"{len(base)} base_values with weights of class {own} only: runtimes decide differently")
    start = sum(base, Fraction(0))
    if negative:
        return Scored(trees, Formula({own: Fraction(1)}, start), (Label(classes), probabilities()))
    return Scored(trees, Formula({own: Fraction(1)}, start - _HALF), (Label(classes), numbers(_HALF)))


def _two_sided(
    operator: Operator,
    transform: str,
    trees: tuple[Weighted, ...],
    base: list[Fraction],
    classes: tuple[str | int, ...],
    producer: str,
) -> Scored:
    """Read weights of both classes: the larger sum decides."""
    if len(base) not in (0, 2):
        raise operator.refused(f"{len(base)} base_values for two classes; want two")
    first, second = base or (Fraction(0), Fraction(0))
    opposite = first == -second and all(_adds_up(tree, Fraction(0)) for tree in trees)
    if transform == "LOGISTIC" and not opposite:
        raise operator.refused(
            "export the weights of one class: post_transform LOGISTIC with weights of both classes that are not "
            "opposite is decided differently by different runtimes"
        )
    # Where the sums are opposite, half their difference is the second one itself.
    part = Fraction(1) if transform == "SOFTMAX" else _HALF
    formula = Formula({0: -part, 1: part}, part * (second - first))
    if base:
        runtime = Formula({0: 2 * part}, 2 * part * second)
    else:
        runtime = formula if opposite else Formula({1: 2 * part}, Fraction(0))
    # onnxruntime numbers classes 0 and 1 here, whatever whole numbers they are.
    named = (0, 1) if all(type(name) is int for name in classes) else classes
    results = (Label(classes), _columns(transform, trees, base, opposite=opposite))
    if runtime == formula and named == classes:
        return Scored(trees, formula, results)
    note = _note(producer, classes, formula, runtime, base)
    return Scored(trees, formula, results, runtime, named, bool(base), (note,))


def _columns(transform: str, trees: tuple[Weighted, ...], base: list[Fraction], *, opposite: bool) -> Columns:
    """Return the scores of both classes in terms of the operator's score."""
    if transform != "NONE":
        return probabilities()
    if opposite:
        return numbers(Fraction(0))
    totals = [_total(tree) for tree in trees]
    whole = None if None in totals else sum((one for one in totals if one is not None), sum(base, Fraction(0)))
    # Shares in single precision add up to one but for their last digits.
    is_share = whole is not None and abs(whole - 1) < Fraction(1, 1 << 16)
    return numbers(_HALF) if is_share else numbers(relative=True)


def _total(tree: Weighted) -> Fraction | None:
    """Return what both weights of every leaf of a tree add up to, None unless it is one number but for rounding."""
    totals = [sum(leaf.values(), Fraction(0)) for leaf in tree.leaves]
    return totals[0] if max(totals) - min(totals) < Fraction(1, 1 << 20) else None


def _adds_up(tree: Weighted, total: Fraction) -> bool:
    """Return whether the weights of every leaf of a tree add up to a number exactly."""
    return all(sum(leaf.values(), Fraction(0)) == total for leaf in tree.leaves)


def _note(
    producer: str, classes: tuple[str | int, ...], formula: Formula, runtime: Formula, base: list[Fraction]
) -> str:
    """Return the sentence about a file that onnxruntime decides otherwise."""
    if runtime == formula:
        return f"{RUNTIME} answers 0 and 1 in place of the classes {classes[0]} and {classes[1]} of this file"
    choose = "only your own decisions show which of the two is yours"
    if not base:
        return f"the larger score decides, as in {STANDARD}; {RUNTIME} decides by the second one alone: {choose}"
    own = " and as CatBoost decides" if producer == "CatBoost" else ""
    return (
        f"base_values are read as in {STANDARD}{own}; {RUNTIME} adds the second one to the scores of the first class, "
        f"and decides otherwise: {choose}"
    )


def regressor(operator: Operator, _producer: str) -> Scored:
    """Read a TreeEnsembleRegressor of one target."""
    values = attribute_values(operator, _OF_TARGETS)
    trees = read_nodes(operator, values, "target")
    base = sum((exact(operator, "base_values", one) for one in values.get("base_values", [])), Fraction(0))
    aggregate, transform = values.get("aggregate_function", "SUM"), values.get("post_transform", "NONE")
    targets = values.get("n_targets", 1)
    if targets != 1 or set(values.get("target_ids", [])) - {0}:
        raise operator.refused(f"{targets} targets; only one is read")
    return _targets(operator, trees, base, targets, aggregate, transform)


def ensemble(operator: Operator, _producer: str) -> Scored:
    """Read a TreeEnsemble, the operator of version 5, of one target or of two, whose larger one decides."""
    values = attribute_values(operator, _OF_VERSION_5)
    if values.get("membership_values"):
        raise operator.refused(
            "make one-hot columns of categories: attribute 'membership_values': BRANCH_MEMBER is not read"
        )
    names = []
    for attribute, options, default in (("aggregate_function", _AGGREGATES, 1), ("post_transform", _TRANSFORMS, 0)):
        number = values.get(attribute, default)
        names.append(options[number] if 0 <= number < len(options) else str(number))
    targets = values.get("n_targets", 1)
    if targets not in (1, 2) or set(values.get("leaf_targetids", [])) - set(range(targets)):
        raise operator.refused(f"{targets} targets; only one or two are read")
    return _targets(operator, read_splits(operator, values), Fraction(0), targets, names[0], names[1])


def _targets(
    operator: Operator, trees: tuple[Weighted, ...], base: Fraction, targets: int, aggregate: str, transform: str
) -> Scored:
    """Return the score of one target, or of two: their difference, or half of it where it is no logit."""
    if aggregate not in ("SUM", "AVERAGE"):
        raise operator.refused(f"export it with SUM: aggregate_function {shown(aggregate)!r} is not read")
    allowed = ("NONE", "LOGISTIC") if targets == 1 else ("NONE", "SOFTMAX")
    if transform not in allowed:
        want = " or ".join(allowed)
        raise operator.refused(f"export it with {want}: post_transform {shown(transform)!r} is not read")
    share = Fraction(1, max(len(trees), 1)) if aggregate == "AVERAGE" else Fraction(1)
    if targets == 1:
        single = probabilities if transform == "LOGISTIC" else numbers
        return Scored(trees, Formula({0: share}, base), (Columns(single().columns[1:]),))
    part = share if transform == "SOFTMAX" else share * _HALF
    opposite = all(_adds_up(tree, Fraction(0)) for tree in trees)
    summed = aggregate == "SUM" or transform != "NONE" or opposite
    columns = _columns(transform, trees, [], opposite=opposite) if summed else numbers(relative=True)
    return Scored(trees, Formula({0: -part, 1: part}, base), (columns,))


READERS: Mapping[str, Callable[[Operator, str], Scored]] = {
    "ai.onnx.ml.TreeEnsembleClassifier": classifier,
    "ai.onnx.ml.TreeEnsembleRegressor": regressor,
    "ai.onnx.ml.TreeEnsemble": ensemble,
}
"""The operators of trees, and what reads each."""
