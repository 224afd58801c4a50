"""A draft says of a table what its values say, lists what it guessed, and refuses what contradicts itself."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest
from msgspec import UNSET

from equiproof.certify.data import DataError, load
from equiproof.certify.data.dataset import split_rows
from equiproof.certify.data.draft_columns import MAX_CATEGORIES
from equiproof.certify.data.draft_notes import MAX_CODES
from equiproof.certify.data.rows import RowsError, read_queries
from equiproof.certify.data.spec_draft import draft_file, draft_spec
from equiproof.certify.data.wishes import Wishes
from equiproof.circuits.spec import SpecError


def table(count=40, **columns):
    """Return rows of an income, a job, a sex and a decision; further columns are functions of the row's index."""
    return [
        {
            "income": str(1000 + 37 * index),
            "job": ("clerk", "nurse", "smith")[index % 3],
            "sex": "fm"[index % 2],
            "decision": ("no", "yes")[index % 5 > 1],
            **{name: column(index) for name, column in columns.items()},
        }
        for index in range(count)
    ]


WISHES = Wishes(label="decision", sensitive=("sex",), units={"income": "EUR"})


def wishing(**changes):
    """Return other wishes."""
    return Wishes(**({name: getattr(WISHES, name) for name in Wishes.__dataclass_fields__} | changes))


def test_types_follow_from_the_values():
    """Numbers are scaled, texts ranked, the sensitive column has its values as domain, the label is no feature."""
    spec = draft_spec("mine", table(), WISHES).spec
    assert [(one.name, one.kind, one.encoding, one.sensitive, one.unit, one.domain) for one in spec.features] == [
        ("income", "numeric", "scaled", False, "EUR", ()),
        ("job", "categorical", "rank", False, "", ("clerk", "nurse", "smith")),
        ("sex", "categorical", "rank", True, "", ("f", "m")),
    ]
    assert (spec.labels, spec.logits, spec.name) == (("no", "yes"), 1, "mine")


def test_a_draft_of_a_data_set_is_its_spec():
    """Drafted from the rows of the generated data set, numbers get the very scales that the data set has."""
    data = load("lending")
    rows = [row | {"decision": data.spec.labels[label]} for row, label in zip(data.rows, data.labels, strict=True)]
    draft = draft_spec("lending", rows, Wishes("decision", ("sex",), labels=data.spec.labels))
    assert draft.training == len(data.train)
    assert draft.shares == tuple(map(data.labels.count, (0, 1)))
    drafted = {feature.name: feature for feature in draft.spec.features}
    for feature in data.spec.features:
        if feature.kind == "numeric":
            assert (drafted[feature.name].mean, drafted[feature.name].scale) == (feature.mean, feature.scale)
    assert draft.spec.input_bits == data.spec.input_bits


def test_every_row_encodes():
    """Whatever spelling a number has in the table, the spec reads its rows, CSV texts and JSON numbers alike."""
    rows = table(share=lambda index: f"{index}.50" if index % 2 else str(index), debt=lambda index: Decimal(index) / 8)
    spec = draft_spec("mine", rows, wishing(sensitive=("sex", "debt"))).spec
    assert all(len(spec.encode(row)) == spec.plain_columns for row in rows)
    assert all(len(spec.encode_sensitive(row)) == 2 for row in rows)
    assert spec.sensitive_features[1].domain[:3] == ("0", "0.125", "0.25")


def test_columns_of_codes_and_one_hot_columns_are_wishes():
    """Numbers that are called a category become one, and one-hot goes for all but the sensitive ones."""
    rows = table(region=lambda index: index % 4)
    spec = draft_spec("mine", rows, wishing(categories=("region",), one_hot=True)).spec
    found = {feature.name: (feature.encoding, feature.domain) for feature in spec.features}
    assert found["region"] == ("one-hot", ("0", "1", "2", "3"))
    assert found["job"][0] == "one-hot"
    assert found["sex"][0] == "rank"


def test_several_labels_are_several_logits():
    """Three decisions are three logits, in the order that was named."""
    rows = [row | {"decision": "abc"[index % 3]} for index, row in enumerate(table())]
    spec = draft_spec("mine", rows, wishing(labels=("c", "a", "b"))).spec
    assert (spec.labels, spec.logits) == (("c", "a", "b"), 3)


