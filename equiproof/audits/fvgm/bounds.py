"""Probabilities that are known between two exact ends."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


class OpenError(Exception):
    """Closer ends cannot be had; this leaves fairness open, in one line."""


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
        # Where the other may be 0, the ratio of a least to a most share is still 1 at most.
        high = self.high / other.low if other.low > 0 else None
        return Bounds(self.low / other.high, max(self.low / other.high, Fraction(1)) if high is None else high)


@dataclass(frozen=True)
class Sampled(Bounds):
    """A share between the ends of an interval: `count` of `draws`, and the confidence `level` of the interval."""

    count: int
    draws: int
    level: float

    @classmethod
    def drawn(cls, count: int, n: int, level: float) -> Sampled:
        """Return the interval of a share for `count` of n draws that covers it with this confidence or more.

        The ends are those of Clopper and Pearson (1934): quantiles of beta distributions.
        """
        from scipy.stats import beta

        tail = (1 - level) / 2
        low = float(beta.ppf(tail, count, n - count + 1)) if count else 0.0
        high = float(beta.ppf(1 - tail, count + 1, n - count)) if count < n else 1.0
        return cls(Fraction(low), Fraction(high), count, n, level)

    @property
    def middle(self) -> float:
        """The share of the draws, as a float to show."""
        return self.count / self.draws


def largest(values: list[Bounds]) -> Bounds:
    """Return bounds of the largest."""
    return Bounds(max(value.low for value in values), max(value.high for value in values))


def smallest(values: list[Bounds]) -> Bounds:
    """Return bounds of the smallest."""
    return Bounds(min(value.low for value in values), min(value.high for value in values))
