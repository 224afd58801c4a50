"""Levels: the few radii and gains that certificates show under a spec that lists them.

An exact radius is an equation about the model for whoever knows the query; a level is only a bound. Radius 0 and gain
0 are always levels and are never listed. Of a level l, R2 = floor((l 2^f)^2), f being the spec's input_fraction_bits;
of a level of gains in log odds, the least gain is l 2^u rounded up, u being the bits of the statement's unit, and a
loss of at most l is a level too.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import msgspec

from equiproof.circuits.numbers import exact
from equiproof.circuits.tables import say

MOST_LEVELS = 16
LARGEST_LEVEL = 16
"""The largest level in the spec's units: that of the largest R2 of any spec, 2^(2 f + 8)."""

Listed = tuple[str, ...] | msgspec.UnsetType


class Levelled(Protocol):
    """What of a spec the levels follow from; unset lists mean that exact numbers are shown."""

    @property
    def levels(self) -> Listed:
        """The levels of radii, in the spec's units."""

    @property
    def gain_levels(self) -> Listed:
        """The levels of gains, in log odds."""

    @property
    def input_fraction_bits(self) -> int:
        """The bits of a column's fraction, f."""


def squares(texts: Sequence[str], fraction_bits: int) -> tuple[int, ...]:
    """Return R2 of each level, which is exact decimal text."""
    return tuple(math.floor((exact(text) * (1 << fraction_bits)) ** 2) for text in texts)


def shown(spec: Levelled, radius_squared: int) -> int:
    """Return the R2 that a certificate shows: the largest level at or below, `radius_squared` itself without levels."""
    if isinstance(spec.levels, msgspec.UnsetType):
        return radius_squared
    found = (0, *squares(spec.levels, spec.input_fraction_bits))
    return found[bisect_right(found, radius_squared) - 1]


def gains(spec: Levelled, unit: int) -> tuple[int, ...]:
    """Return the least gains that are levels, rising, where a logit has `unit` fraction bits."""
    listed = () if isinstance(spec.gain_levels, msgspec.UnsetType) else spec.gain_levels
    steps = [exact(text) * (1 << unit) for text in listed]
    # Rounded up on both sides of 0, so that none promises less than its text.
    return tuple(sorted({math.ceil(step) for size in steps for step in (-size, size)} | {0}))


def shown_gain(spec: Levelled, least_gain: int, unit: int) -> int | None:
    """Return the gain that a certificate shows: the largest level at or below, None where there is none.

    Without levels it is `least_gain` itself. Under a spec with levels but without levels of gains, 0 is the only one.
    """
    if isinstance(spec.levels, msgspec.UnsetType):
        return least_gain
    found = gains(spec, unit)
    place = bisect_right(found, least_gain)
    return found[place - 1] if place else None


def complaint(spec: Levelled) -> str:
    """Return why the lists, whose texts are decimals, are not levels, in one line; empty where they are."""
    for name, texts in (("levels", spec.levels), ("gain_levels", spec.gain_levels)):
        if isinstance(texts, msgspec.UnsetType):
            continue
        if not 1 <= len(texts) <= MOST_LEVELS:
            return say("spec.levels_count", field=name, most=MOST_LEVELS)
        if exact(texts[0]) <= 0 or not all(one < other for one, other in pairwise(map(exact, texts))):
            return say("spec.levels_not_rising", field=name)
        # Two levels of one R2 would be one level with two texts, and one of R2 0 is there always.
        if not all(one < other for one, other in pairwise((0, *squares(texts, spec.input_fraction_bits)))):
            return say("spec.levels_too_fine", field=name)
        if exact(texts[-1]) > LARGEST_LEVEL:
            return say("spec.level_too_large", field=name, most=LARGEST_LEVEL)
    if isinstance(spec.levels, msgspec.UnsetType) and not isinstance(spec.gain_levels, msgspec.UnsetType):
        return say("spec.gain_levels_alone")
    return ""
