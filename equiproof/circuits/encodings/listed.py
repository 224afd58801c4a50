"""What encodings of categories share: a value out of a list."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings.grid import EncodedFeature, Grid, off_grid, on_grid
from equiproof.circuits.encodings.interface import Encoding, EncodingError, Kind, Write, refuse_offset, refuse_start
from equiproof.circuits.encodings.reached import Reach
from equiproof.circuits.names import listed, quoted
from equiproof.circuits.tables import say, written


class Listed(Encoding):
    """A value out of a list."""

    kind: Kind = "categorical"
    linear = False
    loss = Fraction(0)

    def check(self, _grid: Grid, feature: EncodedFeature, /) -> None:
        """Refuse an offset."""
        refuse_offset(feature)
        refuse_start(feature)

    def level(self, _feature: EncodedFeature, number: Fraction) -> Fraction:
        """Return the number: columns hold places and indicators as they are."""
        return number

    def held(self, _feature: EncodedFeature) -> None:
        """Return None: every number may stand in a column."""

    def inputs(self, _feature: EncodedFeature) -> dict[str, Fraction]:
        """Return nothing: models take the columns."""
        return {}

    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the value whose columns these are, or words for a place between values."""
        target = list(columns)
        for value in feature.domain:
            if [on_grid(feature, number, scale_unit) for number in self.raw_columns(feature, value)] == target:
                return value
        return self._between(feature, [off_grid(feature, column, scale_unit) for column in target], write)

    @abstractmethod
    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return words for raw column numbers that no value of the domain has."""

    def interval(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value, and how far it may move."""
        return f"{quoted(str(value))}: {self.moved(feature, radius)}"

    def shown_ends(self, _grid: Grid, _feature: EncodedFeature, /) -> None:
        """Return None: neighbors may have any value of the list."""

    def kept_to(self, _grid: Grid, feature: EncodedFeature, /) -> str:
        """Return how many values there are."""
        return written("reading.any_of_values", count=len(feature.domain))

    def begin(self, _grid: Grid, _feature: EncodedFeature, _column: int, _step: Fraction, /) -> None:
        """Return None: columns stand for values of the list."""

    def step(self, _feature: EncodedFeature) -> None:
        """Return None: there is no unit."""


def among(feature: EncodedFeature, own: int, low: int, high: int) -> Reach:
    """Return a reach of places in the domain."""
    last = Fraction(len(feature.domain) - 1)
    return Reach(Fraction(own), Fraction(low), Fraction(high), (Fraction(0), last), listed=True, of_domain=True)


def index_of(feature: EncodedFeature, value: Any) -> int:
    """Return the index of a value in the domain."""
    if value not in feature.domain:
        raise unlisted(feature, value)
    return feature.domain.index(value)


def unlisted(feature: EncodedFeature, value: Any) -> EncodingError:
    """Return the error for a value that is not in the domain."""
    return EncodingError(say("value.not_one_of", value=repr(str(value)[:40]), known=listed(feature.domain)))
