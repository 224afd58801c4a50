"""The rows of reports.json: which sentences are said, and what a reader refuses."""

import json

import pytest

from equiproof.circuits import tables
from equiproof.circuits.tables import TableError
from equiproof.verifier import reports
from equiproof.verifier.reports import said

TABLE = json.loads(tables.path_of("reports").read_text(encoding="utf-8"))


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """A function that has the table read with another row."""

    def change(row):
        own = {**TABLE, "many": {**TABLE["many"], "out": [row]}}
        for name in ("messages", "words", "answers"):
            (tmp_path / f"{name}.json").write_bytes(tables.path_of(name).read_bytes())
        (tmp_path / "reports.json").write_text(json.dumps(own))
        monkeypatch.setattr(tables, "path_of", lambda name: tmp_path / f"{name}.json")
        reports.table.cache_clear()

    yield change
    reports.table.cache_clear()


def test_rows_are_said_in_their_order():
    """A row counts where each of its facts has one of its values; values go into the places that have their names."""
    values = {"verified": 3, "total": 4, "count": 2}
    assert said("many", "verified", {"kind": "certificates", "same": "none"}, **values) == [
        "VERIFIED 3 of 4 certificates"
    ]
    assert said("many", "verified", {"kind": "certificates", "same": "some"}, **values) == [
        "VERIFIED 3 of 4 certificates",
        "only 2 different: the others state the same as one of these",
    ]
    assert said("many", "out", {"out": "none"}) == []


@pytest.mark.parametrize("kind", ["lot", "many"])
def test_each_part_says_something(kind):
    """Of each part, every row is said with some facts: none is there for nothing."""
    for part, rows in TABLE[kind].items():
        for row in rows:
            facts = {name: values[0] for name, values in TABLE["facts"].items()}
            facts |= {name: values[0] for name, values in row.get("when", {}).items()}
            values = dict.fromkeys(tables.places_of(row["say"]), "x")
            others = {place: "x" for other in rows for place in tables.places_of(other["say"])}
            assert tables.say(row["say"], **values) in said(kind, part, facts, **others), (part, row)


@pytest.mark.parametrize(
    ("part", "facts", "values", "message"),
    [
        ("outs", {"out": "given"}, {"path": "x"}, "no part outs"),
        ("out", {"out": "taken"}, {"path": "x"}, "no fact out with the value taken"),
        ("out", {"outs": "given"}, {"path": "x"}, "no fact outs with the value given"),
        ("out", {"out": "given"}, {}, "the places are path; values are given for none"),
    ],
)
def test_a_call_that_does_not_fit_is_an_error(part, facts, values, message):
    """Parts, facts and values that no table has are mistakes of the caller."""
    with pytest.raises(TableError, match=message):
        said("many", part, facts, **values)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"say": "many.other"}, "reports.json: out: many.other: no sentence many.other"),
        ({"say": "many.verified", "when": {"color": ["red"]}}, "no fact color with the value red"),
        ({"say": "many.verified", "when": {"out": ["given", "gone"]}}, "no fact out with the value gone"),
        ({"say": "many.verified", "unless": {}}, "unknown field `unless`"),
        ({"when": {}}, "missing required field `say`"),
    ],
)
def test_a_row_that_names_nothing_is_an_error(changed, row, message):
    """What a row names must be there, and nothing else stands in it."""
    changed(row)
    with pytest.raises(TableError, match=message):
        reports.table()


def test_facts_have_two_values():
    """How many, whether, and what was given."""
    assert [reports.some(number) for number in (0, 1, 2)] == ["none", "some", "some"]
    assert [reports.yes(one) for one in (False, "", True, "x")] == ["no", "no", "yes", "yes"]
    assert [reports.given(one) for one in (None, b"", "x")] == ["none", "none", "given"]
