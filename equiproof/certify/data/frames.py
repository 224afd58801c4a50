"""Rows of tables in memory, as the rows of files: lists of mappings, and tables of pandas, polars and pyarrow.

No library of tables is imported here: whoever has such a table has the library.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from equiproof.certify.data.cleaning import NUMBER
from equiproof.certify.data.dataset import DataError, Row, refuse_all
from equiproof.certify.data.dates import since
from equiproof.certify.data.notation import Notation, asked_rows
from equiproof.certify.data.rows import CSV, read_table
from equiproof.certify.data.spreadsheets import TableError, cell

_LIBRARIES = ("pandas", "polars", "pyarrow")
NOTHING = ("NAType", "NaTType")
"""The types of what pandas writes for a missing value; comparing one of them with anything may raise."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The rows of a table, with exact numbers and an empty text for a missing value.

    `name` is for messages, `title` names a spec; `table` is the table of pandas or polars that the rows are of, None
    where there is none. `untyped`: every value is a text, since they are those of a file without types. `notation` is
    that of its numbers where it is said; `semicolons` separate the values of the file.
    """

    rows: Sequence[Row]
    name: str
    title: str
    table: Any = None
    untyped: bool = False
    notation: Notation | None = None
    semicolons: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.rows[0])

    def kept(self, places: Sequence[int]) -> Frame:
        """Return the rows at some places, counted from 0."""
        if len(places) == len(self.rows):
            return self
        table = self.table
        if table is not None:
            table = table.iloc[places] if hasattr(table, "iloc") else table[places]
        return dataclasses.replace(self, rows=[self.rows[place] for place in places], table=table)

    def without(self, cells: Sequence[tuple[int, Collection[str]]]) -> Frame:
        """Return the rows at some places, counted from 0, each without the values of some columns."""
        table = None
        if hasattr(self.table, "iloc"):
            # Columns keep their types, those of categories among them.
            table = self.table.iloc[[place for place, _ in cells]].reset_index(drop=True)
            for name in {name for _, names in cells for name in names}:
                table[name] = table[name].where([name not in names for _, names in cells])
        rows: list[dict[str, Any]] = [{**self.rows[place], **dict.fromkeys(names)} for place, names in cells]
        return dataclasses.replace(self, rows=rows, table=table)

    def in_plain(self, columns: Collection[str]) -> Frame:
        """Return the rows with the numbers of these columns as 1234.5 is written.

        Raises DataError for columns whose notation is not known.
        """
        frame, doubts = self.asked(columns)
        try:
            refuse_all([*doubts.values()])
        except DataError as error:
            raise error.within(self.name) from None
        return frame

    def asked(self, columns: Collection[str]) -> tuple[Frame, dict[str, str]]:
        """Return the rows as :meth:`in_plain`, with a line for each column whose notation is not known."""
        rows, doubts = asked_rows(self.rows, columns, self.notation, semicolons=self.semicolons)
        return dataclasses.replace(self, rows=rows), doubts

    def counted(self, starts: Mapping[str, str]) -> Frame:
        """Return the rows with days from these starts (YYYY-MM-DD) in the place of dates, by column."""
        rows = since(self.rows, starts)
        return self if rows is self.rows else dataclasses.replace(self, rows=rows, table=None)

    def spelled(self, values: Mapping[str, Mapping[str, str]]) -> Frame:
        """Return the rows with other texts in the place of some values of columns; those with "" stay as they are."""
        rows = [
            {name: values.get(name, {}).get(str(value)) or value for name, value in row.items()} for row in self.rows
        ]
        return dataclasses.replace(self, rows=rows, table=None)

    def chosen(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield some columns as a fitted object may take them: of the table itself, and of the rows as a DataFrame.

        Encoders that were fitted on a table of pandas may fail on one of polars, and the other way round.
        """
        if self.table is not None:
            yield self.table[list(columns)]
        if hasattr(self.table, "iloc"):
            return
        try:
            import pandas as pd
        except ModuleNotFoundError:
            return
        cells = {column: [row[column] for row in self.rows] for column in columns}
        yield pd.DataFrame(
            {column: _floats(_read(values) if self.untyped else values) for column, values in cells.items()}
        )


