"""Additive models on a box: the worst person of it, exactly.

Scores add up over columns, so the worst person has the worst position in each column, and the worst value of each
category.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.people import Box


@dataclass(frozen=True)
class Worst:
    """The least margin of a label in a box over the rows of the table, and where it is: n_x integers and a row."""

    margin: int
    point: tuple[int, ...] = field(repr=False)
    row: tuple[int, ...]

    @property
    def decided(self) -> bool:
        """Whether the label is decided strictly everywhere in the box."""
        return self.margin >= 1


def worst(model: AdditiveModel, box: Box, table: Sequence[Sequence[int]], label: int) -> Worst:
    """Return the worst person of a box for a label, exactly."""
    sign = 2 * label - 1
    steps = inside(model, box, sign)
    point = list(box.low)
    for column in {column for column in model.columns if column < model.plain}.difference(box.loose):
        total, least = 0, 0
        for threshold, step in steps.get(column, ()):
            total += step
            if total < least:
                # Just above the threshold: the box goes at least so far, as the predicate is inside it.
                least, point[column] = total, threshold + 1
    for choice in box.choices:
        if values := box.open(choice):
            added = {column: sum(step for _, step in steps.get(column, ())) for column in values}
            column = min(values, key=lambda place: added[place])
            point[column] = choice.high
    margins = [(sign * model.score((*point, *row)), tuple(row)) for row in table]
    margin, row = min(margins)
    return Worst(margin, tuple(point), row)


def inside(model: AdditiveModel, box: Box, sign: int) -> dict[int, list[tuple[int, int]]]:
    """Return by column the predicates that some of a box pass: threshold, and what passing adds for the label."""
    found: dict[int, list[tuple[int, int]]] = {}
    for column, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True):
        if column < model.plain and box.low[column] <= threshold < box.high[column]:
            found.setdefault(column, []).append((threshold, sign * jump))
    return found


def decided(model: AdditiveModel, box: Box, table: Sequence[Sequence[int]]) -> int | None:
    """Return the label that everybody in a box gets on every row of the table, None where there is none."""
    return next((label for label in (0, 1) if worst(model, box, table, label).decided), None)
