"""ONNX operators TreeEnsembleClassifier and TreeEnsembleRegressor, alone in their graph but for renaming operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import onnx
from onnx import AttributeProto, NodeProto

from equiproof.certify.models.ensembles.ensemble import FIRST, Ensemble, Scale, Split, Tree, summed
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.onnx_values import parse_model

KIND = "onnx"

_TREES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor")
_NEUTRAL_OPERATORS = ("Identity", "Cast", "ZipMap")
"""Operators that change no decision where they follow the trees."""

_MODES = {"BRANCH_LEQ": (False, False), "BRANCH_LT": (True, False), "BRANCH_GTE": (True, True),
          "BRANCH_GT": (False, True)}  # fmt: skip
"""For each comparison, whether a threshold belongs to the side above it, and whether that side is the true one."""

_NODES = ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids",
          "nodes_falsenodeids")  # fmt: skip

_INTS = AttributeProto.INTS
_FLOATS = AttributeProto.FLOATS
_STRINGS = AttributeProto.STRINGS
_TYPES = {
    "aggregate_function": AttributeProto.STRING, "base_values": _FLOATS, "class_ids": _INTS, "class_nodeids": _INTS,
    "class_treeids": _INTS, "class_weights": _FLOATS, "classlabels_int64s": _INTS, "classlabels_strings": _STRINGS,
    "n_targets": AttributeProto.INT, "nodes_falsenodeids": _INTS, "nodes_featureids": _INTS, "nodes_hitrates": _FLOATS,
    "nodes_missing_value_tracks_true": _INTS, "nodes_modes": _STRINGS, "nodes_nodeids": _INTS, "nodes_treeids": _INTS,
    "nodes_truenodeids": _INTS, "nodes_values": _FLOATS, "post_transform": AttributeProto.STRING, "target_ids": _INTS,
    "target_nodeids": _INTS, "target_treeids": _INTS, "target_weights": _FLOATS,
}  # fmt: skip
"""The attributes of both operators, with the type that the standard gives each."""

_SINGLE = 24
"""The bits of a single float."""

Values = Mapping[str, Any]
Places = dict[tuple[int, int], Fraction]


def read_onnx_trees(data: bytes) -> Ensemble:
    """Read the bytes of an ONNX file; raises ModelImportError naming the operator or attribute that is not imported.

    Of a classifier the score is the difference of both classes' sums, of a regressor its one target.
    """
    graph = parse_model(data).graph
    nodes = [node for node in graph.node if node.op_type in _TREES]
    others = [node.op_type for node in graph.node if node.op_type not in (*_TREES, *_NEUTRAL_OPERATORS)]
    if len(nodes) != 1 or others:
        odd = shown(others[0]) if others else f"{len(nodes)} operators of trees"
        raise ModelImportError(
            f"{odd}: only one {' or '.join(_TREES)} is read, with {', '.join(_NEUTRAL_OPERATORS)} behind it"
        )
    node = nodes[0]
    inputs = [value for value in graph.input if [value.name] == node.input[:1]]
    if not inputs:
        raise ModelImportError(f"{node.op_type} does not take the input of the graph itself; scale columns in the spec")
    kind = inputs[0].type.tensor_type
    dimensions = kind.shape.dim
    width = int(dimensions[1].dim_value) if len(dimensions) == 2 else 0
    if kind.elem_type != onnx.TensorProto.FLOAT or width < 1:
        raise ModelImportError(f"the input {inputs[0].name[:80]!r}: want single floats of shape (rows, columns)")
    values = _values(node)
    leaves, base, classes = (_classifier if node.op_type == _TREES[0] else _regressor)(node, values)
    trees = _trees(values, leaves)
    ties = summed(trees, _SINGLE, likely=True) if _is_vote(values) else FIRST
    return Ensemble(KIND, width, trees, base=base, single=True, classes=classes, ties=ties, scale=_scale(values))


def _scale(values: Values) -> Scale:
    """Return what the score is: a vote or weights of one class without a transform are shares."""
    if values.get("post_transform", "NONE") != "NONE":
        return "logit"
    return "share" if _is_vote(values) or len(set(values.get("class_ids", []))) == 1 else "score"


def _is_vote(values: Values) -> bool:
    """Return whether a classifier adds up shares of both classes, as forests do: the larger one decides."""
    weights = values.get("class_weights", [])
    return len(set(values.get("class_ids", []))) == 2 and all(weight >= 0 for weight in weights)


def _values(node: NodeProto) -> Values:
    """Return the attributes of an operator by name, text as str."""
    attributes: dict[str, Any] = {}
    for one in node.attribute:
        if one.name.endswith("_as_tensor"):
            raise ModelImportError(f"attribute {shown(one.name)!r} is not read; export single floats")
        if one.type != _TYPES.get(one.name):
            raise ModelImportError(f"{node.op_type}: attribute {shown(one.name)!r} is not understood")
        value = onnx.helper.get_attribute_value(one)
        try:
            if one.type == AttributeProto.STRING:
                value = value.decode()
            elif one.type == _STRINGS:
                value = [text.decode() for text in value]
        except UnicodeDecodeError:
            raise ModelImportError(f"{node.op_type}: attribute {one.name!r} is not UTF-8 text") from None
        attributes[one.name] = value
    return attributes


def _classifier(node: NodeProto, values: Values) -> tuple[Places, Fraction, tuple[str | int, ...]]:
    """Return the value of each leaf, the base, and the classes."""
    labels = values.get("classlabels_int64s") or values.get("classlabels_strings", [])
    if len(labels) != 2:
        raise ModelImportError(f"{node.op_type}: {len(labels)} classes; only two are read")
    ids = values.get("class_ids", [])
    weights = values.get("class_weights", [])
    transform = values.get("post_transform", "NONE")
    if transform not in ("NONE", "LOGISTIC", "SOFTMAX"):
        raise ModelImportError(f"{node.op_type}: post_transform {shown(transform)!r} is not read")
    base = [_exact(one) for one in values.get("base_values", [])]
    single = len(set(ids)) == 1
    signs = {ids[0]: 1} if single and ids else {0: -1, 1: 1}
    start = sum(base) if single else (base[1] - base[0] if len(base) == 2 else Fraction(0))
    if len(base) > 2 or (single and len(base) > 1) or (not single and len(base) == 1):
        raise ModelImportError(f"{node.op_type}: {len(base)} base values")
    if single:
        negative = any(weight < 0 for weight in weights)
        # Runtimes agree on these two cases only: shares above one half, and logits above 0.
        if negative == (transform == "NONE"):
            raise ModelImportError(
                f"{node.op_type}: post_transform {transform} with {'negative' if negative else 'no negative'} weights "
                "of one class is decided differently by different runtimes; export the weights of both classes"
            )
        start -= Fraction(0 if negative else 1, 1 if negative else 2)
    leaves = _leaves(values, "class", ids, weights, signs)
    return leaves, Fraction(start), tuple(labels)


def _regressor(node: NodeProto, values: Values) -> tuple[Places, Fraction, None]:
    """Return the value of each leaf and the base."""
    transform = values.get("post_transform", "NONE")
    if values.get("n_targets", 1) != 1 or transform not in ("NONE", "LOGISTIC"):
        raise ModelImportError(f"{node.op_type}: only one target with post_transform NONE or LOGISTIC is read")
    aggregate = values.get("aggregate_function", "SUM")
    if aggregate not in ("SUM", "AVERAGE"):
        raise ModelImportError(f"{node.op_type}: aggregate_function {shown(aggregate)!r} is not read")
    ids = values.get("target_ids", [])
    weights = values.get("target_weights", [])
    count = len(set(values.get("nodes_treeids", []))) if aggregate == "AVERAGE" else 1
    leaves = _leaves(values, "target", ids, weights, {0: 1})
    base = sum(map(_exact, values.get("base_values", [])), Fraction(0))
    return {place: value / count for place, value in leaves.items()}, base, None


def _leaves(
    values: Values, what: str, ids: Sequence[int], weights: Sequence[float], signs: Mapping[int, int]
) -> Places:
    """Return the value of each (tree, node): the sum of its weights, each with the sign of its class."""
    lists = (values.get(f"{what}_treeids", []), values.get(f"{what}_nodeids", []), ids, weights)
    if len({len(some) for some in lists}) != 1:
        raise ModelImportError(f"the lists {what}_* have different lengths")
    sums: Places = {}
    for tree, node, own, weight in zip(*lists, strict=True):
        if own not in signs:
            raise ModelImportError(f"{what}_ids: {own} is neither 0 nor 1")
        sums[tree, node] = sums.get((tree, node), Fraction(0)) + signs[own] * _exact(weight)
    return sums


def _trees(values: Values, leaves: Places) -> tuple[Tree, ...]:
    """Return the trees, in the order in which they begin."""
    lists = [values.get(name, []) for name in _NODES]
    if len({len(some) for some in lists}) != 1:
        raise ModelImportError("the lists nodes_* have different lengths")
    trees: dict[int, dict[int, tuple[Any, ...]]] = {}
    for tree, node, *rest in zip(*lists, strict=True):
        if node in trees.setdefault(tree, {}):
            raise ModelImportError(f"tree {tree} has two nodes {node}")
        trees[tree][node] = tuple(rest)
    return tuple(_tree(tree, nodes, leaves) for tree, nodes in trees.items())


def _tree(tree: int, nodes: Mapping[int, tuple[Any, ...]], leaves: Places) -> Tree:
    """Return one tree; its first node is the root."""
    order: list[int] = []
    waiting = [next(iter(nodes))]
    while waiting:
        node = waiting.pop()
        if node not in nodes or len(order) > len(nodes):
            raise ModelImportError(f"tree {tree}: its nodes do not form one tree")
        order.append(node)
        if nodes[node][2] != "LEAF":
            waiting += [nodes[node][4], nodes[node][3]]
    splits = [node for node in order if nodes[node][2] != "LEAF"]
    ends = [node for node in order if nodes[node][2] == "LEAF"]
    place = {node: at for at, node in enumerate(splits)} | {node: ~at for at, node in enumerate(ends)}
    inner_nodes = []
    for node in splits:
        feature, value, mode, yes, no = nodes[node]
        if mode not in _MODES:
            raise ModelImportError(f"tree {tree}: comparison {shown(mode)!r} is not read")
        strict, above_is_true = _MODES[mode]
        below, above = (no, yes) if above_is_true else (yes, no)
        inner_nodes.append(Split(feature, _exact(value), strict, place[below], place[above]))
    return Tree(tuple(inner_nodes), tuple(leaves.get((tree, node), Fraction(0)) for node in ends))


def _exact(number: float) -> Fraction:
    """Return a finite number as a fraction."""
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        raise ModelImportError("a number of the trees is not finite") from None
