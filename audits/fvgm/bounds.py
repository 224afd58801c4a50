"""Probabilities that are known between two exact ends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Bounds:
    """A number between two rationals, both included; exact if they are equal."""

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: Fraction | int) -> Bounds:
        """Return an exact number."""
        return cls(Fraction(value), Fraction(value))

    @property
    def exact(self) -> bool:
        """Whether the number is known."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """The middle, as a float to show."""
        return float((self.low + self.high) / 2)

    def __sub__(self, other: Bounds) -> Bounds:
        return Bounds(self.low - other.high, self.high - other.low)

    def ratio(self, other: Bounds) -> Bounds:
        """Return this over another, both at least 0; 1 if the other is certainly 0, since no group is then ahead."""
        if other.high == 0:
            return Bounds.of(1)
        high = self.high / other.low if other.low > 0 else None
        return Bounds(self.low / other.high, max(self.low / other.high, Fraction(1)) if high is None else high)


def largest(values: list[Bounds]) -> Bounds:
    """Return bounds of the largest."""
    return Bounds(max(value.low for value in values), max(value.high for value in values))


def smallest(values: list[Bounds]) -> Bounds:
    """Return bounds of the smallest."""
    return Bounds(min(value.low for value in values), min(value.high for value in values))
