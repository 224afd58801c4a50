"""The values of one feature, and wide numbers by intervals that the network cannot tell apart.

A number is encoded as a whole multiple of 1/2^f, rounded: many raw values have the same column. If a feature has too
many values to list, one level stands for all values of a column. That is exact: the network receives the same integer
for each of them. Columns never fall as the number rises, so the values of a column are an interval; where it begins is
the encoding's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equiproof.circuits.encodings import ENCODINGS, on_grid
from equiproof.circuits.spec import Feature, Spec

Columns = npt.NDArray[np.int64]
Number = int | Fraction

MAX_LEVELS = 1 << 20
"""The most levels of a feature; where its columns are more, values at equal steps are taken."""

_MAX_LISTED = 1 << 16
"""The most values that are listed one by one; more are listed by intervals."""


class GridError(ValueError):
    """An infinite domain, or an unknown feature or value; one line naming the feature and how to mend it."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a feature, ascending or in the spec's order.

    Level i stands for the raw values from `first[i]` to `last[i]`, which have the same `columns[i]`, shape (levels,
    width); `count` is the number of raw values. `stride` is 1 unless only every stride-th value is in the domain.
    """

    first: tuple[str, ...]
    last: tuple[str, ...]
    columns: Columns
    count: int
    stride: int = 1

    @property
    def merged(self) -> bool:
        """Whether a level may stand for several values."""
        return self.count > len(self.first)


def levels_of(spec: Spec, feature: Feature, bounds: tuple[Number, Number] | None, digits: int) -> Levels:
    """Return the levels of a plain feature: its categories, or the multiples of 10^-digits in its range.

    `bounds` are ends for a number without a range, or narrower ones. Raises GridError naming the feature.
    """
    encode = _encoder(spec, feature)
    if feature.domain:
        return _listed(feature.domain, encode)
    first, last = _ends(feature, bounds, digits)
    if last - first < _MAX_LISTED:
        return _listed(tuple(_written(value, digits) for value in range(first, last + 1)), encode)

    line = _Line(spec, feature, digits)
    columns = [encode(_written(value, digits))[0] for value in (first, last)]
    if columns != [line.column(value) for value in (first, last)]:
        raise ArithmeticError(f"feature {feature.name!r}: its columns are not those of the spec")
    stride = 1
    if min(columns[1] - columns[0], last - first) >= MAX_LEVELS:
        stride = -(-(last - first + 1) // MAX_LEVELS)
    return _intervals(line, range(first, last + 1, stride), digits)


def _ends(feature: Feature, bounds: tuple[Number, Number] | None, digits: int) -> tuple[int, int]:
    """Return the least and the largest value of a number, times 10^digits."""
    if bounds is None and feature.range is None:
        raise GridError(f"give feature {feature.name!r} a range: an audit searches a finite domain, and it has none")
    low, high = (Fraction(end) for end in (bounds or feature.range or ("0", "0")))
    if feature.range is not None:
        low = max(low, Fraction(feature.range[0]))
        high = min(high, Fraction(feature.range[1]))
    if (held := ENCODINGS[feature.encoding].held(feature)) is not None:
        low = max(low, held[0])
        high = min(high, held[1])
    step = 10**digits
    first = int(-((-low * step) // 1))
    last = int((high * step) // 1)
    if last < first:
        kind = f"number of {digits} decimals" if digits else "whole number"
        raise GridError(f"feature {feature.name!r}: widen its range, or give more decimals: no {kind} lies in it")
    return first, last


def _encoder(spec: Spec, feature: Feature) -> Callable[[str], tuple[int, ...]]:
    """Return the spec's own encoding of one feature."""
    return lambda value: spec.encode_features((feature,), {feature.name: value})


def _listed(values: tuple[str, ...], encode: Callable[[str], tuple[int, ...]]) -> Levels:
    """Return a level for every value."""
    return Levels(values, values, np.array([encode(value) for value in values], dtype=np.int64), len(values))


class _Line(NamedTuple):
    """The columns of the numbers v / 10^digits of a feature, which ascend."""

    spec: Spec
    feature: Feature
    digits: int

    def column(self, value: int) -> int:
        """Return the column of a value."""
        level = ENCODINGS[self.feature.encoding].level(self.feature, Fraction(value, 10**self.digits))
        return on_grid(self.feature, level, self.spec.scale_unit)

    def begin(self, column: int) -> int:
        """Return the least value whose column is at least this."""
        step = Fraction(1, 10**self.digits)
        value = ENCODINGS[self.feature.encoding].begin(self.spec, self.feature, column, step)
        if value is None:
            raise ArithmeticError(f"feature {self.feature.name!r} is no number")
        return value


def _intervals(line: _Line, values: range, digits: int) -> Levels:
    """Return a level for every column that occurs among the values."""
    first = values.start
    stride = values.step
    columns = range(line.column(first) + 1, line.column(values[-1]) + 1)
    if len(columns) < len(values):
        # Rounded up: the first of the values whose column is at least this one. Where columns are narrower than a step,
        # several of them begin with one value.
        begins = sorted({-((first - line.begin(column)) // stride) for column in columns})
    else:
        own = [line.column(value) for value in values]
        begins = [place for place in range(1, len(own)) if own[place] != own[place - 1]]
    starts = [values[place] for place in (0, *begins)]
    ends = [values[place - 1] for place in (*begins, len(values))]
    return Levels(
        tuple(_written(value, digits) for value in starts),
        tuple(_written(value, digits) for value in ends),
        np.array([[line.column(value)] for value in starts], dtype=np.int64),
        len(values),
        stride,
    )


def _written(value: int, digits: int) -> str:
    """Write value / 10^digits without zeros at its end."""
    text = f"{Decimal(value).scaleb(-digits):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
