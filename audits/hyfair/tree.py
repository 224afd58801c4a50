"""Evidence that a box of applicants is treated alike, and the function that checks it in exact integers.

The evidence is a tree of splits of the box by one feature's index; nothing else in it is believed. A leaf holds where
bounds over its box, computed anew in integers, leave no pair of protected assignments room for the property, or where
its few applicants, taken one by one, do not have it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import msgspec
import numpy as np

from audits.hyfair.bounds import Relaxed, corners
from audits.hyfair.clusters import Flags, Judge
from audits.hyfair.grid import Box, Integers
from audits.hyfair.scores import gap_at_most

Property = Literal["apart", "flipped"]

FEW = 64
"""A leaf of so many applicants or fewer may be shown one by one."""

_LEAF = -1
_BATCH = 64


class TreeError(ValueError):
    """Evidence that does not show what it is for; one line naming the leaf."""


class Tree(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree of splits in preorder: (feature, index) sends indices up to `index` left; (-1, 0) is a leaf."""

    nodes: tuple[tuple[int, int], ...]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(feature == _LEAF for feature, _ in self.nodes)


@dataclass(frozen=True, eq=False)
class Boxes:
    """A batch of boxes: the least and the largest indices, shape (B, F) each."""

    low: Integers
    high: Integers


def check(judge: Judge, wanted: Property, box: Box, tree: Tree) -> None:
    """Accept evidence that no applicant of a box has a property; raises TreeError otherwise.

    What is trusted is this module, :mod:`audits.hyfair.bounds` and :mod:`audits.hyfair.scores`, all exact.
    """
    leaves = leaves_of(tree, box)
    for start in range(0, len(leaves.low), _BATCH):
        batch = Boxes(leaves.low[start : start + _BATCH], leaves.high[start : start + _BATCH])
        held = holds(judge, wanted, batch)
        for index in np.flatnonzero(~held):
            low, high = batch.low[index], batch.high[index]
            if (high - low + 1).prod(dtype=np.float64) > FEW or not alike(judge, wanted, (low, high)):
                raise TreeError(f"leaf {start + int(index) + 1} of {len(leaves.low)}: bounds leave room for {wanted}")


def leaves_of(tree: Tree, box: Box) -> Boxes:
    """Return the leaves' boxes, which cover the box by construction; raises TreeError for text that is no tree."""
    low, high = ([int(end) for end in side] for side in box)
    pending, found = [(low, high)], []
    for number, (feature, index) in enumerate(tree.nodes, start=1):
        if not pending:
            raise TreeError(f"node {number}: the tree has ended")
        low, high = pending.pop()
        if feature == _LEAF:
            found.append((low, high))
            continue
        if not (0 <= feature < len(low) and low[feature] <= index < high[feature]):
            raise TreeError(f"node {number}: feature {feature} is not split at {index}")
        left, right = list(high), list(low)
        left[feature], right[feature] = index, index + 1
        pending += [(right, high), (low, left)]
    if pending or not found:
        raise TreeError(f"{len(pending)} branches of the tree have no leaf")
    ends = np.array(found, dtype=np.int64)
    return Boxes(ends[:, 0], ends[:, 1])


def holds(judge: Judge, wanted: Property, boxes: Boxes) -> Flags:
    """Tell of which boxes exact bounds show that no applicant has the property."""
    forward = judge.forward
    relaxation = judge.proving
    low, high = corners(forward.grid, (boxes.low, boxes.high))
    return excluded(relaxation.bound(low.astype(relaxation.table.dtype), high.astype(relaxation.table.dtype)),
                    wanted, forward.margin.unit, judge.epsilon)  # fmt: skip


def excluded(bounds: Relaxed, wanted: Property, unit: int, epsilon: Fraction) -> Flags:
    """Tell of which boxes bounds exclude the property.

    The label flips only where one margin is above 0, another is not, and so the one exceeds the other. Scores are apart
    only where two margins within the bounds, no further from each other than their difference allows, are.
    """
    if wanted == "flipped":
        room = (bounds.high[:, :, None] > 0) & (bounds.low[:, None, :] <= 0) & (bounds.between > 0)
        count = room.shape[1]
        room[:, np.arange(count), np.arange(count)] = False
        flipless: Flags = ~np.asarray(room.any(axis=(1, 2)))
        return flipless
    least, most, between = bounds.low.min(axis=1), bounds.high.max(axis=1), bounds.between.max(axis=(1, 2))
    return np.array(
        [
            gap_at_most(Fraction(int(low), unit), Fraction(int(high), unit), Fraction(int(apart), unit), epsilon)
            for low, high, apart in zip(least, most, between, strict=True)
        ],
        dtype=np.bool_,
    )


def alike(judge: Judge, wanted: Property, box: Box) -> bool:
    """Tell whether no applicant of a small box has the property, one by one in exact numbers."""
    return witness_in(judge, wanted, box) is None


def witness_in(judge: Judge, wanted: Property, box: Box) -> Integers | None:
    """Return the first applicant of a small box that has the property, None where none has."""
    ranges = [range(int(low), int(high) + 1) for low, high in zip(*box, strict=True)]
    applicants = np.array(list(itertools.product(*ranges)), dtype=np.int64)
    hits = np.flatnonzero(getattr(judge.judge(applicants), wanted))
    return applicants[hits[0]] if len(hits) else None
