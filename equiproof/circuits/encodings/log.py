"""The encoding "log": a number by its binary logarithm, so that equal factors are equal distances.

A number v has the logarithm of x = v + offset, rounded down to a multiple of 2^-40. That is the encoding and no
approximation of it, so that every program finds the same integers, and statements about raw values are exact
(docs/adr/0032-encodings-own-their-reach.md). No float is used: bits are found by squaring an interval of integers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid, moved_by, off_grid, on_grid
from equiproof.circuits.encodings.interface import NONE, EncodingError, Moved, ShownEnds, Write, named, refuse_start
from equiproof.circuits.encodings.numbers import DIGITS, MOST_DIGITS, Numbers, beginning, is_whole, last_inside, shown
from equiproof.circuits.encodings.reached import Ends
from equiproof.circuits.names import after_number
from equiproof.circuits.numbers import exact, exponent
from equiproof.circuits.tables import say, written

_BITS = 40
"""Logarithms are multiples of 2^-40."""

_LEAST, _MOST = Fraction(1, 1 << 64), Fraction(1 << 64)
"""The ends of what has a logarithm here."""

_TENS = range(-20, 20)
"""Exponents of ten: the first power lies below all that has a logarithm here, the last is the greatest that has one."""

_FACTORS = Context(prec=60)
_NATURAL, _DECIMAL = Fraction(_FACTORS.ln(Decimal(2))), Fraction(_FACTORS.log10(Decimal(2)))
"""What a binary logarithm is multiplied by for the bases e and 10, to 60 digits."""

_SHOWN_DIGITS = 6
"""How many digits the ends that a width holds have, and numbers between grid points."""


class Log(Numbers):
    """A number above minus its offset, in one column; distances are factors of what lies above."""

    linear = False
    loss = Fraction(1, 1 << _BITS)

    def check(self, grid: Grid, feature: EncodedFeature, /) -> None:
        """Refuse a feature without an offset, ends and values that have no logarithm, and a grid that holds none."""
        refuse_start(feature)
        name = named(feature)
        offset = _offset(feature)
        for field, values in (("range", feature.range or ()), ("domain", feature.domain)):
            for value in values:
                if not _has_logarithm(exact(value) + offset):
                    raise EncodingError(
                        say(
                            "spec.offset_unfit",
                            feature=name,
                            offset=beginning(feature.offset),
                            field=field,
                            value=beginning(value),
                        )
                    )
        if feature.range is None and not feature.domain:
            low, high = self.shown_ends(grid, feature)
            if low > high:
                raise EncodingError(say("spec.logarithm_unheld", feature=name, bits=grid.input_bits))

    def raw_columns(self, feature: EncodedFeature, value: Any) -> list[Fraction]:
        """Return the logarithm."""
        number = self.read(feature, value)
        if not _has_logarithm(number + _offset(feature)):
            raise _without(feature, value)
        return [logarithm(number + _offset(feature))]

    def level(self, feature: EncodedFeature, number: Fraction) -> Fraction:
        """Return the logarithm; raises EncodingError for a number that has none."""
        if not _has_logarithm(number + _offset(feature)):
            raise _without(feature, f"{shown(number):f}")
        return logarithm(number + _offset(feature))

    def held(self, feature: EncodedFeature) -> Ends:
        """Return the ends of what has a logarithm, less the offset."""
        offset = _offset(feature)
        return _LEAST - offset, _MOST - offset

    def inputs(self, feature: EncodedFeature) -> dict[str, Fraction]:
        """Return the logarithms that models take: to the bases 2, e and 10, written with the offset unless it is 0."""
        offset = _offset(feature)
        sign, size = ("-", shown(-offset)) if offset < 0 else ("+", shown(offset))
        number = f"{feature.name} {sign} {size:f}" if offset else feature.name
        names = {f"log1p({feature.name})": _NATURAL} if offset == 1 else {}
        return names | {f"log({number})": _NATURAL, f"log2({number})": Fraction(1), f"log10({number})": _DECIMAL}

    def decoded(self, feature: EncodedFeature, columns: Sequence[Fraction], scale_unit: int, write: Write) -> str:
        """Return the number with the fewest decimals whose column this is, of at most twelve digits.

        Between grid points, and where no such number has the column, it is the next one of six digits.
        """
        (column,) = columns
        target = off_grid(feature, column, scale_unit)
        # The middle of a wide column may lie beyond all that has a logarithm, while numbers at its end have one.
        half = exact(feature.scale) / scale_unit / 2 if column.denominator == 1 else Fraction(0)
        if target - half > 64 or target + half < -64 or (half and target + half == -64):
            word, end = ("below", _LEAST) if target < 0 else ("above", _MOST)
            return f"{word} {write(end - _offset(feature), None)}"
        target = min(max(target, Fraction(-64)), Fraction(64))
        place = _place(target)
        if half:
            digit = Fraction(10) ** (place - MOST_DIGITS + 1)
            first, beyond = (self._begin(feature, scale_unit, int(column) + more, digit) * digit for more in (0, 1))
            for ten in range(place + 1, place - MOST_DIGITS, -1):
                number = math.ceil(first / Fraction(10) ** ten) * Fraction(10) ** ten
                if number < beyond:
                    return write(number, max(0, -ten))
        last = place - _SHOWN_DIGITS + 1
        number = _least(feature, Fraction(10) ** last, target) * Fraction(10) ** last
        return write(number, max(0, -last))

    def _span(self, feature: EncodedFeature, own: Fraction, moved: Fraction) -> Ends:
        """Return the last multiples of the step whose logarithms are closer than the distance."""
        if not moved:
            return own, own
        level = self.level(feature, own)
        # Whatever the direction, what is this near is closer: a half for a factor of two, and less for a smaller one.
        near = (own + _offset(feature)) * min(moved, Fraction(1)) / 2
        step = Fraction(1) if is_whole(feature) else Fraction(10) ** (exponent(near) - DIGITS + 1)
        # Logarithms are multiples of a step, so that one above a bound is at least the next multiple.
        above = Fraction(math.floor((level - moved) * (1 << _BITS)) + 1, 1 << _BITS)
        return _least(feature, step, above) * step, (_least(feature, step, level + moved) - 1) * step

    def moved_alone(self, feature: EncodedFeature, radius: Fraction) -> Moved | None:
        """Return a factor below the radius, and from where it is counted unless that is 0."""
        factor = _factor(moved_by(feature, radius))
        if factor is None:
            return None
        offset = _offset(feature)
        return (
            Moved("factor_from", {"factor": factor, "start": -offset})
            if offset
            else Moved("factor", {"factor": factor})
        )

    def moved(self, feature: EncodedFeature, radius: Fraction) -> str:
        """Return the factor."""
        factor = _factor(moved_by(feature, radius))
        if factor is None:
            return NONE
        text = f"{shown(factor):,f}"
        offset = _offset(feature)
        if not offset:
            return written("reading.factor", factor=text)
        start = f"{shown(-offset):,f}"
        return written("reading.factor_from", factor=text, start=start, unit=after_number(feature.unit))

    def interval(self, grid: Grid, feature: EncodedFeature, radius: Fraction, value: str | float, /) -> str:
        """Return the value and the two ends in the feature's unit."""
        reach = self.reach(grid, feature, radius, value)
        own = f"{Decimal(str(value)):,f}"
        if not reach.moves:
            return f"{own}: {NONE}"
        return f"{own}: {shown(reach.low):,f} to {shown(reach.high):,f}{after_number(feature.unit)}"

    def _held(self, grid: Grid, feature: EncodedFeature) -> ShownEnds:
        """Return the first and the last number of six digits that have a logarithm and a column of the width."""
        limit = 1 << (grid.input_bits - 1)
        offset = _offset(feature)
        unheld, digit = _last_before(_first_level(feature, -limit, grid.scale_unit))
        last, last_digit = _last_before(_first_level(feature, limit, grid.scale_unit))
        return shown((unheld + 1) * digit - offset), shown(last * last_digit - offset)

    def around(
        self, grid: Grid, feature: EncodedFeature, columns: Sequence[int], distance: Fraction, /
    ) -> list[Columns]:
        """Return the columns of numbers that are further off than those whose column this is, by very little."""
        (column,) = columns
        if not distance:
            return [(column, column)]
        target = min(max(off_grid(feature, Fraction(column), grid.scale_unit), Fraction(-64)), Fraction(64))
        digit = Fraction(10) ** (math.floor(target * Fraction(3, 10)) - MOST_DIGITS)
        low = (self.begin(grid, feature, column, digit) - 1) * digit - distance
        high = self.begin(grid, feature, column + 1, digit) * digit + distance
        offset = _offset(feature)
        low_end, high_end = (
            on_grid(feature, logarithm(min(max(number + offset, _LEAST), _MOST)), grid.scale_unit)
            for number in (low, high)
        )
        return [(min(column, low_end), max(column, high_end))]

    def begin(self, grid: Grid, feature: EncodedFeature, column: int, step: Fraction, /) -> int:
        """Return the first multiple whose column is at least this, or that is too large for a logarithm."""
        return self._begin(feature, grid.scale_unit, column, step)

    def _begin(self, feature: EncodedFeature, scale_unit: int, column: int, step: Fraction) -> int:
        """Return the same for a grid of so many steps a unit."""
        return _least(feature, step, _first_level(feature, column, scale_unit))

    def step(self, feature: EncodedFeature) -> Fraction:
        """Return a power of ten below a tenth of what one scale is at the mean, at least 1 for whole numbers."""
        tenth = exponent(Fraction(10) ** _place(exact(feature.mean)) * min(exact(feature.scale), Fraction(1)) / 2) - 1
        return Fraction(10) ** (max(0, tenth) if is_whole(feature) else tenth)


