"""Branch and bound over the integer domain: a counterexample, or a tree of boxes that an exact checker accepts.

Float bounds choose splits and propose leaves; the checker's own exact bounds confirm every leaf before it is kept. If
the budget ends first, nothing is claimed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from equiproof.audits.hyfair.bounds import corners
from equiproof.audits.hyfair.clusters import Flags, Judge
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Box, Integers
from equiproof.audits.hyfair.search import Clock
from equiproof.audits.hyfair.tree import (
    ENUMERATION_LIMIT,
    Aim,
    Boxes,
    Tree,
    check,
    counterexample_in,
    excluded,
    has,
    holds,
    spared,
)

_BATCH = 64
_FLOAT_ERROR = 1e-9
"""The relative error assumed of float bounds when they propose a leaf; exact bounds decide."""


@dataclass(frozen=True)
class Budget:
    """Limits of branch and bound: boxes bounded, and seconds of the `clock`, wall time by default."""

    boxes: int = 100_000
    seconds: float = 60.0
    clock: Clock = time.perf_counter


@dataclass(frozen=True, eq=False)
class Branched:
    """The end of a search: a `tree` that :func:`check` accepted, a `counterexample`, or neither and a `reason`.

    The counterexample is an applicant, indices of shape (F,).
    `boxes` counts boxes bounded; `covered` is the share of the applicants in settled leaves.
    """

    tree: Tree | None
    counterexample: Integers | None
    reason: str | None
    boxes: int
    covered: float
    seconds: float


def branch(judge: Judge, aim: Aim, box: Box, budget: Budget, seed: int = 0) -> Branched:
    """Search a box for an applicant with the wanted property until one is found, none is left, or the budget ends."""
    return _Run(judge, aim, box, budget, seed).done()


class _Run:
    """One search: open boxes on a stack, the tree as splits by node number."""

    def __init__(self, judge: Judge, aim: Aim, box: Box, budget: Budget, seed: int) -> None:
        self.judge = judge
        self.aim = aim
        self.budget = budget
        self.box = box
        self.rng = np.random.default_rng(seed)
        self.begun = budget.clock()
        self.splits: dict[int, tuple[int, int, int, int]] = {}
        self.open: list[tuple[int, Box]] = [(0, box)]
        self.nodes = 1
        self.bounded = 0
        self.covered = 0.0
        self.total = _size(box)

    def done(self) -> Branched:
        """Settle boxes until none is open."""
        while self.open:
            if (reason := self._ended()) is not None:
                return self._result(None, None, reason)
            batch = self.open[-_BATCH:]
            self.open = self.open[:-_BATCH]
            counterexample = self._settle(batch)
            if counterexample is not None:
                return self._result(None, counterexample, None)
        tree = Tree(tuple(self._preorder()))
        check(self.judge, self.aim, self.box, tree)
        return self._result(tree, None, None)

    def _result(self, tree: Tree | None, counterexample: Integers | None, reason: str | None) -> Branched:
        """Return the outcome of the search."""
        seconds = self.budget.clock() - self.begun
        return Branched(tree, counterexample, reason, self.bounded, self.covered / self.total, seconds)

    def _ended(self) -> str | None:
        """Return which budget has ended, None if none has."""
        if self.bounded >= self.budget.boxes:
            return f"the limit of {self.budget.boxes} boxes was reached, {len(self.open)} are open"
        if self.budget.clock() - self.begun >= self.budget.seconds:
            return f"the limit of {self.budget.seconds:g} seconds was reached, {len(self.open)} boxes are open"
        return None

    def _settle(self, batch: list[tuple[int, Box]]) -> Integers | None:
        """Bound boxes, keep leaves, split the others; return a counterexample if one is found."""
        boxes = Boxes(np.array([box[0] for _, box in batch]), np.array([box[1] for _, box in batch]))
        low, high = corners(self.judge.forward.grid, (boxes.low, boxes.high))
        likely, slopes = _likely(self.judge, self.aim, low.astype(np.float64), high.astype(np.float64))
        self.bounded += len(batch)
        undecided = ~self._leaves(likely, boxes)
        for index in np.flatnonzero(~undecided):
            self.covered += _size((boxes.low[index], boxes.high[index]))
        if not undecided.any():
            return None
        if (counterexample := self._tried(boxes.low[undecided], boxes.high[undecided])) is not None:
            return counterexample
        moves = self._moves(slopes, low, high)
        for index in np.flatnonzero(undecided):
            box = boxes.low[index], boxes.high[index]
            if _size(box) <= ENUMERATION_LIMIT:
                if (counterexample := counterexample_in(self.judge, self.aim, box)) is not None:
                    return counterexample
                self.covered += _size(box)
            else:
                self._split(batch[index][0], box, moves[index])
        return None

    def _leaves(self, likely: Flags, boxes: Boxes) -> Flags:
        """Return which boxes are leaves: floats propose, exact bounds decide."""
        leaves = likely.copy()
        if leaves.any():
            leaves[leaves] = holds(self.judge, self.aim, Boxes(boxes.low[leaves], boxes.high[leaves]))
        return leaves

    def _tried(self, low: Integers, high: Integers) -> Integers | None:
        """Judge the corners by index, the middle and one random applicant of each box."""
        random = self.rng.integers(low, high + 1)
        applicants = np.concatenate([low, high, (low + high) // 2, random])
        hits = np.flatnonzero(has(self.judge, self.aim, applicants))
        return applicants[hits[0]] if len(hits) else None

    def _moves(self, slopes: Floats, low: Integers, high: Integers) -> Floats:
        """Return how much each feature's room in a box moves a margin at most, shape (B, F)."""
        moved = slopes * (high - low)
        place = 0
        by_feature = []
        for level in self.judge.forward.grid.levels:
            by_feature.append(moved[:, place : place + level.shape[1]].sum(axis=1))
            place += level.shape[1]
        return np.stack(by_feature, axis=1)

    def _split(self, node: int, box: Box, moves: Floats) -> None:
        """Split a box in the middle of the feature that moves the margin most."""
        low, high = box
        feature = int(np.where(high > low, moves, -1.0).argmax())
        index = int(low[feature] + high[feature]) // 2
        left = high.copy()
        right = low.copy()
        left[feature] = index
        right[feature] = index + 1
        self.splits[node] = (feature, index, self.nodes, self.nodes + 1)
        self.open += [(self.nodes + 1, (right, high)), (self.nodes, (low, left))]
        self.nodes += 2

    def _preorder(self) -> list[tuple[int, int]]:
        """Return the tree's nodes in preorder."""
        nodes = []
        pending = [0]
        while pending:
            node = pending.pop()
            if node in self.splits:
                feature, index, left, right = self.splits[node]
                nodes.append((feature, index))
                pending += [right, left]
            else:
                nodes.append((-1, 0))
        return nodes


def _size(box: Box) -> float:
    """Return the number of applicants of a box."""
    return float((box[1] - box[0] + 1).prod(dtype=np.float64))


def _likely(judge: Judge, aim: Aim, low: Floats, high: Floats) -> tuple[Flags, Floats]:
    """Return which boxes of columns are leaves by float bounds, and the slopes of the columns."""
    if not isinstance(aim, str):
        return spared(judge, judge.guiding, aim, low, high)
    unit = judge.forward.margin.unit
    bounds = judge.guiding.bound(low, high)
    if aim == "flipped":
        return excluded(bounds, aim, unit, judge.epsilon), bounds.slopes
    least = bounds.low.min(axis=1) / unit
    most = bounds.high.max(axis=1) / unit
    step = np.minimum(bounds.between.max(axis=(1, 2)) / unit, most - least)
    start = np.minimum(np.maximum(-step / 2, least), most - step)
    # As `gap_at_most` in floats: the score is (1 + tanh(m / 2)) / 2.
    growth = (np.tanh((start + step) / 2) - np.tanh(start / 2)) / 2
    likely: Flags = growth <= float(judge.epsilon) * (1 + _FLOAT_ERROR)
    return likely, bounds.slopes
