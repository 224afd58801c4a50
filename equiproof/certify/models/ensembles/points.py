"""Turns an additive score into the readable points of a scorecard: whole numbers, and short ends of bins.

20 points double the odds of the second label, which is decided from 500 points on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.data.dataset import Row
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scorecard import Bin, Scorecard
from equiproof.certify.models.rounding import round_half_up
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec

CUTOFF = 500
POINTS_TO_DOUBLE = 20

_POINTS = Fraction(POINTS_TO_DOUBLE / math.log(2))


def scorecard_of(score: Score, spec: Spec, rows: Sequence[Row]) -> Scorecard:
    """Return the scorecard of a score: the least points of each feature are 0, and bins of equal points are joined.

    Ends of bins are the shortest decimals that part the values of the rows as the score's thresholds do.
    """
    base = CUTOFF + (score.base - Fraction(spec.threshold)) * _POINTS
    bins: dict[str, tuple[Bin, ...]] = {}
    values: dict[str, dict[str, tuple[int, Fraction]]] = {}
    for feature, first in placed(spec):
        if not any(first + offset in score.by_column for offset in range(feature.width)):
            continue
        if feature.kind == "categorical":
            levels = {value: _level(score, feature, first, value) for value in feature.domain}
            least = min(levels.values())
            values[feature.name] = {
                value: (0, Fraction(round_half_up((level - least) * _POINTS))) for value, level in levels.items()
            }
        else:
            cuts, some = _cuts(score, feature, first, spec, rows)
            least = min(some)
            points = [Fraction(round_half_up((level - least) * _POINTS)) for level in some]
            bins[feature.name] = _joined(cuts, points)
        base += least * _POINTS
    return Scorecard(bins, values, Fraction(round_half_up(base)), Fraction(CUTOFF))


def _level(score: Score, feature: Feature, first: int, value: str) -> Fraction:
    """Return what one value of a category adds to the score."""
    columns = enumerate(exact_columns(feature, value, 1), start=first)
    return sum((score.level(column, number) for column, number in columns), Fraction(0))


def _cuts(
    score: Score, feature: Feature, column: int, spec: Spec, rows: Sequence[Row]
) -> tuple[list[Fraction], list[Fraction]]:
    """Return raw ends of bins of a number in ascending order, and the level of each bin."""
    own = feature.domain or {row[feature.name] for row in rows}
    encoding = ENCODINGS[feature.encoding]
    numbers = sorted((exact_columns(feature, value, 1)[0], read_number(value)) for value in own)
    cuts: list[Fraction] = []
    levels = [Fraction(0)]
    for step in score.by_column[column]:
        below = [number for place, number in numbers if place not in step.ray]
        above = [number for _, number in numbers[len(below) :]]
        whole = feature.whole is True
        # Where no value is beside the threshold, its step of the grid is, to a thousandth of what is a small change.
        small = Fraction(1) if whole else (encoding.step(feature) or Fraction(1)) / 1000
        end = Fraction(encoding.begin(spec, feature, step.threshold + 1, small) or 0) * small
        # Every whole number is declared, so only the first one above the grid's edge agrees with the integers.
        cut = end if whole else _shortest(below[-1] if below else end - small, above[0] if above else end)
        level = levels[-1] + step.jump
        # No value lies between this threshold and the last one: both jumps happen at one end.
        if cuts and cut <= cuts[-1]:
            levels[-1] = level
        else:
            cuts.append(cut)
            levels.append(level)
    return cuts, levels


def _shortest(low: Fraction, high: Fraction) -> Fraction:
    """Return a decimal above `low` and at most `high` with the fewest digits after the point; the largest of those."""
    digits = 0
    while True:
        decimal = Fraction(math.floor(high * 10**digits), 10**digits)
        if decimal > low:
            return decimal
        digits += 1


def _joined(cuts: Sequence[Fraction], points: Sequence[Fraction]) -> tuple[Bin, ...]:
    """Return the bins between ascending ends, equal neighbors joined."""
    steps = [place for place in range(len(cuts)) if points[place] != points[place + 1]]
    ends: list[Fraction | None] = [None, *(cuts[place] for place in steps), None]
    own = [points[0], *(points[place + 1] for place in steps)]
    return tuple(Bin(0, ends[place], ends[place + 1], score) for place, score in enumerate(own))
