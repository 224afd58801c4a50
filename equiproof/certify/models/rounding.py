"""Rounding of exact numbers to the committed integers: halves go up."""

from __future__ import annotations

import math
from fractions import Fraction


def round_half_up(value: Fraction) -> int:
    """Return floor(value + 1/2)."""
    return math.floor(value + Fraction(1, 2))


def scaled_half_up(value: Fraction | int, bits: int) -> int:
    """Return floor(value 2^bits + 1/2), in integers: fractions would be reduced each time."""
    above, below = value.as_integer_ratio()
    return ((above << (bits + 1)) + below) // (2 * below)
