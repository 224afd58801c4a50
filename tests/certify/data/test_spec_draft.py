"""A draft says of a table what its values say, lists what it guessed, and refuses what contradicts itself."""

from decimal import Decimal

import pytest

from equiproof.certify.data import DataError, load
from equiproof.certify.data.spec_draft import FEW_NUMBERS, MAX_CATEGORIES, Wishes, draft_spec
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
    rows = table(region=lambda index: index % FEW_NUMBERS)
    notes = draft_spec("mine", rows, wishing(units={})).notes
    for start in (
        "labels stand in alphabetical order (no, yes)",
        "income: a number without a unit",
        "region: 6 distinct",
        "job: ranked in alphabetical order",
        "sensitive: 2 joint values",
    ):
        assert sum(note.startswith(start) for note in notes) == 1
    settled = wishing(labels=("no", "yes"), categories=("region",), one_hot=True)
    assert len(draft_spec("mine", rows, settled).notes) == 1


@pytest.mark.parametrize("blank", ["", "  ", "\t"])
def test_missing_values_are_refused_by_row_and_column(blank):
    """A value that is missing is named by its row and column, in the label's column too."""
    for column in ("income", "job", "sex", "decision"):
        rows = table()
        rows[6][column] = blank
        with pytest.raises(DataError, match=rf"^row 7, column '{column}': no value"):
            draft_spec("mine", rows, WISHES)
    rows = table()
    del rows[3]["job"]
    with pytest.raises(DataError, match=r"^row 4, column 'job': not in every row"):
        draft_spec("mine", rows, WISHES)


@pytest.mark.parametrize("odd", ["NA", "?", "1,000", "1e3", "nan", "+5", "0x10", " 7", "1" * 19])
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
