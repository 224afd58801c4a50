"""Exact numbers from raw values and decimal text, and as short text that promises no more than the number."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from equiproof.circuits.tables import say

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class NumberError(ValueError):
    """A raw value that is no number: the reason in one line."""


@lru_cache(maxsize=1 << 13)
def exact(text: str) -> Fraction:
    """Return the number that decimal text of a spec stands for; specs repeat it in every row."""
    return Fraction(text)


def read_number(value: Any) -> Fraction:
    """Read a raw number exactly: an integer, a finite float as it prints, or decimal text; raises NumberError."""
    if isinstance(value, bool):
        raise NumberError(f"want a number, not {value}")
    # Bounds of length and of exponent keep a few hostile characters from becoming a fraction of millions of digits.
    if isinstance(value, int) and abs(value) < 1 << 200:
        return Fraction(value)
    text = repr(float(value)) if isinstance(value, float) else str(value)
    number = Decimal(text) if len(text) <= 60 and _NUMBER.fullmatch(text) else Decimal("nan")
    if not number.is_finite() or abs(number.adjusted()) > 60:
        raise NumberError(say("value.not_a_number", value=repr(text[:40])))
    return Fraction(number)


def rounded_down(number: Fraction) -> str:
    """Return a number with three significant digits, never more than it is."""
    if number == 0:
        return "0"
    place = exponent(number) - 2
    digits = math.floor(number / Fraction(10) ** place)
    return f"{Decimal(digits).scaleb(place).normalize():,f}"


def exponent(number: Fraction) -> int:
    """Return the place of the first digit of a number above 0, or of powers of ten the one below."""
    return Decimal(math.floor(number)).adjusted() if number >= 1 else -len(str(math.ceil(1 / number)))
