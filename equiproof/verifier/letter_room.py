"""How much room a letter's parts take on its one page, in millimetres: an estimate on the safe side.

The sizes are those of letter.css, and the widths of characters those of the fonts named there, rounded up.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Any

PAGE = 263.0
"""What the margins leave of 297 mm, less a reserve."""

WIDTH = 176.0
_POINT = 25.4 / 72
_NARROW = frozenset("fijlt.,:;!|'()[]/- \u00a0")
_BROAD = frozenset("MW@%\u2014")
_ISOLATES = "\u2068\u2069"
_WRAPPED = 1.05
"""How much longer a text of several lines becomes as its words do not break."""

_FIXED = 71.0
"""Head, headings, introduction and legend."""

_CODE = 31.0
"""The QR code, beside which it says how to check."""

_NAME, _OWN, _SPAN = 31.0, 29.0, 43.0
"""The columns of words beside a bar."""

_COLUMN = 84.0
"""Each of the two columns of details as text."""

_BAR, _BAR_LINE, _SENTENCE, _LINE = 6.4, 3.9, 5.7, 4.7
"""The heights of a bar, of a line beside one, of a line of the three sentences, and of a line of other text."""


def lines(text: str, size: float, width: float) -> int:
    """Return how many lines a text takes in a font of that size, in points, in a column of that width."""
    long = sum(map(_wide, text)) * size * _POINT / width
    return 1 if long <= 1 else math.ceil(long * _WRAPPED)


def _wide(sign: str) -> float:
    """Return the width of a character, as a part of the size of its font."""
    if sign in _ISOLATES:
        return 0.0
    if sign in _NARROW:
        return 0.3
    if sign in _BROAD or unicodedata.east_asian_width(sign) in "WF":
        return 1.02
    if sign in "mw" or not sign.isascii():
        return 0.84
    return 0.72 if sign.isupper() else 0.56


def rest(sentences: Sequence[str], how: Sequence[str], never: Sequence[str]) -> float:
    """Return what is left for the details: below the sentences, and above how to check and what is not said."""
    said = sum(lines(sentence, 11.5, WIDTH) * _SENTENCE + 3.2 for sentence in sentences)
    beside = sum(lines(paragraph, 9.5, WIDTH - _CODE - 5) * _LINE + 1.5 for paragraph in how)
    listed = sum(lines(item, 9.5, WIDTH - 5) * _LINE + 0.5 for item in never)
    return PAGE - _FIXED - said - max(_CODE, beside) - listed


def of_bars(bars: Sequence[dict[str, Any]], own: Sequence[str]) -> float:
    """Return what bars take; `own` are their own values in words."""
    return sum(
        max(
            _BAR,
            _BAR_LINE * max(lines(bar["name"], 9, _NAME), lines(value, 9, _OWN), lines(bar["span"], 9, _SPAN)),
        )
        for bar, value in zip(bars, own, strict=True)
    )


def of_texts(texts: Sequence[str]) -> float:
    """Return what details take as items of two columns, none of which is broken between them."""
    each = [lines(text, 8.5, _COLUMN) for text in texts]
    return (math.ceil(sum(each) / 2) + max(each) - 1) * _LINE
