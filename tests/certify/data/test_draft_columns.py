"""What a draft makes of columns as people write them: bands, codes, indices, declared orders, and several faults."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from equiproof.certify.data import DataError
from equiproof.certify.data.bands import by_numbers
from equiproof.certify.data.missing_codes import suspects
from equiproof.certify.data.rows import RowsError
from equiproof.certify.data.spec_draft import draft_file, draft_spec
from equiproof.certify.data.wishes import Wishes

WISHES = Wishes(label="ok", sensitive=("sex",), labels=("n", "y"))


def table(count=40, **columns):
    """Return rows of an income, a sex and a decision; further columns are functions of the row's index."""
    return [
        {
            "income": 1000 + 37 * k,
            "sex": "fm"[k % 2],
            "ok": "ny"[k % 5 > 1],
            **{name: column(k) for name, column in columns.items()},
        }
        for k in range(count)
    ]


def among(*values):
    """Return a column that takes these values in turn."""
    return lambda k: values[k % len(values)]


def domain(rows, name, **wishes):
    """Return the values of a category of the draft in their order, and the notes on it."""
    draft = draft_spec("mine", rows, Wishes("ok", ("sex",), ("n", "y"), **wishes))
    feature = next(one for one in draft.spec.features if one.name == name)
    return feature.domain, [note for note in draft.notes if note.startswith(f"{name}: ")]


@pytest.mark.parametrize(
    "ordered",
    [
        ("<25", "25-34", "35-44", "65-74", ">74"),
        ("< 1 year", "1 year", "2 years", "9 years", "10+ years"),
        ("n/a", "< 1 year", "2 years", "10+ years"),
        ("0-999", "1,000-1,999", "10,000+"),
        ("0 to 5", "5.5 to 10", ">= 11"),
        ("<=10", "10-20", "20", ">20"),
        ("$0-$50", "$50-$100"),
        ("2", "10", "30"),
        ("9-9", "25-34", "8888"),
    ],
)
def test_bands_are_in_the_order_of_their_numbers(ordered):
    """Whatever order they come in; the alphabet has another one."""
    assert by_numbers(sorted(ordered)) == ordered
    assert by_numbers(sorted(ordered, reverse=True)) == ordered


@pytest.mark.parametrize(
    "values",
    [("clerk", "smith"), ("<25", "old"), ("1 year", "3 months"), ("5-5", "5"), ("34-25", "1-2"), ("1",), ("<5-6", "9")],
)
def test_other_texts_have_no_such_order(values):
    """Words, several units, equal bands and ends in the wrong order."""
    assert by_numbers(values) is None


def test_bands_are_ranked_by_their_numbers_and_said():
    """Also for a sensitive category; a number among bands may be a code."""
    rows = table(job=among("10+ years", "2 years", "< 1 year"), age=among("25-34", "<25", "8888", ">34"))
    assert domain(rows, "job", categories=("age",)) == (
        ("< 1 year", "2 years", "10+ years"),
        ['job: ranked by the numbers of its values: "< 1 year", "2 years", "10+ years"'],
    )
    assert domain(rows, "age", categories=("age",)) == (
        ("<25", "25-34", ">34", "8888"),
        ['age: ranked by the numbers of its values: "<25", 25-34, ">34", 8888; is 8888 among bands a code?'],
    )
    draft = draft_spec("mine", rows, Wishes("ok", ("sex", "age"), categories=("age",)))
    assert draft.spec.sensitive_features[0].domain == ("f", "m")
    assert draft.spec.sensitive_features[1].domain == ("<25", "25-34", ">34", "8888")


def test_leading_zeros_make_a_category():
    """007 and 7 are two codes: such a column is never one of numbers, and many of them are told as codes."""
    values, _ = domain(table(branch=among("007", "12", "7")), "branch")
    assert values == ("007", "12", "7")
    with pytest.raises(
        DataError, match=r"'zip': drop the column, or group its codes: 80 different texts such as '01000'"
    ):
        draft_spec("mine", table(80, zip=lambda k: f"0{1000 + k}"), WISHES)
    for cells in (("0.5", "0.25"), ("0", "1"), ("-0.5", "7")):
        assert domain(table(share=among(*cells)), "share")[0] == ()


