"""Ensembles of trees on boxes of cells: of every tree the least and the largest leaf that some of a box reach.

Cells, leaves and groups of sensitive values are exact, so that sums over trees bound the score in integers. A tree
whose reached leaves are the same for two groups does not tell them apart in a box, whatever it adds. The score of a
box of one cell is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.audits.hyfair.bounds import Relaxed
from equiproof.audits.hyfair.clusters import Flags
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.tree import flipless
from equiproof.audits.unfair.cells import Cells
from equiproof.audits.unfair.search import Judged
from equiproof.certify.ensemble import Child, EnsembleModel

_NONE = 1 << 60
"""Beyond every sum of leaves, which have 31 bits and a sign: the end of an empty set of leaves."""


@dataclass(frozen=True, eq=False)
class _Forest:
    """The leaves of some trees, tree by tree, that somebody of the domain reaches.

    `begins` are the first leaves of each tree; `nearest[f]`, shape (cells, leaves), is the least cell from a given one
    on that the way to a leaf allows, beyond all where there is none; `groups`, shape (groups, leaves), is who may
    reach it. `edges` are the places (leaf, feature, cell) after which a way allows a feature's cells, or stops to.
    """

    begins: Integers
    values: Integers
    nearest: tuple[Integers, ...]
    groups: Flags
    edges: tuple[Integers, Integers, Integers]

    def reached(self, low: Integers, high: Integers) -> Flags:
        """Return which leaves some of boxes of cells reach, whatever their group; shape (B, leaves)."""
        flags = np.ones((len(low), len(self.values)), dtype=np.bool_)
        for feature, nearest in enumerate(self.nearest):
            if len(nearest) > 1:
                flags &= nearest[low[:, feature]] <= high[:, feature, None]
        return flags

    def ends(self, reached: Flags) -> tuple[Integers, Integers]:
        """Return the least and the largest value of the leaves of each tree, shape (B, trees); of none, beyond all."""
        least = np.minimum.reduceat(np.where(reached, self.values, _NONE), self.begins, axis=1)
        most = np.maximum.reduceat(np.where(reached, self.values, -_NONE), self.begins, axis=1)
        return least, most


class EnsembleOnBoxes:
    """An ensemble on the cells of its predicates; labels are 1 where the score is above 0, and 0 where it is below."""

    most_counted = 1

    def __init__(self, model: EnsembleModel, cells: Cells) -> None:
        """Find the leaves of all trees."""
        self.sizes = cells.sizes
        self._cells, self._groups = cells.jumps(model.additive)
        leaves = [list(_leaves(model, root, cells)) for root in range(model.nodes.roots)]
        asks = [any(not leaf.groups.all() for leaf in tree) for tree in leaves]
        self._blind = _forest([tree for tree, own in zip(leaves, asks, strict=True) if not own], cells)
        self._asking = _forest([tree for tree, own in zip(leaves, asks, strict=True) if own], cells)
        self._places = np.cumsum([0, *self.sizes])

    def boxes(self, low: Integers, high: Integers) -> Judged:
        """Judge boxes of cells; a box is halved at the cell whose ends matter to most of the leaves that are open."""
        scores = np.zeros(int(self._places[-1]) * len(low)).reshape(len(low), -1)
        bounds = self._bounds(low, high, scores)
        mirrored = Relaxed(-bounds.high, -bounds.low, np.swapaxes(bounds.between, 1, 2), bounds.slopes)
        fair = flipless(bounds) & flipless(mirrored)
        unfair = np.asarray((bounds.low > 0).any(axis=1) & (bounds.high < 0).any(axis=1))
        for feature, own in enumerate(self._cells):
            # Only cells before the last one of a box can be its end.
            inside = np.arange(len(own))
            split = (inside >= low[:, feature, None]) & (inside < high[:, feature, None])
            part = scores[:, self._places[feature] : self._places[feature + 1]]
            part += np.append(abs(np.diff(own)), 0)
            part[~split] = -1
        best = scores.argmax(axis=1)
        features = np.searchsorted(self._places, best, side="right") - 1
        return Judged(fair, unfair, features, best - self._places[features])

    def applicants(self, places: Integers) -> tuple[Flags, Flags]:
        """Return who is fair and who is unfair, exactly."""
        judged = self.boxes(places, places)
        return judged.fair, judged.unfair

    def _bounds(self, low: Integers, high: Integers, scores: npt.NDArray[np.float64]) -> Relaxed:
        """Bound the score in every group, and its differences; add to `scores` how much halving at a cell promises."""
        least = np.zeros((len(low), len(self._groups)), dtype=np.int64) + self._groups
        most = least.copy()
        for feature, own in enumerate(self._cells):
            if own.any():
                added = np.array([_ends(own, a, b) for a, b in zip(low[:, feature], high[:, feature], strict=True)])
                least += added[:, :1]
                most += added[:, 1:]
        between = np.zeros((len(low), len(self._groups), len(self._groups)), dtype=np.int64)
        between += self._groups[:, None] - self._groups
        if self._blind is not None:
            reached = self._blind.reached(low, high)
            ends = self._blind.ends(reached)
            least += ends[0].sum(axis=1)[:, None]
            most += ends[1].sum(axis=1)[:, None]
            self._promise(self._blind, reached, ends[1] - ends[0], scores)
        if self._asking is not None:
            self._add_asking(self._asking, (low, high), least, most, between, scores)
        return Relaxed(least, most, between, np.empty(0))

    def _add_asking(
        self,
        forest: _Forest,
        box: tuple[Integers, Integers],
        least: Integers,
        most: Integers,
        between: Integers,
        scores: npt.NDArray[np.float64],
    ) -> None:
        """Add the trees that ask sensitive values to bounds of scores and of differences."""
        reached = forest.reached(*box)
        count = len(self._groups)
        open_to = [reached & forest.groups[group] for group in range(count)]
        ends = [forest.ends(flags) for flags in open_to]
        for group, (low, high) in enumerate(ends):
            least[:, group] += low.sum(axis=1)
            most[:, group] += high.sum(axis=1)
        for group in range(count):
            for other in range(count):
                if group != other:
                    # Who reaches a leaf that is open to both groups reaches it in both.
                    own = forest.ends(open_to[group] & ~forest.groups[other])[1]
                    others = forest.ends(open_to[other] & ~forest.groups[group])[0]
                    apart = (own > -_NONE) & (others < _NONE)
                    between[:, group, other] += np.where(apart, np.maximum(own - others, 0), 0).sum(axis=1)
        spread = np.max([high for _, high in ends], axis=0) - np.min([low for low, _ in ends], axis=0)
        self._promise(forest, reached, spread, scores)

    def _promise(self, forest: _Forest, reached: Flags, spread: Integers, scores: npt.NDArray[np.float64]) -> None:
        """Add to each cell the spread of the trees of whose reached leaves one begins or ends after it."""
        leaf, feature, cell = forest.edges
        place = self._places[feature] + cell
        tree = np.searchsorted(forest.begins, np.arange(len(forest.values)), side="right") - 1
        for row in range(len(reached)):
            weights = np.where(reached[row], spread[row][tree], 0)[leaf]
            scores[row] += np.bincount(place, weights, minlength=scores.shape[1])


@dataclass(frozen=True, eq=False)
class _Leaf:
    """A leaf: its value, the cells that the way to it allows of the features that it asks, and the groups."""

    value: int
    allowed: dict[int, Flags]
    groups: Flags


def _leaves(model: EnsembleModel, root: int, cells: Cells) -> Iterator[_Leaf]:
    """Yield the leaves of a tree that somebody of the domain reaches."""
    ahead: list[tuple[Child, dict[int, Flags]]] = [
        (Child(True, root), {-1: np.ones(len(cells.groups), dtype=np.bool_)})
    ]
    while ahead:
        child, way = ahead.pop()
        if not child.is_node:
            yield _Leaf(child.number, {feature: flags for feature, flags in way.items() if feature >= 0}, way[-1])
            continue
        predicate = model.nodes.predicates[child.number]
        feature, holds = cells.features[predicate], cells.holds[predicate]
        for flags, below in zip((~holds, holds), model.nodes.children[child.number], strict=True):
            allowed = way.get(feature, True) & flags
            if allowed.any():
                ahead.append((below, way | {feature: allowed}))


def _forest(trees: list[list[_Leaf]], cells: Cells) -> _Forest | None:
    """Return the leaves of trees as arrays; None without any."""
    if not trees:
        return None
    leaves = [leaf for tree in trees for leaf in tree]
    nearest = []
    edges: list[tuple[Integers, Integers, Integers]] = []
    for feature, size in enumerate(cells.sizes):
        allowed = np.ones((len(leaves), size), dtype=np.bool_)
        for place, leaf in enumerate(leaves):
            if feature in leaf.allowed:
                allowed[place] = leaf.allowed[feature]
        # From the last cell backwards, the least allowed one so far.
        cell = np.where(allowed, np.arange(size, dtype=np.int32), np.int32(size))
        nearest.append(np.ascontiguousarray(np.minimum.accumulate(cell[:, ::-1], axis=1)[:, ::-1].T))
        leaf_places, ends = np.nonzero(allowed[:, 1:] != allowed[:, :-1])
        edges.append((leaf_places, np.full(len(ends), feature), ends))
    begins = np.cumsum([0, *(len(tree) for tree in trees[:-1])])
    joined = tuple(np.concatenate(parts) for parts in zip(*edges, strict=True))
    return _Forest(
        begins,
        np.array([leaf.value for leaf in leaves], dtype=np.int64),
        tuple(nearest),
        np.array([leaf.groups for leaf in leaves]).T,
        (joined[0], joined[1], joined[2]),
    )


def _ends(values: Integers, low: int, high: int) -> tuple[int, int]:
    """Return the least and the largest of some cells' values."""
    own = values[low : high + 1]
    return int(own.min()), int(own.max())