def _offset(feature: EncodedFeature) -> Fraction:
    """Return what is added to a value; raises EncodingError for a feature that does not say it."""
    if not isinstance(feature.offset, str):
        name = named(feature)
        raise EncodingError(say("spec.offset_missing", feature=name, encoding=feature.encoding))
    return exact(feature.offset)


def _has_logarithm(number: Fraction) -> bool:
    """Return whether a number with its offset has a logarithm here."""
    return _LEAST <= number <= _MOST


def _without(feature: EncodedFeature, value: Any) -> EncodingError:
    """Return the error for a value that has no logarithm."""
    return EncodingError(say("value.no_logarithm", value=beginning(value), offset=beginning(feature.offset)))


def _first_level(feature: EncodedFeature, column: int, scale_unit: int) -> Fraction:
    """Return the least raw column number that is rounded to a column, or to a later one."""
    return off_grid(feature, column - Fraction(1, 2), scale_unit)


def _before(number: Fraction, level: Fraction) -> bool:
    """Return whether a number with its offset lies before those whose logarithms are at least this.

    What is too small for a logarithm here lies before all of them, and what is too large does not.
    """
    return number < _LEAST or (number <= _MOST and logarithm(number) < level)


def _near(level: Fraction) -> Fraction:
    """Return a number whose logarithm is about this, or an end of what has one: where a search begins, and no more."""
    near = min(max(level, Fraction(-64)), Fraction(64))
    # Many digits, since a search over small steps up to a large number begins as many steps off.
    digits = Context(prec=50)
    return Fraction(digits.power(Decimal(2), digits.divide(Decimal(near.numerator), Decimal(near.denominator))))


