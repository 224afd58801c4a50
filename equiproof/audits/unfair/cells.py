"""The levels of a domain by what a score asks of them: runs of levels that no predicate tells apart are one cell.

The cells of a feature are in the order of its levels. Each predicate holds in some of them, and each group of sensitive
values is a set of assignments that no predicate tells apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiproof.audits.hyfair.clusters import Flags
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.sets import seen_rows


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of an additive model, or of the predicates of an ensemble, on a grid.

    `starts[f]` are the first levels of the cells of feature f. `holds[p]` is where predicate p holds, over the cells of
    feature `features[p]`, or over the groups where that is -1. `groups` are the numbers of an assignment of each group.
    """

    starts: tuple[tuple[int, ...], ...]
    features: tuple[int, ...]
    holds: tuple[Flags, ...]
    groups: tuple[int, ...]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each feature."""
        return tuple(len(own) for own in self.starts)

    def jumps(self, model: AdditiveModel) -> tuple[tuple[Integers, ...], Integers]:
        """Return what the jumps add in each cell, feature by feature, and with the bias in each group."""
        cells = [np.zeros(size, dtype=np.int64) for size in self.sizes]
        groups = np.full(len(self.groups), model.bias, dtype=np.int64)
        for feature, holds, jump in zip(self.features, self.holds, model.jumps, strict=True):
            (groups if feature < 0 else cells[feature])[holds] += jump
        return tuple(cells), groups


def cells_of(model: AdditiveModel, grid: Grid) -> Cells:
    """Return the cells of a model's predicates on a grid, whose values are all stated."""
    ends: dict[int, list[int]] = {}
    for column, threshold in zip(model.columns, model.thresholds, strict=True):
        ends.setdefault(column, []).append(threshold)
    first = np.zeros(len(grid.order), dtype=np.int64)
    first[list(grid.order)] = np.concatenate([*(level[0] for level in grid.levels), grid.table[0]])
    passed: list[Mapping[int, Integers]] = []
    place = 0
    for level in (*grid.levels, grid.table):
        own = grid.order[place : place + level.shape[1]]
        place += len(own)
        values = _read(model, first, own, level)
        passed.append({column: np.searchsorted(ends[column], values[column]) for column in values if column in ends})
    *plain, sensitive = passed
    starts = tuple(_starts(own, len(level)) for own, level in zip(plain, grid.levels, strict=True))
    groups = _distinct(sensitive, len(grid.table))
    cells = {
        column: (feature, counts[list(starts[feature])])
        for feature, own in enumerate(plain)
        for column, counts in own.items()
    } | {column: (-1, counts[list(groups)]) for column, counts in sensitive.items()}
    features = []
    holds = []
    ranks: dict[int, int] = {}
    for column in model.columns:
        rank = ranks[column] = ranks.get(column, -1) + 1
        feature, counts = cells[column]
        features.append(feature)
        holds.append(counts > rank)
    return Cells(starts, tuple(features), tuple(holds), groups)


def _read(model: AdditiveModel, first: Integers, own: Sequence[int], level: Integers) -> dict[int, Integers]:
    """Return what predicates read of the levels of a feature, by column: its own columns, and sets of its values.

    `first` are the columns of somebody, in the network's order; `own` are the places of the feature's columns there.
    """
    read = [column for place in own for column in model.read_of(place)]
    if len(read) == len(own):
        return {column: level[:, place] for place, column in enumerate(read)}
    inputs = np.tile(first, (len(level), 1))
    inputs[:, list(own)] = level
    seen = seen_rows(model.sets, inputs, model.stated)
    return {column: seen[:, column] for column in read}


def _starts(passed: Mapping[int, Integers], levels: int) -> tuple[int, ...]:
    """Return the levels that pass other thresholds than the one before."""
    changes = np.zeros(levels, dtype=np.bool_)
    changes[0] = True
    for counts in passed.values():
        changes[1:] |= counts[1:] != counts[:-1]
    return tuple(np.flatnonzero(changes).tolist())


def _distinct(passed: Mapping[int, Integers], assignments: int) -> tuple[int, ...]:
    """Return the first assignment of each set of those that pass the same thresholds."""
    first: dict[tuple[int, ...], int] = {}
    for number in range(assignments):
        first.setdefault(tuple(int(counts[number]) for counts in passed.values()), number)
    return tuple(first.values())