def test_what_was_guessed_is_told():
    """Missing units, few numbers, alphabetical ranks and labels are notes, and what was wished for is none."""
    rows = table(region=lambda index: index % MAX_CODES)
    notes = draft_spec("mine", rows, wishing(units={})).notes
    for start in (
        "labels stand in alphabetical order (no, yes)",
        "income: a number without a unit",
        "region: 20 distinct",
        "job: is ",
        "marked whole, as in the table: income, region; remove",
        "sensitive: 2 joint values",
    ):
        assert sum(note.startswith(start) for note in notes) == 1
    settled = wishing(labels=("no", "yes"), categories=("region",), one_hot=True)
    assert len(draft_spec("mine", rows, settled).notes) == 2


def test_numbers_without_a_fraction_are_marked_whole():
    """A number is whole where every row has a whole number; a sensitive one lists its values instead."""
    rows = table(share=lambda index: f"{index}.5" if index == 3 else "2", debt=lambda index: index % 3)
    spec = draft_spec("mine", rows, wishing(sensitive=("sex", "debt"))).spec
    assert [feature.name for feature in spec.features if feature.whole is True] == ["income"]


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_missing_values_are_counted_by_column(blank):
    """Every column that lacks a value is named with their number and the first row, the label's column too."""
    for column in ("income", "job", "sex", "decision"):
        rows = table()
        rows[6][column] = rows[9][column] = blank
        with pytest.raises(
            DataError, match=rf"^of 40 rows, values are missing in '{column}' 2, 5.0 % \(first in row 7\): fill"
        ):
            draft_spec("mine", rows, WISHES)
    rows = table()
    rows[6]["income"] = rows[9]["job"] = rows[8]["job"] = blank
    with pytest.raises(
        DataError, match=r"missing in 'job' 2, 5.0 % \(first in row 9\), 'income' 1, 2.5 % \(first in row 7\): "
    ):
        draft_spec("mine", rows, WISHES)
    draft = draft_spec("mine", rows, wishing(leave_out_missing=True))
    assert sum(draft.shares) == 37
    assert draft.notes[0].startswith("3 rows were left out: of 40 rows, values are missing in 'job' 2")
    rows = table()
    rows[6]["income"] = blank
    draft = draft_spec("mine", rows, wishing(leave_out_missing=True))
    assert draft.notes[0].startswith("1 row was left out: of 40 rows, values are missing in 'income' 1")
    rows = table()
    del rows[3]["job"]
    with pytest.raises(DataError, match=r"^row 4, column 'job': not in every row"):
        draft_spec("mine", rows, WISHES)


@pytest.mark.parametrize("word", ["NA", "?", "nan", "None", "-"])
def test_words_for_no_number_are_missing_values(word):
    """Among numbers they are no values; a category may have them as a value, and so may a column that is called one."""
    rows = table(savings=lambda index: word if index == 11 else str(index % 9))
    with pytest.raises(DataError, match=r"missing in 'savings' 1, 2.5 % \(first in row 12\)"):
        draft_spec("mine", rows, WISHES)
    spec = draft_spec("mine", rows, wishing(categories=("savings",))).spec
    assert word in next(feature.domain for feature in spec.features if feature.name == "savings")
    rows = table(home=lambda index: word if index % 4 else "own")
    assert word in next(one.domain for one in draft_spec("mine", rows, WISHES).spec.features if one.name == "home")


def test_dates_are_days_since_a_stated_date(tmp_path):
    """The spec states since when; rows with the date itself are read alike, and what is no date is named."""
    rows = table(opened=lambda index: f"2024-02-{index % 28 + 1:02}")
    spec = draft_spec("mine", rows, wishing(dates={"opened": "2024-01-31"})).spec
    feature = next(one for one in spec.features if one.name == "opened")
    assert (feature.kind, feature.unit, feature.whole, feature.start) == ("numeric", "days", True, "2024-01-31")
    (tmp_path / "row.json").write_text(json.dumps(rows[4]))
    assert read_queries(tmp_path / "row.json", spec) == [spec.encode(rows[4] | {"opened": 5})]
    for value in ("05.02.2024", "02/05/2024", "5 February 2024"):
        (tmp_path / "row.json").write_text(json.dumps(rows[4] | {"opened": value}))
        with pytest.raises(RowsError, match="is not a number; write a date such as 2024-03-31, or its days since"):
            read_queries(tmp_path / "row.json", spec)
    (tmp_path / "row.json").write_text(json.dumps(rows[4] | {"opened": "9999-12-31"}))
    with pytest.raises(RowsError, match=r"scales from the mean, .* hold; its days are counted from 2024-01-31"):
        read_queries(tmp_path / "row.json", spec)
    rows[2]["opened"] = "2024-02-30"
    with pytest.raises(DataError, match=r"row 3, column 'opened': write dates such as 2.*: '2024-02-30' is none"):
        draft_spec("mine", rows, wishing(dates={"opened": "2024-01-31"}))
    with pytest.raises(DataError, match=r"dates: opened='January': want the date to count from"):
        draft_spec("mine", rows, wishing(dates={"opened": "January"}))


