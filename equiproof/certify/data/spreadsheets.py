"""Rows of Excel workbooks and Parquet files: cells as text and exact numbers, as the other formats have them.

Both kinds are unpacked while they are read, so their size is checked first, and rows and values are counted while they
come (docs/limits.md).
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, ClassVar

from equiproof.certify.archive import ArchiveError, refuse_many_members
from equiproof.certify.limits import MAX_NAMES, MAX_ROWS, MAX_UNPACKED_BYTES, MAX_VALUES
from equiproof.circuits.exit_codes import MISUSED

Cells = Sequence[Any]

_CHUNK = 1 << 20
_MIDNIGHT = time()


class TableError(ValueError):
    """A file that is no table of its kind, or one that is too large; without the file's name."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Content:
    """The rows of a file, and what it says of them.

    `semicolons`: they separate its values. `index` are the columns that pandas stored as the index of its table,
    `orders` the values of categories by column, in the order that the file declares.
    """

    rows: list[dict[str, Any]]
    semicolons: bool = False
    index: tuple[str, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def workbook(data: bytes) -> Content:
    """Return the rows of an Excel workbook (.xlsx) with one sheet, whose first row has the names; raises TableError."""
    import openpyxl

    _refuse_large_archive(data)
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = book.worksheets
        if len(sheets) != 1:
            names = ", ".join(repr(sheet.title[:40]) for sheet in sheets[:4])
            raise TableError(f"{len(sheets)} sheets ({names}): keep the one that is meant, or save it as CSV")
        return Content(_rows(sheets[0].iter_rows(values_only=True)))
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001  # the package raises whatever a malformed part leads to
        raise TableError(f"not an Excel workbook: {_in_one_line(error)}") from None


def parquet_table(data: bytes) -> Content:
    """Return the rows of a Parquet file of flat columns; raises TableError."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        metadata = file.metadata
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        _refuse_many(metadata.num_rows, metadata.num_rows * metadata.num_columns)
        if sum(group.total_byte_size for group in groups) > MAX_UNPACKED_BYTES:
            raise TableError(f"unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
        nested = [field.name for field in file.schema_arrow if pa.types.is_nested(field.type)]
        if nested:
            raise TableError(f"column {nested[0][:40]!r} holds lists or records; want one value a row")
        names = [field.name for field in file.schema_arrow]
        ordered = [one.name for one in file.schema_arrow if pa.types.is_dictionary(one.type) and one.type.ordered]
        orders: dict[str, set[tuple[str, ...]]] = {name: set() for name in ordered}
        batches = (_cells(batch, orders) for batch in file.iter_batches(1024))
        cells = (row for batch in batches for row in zip(*batch.values(), strict=True))
        rows = _rows(_chained(names, cells))
        declared = {name.strip(): order for name, several in orders.items() if (order := _one_order(several))}
        return Content(rows, index=_index(file.schema_arrow.metadata), orders=declared)
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(f"not a Parquet file: {_in_one_line(error)}") from None


READERS: dict[str, Callable[[bytes], Content]] = {".parquet": parquet_table, ".xlsx": workbook}
"""The readers by the end of a file's name."""


def _cells(batch: Any, orders: Mapping[str, set[tuple[str, ...]]]) -> dict[str, list[Any]]:
    """Return the cells of some rows by column, and note in which order their dictionaries have the values."""
    for name, several in orders.items():
        several.add(tuple(str(value).strip() for value in batch.column(name).dictionary.to_pylist()))
    columns: dict[str, list[Any]] = batch.to_pydict()
    return columns


def _one_order(several: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the order that all dictionaries of a column share: parts of a file may lack some of its values."""
    longest = max(several, key=len, default=())
    agree = all(list(order) == [value for value in longest if value in order] for order in several)
    return longest if agree and len(set(longest)) == len(longest) else ()


def _index(metadata: Mapping[bytes, bytes] | None) -> tuple[str, ...]:
    """Return the columns that pandas stored as the index of its table, as the metadata of a Parquet file say."""
    try:
        columns = json.loads((metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, RecursionError, AttributeError):
        return ()
    # A range that is stored as three numbers is no column.
    return tuple(name.strip() for name in columns if isinstance(name, str)) if isinstance(columns, list) else ()


def _rows(lines: Iterable[Cells]) -> list[dict[str, Any]]:
    """Return rows by the names in the first line; lines without any value at the end of a sheet are none."""
    names: list[str] | None = None
    rows: list[dict[str, Any]] = []
    empty = values = 0
    for number, line in enumerate(lines, start=1):
        cells = [cell(value, number) for value in line]
        while cells and cells[-1] == "" and len(cells) > len(names or ()):
            cells.pop()
        if names is None:
            names = _names(cells)
            continue
        values += len(cells)
        _refuse_many(number - 1, values)
        if not any(cell != "" for cell in cells):
            empty += 1
            continue
        if empty:
            raise TableError(f"row {number - 1}: empty rows stand before it")
        if len(cells) > len(names):
            raise TableError(f"row {number - 1}: more values than the first row has names")
        rows.append(dict(zip(names, [*cells, *[""] * (len(names) - len(cells))], strict=True)))
    return rows


def _names(cells: Cells) -> list[str]:
    """Return the names of the columns."""
    names = [str(cell).strip() for cell in cells]
    if len(names) > MAX_NAMES:
        raise TableError(f"{len(names)} columns; at most {MAX_NAMES} are read")
    if not all(names):
        raise TableError(f"column {names.index('') + 1} has no name in the first row")
    if len(set(names)) != len(names):
        raise TableError("two columns have the same name")
    return names


def cell(value: object, line: int) -> str | int | Decimal:
    """Return a cell as text without blanks around it, an exact number, or a date in ISO 8601; empty text for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if value != value:  # what data frames write for a missing number
            return ""
        return int(value) if value.is_integer() and abs(value) < 1 << 53 else Decimal(repr(value))
    if isinstance(value, datetime) and value.time() == _MIDNIGHT:
        value = value.date()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | Decimal):
        return value
    raise TableError(f"line {line}: a value is neither a text, a number nor a date")


def _refuse_many(rows: int, values: int) -> None:
    """Refuse more rows or values than are read."""
    if rows > MAX_ROWS:
        raise TableError(f"more than {MAX_ROWS} rows: split the file")
    if values > MAX_VALUES:
        raise TableError(f"more than {MAX_VALUES} values: split the file")


def _refuse_large_archive(data: bytes) -> None:
    """Refuse an archive that unpacks to more than is read: every member is unpacked once, since its size may lie."""
    import zipfile
    import zlib

    try:
        refuse_many_members(data)
        allowance = MAX_UNPACKED_BYTES
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as part:
                    while chunk := part.read(_CHUNK):
                        allowance -= len(chunk)
                        if allowance < 0:
                            raise TableError(f"unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
    except ArchiveError as error:
        raise TableError(str(error)) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, RuntimeError, EOFError) as error:
        raise TableError(f"not an Excel workbook: {_in_one_line(error)}") from None


def _chained(names: Cells, cells: Iterable[Cells]) -> Iterator[Cells]:
    """Return the names as a first line, and the cells behind them."""
    yield names
    yield from cells


def _in_one_line(error: Exception) -> str:
    """Return the first line of what another package says."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
