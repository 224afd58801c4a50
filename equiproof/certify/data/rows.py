"""Raw rows from files: a JSON object or list of objects, JSON Lines, CSV with a header, Excel, Parquet.

The end of a file's name says which of them it is.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from equiproof.certify.data.cleaning import MISSING_MARKS
from equiproof.certify.data.dataset import DataError, misfits, refuse_all, remedy
from equiproof.certify.data.dates import first_day, in_days
from equiproof.certify.data.decimals import decimals
from equiproof.certify.data.decoding import as_utf8
from equiproof.certify.data.delimited_rows import SEPARATORS, csv_table
from equiproof.certify.data.notation import Notation, asked_rows, besides_numbers, plain_rows, said
from equiproof.certify.data.spreadsheets import READERS, Content, TableError
from equiproof.certify.limits import MAX_NAMES, MAX_ROW_BYTES, MAX_ROWS, MAX_ROWS_BYTES, MAX_VALUES
from equiproof.circuits.canonical import read_limited
from equiproof.circuits.encodings.missing import LISTED
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import mistaken_for
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.text import several

Row = dict[str, Any]

_SPLIT_HINT = "split the file"
CSV = (".csv", ".tsv")
"""The endings of files whose values have no types."""

_TRUTHS = {"true": 1, "false": 0}
"""How truths of files with types are read, as numbers."""

_JSON_LINES = (".jsonl", ".ndjson")


class RowsError(ValueError):
    """A file of rows that cannot be read; one line naming file and row.

    `problems` has a line for each fault where several are known at once.
    """

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @classmethod
    def within(cls, where: str, error: ValueError) -> Self:
        """Return what is wrong with rows, with what holds them before each of its lines."""
        problems = error.problems if isinstance(error, DataError) else ()
        return cls(f"{where}: {error}", [f"{where}: {line}" for line in problems])


def read_rows(path: Path, separator: str | None = None, spec: Spec | None = None) -> list[Row]:
    """Read raw rows; numbers stay exact. Raises RowsError, and OSError for a file that cannot be opened.

    `separator` stands between the values of a CSV file; without one, the header says which mark it is. With `spec`, it
    is the one that separates the features' names, and values are as of :func:`as_spec`.
    """
    names = () if spec is None else [feature.name for feature in spec.plain_features]
    content = _content(path, MAX_ROWS_BYTES, separator, names)
    return _as_said(path, content) if spec is None else _as_spec(path, content, spec)


def read_table(path: Path, separator: str | None = None) -> Content:
    """Read raw rows with what their file says besides; raises as :func:`read_rows`."""
    return _content(path, MAX_ROWS_BYTES, separator)


def read_row(path: Path, spec: Spec | None = None) -> Row:
    """Read a file that holds exactly one row; raises as :func:`read_rows`."""
    content = _content(path, MAX_ROW_BYTES)
    if len(content.rows) != 1:
        raise RowsError(f"{path}: {len(content.rows)} rows, want one (`equiproof prove --out-dir` takes many)")
    return content.rows[0] if spec is None else _as_spec(path, content, spec)[0]


def as_spec(
    rows: Sequence[Mapping[str, Any]], spec: Spec, notation: Notation | None = None, *, semicolons: bool = False
) -> list[Row]:
    """Return rows as a spec reads them: with texts for the codes of categories, 1 and 0 for truths, days for dates.

    What is empty, or spelled as tables spell missing values, is None where the spec lets values be missing. A list in
    which nothing has to change is returned itself. Its numbers are those of the notation; `semicolons` separate the
    values of the file. Raises DataError for rows without any value, and for columns whose notation is not known, then
    with what else is wrong with the rows.
    """
    _refuse_empty(rows)
    rows = without_marks(rows, spec)
    categories = {feature.name for feature in spec.features if feature.kind == "categorical"}
    numbers = {feature.name for feature in spec.features} - categories
    dated = [feature for feature in spec.features if first_day(feature) is not None]
    counted = [in_days(row, dated) for row in rows] if dated else rows
    # What is read at once as plain numbers needs no second look, and is read once for all that the command does.
    read = {feature.name for feature in spec.features if decimals(feature, counted) is not None}
    others = besides_numbers(counted, numbers - read)
    plain, doubts = counted, dict[str, str]()
    if others or notation is not None or semicolons:
        plain, doubts = asked_rows(counted, sorted(numbers), notation, semicolons=semicolons)
    meant = _meanings(plain, categories, others)
    if doubts:
        refuse_all([*doubts.values(), *misfits(spec, meant, {*meant[0]} - {*doubts})])
    return meant


def _refuse_empty(rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise DataError for rows without any value: to say so of each of their features helps nobody."""
    numbers = [str(number) for number, row in enumerate(rows, start=1) if row and not any(map(_is_there, row.values()))]
    if len(numbers) == 1:
        raise DataError(f"leave out row {numbers[0]}, which is empty")
    if numbers:
        raise DataError(f"leave out {len(numbers)} empty rows: {several(numbers, 6)}")


