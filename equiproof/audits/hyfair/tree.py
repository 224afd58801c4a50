"""Evidence that no applicant of a box has a property or more than k clusters, and its check in exact integers.

The evidence is a tree that splits the box by one feature's index at a time; nothing else in it is trusted. A leaf is
valid if bounds over its box, recomputed in integers, exclude the property for every pair of protected assignments, or
if its few applicants, checked one by one, do not have it.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from equiproof.audits.hyfair.bounds import Numbers, Relaxation, Relaxed, corners
from equiproof.audits.hyfair.clusters import Flags, Judge, Property
from equiproof.audits.hyfair.grid import Box, Integers
from equiproof.audits.hyfair.scores import bucket_count, gap_at_most, threshold

Aim = Property | int | tuple[int, int]
"""What is searched for: a property; as one number, more clusters by buckets than that; as two, a score outside the
buckets from the first to the second."""

ENUMERATION_LIMIT = 64
"""The most applicants of a leaf that are checked one by one."""

_LEAF = -1
_BATCH = 64


class TreeError(ValueError):
    """Invalid evidence; one line naming the leaf."""


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


def has(judge: Judge, aim: Aim, applicants: Integers) -> Flags:
    """Return exactly which applicants have the wanted property."""
    if isinstance(aim, tuple):
        places = judge.places(applicants)
        return np.asarray(((places < aim[0]) | (places > aim[1])).any(axis=1))
    judgement = judge.judge(applicants)
    flags: Flags = np.asarray(judgement.buckets > aim if isinstance(aim, int) else getattr(judgement, aim))
    return flags


def check(judge: Judge, aim: Aim, box: Box, tree: Tree) -> None:
    """Check evidence that no applicant of a box has a property; raises TreeError if it is not valid.

    Only this module, :mod:`equiproof.audits.hyfair.bounds` and :mod:`equiproof.audits.hyfair.scores` are trusted (and
    :mod:`equiproof.audits.hyfair.signs` for evidence by signs); all of them are exact.
    """
    leaves = leaves_of(tree, box)
    for start in range(0, len(leaves.low), _BATCH):
        batch = Boxes(leaves.low[start : start + _BATCH], leaves.high[start : start + _BATCH])
        held = holds(judge, aim, batch)
        for index in np.flatnonzero(~held):
            low = batch.low[index]
            high = batch.high[index]
            if (high - low + 1).prod(dtype=np.float64) > ENUMERATION_LIMIT or not alike(judge, aim, (low, high)):
                leaf = f"leaf {start + int(index) + 1} of {len(leaves.low)}"
                raise TreeError(f"{leaf}: bounds leave room for {_words(aim)}")


def leaves_of(tree: Tree, box: Box) -> Boxes:
    """Return the leaves' boxes, which cover the box by construction; raises TreeError for an invalid tree."""
    low, high = ([int(end) for end in side] for side in box)
    pending = [(low, high)]
    boxes = []
    for number, (feature, index) in enumerate(tree.nodes, start=1):
        if not pending:
            raise TreeError(f"node {number}: the tree has ended")
        low, high = pending.pop()
        if feature == _LEAF:
            boxes.append((low, high))
            continue
        if not (0 <= feature < len(low) and low[feature] <= index < high[feature]):
            raise TreeError(f"node {number}: feature {feature} is not split at {index}")
        left = list(high)
        right = list(low)
        left[feature] = index
        right[feature] = index + 1
        pending += [(right, high), (low, left)]
    if pending or not boxes:
        raise TreeError(f"{len(pending)} branches of the tree have no leaf")
    ends = np.array(boxes, dtype=np.int64)
    return Boxes(ends[:, 0], ends[:, 1])


def holds(judge: Judge, aim: Aim, boxes: Boxes) -> Flags:
    """Return for which boxes exact bounds show that no applicant has what is wanted."""
    relaxation = judge.proving
    low, high = (end.astype(relaxation.table.dtype) for end in corners(judge.forward.grid, (boxes.low, boxes.high)))
    if not isinstance(aim, str):
        return spared(judge, relaxation, aim, low, high)[0]
    return excluded(relaxation.bound(low, high), aim, judge.forward.margin.unit, judge.epsilon)