def test_few_whole_numbers_may_be_codes():
    """Up to 20 are asked about, and no more; neither are as many fractions."""
    assert any(
        "20 distinct numbers only; if they are codes" in one for one in domain(table(a=lambda k: k % 20), "a")[1]
    )
    for column in (lambda k: k % 21, lambda k: f"{k % 4}.5"):
        assert not [one for one in domain(table(60, a=column), "a")[1] if "codes" in one]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(580, 820), 9999, 9999], {9999: 2}),
        ([*range(580, 820), 8888, 8888, 9999, 9999, 9999], {8888: 2, 9999: 3}),
        ([*range(580, 820), 0, 0, 9999, 9999], {0: 2, 9999: 2}),
        ([*range(580, 820), 999, 999], {999: 2}),
        ([*range(560, 820), -1, -1, 999, 999, 8888, 8888, 9999, 9999], {8888: 2, 9999: 2, -1: 2, 999: 2}),
        ([*range(50), -1, -1, -1], {-1: 3}),
        ([*range(50), -99, -99], {-99: 2}),
        (["0.5", "0.25", "0.75", 999, 999], {999: 2}),
    ],
)  # fmt: skip
def test_codes_for_missing_values_are_suspected(values, codes):
    """Repeated whole numbers far from the others, and the one value below 0."""
    assert suspects(values).rows == codes


@pytest.mark.parametrize(
    "values",
    [
        [*range(580, 820), 9999],
        [*range(580, 820), 999],
        [*range(580, 820, 3), 999, 999, 1180],
        [*range(700, 1000, 3), 999, 999],
        [580, 610, 820, 999, 999],
        [*range(100), 150, 150],
        [0, 1, 1, 0],
        [1, 2, 2, 99, 99],
        [*range(-20, 20), -99, 5],
        [*range(50), -2, -2],
        [*range(50), -1],
        [int(1.3**k) for k in range(60)],
        ["1.8", "2.5", "5.3", "8.9", "8.9", "10.6", "10.6"],
    ],
)
def test_other_numbers_are_none(values):
    """A value of one row, one that is not far away, few numbers in all, and long tails."""
    assert suspects(values) is None


def test_a_suspected_code_is_in_the_notes():
    """With its rows, the other values, and what to do."""
    rows = table(score=lambda k: 9999 if k % 20 == 3 else 600 + k)
    notes = domain(rows, "score", units={"score": "points"})[1]
    assert notes == [
        (
            "score: 9999 in 2 rows far from the others (600 to 639); if that is a code for a missing value, empty it "
            "in the table and leave such rows out (leave_out_missing=True), or say that it may be missing "
            "(missing=['score']), since mean and scale count it as a number"
        )
    ]


def write(path, rows, *, index=(), row_group_size=None, **columns):
    """Write rows to a Parquet file as pandas does, with the names of its index."""
    cells = {name: [row[name] for row in rows] for name in rows[0]}
    metadata = {"pandas": json.dumps({"index_columns": [*index, {"kind": "range"}]})}
    stored = pa.table(cells | columns).replace_schema_metadata(metadata)
    parquet.write_table(stored, path, row_group_size=row_group_size)
    return path


@pytest.mark.parametrize("name", ["__index_level_0__", "customer"])
def test_an_index_that_pandas_stored_is_no_feature(tmp_path, name):
    """It is left out and said, unless it is named as a feature."""
    path = write(tmp_path / "a.parquet", table(**{name: lambda k: 3 * k}), index=[name])
    draft = draft_file(path, WISHES)
    assert [one.name for one in draft.spec.features] == ["income", "sex"]
    assert f"left out, since it is the index of the table: {name}" in draft.notes
    kept = draft_file(path, Wishes("ok", ("sex",), units={name: "EUR"}))
    assert [one.name for one in kept.spec.features] == ["income", "sex", name]
    assert not any(note.startswith("left out") for note in kept.notes)
    none = draft_file(write(tmp_path / "b.parquet", table(**{name: lambda k: 3 * k})), WISHES)
    assert [one.name for one in none.spec.features] == ["income", "sex", name]


