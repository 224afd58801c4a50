"""Rows of CSV files: what separates their values, and the values as texts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from equiproof.certify.data.spreadsheets import Content, TableError
from equiproof.certify.limits import MAX_NAMES
from equiproof.circuits.arguments import argument

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may separate values without being named, with the words for it."""

_NAMED = re.compile(rb'"?sep=([\t !#-~])"?[\t ]*(?:\r\n|\r|\n)', re.IGNORECASE)
"""A first line that names the separator for Excel, and is none of the table's."""

_MAY_END_VALUES = b' "\t\v\f\x1c\x1d\x1e\x1f'
"""The bytes of ASCII one of which is in every file with a blank around a value; line ends are so inside quotes only."""


def csv_table(data: bytes, separator: str | None, names: Collection[str]) -> Content:
    """Return the rows of CSV in UTF-8, every value as text without blanks around it.

    `separator` stands between the values; without one, a first line `sep=;` names it, or the header shows it, in which
    it separates `names`. Raises TableError naming the row.
    """
    if (line := _NAMED.match(data)) is not None:
        data = data[line.end() :]
        separator = separator or line[1].decode()
    mark = separator or _separator(data, names)
    return Content(_csv_rows(data, mark), semicolons=mark == ";")


def _csv_rows(data: bytes, separator: str) -> list[dict[str, Any]]:
    """Read CSV; every value is text."""
    rows: list[dict[str, Any]] = []
    has_blanks = not data.isascii() or any(mark in data for mark in _MAY_END_VALUES)
    reader = csv.reader(_csv_text(data), delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(reader, ())]
        if len(set(names)) != len(names):
            raise TableError("two columns have the same name")
        if len(names) > MAX_NAMES:
            raise TableError(f"{len(names)} columns; at most {MAX_NAMES} are read")
        for number, row in enumerate(filter(None, reader), start=1):
            if len(row) != len(names):
                raise TableError(f"row {number}: not as many values as the header has names")
            rows.append(dict(zip(names, map(str.strip, row) if has_blanks else row, strict=True)))
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: {error}") from None
    return rows


def _csv_text(data: bytes) -> io.TextIOWrapper:
    """Return the text of CSV."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")


def _separator(data: bytes, names: Collection[str]) -> str:
    """Return the mark that separates the wanted names of a header, else the one that makes the most columns of it."""
    headers = {}
    for mark in SEPARATORS:
        with suppress(csv.Error):  # quotation marks that are none with this mark
            header = next(csv.reader(_csv_text(data), delimiter=mark, strict=True), [])
            headers[mark] = [name.strip() for name in header]
    with_all = {mark: header for mark, header in headers.items() if names and set(names) <= set(header)}
    ordered = sorted((with_all or headers).items(), key=lambda one: -len(one[1]))
    if len(ordered) > 1 and len(ordered[0][1]) == len(ordered[1][1]) > 1:
        marks = " or ".join(SEPARATORS[mark] for mark, _ in ordered[:2])
        raise TableError(
            f"separated by {marks}? Put names with such a mark in quotation marks, or give {argument('sep')}"
        )
    return ordered[0][0] if ordered else ","