def excluded(bounds: Relaxed, aim: Property, unit: int, epsilon: Fraction) -> Flags:
    """Return for which boxes bounds exclude the property.

    Scores are apart only where two margins within the bounds, no further from each other than their difference allows,
    are.
    """
    if aim == "flipped":
        return flipless(bounds)
    least = bounds.low.min(axis=1)
    most = bounds.high.max(axis=1)
    between = bounds.between.max(axis=(1, 2))
    return np.array(
        [
            gap_at_most(Fraction(int(low), unit), Fraction(int(high), unit), Fraction(int(apart), unit), epsilon)
            for low, high, apart in zip(least, most, between, strict=True)
        ],
        dtype=np.bool_,
    )


def flipless(bounds: Relaxed) -> Flags:
    """Return for which boxes bounds exclude that a margin is above 0 under one assignment, and not under another.

    It is so only where one margin is above 0, another is not, and so the one exceeds the other.
    """
    pairs = (bounds.high[:, :, None] > 0) & (bounds.low[:, None, :] <= 0) & (bounds.between > 0)
    count = pairs.shape[1]
    pairs[:, np.arange(count), np.arange(count)] = False
    flags: Flags = ~np.asarray(pairs.any(axis=(1, 2)))
    return flags


def spared(
    judge: Judge, relaxation: Relaxation, aim: int | tuple[int, int], low: Numbers, high: Numbers
) -> tuple[Flags, Numbers]:
    """Return for which boxes of columns, shape (B, n_x), bounds exclude the wanted score or k; and the slopes.

    The scores of one applicant fill no more buckets than any margin of the box can reach. Where there are fewer
    assignments than buckets, each fills one of the buckets between its own bounds, and k is at most the size of a
    largest matching of the two. Exact for a relaxation in integers.
    """
    least, most, slopes = relaxation.hull(low, high)
    first = _bucket(judge, least)
    last = _bucket(judge, most)
    if isinstance(aim, tuple):
        return (first >= aim[0]) & (last <= aim[1]), slopes
    counts: Integers = 1 + last - first
    groups = len(relaxation.table)
    if groups < bucket_count(judge.epsilon):
        wide = np.flatnonzero(counts > aim)
        if len(wide):
            ends = (_bucket(judge, side).tolist() for side in relaxation.margins(low[wide], high[wide])[:2])
            counts[wide] = np.minimum(counts[wide], [matched(*pair) for pair in zip(*ends, strict=True)])
    return counts <= aim, slopes


def _bucket(judge: Judge, margins: Numbers) -> Integers:
    """Return the buckets of margins in integers of their unit, exactly; for floats, as precisely as floats allow."""
    n = bucket_count(judge.epsilon)
    kind = np.float64 if margins.dtype == np.float64 else object
    edges = np.array([threshold(i, n, judge.forward.margin.unit) for i in range(1, n)], dtype=kind)
    buckets: Integers = np.searchsorted(edges, margins.astype(kind), side="right")
    return buckets


def bucket_of(judge: Judge, margin: int) -> int:
    """Return the bucket of one margin, in integers of its unit, exactly."""
    return int(_bucket(judge, np.array([margin], dtype=object))[0])


def matched(first: Sequence[int], last: Sequence[int]) -> int:
    """Return the most distinct whole numbers that can be assigned, one to each interval that contains it.

    Number by number, the open interval that ends first takes it (Glover 1967).
    """
    waiting = sorted(zip(first, last, strict=True), reverse=True)
    taking: list[int] = []
    count = 0
    for number in range(min(first), max(last) + 1):
        while waiting and waiting[-1][0] <= number:
            heapq.heappush(taking, waiting.pop()[1])
        while taking and taking[0] < number:
            heapq.heappop(taking)
        if taking:
            heapq.heappop(taking)
            count += 1
    return count


def _words(aim: Aim) -> str:
    """Name what is wanted."""
    if isinstance(aim, tuple):
        return f"a score outside of buckets {aim[0]} to {aim[1]}"
    return f"more than {aim} clusters" if isinstance(aim, int) else aim


def alike(judge: Judge, aim: Aim, box: Box) -> bool:
    """Return whether no applicant of a small box has the property, checked one by one in exact numbers."""
    return counterexample_in(judge, aim, box) is None


def counterexample_in(judge: Judge, aim: Aim, box: Box) -> Integers | None:
    """Return the first applicant of a small box that has the property, None if there is no such applicant."""
    ranges = [range(int(low), int(high) + 1) for low, high in zip(*box, strict=True)]
    applicants = np.array(list(itertools.product(*ranges)), dtype=np.int64)
    hits = np.flatnonzero(has(judge, aim, applicants))
    return applicants[hits[0]] if len(hits) else None
