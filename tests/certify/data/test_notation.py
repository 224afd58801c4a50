"""Numbers in another notation are read exactly where it is said which, and asked about where it is not."""

import re
from decimal import Decimal

import pytest

from equiproof.certify.data import DataError
from equiproof.certify.data.notation import Notation, in_plain, is_number, maybe_thousands, said, written_in
from equiproof.certify.data.rows import RowsError, as_spec, read_queries, read_row, read_rows
from equiproof.certify.data.spec_draft import draft_file, draft_spec
from equiproof.certify.data.wishes import Wishes

WISHES = Wishes(label="ok", sensitive=("sex",), labels=("n", "y"))


def column(*cells):
    """Return rows of one column."""
    return [{"a": cell} for cell in cells]


def asked(*cells, semicolons=False, **marks):
    """Return the questions about a column."""
    return list(in_plain(column(*cells), ["a"], said(**marks), semicolons=semicolons)[2].values())


def written(number, notation):
    """Write a number as 1,234.5 is written in a notation."""
    return f"{number:,}".translate({ord(","): notation.thousands or None, ord("."): notation.decimal})


@pytest.mark.parametrize(
    ("marks", "cells"),
    [
        ((",", None), ["10,5", "4,5", "-0,25", "7"]),
        ((",", "."), ["1.688", "984", "12.500,75", "-1.000.000"]),
        ((",", "blank"), ["1 688,5", "12\u00a0500", "12\u202f500", "9\u2009000", "1"]),
        ((None, "apostrophe"), ["1'688.5", "12\u2019500"]),
        ((None, ","), ["1,688.5", "1,000,000", "12"]),
        ((None, "."), ["1.688", "2,5"]),
        ((None, " "), ["1 688.25"]),
    ],
)
def test_numbers_are_read_as_they_are_written(marks, cells):
    """Every digit stays, also where the decimal mark is implied by the other."""
    expected = {
        "10,5": "10.5", "4,5": "4.5", "-0,25": "-0.25", "7": "7", "1.688": "1688", "984": "984",
        "12.500,75": "12500.75", "-1.000.000": "-1000000", "1 688,5": "1688.5", "12\u00a0500": "12500",
        "12\u202f500": "12500", "9\u2009000": "9000", "1": "1", "1'688.5": "1688.5", "12\u2019500": "12500",
        "1,688.5": "1688.5", "1,000,000": "1000000", "12": "12", "2,5": "2.5", "1 688.25": "1688.25",
    }  # fmt: skip
    rows, examples, doubts = in_plain(column(*cells), ["a"], said(*marks))
    assert doubts == {}
    assert [row["a"] for row in rows] == [expected[cell] for cell in cells]
    assert set(examples) == {"a"}


@pytest.mark.parametrize("notation", [Notation(",", "."), Notation(".", ","), Notation(",", " "), Notation(".", "'")])
def test_whatever_number_is_written_is_read_back(notation):
    """Numbers of either sign, of all lengths, with and without a fraction."""
    for number in (0, 7, -12, 999, 1000, 1234567, -98765432101, Decimal("0.5"), Decimal("-1234.0625")):
        assert notation.plain(written(number, notation)) == str(number)


@pytest.mark.parametrize(
    "text",
    ["1.2.3", "31.12.2024", "12.34.567", "1234.567,8", "1,23,456", "1 23", ",5", "5,", "1,5x", "0.123,4", "", "-"],
)
def test_other_texts_are_no_numbers(text):
    """Dates, versions and half numbers are not read, in whatever notation."""
    assert not is_number(text)


@pytest.mark.parametrize(
    ("cells", "question"),
    [
        (["10,5", "4,5"], "give decimal=',' for column 'a', to read '10,5' as 10.5"),
        (["984", "1.234.567"], "give decimal=',' thousands='.' for column 'a', to read '1.234.567' as 1234567"),
        (["1.234,5"], "give decimal=',' thousands='.' for column 'a', to read '1.234,5' as 1234.5"),
        (["12 500", "7"], "give thousands='blank' for column 'a', to read '12 500' as 12500"),
        (["1'000.5"], "give thousands='apostrophe' for column 'a', to read \"1'000.5\" as 1000.5"),
        (
            ["1,234", "5"],
            (
                "say how column 'a' is written, which has '1,234': decimal=',' to read it as 1.234 or thousands=',' to "
                "read it as 1234"
            ),
        ),
        (["1,234.5", "1.234,5"], "write column 'a' in one notation: it has '1,234.5' and '1.234,5'"),
        (
            ["4,5 %", "3%"],
            (
                "write column 'a' without percent signs, as the numbers that the model takes: it has '4,5 %', and "
                "4.5 % may be 4.5 or 0.045"
            ),
        ),
    ],
)
def test_what_nobody_said_is_asked(cells, question):
    """One line for the column, with the remedy first and what it leads to."""
    assert asked(*cells) == [question]
    assert len(question) < 400


