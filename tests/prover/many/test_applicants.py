"""The applicants of a run are read, named and given contexts before anything long begins."""

import pytest

from equiproof.certify.data.rows import RowsError
from equiproof.prover.many.applicants import digest_of, read_applicants
from tests.support import LOANS

HEAD = "id,nonce,income,housing\n"
NONCE = "0123456789abcdef"


def table(tmp_path, *rows):
    """Write a table of rows, each without its last two columns."""
    path = tmp_path / "rows.csv"
    path.write_text(HEAD + "".join(f"{row},30000,own\n" for row in rows))
    return path


def read(tmp_path, *rows, names="id", nonces="nonce"):
    """Read such a table."""
    return read_applicants(table(tmp_path, *rows), LOANS, {"policy": "tests"}, names, nonces)


def test_a_row_is_encoded_and_keeps_nothing_but_its_features(tmp_path):
    """Identifiers stay here: a worker sees the features that the spec names, and what the certificate is made for."""
    (one,) = read(tmp_path, f"A-1,{NONCE}")
    assert one.features == {"income": "30000", "housing": "own"}
    assert one.integers == LOANS.encode(one.features)
    assert (one.row, one.name, one.reference, one.chosen) == (1, "A-1", "A-1", True)
    assert one.context == {"policy": "tests", "nonce": NONCE}
    assert "30000" not in repr(one)
    assert NONCE not in repr(one)


def test_without_columns_rows_have_numbers_and_random_nonces(tmp_path):
    """Names sort as the rows do; no two nonces are alike, and another run draws others."""
    rows = [f"x,{NONCE}"] * 12
    first, second = read(tmp_path, *rows, names=None, nonces=None), read(tmp_path, *rows, names=None, nonces=None)
    assert [one.name for one in first][:2] == ["01", "02"]
    assert len({one.context["nonce"] for one in first + second}) == 24
    assert digest_of(first) == digest_of(second)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("2026/7", "2026%2F7"),
        ("../up", "%2E.%2Fup"),
        (".hidden", "%2Ehidden"),
        ("Zoë", "Zo%C3%AB"),
        ("a%2Fb", "a%252Fb"),
    ],
)
def test_names_are_safe_and_never_meet(tmp_path, identifier, name):
    """Whatever an identifier is, it names one file of the folder, and no other identifier has that name."""
    (one,) = read(tmp_path, f"{identifier},{NONCE}")
    assert (one.name, one.reference) == (name, identifier)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ((f"A,{NONCE}", f"a,{NONCE}"), r"rows 1 and 2 have the same name"),
        ((f"A,{NONCE}", f",{NONCE}"), r"row 2, column 'id': empty"),
        ((f"A,{NONCE}", f"{'x' * 181},{NONCE}"), r"row 2: 'x+'\.\.\. is too long"),
        ((f"A,{NONCE}", "B,short"), r"row 2, column 'nonce': field nonce: want at least 16"),
        ((f"A,{NONCE}", f"B,{NONCE},many"), r"row 2: not as many values"),
    ],
)
def test_a_bad_row_among_good_ones_is_named(tmp_path, rows, named):
    """Nobody's certificate waits for a mistake in row 900 to be found."""
    with pytest.raises(RowsError, match=named):
        read(tmp_path, *rows)


def test_a_value_that_does_not_fit_the_spec_is_named(tmp_path):
    """The error names file, row and feature."""
    path = table(tmp_path, f"A,{NONCE}")
    path.write_text(path.read_text() + f"B,{NONCE},30000,castle\n")
    with pytest.raises(RowsError, match=r"rows\.csv: row 2: .*housing"):
        read_applicants(path, LOANS, {}, "id")


@pytest.mark.parametrize("column", ["names", "nonces"])
def test_a_column_that_is_not_there_is_named(tmp_path, column):
    """A mistyped column is found in the first row."""
    with pytest.raises(RowsError, match=r"row 1: no column 'mistyped'"):
        read(tmp_path, f"A,{NONCE}", **{column: "mistyped"})


def test_the_digest_covers_names_values_nonces_and_their_order(tmp_path):
    """A run goes on with exactly the table that it was started with."""
    rows = [f"A,{NONCE}", f"B,{NONCE}1"]
    known = digest_of(read(tmp_path, *rows))
    others = [rows[::-1], rows[:1], [rows[0], f"C,{NONCE}1"], [rows[0], f"B,{NONCE}2"]]
    assert known not in {digest_of(read(tmp_path, *other)) for other in others}
    path = table(tmp_path, *rows)
    path.write_text(path.read_text().replace("30000", "30001"))
    assert digest_of(read_applicants(path, LOANS, {}, "id", "nonce")) != known
