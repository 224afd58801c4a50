"""Tables and sentences for a terminal of any width: wide tables are wrapped, and wider ones become lists."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

GAP = 2
_MAX_WORD = 24
"""Longer words are cut where a column must be narrow."""

Line = Sequence[str]

_NUMBER = re.compile(r"(-?[0-9][0-9.,]*(e-?[0-9]+)?( %)?|–|)")


def paragraph(text: str, width: int, indent: str = "") -> list[str]:
    """Return a text in lines of at most this width; later lines are indented by two more blanks."""
    return textwrap.wrap(
        text,
        max(width, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
    )


def columns(rows: Sequence[Line], width: int, head: Line = ()) -> list[str]:
    """Return rows as aligned columns below their heads; cells are wrapped where the width asks for it.

    Rows that do not fit even then become lists of "head: cell", one cell a line.
    """
    lines = [head, *rows] if head else list(rows)
    if not lines:
        return []
    widths = _fitting(lines, width)
    if widths is None:
        return [line for row in rows for line in _listed(head or [""] * len(row), row, width)]
    cells = [[_wrapped(cell, room) for cell, room in zip(line, widths, strict=True)] for line in lines]
    used = [max(len(text) for line in cells for text in line[place]) for place in range(len(widths))]
    right = [all(map(_NUMBER.fullmatch, (row[place] for row in rows))) for place in range(len(widths))]
    return [text for line in cells for text in _row(line, used, right)]


def _fitting(lines: Sequence[Line], width: int) -> list[int] | None:
    """Return the width of each column, None if the longest words do not fit beside each other."""
    places = range(len(lines[0]))
    widths = [max(len(line[place]) for line in lines) for place in places]
    least = [max(_least(line[place]) for line in lines) for place in places]
    room = width - GAP * (len(widths) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        # The widest column that can still give way does, down to the next one in one step.
        widest = max((place for place in places if widths[place] > least[place]), key=lambda place: widths[place])
        widths[widest] = max(least[widest], widths[widest] - max(1, (sum(widths) - room) // 2))
    return widths


def _least(cell: str) -> int:
    """Return the least width of a cell: its longest word after what it is indented by."""
    indent = len(cell) - len(cell.lstrip())
    words = [len(word) for word in _words(cell)]
    return indent + min(_MAX_WORD, max(words, default=0)) + (2 if len(words) > 1 else 0)


def _words(cell: str) -> list[str]:
    """Return the words of a cell; a number and its sign of percent are one."""
    return re.findall(r"\S+(?: %)?", cell)


def _row(cells: Sequence[Line], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    """Yield a row's lines of text; columns of numbers stand at the right."""
    for place in range(max(map(len, cells))):
        parts = [cell[place] if place < len(cell) else "" for cell in cells]
        triples = zip(parts, widths, right, strict=True)
        padded = (part.rjust(room) if number else part.ljust(room) for part, room, number in triples)
        yield (" " * GAP).join(padded).rstrip()


def _wrapped(cell: str, width: int) -> list[str]:
    """Return a cell in lines; what it is indented by stays, and later lines are indented by two more blanks."""
    indent = " " * (len(cell) - len(cell.lstrip()))
    if len(cell) <= width:
        return [cell]
    text = re.sub(r"(?<=\d) (?=%)", "\u00a0", cell.strip())
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def _listed(head: Line, row: Line, width: int) -> list[str]:
    """Return a row as a list of its cells below each other, the first one above the others."""
    (_, first), *rest = zip(head, row, strict=True)
    lines = paragraph(f"{head[0]}: {first}" if head[0] else first, width)
    for name, cell in rest:
        lines += paragraph(f"{name}: {cell}" if name else cell, width, "  ")
    return lines


def harmless(text: str) -> str:
    """Return text with invisible characters shown by number, since they could reorder or hide other text.

    Control, formatting, surrogate and private characters become "[U+202E]"; line breaks and tabs become blanks.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown_letter(letter) for letter in text)


def _shown_letter(letter: str) -> str:
    """Return one character, or its number if it is invisible."""
    if letter in "\n\r\t":
        return " "
    if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return f"[U+{ord(letter):04X}]"
    return letter