def without_marks(
    rows: Sequence[Mapping[str, Any]], spec: Spec, listed_as: str | None = LISTED
) -> Sequence[Mapping[str, Any]]:
    """Return rows with None for every missing value of a feature that may lack it.

    Where a spec lists a missing value, `listed_as` stands for one.
    """
    listed = {feature.name for feature in spec.features if feature.lists_missing}
    words = {
        feature.name: {*MISSING_MARKS, "", *map(str.lower, feature.missing_words)}
        - {value.lower() for value in feature.domain}
        for feature in spec.features
        if feature.may_miss or feature.lists_missing
    }
    if not words:
        return rows
    return [
        {
            name: (listed_as if name in listed else None) if name in words and _lacks(value, words[name]) else value
            for name, value in row.items()
        }
        for row in rows
    ]


def _lacks(value: Any, words: Collection[str]) -> bool:
    """Return whether a raw value is missing: nothing, no number, or one of some words."""
    if isinstance(value, str):
        return value.strip().lower() in words
    return value is None or value != value


def _is_there(value: Any) -> bool:
    """Return whether a raw value is one: neither nothing nor blanks."""
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


def _meanings(plain: Sequence[Mapping[str, Any]], categories: Collection[str], others: Collection[str]) -> list[Row]:
    """Return rows with texts for the codes of categories, and 1 and 0 for truths in other columns."""
    coded = {name for name in categories if any(isinstance(row.get(name), int) for row in plain)}
    truths = {name for name in others if not _TRUTHS.keys().isdisjoint([row.get(name) for row in plain])}
    if not coded and not truths:
        return plain if isinstance(plain, list) else [dict(row) for row in plain]
    return [{name: _meant(row[name], name in coded, name in truths) for name in row} for row in plain]


def _as_spec(path: Path, content: Content, spec: Spec) -> list[Row]:
    """Return the rows of a file as a spec reads them; raises RowsError naming the file."""
    try:
        return as_spec(content.rows, spec, said(), semicolons=content.semicolons)
    except DataError as error:
        raise RowsError.within(str(path), error) from None


def _as_said(path: Path, content: Content) -> list[Row]:
    """Return the rows of a file with its numbers as it is said how they are written; raises RowsError."""
    if (notation := said()) is None:
        return content.rows
    try:
        return [dict(row) for row in plain_rows(content.rows, list(content.rows[0]), notation)]
    except DataError as error:
        raise RowsError.within(str(path), error) from None


def _meant(value: Any, is_category: bool, is_number: bool) -> Any:
    """Return a value as the text of a category or as a number, where its type alone says otherwise."""
    if is_category:
        return str(value) if isinstance(value, int) else value
    return _TRUTHS.get(value, value) if is_number and isinstance(value, str) else value


def _content(path: Path, most: int, separator: str | None = None, names: Collection[str] = ()) -> Content:
    """Read a file of so many bytes at most."""
    data = read_limited(path, most)
    if len(data) > most:
        raise RowsError(
            f"{path}: larger than {most >> 20} MiB; {_SPLIT_HINT if most > MAX_ROW_BYTES else 'want one row'}"
        )
    kind = path.suffix.lower()
    if not data.strip():
        raise RowsError(f"{path}: empty")
    try:
        content = READERS[kind](data) if kind in READERS else _text_content(path, data, kind, separator, names)
    except TableError as error:
        raise RowsError(f"{path}: {error}") from None
    if not content.rows:
        raise RowsError(f"{path}: no rows")
    return content


def _text_content(path: Path, data: bytes, kind: str, separator: str | None, names: Collection[str]) -> Content:
    """Read the rows of a file of text; raises TableError and RowsError."""
    data = as_utf8(data, is_csv=kind in CSV)
    _refuse_many(path, data, is_csv=kind in CSV)
    if kind in CSV:
        return csv_table(data, separator, names)
    return Content(_json_lines(path, data) if kind in _JSON_LINES else _objects(path, data, kind))


def _objects(path: Path, data: bytes, kind: str) -> list[Row]:
    """Read the rows of a file that is JSON, or that is no table at all."""
    if kind != ".json" and data.lstrip()[:1] not in (b"{", b"["):
        endings = ", ".join((*CSV, *_JSON_LINES, *READERS))
        raise RowsError(f"{path}: not valid JSON; other tables have names that end with one of {endings}")
    return _json_rows(path, data)


