"""Networks on boxes: exact bounds of margins under every sensitive value, and of the differences between two of them.

Each label has a margin, which is above 0 exactly where it is decided. Nobody of a box gets different decisions if no
margin can be above 0 under one value and not under another; everybody gets two labels if the margins of both are above
0, each under some value. Floats propose, integers decide. Of an open box of two labels, the applicants are counted whom
linear bounds of the margins settle.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np

from equiproof.audits.hyfair.bounds import Numbers, Relaxation, Relaxed, corners
from equiproof.audits.hyfair.clusters import Flags, Judge
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.tree import flipless
from equiproof.audits.unfair.halfspaces import Halfspaces
from equiproof.audits.unfair.search import Judged
from equiproof.audits.unfair.weights import Weights

MOST_COUNTED = 256
"""Applicants of a box that cost about as much one by one as bounds of a box do."""


class NetworkOnBoxes:
    """A network on the levels of a grid; `judges` has the judge of label 1 of two labels, or one of every label."""

    most_counted = MOST_COUNTED

    def __init__(self, judges: Sequence[Judge], weights: Weights) -> None:
        """Keep the judges, of one grid, and the weights of its levels."""
        self.judges = tuple(judges)
        self._halfspaces = Halfspaces.of(self.grid, weights)
        # Threads share them: made before there are any.
        for judge in self.judges:
            _ = judge.guiding, judge.proving, judge.forward.error, judge.forward.floats

    @property
    def grid(self) -> Grid:
        """The domain."""
        return self.judges[0].forward.grid

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each feature."""
        return tuple(self.grid.sizes.tolist())

    def boxes(self, low: Integers, high: Integers) -> Judged:
        """Judge boxes of levels, shape (B, F) each; a box is halved where its columns move the margins most."""
        columns = corners(self.grid, (low, high))
        bounds = [_bounded(judge.guiding, columns) for judge in self.judges]
        fair, unfair = _proven(self._of_labels(bounds))
        if (likely := np.flatnonzero(fair | unfair)).size:
            exact = [_bounded(judge.proving, (columns[0][likely], columns[1][likely])) for judge in self.judges]
            for flags, own in zip((fair, unfair), _proven(self._of_labels(exact)), strict=True):
                flags[:] = False
                flags[likely] = own
        parts = self._parts(low, high, columns, np.flatnonzero(~(fair | unfair)).tolist())
        features = self._moves(np.sum([one.slopes for one in bounds], axis=0), columns, high > low).argmax(axis=1)
        rows = np.arange(len(low))
        return Judged(fair, unfair, features, (low[rows, features] + high[rows, features]) // 2, parts)

    def applicants(self, places: Integers) -> tuple[Flags, Flags]:
        """Return who is fair and who is unfair, exactly."""
        signs = [_signs(judge, places) for judge in self.judges]
        if len(signs) == 1:
            signs.append(-signs[0])
        decided = np.stack([own > 0 for own in signs])
        unfair: Flags = decided.any(axis=2).sum(axis=0) > 1
        alike = (decided.all(axis=2) | ~decided.any(axis=2)).all(axis=0)
        return np.asarray(alike), unfair

    def _parts(
        self, low: Integers, high: Integers, columns: tuple[Numbers, Numbers], places: list[int]
    ) -> dict[int, tuple[int, int]]:
        """Return weights of two labels' open boxes that linear bounds of the margins prove fair and unfair."""
        if self._halfspaces is None or len(self.judges) > 1 or not places:
            return {}
        kind = self.judges[0].proving.table.dtype
        ends = columns[0][places].astype(kind), columns[1][places].astype(kind)
        slopes, constants = (-one.astype(np.object_) for one in self.judges[0].proving.lines(*ends))
        found = {}
        for number, place in enumerate(places):
            if prod((high[place] - low[place] + 1).tolist()) > self.most_counted:
                box = ends[0][number].astype(np.object_), ends[1][number].astype(np.object_)
                # Lower bounds of the margins with a minus, and of the margins.
                lines = [(slopes[number, :, side], constants[number, :, side]) for side in (0, 1)]
                found[place] = _settled(self._halfspaces, lines, box, low[place], high[place])
        return found

    def _of_labels(self, bounds: list[Relaxed]) -> list[Relaxed]:
        """Return bounds of every label's margin: of two labels, the second margin is the first one with a minus."""
        if len(bounds) > 1:
            return bounds
        one = bounds[0]
        return [one, Relaxed(-one.high, -one.low, np.swapaxes(one.between, 1, 2), one.slopes)]

    def _moves(self, slopes: Numbers, columns: tuple[Numbers, Numbers], splits: Flags) -> Numbers:
        """Return how much each feature moves a margin at most, shape (B, F); less than 0 of one with a single level."""
        moved = slopes * (columns[1] - columns[0])
        ends = np.cumsum([0, *(level.shape[1] for level in self.grid.levels)])
        moves = np.stack([moved[:, a:b].sum(axis=1) for a, b in pairwise(ends)], axis=1)
        return np.where(splits, moves, -1)


Lines = tuple[Numbers, Numbers]
"""Slopes of columns, shape (S, n_x), and constants, shape (S,), in Python's integers."""


def _settled(
    halfspaces: Halfspaces, lines: Sequence[Lines], ends: tuple[Numbers, Numbers], low: Integers, high: Integers
) -> tuple[int, int]:
    """Return weights of a box that lower bounds of a margin with a minus, and of the margin, prove fair and unfair.

    `ends` are the box's columns, which reach from `low` to `high` in levels. Fair is where all margins are on one side;
    unfair where one is below 0 and one above: at least what both sides have together beyond the whole box.
    """
    fair = 0
    beyond = -halfspaces.weight(low, high)
    for slopes, constants in lines:
        middle = slopes @ (ends[0] + ends[1]) + 2 * constants
        worst, best = int(middle.argmin()), int(middle.argmax())
        others = slopes - slopes[worst]
        gaps = np.maximum(others, 0) @ ends[0] + np.minimum(others, 0) @ ends[1] + constants
        fair += halfspaces.above(slopes[worst].tolist(), int(gaps.min()), low, high)
        beyond += halfspaces.above(slopes[best].tolist(), int(constants[best]), low, high)
    return fair, max(0, beyond)


def _bounded(relaxation: Relaxation, columns: tuple[Numbers, Numbers]) -> Relaxed:
    """Bound the margins over boxes of columns, in the numbers of a relaxation."""
    kind = relaxation.table.dtype
    return relaxation.bound(columns[0].astype(kind), columns[1].astype(kind))


def _proven(labels: Sequence[Relaxed]) -> tuple[Flags, Flags]:
    """Return which boxes are fair and which unfair by bounds of every label's margin."""
    fair = np.logical_and.reduce([flipless(one) for one in labels])
    reached = sum((one.low > 0).any(axis=1).astype(np.int64) for one in labels)
    return fair, np.asarray(reached > 1)


def _signs(judge: Judge, places: Integers) -> Integers:
    """Return the signs of margins, shape (n, S): of floats where their error allows it, else of integers."""
    margins = judge.forward.margins(places)
    signs = np.sign(margins).astype(np.int64)
    for place in np.flatnonzero((abs(margins) <= judge.forward.error).any(axis=1)):
        signs[place] = [(margin > 0) - (margin < 0) for margin in judge.forward.exact(places[place])]
    return signs
