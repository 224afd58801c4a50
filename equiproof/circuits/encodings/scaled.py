"""The encoding "scaled": a number as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings.days import check_start, dates
from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid, moved_by, off_grid, on_grid
from equiproof.circuits.encodings.interface import NONE, Moved, ShownEnds, Write, refuse_offset
from equiproof.circuits.encodings.numbers import DIGITS, MOST_DIGITS, Numbers, is_whole
from equiproof.circuits.encodings.reached import Ends
from equiproof.circuits.names import after_number
from equiproof.circuits.numbers import exact, exponent, rounded_down


class Scaled(Numbers):
    """A number in one column.

    The interval of a value is cut at the ends of the feature's range, and where the spec restricts neighbors to ranges
    at those of the width.
    """

    linear = True
    loss = Fraction(0)

    def check(self, _grid: Grid, feature: EncodedFeature, /) -> None:
        """Refuse an offset, and a start of what are no whole days."""
        refuse_offset(feature)
        check_start(feature)

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the number."""
        return [self.read(feature, value)]

    def level(self, _feature: EncodedFeature, number: Fraction) -> Fraction:
        """Return the number."""
        return number

    def held(self, _feature: EncodedFeature) -> None:
        """Return None: every number is its own."""

    def inputs(self, _feature: EncodedFeature) -> dict[str, Fraction]:
        """Return nothing: models take the number."""
        return {}

    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the number with the fewest decimals that scaling rounds to the column.

        Between grid points, the number is within a twentieth of a step.
        """
        (column,) = columns
        value = off_grid(feature, column, scale_unit)
        digits = 0
        while digits < MOST_DIGITS and not _stands_for(round(value, digits), feature, column, scale_unit):
            digits += 1
        return write(round(value, digits), digits)

    def _span(self, feature: EncodedFeature, own: Fraction, moved: Fraction) -> Ends:
        """Return the multiples of the step just inside each end."""
        step = _last_digit(feature, moved)
        return (math.floor((own - moved) / step) + 1) * step, (math.ceil((own + moved) / step) - 1) * step

    def moved_alone(self, feature: EncodedFeature, radius: Fraction) -> Moved | None:
        """Return a distance below the radius, in the feature's unit."""
        moved = moved_by(feature, radius)
        step = _last_digit(feature, moved)
        most = (math.ceil(moved / step) - 1) * step
        return Moved("distance", {"moved": most}) if most > 0 else None

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return the radius in the feature's unit."""
        return f"+- {rounded_down(moved_by(feature, radius))}{after_number(feature.unit)}"

    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value and the two ends in the feature's unit, or as dates."""
        if isinstance(feature.start, str) and (days := self._days(grid, feature, radius, value)):
            return days
        own = Decimal(str(value))
        moved = Decimal(rounded_down(moved_by(feature, radius)).replace(",", ""))
        # What reads numbers bounds their digits and exponents, so that 200 digits hold each sum exactly.
        with localcontext(prec=200):
            low = own - moved
            high = own + moved
        if feature.range is not None or grid.use_ranges:
            least, most = self.shown_ends(grid, feature)
            # Ends of the width are rounded inward; the value itself was proven all the same.
            low = max(low, min(own, least))
            high = min(high, max(own, most))
        return f"{own:,f}: {low:,f} to {high:,f}{after_number(feature.unit)}"

    def _days(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float) -> str:
        """Return a value and the two ends as dates; empty text where one of them is none."""
        at = self.reach(grid, feature, radius, value)
        days = dates(feature, (at.own, at.low, at.high))
        if days is None:
            return ""
        own, low, high = map(date.isoformat, days)
        return f"{own}: {low} to {high}" if at.moves else f"{own}: {NONE}"

    def _held(self, grid: Grid, feature: EncodedFeature) -> ShownEnds:
        """Return the ends of what the width holds, to six digits of the way between them."""
        limit = 1 << (grid.input_bits - 1)
        low = off_grid(feature, Fraction(-limit), grid.scale_unit)
        high = off_grid(feature, Fraction(limit - 1), grid.scale_unit)
        place = exponent(high - low) - 5
        unit = Fraction(10) ** place
        # Inward, so that the ends that are shown are inside those that were proven.
        inward = math.ceil(low / unit), math.floor(high / unit)
        with localcontext(prec=200):
            least, most = (Decimal(end).scaleb(place).normalize() for end in inward)
        return least, most

    def around(
        self, grid: Grid, feature: EncodedFeature, columns: Sequence[int], distance: Fraction, /
    ) -> list[Columns]:
        """Return as many steps either way: rounding brings two numbers further apart by less than one step."""
        (column,) = columns
        steps = math.ceil(distance / exact(feature.scale) * grid.scale_unit)
        return [(column - steps, column + steps)]

    def begin(self, grid: Grid, feature: EncodedFeature, column: int, step: Fraction, /) -> int:
        """Return the least multiple at or above half a step of the grid below the column."""
        return math.ceil(off_grid(feature, column - Fraction(1, 2), grid.scale_unit) / step)

    def step(self, feature: EncodedFeature) -> Fraction:
        """Return the largest power of ten that is not above a tenth of the scale, at least 1."""
        return Fraction(10) ** max(0, Decimal(feature.scale).adjusted() - 1)


def _last_digit(feature: EncodedFeature, moved: Fraction) -> Fraction:
    """Return what shown ends are multiples of: 1 for whole numbers, else the last digit of what is below a distance."""
    if is_whole(feature) or not moved:
        return Fraction(1)
    place = exponent(moved)
    # Below a power of ten all numbers have a digit less, and what is shown is below the distance.
    return Fraction(10) ** (place - DIGITS + 1 - (moved == Fraction(10) ** place))


def _stands_for(value: Fraction, feature: EncodedFeature, column: Fraction, scale_unit: int) -> bool:
    """Return whether a raw number is one that a column can be read back as."""
    if column.denominator == 1:
        return on_grid(feature, value, scale_unit) == column
    place = (value - exact(feature.mean)) / exact(feature.scale) * scale_unit
    return abs(place - column) <= Fraction(1, 20)
