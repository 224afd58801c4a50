"""What every encoding answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid
from equiproof.circuits.encodings.reached import Ends, Reach
from equiproof.circuits.tables import say, written
from equiproof.circuits.text import shortened

Kind = Literal["numeric", "categorical"]

Write = Callable[[Fraction, int | None], str]
"""Returns the text of a number with so many decimals, or with a few digits of the writer's choice for None."""

ShownEnds = tuple[Decimal, Decimal]
"""The least and the greatest value of a number, as they are shown."""

ANY = "any value"
NONE = written("value.this_only")


class EncodingError(ValueError):
    """A raw value that its feature's encoding refuses: the reason in one line, without the feature's name."""


@dataclass(frozen=True)
class Moved:
    """How far a feature alone may move, whatever its value: `span.NAME` of words.json says it with these numbers."""

    name: str
    numbers: Mapping[str, Fraction] = field(default_factory=dict)


class Encoding(ABC):
    """How features of one encoding become columns, and how columns and distances are read back.

    Radii are in the spec's units, and what is within a radius is closer than it.
    """

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The kind of raw values that this encoding is for: only what reads or writes raw values asks it."""

    @property
    @abstractmethod
    def ordered(self) -> bool:
        """Whether raw values have an order, so that one value can be nearer to a second than to a third."""

    @property
    @abstractmethod
    def linear(self) -> bool:
        """Whether equal differences of raw values are equal distances everywhere."""

    @property
    @abstractmethod
    def standardised(self) -> bool:
        """Whether a spec that is made from rows takes mean and scale of the one column from the training rows."""

    @abstractmethod
    def check(self, grid: Grid, feature: EncodedFeature, /) -> None:
        """Raise EncodingError for a feature whose fields this encoding cannot use; its line names the feature.

        The fields are right by themselves: decimal text, and a range or a domain where one belongs.
        """

    def width(self, feature: EncodedFeature) -> int:
        """Return the number of columns of a feature."""
        return len(self.column_names(feature))

    @abstractmethod
    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the name of each column."""

    @abstractmethod
    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the raw number of each column for one value, before scaling.

        Raises EncodingError for a value that is no number, not in the domain, or out of the range.
        """

    @abstractmethod
    def level(self, feature: EncodedFeature, number: Fraction) -> Fraction:
        """Return the raw column number of an exact number, whatever range and domain are; that of a category is itself.

        It never falls as the number grows. Raises EncodingError for a number that has none.
        """

    @abstractmethod
    def held(self, feature: EncodedFeature) -> Ends | None:
        """Return the least and the greatest number that have a raw column number; None where all have one."""

    @abstractmethod
    def inputs(self, feature: EncodedFeature) -> Mapping[str, Fraction]:
        """Return by name what else models take for the feature: its raw column number, times this factor."""

    @property
    @abstractmethod
    def loss(self) -> Fraction:
        """How far a raw column number may lie below the number that models of floats take for it."""

    @abstractmethod
    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return the least and greatest raw number of each column; None where only the width bounds the column."""

    @abstractmethod
    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the raw value that columns in steps of the grid stand for, or words for a place between values."""

    @abstractmethod
    def reach(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Reach:
        """Return what the feature alone may be within a radius of a value: numbers, or places in the domain."""

    @abstractmethod
    def moved_alone(self, feature: EncodedFeature, radius: Fraction) -> Moved | None:
        """Return how far the feature alone may move within a radius, whatever its value; None for not at all."""

    @abstractmethod
    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return in words how far the feature alone may move within a radius, never further than the radius allows."""

    @abstractmethod
    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return in words a value and the values among which the feature alone may move within a radius."""

    @abstractmethod
    def shown_ends(self, grid: Grid, feature: EncodedFeature, /) -> ShownEnds | None:
        """Return the ends of a number's range, or without one those that the width holds, which are then the box's.

        The latter are rounded inward. None for a category, which neighbors are never restricted in.
        """

    @abstractmethod
    def kept_to(self, grid: Grid, feature: EncodedFeature, /) -> str:
        """Return in words the values that neighbors are restricted to where a spec uses ranges."""

    @abstractmethod
    def around(
        self, grid: Grid, feature: EncodedFeature, columns: Sequence[int], distance: Fraction, /
    ) -> list[Columns]:
        """Return the ends of each column among all values that are as near as `distance` to one of these columns.

        A distance is 0 or more, in the raw unit of a number or in ranks; values without an order have none, so that
        nothing else is near them. Ends are rounded outward, and cut neither at a range nor at the width.
        """

    @abstractmethod
    def begin(self, grid: Grid, feature: EncodedFeature, column: int, step: Fraction, /) -> int | None:
        """Return the least n for which the number n * step has at least this column; None for values of a list."""

    @abstractmethod
    def step(self, feature: EncodedFeature) -> Fraction | None:
        """Return a small change of a number, a power of ten in its raw unit; None for values of a list."""


def named(feature: EncodedFeature) -> str:
    """Return a feature with its name, as refusals of it begin."""
    return say("spec.feature", name=repr(shortened(feature.name)))


def refuse_start(feature: EncodedFeature) -> None:
    """Raise EncodingError for a feature with a start, of an encoding whose values are no days."""
    if isinstance(feature.start, str):
        raise EncodingError(say("spec.start_misplaced", feature=named(feature)))


def refuse_offset(feature: EncodedFeature) -> None:
    """Raise EncodingError for a feature with an offset, of an encoding that has none."""
    if isinstance(feature.offset, str):
        raise EncodingError(say("spec.offset_misplaced", feature=named(feature), encoding=feature.encoding))
