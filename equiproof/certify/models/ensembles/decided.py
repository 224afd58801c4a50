"""Decisions of an exact score and of its integers on raw rows, and which of them rounding may change."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

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
    # The quotient of two integers is the nearest float, as that of a fraction is.
    above, below = cut.numerator, cut.denominator
    common = below * score.unit
    logits = [(total * below - above) / common for total in totals.tolist()]

    def near(row: int, label: int) -> bool:
        """Return whether numbers moved by half a step of the grid may give a row a label."""
        least, largest = _around(score, spec, rows[row], row + 1)
        return largest > cut if label else least <= cut

    return Decided(
        (totals > math.floor(cut)).astype(np.int64),
        committed_scores(model, encode_rows(spec, rows))[:, None],
        np.array(logits).reshape(len(rows), 1),
        near,
        Fraction(0),
    )


def _around(score: Score, spec: Spec, row: Row, number: int) -> Bounds:
    """Return bounds of a score in multiples of 1 / unit where each number of a row moves by at most half a step.

    `number` is the row's, for messages.
    """
    half = Fraction(1, 2 * spec.scale_unit)
    least = largest = int(score.base * score.unit)
    lacking = set[int]()
    ranks = {column: (int(own), int(own)) for column, own in _sets_of(score, spec, row)}
    for feature, first in placed(spec, score.set_count):
        if row[feature.name] is None and feature.may_miss:
            for column in range(first, first + feature.width):
                level = int(score.absent.get(column, 0) * score.unit)
                least, largest = least + level, largest + level
                lacking.add(column)
            continue
        reach = Fraction(0) if feature.domain else half
        for column, value in enumerate(exact_columns(feature, row[feature.name], number), start=first):
            ends, levels = score.ends.get(column, ((), (0,)))
            low, high = bisect_right(ends, (value - reach, 1)), bisect_right(ends, (value + reach, 1))
            ranks[column] = low, high
            least, largest = least + min(levels[low : high + 1]), largest + max(levels[low : high + 1])
    for tree in score.trees:
        values = [int(leaf * score.unit) for leaf in _leaves(score, tree, ranks, lacking)]
        least, largest = least + min(values), largest + max(values)
    return least, largest


def _sets_of(score: Score, spec: Spec, row: Row) -> Iterator[tuple[int, int]]:
    """Yield the columns of the sets, and whether the row's value is in the set."""
    behind = spec.plain_columns
    ranks = score.ranks(spec, [row])[0] if score.sets else ()
    for column in range(behind, behind + score.set_count):
        yield column, int(ranks[column])


def _leaves(score: Score, tree: ExactTree, ranks: Mapping[int, Bounds], lacking: Collection[int]) -> list[Fraction]:
    """Return the leaves that a row may reach whose ranks are within these bounds, by column, and which lacks some."""
    ahead = [0]
    reached = []
    while ahead:
        place = ahead.pop()
        if place < 0:
            reached.append(tree.leaves[~place])
            continue
        branch = tree.branches[place]
        if int(score.step_columns[branch.step]) in lacking:
            ahead.append(branch.high if branch.up else branch.low)
            continue
        least, largest = ranks[int(score.step_columns[branch.step])]
        passed = score.step_places[branch.step]
        if largest > passed:
            ahead.append(branch.high)
        if least <= passed:
            ahead.append(branch.low)
    return reached
