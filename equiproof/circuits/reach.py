"""How far a feature alone may move with the same decision: the numbers of every bar, in exact fractions.

Answers, letters, pages, pictures and the report of audits take them from here; verifier/bars.py adds the words.
Statements are about changes that are closer than the radius, so that a change by the radius itself does not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from equiproof.circuits.encodings import ENCODINGS, shown_ends
from equiproof.circuits.numbers import exact, exponent, read_number
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import radius_of_any

WHOLE_TRACK = 10_000
"""Places are in hundredths of a percent of the track."""

_DIGITS = 3
"""How many digits of a distance are kept; the ends of a span end at the same place."""

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Reach:
    """What one feature alone may be, both ends included: numbers, or places in the domain of a category, from 0.

    `own` is the value itself. `possible` are the ends of what the feature can be, None where nothing bounds it;
    `listed` says that the spec names them.
    """

    own: Fraction
    low: Fraction
    high: Fraction
    possible: Ends | None
    listed: bool

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


def reach(spec: Spec, feature: Feature, radius_squared: int, value: str | float) -> Reach:
    """Return what a non-sensitive feature of this value alone may be under a certificate of this R2."""
    radius = radius_of_any(spec, radius_squared)
    if ENCODINGS[feature.encoding].kind == "categorical":
        low, high = map(Fraction, ENCODINGS[feature.encoding].reached(spec, feature, radius, value))
        last = Fraction(len(feature.domain) - 1)
        return Reach(Fraction(feature.domain.index(str(value))), low, high, (Fraction(0), last), listed=True)
    own = read_number(value)
    moved = radius * exact(feature.scale)
    possible = _possible(spec, feature, own)
    step = _step(feature, moved)
    # Just inside each end; a possible end that comes first is itself included.
    low = (math.floor((own - moved) / step) + 1) * step
    high = (math.ceil((own + moved) / step) - 1) * step
    if possible is not None:
        low = max(low, Fraction(math.ceil(possible[0])) if _whole(feature) else possible[0])
        high = min(high, Fraction(math.floor(possible[1])) if _whole(feature) else possible[1])
    # Without a multiple of the step on each side of the value there is no span to show: it then counts as fixed.
    if not low <= own <= high or low == high:
        low = high = own
    return Reach(own, low, high, possible, listed=feature.range is not None)


def moved_most(feature: Feature, radius: Fraction) -> Fraction:
    """Return how far a number may move whatever its value, below the radius; 0 for not at all."""
    moved = radius * exact(feature.scale)
    step = _step(feature, moved)
    return (math.ceil(moved / step) - 1) * step


def _possible(spec: Spec, feature: Feature, own: Fraction) -> Ends | None:
    """Return the ends of what a number can be; without a range, those that the width holds, if the spec keeps to them.

    Those of the width are shown rounded inward; the value itself was proven all the same.
    """
    if feature.range is not None:
        return exact(feature.range[0]), exact(feature.range[1])
    if not spec.use_ranges:
        return None
    low, high = map(Fraction, shown_ends(spec, feature))
    return min(low, own), max(high, own)


def _whole(feature: Feature) -> bool:
    """Return whether a number has whole values only."""
    return feature.whole is True


def _step(feature: Feature, moved: Fraction) -> Fraction:
    """Return what shown ends are multiples of: 1 for whole numbers, else the last digit of what is below a distance."""
    if _whole(feature) or not moved:
        return Fraction(1)
    place = exponent(moved)
    # Below a power of ten all numbers have a digit less, and what is shown is below the distance.
    return Fraction(10) ** (place - _DIGITS + 1 - (moved == Fraction(10) ** place))
