"""Raw rows from files: one JSON object, a JSON list of objects, or CSV with a header."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from equiproof.certify.limits import MAX_NAMES, MAX_ROW_BYTES, MAX_ROWS, MAX_ROWS_BYTES, MAX_VALUES
from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import mistaken_for
from equiproof.circuits.spec import Spec, SpecError

Row = dict[str, Any]

_CHUNK = 1 << 20
_SPLIT = "split the file"


class RowsError(ValueError):
    """A file of rows that cannot be read; one line naming file and row."""

    exit_code: ClassVar[int] = MISUSED


def read_rows(path: Path) -> list[Row]:
    """Read raw rows; numbers stay exact. Raises RowsError, and OSError for a file that cannot be opened."""
    return _rows(path, MAX_ROWS_BYTES)


def read_row(path: Path) -> Row:
    """Read a file that holds exactly one row; raises as :func:`read_rows`."""
    rows = _rows(path, MAX_ROW_BYTES)
    if len(rows) != 1:
        raise RowsError(f"{path}: {len(rows)} rows, want one")
    return rows[0]


def _rows(path: Path, most: int) -> list[Row]:
    """Read the rows of a file of so many bytes at most."""
    data = read_limited(path, most)
    if len(data) > most:
        raise RowsError(f"{path}: larger than {most >> 20} MiB; {_SPLIT if most > MAX_ROW_BYTES else 'want one row'}")
    is_csv = path.suffix.lower() == ".csv"
    _refuse_bytes(path, data)
    if not data.strip():
        raise RowsError(f"{path}: empty")
    _refuse_many(path, data, is_csv=is_csv)
    rows = _csv_rows(path, data) if is_csv else _json_rows(path, data)
    if not rows:
        raise RowsError(f"{path}: no rows")
    return rows


def _refuse_bytes(path: Path, data: bytes) -> None:
    """Raise RowsError naming the byte unless the bytes are UTF-8; the whole text is never in memory."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        left, chunk = decoder.getstate()[0], data[start : start + _CHUNK]
        try:
            decoder.decode(chunk, final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            raise RowsError(f"{path}: not UTF-8 at byte {start - len(left) + error.start}") from None


def _refuse_many(path: Path, data: bytes, *, is_csv: bool) -> None:
    """Raise RowsError for more rows or values than are read, counted by their marks, before they take any memory."""
    # A mark inside a text counts as well: the numbers are bounds of what the file can hold.
    rows = max(data.count(b"\n"), data.count(b"\r")) if is_csv else data.count(b"{")
    if rows > MAX_ROWS:
        raise RowsError(f"{path}: {rows} rows; at most {MAX_ROWS} are read: {_SPLIT}")
    values = data.count(b",") + rows
    if values > MAX_VALUES:
        raise RowsError(f"{path}: {values} values; at most {MAX_VALUES} are read: {_SPLIT}")


def read_applicant(path: Path, spec: Spec) -> Row:
    """Read a file of exactly one row that fits the spec; raises RowsError naming file and feature."""
    row = read_row(path)
    with naming_row(path, 1, row, spec):
        spec.encode(row)
    return row


def read_queries(path: Path, spec: Spec) -> list[tuple[int, ...]]:
    """Read rows as queries of n_x integers each; raises RowsError naming file, row and feature."""
    queries = []
    for number, row in enumerate(read_rows(path), start=1):
        with naming_row(path, number, row, spec):
            queries.append(spec.encode(row))
    return queries


@contextmanager
def naming_row(path: Path, number: int, row: Row, spec: Spec) -> Iterator[None]:
    """Turn a SpecError inside the block into a RowsError that names the file and the row (counted from 1)."""
    try:
        yield
    except SpecError as error:
        raise RowsError(f"{path}: row {number}: {error}{unknown(row, spec)}") from None


def read_names(path: Path) -> tuple[str, ...]:
    """Read a file with one name per line, without empty lines; raises RowsError for text that is not UTF-8."""
    try:
        lines = read_limited(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: not UTF-8 at byte {error.start}") from None
    return tuple(line.strip() for line in lines if line.strip())


def unknown(row: Row, spec: Spec) -> str:
    """Name up to three names that the spec does not know, for a row that lacks a feature; usually a misspelling."""
    known = {feature.name for feature in spec.features}
    strangers = [name for name in row if name not in known]
    if not strangers or {feature.name for feature in spec.plain_features} <= set(row):
        return ""
    shown = ", ".join(repr(name[:40]) for name in strangers[:3]) + " and more" * (len(strangers) > 3)
    return f"; there is {shown}, which the spec does not know"


def _json_rows(path: Path, data: bytes) -> list[Row]:
    """Read JSON with decimals kept exact, one row after the other: what is no row takes no memory for long."""
    names: dict[str, str] = {}
    if data.lstrip()[:1] != b"[":
        return [_json_row(path, "", data, names)]
    try:
        parts = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise RowsError(f"{path}: not valid JSON: {error}") from None
    return [_json_row(path, f" row {number}:", bytes(part), names) for number, part in enumerate(parts, start=1)]


def _json_row(path: Path, where: str, data: bytes, names: dict[str, str]) -> Row:
    """Read one row; `names` has the names of the rows before, and takes its own."""
    if len(data) > MAX_ROW_BYTES:
        raise RowsError(f"{path}:{where} larger than {MAX_ROW_BYTES >> 20} MiB")
    try:
        row = json.loads(
            data.decode(),
            parse_float=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=partial(_distinct, names),
        )
    except InvalidOperation:
        raise RowsError(f"{path}:{where} not valid JSON: a number's exponent is out of range") from None
    except (ValueError, RecursionError) as error:
        raise RowsError(f"{path}:{where} not valid JSON: {error}") from None
    if isinstance(row, dict) and not where and (other := mistaken_for(row.get("format"), "raw features")):
        raise RowsError(f"{path}: {other}")
    at = where.rstrip(":") or " row 1"
    if not isinstance(row, dict):
        raise RowsError(f"{path}:{at}: want an object of feature names and values")
    for name, value in row.items():
        if not isinstance(value, str | int | Decimal) or isinstance(value, bool):
            raise RowsError(f"{path}:{at}, feature {name[:40]!r}: want a text or a number")
    return row


def _csv_rows(path: Path, data: bytes) -> list[Row]:
    """Read CSV; every value is text."""
    # Spreadsheets begin a CSV file with a byte order mark.
    reader = csv.DictReader(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""), strict=True)
    rows: list[Row] = []
    try:
        names = reader.fieldnames or ()
        if len(names) == 1 and ";" in names[0]:
            raise RowsError(f"{path}: the header has semicolons and no comma: save it with commas")
        if len(set(names)) != len(names):
            raise RowsError(f"{path}: two columns have the same name")
        if len(names) > MAX_NAMES:
            raise RowsError(f"{path}: {len(names)} columns; at most {MAX_NAMES} are read")
        for number, row in enumerate(reader, start=1):
            if None in row or None in row.values():
                raise RowsError(f"{path}: row {number}: not as many values as the header has names")
            rows.append(row)
    except csv.Error as error:
        raise RowsError(f"{path}: line {reader.line_num}: {error}") from None
    return rows


def _distinct(names: dict[str, str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that gives a name twice; names that rows share are kept once."""
    document = {names.setdefault(name, name): value for name, value in pairs}
    if len(document) != len(pairs):
        raise ValueError("an object gives two values for one name")
    if len(names) > MAX_NAMES:
        raise ValueError(f"more than {MAX_NAMES} names of features")
    return document


def _refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")