def test_a_column_of_dates_is_found():
    """It is counted from 1970, which a note says; a category, a sensitive column, a logarithm and other units none."""
    rows = table(80, opened=lambda index: f"20{index + 10}-02-01T10:00:00" if index else "NA")
    draft = draft_spec("mine", rows, wishing(leave_out_missing=True))
    feature = next(one for one in draft.spec.features if one.name == "opened")
    assert (feature.unit, feature.start) == ("days", "1970-01-01")
    assert any(note.startswith("dates were counted in days from 1970-01-01: opened; if") for note in draft.notes)
    rows = table(opened=lambda index: f"2024-02-0{index % 7 + 1}")
    named = draft_spec("mine", rows, wishing(categories=("opened",))).spec
    assert next(one.kind for one in named.features if one.name == "opened") == "categorical"
    sensitive = draft_spec("mine", rows, wishing(sensitive=("sex", "opened"))).spec
    assert next(one.domain[0] for one in sensitive.features if one.name == "opened") == "2024-02-01"
    with pytest.raises(DataError, match=r"^dates: leave out 'opened', which is sensitive"):
        draft_spec("mine", rows, wishing(sensitive=("sex", "opened"), dates={"opened": "2000-01-01"}))
    for wishes in (wishing(logs={"opened": None}), wishing(units={"opened": "d"})):
        spec = draft_spec("mine", rows, wishes).spec
        assert next(one.start for one in spec.features if one.name == "opened") is UNSET


def test_ranges_of_dates_have_dates_for_ends():
    """Every row lies inside them, the ends included; another number takes no date."""
    rows = table(opened=lambda index: f"2024-02-0{index % 7 + 1}")
    wishes = wishing(dates={"opened": "2024-01-31"}, ranges={"opened": ("2024-02-01", "2024-03-01")})
    spec = draft_spec("mine", rows, wishes).spec
    assert next(one.range for one in spec.features if one.name == "opened") == ("1", "30")
    with pytest.raises(DataError, match="outside 2 to 30"):
        draft_spec("mine", rows, replace(wishes, ranges={"opened": ("2024-02-02", "2024-03-01")}))
    with pytest.raises(SpecError, match="'2024-02-01' is not a decimal number"):
        draft_spec("mine", rows, replace(wishes, ranges={"income": ("2024-02-01", "90000")}))


