"""Decision trees as clauses (appendix F), without any error of coding: numbers are cut where the tree cuts them.

A tree accepts where no path to a refusing leaf is taken. A path holds where each of its features has one of some
values; its clause is that one of them has another. The clauses then decide as the tree on every row, and what is left
to approximate is the distribution: the network of the features that the tree reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.coding import Coder, coder, median_edges, numeric
from equiproof.audits.fvgm.learning import Coded, CodingError
from equiproof.audits.fvgm.network import Network
from equiproof.audits.fvgm.pipeline import PreparedValues, Rows, Settings, chosen, learned_values


class NotATreeError(ValueError):
    """A model that is not a fitted tree of two classes; one line naming the model and the requirement."""


@dataclass(frozen=True)
class Split:
    """A node: to `low` where the column, as a 32-bit float, is at most the threshold, else to `high`."""

    column: int
    threshold: float
    low: Split | bool
    high: Split | bool


def split_of(model: Any) -> Split | bool:
    """Return the root of a fitted scikit-learn DecisionTreeClassifier with classes 0 and 1; a leaf is its decision.

    Raises NotATreeError for anything else.
    """
    tree = getattr(model, "tree_", None)
    if tree is None or getattr(model, "n_outputs_", 1) != 1 or list(getattr(model, "classes_", ())) != [0, 1]:
        raise NotATreeError(f"{type(model).__name__}: want a fitted DecisionTreeClassifier with classes 0 and 1")

    def node(number: int) -> Split | bool:
        """Return a node with what is below it."""
        low = int(tree.children_left[number])
        high = int(tree.children_right[number])
        if low == high:
            return bool(np.argmax(tree.value[number][0]))
        return Split(int(tree.feature[number]), float(tree.threshold[number]), node(low), node(high))

    return node(0)


def edge(threshold: float) -> float:
    """Return the least 64-bit float that is above a threshold once it is rounded to 32 bits, as trees read numbers."""
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-math.inf))
    middle = (float(below) + float(np.nextafter(below, np.float32(math.inf)))) / 2
    return middle if float(np.float32(middle)) > threshold else math.nextafter(middle, math.inf)


@dataclass(frozen=True)
class PreparedTree(PreparedValues):
    """A tree in clauses, how rows are coded for it, the coded rows, and the network learned from them."""

    classifier: Clauses


def prepare_tree(
    model: Any, rows: Rows, settings: Settings | None = None, *, deadline: float | None = None
) -> PreparedTree:
    """Write a tree over the columns of `rows.X` as clauses, and learn the network of the features that it reads.

    Numbers stand in one column of X as they are, categories in columns that follow from the value (one for each value,
    or 0 and 1). A sensitive number makes groups at the edges of the settings; without any, where the tree cuts it, or
    at its median. Raises NotATreeError, CodingError where columns are otherwise or the tree cuts inside a group,
    OutOfTimeError past the deadline.
    """
    requested = settings or Settings()
    root = split_of(model)
    if model.n_features_in_ != rows.X.shape[1]:
        raise NotATreeError(f"the tree reads {model.n_features_in_} columns, the rows have {rows.X.shape[1]}")
    features = {column: name for name, columns in rows.blocks.items() for column in columns}
    used = {features[column] for column, _ in _cuts(root)} | set(rows.sensitive)
    columns_read = {name: values for name, values in rows.columns.items() if name in used}
    coding = coder(columns_read, edges=_edges(root, rows, features, requested), whole=tuple(columns_read))
    sides = _Sides(
        rows, coding, coding.coded(columns_read), features, frozenset(rows.sensitive) & set(requested.edges or {})
    )
    values = sides.coded.values
    clauses = frozenset(
        frozenset((name, frozenset(values[name]) - inside) for name, inside in path.items())
        for path in _refusing(root, sides, {})
    )

    def learned(some: Coded, conditioned: bool) -> Network:
        return learned_values(some, rows.sensitive, requested, conditioned, deadline)

    choice = chosen(sides.coded, requested, learned)
    network = learned(sides.coded, choice.conditioned)
    return PreparedTree(Clauses(clauses), network, coding, sides.coded, rows.sensitive, requested, choice)


def accepted(model: Clauses, data: Coded) -> npt.NDArray[np.bool_]:
    """Return the decisions of clauses on coded rows."""
    mask = np.ones(len(data.codes), dtype=bool)
    for clause in model.clauses:
        met = np.zeros(len(data.codes), dtype=bool)
        for name, literal in clause:
            met |= np.array([value in literal for value in data.values[name]])[data.column(name)]
        mask &= met
    return mask


def _cuts(node: Split | bool) -> Iterator[tuple[int, float]]:
    """Yield the column and threshold of every node."""
    if isinstance(node, Split):
        yield node.column, node.threshold
        yield from _cuts(node.low)
        yield from _cuts(node.high)


def _edges(root: Split | bool, rows: Rows, features: Mapping[int, str], requested: Settings) -> dict[str, list[float]]:
    """Return the bins of numbers: the tree's own cuts; sensitive ones have the settings' edges, where there are any."""
    cuts: dict[str, set[float]] = {name: set() for name, values in rows.columns.items() if numeric(values)}
    for column, threshold in _cuts(root):
        if features[column] in cuts:
            cuts[features[column]].add(edge(threshold))
    edges = {}
    for name, own in cuts.items():
        columns = list(rows.blocks[name])
        if own and (len(columns) != 1 or not np.array_equal(rows.X[:, columns[0]], rows.columns[name])):
            raise CodingError(f"{name}: leave scaling out: trees need unscaled numbers")
        if name in rows.sensitive and name in (requested.edges or {}):
            edges[name] = sorted(float(part) for part in (requested.edges or {})[name])
        else:
            edges[name] = sorted(own) or (median_edges(rows.columns[name]) if name in rows.sensitive else [])
    return edges


@dataclass(frozen=True)
class _Sides:
    """On which side of a cut each value of a feature lies; `fixed` are numbers whose bins are not the tree's own."""

    rows: Rows
    coder: Coder
    coded: Coded
    features: Mapping[int, str]
    fixed: frozenset[str]

    def low(self, name: str, column: int, threshold: float) -> frozenset[str]:
        """Return the values whose rows go low; raises CodingError where rows of one value go to both sides."""
        values = self.coded.values[name]
        if name in self.coder.numbers and name not in self.fixed:
            starts = (-math.inf, *self.coder.numbers[name].edges)
            return frozenset(value for value, start in zip(values, starts, strict=True) if start < edge(threshold))
        codes = self.coded.column(name)
        below = self.rows.X[:, column].astype(np.float32) <= threshold
        rows, lower = (np.bincount(part, minlength=len(values)) for part in (codes, codes[below]))
        if ((lower > 0) & (lower < rows)).any():
            raise CodingError(
                "name the cut in edges, or fit the tree to the groups: "
                f"{name}: the tree cuts it at {threshold:g}, inside a group or a category"
            )
        return frozenset(value for value, some in zip(values, lower, strict=True) if some)


def _refusing(
    node: Split | bool, sides: _Sides, path: Mapping[str, frozenset[str]]
) -> Iterator[Mapping[str, frozenset[str]]]:
    """Yield what every path to a refusing leaf allows each of its features; paths that nothing takes are left out."""
    if not isinstance(node, Split):
        if not node:
            yield path
        return
    name = sides.features[node.column]
    before = path.get(name, frozenset(sides.coded.values[name]))
    low = sides.low(name, node.column, node.threshold)
    for child, inside in ((node.low, before & low), (node.high, before - low)):
        if inside:
            yield from _refusing(child, sides, {**path, name: inside})
