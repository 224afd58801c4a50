"""The encoding "rank": a category whose values have an order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid, moved_by, on_grid
from equiproof.circuits.encodings.interface import ANY, NONE, Moved, Write
from equiproof.circuits.encodings.listed import Listed, among, index_of
from equiproof.circuits.encodings.reached import Reach
from equiproof.circuits.names import quoted


class Rank(Listed):
    """A category whose values have an order: its index in the domain, in one column."""

    ordered = True
    standardised = True

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name."""
        return [feature.name]

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the index of the value."""
        return [Fraction(index_of(feature, value))]

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return the first and the last index."""
        return [(Fraction(0), Fraction(len(feature.domain) - 1))]

    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return the place in the order, counted from 1."""
        return f"between values: place {write(numbers[0] + 1, None)} of {len(feature.domain)}"

    def reach(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Reach:
        """Return the ranks within the radius."""
        steps = _steps(feature, radius)
        place = feature.domain.index(str(value))
        return among(feature, place, max(0, place - steps), min(len(feature.domain) - 1, place + steps))

    def moved_alone(self, feature: EncodedFeature, radius: Fraction) -> Moved | None:
        """Return the number of ranks."""
        count = len(feature.domain)
        steps = min(_steps(feature, radius), count - 1)
        if not steps:
            return None
        return Moved("any") if steps == count - 1 else Moved("ranks", {"moved": Fraction(steps), "n": Fraction(count)})

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return the number of ranks."""
        steps = _steps(feature, radius)
        if steps >= len(feature.domain) - 1:
            return ANY
        return f"+- {steps} of {len(feature.domain)} ranks" if steps else NONE

    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value and the first and last value within the radius."""
        if not 0 < _steps(feature, radius) < len(feature.domain) - 1:
            return super().interval(grid, feature, radius, value)
        reach = self.reach(grid, feature, radius, value)
        ends = " to ".join(quoted(feature.domain[int(end)]) for end in (reach.low, reach.high))
        return f"{quoted(str(value))}: {ends}"

    def around(
        self, grid: Grid, feature: EncodedFeature, columns: Sequence[int], distance: Fraction, /
    ) -> list[Columns]:
        """Return the columns of the first and the last rank near enough; ranks that coincide are all meant."""
        (column,) = columns
        ranks = [on_grid(feature, Fraction(rank), grid.scale_unit) for rank in range(len(feature.domain))]
        own = [rank for rank, end in enumerate(ranks) if end == column]
        near = [end for rank, end in enumerate(ranks) if any(abs(rank - one) <= distance for one in own)]
        return [(min(near, default=column), max(near, default=column))]


def _steps(feature: EncodedFeature, radius: Fraction) -> int:
    """Return how many ranks are closer than a radius: a whole radius itself is already too far."""
    return max(0, math.ceil(moved_by(feature, radius)) - 1)
