"""Categories whose values are bands of numbers, such as `<25`, `25-34`, `>74` and `10+ years`, in their order."""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from equiproof.certify.data.cleaning import MISSING_MARKS

_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,18}(?:\.[0-9]{1,24})?"
_BAND = re.compile(
    rf"(?P<sign><=?|>=?|\u2264|\u2265)?\s*[$\u20ac\u00a3]?(?P<low>{_NUMBER})"
    rf"(?:\s*(?:-|\u2013|to)\s*[$\u20ac\u00a3]?(?P<high>{_NUMBER}))?\s*(?P<more>\+)?\s*(?P<unit>[^\W\d_]*)"
)
_BELOW, _ABOVE = ("<", "<=", "\u2264"), (">", ">=", "\u2265")
_ENDLESS = Fraction(10) ** 400
"""More than any number of a table."""

Ends = tuple[Fraction, int, Fraction]
"""The least number of a band, 1 where it does not belong to the band, and the greatest."""


def by_numbers(values: Collection[str]) -> tuple[str, ...] | None:
    """Return values in the order of the numbers that they are bands of, None where one of them is no band.

    Words for a missing number come first. Bands of several units have no order, and neither have two that are equal.
    """
    words = sorted(value for value in values if value.lower() in MISSING_MARKS)
    ends = {value: _ends(value) for value in values if value not in words}
    units = {read[1] for read in ends.values() if read is not None and read[1]}
    keys = {value: read[0] for value, read in ends.items() if read is not None}
    if len(keys) < max(2, len(ends)) or len(units) > 1 or len(set(keys.values())) < len(keys):
        return None
    return (*words, *sorted(keys, key=lambda value: keys[value]))


def _ends(value: str) -> tuple[Ends, str] | None:
    """Return the ends of a band and its unit in the singular; None for any other text."""
    match = _BAND.fullmatch(value)
    if match is None or sum(bool(match[part]) for part in ("sign", "high", "more")) > 1:
        return None
    low = _number(match["low"])
    unit = match["unit"].lower().removesuffix("s")
    if match["sign"] in _BELOW:
        return (-_ENDLESS, 0, low), unit
    if match["more"] or match["sign"] in _ABOVE:
        return (low, int(match["sign"] == ">"), _ENDLESS), unit
    high = _number(match["high"] or match["low"])
    return ((low, 0, high), unit) if low <= high else None


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))
