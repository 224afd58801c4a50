"""Numbers and verdicts in words; bounds are rounded outward, so that they stay true."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal

from equiproof.audits import measures
from equiproof.audits.measures import DASH
from equiproof.audits.records import Cell, Estimate
from equiproof.audits.text import harmless as text_harmless
from equiproof.certify import digits
from equiproof.certify.digits import Rounding

MARKS = {"fair": "✓", "unfair": "✕", "undecided": "?", "measured": "≈"}
"""Signs next to the words, so that verdicts do not depend on color."""

_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")

REASONS = {
    "tie": "some value leads to a tie, which is no decision",
    "regions": "the limit on regions was reached",
    "leaves": "the limit on leaves was reached",
    "seconds": "the time limit was reached",
    "work": "the limit on work was reached",
    "digits": "the integers have too few digits to prove more",
}
"""The reasons of certification results in words."""


def number(value: float | Decimal, rounding: Rounding = "nearest") -> str:
    """Return a number with four significant digits and a typographic minus sign; integers are written in full."""
    return cell(value) if isinstance(value, bool) else _signed(digits.number(value, rounding))


def cell(value: Cell, *names: str) -> str:
    """Return a cell of a table as text; `names` of its column and row say whether it is a share."""
    text = measures.cell(value, *names)
    return text if isinstance(value, str) else _signed(text)


def value(estimate: Estimate) -> str:
    """Return the value of an estimate, or why there is none."""
    return f"{DASH} (no such row)" if not estimate.n else _signed(measures.value_of(estimate))


def ends(estimate: Estimate) -> str:
    """Return the interval of an estimate, rounded outward, or a dash if it has none."""
    return _signed(measures.interval_of(estimate))


def bounds(lower: float | None, upper: float | None) -> str:
    """Return bounds as text, rounded outward; a quantity known to more digits than are shown is one number."""
    if lower is None and upper is None:
        return DASH
    if lower is None:
        return f"at most {number(upper or 0.0, 'up')}"
    if upper is None:
        return f"at least {number(lower, 'down')}"
    return _signed(digits.between(lower, upper))


def _signed(text: str) -> str:
    """Return a number with a typographic minus sign."""
    return text.replace("-", "−")


def count(how_many: int, what: str, several: str = "") -> str:
    """Write a number of things: "1 row", "2 rows"."""
    return f"{number(how_many)} {what if how_many == 1 else several or what + 's'}"


def settings(values: Mapping[str, Cell]) -> list[tuple[str, str]]:
    """Return settings in the order of their names; numbers keep all digits, so that they can be used again."""
    return [
        (name, repr(value) if isinstance(value, float) else _whole(value)) for name, value in sorted(values.items())
    ]


def _whole(value: Cell) -> str:
    """Return a setting as it would be written in an option, a dash for none."""
    return cell(value) if value is None or isinstance(value, bool) else str(value) or DASH


def fingerprint(digest: str) -> str:
    """Return hexadecimal text in groups of four, so that people can compare it."""
    return " ".join(digest[place : place + 4] for place in range(0, len(digest), 4))


def harmless(text: str) -> str:
    """Return text with invisible characters shown by number, and a percent sign on the line of its number."""
    return text_harmless(_BEFORE_PERCENT.sub("\u00a0", text) if "%" in text else text)


def seconds(value: float) -> str:
    """Write a time with its unit, to the millisecond."""
    if math.isnan(value) or value < 0:
        return DASH
    if value < 1:
        return f"{1000 * value:.0f} ms" if value >= 0.001 else "under 1 ms" if value else "0 s"
    return f"{value / 60:.1f} min" if value >= 120 else f"{value:.1f} s"
