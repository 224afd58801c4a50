"""German credit (Statlog; H. Hofmann, 1994; CC BY 4.0): 1,000 loans, 20 features, from the raw file german.data.

Categories become their rank among the codes that the data set's own description (german.doc) lists, in alphabetical
order, whether or not a row uses them; numbers and ranks are standardised on the training rows. Labels: 1 (good) is
"granted", 2 (bad) is "refused".
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from certify.data.dataset import DataError, Dataset, Row, Value, split_rows
from certify.spec_builder import build_spec
from circuits.spec import Feature

FILE_NAME = "german.data"
KNOWN_SHA256 = "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871"
"""SHA-256 of the edition that the figures of this project speak about, with LF line ends."""

LABELS = ("refused", "granted")
DEFAULT_SENSITIVE = ("foreign_worker",)

_LABEL_CODES = {"1": 1, "2": 0}
_MAX_BYTES = 4 << 20


def _codes(attribute: int, last: int, first: int = 1) -> tuple[str, ...]:
    """Return the codes of an attribute in alphabetical order: A<attribute><first> to A<attribute><last>."""
    return tuple(sorted(f"A{attribute}{value}" for value in range(first, last + 1)))


_COLUMNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("checking_status", "", _codes(1, 4)),
    ("duration", "months", ()),
    ("credit_history", "", _codes(3, 4, first=0)),
    ("purpose", "", _codes(4, 10, first=0)),
    ("credit_amount", "DM", ()),
    ("savings", "", _codes(6, 5)),
    ("employment_since", "", _codes(7, 5)),
    ("installment_rate", "% of disposable income", ()),
    ("personal_status_and_sex", "", _codes(9, 5)),
    ("other_debtors", "", _codes(10, 3)),
    ("residence_since", "years", ()),
    ("property", "", _codes(12, 4)),
    ("age", "years", ()),
    ("other_installment_plans", "", _codes(14, 3)),
    ("housing", "", _codes(15, 3)),
    ("existing_credits", "", ()),
    ("job", "", _codes(17, 4)),
    ("dependents", "", ()),
    ("telephone", "", _codes(19, 2)),
    ("foreign_worker", "", _codes(20, 2)),
)
"""Name, unit and codes (none for a number) of the attributes 1 to 20, in the file's order."""

FEATURES = tuple(name for name, _, _ in _COLUMNS)
"""The names of the 20 features, in the file's order; each may be declared sensitive."""


def load_german(data_dir: Path, *, sensitive: Sequence[str] = DEFAULT_SENSITIVE, any_edition: bool = False) -> Dataset:
    """Load german.data from `data_dir`/german or `data_dir` itself.

    `sensitive` names the sensitive features; a sensitive number such as age gets the distinct values of the file as
    its domain. Raises DataError for a missing file, for a row that does not read (file, row, column), for an unknown
    feature name, and, unless `any_edition`, for a file that is not the known edition.
    """
    for name in sensitive:
        if name not in FEATURES:
            raise DataError(f"german: no feature is called {name!r}; there are {', '.join(FEATURES)}")
    path = _find(data_dir)
    data = _read(path).replace(b"\r\n", b"\n")
    rows, labels = _parse(data, path)
    if not any_edition and hashlib.sha256(data).hexdigest() != KNOWN_SHA256:
        raise DataError(
            f"{path}: not the known edition of German credit (its SHA-256 is not {KNOWN_SHA256[:12]}...); take the "
            "original german.data, or ask for any edition"
        )
    train, test = split_rows(len(rows), str(path))
    features = [_feature(name, unit, codes, rows, name in sensitive) for name, unit, codes in _COLUMNS]
    return Dataset("german", rows, labels, train, test, build_spec("german", features, rows, train, LABELS))


def _feature(name: str, unit: str, codes: tuple[str, ...], rows: Sequence[Row], sensitive: bool) -> Feature:
    """Declare one feature; the domain of a sensitive number is what occurs in the file."""
    if codes:
        return Feature(name, "categorical", "rank", sensitive=sensitive, domain=codes)
    values = sorted({int(row[name]) for row in rows}) if sensitive else []
    return Feature(name, "numeric", "scaled", sensitive=sensitive, unit=unit, domain=tuple(map(str, values)))


def _find(data_dir: Path) -> Path:
    """Return the path of german.data in either place."""
    for folder in (data_dir / "german", data_dir):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    raise DataError(f"{data_dir}: no {FILE_NAME} there or in {data_dir / 'german'}; name the folder that holds it")


def _read(path: Path) -> bytes:
    """Return the bytes of the file, refusing one that is far too large."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise DataError(f"{path}: more than {_MAX_BYTES >> 20} MiB; german.data has 80 kB")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _parse(data: bytes, path: Path) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """Read all rows and labels."""
    try:
        lines = data.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, row {row}: not plain text") from None
    rows: list[Row] = []
    labels: list[int] = []
    for number, line in enumerate(lines, start=1):
        where = f"{path}, row {number}"
        cells = line.split()
        if len(cells) != len(_COLUMNS) + 1:
            raise DataError(f"{where}: {len(cells)} values; want 20 features and the label, separated by spaces")
        rows.append(
            {
                name: _cell(f"{where}, column {column} ({name})", cell, codes)
                for column, ((name, _, codes), cell) in enumerate(zip(_COLUMNS, cells[:-1], strict=True), start=1)
            }
        )
        if cells[-1] not in _LABEL_CODES:
            raise DataError(f"{where}, column 21 (label): {cells[-1][:40]!r} is neither 1 (good) nor 2 (bad)")
        labels.append(_LABEL_CODES[cells[-1]])
    return tuple(rows), tuple(labels)


def _cell(where: str, cell: str, codes: tuple[str, ...]) -> Value:
    """Read one cell: one of the codes, or a whole number."""
    if codes:
        if cell not in codes:
            raise DataError(f"{where}: {cell[:40]!r} is not one of {', '.join(codes)}")
        return cell
    if not (cell.isdigit() and len(cell) <= 9):
        raise DataError(f"{where}: {cell[:40]!r} is not a whole number")
    return int(cell)
