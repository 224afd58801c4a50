"""Additive models on a box: the worst person of it, exactly.

A box is the least and the largest integer of each plain column. In the columns of a category it either has one value,
or leaves some open: then all least ends are the category's `low`, and the largest is its `high` in the columns of the
values that a person can have. Everybody in the box has one of these values. Scores add up over columns, so the worst
person has the worst position in each column, and the worst value of each category.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from equiproof.certify.additive import AdditiveModel
from equiproof.circuits.categories import Choice
from equiproof.circuits.exit_codes import MISUSED


class BoxError(ValueError):
    """A box with nobody in it, or one that is none; one line naming the column."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Box:
    """The least and the largest integer of each plain column, and the categories of which it leaves values open.

    Raises BoxError where somebody could have no value, or two: the circuit has no proof of it. The repr shows nothing,
    as a box surrounds somebody's values.
    """

    low: tuple[int, ...] = field(repr=False)
    high: tuple[int, ...] = field(repr=False)
    choices: tuple[Choice, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a box whose ends do not fit together (R-X-ENDS, R-X-CATEGORY)."""
        if len(self.low) != len(self.high):
            raise BoxError(f"{len(self.low)} least and {len(self.high)} largest values")
        for column, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if low > high:
                raise BoxError(f"column {column}: nobody is in the box, its largest value is below the least")
        for choice in self.choices:
            ends = {(self.low[column], self.high[column]) for column in choice.columns}
            if any(low != high for low, high in ends) and not ends <= {
                (choice.low, choice.low),
                (choice.low, choice.high),
            }:
                raise BoxError(f"column {choice.first}: a category has one value, or leaves some open by 0 to 1 each")

    def open(self, choice: Choice) -> list[int]:
        """Return the columns of the values that a category leaves open, none where it has one value."""
        return [column for column in choice.columns if self.low[column] != self.high[column]]

    @property
    def loose(self) -> Mapping[int, Choice]:
        """The categories that leave values open, by each of their columns."""
        return {column: choice for choice in self.choices if self.open(choice) for column in choice.columns}


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
