"""What encodings of numbers share: one column, a raw number read exactly, and intervals cut at the ends of a range."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

from equiproof.circuits.encodings.days import dates, inward
from equiproof.circuits.encodings.grid import EncodedFeature, Grid, moved_by
from equiproof.circuits.encodings.interface import Encoding, EncodingError, Kind, ShownEnds
from equiproof.circuits.encodings.listed import unlisted
from equiproof.circuits.encodings.reached import Ends, Reach
from equiproof.circuits.names import after_number
from equiproof.circuits.numbers import NumberError, exact, read_number
from equiproof.circuits.tables import say

DIGITS = 3
"""How many digits of a distance are kept; the ends of a span end at the same place."""

MOST_DIGITS = 12
"""The most decimals, or digits, that a number read back from its column is given."""


_MOST_SHOWN = 40
"""How many characters of a number a refusal shows."""


class Numbers(Encoding):
    """A number in one column, which grows with it."""

    kind: Kind = "numeric"
    ordered = True
    standardised = True

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name."""
        return [feature.name]

    def read(self, feature: EncodedFeature, value: Any) -> Fraction:
        """Return the number of a raw value; EncodingError for none, and outside of the range or the domain."""
        try:
            number = read_number(value)
        except NumberError as error:
            raise EncodingError(str(error)) from None
        if feature.range is not None and not exact(feature.range[0]) <= number <= exact(feature.range[1]):
            low, high = map(beginning, feature.range)
            raise EncodingError(say("value.outside_range", value=beginning(value), low=low, high=high))
        if feature.domain and number not in _listed(feature.domain):
            raise unlisted(feature, value)
        return number

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return those of the range, or of the extremes of the domain."""
        if feature.range is not None:
            least, most = exact(feature.range[0]), exact(feature.range[1])
        elif feature.domain:
            listed = _listed(feature.domain)
            least, most = min(listed), max(listed)
        else:
            return [None]
        return [(self.level(feature, least), self.level(feature, most))]

    @abstractmethod
    def _span(self, feature: EncodedFeature, own: Fraction, moved: Fraction) -> Ends:
        """Return the ends of what is closer to a number than a distance in raw column numbers, rounded inward.

        Where no multiple of the step lies on a side of the number, the end of that side lies beyond the number.
        """

    def reach(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Reach:
        """Return the numbers from end to end; a possible end that comes first is itself included."""
        own = read_number(value)
        possible = self._possible(grid, feature, own)
        low, high = self._span(feature, own, moved_by(feature, radius))
        if possible is not None:
            whole = is_whole(feature)
            low = max(low, Fraction(math.ceil(possible[0])) if whole else possible[0])
            high = min(high, Fraction(math.floor(possible[1])) if whole else possible[1])
        # Without a multiple of the step on each side of the value there is no span to show: it then counts as fixed.
        if not low <= own <= high or low == high:
            low = high = own
        return Reach(own, low, high, possible, listed=feature.range is not None)

    def kept_to(self, grid: Grid, feature: EncodedFeature, /) -> str:
        """Return the two ends, as dates those of the days between."""
        low, high = self.shown_ends(grid, feature)
        if (days := dates(feature, inward((Fraction(low), Fraction(high))))) is not None:
            return " to ".join(map(date.isoformat, days))
        return f"{low:,f} to {high:,f}{after_number(feature.unit)}"

    def shown_ends(self, grid: Grid, feature: EncodedFeature, /) -> ShownEnds:
        """Return the ends of the range, or without one those that the width holds, rounded inward."""
        if feature.range is not None:
            return Decimal(feature.range[0]), Decimal(feature.range[1])
        return self._held(grid, feature)

    @abstractmethod
    def _held(self, grid: Grid, feature: EncodedFeature) -> ShownEnds:
        """Return the ends of what the width holds, rounded inward."""

    def _possible(self, grid: Grid, feature: EncodedFeature, own: Fraction) -> Ends | None:
        """Return the ends of what a number can be; without a range, those that the width holds, if specs keep to them.

        Those of the width are shown rounded inward; the value itself was proven all the same.
        """
        if feature.range is not None:
            return exact(feature.range[0]), exact(feature.range[1])
        if not grid.use_ranges:
            return None
        low, high = map(Fraction, self.shown_ends(grid, feature))
        return min(low, own), max(high, own)


def beginning(value: object) -> str:
    """Return a number as a refusal shows it: its first digits, so that the line stays short."""
    return str(value)[:_MOST_SHOWN]


def is_whole(feature: EncodedFeature) -> bool:
    """Return whether a number has whole values only."""
    return feature.whole is True


def last_inside(inside: Callable[[int], bool], start: int) -> int:
    """Return the greatest integer that is inside, by doubling and halving from `start`.

    Something is inside, what lies before it is, and beyond the first that is not, none is.
    """
    width = 1
    while not inside(start):
        start -= width
        width *= 2
    width = 1
    while inside(start + width):
        start += width
        width *= 2
    while width > 1:
        width //= 2
        if inside(start + width):
            start += width
    return start


def shown(number: Fraction) -> Decimal:
    """Return a number that decimals hold in full, without zeros at its end."""
    # What reads numbers bounds their digits and exponents, so that 400 digits hold each quotient exactly.
    with localcontext(prec=400):
        return (Decimal(number.numerator) / Decimal(number.denominator)).normalize()


@lru_cache(maxsize=1 << 12)
def _listed(domain: tuple[str, ...]) -> frozenset[Fraction]:
    """Return the numbers of a domain; every value of the table and of every row is looked up in them."""
    return frozenset(map(exact, domain))