def _refuse_many(path: Path, data: bytes, *, is_csv: bool) -> None:
    """Raise RowsError for more rows or values than are read, counted by their marks, before they take any memory."""
    # A mark inside a text counts as well: the numbers are bounds of what the file can hold.
    lines = max(data.count(b"\n"), data.count(b"\r")) + (not data.endswith((b"\n", b"\r")))
    rows = lines - 1 if is_csv else data.count(b"{")  # the first line has the names
    marks = "".join(SEPARATORS).encode() if is_csv else b","
    if rows > MAX_ROWS:
        raise RowsError(f"{path}: {rows} rows; at most {MAX_ROWS} are read: {_SPLIT_HINT}")
    values = sum(data.count(bytes([mark])) for mark in marks) + rows
    if values > MAX_VALUES:
        raise RowsError(f"{path}: {values} values; at most {MAX_VALUES} are read: {_SPLIT_HINT}")


Encode = Callable[[Row], tuple[int, ...]]
"""Turns a raw row into the n_x integers of a query, or raises SpecError."""


def read_applicant(path: Path, spec: Spec, encode: Encode | None = None) -> Row:
    """Read a file of one row that `encode` takes, by default the spec's; raises RowsError naming file and feature."""
    row = read_row(path, spec)
    with naming_row(path, 1, row, spec):
        (encode or spec.encode)(row)
    return row


def read_queries(path: Path, spec: Spec, encode: Encode | None = None) -> list[tuple[int, ...]]:
    """Read rows as queries of n_x integers each, by `encode` or the spec; raises RowsError naming row and feature."""
    queries = []
    for number, row in enumerate(read_rows(path, spec=spec), start=1):
        with naming_row(path, number, row, spec):
            queries.append((encode or spec.encode)(row))
    return queries


@contextmanager
def naming_row(path: Path, number: int, row: Row, spec: Spec) -> Iterator[None]:
    """Turn a SpecError inside the block into a RowsError that names the file and the row (counted from 1)."""
    try:
        yield
    except SpecError as error:
        message = str(error)
        named = (one for one in spec.features if one.name in row and repr(one.name) in message)
        mend = next((remedy(one, row[one.name]) for one in named), "")
        raise RowsError(f"{path}: row {number}: {message}{mend or unknown(row, spec)}") from None


def read_names(path: Path) -> tuple[str, ...]:
    """Read a file with one name per line, without empty lines; raises RowsError for text that is not UTF-8."""
    try:
        lines = read_limited(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: not UTF-8 at byte {error.start}") from None
    return tuple(line.strip() for line in lines if line.strip())


def unknown(row: Row, spec: Spec) -> str:
    """Name up to three names that the spec does not know, for a row that lacks a feature; usually a misspelling."""
    names = {feature.name for feature in spec.features}
    strangers = [name for name in row if name not in names]
    if not strangers or {feature.name for feature in spec.plain_features} <= set(row):
        return ""
    examples = several([repr(name[:40]) for name in strangers], 3)
    return f"; there is {examples}, which the spec does not know"


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


def _json_lines(path: Path, data: bytes) -> list[Row]:
    """Read one JSON object from each line that is not empty."""
    names: dict[str, str] = {}
    lines = (line for line in io.BytesIO(data) if line.strip())
    return [_json_row(path, f" row {number}:", line, names) for number, line in enumerate(lines, start=1)]


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
        hint = "; one object a line is for a file named *.jsonl" if str(error).startswith("Extra data") else ""
        raise RowsError(f"{path}:{where} not valid JSON: {error}{hint}") from None
    if isinstance(row, dict) and not where and (other := mistaken_for(row.get("format"), "raw features")):
        raise RowsError(f"{path}: {other}")
    at = where.rstrip(":") or " row 1"
    if not isinstance(row, dict):
        raise RowsError(f"{path}:{at}: want an object of feature names and values")
    for name, value in row.items():
        if isinstance(value, bool):
            row[name] = str(value).lower()  # as in the tables of spreadsheets
        elif isinstance(value, str):
            row[name] = value.strip()
        elif value is not None and not isinstance(value, str | int | Decimal):
            raise RowsError(f"{path}:{at}, feature {name[:40]!r}: want a text or a number")
    return row


def _distinct(names: dict[str, str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that gives a name twice; names that rows share are kept once."""
    document = {names.setdefault(name.strip(), name.strip()): value for name, value in pairs}
    if len(document) != len(pairs):
        raise ValueError("an object gives two values for one name")
    if len(names) > MAX_NAMES:
        raise ValueError(f"more than {MAX_NAMES} names of features")
    return document


def _refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")
