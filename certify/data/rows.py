"""Raw rows from files: one JSON object, a JSON list of objects, or CSV with a header."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, ClassVar

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import mistaken_for
from equiproof.circuits.spec import Spec, SpecError

Row = dict[str, Any]

MAX_BYTES = 256 << 20


class RowsError(ValueError):
    """A file of rows that cannot be read; one line naming file and row."""

    exit_code: ClassVar[int] = MISUSED


def read_rows(path: Path) -> list[Row]:
    """Read raw rows; numbers stay exact. Raises RowsError, and OSError for a file that cannot be opened."""
    if path.stat().st_size > MAX_BYTES:
        raise RowsError(f"{path}: larger than {MAX_BYTES >> 20} MiB")
    is_csv = path.suffix.lower() == ".csv"
    try:
        # Spreadsheets begin a CSV file with a byte order mark.
        text = path.read_bytes().decode("utf-8-sig" if is_csv else "utf-8")
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: not UTF-8 at byte {error.start}") from None
    if not text.strip():
        raise RowsError(f"{path}: empty")
    rows = _csv_rows(path, text) if is_csv else _json_rows(path, text)
    if not rows:
        raise RowsError(f"{path}: no rows")
    return rows


def read_row(path: Path) -> Row:
    """Read a file that holds exactly one row; raises as :func:`read_rows`."""
    rows = read_rows(path)
    if len(rows) != 1:
        raise RowsError(f"{path}: {len(rows)} rows, want one")
    return rows[0]


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


def _json_rows(path: Path, text: str) -> list[Row]:
    """Read JSON with decimals kept exact."""
    try:
        document = json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_distinct)
    except InvalidOperation:
        raise RowsError(f"{path}: not valid JSON: a number's exponent is out of range") from None
    except (ValueError, RecursionError) as error:
        raise RowsError(f"{path}: not valid JSON: {error}") from None
    if isinstance(document, dict) and (other := mistaken_for(document.get("format"), "raw features")):
        raise RowsError(f"{path}: {other}")
    rows = document if isinstance(document, list) else [document]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise RowsError(f"{path}: row {number}: want an object of feature names and values")
        for name, value in row.items():
            if not isinstance(value, str | int | Decimal) or isinstance(value, bool):
                raise RowsError(f"{path}: row {number}, feature {name[:40]!r}: want a text or a number")
    return rows


def _csv_rows(path: Path, text: str) -> list[Row]:
    """Read CSV; every value is text."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows: list[Row] = []
    try:
        names = reader.fieldnames or ()
        if len(names) == 1 and ";" in names[0]:
            raise RowsError(f"{path}: the header has semicolons and no comma: save it with commas")
        if len(set(names)) != len(names):
            raise RowsError(f"{path}: two columns have the same name")
        for number, row in enumerate(reader, start=1):
            if None in row or None in row.values():
                raise RowsError(f"{path}: row {number}: not as many values as the header has names")
            rows.append(dict(row))
    except csv.Error as error:
        raise RowsError(f"{path}: line {reader.line_num}: {error}") from None
    return rows


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that gives a name twice."""
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("an object gives two values for one name")
    return document


def _refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")
