"""Rows are the same from every format that a bank's table may have, and what is no table is refused in one line."""

import io
import zipfile
from datetime import date, datetime
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from equiproof.certify.data import spreadsheets
from equiproof.certify.data.rows import RowsError, read_rows
from equiproof.certify.data.spec_draft import draft_spec
from equiproof.certify.data.wishes import Wishes
from equiproof.certify.limits import MAX_NAMES

NAMES = ["income", "share", "job", "opened"]
CELLS = [[1200, 8.5e-4, "smith", date(2024, 3, 31)], [900, 0.25, "", date(1999, 1, 1)]]
ROWS = [
    {"income": 1200, "share": Decimal("0.00085"), "job": "smith", "opened": "2024-03-31"},
    {"income": 900, "share": Decimal("0.25"), "job": "", "opened": "1999-01-01"},
]


def workbook(path, lines, sheets=1):
    """Write an Excel workbook."""
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    for number in range(1, sheets):
        book.create_sheet(f"more {number}")
    book.save(path)
    return path


def texts(rows):
    """Return rows with every value as plain text, as CSV has them."""
    return [{name: format(value, "f") if isinstance(value, Decimal) else str(value) for name, value in row.items()}
            for row in rows]  # fmt: skip


def test_a_workbook_has_the_rows_of_its_sheet(tmp_path):
    """Numbers are exact, dates are written as dates, empty cells are empty, and empty lines at the end are none."""
    assert read_rows(workbook(tmp_path / "a.xlsx", [NAMES, *CELLS, [None] * 4, []])) == ROWS


def test_parquet_has_the_rows_of_its_columns(tmp_path):
    """Whatever types the columns have, dictionaries and times of day at midnight included."""
    columns = dict(zip(NAMES, zip(*CELLS, strict=True), strict=True))
    columns["job"] = pa.array(["smith", None]).dictionary_encode()
    columns["opened"] = [datetime.fromisoformat("2024-03-31"), datetime.fromisoformat("1999-01-01")]
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert read_rows(tmp_path / "a.parquet") == ROWS


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_header_shows_what_separates(tmp_path, mark):
    """Names and values with the mark stand in quotation marks; a byte order mark in front is no part of a name."""
    path = tmp_path / "a.csv"
    path.write_text(f'\ufeff"a{mark}b"{mark}c{mark}"d"\n1{mark}"x{mark}y"{mark}2,5\n', encoding="utf-8")
    if mark == ",":
        path.write_text('"a,b",c,"d"\n1,"x,y","2,5"\n')
    assert read_rows(path) == [{f"a{mark}b": "1", "c": f"x{mark}y", "d": "2,5"}]


def test_two_marks_are_told_apart_by_columns_and_by_the_option(tmp_path):
    """The mark that makes more columns separates; of two that make as many, --sep says which."""
    path = tmp_path / "a.csv"
    path.write_text("net,gross;age;job\n1;2;3\n")
    assert read_rows(path) == [{"net,gross": "1", "age": "2", "job": "3"}]
    path.write_text("net,gross;age\n1;2\n")
    with pytest.raises(RowsError, match=r"separated by commas or semicolons\?.*sep="):
        read_rows(path)
    assert read_rows(path, ";") == [{"net,gross": "1", "age": "2"}]


def test_a_spec_says_what_separates(tmp_path):
    """Rows for a model are read by the names that its spec has."""
    table = [{"net,gross": str(9 * k), "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(30)]
    spec = draft_spec("mine", table, Wishes("ok", ("sex",))).spec
    path = tmp_path / "a.csv"
    path.write_text("net,gross;sex\n17;f\n")
    assert read_rows(path, spec=spec) == [{"net,gross": "17", "sex": "f"}]


def test_json_lines_are_rows(tmp_path):
    """One object a line; a bad line is named."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2.50}\n')
    assert read_rows(path) == [{"a": 1}, {"a": Decimal("2.50")}]
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(RowsError, match=r"a.jsonl: row 2: not valid JSON"):
        read_rows(path)


@pytest.mark.parametrize(
    ("lines", "sheets", "said"),
    [
        ([["a", "a"], [1, 2]], 1, "two columns have the same name"),
        ([["a", None, "b"], [1, 2, 3]], 1, "column 2 has no name"),
        ([["a"], [1, 2]], 1, "row 1: more values than"),
        ([["a"], [1], [], [2]], 1, "row 3: empty rows stand before it"),
        ([["a"], [1]], 2, r"2 sheets \('Sheet', 'more 1'\)"),
        ([[f"n{k}" for k in range(MAX_NAMES + 1)]], 1, "columns; at most"),
        ([["a"]], 1, "no rows"),
    ],
)
def test_sheets_that_are_no_table_are_refused(tmp_path, lines, sheets, said):
    """One line names the file and what is wrong with it."""
    with pytest.raises(RowsError, match=f"a.xlsx: .*{said}") as caught:
        read_rows(workbook(tmp_path / "a.xlsx", lines, sheets))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet"])
def test_files_that_are_none_are_refused(tmp_path, name):
    """Whatever bytes they have: text, half a file, an archive of something else."""
    path = tmp_path / name
    workbook(tmp_path / "whole.xlsx", [NAMES, *CELLS])
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "whole.parquet")
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("note.txt", "no workbook")
    whole = (tmp_path / f"whole{path.suffix}").read_bytes()
    for data in (b"a,b\n1,2\n", whole[: len(whole) // 2], other.getvalue(), b"PAR1" + bytes(40) + b"PAR1"):
        path.write_bytes(data)
        with pytest.raises(RowsError, match=r"not an Excel workbook|not a Parquet file") as caught:
            read_rows(path)
        assert "\n" not in str(caught.value)


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    """A member is unpacked before it is read: what it says of its size is not believed."""
    path = workbook(tmp_path / "a.xlsx", [["a"], *[["x" * 1000]] * 50])
    monkeypatch.setattr(spreadsheets, "MAX_UNPACKED_BYTES", 1 << 10)
    with pytest.raises(RowsError, match="unpacks to more than 0 MiB"):
        read_rows(path)


def test_too_many_rows_are_refused(tmp_path, monkeypatch):
    """Rows and values are counted while they come."""
    path = workbook(tmp_path / "a.xlsx", [["a"], *[[1]] * 5])
    parquet.write_table(pa.table({"a": [1] * 5}), tmp_path / "a.parquet")
    monkeypatch.setattr(spreadsheets, "MAX_ROWS", 4)
    for table in (path, tmp_path / "a.parquet"):
        with pytest.raises(RowsError, match="more than 4 rows: split the file"):
            read_rows(table)


def test_lists_in_parquet_are_refused(tmp_path):
    """A column of lists has no one value a row."""
    parquet.write_table(pa.table({"a": [[1, 2]]}), tmp_path / "a.parquet")
    with pytest.raises(RowsError, match="column 'a' holds lists or records"):
        read_rows(tmp_path / "a.parquet")


def test_numbers_as_data_frames_write_them(tmp_path):
    """CSV of a data frame has small numbers with an exponent; the spec reads them exactly."""
    rows = [{"share": f"{k + 1}e-4", "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(30)]
    spec = draft_spec("mine", rows, Wishes("ok", ("sex",))).spec
    assert spec.features[0].kind == "numeric"
    assert spec.encode(rows[0]) == spec.encode({"share": "0.0001"})