@pytest.mark.parametrize("metadata", [b"", b"[]", b"{", b'{"index_columns": 3}', b'{"index_columns": [3, null]}'])
def test_metadata_of_another_kind_name_no_index(tmp_path, metadata):
    """Whatever stands there, the table is read."""
    stored = pa.Table.from_pylist(table()).replace_schema_metadata({b"pandas": metadata})
    parquet.write_table(stored, tmp_path / "a.parquet")
    assert [one.name for one in draft_file(tmp_path / "a.parquet", WISHES).spec.features] == ["income", "sex"]


@pytest.mark.parametrize("row_group_size", [None, 7])
def test_a_declared_order_is_kept(tmp_path, row_group_size):
    """That of an ordered dictionary, with values that no row has; of a sensitive category, those of the rows."""
    sizes = ["walk", "ride", "drive", "fly"]
    for is_ordered in (True, False):
        places = pa.array([2, 0, 1, 2] * 10)
        size = pa.DictionaryArray.from_arrays(places, pa.array(sizes), ordered=is_ordered)
        path = write(tmp_path / "a.parquet", table(), row_group_size=row_group_size, size=size)
        draft = draft_file(path, WISHES)
        feature = next(one for one in draft.spec.features if one.name == "size")
        note = "size: ranked in the order that is declared: walk, ride, drive, fly"
        assert (note in draft.notes) is is_ordered
        assert feature.domain == (tuple(sizes) if is_ordered else ("drive", "ride", "walk"))
        sensitive = draft_file(path, Wishes("ok", ("size",))).spec.sensitive_features[0].domain
        assert sensitive == (("walk", "ride", "drive") if is_ordered else ("drive", "ride", "walk"))


def test_every_problem_of_a_table_is_told_at_once(tmp_path):
    """One line each with the file: names, notations, missing values, texts among numbers, names of values, labels."""
    rows = table(
        rate=lambda k: f"{k},5",
        debt=lambda k: "" if k == 3 else k,
        age=lambda k: "old" if k == 7 else k,
        job=among("smith", 'the "smith"'),
        name=lambda k: f"person {k}" if k < 40 else "",
    )
    rows = [{'in"come' if name == "income" else name: value for name, value in row.items()} for row in rows]
    path = tmp_path / "own.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(RowsError) as caught:
        draft_file(path, Wishes("ok", ("sex",), ("no", "yes")))
    starts = [
        "column 'in\"come' holds U+0022",
        "of 40 rows, values are missing in 'debt' 1, 2.5 % (first in row 4)",
        "give decimal=',' for column 'rate'",
        "row 8, column 'age': mend it, or call the column a category (categories=['age']): 'old' is not a number",
        "rename the value 'the \"smith\"' of column 'job', or drop the column (drop=['job']): it holds U+0022",
        "column 'ok': its labels are n, y, not no, yes",
    ]
    assert len(caught.value.problems) == len(starts)
    for line, start in zip(caught.value.problems, starts, strict=True):
        assert line.startswith(f"{path}: {start}")
        assert len(line) <= 400 + len(str(path))


def test_rows_are_counted_as_in_the_table():
    """Also where others were left out before them."""
    rows = table(debt=lambda k: "" if k < 5 else k, age=lambda k: "old" if k == 7 else k)
    with pytest.raises(DataError, match=r"^row 8, column 'age': .*: 'old' is not a number"):
        draft_spec("mine", rows, Wishes("ok", ("sex",), leave_out_missing=True))


def test_of_many_problems_twenty_are_told_and_the_others_counted():
    """A table of 30 such columns is 20 lines, the last column's among them, and a count."""
    rows = table(**{f"c{number}": lambda k: "x" if k else 1 for number in range(30)})
    with pytest.raises(DataError) as caught:
        draft_spec("mine", rows, WISHES)
    assert len(caught.value.problems) == 21
    assert caught.value.problems[-2] == "... 10 more ..."
    assert "'c29'" in caught.value.problems[-1]
