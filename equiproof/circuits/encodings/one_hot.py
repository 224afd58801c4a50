"""The encoding "one-hot": a category without an order."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid, moved_by
from equiproof.circuits.encodings.interface import ANY, NONE, Moved, Write
from equiproof.circuits.encodings.listed import Listed, among, index_of
from equiproof.circuits.encodings.reached import Reach

ONE_HOT = "="
"""Between a feature and its value in the name of a one-hot column, as in purpose=car."""


class OneHot(Listed):
    """A category without an order: one 0/1 column per value of the domain."""

    ordered = False
    standardised = False

    def column_names(self, feature: EncodedFeature) -> list[str]:
        """Return the feature's name with each value."""
        return [f"{feature.name}{ONE_HOT}{value}" for value in feature.domain]

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return 1 for the value and 0 for every other one."""
        own = index_of(feature, value)
        return [Fraction(int(index == own)) for index in range(len(feature.domain))]

    def ends(self, feature: EncodedFeature) -> list[tuple[Fraction, Fraction] | None]:
        """Return 0 and 1 for each column."""
        return [(Fraction(0), Fraction(1))] * len(feature.domain)

    def _between(self, feature: EncodedFeature, numbers: Sequence[Fraction], write: Write) -> str:
        """Return the share of each value."""
        parts = [f"{value} {write(part, None)}" for value, part in zip(feature.domain, numbers, strict=True) if part]
        return f"a mixture: {', '.join(parts) or 'none'}"

    def reach(self, _grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> Reach:
        """Return all of the domain where any other value is within the radius, and the value's own place else."""
        place = feature.domain.index(str(value))
        return among(feature, place, *((0, len(feature.domain) - 1) if _any(feature, radius) else (place, place)))

    def moved_alone(self, feature: EncodedFeature, radius: Fraction) -> Moved | None:
        """Return whether another value is within the radius; a single one has none."""
        return Moved("any") if _any(feature, radius) and len(feature.domain) > 1 else None

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return whether another value is within the radius."""
        return ANY if _any(feature, radius) else NONE

    def around(
        self, _grid: Grid, _feature: EncodedFeature, columns: Sequence[int], _distance: Fraction, /
    ) -> list[Columns]:
        """Return the columns as they are."""
        return [(column, column) for column in columns]


def _any(feature: EncodedFeature, radius: Fraction) -> bool:
    """Return whether another value is within the radius: two indicators change at once, each by one."""
    moved = moved_by(feature, radius)
    # So another value is at the squared distance 2, and one that is just as far as the radius is not below it.
    return moved * moved > 2
