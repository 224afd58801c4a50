"""Splits of LightGBM that take zero for missing: questions whether a number is below, at, or above it.

A library that was trained so sends a zero, and what is next to one, to the side of missing values, whatever the
threshold. So such a split asks up to three thresholds, and what stands on a side is repeated where the side is asked
for twice; further splits of the same column are answered by what is known on the way.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import MAX_NODES
from equiproof.certify.models.importing.errors import ModelImportError

ZERO = 1.0000000180025095e-35
"""The largest number that the library takes for zero: its 1e-35 of single precision."""

_BELOW = math.nextafter(-ZERO, -math.inf)
"""The largest number below those that it takes for zero."""

State = Mapping[int, tuple[float, float]]
"""Between which thresholds a number is, by column: above the first, at most the second."""


@dataclass
class Nodes:
    """The nodes of a tree in lists, the root first: children (-1 at leaves), thresholds, and if missing values go left.

    `among` has the codes that go right by the nodes that split a category; `leaves` say nothing of other nodes than
    leaves.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    leaves: list[Fraction] = field(default_factory=list)
    among: dict[int, frozenset[int]] = field(default_factory=dict)

    def add(self, of: Nodes, node: int) -> int:
        """Add a node of other ones without its children, and return its place."""
        if node in of.among:
            self.among[len(self.left)] = of.among[node]
        return self._added(of.columns[node], of.thresholds[node], of.missing_left[node], of.leaves[node])

    def ask(self, column: int, threshold: float, *, missing_left: bool) -> int:
        """Add a split without children, and return its place."""
        return self._added(column, threshold, missing_left, Fraction(0))

    def _added(self, column: int, threshold: float, missing_left: bool, leaf: Fraction) -> int:
        """Add a node."""
        self.left.append(-1)
        self.right.append(-1)
        self.columns.append(column)
        self.thresholds.append(threshold)
        self.missing_left.append(missing_left)
        self.leaves.append(leaf)
        return len(self.left) - 1


def asking_zero(nodes: Nodes, zeros: Collection[int], where: str) -> Nodes:
    """Return nodes whose splits `zeros`, which take zero for missing, are split.

    Raises ModelImportError naming a tree that is too large then, and one with a child that stands before its parent.
    """
    count = len(nodes.left)
    if any(
        child != -1 and not place < child < count
        for place, children in enumerate(zip(nodes.left, nodes.right, strict=True))
        for child in children
    ):
        raise ModelImportError(f"{where}: save the model again: its nodes do not form one tree")
    grown = Nodes()
    waiting: list[tuple[int, State, tuple[list[int], int] | None]] = [(0, {}, None)]
    while waiting:
        node, state, parent = waiting.pop()
        parts = _parts(nodes, node, state) if node in zeros else ()
        if len(parts) == 1:
            waiting.append((parts[0][1], state, parent))
            continue
        place = len(grown.left)
        if parent is not None:
            parent[0][parent[1]] = place
        if parts:
            column = nodes.columns[node]
            low = state.get(column, (-math.inf, math.inf))[0]
            for end, child in parts[:-1]:
                place = grown.ask(column, end, missing_left=end >= ZERO)
                grown.right[place] = place + 1
                waiting.append((child, {**state, column: (low, end)}, (grown.left, place)))
                low = end
            waiting.append((parts[-1][1], {**state, column: (low, parts[-1][0])}, (grown.right, place)))
        else:
            place = grown.add(nodes, node)
            if nodes.left[node] != -1:
                waiting.append((nodes.right[node], state, (grown.right, place)))
                waiting.append((nodes.left[node], state, (grown.left, place)))
        if len(grown.left) > 2 * MAX_NODES:
            raise ModelImportError(
                f"{where}: train with zero_as_missing=false, or smaller trees: it takes 0 for missing, and is too "
                "large once it asks for zeros"
            )
    return grown


def _parts(nodes: Nodes, node: int, state: State) -> Sequence[tuple[float, int]]:
    """Return where a split leads numbers up to each of these ends, in ascending order, among those that come to it."""
    left, right = nodes.left[node], nodes.right[node]
    threshold = nodes.thresholds[node]
    zero = left if nodes.missing_left[node] else right
    low, high = state.get(nodes.columns[node], (-math.inf, math.inf))
    sides = [
        (min(threshold, _BELOW), left), (_BELOW, right), (ZERO, zero), (max(threshold, ZERO), left), (math.inf, right)
    ]  # fmt: skip
    parts: list[tuple[float, int]] = []
    for end, child in sides:
        if min(end, high) <= low:
            continue
        if parts and parts[-1][1] == child:
            parts.pop()
        parts.append((min(end, high), child))
        low = min(end, high)
    return parts
