"""What encodings read of features and specs, and the grid of integers that columns are rounded to."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import msgspec

from equiproof.circuits.numbers import exact

Columns = tuple[int, int]
"""The least and the largest integer of a column."""


class Missing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people are told of a missing value in English and German: the spec's own words, or those of all features.

    With `mark`, which is true or absent, a column of its own behind those of the feature says whether a value is
    missing, and the feature's are 0 then, as networks need it.
    """

    en: str | msgspec.UnsetType = msgspec.UNSET
    de: str | msgspec.UnsetType = msgspec.UNSET
    mark: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def words(self) -> tuple[str, ...]:
        """The spec's own words, each once."""
        return tuple({text: None for text in (self.en, self.de) if isinstance(text, str)})

    def text(self, language: str) -> str | None:
        """Return the spec's own words in a language, None where there are none."""
        own = {"en": self.en, "de": self.de}[language]
        return own if isinstance(own, str) else None


class EncodedFeature(Protocol):
    """What an encoding reads of a feature; the fields are those of :class:`equiproof.circuits.spec.Feature`."""

    @property
    def name(self) -> str:
        """The feature's name."""

    @property
    def encoding(self) -> str:
        """The name of the feature's encoding."""

    @property
    def sensitive(self) -> bool:
        """Whether decisions must not depend on it."""

    @property
    def missing(self) -> Missing | msgspec.UnsetType:
        """What is said of a missing value; unset where none may be missing."""

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

    @property
    def offset(self) -> str | msgspec.UnsetType:
        """What is added to a number before its logarithm is taken, as decimal text; unset for any other encoding."""

    @property
    def start(self) -> str | msgspec.UnsetType:
        """The date of day 0, such as 2000-01-31; unset for what is no number of days with a date."""

    @property
    def whole(self) -> bool | msgspec.UnsetType:
        """Whether words for people about a number name whole numbers only; unset for any other feature."""


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


def on_grid(feature: EncodedFeature, number: Fraction, scale_unit: int) -> int:
    """Return the integer of a raw column number: (number - mean) / scale as a multiple of 2^-f_x, rounded half up."""
    distance = number - exact(feature.mean)
    scale = exact(feature.scale)
    # In integers, for data sets of a million cells: floor(a / b * 2^f_x + 1/2) = floor((2 a 2^f_x + b) / 2 b).
    above = distance.numerator * scale.denominator
    below = distance.denominator * scale.numerator
    return (2 * above * scale_unit + below) // (2 * below)


def moved_by(feature: EncodedFeature, radius: Fraction) -> Fraction:
    """Return what a radius is in raw column numbers of a feature."""
    return radius * exact(feature.scale)


def off_grid(feature: EncodedFeature, column: Fraction, scale_unit: int) -> Fraction:
    """Return the raw column number that stands in the middle of those of a column."""
    return exact(feature.mean) + column * exact(feature.scale) / scale_unit