def frame_of(table: Any, notation: Notation | None = None) -> Frame:
    """Return the rows of a table: a path to a file, a list of mappings, or a table of pandas, polars or pyarrow.

    `notation` is kept for :meth:`Frame.in_plain`: here all values are as in the table.
    Raises RowsError for a file that cannot be read, DataError naming row and column of a value that is no text, number
    or date, and for a table without rows.
    """
    if isinstance(table, Frame):
        return table
    if isinstance(table, str | Path):
        path = Path(table)
        content = read_table(path)
        is_untyped = path.suffix.lower() in CSV
        return Frame(content.rows, path.name, path.stem, None, is_untyped, notation, content.semicolons)
    library = type(table).__module__.partition(".")[0]
    if library in _LIBRARIES and hasattr(table, "columns") and hasattr(table, "shape"):
        frame = Frame(
            _of_columns(_columns(table, library)), "the table", "table", _own(table, library), notation=notation
        )
    elif isinstance(table, Iterable) and not isinstance(table, Mapping):
        frame = Frame(_of_mappings(table), "the rows", "table", notation=notation)
    else:
        raise DataError(
            "give a list of mappings, a table of pandas, polars or pyarrow, or the path of a file: a "
            f"{type(table).__name__} is not a table"
        )
    if not frame.rows or not frame.rows[0]:
        raise DataError(f"{frame.name} has no rows")
    return frame


def _columns(table: Any, library: str) -> dict[str, list[Any]]:
    """Return the values of each column as Python's own objects."""
    if library == "pandas":
        names = [str(name) for name in table.columns]
        columns = [table.iloc[:, place].tolist() for place in range(len(names))]
    elif library == "polars":
        names = list(table.columns)
        columns = [table[name].to_list() for name in names]
    else:
        names = list(table.column_names)
        columns = [column.to_pylist() for column in table.columns]
    if len(set(names)) != len(names):
        raise DataError("two columns of the table have the same name")
    return dict(zip(names, columns, strict=True))


def _own(table: Any, library: str) -> Any:
    """Return the table where fitted objects take such a table, with texts for the names of its columns."""
    if library == "pandas" and not all(isinstance(name, str) for name in table.columns):
        return table.rename(columns=str)
    return None if library == "pyarrow" else table


def _of_columns(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows of columns; each distinct value is read once."""
    cells = []
    for name, values in columns.items():
        read: dict[Any, Any] = {}
        for row, value in enumerate(values, start=1):
            # Numbers of several types are equal, and what is no value of a table may not be hashable.
            key = (type(value), value) if isinstance(value, Hashable) else id(value)
            if key not in read:
                read[key] = _cell(value, row, name)
        cells.append([read[type(value), value] for value in values])
    return [dict(zip(columns, line, strict=True)) for line in zip(*cells, strict=True)]


def _of_mappings(table: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the rows of mappings, which all have the same names."""
    rows = []
    for number, row in enumerate(table, start=1):
        if not isinstance(row, Mapping):
            raise DataError(f"row {number}: a {type(row).__name__}; want a mapping of names and values")
        rows.append({str(name): _cell(value, number, str(name)) for name, value in row.items()})
        if rows[-1].keys() != rows[0].keys():
            stray = min(rows[-1].keys() ^ rows[0].keys())
            raise DataError(f"row {number}, column {stray!r}: not in every row")
    return rows


def _cell(value: Any, row: int, column: str) -> Any:
    """Return a cell as a file has it: a text, an exact number, or a date in ISO 8601; a truth is 0 or 1."""
    if type(value).__name__ in NOTHING:
        return ""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        return int(value) if isinstance(value, bool) else cell(value, row)
    except TableError:
        raise DataError(
            f"row {row}, column {column!r}: a {type(value).__name__} is neither a text, a number nor a date"
        ) from None


def _read(cells: Sequence[Any]) -> list[Any]:
    """Return the texts of a column as libraries read them from a file: numbers where all are plain numbers.

    None is a missing value, and stays.
    """
    texts = [text for text in cells if text is not None]
    # A code such as 007 is a text.
    if not all(NUMBER.fullmatch(text) and not (text.lstrip("-")[:1] == "0" and text[1:2].isdigit()) for text in texts):
        return list(cells)
    return [None if text is None else int(text) if text.lstrip("-").isdigit() else Decimal(text) for text in cells]


def _floats(cells: Sequence[Any]) -> list[Any]:
    """Return the cells of a column with floats for its numbers where some of them have a fraction, and nan for None."""
    fractions = any(isinstance(one, Decimal) for one in cells)
    floats = [float(one) if fractions and isinstance(one, int | Decimal) else one for one in cells]
    return [math.nan if one is None else one for one in floats]
