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
_NARROW_SIGNS = frozenset("fijlt.,:;!|'()[]/- \u00a0")
_BROAD_SIGNS = frozenset("MW@%\u2014")
_ISOLATES = "\u2068\u2069"
_WRAP_FACTOR = 1.05
"""How much longer a text of several lines becomes as its words do not break."""

_FIXED_HEIGHT = 71.0
"""Head, headings, introduction and legend."""

_CODE_SIZE = 31.0
"""The QR code, beside which it says how to check."""

_NAME_WIDTH = 31.0
_OWN_WIDTH = 29.0
_SPAN_WIDTH = 43.0
"""The columns of words beside a bar."""

_COLUMN_WIDTH = 84.0
"""Each of the two columns of details as text."""

_BAR_HEIGHT = 6.4
_BAR_LINE_HEIGHT = 3.9
"""The height of a line beside a bar."""

_SENTENCE_HEIGHT = 5.7
"""The height of a line of the three sentences."""

_LINE_HEIGHT = 4.7
"""The height of a line of other text."""


def lines(text: str, size: float, width: float) -> int:
    """Return how many lines a text takes in a font of that size, in points, in a column of that width."""
    length = sum(map(_wide, text)) * size * _POINT / width
    return 1 if length <= 1 else math.ceil(length * _WRAP_FACTOR)


def _wide(sign: str) -> float:
    """Return the width of a character, as a part of the size of its font."""
    if sign in _ISOLATES:
        return 0.0
    if sign in _NARROW_SIGNS:
        return 0.3
    if sign in _BROAD_SIGNS or unicodedata.east_asian_width(sign) in "WF":
        return 1.02
    if sign in "mw" or not sign.isascii():
        return 0.84
    return 0.72 if sign.isupper() else 0.56


def rest(
    sentences: Sequence[str], instructions: Sequence[str], limits: Sequence[str], notes: Sequence[str] = ()
) -> float:
    """Return what is left for the details: below sentences and notes, and above how to check and what is not said."""
    sentences_height = sum(lines(sentence, 11.5, WIDTH) * _SENTENCE_HEIGHT + 3.2 for sentence in sentences)
    beside_code = WIDTH - _CODE_SIZE - 5
    instructions_height = sum(lines(paragraph, 9.5, beside_code) * _LINE_HEIGHT + 1.5 for paragraph in instructions)
    limits_height = sum(lines(item, 9.5, WIDTH - 5) * _LINE_HEIGHT + 0.5 for item in limits)
    notes_height = sum(lines(note, 9.5, WIDTH) * _LINE_HEIGHT + 1.5 for note in notes)
    said_height = sentences_height + notes_height
    return PAGE - _FIXED_HEIGHT - said_height - max(_CODE_SIZE, instructions_height) - limits_height


def of_bars(bars: Sequence[dict[str, Any]], own: Sequence[str]) -> float:
    """Return what bars take; `own` are their own values in words."""
    height = 0.0
    for bar, value in zip(bars, own, strict=True):
        cells = ((bar["name"], _NAME_WIDTH), (value, _OWN_WIDTH), (bar["span"], _SPAN_WIDTH))
        most_lines = max(lines(cell, 9, width) for cell, width in cells)
        height += max(_BAR_HEIGHT, _BAR_LINE_HEIGHT * most_lines)
    return height


def of_texts(texts: Sequence[str]) -> float:
    """Return what details take as items of two columns, none of which is broken between them."""
    line_counts = [lines(text, 8.5, _COLUMN_WIDTH) for text in texts]
    # Where both columns are balanced, the longer one has half the lines and at most one item more, less a line.
    return (math.ceil(sum(line_counts) / 2) + max(line_counts) - 1) * _LINE_HEIGHT
