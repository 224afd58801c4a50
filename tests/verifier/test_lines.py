"""When an answer, a refusal or a letter says a sentence: by the rows of answers.json, and by nothing else."""

import json
import shutil
from typing import get_args

import msgspec
import pytest

from equiproof.circuits import tables
from equiproof.circuits.tables import TableError
from equiproof.verifier import lines
from equiproof.verifier.answer import Voice, answer
from equiproof.verifier.documents import SetupKind
from equiproof.verifier.letter import Without, plain_letter
from equiproof.verifier.lines import Lines, Row
from equiproof.verifier.reasons import OUTCOMES
from equiproof.verifier.refusal import refusal
from equiproof.verifier.words import Words, table
from tests.said import TABLES
from tests.vectors.generate.words import PINNED, ROW, UNPINNED, lending
from tests.verifier.letters import SENDER, made

SENTENCES = table()["en"]


@pytest.fixture
def change(monkeypatch):
    """A function that gives a part of a document other rows, as a function of its own."""

    def changed(kind, part, of):
        parts = getattr(lines.TABLE, kind)
        rows = {row.say: row for row in parts[part]}
        new = msgspec.structs.replace(lines.TABLE, **{kind: parts | {part: tuple(of(rows))}})
        monkeypatch.setattr(lines, "TABLE", new)

    return changed


def again(row, **fields):
    """Return a row with other fields."""
    return msgspec.structs.replace(row, **fields)


def test_a_row_that_goes_is_no_longer_said(change):
    """The other lines stay as they are."""
    before = answer(lending(ROW))
    change("answer", "checked", lambda rows: [row for name, row in rows.items() if name != "checked.query"])
    after = answer(lending(ROW))
    assert after["checked"] == [line for line in before["checked"] if line != SENTENCES["checked.query"]]
    assert len(after["checked"]) == len(before["checked"]) - 1
    assert after | {"checked": None} == before | {"checked": None}


def test_rows_are_said_in_their_order(change):
    """Turned rows are said in the other order."""
    before = answer(lending(ROW))["never_shown"]
    change("answer", "never_shown", lambda rows: reversed(rows.values()))
    assert answer(lending(ROW))["never_shown"] == before[::-1]


def test_a_condition_decides(change):
    """Another value of a fact, another fact and no fact at all change when a sentence is said."""
    key = SENTENCES["checked.key"]
    assert key in answer(lending(ROW, pins=PINNED))["checked"]
    assert key not in answer(lending(ROW, pins=UNPINNED))["checked"]
    change("answer", "checked", lambda rows: [again(rows["checked.key"], when={"key": ("came",)})])
    assert answer(lending(ROW, pins=PINNED))["checked"] == []
    assert answer(lending(ROW, pins=UNPINNED))["checked"] == [key]
    change("answer", "checked", lambda rows: [again(rows["checked.key"], when={"key": ("came",), "query": ("none",)})])
    assert answer(lending(ROW, pins=UNPINNED))["checked"] == []
    assert answer(lending(pins=UNPINNED))["checked"] == [key]
    change("answer", "checked", lambda rows: [again(rows["checked.key"], when={})])
    assert answer(lending(ROW, pins=PINNED))["checked"] == answer(lending(pins=UNPINNED))["checked"] == [key]


def test_outcome_and_warning_are_those_of_the_row(change):
    """A heading says what it amounts to, and a row whether it warns."""
    change("answer", "heading", lambda rows: [again(row, outcome="open") for row in rows.values()])
    change("answer", "not_checked", lambda rows: [again(row, warning=not row.warning) for row in rows.values()])
    found = answer(lending(ROW, pins=PINNED))
    assert (found["heading"], found["outcome"]) == (SENTENCES["outcome.valid"], "open")
    assert all(line["warning"] for line in found["not_checked"])


def test_parts_that_are_joined(change):
    """A joined sentence goes on with the one before it; a part inside a sentence is a list with "and"."""
    change(
        "answer", "sentences", lambda rows: [again(row, joined=row.say != "decided.lender") for row in rows.values()]
    )
    (whole,) = answer(lending(ROW))["sentences"]
    assert whole.startswith("The lender’s model decided: \u2068refused\u2069. For these details,")
    change("answer", "about", lambda rows: [rows["below.about_model"], rows["below.about_details"]])
    assert answer(lending(ROW))["below"] == ["It is about the model that you named and your details."]


