"""The one reader of delimited text files: bytes to rows and labels, without anything that a table does not declare."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from equiproof.certify.data.dataset import DataError, Row, Value
from equiproof.certify.data.table import Column, RawFile, Table

_NUMBERS = {
    "count": (re.compile(r"[0-9]{1,9}"), "a whole number"),
    "integer": (re.compile(r"-?[0-9]{1,9}"), "an integer"),
    "decimal": (re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,24})?(e-?[0-9])?"), "a decimal number"),
}
_SEPARATORS = {" ": "spaces", ",": "commas", ";": "semicolons"}


@dataclass(frozen=True)
class _Lines:
    """The cells of a file: `numbers[i]` is the line that `cells[i]` stands in, counted from 1 with all headers."""

    fields: tuple[str, ...]
    numbers: tuple[int, ...]
    cells: tuple[Sequence[str], ...]


def parse(table: Table, file: RawFile, data: bytes, where: str) -> tuple[list[Row], list[int]]:
    """Read the rows and labels of one file, whose lines end in LF.

    Raises DataError for bytes that are not text, a missing column, a line with too few or too many values, and a cell
    that is not a value of its column; the error names `where`, the row (the line of the file, headers included) and the
    column.
    """
    lines = _selection(table, _lines(table, file, data, where))
    names = table.features
    positions = [lines.fields.index(name) for name in (*names, table.label.name)]
    columns = [[cells[position] for cells in lines.cells] for position in positions]
    values = [
        _values(table, column, cells, lines, f"{where}, row", position + 1)
        for column, cells, position in zip(table.columns, columns[:-1], positions[:-1], strict=True)
    ]
    labels = _labels(table, file, columns[-1], lines, f"{where}, row", positions[-1] + 1)
    rows: list[Row] = [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]
    return rows, labels


def edition(table: Table, data: bytes, where: str) -> str:
    """Return the SHA-256 that identifies an edition: of the text with LF line ends, without identifying columns."""
    return hashlib.sha256(without_identity(table, data, where).replace(b"\r\n", b"\n")).hexdigest()


def without_identity(table: Table, data: bytes, where: str) -> bytes:
    """Return a file with its identifying columns emptied; without such columns the bytes are unchanged."""
    if not table.identifying:
        return data
    records = list(_records(table, _text(table, data.replace(b"\r\n", b"\n"), where), where))
    header = records[table.form.header - 1] if len(records) >= table.form.header else []
    hidden = [index for index, name in enumerate(header) if name in table.identifying]
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=table.form.separator, lineterminator="\n")
    for number, record in enumerate(records):
        emptied = number >= table.form.header
        writer.writerow(["" if emptied and index in hidden else cell for index, cell in enumerate(record)])
    return written.getvalue().encode(table.form.charset)


def _text(table: Table, data: bytes, where: str) -> str:
    """Decode a file."""
    try:
        return data.decode(table.form.charset)
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{where}, row {row}: not plain text") from None


def _records(table: Table, text: str, where: str) -> list[list[str]]:
    """Split text into lines of cells; a line without cells is an empty list."""
    if table.form.separator == " ":
        return [line.split() for line in text.split("\n")]
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=table.form.separator,
        quoting=csv.QUOTE_MINIMAL if table.form.quoted else csv.QUOTE_NONE,
        skipinitialspace=True,
        strict=True,
    )
    records: list[list[str]] = []
    try:
        for record in reader:
            # After a quoted line break, row numbers would no longer be line numbers.
            records.append(record)
            if reader.line_num != len(records):
                raise DataError(f"{where}, row {len(records)}: a value holds a line break; remove it")
    except csv.Error as error:
        raise DataError(f"{where}, row {len(records) + 1}: not a line of separated values ({error})") from None
    return records


def _lines(table: Table, file: RawFile, data: bytes, where: str) -> _Lines:
    """Split a file into the lines of its rows, all of one length; blank lines at the end are dropped."""
    records = _records(table, _text(table, data, where), where)
    while records and not records[-1]:
        records.pop()
    first = file.skip + table.form.header
    fields = (*table.features, table.label.name)
    if table.form.header:
        fields = tuple(records[first - 1]) if len(records) >= first else ()
        for name in (*table.features, table.label.name):
            if name not in fields:
                raise DataError(f"{where}, row {first}: the header names no column {name}; take the original file")
    for number, cells in enumerate(records[first:], start=first + 1):
        if len(cells) != len(fields):
            raise DataError(f"{where}, row {number}: {len(cells)} values; want {_wanted(table, len(fields))}")
    numbers = range(first + 1, len(records) + 1)
    return _Lines(fields, tuple(numbers), tuple(records[first:]))


def _wanted(table: Table, fields: int) -> str:
    """Return words for the number of values of a line."""
    how = f"separated by {_SEPARATORS[table.form.separator]}"
    if table.form.header:
        return f"{fields}, as the header names, {how}"
    return f"{len(table.columns)} features and the label, {how}"


def _selection(table: Table, lines: _Lines) -> _Lines:
    """Return the rows that the table keeps."""
    if table.keep is None:
        return lines
    # Reversed, so that the first of two fields with the same name counts, as elsewhere.
    places = [
        index
        for index, cells in enumerate(lines.cells)
        if table.keep(dict(zip(reversed(lines.fields), reversed(cells), strict=True)))
    ]
    numbers = tuple(lines.numbers[at] for at in places)
    cells = tuple(lines.cells[at] for at in places)
    return _Lines(lines.fields, numbers, cells)


def _values(
    table: Table, column: Column, cells: Sequence[str], lines: _Lines, where: str, position: int
) -> list[Value]:
    """Read one column; each distinct cell is read once."""
    value_of: dict[str, Value] = {}
    for index, cell in enumerate(cells):
        if cell in value_of:
            continue
        value = _value(column, cell)
        if value is None:
            place = f"{where} {lines.numbers[index]}, column {position} ({column.name})"
            raise DataError(f"{place}: {_shown(table, cell)} is not {_domain(column)}")
        value_of[cell] = value
    return [value_of[cell] for cell in cells]


def _labels(table: Table, file: RawFile, cells: Sequence[str], lines: _Lines, where: str, position: int) -> list[int]:
    """Read the label of each row."""
    codes = {code + file.label_suffix: label for code, label in table.label.codes.items()}
    for number, cell in zip(lines.numbers, cells, strict=True):
        if cell not in codes:
            meanings = {code: f" ({meaning})" for code, meaning in table.label.meanings.items()}
            choices = " nor ".join(f"{code}{file.label_suffix}{meanings.get(code, '')}" for code in table.label.codes)
            place = f"{where} {number}, column {position} ({table.label.name})"
            raise DataError(f"{place}: {_shown(table, cell)} is neither {choices}")
    return [codes[cell] for cell in cells]


def _value(column: Column, cell: str) -> Value | None:
    """Return the value of one cell, None for an invalid cell."""
    if column.kind == "category":
        is_valid = cell in column.codes or (not column.codes and _is_name(cell))
        return column.merged.get(cell, cell) if is_valid else None
    pattern, _ = _NUMBERS[column.kind]
    if not pattern.fullmatch(cell):
        return None
    number = Decimal(cell)
    return int(number) if number == int(number) else format(number, "f").rstrip("0")


def _is_name(cell: str) -> bool:
    """Return whether a cell can name a value of a feature spec."""
    return 0 < len(cell) <= 200 and cell.isprintable()


def _shown(table: Table, cell: str) -> str:
    """Quote a cell for a message; cells of files about identified people are never shown."""
    return "the value" if table.identifying else repr(cell[:40])


def _domain(column: Column) -> str:
    """Return words for the valid cells of a column."""
    if column.kind != "category":
        return _NUMBERS[column.kind][1]
    return f"one of {', '.join(column.codes)}" if column.codes else "the name of a category"