def test_columns_of_other_texts_and_plain_numbers_are_let_alone():
    """Neither is asked about, with and without a notation; missing values are none of a number."""
    for cells in (["1.5", "2.25"], ["m", "f"], ["1,5", "other"], ["7", "8"], ["NA", "?", ""]):
        assert asked(*cells) == []
        assert in_plain(column(*cells), ["a"], None)[0] == column(*cells)
    assert asked("10,5", "NA", "", decimal=",") == []


def test_a_point_before_three_digits_is_asked_about_where_commas_are_likely():
    """Beside decimal commas, and in a file of semicolons; not where one number has another fraction, or none."""
    question = (
        "say how column 'a' is written, which has '1.688': decimal='.' to read it as 1.688 or decimal=',' "
        "thousands='.' to read it as 1688"
    )
    assert asked("984", "1.688") == []
    assert asked("984", "1.688", semicolons=True) == [question]
    for cells in (["984", "1.68"], ["984", "1.688", "0.125"], ["984"], ["1.6880"]):
        assert asked(*cells, semicolons=True) == []
    assert asked("984", "1.688", semicolons=True, decimal=".") == []
    rows = [{"a": "1.688", "rate": "4,5"}, {"a": "984", "rate": "10,25"}]
    questions = in_plain(rows, ["a", "rate"], None)[2]
    assert list(questions) == ["rate", "a"]
    assert sorted(questions.values()) == [
        "give decimal=',' thousands='.' for column 'a', to read '1.688' as 1688",
        "give decimal=',' thousands='.' for column 'rate', to read '4,5' as 4.5",
    ]


def test_a_point_before_three_digits_has_a_word_where_it_is_read_as_that_of_a_fraction():
    """In a file of commas too, nothing is read a thousandfold too small without a note, unless it is said."""
    rows = [{"a": f"{k}.{100 + k}", "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(1, 31)]
    note = (
        "a: every point stands before three digits, as in 1.101, and was read as that of a fraction; if that is 1101, "
        "say so (decimal=',' thousands='.')"
    )
    assert note in draft_spec("mine", rows, WISHES).notes
    for cells in (["984", "1.68"], ["1.688", "0.125"], ["984"], ["1.6880"], ["1.688", "x"]):
        assert maybe_thousands(column(*cells), ["a"], None) == []
    assert maybe_thousands(column("984", "1.688"), ["a"], Notation(".")) == []
    assert maybe_thousands(column("9" * 18 + ".688"), ["a"], None) == []


def test_a_number_that_does_not_fit_what_is_said_is_refused():
    """The other mark is named where it makes a number of it."""
    assert asked("1.688", decimal=",") == ["give decimal=',' thousands='.' for column 'a', to read '1.688' as 1688"]
    assert asked("1.5", decimal=",") == ["write column 'a' in one notation: '1.5' is not a number with decimal=','"]


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"decimal": ";"}, "give decimal=',' or decimal='.': ';' is neither"),
        ({"thousands": "_"}, "give thousands='.', a comma, 'blank' or 'apostrophe': '_' is none of them"),
        ({"decimal": ",", "thousands": ","}, "give other marks: decimal=',' and thousands=',' are the same"),
    ],
)
def test_other_marks_are_refused(marks, message):
    """By name, with those that there are."""
    with pytest.raises(DataError) as caught:
        said(**marks)
    assert str(caught.value) == message


def german(path, count=40):
    """Write a file as a spreadsheet in Germany does."""
    lines = [f"{1 + k % 3}.{k:03};{k % 7},{k % 4}5;{'fm'[k % 2]};{'ny'[k % 3 > 0]}" for k in range(count)]
    path.write_text("\n".join(["income;rate;sex;ok", *lines]), encoding="utf-8")
    return path


