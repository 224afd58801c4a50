"""A draft says of a table what its values say, lists what it guessed, and refuses what contradicts itself."""

import json
from decimal import Decimal

import numpy as np
import pytest

from equiproof.certify.data import DataError, load
from equiproof.certify.data.cleaning import in_days
from equiproof.certify.data.dataset import split_rows
from equiproof.certify.data.draft_columns import MAX_CATEGORIES
from equiproof.certify.data.draft_notes import MAX_CODES
from equiproof.certify.data.rows import read_queries
from equiproof.certify.data.spec_draft import draft_spec
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
            DataError, match=rf"^of 40 rows, values are missing in '{column}' 2 \(first in row 7\): fill"
        ):
            draft_spec("mine", rows, WISHES)
    rows = table()
    rows[6]["income"] = rows[9]["job"] = rows[8]["job"] = blank
    with pytest.raises(DataError, match=r"missing in 'job' 2 \(first in row 9\), 'income' 1 \(first in row 7\): "):
        draft_spec("mine", rows, WISHES)
    draft = draft_spec("mine", rows, wishing(leave_out_missing=True))
    assert sum(draft.shares) == 37
    assert draft.notes[0].startswith("3 rows were left out: of 40 rows, values are missing in 'job' 2")
    rows = table()
    del rows[3]["job"]
    with pytest.raises(DataError, match=r"^row 4, column 'job': not in every row"):
        draft_spec("mine", rows, WISHES)


@pytest.mark.parametrize("word", ["NA", "?", "nan", "None", "-"])
def test_words_for_no_number_are_missing_values(word):
    """Among numbers they are no values; a category may have them as a value, and so may a column that is called one."""
    rows = table(savings=lambda index: word if index == 11 else str(index % 9))
    with pytest.raises(DataError, match=r"missing in 'savings' 1 \(first in row 12\)"):
        draft_spec("mine", rows, WISHES)
    spec = draft_spec("mine", rows, wishing(categories=("savings",))).spec
    assert word in next(feature.domain for feature in spec.features if feature.name == "savings")
    rows = table(home=lambda index: word if index % 4 else "own")
    assert word in next(one.domain for one in draft_spec("mine", rows, WISHES).spec.features if one.name == "home")


def test_dates_are_days_since_a_stated_date(tmp_path):
    """The feature's name says since when; rows with the date itself are read alike, and what is no date is named."""
    rows = table(opened=lambda index: f"2024-02-{index % 28 + 1:02}")
    spec = draft_spec("mine", rows, wishing(dates={"opened": "2024-01-31"})).spec
    feature = next(one for one in spec.features if one.name == "opened in days since 2024-01-31")
    assert (feature.kind, feature.unit) == ("numeric", "days")
    (tmp_path / "row.json").write_text(json.dumps(rows[4]))
    assert read_queries(tmp_path / "row.json", spec) == [spec.encode(rows[4] | {feature.name: 5})]
    rows[2]["opened"] = "2024-02-30"
    with pytest.raises(DataError, match=r"row 3, column 'opened': '2024-02-30' is not a date such as 2024-03-31"):
        draft_spec("mine", rows, wishing(dates={"opened": "2024-01-31"}))
    with pytest.raises(DataError, match=r"dates: opened='January': want the date to count from"):
        draft_spec("mine", rows, wishing(dates={"opened": "January"}))


def test_rows_have_the_date_itself_or_the_days():
    """A date becomes days; what is no date is kept under the feature's name, and refused by whoever encodes it."""
    name = "opened in days since 2024-01-31"
    assert in_days({"opened": "2024-02-02", "a": 1}, ["a", name]) == {"a": 1, name: 2}
    assert in_days({name: 5}, [name]) == {name: 5}
    assert in_days({"opened": "31.12.2024"}, [name]) == {name: "31.12.2024"}
    assert in_days({"opened": "2024-02-02"}, ["a"]) == {"opened": "2024-02-02"}


def test_many_dates_in_a_column_are_told():
    """A column of dates is no category: the message says how to make a number of it."""
    rows = table(80, opened=lambda index: f"20{index + 10}-02-01T10:00:00")
    with pytest.raises(DataError, match=r"column 'opened': dates; .*dates={'opened': '2000-01-01'}"):
        draft_spec("mine", rows, WISHES)


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
    with pytest.raises(DataError, match=r"^row 12, column 'savings': .* is not a number, but others are; "):
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
