"""Numbers as people read them: the one place where terminal, page and picture round; documents keep every digit."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Literal

DIGITS = 4
"""Significant digits of a number that is no share."""

Rounding = Literal["nearest", "down", "up"]

_MODES = {"nearest": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}
_MAX_PLACES = 12
_FLOATS = Context(prec=15, rounding=ROUND_HALF_EVEN)
_ENCLOSURE_WIDTH = 1e-9
"""The distance, as a part of the number, that an enclosure in floats may have around an exactly known one."""


def number(value: float | Decimal, rounding: Rounding = "nearest", digits: int = DIGITS) -> str:
    """Return a number with a few significant digits and grouped thousands; integers are written in full.

    `rounding` is "nearest", "down" (towards minus infinity) or "up". A float is read as the decimal in its document.
    """
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else str(value)
    exact = _exact(value)
    if not exact.is_finite():
        return {True: "unlimited", False: "minus unlimited"}[exact > 0] if exact.is_infinite() else "not a number"
    rounded = Context(prec=digits, rounding=_MODES[rounding]).plus(exact)
    if rounded == 0:
        return "0"
    if -5 <= rounded.adjusted() < 12:
        text = f"{rounded:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{rounded.normalize():e}".replace("e+", "e")


def percent(share: float | Decimal, rounding: Rounding = "nearest", places: int = 1) -> str:
    """Return a share as "9.2 %".

    A share that is neither none nor all gets as many more decimals as it takes not to look like either: below one in a
    hundred two significant digits, and as many near the whole as differ from it.
    """
    exact = _exact(share)
    if not exact.is_finite():
        return number(exact)
    hundred = exact.scaleb(2)
    if hundred in (0, 100):
        return f"{hundred:.0f} %"
    if places and abs(hundred) < 1:
        places = min(_MAX_PLACES, 1 - hundred.adjusted())
        return f"{_fixed(hundred, places, rounding).rstrip('0').rstrip('.') or '0'} %"
    text = _fixed(hundred, places, rounding)
    while places and Decimal(text) == 100 and places < _MAX_PLACES:
        places += 1
        text = _fixed(hundred, places, rounding)
    return f"{text} %"


def part(some: int, total: int) -> str:
    """Return a part of a whole in percent, and "–" of nothing."""
    return percent(Decimal(some) / Decimal(total)) if total else "–"


def between(lower: float, upper: float, *, share: bool = False, places: int = 1) -> str:
    """Return two ends rounded outward, as in "49.0 to 74.7 %"; ends that only float rounding parts are one number."""
    if upper - lower <= _ENCLOSURE_WIDTH * max(1.0, abs(lower), abs(upper)):
        return percent(lower, places=places) if share else number(lower)
    if share:
        return f"{percent(lower, 'down', places).removesuffix(' %')} to {percent(upper, 'up', places)}"
    return f"{number(lower, 'down')} to {number(upper, 'up')}"


def _exact(value: float | Decimal) -> Decimal:
    """Return a float as the decimal that stands in its document, without a digit that only its last bit makes.

    A bound of 0.1 that was rounded outward to the next float, 0.09999999999999999, is read as 0.1 again.
    """
    return _FLOATS.plus(Decimal(float.__repr__(value))) if isinstance(value, float) else Decimal(value)


def _fixed(value: Decimal, places: int, rounding: Rounding) -> str:
    """Return a number with so many decimals."""
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=_MODES[rounding])
    return f"{abs(rounded) if rounded == 0 else rounded:f}"
