"""The feature encodings: how a raw value becomes columns, and what a distance between columns means in words.

Each encoding is one class and one line of :data:`ENCODINGS`. Other modules look a feature's encoding up there and call
its methods; they never compare its name, so an added encoding cannot be treated as another one.

All encodings share one scaling: a raw column number v becomes floor((v - mean) / scale * 2^f_x + 1/2). Numbers are
exact: fractions and integers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, Protocol

from equiproof.circuits.names import after_number, quoted
from equiproof.circuits.numbers import NumberError, exact, exponent, read_number, rounded_down
from equiproof.circuits.tables import say, written

Kind = Literal["numeric", "categorical"]
EncodingName = Literal["scaled", "rank", "one-hot"]

Write = Callable[[Fraction, int | None], str]
"""Returns the text of a number with so many decimals, or with a few digits of the writer's choice for None."""

Ends = tuple[Decimal, Decimal]
"""The first and the last of some values: numbers, or places in the domain of a category, from 0."""

ANY = "any value"
NONE = written("value.this_only")

ONE_HOT = "="
"""Between a feature and its value in the name of a one-hot column, as in purpose=car."""

_MOST_DECIMALS = 12
"""The most decimals that a number read back from its column is given."""


class EncodingError(ValueError):
    """A raw value that its feature's encoding refuses: the reason in one line, without the feature's name."""


class EncodedFeature(Protocol):
    """What an encoding reads of a feature; the fields are those of :class:`equiproof.circuits.spec.Feature`."""

    @property
    def name(self) -> str:
        """The feature's name."""

    @property
    def mean(self) -> str:
        """What is subtracted from a raw column number, as decimal text."""

    @property
    def scale(self) -> str:
        """What the difference is divided by, as decimal text above 0."""

    @property
    def unit(self) -> str:
        """The unit of a number, or empty text."""

    @property
    def domain(self) -> tuple[str, ...]:
        """Every value of a categorical or sensitive feature."""

    @property
    def range(self) -> tuple[str, str] | None:
        """The least and greatest value of a number, as decimal text."""


class Grid(Protocol):
    """What an encoding reads of a spec: the integers that a column can hold, and whether neighbors keep to ranges."""

    @property
    def scale_unit(self) -> int:
        """2^f_x, the integer that one unit of a column becomes."""

    @property
    def input_bits(self) -> int:
        """The width of a signed column value."""

    @property
    def use_ranges(self) -> bool:
        """Whether neighbors are restricted to the ranges of the features."""


class Encoding(ABC):
    """How features of one encoding become columns, and how columns and distances are read back as words."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The kind of raw values that this encoding is for."""

    @property
    @abstractmethod
    def ordered(self) -> bool:
        """Whether raw values have an order, so that one value can be nearer to a second than to a third."""

    @property
    @abstractmethod
    def standardised(self) -> bool:
        """Whether a spec that is made from rows takes mean and scale of the one column from the training rows."""

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
    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return the least and greatest raw number of each column; None where only the width bounds the column."""

    @abstractmethod
    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the raw value that columns in steps of the grid stand for, or words for a place between values."""

    @abstractmethod
    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return in words how far the feature alone may move within a radius, never further than the radius allows."""

    @abstractmethod
    def reached(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Ends:
        """Return the first and the last value that the feature alone may take within a radius."""

    @abstractmethod
    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return in words a value and the values among which the feature alone may move within a radius."""

    @abstractmethod
    def kept_to(self, grid: Grid, feature: EncodedFeature, /) -> str:
        """Return in words the values that neighbors are restricted to where a spec uses ranges."""


