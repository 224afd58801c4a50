"""Loads a data set from the declaration of its table and a folder of raw files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from equiproof.certify.data.dataset import DataError, Dataset, Row, split_rows
from equiproof.certify.data.delimited import edition, parse
from equiproof.certify.data.features import CategoryEncoding, check_sensitive, choose
from equiproof.certify.data.spec_builder import build_spec
from equiproof.certify.data.table import Column, RawFile, Table
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Feature

MAX_BYTES = 64 << 20
"""The largest raw file that is read; the largest known one has 6 MB."""


def load_table(
    table: Table,
    data_dir: Path | None,
    *,
    sensitive: Sequence[str] | None = None,
    encoding: CategoryEncoding = "rank",
    any_edition: bool = False,
) -> Dataset:
    """Load a table's files from its own subfolder of `data_dir`, or from `data_dir` itself.

    `sensitive` names the sensitive features instead of the table's own; a sensitive number such as age gets the
    distinct values of the files as its domain. Categories become alphabetical ranks or, one-hot, a column per value.
    Raises DataError for a missing file, for an invalid row (with file, row and column), for an unknown feature name,
    and, unless `any_edition`, for a file of another edition.
    """
    sensitive_names = table.sensitive if sensitive is None else tuple(sensitive)
    check_sensitive(table.name, sensitive_names, table.features)
    rows: list[Row] = []
    labels: list[int] = []
    folder = data_dir
    for file in table.files:
        path = locate(table, file, data_dir)
        folder = path if len(table.files) == 1 else path.parent
        more_rows, more_labels = _read(table, file, path, any_edition=any_edition)
        rows += more_rows
        labels += more_labels
    train, test = split_rows(len(rows), str(folder))
    features = choose([_feature(column, rows) for column in table.columns], rows, sensitive_names, encoding)
    spec = build_spec(table.name, features, rows, train, table.labels)
    return Dataset(table.name, tuple(rows), tuple(labels), train, test, spec)


def locate(table: Table, file: RawFile, data_dir: Path | None) -> Path:
    """Return the path of a raw file in either place; raises DataError with both places where the file is missing."""
    if data_dir is None:
        raise DataError(
            f"name the folder of {file.name} with {argument('data_dir')} or EQUIPROOF_DATA, or get it with `equiproof "
            f"data fetch {table.name} --to FOLDER`: {table.name} needs this raw file"
        )
    own = data_dir / table.folder
    for folder in (own, data_dir):
        if (folder / file.name).is_file():
            return folder / file.name
    raise DataError(
        f"name the folder of {file.name}, or get it with `equiproof data fetch {table.name} --to FOLDER`: it is not in "
        f"{data_dir} or in {own}"
    )


def read_file(path: Path) -> bytes:
    """Return the bytes of a raw file; raises DataError for a file that is far too large or cannot be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: more than {MAX_BYTES >> 20} MiB; no known data set is as large")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _read(table: Table, file: RawFile, path: Path, *, any_edition: bool) -> tuple[list[Row], list[int]]:
    """Read one file and compare it with its known edition; the error of an invalid row takes precedence."""
    data = read_file(path).replace(b"\r\n", b"\n")
    rows, labels = parse(table, file, data, str(path))
    if not any_edition and edition(table, data, str(path)) != file.sha256:
        raise DataError(
            f"take the original {file.name}, or ask for any edition: {path}: not the known edition of {table.title}, "
            f"its SHA-256 is not {file.sha256[:12]}..."
        )
    return rows, labels


def _feature(column: Column, rows: Sequence[Row]) -> Feature:
    """Declare one feature; without documented codes, a category has the values of the rows in alphabetical order."""
    if column.kind != "category":
        whole = UNSET if column.kind == "decimal" else True
        return Feature(column.name, "numeric", "scaled", sensitive=False, unit=column.unit, whole=whole)
    codes = column.values or tuple(sorted({str(row[column.name]) for row in rows}))
    return Feature(column.name, "categorical", "rank", sensitive=False, domain=codes)