def test_dates_of_files_with_types_are_found(tmp_path):
    """Parquet has dates and times of its own; an applicant's file has the text."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = table(
        opened=lambda index: date(2024, 2, index % 28 + 1),
        met=lambda index: datetime(1999, 1, index % 28 + 1, 9, tzinfo=UTC),
    )
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "loans.parquet")
    spec = draft_file(tmp_path / "loans.parquet", WISHES).spec
    assert [one.start for one in spec.features if one.name in ("opened", "met")] == ["1970-01-01"] * 2
    (tmp_path / "row.json").write_text(json.dumps(rows[4] | {"opened": "2024-02-05", "met": "1999-01-05"}))
    assert read_queries(tmp_path / "row.json", spec) == [spec.encode(rows[4] | {"opened": 19758, "met": 10596})]


@pytest.mark.parametrize("other", ["14.03.2024", "03/14/2024", "3/4/24", "2024/03/14", "14-03-2024"])
def test_other_notations_of_dates_are_refused(other):
    """None is guessed, even where most dates are in ISO 8601."""
    rows = table(opened=lambda index: other if index == 3 else f"2024-02-0{index % 7 + 1}")
    with pytest.raises(DataError, match=f"write the dates of column 'opened' as 2024-03-31: it has '{other}'"):
        draft_spec("mine", rows, WISHES)
    draft_spec("mine", rows, wishing(categories=("opened",)))


def test_dates_in_another_notation_are_one_problem():
    """More of them than a category can have values are not also called codes to group."""
    first = date(2020, 1, 1)
    rows = table(90, opened=lambda index: f"{first + timedelta(days=index):%d.%m.%Y}")
    with pytest.raises(DataError) as refused:
        draft_spec("mine", rows, WISHES)
    assert str(refused.value) == "write the dates of column 'opened' as 2024-03-31: it has '01.01.2020'"


def test_percentages_are_one_problem():
    """More of them than a category can have values are not also called texts to drop."""
    rows = table(90, rate=lambda index: f"{index / 100:.2f}%")
    with pytest.raises(DataError) as refused:
        draft_spec("mine", rows, WISHES)
    assert str(refused.value).startswith("write column 'rate' without percent signs")
    assert "drop" not in str(refused.value)


def test_two_labels_may_have_two_logits():
    """A model of two logits is said so; three labels have three."""
    assert draft_spec("mine", table(), wishing(logits=2)).spec.logits == 2
    assert draft_spec("mine", table(), wishing(logits=1)).spec.logits == 1
    with pytest.raises(DataError, match="logits: a model of 2 labels has 1 or 2, not 3"):
        draft_spec("mine", table(), wishing(logits=3))


@pytest.mark.parametrize("odd", ["1,000 EUR", "1e333", "ten", "+5", "0x10", "1" * 19])
def test_a_column_that_is_half_a_number_is_refused(odd):
    """One text among numbers is refused by row and column, unless the column is called a category."""
    rows = table(20, savings=lambda index: odd if index == 11 else str(index))
    with pytest.raises(DataError, match=r"^row 12, column 'savings': mend it, .* is not a number, but others are"):
        draft_spec("mine", rows, WISHES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": "y"}, "label: no column is called 'y'; there are income, job, sex, decision"),
        ({"sensitive": ("race",)}, "sensitive: no feature is called 'race'"),
        ({"sensitive": ()}, "no sensitive feature"),
        ({"sensitive": ("sex", "sex")}, "named twice"),
        ({"sensitive": ("decision",)}, "no feature is called 'decision'"),
        ({"dropped": ("sex",)}, "no feature is called 'sex'"),
        ({"dropped": ("id",)}, "drop: no column is called 'id'"),
        ({"units": {"wage": "EUR"}}, "units: no column is called 'wage'"),
        ({"units": {"job": "EUR"}}, "'job' is a category and has no unit"),
        ({"categories": ("code",)}, "categories: no column is called 'code'"),
        ({"labels": ("yes", "maybe")}, "its labels are no, yes, not yes, maybe"),
        ({"labels": ("yes", "yes")}, "its labels are no, yes"),
        ({"label": "sex", "sensitive": ("job",), "units": {"income": "5 EUR"}}, "holds digits"),
    ],
)
def test_wishes_that_do_not_fit_are_refused(changes, message):
    """A name that the table does not have, or a wish that makes no spec, is refused by name."""
    with pytest.raises((DataError, SpecError), match=message):
        draft_spec("mine", table(), wishing(**changes))


def test_tables_without_a_spec_are_refused():
    """Too many texts, too few rows, one label and a sensitive column that never changes make no spec."""
    for rows, message in (
        (table(80, name=lambda index: f"person {index}"), f"80 different texts .* at most {MAX_CATEGORIES}"),
        (table(19), "19 rows; a data set needs at least 20"),
        ([row | {"decision": "yes"} for row in table()], "1 different labels, want 2"),
        ([row | {"sex": "f"} for row in table()], "at least two values"),
        (table(remark=lambda index: 'say "yes"'), "QUOTATION MARK"),
    ):
        with pytest.raises((DataError, SpecError), match=message):
            draft_spec("mine", rows, WISHES)


def skewed(index):
    """Return a number of which most are small: 1.2 to the power of an index, as text."""
    return f"{1000 * 1.2**index:.2f}"


def test_a_number_may_count_by_its_logarithm():
    """Mean and scale are those of the logarithms; 1 is added where 0 occurs, or what is wished for."""
    rows = table(pay=skewed, owed=lambda index: index * index, rate=lambda index: f"{index - 2}")
    spec = draft_spec("mine", rows, wishing(logs={"pay": None, "owed": None, "rate": "2.5"}, units={"pay": "EUR"})).spec
    found = {one.name: one for one in spec.features}
    assert [(found[one].encoding, found[one].offset) for one in ("pay", "owed", "rate")] == [
        ("log", "0"), ("log", "1"), ("log", "2.5"),
    ]  # fmt: skip
    assert (found["pay"].unit, found["owed"].whole, found["income"].encoding) == ("EUR", True, "scaled")
    train, _ = split_rows(len(rows), "mine")
    logarithms = np.log2([float(rows[index]["pay"]) for index in train])
    assert float(found["pay"].mean) == pytest.approx(logarithms.mean(), rel=1e-5)
    assert float(found["pay"].scale) == pytest.approx(logarithms.std(), rel=1e-5)
    assert max(abs(column) for row in rows for column in spec.encode(row)) < 1 << (spec.input_bits - 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"logs": {"rate": None}}, r"add 3 or more to 'rate' \(logarithms={'rate': '3'}\), .* the value -2"),
        ({"logs": {"rate": "2"}}, r"logarithms: add 3 or more .* no logarithm with the offset 2"),
        ({"logs": {"job": None}}, "logarithms: 'job' is a category and has no logarithm"),
        ({"logs": {"none": None}}, "logarithms: no column is called 'none'"),
        ({"logs": {"income": "1e3"}}, "logarithms: offset of 'income'.*1e3"),
        ({"logs": {"income": None}, "ranges": {"income": ("0", "9000")}}, "'income'.* 0 .*logarithm|offset"),
    ],
)  # fmt: skip
def test_what_has_no_logarithm_is_refused_in_one_line(changes, message):
    """Values that are too small, categories, and offsets that are no decimals."""
    with pytest.raises((DataError, SpecError), match=message) as caught:
        draft_spec("mine", table(rate=lambda index: f"{index - 2}"), wishing(**changes))
    assert "\n" not in str(caught.value)


def test_the_logarithm_is_offered_for_numbers_that_it_spreads_evenly():
    """Most values small and a few large: that is said with both figures; of other numbers, nothing."""
    rows = table(pay=skewed, owed=lambda index: 0 if index % 8 else 5000, below=lambda index: -(1.2**index))
    notes = draft_spec("mine", rows, WISHES).notes
    offered = [note for note in notes if "logarithms=" in note]
    said = "pay: most values are small and a few large (skewness 2.0, of the logarithms 0.0); with logarithms=['pay']"
    assert offered == [f"{said} its distances are factors"]
    assert not [note for note in draft_spec("mine", rows, wishing(logs={"pay": None})).notes if "logarithms=" in note]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitive": "sex"}, "write sensitive=['sex'], a list of texts"),
        ({"missing": "income"}, "write missing=['income'], a list of texts"),
        ({"categories": [3]}, "write '3' in categories=, a list of texts"),
    ],
)
def test_columns_are_named_in_lists(given, said):
    """A text would be read as a list of its letters."""
    wishes = Wishes(**{"label": "decision", "sensitive": ["sex"], **given})
    with pytest.raises(DataError, match=f"^{re.escape(said)}"):
        draft_spec("applicants", [{"income": 1, "sex": "m", "decision": "no"}], wishes)


@pytest.mark.parametrize("value", ["not stated", "Keine Angabe"])
def test_a_value_that_reads_as_a_missing_one_is_refused(value):
    """People are told both in the same words; once such cells are empty, they are missing."""
    homes = ["own", value, "rent", "own", "rent", ""] * 4
    rows = [{"home": home, "sex": "mf"[place % 2], "decision": "ny"[place % 3 > 0]} for place, home in enumerate(homes)]
    wishes = Wishes(label="decision", sensitive=["sex"], missing=["home"])
    with pytest.raises(SpecError, match=f"^feature 'home': empty the cells that say '{value}' .*such as") as refused:
        draft_spec("applicants", rows, wishes)
    assert len(str(refused.value)) <= 400
    mended = [row | {"home": "" if row["home"] == value else row["home"]} for row in rows]
    assert draft_spec("applicants", mended, wishes).spec.features[0].domain == ("own", "rent")


def test_null_is_a_missing_value_of_a_category_too(tmp_path):
    """As in a column of numbers: refused with its share, and counted where it may be missing."""
    rows = [row | {"job": None if index % 4 == 0 else row["job"]} for index, row in enumerate(table())]
    path = tmp_path / "applicants.json"
    path.write_text(json.dumps(rows))
    wishes = Wishes(label="decision", sensitive=["sex"])
    with pytest.raises(RowsError, match=r"missing in 'job' 10, 25.0 % \(first in row 1\)"):
        draft_file(path, wishes)
    draft = draft_file(path, replace(wishes, missing=["job"]))
    assert "job: may be missing; 10 of 40 rows lack it, 25.0 %" in draft.notes
    assert draft.spec.features[1].domain == ("clerk", "nurse", "smith")
