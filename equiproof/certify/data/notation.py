"""How the numbers of a table are written: what stands before a fraction, and between groups of three digits.

A number in another notation than the plain one, 1234.5, is read exactly where its owner says how it is written. Where
this is not said it is asked about, column by column: whether 1.688 is a little or a lot is nothing to guess.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from equiproof.certify.data.cleaning import MISSING_MARKS, NUMBER, all_numbers
from equiproof.certify.data.dataset import DataError, refuse_all
from equiproof.circuits.arguments import argument

_GROUPED = {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
"""What may stand between groups of digits, with the pattern of its spellings; blanks are of any width."""

_CURRENCY = r"(?:[$\u20ac\u00a3\u00a5]|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|HUF)"
_SIGNED = re.compile(rf"[-+\u2212(]?\s*{_CURRENCY}?\s*-?([0-9][0-9.,'\u2019\s]*?)\s*{_CURRENCY}?\s*[-\u2212)]?")
"""A number with a currency sign or code, a plus, the minus of typesetters, a minus behind it or parentheses."""

_LONGEST = 60
"""Longer texts are no amounts."""

_WORDS = {" ": "blank", "'": "apostrophe"}
"""Names of marks that a shell makes hard to type."""

_SPELLED = {word: mark for mark, word in _WORDS.items()} | {"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'"}


@dataclass(frozen=True)
class Notation:
    """`decimal`, a point or a comma, stands before a fraction; `thousands` between groups of digits, "" for nothing."""

    decimal: str
    thousands: str = ""

    def plain(self, text: str) -> str | None:
        """Return a number of this notation as 1234.5 is written, None for any other text."""
        if _pattern(self.decimal, self.thousands).fullmatch(text) is None:
            return None
        whole = re.sub(_GROUPED[self.thousands], "", text) if self.thousands else text
        written = whole.replace(self.decimal, ".")
        return written if NUMBER.fullmatch(written) else None

    def __str__(self) -> str:
        thousands = argument("thousands", _WORDS.get(self.thousands, self.thousands))
        if not self.thousands:
            return argument("decimal", self.decimal)
        return thousands if self.decimal == "." else f"{argument('decimal', self.decimal)} {thousands}"


_OTHERS = tuple(
    Notation(*marks) for marks in ((",", ""), (".", ","), (",", "."), (".", " "), (".", "'"), (",", " "), (",", "'"))
)
_GERMAN = Notation(",", ".")
"""The notation in which 1.688 is a number of thousands."""

_said: ContextVar[Notation | None] = ContextVar("_said", default=None)


@contextmanager
def written_in(decimal: str | None, thousands: str | None) -> Iterator[None]:
    """Read numbers in this notation inside the block, wherever rows are read; raises as :func:`said`."""
    before = _said.set(said(decimal, thousands))
    try:
        yield
    finally:
        _said.reset(before)


def said(decimal: str | None = None, thousands: str | None = None) -> Notation | None:
    """Return the notation that is said here or by :func:`written_in`, None where it is not.

    Raises DataError for other marks than a comma, a point, a blank and an apostrophe, and for one mark in both places.
    """
    if decimal is None and thousands is None:
        return _said.get()
    mark = _SPELLED.get(thousands or "", thousands or "")
    point = decimal or ("," if mark == "." else ".")
    if point not in (".", ","):
        raise DataError(f"give {argument('decimal', ',')} or {argument('decimal', '.')}: {point[:20]!r} is neither")
    if mark and mark not in _GROUPED:
        marks = f"{argument('thousands', '.')}, a comma, 'blank' or 'apostrophe'"
        raise DataError(f"give {marks}: {mark[:20]!r} is none of them")
    if mark == point:
        raise DataError(
            f"give other marks: {argument('decimal', point)} and {argument('thousands', mark)} are the same"
        )
    return Notation(point, mark)


def is_number(text: str) -> bool:
    """Return whether a text is a number in one of the notations."""
    return NUMBER.fullmatch(text) is not None or any(notation.plain(text) is not None for notation in _OTHERS)


def besides_numbers(rows: Sequence[Mapping[str, Any]], columns: Collection[str]) -> set[str]:
    """Return the columns that have a text which is no plain number."""
    return {column for column in columns if not all_numbers(_texts_among([row.get(column) for row in rows]))}


def in_plain(
    rows: Sequence[Mapping[str, Any]], columns: Collection[str], notation: Notation | None, *, semicolons: bool = False
) -> tuple[Sequence[Mapping[str, Any]], dict[str, str], dict[str, str]]:
    """Return rows with the numbers of these columns as 1234.5 is written, with what is to be said of it.

    That is an example of each column that was read in another notation, and a line with its remedy for each column
    whose notation is not known. `semicolons`: they separate the values, as they do where a comma stands before a
    fraction.
    """
    texts = {column: _texts(rows, column) for column in columns}
    others = {column: cells for column, cells in texts.items() if not all_numbers(cells)}
    if notation is None and not semicolons and not others:
        return rows, {}, {}
    parts = {
        column: cells
        for column, cells in texts.items()
        if cells and (column not in others or all(map(_is_part, cells)))
    }
    doubts = {
        column: _percentage(column, cells)
        for column, cells in parts.items()
        if column in others and any(map(_is_percentage, cells))
    }
    doubts |= {column: _signs(column, cells) for column, cells in others.items() if all(map(_is_signed, cells))}
    numbers = {column: cells for column, cells in parts.items() if column not in doubts}
    if notation is None:
        return rows, {}, doubts | _doubts(numbers, semicolons=semicolons)
    doubts |= {
        column: _misfit(column, cells, notation) for column, cells in numbers.items() if not _fits(notation, cells)
    }
    changed = {
        column: {cell: _read(notation, cell) for cell in cells if _read(notation, cell) != cell}
        for column, cells in numbers.items()
        if column not in doubts
    }
    changed = {column: cells for column, cells in changed.items() if cells}
    examples = {column: "{} as {}".format(*next(iter(cells.items()))) for column, cells in changed.items()}
    return (_with(rows, changed) if changed else rows), examples, doubts


def plain_rows(
    rows: Sequence[Mapping[str, Any]], columns: Collection[str], notation: Notation | None, *, semicolons: bool = False
) -> Sequence[Mapping[str, Any]]:
    """Return rows as :func:`in_plain`; raises DataError naming each column that it asks about, and the row."""
    plain, doubts = asked_rows(rows, columns, notation, semicolons=semicolons)
    refuse_all([*doubts.values()])
    return plain


def asked_rows(
    rows: Sequence[Mapping[str, Any]], columns: Collection[str], notation: Notation | None, *, semicolons: bool = False
) -> tuple[Sequence[Mapping[str, Any]], dict[str, str]]:
    """Return rows as :func:`in_plain`, with a line for each column that it asks about, naming the row."""
    plain, _, doubts = in_plain(rows, columns, notation, semicolons=semicolons)
    asked = {}
    for column, line in doubts.items():
        cells = (row.get(column) for row in rows)
        at = next(number for number, cell in enumerate(cells, start=1) if isinstance(cell, str) and _is_marked(cell))
        asked[column] = f"{line} (first in row {at})"
    return plain, asked


def maybe_thousands(
    rows: Sequence[Mapping[str, Any]], columns: Collection[str], notation: Notation | None
) -> list[str]:
    """Return a note on each column of plain numbers whose every point may stand between groups of three digits.

    There is none where the notation is said.
    """
    texts = {} if notation is not None else {column: _texts(rows, column) for column in columns}
    pointed = {column: next((cell for cell in cells if "." in cell), None) for column, cells in texts.items()}
    return [
        f"{column}: every point stands before three digits, as in {cell[:40]}, and was read as that of a fraction; if "
        f"that is {_read(_GERMAN, cell)[:40]}, say so ({_GERMAN})"
        for column, cell in pointed.items()
        if cell is not None and _fits(_GERMAN, texts[column])
    ]


def _with(rows: Sequence[Mapping[str, Any]], changed: Mapping[str, Mapping[Any, str]]) -> list[dict[str, Any]]:
    """Return rows with other values in the place of some values of columns."""
    return [
        {name: changed[name].get(value, value) if name in changed else value for name, value in row.items()}
        for row in rows
    ]


def _is_marked(text: str) -> bool:
    """Return whether a text is a number with a mark or with signs, or a percentage."""
    return _is_signed(text) or (_is_part(text) and not text.removeprefix("-").isdigit())


def _texts_among(values: Sequence[Any]) -> Sequence[str]:
    """Return those values that are texts."""
    return values if {*map(type, values)} == {str} else [value for value in values if isinstance(value, str)]


def _texts(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    """Return the distinct texts of a column that are values, in their order."""
    values = dict.fromkeys([row.get(column) for row in rows])
    return [value for value in values if isinstance(value, str) and value and value.lower() not in MISSING_MARKS]


def _is_part(text: str) -> bool:
    """Return whether a text is a number in one of the notations, or a percentage."""
    return is_number(text) or _is_percentage(text)


def _is_percentage(text: str) -> bool:
    """Return whether a text is a number and a percent sign."""
    return text.endswith("%") and is_number(text[:-1].rstrip())


def _is_signed(text: str) -> bool:
    """Return whether a text is a number with a currency sign, or with a sign or parentheses of bookkeeping."""
    match = _SIGNED.fullmatch(text) if len(text) <= _LONGEST else None
    return match is not None and not is_number(text) and is_number(match[1])


def _signs(column: str, cells: Sequence[str]) -> str:
    """Say how amounts with other signs than a minus before them are written."""
    return (
        f"write column {column[:80]!r} without currency signs, plus or parentheses, and negative numbers as -4.5: it "
        f"has {cells[0][:40]!r}; or call it a category ({argument('categories', [column])})"
    )


def _percentage(column: str, cells: Sequence[str]) -> str:
    """Ask what the percentages of a column are."""
    example = next(filter(_is_percentage, cells))
    return (
        f"write column {column[:80]!r} without percent signs, as the numbers that the model takes: it has "
        f"{example[:40]!r}, and 4.5 % may be 4.5 or 0.045"
    )


def _doubts(numbers: Mapping[str, Sequence[str]], *, semicolons: bool) -> dict[str, str]:
    """Return a line for each column of numbers that are not plain, or may not be."""
    readings = {column: _readings(cells) for column, cells in numbers.items() if not all_numbers(cells)}
    if semicolons or any(ways and all(one.decimal == "," for one in ways) for ways in readings.values()):
        readings |= {
            column: [Notation("."), _GERMAN]
            for column, cells in numbers.items()
            if column not in readings and any("." in cell for cell in cells) and _fits(_GERMAN, cells)
        }
    # A column that can be read in one way only says how the others are written, if they can be read in it.
    is_certain = any(len(ways) == 1 for ways in readings.values())
    common = [one for one in _OTHERS if is_certain and all(_fits(one, numbers[column]) for column in readings)]
    return {column: _question(column, numbers[column], common[:1] or ways) for column, ways in readings.items()}


def _readings(cells: Sequence[str]) -> list[Notation]:
    """Return the notations in which all of these are numbers, one for each reading that they have."""
    ways: dict[tuple[str | None, ...], Notation] = {}
    for one in _OTHERS:
        read = tuple(one.plain(cell) for cell in cells)
        if None not in read:
            ways.setdefault(read, one)
    return list(ways.values())


def _fits(notation: Notation, cells: Sequence[str]) -> bool:
    """Return whether all of these are numbers of a notation."""
    return all(notation.plain(cell) is not None for cell in cells)


def _read(notation: Notation, cell: str) -> str:
    """Return a number of a notation as 1234.5 is written; the cell itself where it is none."""
    return notation.plain(cell) or cell


def _question(column: str, cells: Sequence[str], ways: Sequence[Notation]) -> str:
    """Ask how the numbers of a column are written."""
    example = _example(cells)
    if not ways:
        other = next(cell for cell in cells if cell != example and not cell.isdigit())
        return f"write column {column[:80]!r} in one notation: it has {example[:40]!r} and {other[:40]!r}"
    if len(ways) == 1:
        return f"give {ways[0]} for column {column[:80]!r}, to read {example[:40]!r} as {_read(ways[0], example)[:40]}"
    meanings = " or ".join(f"{one} to read it as {_read(one, example)[:40]}" for one in ways)
    return f"say how column {column[:80]!r} is written, which has {example[:40]!r}: {meanings}"


def _misfit(column: str, cells: Sequence[str], notation: Notation) -> str:
    """Say which number of a column is not in the notation that is said, and which more marks it takes."""
    odd = next(cell for cell in cells if notation.plain(cell) is None)
    if more := next((one for one in _OTHERS if one.decimal == notation.decimal and _fits(one, cells)), None):
        return f"give {more} for column {column[:80]!r}, to read {odd[:40]!r} as {_read(more, odd)[:40]}"
    return f"write column {column[:80]!r} in one notation: {odd[:40]!r} is not a number with {notation}"


def _example(cells: Sequence[str]) -> str:
    """Return the number of a column that shows its notation."""
    marked = (cell for cell in cells if not NUMBER.fullmatch(cell))
    return next(marked, None) or next(cell for cell in cells if not cell.isdigit())


@cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of numbers in a notation."""
    grouped = f"|[1-9][0-9]{{0,2}}(?:{_GROUPED[thousands]}[0-9]{{3}})+" if thousands else ""
    return re.compile(f"-?(?:[0-9]{{1,18}}{grouped})(?:{_GROUPED[decimal]}[0-9]{{1,24}})?(?:[eE][+-]?[0-9]{{1,2}})?")
