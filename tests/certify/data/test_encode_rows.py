"""What is said of raw rows that a spec cannot encode."""

from __future__ import annotations

import json

import pytest

from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.rows import RowsError, read_queries, read_rows
from tests.support import LOANS


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "'' is not a number; the value is missing: fill it in, or leave the row out"),
        ("2020-02-29", "'2020-02-29' is not a number; it is a date: give the number of days"),
        ("2020-02-29 12:00", "it is a date"),
        ("much", "'much' is not a number$"),
    ],
)
def test_a_value_that_is_no_number_comes_with_what_to_do(tmp_path, value, said):
    """A missing value and a date say what to do, whichever command reads the rows."""
    row = {"income": value, "housing": "own", "sex": "m"}
    with pytest.raises(DataError, match=f"^row 1: feature 'income': .*{said}"):
        encode_rows(LOANS, [row])
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(row))
    with pytest.raises(RowsError, match=f"rows.json: row 1: feature 'income': .*{said}"):
        read_queries(path, LOANS)


def test_a_text_of_a_category_needs_no_remedy():
    """Which values a category has is said already."""
    with pytest.raises(DataError, match=r"is not one of own, rent$"):
        encode_rows(LOANS, [{"income": 1, "housing": "", "sex": "m"}])


def test_every_feature_that_does_not_fit_has_a_line():
    """The first row of each is named."""
    good = {"income": 1, "housing": "own", "sex": "m"}
    with pytest.raises(DataError) as refused:
        encode_rows(LOANS, [good, good | {"housing": ""}, {"income": "much", "housing": "tent", "sex": "male"}])
    assert [line.partition(":")[0] for line in refused.value.problems] == ["row 3", "row 2", "row 3"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("30,own,m\n,,\n", "leave out row 2, which is empty"),
        (" , ,\n30,own,m\n,,\n", "leave out 2 empty rows: 1, 3"),
        (",,\n" * 20, "leave out 20 empty rows: 1, 2, 3, 4, 5, ... 14 more ..., 20"),
    ],
)
def test_an_empty_row_is_said_once_and_not_for_every_feature(tmp_path, lines, said):
    """What to do stands first; a row that lacks some of its values keeps a line for each of them."""
    path = tmp_path / "rows.csv"
    path.write_text(f"income,housing,sex\n{lines}")
    with pytest.raises(RowsError) as caught:
        read_rows(path, spec=LOANS)
    assert str(caught.value) == f"{path}: {said}"