class Scaled(Encoding):
    """A number in one column.

    The interval of a value is cut at the ends of the feature's range, and where the spec restricts neighbors to ranges
    at those of the width.
    """

    kind: Kind = "numeric"
    ordered = True
    standardised = True

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name."""
        return [feature.name]

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the number."""
        try:
            number = read_number(value)
        except NumberError as error:
            raise EncodingError(str(error)) from None
        if feature.range is not None and not exact(feature.range[0]) <= number <= exact(feature.range[1]):
            raise EncodingError(say("value.outside_range", value=value, low=feature.range[0], high=feature.range[1]))
        if feature.domain and number not in _listed(feature.domain):
            raise _unlisted(feature, value)
        return [number]

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return the ends of the range, or the extremes of the domain."""
        if feature.range is not None:
            return [(exact(feature.range[0]), exact(feature.range[1]))]
        listed = _listed(feature.domain)
        return [(min(listed), max(listed)) if listed else None]

    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the number with the fewest decimals that scaling rounds to the column.

        Between grid points, the number is within a twentieth of a step.
        """
        (column,) = columns
        value = exact(feature.mean) + column * exact(feature.scale) / scale_unit
        digits = 0
        while digits < _MOST_DECIMALS and not _stands_for(round(value, digits), feature, column, scale_unit):
            digits += 1
        return write(round(value, digits), digits)

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return the radius in the feature's unit."""
        return f"+- {rounded_down(radius * exact(feature.scale))}{after_number(feature.unit)}"

    def reached(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Ends:
        """Return the two ends in the feature's unit."""
        own = Decimal(str(value))
        moved = Decimal(rounded_down(radius * exact(feature.scale)).replace(",", ""))
        # What reads numbers bounds their digits and exponents, so that 200 digits hold each sum exactly.
        with localcontext(prec=200):
            low = own - moved
            high = own + moved
        if feature.range is not None or grid.use_ranges:
            least, most = shown_ends(grid, feature)
            # Ends of the width are rounded inward; the value itself was proven all the same.
            low = max(low, min(own, least))
            high = min(high, max(own, most))
        return low, high

    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value and the two ends in the feature's unit."""
        low, high = self.reached(grid, feature, radius, value)
        return f"{Decimal(str(value)):,f}: {low:,f} to {high:,f}{after_number(feature.unit)}"

    def kept_to(self, grid: Grid, feature: EncodedFeature, /) -> str:
        """Return the two ends."""
        low, high = shown_ends(grid, feature)
        return f"{low:,f} to {high:,f}{after_number(feature.unit)}"


class _Category(Encoding):
    """A value out of a list."""

    kind: Kind = "categorical"

    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the value whose columns these are, or words for a place between values."""
        target = list(columns)
        for value in feature.domain:
            if [on_grid(feature, number, scale_unit) for number in self.raw_columns(feature, value)] == target:
                return value
        unscaled = [exact(feature.mean) + column * exact(feature.scale) / scale_unit for column in target]
        return self._between(feature, unscaled, write)

    @abstractmethod
    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return words for raw column numbers that no value of the domain has."""

    def interval(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value, and how far it may move."""
        return f"{quoted(str(value))}: {self.moved(feature, radius)}"

    def kept_to(self, _grid: Grid, feature: EncodedFeature, /) -> str:
        """Return how many values there are."""
        return written("reading.any_of_values", count=len(feature.domain))


class Rank(_Category):
    """A category whose values have an order: its index in the domain, in one column."""

    ordered = True
    standardised = True

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name."""
        return [feature.name]

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the index of the value."""
        return [Fraction(_index(feature, value))]

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return the first and the last index."""
        return [(Fraction(0), Fraction(len(feature.domain) - 1))]

    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return the place in the order, counted from 1."""
        return f"between values: place {write(numbers[0] + 1, None)} of {len(feature.domain)}"

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return the number of ranks."""
        steps = self._steps(feature, radius)
        if steps >= len(feature.domain) - 1:
            return ANY
        return f"+- {steps} of {len(feature.domain)} ranks" if steps else NONE

    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value and the first and last value within the radius."""
        if not 0 < self._steps(feature, radius) < len(feature.domain) - 1:
            return super().interval(grid, feature, radius, value)
        low, high = self.reached(grid, feature, radius, value)
        ends = " to ".join(quoted(feature.domain[int(end)]) for end in (low, high))
        return f"{quoted(str(value))}: {ends}"

    def reached(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Ends:
        """Return the first and the last rank within the radius."""
        steps = self._steps(feature, radius)
        place = feature.domain.index(str(value))
        return Decimal(max(0, place - steps)), Decimal(min(len(feature.domain) - 1, place + steps))

    def _steps(self, feature: EncodedFeature, radius: Fraction) -> int:
        """Return how many ranks are closer than a radius: a whole radius itself is already too far."""
        return max(0, math.ceil(radius * exact(feature.scale)) - 1)


class OneHot(_Category):
    """A category without an order: one 0/1 column per value of the domain."""

    ordered = False
    standardised = False

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name with each value."""
        return [f"{feature.name}{ONE_HOT}{value}" for value in feature.domain]

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return 1 for the value and 0 for every other one."""
        own = _index(feature, value)
        return [Fraction(int(index == own)) for index in range(len(feature.domain))]

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return 0 and 1 for each column."""
        return [(Fraction(0), Fraction(1))] * len(feature.domain)

    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return the share of each value."""
        parts = [f"{value} {write(part, None)}" for value, part in zip(feature.domain, numbers, strict=True) if part]
        return f"a mixture: {', '.join(parts) or 'none'}"

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return whether another value is within the radius: two indicators change at once, each by one."""
        moved = radius * exact(feature.scale)
        # So another value is at the squared distance 2, and one that is just as far as the radius is not below it.
        return ANY if moved * moved > 2 else NONE

    def reached(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Ends:
        """Return the ends of the domain where any other value is within the radius, and the value's own place else."""
        if self.moved(feature, radius) == ANY:
            return Decimal(0), Decimal(len(feature.domain) - 1)
        place = Decimal(feature.domain.index(str(value)))
        return place, place


ENCODINGS: dict[EncodingName, Encoding] = {"scaled": Scaled(), "rank": Rank(), "one-hot": OneHot()}
"""Name in a spec -> encoding."""


def on_grid(feature: EncodedFeature, number: Fraction, scale_unit: int) -> int:
    """Return the integer of a raw column number: (number - mean) / scale as a multiple of 2^-f_x, rounded half up."""
    distance = number - exact(feature.mean)
    scale = exact(feature.scale)
    # In integers, for data sets of a million cells: floor(a / b * 2^f_x + 1/2) = floor((2 a 2^f_x + b) / 2 b).
    above = distance.numerator * scale.denominator
    below = distance.denominator * scale.numerator
    return (2 * above * scale_unit + below) // (2 * below)


@lru_cache(maxsize=1 << 12)
def _listed(domain: tuple[str, ...]) -> frozenset[Fraction]:
    """Return the numbers of a domain; every value of the table and of every row is looked up in them."""
    return frozenset(map(exact, domain))


def _index(feature: EncodedFeature, value: Any) -> int:
    """Return the index of a value in the domain."""
    if value not in feature.domain:
        raise _unlisted(feature, value)
    return feature.domain.index(value)


def _unlisted(feature: EncodedFeature, value: Any) -> EncodingError:
    """Return the error for a value that is not in the domain."""
    return EncodingError(
        say("value.not_one_of", value=repr(str(value)[:40]), known=", ".join(map(quoted, feature.domain[:12])))
    )


def _stands_for(value: Fraction, feature: EncodedFeature, column: Fraction, scale_unit: int) -> bool:
    """Return whether a raw number is one that a column can be read back as."""
    if column.denominator == 1:
        return on_grid(feature, value, scale_unit) == column
    place = (value - exact(feature.mean)) / exact(feature.scale) * scale_unit
    return abs(place - column) <= Fraction(1, 20)


def shown_ends(grid: Grid, feature: EncodedFeature) -> tuple[Decimal, Decimal]:
    """Return the ends of a number's range, or without one the ends that the width holds, which are then the box's.

    The latter are rounded inward, to six digits of the way between them.
    """
    if feature.range is not None:
        return Decimal(feature.range[0]), Decimal(feature.range[1])
    mean = exact(feature.mean)
    step = exact(feature.scale) / grid.scale_unit
    limit = 1 << (grid.input_bits - 1)
    low = mean - limit * step
    high = mean + (limit - 1) * step
    place = exponent(high - low) - 5
    unit = Fraction(10) ** place
    # Inward, so that the ends that are shown are inside those that were proven.
    inward = math.ceil(low / unit), math.floor(high / unit)
    with localcontext(prec=200):
        least, most = (Decimal(end).scaleb(place).normalize() for end in inward)
    return least, most
