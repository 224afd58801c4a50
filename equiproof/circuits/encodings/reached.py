"""What one feature alone may be with the same decision, and where its bar stands: the same for every encoding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

WHOLE_TRACK = 10_000
"""Places are in hundredths of a percent of the track."""

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Reach:
    """What one feature alone may be, both ends included: numbers, or places in the domain of a category, from 0.

    `own` is the value itself. `possible` are the ends of what the feature can be, None where nothing bounds it;
    `listed` says that the spec names them. `of_domain` says that all of these are places in the domain.
    """

    own: Fraction
    low: Fraction
    high: Fraction
    possible: Ends | None
    listed: bool
    of_domain: bool = False

    @property
    def moves(self) -> bool:
        """Whether it may be anything else than the value itself."""
        return self.low < self.high

    @property
    def everything(self) -> bool:
        """Whether it may be all that is possible."""
        return (self.low, self.high) == self.possible

    @property
    def track(self) -> Ends:
        """The ends of the line that a bar is drawn on: those that the spec lists, else a quarter beyond the bar."""
        if self.listed and self.possible is not None:
            return self.possible
        beyond = (self.high - self.low) / 4 or Fraction(1)
        low = self.low - beyond
        high = self.high + beyond
        return (low, high) if self.possible is None else (max(low, self.possible[0]), min(high, self.possible[1]))

    def places(self) -> dict[str, Any]:
        """Return the bar's numbers: ends rounded inward, the own place to the nearest, and where caps stand."""
        start, end = self.track
        width = (end - start) or Fraction(1)
        low, own, high = ((place - start) * WHOLE_TRACK / width for place in (self.low, self.own, self.high))
        you = math.floor(own + Fraction(1, 2))
        # The own value always lies inside its bar, so its mark does too, whichever way it was rounded.
        return {
            "low": min(math.ceil(low), you),
            "high": max(math.floor(high), you),
            "you": you,
            "caps": [self.low > start, self.high < end],
        }