def _least(feature: EncodedFeature, step: Fraction, level: Fraction) -> int:
    """Return the least n for which n * step has a logarithm of at least this, or is too large for one."""
    offset = _offset(feature)
    start = math.floor((_near(level) - offset) / step)
    return last_inside(lambda count: _before(count * step + offset, level), start) + 1


def _last_before(level: Fraction) -> tuple[int, Fraction]:
    """Return the last number of six digits before those whose logarithms are at least this: a count, and its unit."""
    place = _TENS[bisect_left(_tens(), level)]
    digit = Fraction(10) ** (place - _SHOWN_DIGITS + 1)
    return last_inside(lambda count: _before(count * digit, level), math.floor(_near(level) / digit)), digit


def _place(level: Fraction) -> int:
    """Return the exponent of the last power of ten whose logarithm is not above this, or of the first power."""
    return _TENS[bisect_right(_tens(), level)]


@cache
def _tens() -> tuple[Fraction, ...]:
    """Return the logarithms of the powers of ten that have one: of all but the first."""
    return tuple(logarithm(Fraction(10) ** ten) for ten in _TENS[1:])


def _factor(moved: Fraction) -> Fraction | None:
    """Return by what any number may be multiplied or divided, so that its logarithm moves less than this; None for 1.

    Rounding down moves a logarithm by less than 2^-40, and that of the factor too.
    """
    least = Fraction(2, 1 << _BITS)
    if moved < least:
        return None
    digit = Fraction(10) ** (exponent(min(moved, Fraction(1)) / 2) - DIGITS + 1)

    def inside(count: int) -> bool:
        return count * digit <= _MOST and logarithm(count * digit) + least <= moved

    factor = last_inside(inside, math.floor(_near(moved) / digit)) * digit
    return factor if factor > 1 else None


@lru_cache(maxsize=1 << 14)
def logarithm(number: Fraction) -> Fraction:
    """Return the binary logarithm of a number above 0, rounded down to a multiple of 2^-40."""
    above, below = number.numerator, number.denominator
    whole = above.bit_length() - below.bit_length()
    if not above & (above - 1) and not below & (below - 1):
        return Fraction(whole)
    # Now the logarithm is irrational, so that with enough bits every comparison below is decided.
    if above << max(0, -whole) < below << max(0, whole):
        whole -= 1
    above <<= max(0, -whole)
    below <<= max(0, whole)
    precision = 128
    while (bits := _fraction(above, below, precision)) is None:
        precision *= 2
    return whole + Fraction(bits, 1 << _BITS)


def _fraction(above: int, below: int, precision: int) -> int | None:
    """Return floor(2^40 log2(above / below)) of a quotient between 1 and 2, or None where more bits must decide.

    The quotient lies between `low` and `high` in units of 2^-precision. Squaring doubles its logarithm: the next bit is
    whether the square is 2 or more.
    """
    low = (above << precision) // below
    high = -((-above << precision) // below)
    two = 2 << precision
    bits = 0
    for _ in range(_BITS):
        low = low * low >> precision
        high = -(-high * high >> precision)
        bits <<= 1
        if low >= two:
            bits |= 1
            low >>= 1
            high = -(-high >> 1)
        elif high >= two:
            return None
    return bits
