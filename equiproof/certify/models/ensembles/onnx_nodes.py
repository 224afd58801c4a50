"""The trees of ONNX operators: lists of nodes up to version 4 of the operators, lists of splits and leaves since 5."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from equiproof.certify.models.ensembles.ensemble import MAX_NODES, Split, Tree
from equiproof.certify.models.ensembles.grown import Fork, grown
from equiproof.certify.models.ensembles.onnx_attributes import Values, exact, refuse_lengths
from equiproof.certify.models.ensembles.sizes import refuse_thresholds
from equiproof.certify.models.importing.errors import shown
from equiproof.certify.models.importing.onnx_values import Operator

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
"""The comparisons, at their numbers in version 5."""

_SIDES = {"BRANCH_LEQ": (False, False), "BRANCH_LT": (True, False), "BRANCH_GTE": (True, True),
          "BRANCH_GT": (False, True)}  # fmt: skip
"""For each comparison, whether a threshold belongs to the side above it, and whether that side is the true one."""

_CATEGORIES = "splits by single values are not read: make one-hot columns of categories"

_NODES = ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids",
          "nodes_falsenodeids")  # fmt: skip
_SPLITS = ("nodes_featureids", "nodes_splits", "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids",
           "nodes_trueleafs", "nodes_falseleafs")  # fmt: skip

Weights = Mapping[int, Fraction]
"""What a leaf adds to the sum of each class or target."""


class Weighted(NamedTuple):
    """A tree whose leaves have weights of several classes or targets."""

    splits: tuple[Split, ...]
    leaves: tuple[Weights, ...]

    def scored(self, factors: Weights) -> Tree:
        """Return the tree of a sum of the classes, each times its factor."""
        return Tree(
            self.splits,
            tuple(
                sum((factors.get(own, Fraction(0)) * weight for own, weight in leaf.items()), Fraction(0))
                for leaf in self.leaves
            ),
        )


def read_nodes(operator: Operator, values: Values, what: str) -> tuple[Weighted, ...]:
    """Read the lists of nodes of TreeEnsembleClassifier (`what` is "class") or TreeEnsembleRegressor ("target").

    The first node of each tree is its root. Directions of missing values and rates of hits are dropped: a row with a
    missing value has no certificate.
    """
    refuse_lengths(operator, values, _NODES)
    asked = [
        (column, value)
        for column, value, mode in zip(
            *(values.get(name, []) for name in ("nodes_featureids", "nodes_values", "nodes_modes")), strict=True
        )
        if mode != "LEAF"
    ]
    refuse_thresholds("onnx", len(set(values.get("nodes_treeids", []))), len(asked), asked)
    leaves = _leaves(operator, values, what)
    trees: dict[int, dict[int, Fork | Weights]] = {}
    last = None
    for tree, node, column, value, mode, yes, no in zip(*(values.get(name, []) for name in _NODES), strict=True):
        nodes = trees.setdefault(tree, {})
        if node in nodes or (nodes and tree != last):
            raise operator.refused(f"nodes_nodeids: tree {tree} has two nodes {node}, or stands in two places")
        last = tree
        weights = leaves.pop((tree, node), {})
        if mode != "LEAF" and weights:
            raise operator.refused(f"{what}_nodeids: node {node} of tree {tree} has weights and is not a leaf")
        threshold = Fraction(0) if mode == "LEAF" else exact(operator, "nodes_values", value)
        nodes[node] = weights if mode == "LEAF" else _fork(operator, (column, threshold, mode), yes, no, f"tree {tree}")
    if leaves:
        tree, node = next(iter(leaves))
        raise operator.refused(f"{what}_nodeids: tree {tree} has no node {node}")
    return tuple(_tree(operator, next(iter(nodes)), nodes.get, f"tree {tree}") for tree, nodes in trees.items())


def _leaves(operator: Operator, values: Values, what: str) -> dict[tuple[int, int], dict[int, Fraction]]:
    """Return the weights of each (tree, node)."""
    names = (f"{what}_treeids", f"{what}_nodeids", f"{what}_ids", f"{what}_weights")
    refuse_lengths(operator, values, names)
    sums: dict[tuple[int, int], dict[int, Fraction]] = {}
    for tree, node, own, weight in zip(*(values.get(name, []) for name in names), strict=True):
        leaf = sums.setdefault((tree, node), {})
        leaf[own] = leaf.get(own, Fraction(0)) + exact(operator, names[3], weight)
    return sums


def read_splits(operator: Operator, values: Values) -> tuple[Weighted, ...]:
    """Read the lists of splits and leaves of TreeEnsemble; a leaf may stand behind several splits."""
    refuse_lengths(operator, values, _SPLITS)
    refuse_lengths(operator, values, ("leaf_targetids", "leaf_weights"))
    rows = list(zip(*(values.get(name, []) for name in _SPLITS), strict=True))
    targets, weights = values.get("leaf_targetids", []), values.get("leaf_weights", [])

    def node_of(place: tuple[bool, int]) -> Fork | Weights | None:
        """Return the leaf or the split at an index, None where there is none."""
        is_leaf, index = place
        if not 0 <= index < len(targets if is_leaf else rows):
            return None
        if is_leaf:
            return {targets[index]: exact(operator, "leaf_weights", weights[index])}
        column, value, mode, yes, no, yes_leaf, no_leaf = rows[index]
        sides = (bool(yes_leaf), yes), (bool(no_leaf), no)
        if yes_leaf and sides[0] == sides[1]:
            # A tree that is a leaf only is written as a split with the same leaf on both sides.
            return node_of(sides[0])
        name = MODES[int(mode)] if mode in range(len(MODES)) else str(mode)
        threshold = exact(operator, "nodes_splits", value)
        return _fork(operator, (column, threshold, name), *sides, f"split {index}")

    left = min(MAX_NODES, len(rows))
    trees = []
    for number, root in enumerate(values.get("tree_roots", []), start=1):
        trees.append(_tree(operator, (False, root), node_of, f"tree {number}", left))
        left -= len(trees[-1].splits)
    return tuple(trees)


def _fork(operator: Operator, asked: tuple[int, Fraction, str], yes: Any, no: Any, where: str) -> Fork:
    """Return a split with its true and its false side below and above the threshold."""
    column, threshold, mode = asked
    if mode not in _SIDES:
        raise operator.refused(
            f"{where}: comparison {shown(mode)!r}: {_CATEGORIES if mode in MODES else 'is not read'}"
        )
    strict, above_is_true = _SIDES[mode]
    below, above = (no, yes) if above_is_true else (yes, no)
    return Fork(column, threshold, strict, below, above)


def _tree(operator: Operator, root: Any, node_of: Callable[[Any], Any], where: str, most: int = MAX_NODES) -> Weighted:
    """Return the tree below a root; raises ModelImportError for nodes that do not form one tree."""
    forks = set()

    def once(place: Any) -> Any:
        """Return a node, each split once."""
        node = node_of(place)
        if node is None or place in forks:
            raise operator.refused(f"{where}: its nodes do not form one tree")
        if isinstance(node, Fork):
            forks.add(place)
        return node

    return Weighted(*grown(root, once, where, most))
