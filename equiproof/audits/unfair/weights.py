"""Weights of applicants: a product of one whole number for each feature, so that the weight of a box is exact, too.

`uniform` gives every applicant of the domain the same weight. `rows` weighs each value of a feature by how many rows
have it: the density under which features are independent and each is spread as in the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.hyfair.bounds import Numbers
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.levels import Levels

_MACHINE_LIMIT = 1 << 62


@dataclass(frozen=True)
class Weights:
    """The weights of the levels of each feature, whole numbers of 0 or more, one of each feature positive."""

    levels: tuple[tuple[int, ...], ...]

    @cached_property
    def _sums(self) -> tuple[tuple[int, ...], ...]:
        """The sums of the first 0, 1, ... weights of each feature."""
        return tuple(tuple(accumulate(one, initial=0)) for one in self.levels)

    @cached_property
    def total(self) -> int:
        """The weight of the whole domain."""
        return prod(sums[-1] for sums in self._sums)

    @property
    def kind(self) -> Any:
        """The type of numbers that holds every sum of weights: machine integers where they can, else Python's."""
        return np.int64 if self.total < _MACHINE_LIMIT else np.object_

    @property
    def positive(self) -> bool:
        """Whether every applicant of the domain has a weight, so that no one is left out."""
        return all(min(own) > 0 for own in self.levels)

    def box(self, low: Sequence[int], high: Sequence[int]) -> int:
        """Return the weight of a box of levels, both ends included."""
        return prod(sums[last + 1] - sums[first] for sums, first, last in zip(self._sums, low, high, strict=True))

    def applicants(self, places: Integers) -> Numbers:
        """Return the weights of applicants, shape (n, F): machine integers where the domain's weight is one."""
        weights = np.ones(len(places), dtype=self.kind)
        for feature, own in enumerate(self.levels):
            weights *= np.array(own, dtype=self.kind)[places[:, feature]]
        return weights

    def merged(self, starts: Sequence[Sequence[int]]) -> Weights:
        """Return the weights of runs of levels; `starts` are the first levels of each run, feature by feature."""
        return Weights(
            tuple(
                tuple(sums[last] - sums[first] for first, last in zip(own, (*own[1:], len(sums) - 1), strict=True))
                for sums, own in zip(self._sums, starts, strict=True)
            )
        )


def uniform(grid: Grid) -> Weights:
    """Return the weights under which all raw values of a feature count alike."""
    return Weights(tuple(_values(feature) for feature in grid.features))


def of_rows(context: AuditContext, grid: Grid) -> tuple[Weights, int]:
    """Return weights by the rows, and how many values of rows are outside of the domain and left out.

    Raises AuditError without rows, and naming a feature of which the rows have a single value in the domain, or none.
    """
    if not context.rows:
        raise AuditError("unfair: option density: give rows, which the density is counted on, or take density=uniform")
    table = [
        (*query, *context.spec.domain_table[number])
        for query, number in zip(context.queries, context.slices, strict=True)
    ]
    left = start = 0
    levels = []
    for name, feature in zip(grid.names, grid.features, strict=True):
        width = feature.columns.shape[1]
        own = grid.order[start : start + width]
        start += width
        # Of levels with the same columns, which no model tells apart, the last one has the weight of all.
        places = {tuple(level): place for place, level in enumerate(feature.columns.tolist())}
        counts = [0] * len(feature.columns)
        for columns in table:
            place = places.get(tuple(columns[column] for column in own))
            if place is None:
                left += 1
            else:
                counts[place] += 1
        if len([count for count in counts if count]) < min(2, len(counts)):
            raise AuditError(
                f"unfair: option density: take density=uniform, or other rows: feature {name!r} has no variance in them"
            )
        levels.append(tuple(counts))
    return Weights(tuple(levels)), left


def _values(feature: Levels) -> tuple[int, ...]:
    """Return how many raw values each level of a feature stands for."""
    if not feature.merged:
        return (1,) * feature.count
    step = (Decimal(feature.last[-1]) - Decimal(feature.first[0])) / (feature.count - 1)
    return tuple(
        int((Decimal(last) - Decimal(first)) / step) + 1
        for first, last in zip(feature.first, feature.last, strict=True)
    )
