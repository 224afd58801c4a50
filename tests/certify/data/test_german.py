import numpy as np
import pytest

from equiproof.certify.data import DataError, load
from equiproof.certify.data.german import FEATURES, TABLE
from equiproof.certify.data.loading import load_table

LINE = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1"
"""A row in the form of the file."""


def lines(count=30):
    """Return made-up rows with both labels, both values of A20, and numbers that vary."""
    made = []
    for index in range(count):
        cells = LINE.split()
        cells[1], cells[12], cells[19], cells[20] = (
            str(6 + index),
            str(20 + index % 7),
            f"A20{1 + index % 2}",
            "12"[index % 3 > 1],
        )
        made.append(" ".join(cells))
    return made


def write(folder, rows, ending="\n"):
    """Write german.data and return its folder."""
    (folder / "german.data").write_bytes("".join(row + ending for row in rows).encode())
    return folder


@pytest.mark.shared
def test_the_known_edition_reads(public_data):
    """1,000 loans, 700 of them good, 20 features of which the last is sensitive."""
    data = load("german", public_data)
    assert (len(data.rows), sum(data.labels)) == (1000, 700)
    assert (len(data.train), len(data.test)) == (800, 200)
    assert (data.spec.plain_columns, data.spec.sensitive_columns, data.spec.input_bits) == (19, 1, 18)
    assert data.spec.domain_values == (("A201",), ("A202",))
    assert data.rows[0]["credit_amount"] == 1169
    assert sum(row["foreign_worker"] == "A201" for row in data.rows) == 963
    assert load_table(TABLE, public_data / "german").spec == data.spec


@pytest.mark.shared
def test_a_sensitive_number_gets_the_values_of_the_file(public_data):
    """Age has 53 distinct values; two sensitive features give the full product."""
    assert len(load_table(TABLE, public_data, sensitive=("age",)).spec.domain_table) == 53
    both = load_table(TABLE, public_data, sensitive=("age", "foreign_worker")).spec
    assert (len(both.domain_table), both.plain_columns) == (106, 18)


def test_any_edition_reads_where_asked_for(tmp_path):
    """A file of the same form with other rows is a data set of its own; line ends do not matter."""
    data = load_table(TABLE, write(tmp_path, lines()), any_edition=True)
    assert set(data.rows[0]) == set(FEATURES)
    assert load_table(TABLE, write(tmp_path, lines(), "\r\n"), any_edition=True) == data
    assert np.mean(data.labels) > 0.5


def test_another_edition_is_refused(tmp_path):
    """Figures of this project speak about one edition: another one must be asked for."""
    with pytest.raises(DataError, match=r"german\.data: not the known edition"):
        load_table(TABLE, write(tmp_path, lines()))


@pytest.mark.parametrize(
    ("row", "column", "cell", "message"),
    [
        (3, 1, "A15", r"row 3, column 1 \(checking_status\): 'A15' is not one of A11, A12, A13, A14"),
        (1, 2, "6.5", r"row 1, column 2 \(duration\): '6.5' is not a whole number"),
        (30, 5, "?", r"row 30, column 5 \(credit_amount\): '\?' is not a whole number"),
        (2, 13, "-4", r"row 2, column 13 \(age\): '-4' is not a whole number"),
        (2, 21, "3", r"row 2, column 21 \(label\): '3' is neither 1 \(good\) nor 2 \(bad\)"),
        (7, 20, "", "row 7: 20 values; want 20 features and the label"),
        (7, 20, "A201 1", "row 7: 22 values; want 20 features and the label"),
        (4, 1, "Ä11", "row 4: not plain text"),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(tmp_path, row, column, cell, message):
    """One line names the file, the row and the column, and what would do."""
    rows = lines()
    cells = rows[row - 1].split()
    cells[column - 1] = cell
    rows[row - 1] = " ".join(cells)
    with pytest.raises(DataError, match=rf"^[^\n]*german\.data, {message}[^\n]*$"):
        load_table(TABLE, write(tmp_path, rows), any_edition=True)


def test_a_missing_file_says_where_it_was_sought(tmp_path):
    """Both places are named."""
    with pytest.raises(DataError, match=r"^name the folder of german\.data, [^\n]*german$"):
        load_table(TABLE, tmp_path)


def test_too_few_rows_and_unknown_features_are_refused(tmp_path):
    """A cut file and a wrong feature name each give one line."""
    with pytest.raises(DataError, match="3 rows; a data set needs at least 20"):
        load_table(TABLE, write(tmp_path, lines(3)), any_edition=True)
    with pytest.raises(DataError, match="no feature is called 'sex'; there are checking_status"):
        load_table(TABLE, tmp_path, sensitive=("sex",))


def test_every_code_is_explained():
    """A category's note says what each of its codes means, once."""
    for column in TABLE.columns:
        explained = [part.split(" ", 1) for part in column.note.split("; ")] if column.kind == "category" else []
        assert sorted(code for code, _ in explained) == list(column.codes)
        assert all(meaning for _, meaning in explained)
