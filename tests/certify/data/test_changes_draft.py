"""Drafted rules of change guess little, are told, and are rules that a spec can have."""

from decimal import Decimal

import pytest
from msgspec import UNSET

from equiproof.certify.data import load
from equiproof.certify.data.spec_draft import draft_spec
from equiproof.certify.data.wishes import Wishes
from equiproof.circuits.changes import Changes
from equiproof.circuits.spec import checked


def table(**columns):
    """Return rows of a sex, a decision and further columns, functions of the row's index."""
    return [
        {"sex": "fm"[index % 2], "decision": ("no", "yes")[index % 5 > 1]}
        | {name: column(index) for name, column in columns.items()}
        for index in range(40)
    ]


def drafted(rows, **wishes):
    """Return a draft with rules of change."""
    return draft_spec("mine", rows, Wishes(**{"label": "decision", "sensitive": ("sex",), "changes": True} | wishes))


def rules(draft):
    """Return the rules of a draft by feature; None for those that are fixed."""
    return {one.name: None if one.changes is UNSET else one.changes for one in draft.spec.features}


def test_what_is_guessed():
    """Ages go up, histories and dates are fixed, numbers stay among those of the table, and categories are free."""
    draft = drafted(
        table(
            income=lambda row: 1013 + 37 * row, age=lambda row: 20 + row, credit_history=lambda row: "abc"[row % 3],
            DefaultsBefore=lambda row: row % 4, Opened=lambda row: f"2020-01-{row % 28 + 1:02d}",
            job=lambda row: ("clerk", "nurse")[row % 2], wage=lambda row: f"{row % 7}.5", same=lambda row: 5,
        )
    )  # fmt: skip
    found = rules(draft)
    assert found["sex"] is None
    assert found["income"] == Changes("any", step="10", start="1020", to="2450")
    assert found["age"] == Changes("up", step="1", to="59")
    assert found["credit_history"] is found["Opened"] is found["DefaultsBefore"] is None
    assert found["job"] == Changes("any")
    assert found["wage"] == Changes("any", step="1", start="1", to="6")
    assert found["same"] is None
    assert "may only go up: age; take changes away from what nobody can change" in draft.notes
    assert any("fixed, as history or dates" in note and "credit_history" in note for note in draft.notes)
    assert any("in any direction among the values of the table: income, job, wage" in note for note in draft.notes)
    assert all(len(note) <= 400 for note in draft.notes)


def test_without_the_wish_nothing_is_drafted():
    """A spec that nobody asked rules of has none, and nothing is said of them."""
    draft = drafted(table(income=lambda row: row), changes=False)
    assert not draft.spec.has_changes
    assert not any("may change" in note for note in draft.notes)


@pytest.mark.parametrize(
    "options", [{"one_hot": True}, {"ranges": {"income": ("0", "5000")}}, {"logs": {"income": None}}]
)
def test_drafts_of_all_kinds_are_specs(options):
    """Whatever the encodings are, the rules are ones that a spec can have."""
    rows = table(income=lambda row: Decimal("1000.25") + 37 * row, job=lambda row: ("a", "b", "c")[row % 3])
    spec = drafted(rows, **options).spec
    assert checked(spec) is spec
    assert rules(drafted(rows, **options))["income"].direction == "any"


def test_missing_values_are_left_aside():
    """The ends of a number are those of the values that are stated."""
    rows = table(income=lambda row: None if row % 3 == 0 else 1000 + row)
    draft = drafted(rows, missing=("income",))
    assert rules(draft)["income"] == Changes("any", step="1", start="1001", to="1038")


def test_a_generated_table():
    """Of a table of many rows, too, the rules can be had, and its sensitive feature has none."""
    data = load("lending")
    rows = [row | {"decision": data.spec.labels[label]} for row, label in zip(data.rows, data.labels, strict=True)]
    draft = drafted(rows)
    assert draft.spec.has_changes
    assert all(one.changes is UNSET for one in draft.spec.sensitive_features)