def test_a_spec_of_such_a_file_is_that_of_plain_numbers(tmp_path):
    """The draft asks; told, it makes the very spec of the same numbers written plainly, and says what it read."""
    path = german(tmp_path / "own.csv")
    with pytest.raises(RowsError, match=r"own.csv: give decimal=',' thousands='.' for column '(rate|income)'"):
        draft_file(path, WISHES)
    draft = draft_file(path, Wishes("ok", ("sex",), ("n", "y"), decimal=",", thousands="."))
    rows = [
        {"income": str(1000 * (1 + k % 3) + k), "rate": f"{k % 7}.{k % 4}5", "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]}
        for k in range(40)
    ]
    assert draft.spec.digest == draft_spec("own", rows, WISHES).spec.digest
    assert "numbers were read as they are written: income 1.000 as 1000, rate 0,05 as 0.05" in draft.notes
    ranked = draft_file(path, Wishes("ok", ("sex",), ("n", "y"), categories=("rate", "income"))).spec
    assert {one.kind for one in ranked.features} == {"categorical"}


def test_rows_for_a_spec_are_read_alike(tmp_path):
    """Every reader of rows asks, and reads exactly what it is told, in CSV and JSON."""
    path = german(tmp_path / "own.csv")
    spec = draft_file(path, Wishes("ok", ("sex",), ("n", "y"), decimal=",", thousands=".")).spec
    for read in (read_rows, read_queries):
        with pytest.raises(RowsError, match=r"own.csv: give decimal=',' thousands='.' for column"):
            read(path, spec=spec)
    with written_in(",", "."):
        assert read_rows(path, spec=spec)[1] == {"income": "2001", "rate": "1.15", "sex": "m", "ok": "y"}
        assert read_queries(path, spec)[1] == spec.encode({"income": 2001, "rate": "1.15"})
        assert read_rows(path)[1] == {"income": "2001", "rate": "1.15", "sex": "m", "ok": "y"}
    row = tmp_path / "row.json"
    row.write_text('{"income": 2001, "rate": "1,15", "sex": "m"}')
    with pytest.raises(RowsError, match=r"row.json: give decimal=',' for column 'rate', .* \(first in row 1\)$"):
        read_row(row, spec)
    with written_in(",", None):
        assert read_row(row, spec) == {"income": 2001, "rate": "1.15", "sex": "m"}
    assert said() is None


def test_columns_that_are_no_numbers_of_the_spec_stay(tmp_path):
    """A category and what the spec does not know keep their commas."""
    rows = [{"code": "1,5" if k % 2 else "2,5", "a": k, "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(30)]
    spec = draft_spec("mine", rows, Wishes("ok", ("sex",), categories=("code",))).spec
    assert as_spec([{"code": "1,5", "a": "7,5", "other": "9,9"}], spec, Notation(",")) == [
        {"code": "1,5", "a": "7.5", "other": "9,9"}
    ]


def test_text_among_such_numbers_is_refused_by_row():
    """A column of numbers in another notation and one word is no category."""
    rows = [{"a": f"{k},5", "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(30)]
    rows[6]["a"] = "high"
    with pytest.raises(DataError, match=r"row 7, column 'a': mend it, .*: 'high' is not a number, but others are"):
        draft_spec("mine", rows, WISHES)


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("\u20ac 4.50", "\u20ac{}.25"),
        ("4,50 \u20ac", "{},25 \u20ac"),
        ("$1,200.00", "${}.10"),
        ("EUR 7", "EUR {}"),
        ("(4)", "({})"),
    ],
)
def test_amounts_with_signs_are_asked_about(tmp_path, first, rest):
    """A column of money is never ranked by the alphabet, nor read without a word; called a category it may be."""
    rows = [{"fee": first, "sex": "f", "ok": "y"}]
    rows += [{"fee": rest.format(k), "sex": "fm"[k % 2], "ok": "ny"[k % 3 > 0]} for k in range(1, 40)]
    signs = "without currency signs, plus or parentheses, and negative numbers as -4.5"
    asked = f"write column 'fee' {signs}: it has {first!r}"
    with pytest.raises(DataError, match=f"^{re.escape(asked)}; or call it a category"):
        draft_spec("mine", rows, WISHES)
    domain = draft_spec("mine", rows, Wishes("ok", ("sex",), categories=("fee",))).spec.features[0].domain
    assert first in domain
    spec = draft_spec("mine", [row | {"fee": k} for k, row in enumerate(rows)], WISHES).spec
    with pytest.raises(DataError, match=f"^{re.escape(asked)}.* \\(first in row 1\\)$"):
        as_spec(rows, spec)