def test_what_counts_for_each_entry_of_a_list(change):
    """A row of a list is said once for each of its entries, and one without a list once."""
    change("answer", "checked", lambda rows: [again(rows["checked.key"], each="sensitive")] * 2)
    assert answer(lending(ROW))["checked"] == [SENTENCES["checked.key"]] * 2


def test_refusals_and_letters_read_the_table_too(change):
    """What a changed row says is another thing there as well."""
    change("refusal", "below", lambda rows: [rows["below.do"]])
    assert refusal("model-differs", "")["below"] == [SENTENCES["below.do"]]
    assert refusal("other-key", "")["below"] == []
    change("letter", "plain", lambda rows: [rows["letter.review"]])
    assert "review by a person" in plain_letter("refused", SENDER, why="none")
    assert "review by a person" not in plain_letter("refused", SENDER, why="person")
    whole = made("ordinary")
    for part, sentence in (("not_said", "not_forged"), ("how", "compare"), ("head", "date"), ("legend", "own")):
        name = f"letter.{sentence}"
        change("letter", part, lambda rows, name=name: [row for row in rows.values() if row.say != name])
        assert len(made("ordinary")) < len(whole), part
        whole = made("ordinary")
    assert SENTENCES["letter.more"].split("{n}")[1] in made("hundreds")
    change("letter", "details", lambda rows: list(rows.values())[:-1])
    assert SENTENCES["letter.more"].split("{n}")[1] not in made("hundreds")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"say": "checked.other"}, "checked: checked.other: no sentence checked.other in words.json"),
        ({"say": "checked.key", "when": {"color": ["came"]}}, "no fact color with the value came"),
        ({"say": "checked.key", "when": {"key": ["came", "gone"]}}, "no fact key with the value gone"),
        ({"say": "checked.key", "each": "others"}, "no list others"),
        ({"say": "below.about", "with": {"part": "about"}}, "no place part for a part about"),
        ({"say": "below.about", "with": {"parts": "plain"}}, "no place parts for a part plain"),
        ({"say": "checked.key", "unless": {}}, "unknown field `unless`"),
        ({"when": {}}, "missing required field `say`"),
        ({"say": "outcome.valid", "outcome": "fine"}, "Invalid enum value 'fine'"),
    ],
)
def test_a_row_that_names_what_is_not_there_is_an_error(tmp_path, monkeypatch, row, message):
    """The table is refused when it is read."""
    document = json.loads((TABLES / "answers.json").read_text())
    document["answer"]["checked"].append(row)
    (tmp_path / "answers.json").write_text(json.dumps(document))
    shutil.copy(TABLES / "words.json", tmp_path)
    monkeypatch.setattr(tables, "path_of", lambda name: tmp_path / f"{name}.json")
    with pytest.raises(TableError, match=rf"answers\.json: .*{message}"):
        lines.read()


@pytest.mark.parametrize("facts", [{"color": "red"}, {"key": "gone"}])
def test_a_fact_that_the_table_lacks_is_an_error(facts):
    """What a program computes is one of the values that rows may ask for."""
    with pytest.raises(TableError, match=r"answers\.json: no fact (color|key) with the value (red|gone)"):
        Lines("answer", Words("en"), facts)


def test_facts_are_those_of_the_types():
    """A fact that is a type too has its values, and each fact is asked for by a row."""
    facts = lines.TABLE.facts
    assert facts["voice"] == get_args(Voice)
    assert facts["why"] == get_args(Without)
    assert set(facts["setup"]) == set(facts["key"]) - {"came"} == set(get_args(SetupKind))
    assert set(facts["shown"]) == set(OUTCOMES)
    assert set(facts["outcome"]) == set(OUTCOMES.values())
    kinds = (lines.TABLE.answer, lines.TABLE.refusal, lines.TABLE.letter)
    rows: list[Row] = [row for parts in kinds for part in parts.values() for row in part]
    assert {fact for row in rows for fact in row.when} == set(facts)
    assert {row.each for row in rows if row.each} == set(lines.TABLE.lists)
    assert {row.say for row in rows if row.outcome} == {row.say for row in lines.TABLE.answer["heading"]}
