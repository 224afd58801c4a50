"""The room of a box around one of its people, in floats: every column between its ends, one value of each category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiproof.certify.branch.arrays import Floats, Indices
from equiproof.certify.branch.cutting import Room
from equiproof.certify.people import Box


@dataclass(frozen=True)
class OpenCategory:
    """The columns of the values that a category leaves open, which of them the centre has, and the way to another."""

    columns: Indices
    own: int
    step: float


@dataclass(frozen=True)
class BoxRoom(Room):
    """The way of each column down and up from a person of the box, as shares of a ball's radius, and categories.

    Nothing outside the ball is in the box, so that the ball plays no part. A category has one of its values: it leaves
    the centre's column by a step and enters another one by a step.
    """

    categories: tuple[OpenCategory, ...]

    @classmethod
    def around(cls, centre: Sequence[int], box: Box, reach: float) -> BoxRoom:
        """Return the room of a box around one of its people on a ball of this radius that holds the box."""
        at, low, high = (np.array([float(value) for value in row]) for row in (centre, box.low, box.high))
        categories = []
        for choice in box.choices:
            if columns := box.open(choice):
                own = next(column for column in columns if centre[column] == choice.high)
                categories.append(OpenCategory(np.array(columns), own, (choice.high - choice.low) / reach))
        return cls((at - low) / reach, (high - at) / reach, tuple(categories))

    def least(self, forms: Floats) -> tuple[Floats, Floats]:
        """Return the least value of each of (m, n_x) forms c.y, shape (m,), and its place, shape (m, n_x)."""
        ways = np.where(forms > 0, -self.below, self.above)
        for one in self.categories:
            ways[:, one.columns] = 0.0
            worst = one.columns[forms[:, one.columns].argmin(axis=1)]
            lines = np.arange(len(forms))
            ways[lines, one.own] -= one.step
            ways[lines, worst] += one.step
        return (forms * ways).sum(axis=1), ways

    def rows(self, width: int) -> list[Floats]:
        """Return rows of a program, of so many columns, that keep ways inside."""
        blocks = []
        for ends, sign in ((self.below, 1.0), (self.above, -1.0)):
            rows = np.zeros((len(ends), width))
            rows[np.arange(len(ends)), np.arange(len(ends))] = sign
            rows[:, -1] = ends
            blocks.append(rows)
        for one in self.categories:
            # What one value loses another gains: the ways of a category's columns sum to 0.
            rows = np.zeros((2, width))
            rows[0, one.columns], rows[1, one.columns] = 1.0, -1.0
            blocks.append(rows)
        return blocks
