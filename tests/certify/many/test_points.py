"""Raw applicants in every form that Python users hold them: the same integers, or a line that names row and feature."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from equiproof.certify.many.points import queries
from equiproof.circuits.spec import Feature, SpecError
from tests.support import INCOME, LACKING, LOANS, SEX, spec_of

RAW = [(30000, "own"), (42000, "rent"), (27000, "own")]
ENCODED = [LOANS.encode({"income": income, "housing": housing}) for income, housing in RAW]

FORMS = {
    "mappings": [{"income": income, "housing": housing} for income, housing in RAW],
    "with more features": [{"sex": None, "name": "x", "income": income, "housing": housing} for income, housing in RAW],
    "sequences": RAW,
    "sequences with the sensitive ones": [(*row, "f") for row in RAW],
    "array": np.array(RAW, dtype=object),
    "array of text": np.array([[str(value) for value in row] for row in RAW]),
    "frame": pd.DataFrame(RAW, columns=["income", "housing"]),
    "frame in another order": pd.DataFrame([(b, "m", a) for a, b in RAW], columns=["housing", "sex", "income"]),
    "frame of categories": pd.DataFrame(RAW, columns=["income", "housing"]).astype({"housing": "category"}),
    "exact decimals": [{"income": Decimal(income), "housing": housing} for income, housing in RAW],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_integers_of_the_spec(form):
    """Forms differ in nothing but how they are written; sensitive columns do not matter."""
    assert queries(FORMS[form], LOANS) == ENCODED


def test_arrays_of_numbers_are_read_exactly():
    """Integers and floats of numpy are the numbers that they print as."""
    spec = spec_of(INCOME, SEX)
    for kind in (np.int64, np.float64, np.float32):
        assert queries(np.array([[30000], [42000]], dtype=kind), spec) == [(0,), (1024,)]


def test_a_category_that_a_table_read_as_a_number_is_its_text():
    """Tables turn the category "1" into the integer 1; it is not a guess to turn it back."""
    grade = Feature("grade", "categorical", "rank", False, domain=("1", "2"))
    spec = spec_of(INCOME, grade, SEX)
    frame = pd.DataFrame({"income": [30000], "grade": [2]})
    assert queries(frame, spec) == [spec.encode({"income": 30000, "grade": "2"})]
    with pytest.raises(SpecError, match="row 1: feature 'grade'"):
        queries([{"income": 30000, "grade": True}], spec)


@pytest.mark.parametrize(
    "bad",
    [None, float("nan"), np.nan, pd.NA, pd.NaT, "rich", True, np.bool_(True), [], b"1", 10**9, object(), np.array([1])],
)
def test_a_bad_value_is_refused_by_row_and_feature(bad):
    """The first bad value ends the reading: nothing is guessed, filled in or clipped."""
    rows = [*FORMS["mappings"], {"income": bad, "housing": "own"}]
    with pytest.raises(SpecError, match="row 4: feature 'income'") as caught:
        queries(rows, LOANS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", [None, pd.NA, "castle", 1.0, {}, np.bool_(True)])
def test_a_bad_category_is_refused_by_row_and_feature(bad):
    """A category is one of the domain."""
    with pytest.raises(SpecError, match="row 2: feature 'housing'"):
        queries([FORMS["mappings"][0], {"income": 1, "housing": bad}], LOANS)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([], "no rows"),
        (pd.DataFrame({"income": [], "housing": []}), "no rows"),
        (pd.DataFrame({"income": [1]}), "'housing'"),
        (pd.DataFrame([[1, 2, "own"]], columns=["income", "income", "housing"]), "'income'"),
        ([{"income": 1}], "row 1: feature 'housing' is missing"),
        ([(1, "own"), (1, "own", "f", 2)], "row 2: 4 columns"),
        ([(1,)], "row 1: 1 columns"),
        (np.array([1, 2]), "a list of one"),
        ({"income": 1, "housing": "own"}, "a list of one"),
        ("income", "a list of one"),
        (["own"], "row 1: str is no row"),
        (None, "a list of one"),
        (np.zeros((2, 2, 2)), "a list of one"),
    ],
)
def test_what_is_no_table_is_refused(bad, why):
    """Missing and doubled columns, wrong widths and other shapes are refused with what would do."""
    with pytest.raises(SpecError, match=why) as caught:
        queries(bad, LOANS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spelled", [None, float("nan"), np.float32("nan"), Decimal("nan"), pd.NA, pd.NaT])
def test_what_tables_write_for_a_missing_value_is_one(spelled):
    """Where the spec lets the value be missing; elsewhere it is refused, naming row and feature."""
    rows = [{"income": 30000, "housing": "own"}, {"income": spelled, "housing": "own"}]
    for X in (rows, pd.DataFrame(rows, dtype=object), pd.DataFrame(rows, dtype=object).to_numpy()):
        assert queries(X, LACKING)[1] == (LACKING.absent, *LACKING.encode(rows[0])[1:])
    with pytest.raises(SpecError, match="row 2: feature 'income'"):
        queries(rows, LOANS)
