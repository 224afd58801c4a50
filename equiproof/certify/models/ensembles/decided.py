"""Decisions of an exact score and of its integers on raw rows, and which of them rounding may change."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Row, encode_rows
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.decisions_compared import Decided
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.ensembles.exact_trees import ExactTree
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.circuits.spec import Spec

Bounds = tuple[int, int]


def score_decided(score: Score, model: AdditiveModel | EnsembleModel, spec: Spec, rows: Sequence[Row]) -> Decided:
    """Decide raw rows by an exact score, on columns that are not rounded, and by its integers.

    Raises DataError naming a row that does not fit the spec.
    """
    totals = score.totals(spec, rows)
    cut = Fraction(spec.threshold) * score.unit
    logits = [[float((Fraction(int(total)) - cut) / score.unit)] for total in totals]

    around = _Around(score, spec)

    def near(row: int, label: int) -> bool:
        """Return whether numbers moved by half a step of the grid may give a row a label."""
        least, largest = around.bounds(rows[row], row + 1)
        return largest > cut if label else least <= cut

    return Decided(
        (totals > math.floor(cut)).astype(np.int64),
        committed_scores(model, encode_rows(spec, rows))[:, None],
        np.array(logits).reshape(len(rows), 1),
        near,
        Fraction(0),
    )


class _Around:
    """Bounds of a score where each number of a row moves by at most half a step of the grid."""

    def __init__(self, score: Score, spec: Spec) -> None:
        """Add up the jumps of each column, and number the steps within their columns."""
        self._score = score
        self._reach = Fraction(1, 2 * spec.scale_unit)
        self._placed = placed(spec)
        self._ends: dict[int, list[tuple[Fraction, int]]] = {}
        self._levels: dict[int, list[int]] = {}
        for column, steps in score.by_column.items():
            # An open ray begins behind its end, a closed one on it.
            self._ends[column] = [(step.ray.end, 0 if step.ray.closed else 2) for step in steps]
            self._levels[column] = list(accumulate((int(step.jump * score.unit) for step in steps), initial=0))
        self._places = [place for steps in score.by_column.values() for place in range(len(steps))]

    def bounds(self, row: Row, number: int) -> Bounds:
        """Return bounds of the score of a row in multiples of 1 / unit; `number` is for messages."""
        score = self._score
        ranks: dict[int, Bounds] = {}
        for feature, first in self._placed:
            reach = Fraction(0) if feature.domain else self._reach
            for column, value in enumerate(exact_columns(feature, row[feature.name], number), start=first):
                ends = self._ends.get(column, [])
                ranks[column] = (bisect_right(ends, (value - reach, 1)), bisect_right(ends, (value + reach, 1)))
        least = largest = int(score.base * score.unit)
        for column, levels in self._levels.items():
            low, high = ranks[column]
            least, largest = least + min(levels[low : high + 1]), largest + max(levels[low : high + 1])
        for tree in score.trees:
            values = [int(leaf * score.unit) for leaf in self._leaves(tree, ranks)]
            least, largest = least + min(values), largest + max(values)
        return least, largest

    def _leaves(self, tree: ExactTree, ranks: Mapping[int, Bounds]) -> list[Fraction]:
        """Return the leaves that a row may reach."""
        ahead = [0]
        reached = []
        while ahead:
            place = ahead.pop()
            if place < 0:
                reached.append(tree.leaves[~place])
                continue
            branch = tree.branches[place]
            least, largest = ranks[self._score.steps[branch.step].column]
            if largest > self._places[branch.step]:
                ahead.append(branch.high)
            if least <= self._places[branch.step]:
                ahead.append(branch.low)
        return reached
