"""Files of text as programs write them: encodings, byte order marks, the separator in a first line, and blanks."""

import codecs
import json

import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from equiproof.certify.data.frames import frame_of
from equiproof.certify.data.rows import RowsError, read_queries, read_rows
from equiproof.certify.data.spec_draft import draft_file, draft_spec
from equiproof.certify.data.wishes import Wishes

ROWS = [{"name": "Müller", "pay": "7"}, {"name": "Łukasz", "pay": "12"}]
CSV = "name,pay\nMüller,7\nŁukasz,12\n"

ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16": b"",
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
"""Encodings with the byte order mark that Python does not write."""


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_is_read_in_every_encoding_that_is_certain(tmp_path, encoding, end):
    """With a byte order mark, in CSV and JSON; the mark is part of no name."""
    for name, text in (
        ("a.csv", CSV.replace("\n", end)),
        ("a.json", json.dumps(ROWS, ensure_ascii=False)),
        ("a.jsonl", end.join(json.dumps(row, ensure_ascii=False) for row in ROWS)),
    ):
        (tmp_path / name).write_bytes(ENCODINGS[encoding] + text.encode(encoding))
        assert read_rows(tmp_path / name) == ROWS


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_two_bytes_a_letter_need_no_mark(tmp_path, encoding):
    """Zeros between ASCII letters are nothing else."""
    path = tmp_path / "a.csv"
    path.write_bytes(f"{'customer' * 20},pay\nMüller,7\n".encode(encoding))
    assert read_rows(path) == [{"customer" * 20: "Müller", "pay": "7"}]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "mac-roman"])
def test_one_byte_a_letter_is_refused_with_what_to_do(tmp_path, encoding):
    """A byte could be several letters: the line is named, and how to save the file."""
    path = tmp_path / "a.csv"
    data = "name,pay\nMeier,7\nMüller,12\n".encode(encoding)
    path.write_bytes(data)
    said = "save it as CSV UTF-8: line 3 has a letter in another encoding, such as Windows-1252; not UTF-8 at byte"
    with pytest.raises(RowsError) as caught:
        read_rows(path)
    assert str(caught.value) == f"{path}: {said} {data.index(b'M', 12) + 1}"
    (tmp_path / "a.json").write_bytes('[{"name": "Müller"}]'.encode(encoding))
    with pytest.raises(RowsError, match=r"a\.json: save it as UTF-8: line 1 has a letter"):
        read_rows(tmp_path / "a.json")


def test_half_a_letter_of_utf_16_is_refused(tmp_path):
    """What begins as UTF-16 has to be it."""
    (tmp_path / "a.csv").write_bytes(CSV.encode("utf-16")[:-1])
    with pytest.raises(RowsError, match=r"a\.csv: save it as CSV UTF-8: it begins as UTF-16, and is not all of it"):
        read_rows(tmp_path / "a.csv")


@pytest.mark.parametrize("first", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "sep=; \r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_first_line_names_the_separator(tmp_path, first, encoding):
    """As Excel reads it; the line is none of the table's."""
    path = tmp_path / "a.csv"
    path.write_bytes(f"{first}a,b;c,d\n1,5;2\n".encode(encoding))
    assert read_rows(path) == [{"a,b": "1,5", "c,d": "2"}]


def test_another_separator_of_the_first_line(tmp_path):
    """Any mark; one that is given as an argument goes before it."""
    path = tmp_path / "a.csv"
    path.write_text("sep=^\na^b\n1^2\n")
    assert read_rows(path) == [{"a": "1", "b": "2"}]
    path.write_text("sep=^\na;b^c\n1;2^3\n")
    assert read_rows(path, ";") == [{"a": "1", "b^c": "2^3"}]


PADDED = [{" pay ": "  7", "job": "clerk "}, {" pay ": "12\u00a0", "job": "\tsmith"}]
STRIPPED = [{"pay": "7", "job": "clerk"}, {"pay": "12", "job": "smith"}]


def test_blanks_around_values_are_none_in_every_format(tmp_path):
    """Names and values are those without them, in files and in tables in memory."""
    (tmp_path / "a.json").write_text(json.dumps(PADDED))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, PADDED)))
    (tmp_path / "a.csv").write_text(" pay ;job\n  7;clerk \n12\u00a0; smith\n", encoding="utf-8")
    parquet.write_table(pa.Table.from_pylist(PADDED), tmp_path / "a.parquet")
    book = openpyxl.Workbook()
    for line in (list(PADDED[0]), *(list(row.values()) for row in PADDED)):
        book.active.append(line)
    book.save(tmp_path / "a.xlsx")
    for ending in ("json", "jsonl", "csv", "parquet", "xlsx"):
        assert read_rows(tmp_path / f"a.{ending}") == STRIPPED, ending
        assert frame_of(tmp_path / f"a.{ending}").rows == STRIPPED
    assert [row["job"] for row in frame_of(PADDED).rows] == ["clerk", "smith"]


def test_names_that_only_blanks_tell_apart_are_refused(tmp_path):
    """Two columns of one name are told in each format."""
    (tmp_path / "a.csv").write_text("pay,pay \n1,2\n")
    (tmp_path / "a.json").write_text('{"pay": 1, "pay ": 2}')
    for name, said in (
        ("a.csv", "two columns have the same name"),
        ("a.json", "an object gives two values for one name"),
    ):
        with pytest.raises(RowsError, match=said):
            read_rows(tmp_path / name)


def test_a_spec_and_its_rows_are_the_same_with_blanks(tmp_path):
    """A draft of padded values is that of the values, and rows for it are read alike."""
    plain = [{"pay": str(9 * k), "job": ("clerk", "smith")[k % 2], "sex": "fm"[k % 3 > 0], "ok": "ny"[k % 5 > 1]}
             for k in range(30)]  # fmt: skip
    padded = [{name: f" {value}  " for name, value in row.items()} for row in plain]
    wishes = Wishes("ok", ("sex",), ("n", "y"))
    (tmp_path / "own.json").write_text(json.dumps(padded))
    spec = draft_file(tmp_path / "own.json", wishes).spec
    assert spec.digest == draft_spec("own", plain, wishes).spec.digest == draft_spec("own", padded, wishes).spec.digest
    assert read_queries(tmp_path / "own.json", spec) == [spec.encode(row) for row in plain]


@pytest.mark.parametrize("blank", [chr(code) for code in range(0x3001) if chr(code).isspace()], ids=ascii)
def test_blanks_around_values_of_csv_are_no_part_of_them(tmp_path, blank):
    """Whatever counts as blank, alone in a file and inside quotation marks; a file without any is read alike."""
    path = tmp_path / "a.csv"
    texts = ["name,pay\nm,7\n", f'name,pay\n"{blank}m","7{blank}"\n']
    if blank not in "\r\n":
        texts.append(f"name,pay\n{blank}m,7{blank}\n")
    for text in texts:
        path.write_text(text, newline="")
        assert read_rows(path) == [{"name": "m", "pay": "7"}]
