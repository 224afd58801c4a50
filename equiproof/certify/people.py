"""Everybody in a box: the least and the largest integer of each plain column, and the categories with values to choose.

In the columns of a category a box either has one value, or leaves some open: then all least ends are the category's
`low`, and the largest is its `high` in the columns of the values that a person can have. Everybody in the box has one
of these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

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
