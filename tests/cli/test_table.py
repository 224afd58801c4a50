"""`equiproof table`: an auditor's journey on both sides, the files in between, and every mistake in one line."""

import csv
import json
import re
import shutil

import pytest

from equiproof.certify.data import load
from equiproof.circuits.canonical import canonical_bytes
from equiproof.cli.commands import table as commands
from equiproof.prover import Opening
from equiproof.verifier.table_files import load_answer, load_challenge

ROWS, CELLS = 40, 4
"""The rows and cells of a proof: fewer rows than the table has, so that it has two parts."""

ASKED = 70

OPTIONS = {
    "setup": {"--opening", "--keys", "--rows", "--cells", "--owner-secret", "--force", "--json"},
    "challenge": {"--commitment", "--groups", "--labels", "--context", "--least-group", "--out", "--force", "--json"},
    "prove": {"--opening", "--keys", "--least-group", "--out", "--owner-secret", "--force", "--json"},
    "verify": {
        "--challenge", "--commitment", "--keys", "--label", "--least-rows", "--least-group", "--min-impact",
        "--max-odds-difference", "--link", "--html", "--force", "--checker", "--language", "--json",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def data():
    """The generated data set, whose model is the world's."""
    return load("lending")


def write_table(path, data, places, **changed):
    """Write rows with their true labels as a CSV file; `changed` has a new value of a column by the row's number."""
    names = [feature.name for feature in data.spec.features]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "truth"])
        for number, place in enumerate(places, start=1):
            row = dict(data.rows[place]) | {"truth": data.spec.labels[data.labels[place]]}
            row |= {name: value for name, (at, value) in changed.items() if at == number}
            writer.writerow([row[name] for name in (*names, "truth")])
    return path


class Audit:
    """A folder with what an auditor and an owner have, and the words of their commands."""

    def __init__(self, folder, world):
        self.folder, self.world = folder, world
        self.keys, self.table, self.asked = folder / "keys", folder / "rows.csv", folder / "challenge.json"
        self.answer = folder / "owner" / "answer.json"

    @property
    def opening(self):
        return self.folder / "owner" / "opening.json"

    def setup(self, *more):
        return ["table", "setup", "--opening", self.opening, "--keys", self.keys, *more]

    def challenge(self, *more, table=None, out=None, groups="sex"):
        at = ["--commitment", self.world.commitment, "--groups", groups, "--out", out or self.asked]
        return ["table", "challenge", table or self.table, *at, *more]

    def prove(self, *more, asked=None, out=None):
        at = ["--opening", self.opening, "--keys", self.keys, "--out", out or self.answer]
        return ["table", "prove", asked or self.asked, *at, *more]

    def verify(self, *more, answer=None, asked=None):
        at = ["--challenge", asked or self.asked, "--commitment", self.world.commitment, "--keys", self.keys]
        return ["table", "verify", answer or self.answer, *at, *more]


@pytest.fixture(scope="module")
def audit(world, data, tmp_path_factory):
    """A finished audit: keys, a challenge with true labels, and its answer with the link beside it."""
    from tests.cli.world import command

    made = Audit(tmp_path_factory.mktemp("audit"), world)
    made.answer.parent.mkdir()
    shutil.copy(world.opening, made.opening)
    write_table(made.table, data, data.test[:ASKED])
    for words in (
        made.setup("--rows", ROWS, "--cells", CELLS),
        made.challenge("--labels", "truth", "--least-group", 2),
        made.prove("--least-group", 2),
    ):
        outcome = command(*words)
        assert outcome.code == 0, outcome.err
    return made


def changed(path, out, **fields):
    """Write a file with some fields changed, in canonical JSON."""
    out.write_bytes(canonical_bytes(json.loads(path.read_bytes()) | fields))
    return out


def predicted(data, opening: Opening):
    """Count decisions one row at a time, in plaintext: rows and grants by group and true label."""
    found = {}
    for place in data.test[:ASKED]:
        row, spec = data.rows[place], opening.spec
        decision = opening.network.decide(spec.encode(row) + spec.encode_sensitive(row))
        cell = row["sex"], spec.labels[data.labels[place]]
        rows, granted = found.get(cell, (0, 0))
        found[cell] = rows + 1, granted + (decision == 1)
    return found


def test_the_commands_have_these_options():
    """Every option is listed here, and no other."""
    import typer

    group = typer.main.get_command(commands.app)
    found = {
        name: {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
        for name, command in group.commands.items()
    }
    assert found == OPTIONS


@pytest.mark.parametrize("checker", ["native", "python"])
def test_counts_are_those_of_plain_predictions(cli, audit, data, world, checker):
    """Both programs say so; shares are exact, and equal to those of decisions made one at a time."""
    document = cli(*audit.verify("--checker", checker, "--json")).document
    exact = predicted(data, world.owned)
    for (sex, truth), (rows, granted) in exact.items():
        cell = document["true_labels"][truth][sex]
        assert (cell["rows"], cell["counted"], cell["tied"]) == (rows, granted, 0)
    assert document["rows"] == ASKED
    assert document["checker"] == checker
    assert len(load_answer(audit.answer).parts) == 2
    rates = {}
    for sex in ("female", "male"):
        rows, granted = (sum(one[at] for (group, _), one in exact.items() if group == sex) for at in (0, 1))
        rates[sex] = granted / rows
        assert document["groups"][sex]["counted"] == granted
    top, bottom = map(int, document["disparate_impact"].split("/"))
    assert top / bottom == pytest.approx(min(rates.values()) / max(rates.values()))


def test_the_other_label_is_counted_as_well(cli, audit, world):
    """Rows that are not granted are those of the first label, but for ties."""
    refused, granted = world.owned.spec.labels
    first = cli(*audit.verify("--label", refused, "--json")).document["groups"]
    second = cli(*audit.verify("--label", granted, "--json")).document["groups"]
    for name, group in first.items():
        assert group["counted"] + second[name]["counted"] + group["tied"] == group["rows"]


def test_the_text_has_counts_rates_and_what_stays_open(cli, audit):
    """People read each group's counts, and that intervals are of a population, not of the proof."""
    outcome = cli(*audit.verify())
    assert outcome.code == 0
    assert f"decides {ASKED} rows, counted by sex" in outcome.out
    assert "disparate impact" in outcome.out
    assert "in a population" in outcome.out
    assert "a single party ran its set-up" in outcome.out.partition("not checked:")[2]


def test_the_text_in_german(cli, audit):
    """Counts, demands and what stays open; shares have a comma."""
    outcome = cli(*audit.verify("--language", "de", "--min-impact", "1"))
    assert outcome.code == 1
    for words in (
        "VERIFIZIERT wie das festgelegte Modell",
        "Anteil 0,",
        "NICHT ERFÜLLT: Disparate Impact mindestens 1",
    ):
        assert words in outcome.out, words
    assert " rate " not in outcome.out
    cli(*audit.verify("--language", "fr")).complaint(2, "--language")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_page_has_the_counts_and_nothing_that_runs(cli, audit, tmp_path, language):
    """One file without scripts or requests, with a bar for each group; it is not overwritten unasked."""
    page = tmp_path / "page.html"
    words = audit.verify("--html", page, "--language", language, "--min-impact", "1")
    outcome = cli(*words)
    text = page.read_text(encoding="utf-8")
    assert outcome.code == 1
    assert str(page) in outcome.out
    assert f'<html lang="{language}">' in text
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert text.count('<rect class="rate"') == 2 + CELLS
    for group in cli(*audit.verify("--json")).document["groups"].values():
        assert re.search(rf">{group['counted']} (of|von) {group['rows']},", text)
    assert 'class="unmet"' in text
    cli(*words).complaint(2, page)
    assert cli(*words, "--force").code == 1


@pytest.mark.parametrize(
    ("words", "met"),
    [
        (("--min-impact", "0"), True),
        (("--min-impact", "1"), False),
        (("--max-odds-difference", "1"), True),
        (("--max-odds-difference", "0"), False),
        (("--least-rows", ASKED), True),
        (("--least-rows", ASKED + 1), False),
        (("--least-group", 2), True),
        (("--least-group", ASKED), False),
    ],
)
def test_demands_are_met_or_not(cli, audit, words, met):
    """What is not met is said beside the counts, which hold all the same, and the code is that of a refusal."""
    outcome = cli(*audit.verify(*words))
    assert outcome.code == (0 if met else 1)
    assert ("NOT MET: " in outcome.out) is not met
    document = cli(*audit.verify(*words, "--json")).document
    assert [one["met"] for one in document["demands"]] == [met]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--min-impact", "1.5"), "--min-impact: want a number from 0 to 1"),
        (("--max-odds-difference", "x"), "--max-odds-difference: want a number from 0 to 1"),
        (("--label", "maybe"), "--label: want one of"),
    ],
)
def test_demands_that_make_no_sense_are_refused(cli, audit, words, named):
    """In one line, before anything is verified."""
    cli(*audit.verify(*words)).complaint(2, named)


def test_odds_need_true_labels(cli, audit, tmp_path):
    """A challenge without labels has no equalized odds; its counts are proven under the same key."""
    asked, answer = tmp_path / "challenge.json", audit.folder / "owner" / "unlabelled.json"
    assert cli(*audit.challenge("--least-group", 2, out=asked)).code == 0
    assert cli(*audit.prove("--least-group", 2, asked=asked, out=answer)).code == 0
    assert "odds" not in cli(*audit.verify(answer=answer, asked=asked)).out
    cli(*audit.verify("--max-odds-difference", "0.1", answer=answer, asked=asked)).complaint(2, "no true labels")


def moved(audit, tmp_path, **fields):
    """Return an answer with some fields changed, beside the link."""
    shutil.copy(audit.answer.parent / "link.json", tmp_path / "link.json")
    return changed(audit.answer, tmp_path / "answer.json", **fields)


@pytest.mark.parametrize("name", ["granted", "tied"])
def test_other_counts_are_refused(cli, audit, tmp_path, name):
    """A grant more, or one moved from one group to another."""
    counts = list(getattr(load_answer(audit.answer), name))
    counts[0] += 1
    more = moved(audit, tmp_path, **{name: counts})
    cli(*audit.verify(answer=more)).complaint(1, "other counts than those claimed")
    counts[1] -= 1
    if min(counts) >= 0:
        cli(*audit.verify(answer=moved(audit, tmp_path, **{name: counts}))).complaint(1, "other counts")


def test_parts_left_out_doubled_or_exchanged_are_refused(cli, audit, tmp_path):
    """Each part is proven once, in the order of the rows."""
    first, second = json.loads(audit.answer.read_bytes())["parts"]
    for parts in ([first], [second], [first, second, second]):
        cli(*audit.verify(answer=moved(audit, tmp_path, parts=parts))).complaint(1, "a proof of each part")
    cli(*audit.verify(answer=moved(audit, tmp_path, parts=[second, first]))).complaint(1, "goes on from other counts")
    spliced = [first, second | {"proof": first["proof"]}]
    cli(*audit.verify(answer=moved(audit, tmp_path, parts=spliced))).complaint(1, "refused: ")


def test_an_answer_to_another_table_is_refused(cli, audit, data, tmp_path):
    """One digit of one row changes the challenge; a liar who names the new one has no proof of it."""
    table = write_table(tmp_path / "rows.csv", data, data.test[:ASKED], income=(7, "9999"))
    asked = tmp_path / "challenge.json"
    assert cli(*audit.challenge("--labels", "truth", "--least-group", 2, table=table, out=asked)).code == 0
    cli(*audit.verify(asked=asked)).complaint(1, "it is to another one")
    renamed = moved(audit, tmp_path, challenge=load_challenge(asked).digest)
    cli(*audit.verify(asked=asked, answer=renamed)).complaint(1, "refused: ")


def renamed(audit, out, **fields):
    """Write another challenge about the same rows of integers, and the answer under its digest."""
    asked = changed(audit.asked, out / "challenge.json", **fields)
    return {"asked": asked, "answer": moved(audit, out, challenge=load_challenge(asked).digest)}


def other_readings(asked):
    """Return, by lie, what a third person could be shown instead of the challenge that was answered."""
    cells, rows, income = asked["cells"], asked["rows"], asked["columns"].index("income")
    labels = sorted({one["label"] for one in cells})
    exchanged = [one | {"label": labels[one["label"] == labels[0]]} for one in cells]
    others = [one | {"values": ["male" if one["values"] == ["female"] else "female"]} for one in cells]
    longer = [*rows[0][:income], rows[0][income] + ".0", *rows[0][income + 1 :]]
    return {
        "true labels exchanged": {"cells": exchanged},
        "true labels of one group exchanged": {
            "cells": [new if new["values"] == ["female"] else old for new, old in zip(exchanged, cells, strict=True)]
        },
        "groups by another column": {"by": ["Sex"], "cells": others},
        "another column of true labels": {"label": "paid"},
        "a value in other digits": {"rows": [longer, *rows[1:]]},
        "a smaller least group": {"least_group": 1},
    }


READINGS = (
    "true labels exchanged", "true labels of one group exchanged", "groups by another column",
    "another column of true labels", "a value in other digits", "a smaller least group",
)  # fmt: skip


@pytest.mark.parametrize("lie", READINGS)
def test_counts_are_proven_under_the_names_of_their_challenge(cli, audit, tmp_path, lie):
    """Proofs state the digest of the whole challenge: nobody shows them with other names beside the same integers."""
    readings = other_readings(json.loads(audit.asked.read_bytes()))
    assert set(readings) == set(READINGS)
    cli(*audit.verify(**renamed(audit, tmp_path, **readings[lie]))).complaint(1, "refused: ")


@pytest.mark.parametrize("label", ["granted ", "Granted", "approved"])
def test_true_labels_are_those_of_the_spec(cli, audit, tmp_path, label):
    """In a label of its own a group is compared with none, and odds would seem equal."""
    cells = [
        one | {"label": label} if (one["values"], one["label"]) == (["female"], "granted") else one
        for one in json.loads(audit.asked.read_bytes())["cells"]
    ]
    asked = renamed(audit, tmp_path, cells=cells)
    cli(*audit.verify(**asked)).complaint(2, asked["asked"], "field cells", label)
    words = audit.prove("--least-group", 1, asked=asked["asked"], out=tmp_path / "a.json")
    cli(*words).complaint(2, asked["asked"], "field cells", label)


def answered(cli, audit, folder, rows, groups):
    """Ask about rows, answer, and return the words that verify, with the strictest demands."""
    table, asked, answer = folder / "rows.json", folder / "challenge.json", folder / "answer.json"
    table.write_text(json.dumps(rows))
    words = audit.challenge("--labels", "truth", "--least-group", 1, table=table, groups=groups, out=asked)
    assert cli(*words).code == 0
    assert cli(*audit.prove("--least-group", 1, asked=asked, out=answer)).code == 0
    shutil.copy(audit.answer.parent / "link.json", folder / "link.json")
    return audit.verify("--min-impact", 0, "--max-odds-difference", 1, "--json", asked=asked, answer=answer)


def labelled(data, places):
    """Return rows with their true labels, and a column in which all are alike."""
    labels = data.spec.labels
    return [dict(data.rows[at]) | {"truth": labels[data.labels[at]], "all": "everybody"} for at in places]


def test_one_group_alone_meets_no_demand(cli, audit, data, tmp_path):
    """It is compared with none: neither share is known."""
    outcome = cli(*answered(cli, audit, tmp_path, labelled(data, data.test[:30]), "all"))
    assert outcome.code == 1
    assert outcome.document["disparate_impact"] is outcome.document["odds_difference"] is None
    assert [one["met"] for one in outcome.document["demands"]] == [False, False]


@pytest.mark.parametrize("kept", [{("female", 1), ("male", 0)}, {("female", 0), ("female", 1), ("male", 1)},
                                  {("female", 1), ("male", 1)}])  # fmt: skip
def test_odds_need_rows_of_each_group_and_label(cli, audit, data, tmp_path, kept):
    """Who leaves a group's rows of one label out has no equalized odds; disparate impact is known all the same."""
    own = [at for at in data.test[:ASKED] if (data.rows[at]["sex"], data.labels[at]) in kept]
    outcome = cli(*answered(cli, audit, tmp_path, labelled(data, own), "sex"))
    assert outcome.code == 1
    assert outcome.document["odds_difference"] is None
    assert [one["met"] for one in outcome.document["demands"]] == [True, False]


def test_an_answer_without_its_link_is_refused(cli, audit, tmp_path):
    """The link shows whose model was counted."""
    alone = changed(audit.answer, tmp_path / "answer.json")
    cli(*audit.verify(answer=alone)).complaint(1, "link")


def test_the_link_of_the_commitment_is_taken(cli, audit, world, tmp_path):
    """A link of the same key, of another model of one architecture, is not in the way beside the commitment."""
    model = tmp_path / "model"
    model.mkdir()
    commitment = shutil.copy(world.commitment, model / "commitment.json")
    changed(audit.answer.parent / "link.json", model / "link.json", model_commitment="1".zfill(64))
    words = ["--challenge", audit.asked, "--commitment", commitment, "--keys", audit.keys]
    assert cli("table", "verify", audit.answer, *words).code == 0
    alone = changed(audit.answer, tmp_path / "answer.json")
    cli("table", "verify", alone, *words).complaint(1, "about another model commitment")


def test_an_answer_under_an_untrusted_key_is_refused(cli, audit, world):
    """A folder of other keys is no reason to trust this one."""
    words = ["--challenge", audit.asked, "--commitment", world.commitment, "--keys", world.keys]
    cli("table", "verify", audit.answer, *words).complaint(1, "key")


def test_a_challenge_about_another_model_is_not_answered(cli, audit, tmp_path):
    """Nor one under another spec."""
    for name, said in {"model_commitment": "the model that is asked about", "spec_digest": "this model's spec"}.items():
        asked = changed(audit.asked, tmp_path / "challenge.json", **{name: "1".zfill(64)})
        cli(*audit.prove(asked=asked, out=tmp_path / "answer.json")).complaint(2, asked, said)
        cli(*audit.verify(asked=asked)).complaint(1, "another")
    assert not (tmp_path / "answer.json").exists()


def test_small_groups_are_refused_on_both_sides(cli, audit, tmp_path):
    """Counts of few rows tell of the model: neither side has to ask or answer."""
    out = tmp_path / "challenge.json"
    cli(*audit.challenge("--labels", "truth", "--least-group", ASKED, out=out)).complaint(2, "join it", "rows")
    cli(*audit.prove("--least-group", ASKED, out=out)).complaint(2, "ask for larger groups", "different rows")
    assert not out.exists()


def test_groups_that_differ_by_spaces_are_refused(cli, audit, data, tmp_path):
    """A report would show one name twice."""
    table, out = tmp_path / "rows.json", tmp_path / "challenge.json"
    # Spaces at the ends of values of a table are none to begin with.
    rows = [dict(data.rows[at]) | {"branch": "far" + " " * (1 + at % 2) + "north"} for at in data.test[:ASKED]]
    table.write_text(json.dumps(rows))
    words = audit.challenge("--least-group", 1, table=table, groups="branch", out=out)
    cli(*words).complaint(2, "two groups read alike")
    for names in (("north", "north "), (" north", "north"), ("far  north", "far north")):
        cells = [
            one | {"values": [names[one["values"] == ["male"]]]}
            for one in json.loads(audit.asked.read_bytes())["cells"]
        ]
        asked = changed(audit.asked, out, by=["branch"], cells=cells)
        cli(*audit.prove("--least-group", 1, asked=asked, out=tmp_path / "a.json")).complaint(2, asked, "read alike")


def test_groups_that_read_alike_are_refused(cli, audit, data, tmp_path):
    """Two columns whose values have commas: their counts would stand under one name."""
    rows = [dict(data.rows[place]) | {"a": one, "b": two}
            for place, (one, two) in zip(data.test, (("x, y", "z"), ("x", "y, z")) * 2, strict=False)]  # fmt: skip
    table, out = tmp_path / "rows.json", tmp_path / "challenge.json"
    table.write_text(json.dumps(rows))
    cli(*audit.challenge("--least-group", 1, table=table, groups="a,b", out=out)).complaint(2, "two groups read alike")
    cells = json.loads(audit.asked.read_bytes())["cells"]
    doubled = [one | {"values": [one["values"][0], "z"]} for one in cells]
    doubled[0]["values"], doubled[1]["values"] = ["x, y", "z"], ["x", "y, z"]
    asked = changed(audit.asked, out, by=["a", "b"], cells=doubled)
    cli(*audit.prove("--least-group", 1, asked=asked, out=tmp_path / "a.json")).complaint(2, asked, "read alike")


def test_copies_of_one_row_are_no_group(cli, audit, data, tmp_path):
    """A person who stands there ten times would tell one decision: different rows are counted."""
    table = write_table(tmp_path / "rows.csv", data, [data.test[0]] * 12)
    asked = tmp_path / "challenge.json"
    assert cli(*audit.challenge(table=table, out=asked)).code == 0
    cli(*audit.prove(asked=asked, out=tmp_path / "a.json")).complaint(2, "ask for larger groups", "1 different rows")


def test_near_copies_tell_a_decision_for_each_cell(data, world):
    """What docs/table.md warns of: ten people who differ by little are decided alike, so that a count is a decision."""
    opening = world.owned
    spec = opening.spec
    alike = 0
    for place in data.test[:100]:
        row = data.rows[place]
        near = [dict(row) | {"income": int(row["income"]) + more} for more in range(10)]
        decisions = {opening.network.decide(spec.encode(one) + spec.encode_sensitive(one)) for one in near}
        alike += len(decisions) == 1
    assert alike >= 98


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("income", "many", ("row 5", "income")),
        ("purpose", "yacht", ("row 5", "purpose")),
        ("sex", "unknown", ("row 5", "sex")),
        ("truth", "perhaps", ("truth", "perhaps")),
        ("truth", "", ("row 5", "truth")),
    ],
)
def test_rows_that_fit_no_spec_or_label_are_named(cli, audit, data, tmp_path, column, value, named):
    """File, row and column in one line, and no challenge is written."""
    table = write_table(tmp_path / "rows.csv", data, data.test[:ASKED], **{column: (5, value)})
    out = tmp_path / "challenge.json"
    words = audit.challenge("--labels", "truth", "--least-group", 1, table=table, out=out)
    cli(*words).complaint(2, *named)
    assert not out.exists()


def test_columns_that_are_not_there_are_named(cli, audit, tmp_path):
    """A group or a label of another table."""
    for words, name in ((audit.challenge(groups="branch", out=tmp_path / "c.json"), "branch"),):
        cli(*words).complaint(2, name)
    cli(*audit.challenge("--labels", "paid", out=tmp_path / "c.json")).complaint(2, "paid")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"partition": [0] * 3}, "field partition"),
        ({"partition": [9] * ASKED}, "field partition"),
        ({"least_group": ASKED}, "field least_group"),
        ({"cells": []}, "field cells"),
        ({"columns": ["age"]}, "field rows"),
        ({"context": {"nonce": "short"}}, "field context"),
    ],
)
def test_challenges_that_contradict_themselves_are_refused(cli, audit, tmp_path, fields, named):
    """Neither side goes on with one; file and field are named."""
    asked = changed(audit.asked, tmp_path / "challenge.json", **fields)
    cli(*audit.verify(asked=asked)).complaint(2, asked, named)
    cli(*audit.prove(asked=asked, out=tmp_path / "answer.json")).complaint(2, asked, named)


def test_a_row_in_the_cell_of_another_group_is_refused(cli, audit, tmp_path):
    """A group that is a feature is that of the row: an auditor moves nobody into another one."""
    partition = list(load_challenge(audit.asked).partition)
    cells = load_challenge(audit.asked).cells
    other = next(place for place, cell in enumerate(cells) if cell.values != cells[partition[0]].values)
    asked = changed(audit.asked, tmp_path / "challenge.json", partition=[other, *partition[1:]])
    cli(*audit.prove("--least-group", 1, asked=asked, out=tmp_path / "a.json")).complaint(2, asked, "row 1", "sex")


def test_a_key_with_too_few_cells_says_how_to_make_one(cli, audit, tmp_path):
    """More groups than the key counts need another key."""
    asked = tmp_path / "challenge.json"
    assert cli(*audit.challenge("--least-group", 1, groups="sex,purpose", out=asked)).code == 0
    many = len(load_challenge(asked).cells)
    assert many > CELLS
    words = audit.prove("--least-group", 1, asked=asked, out=tmp_path / "a.json")
    cli(*words).complaint(2, f"equiproof table setup --cells {many}")


def test_files_of_another_kind_are_called_by_their_name(cli, audit):
    """A challenge in place of its answer, and the other way round."""
    cli(*audit.verify(answer=audit.asked)).complaint(2, audit.asked, "a challenge about a table")
    cli(*audit.verify(asked=audit.answer)).complaint(2, audit.answer, "an answer to a challenge about a table")


def test_status_names_the_files(cli, audit):
    """Keys, challenges and answers by what they are; none is said to be of no use."""
    document = cli("status", audit.folder, "--json").document
    (key,) = document["table_keys"]
    assert key["path"].startswith(str(audit.keys / "table-"))
    assert document["challenges"] == [str(audit.asked)]
    assert str(audit.answer) in document["answers"]
    assert document["unreadable"] == []
    said = cli("status", audit.folder).out
    assert "keys for counts by group" in said
    assert "cannot be used" not in said


def test_nothing_is_overwritten_and_no_key_made_twice(cli, audit):
    """Without --force."""
    cli(*audit.prove("--least-group", 2)).complaint(2, audit.answer)
    cli(*audit.challenge("--least-group", 2)).complaint(2, audit.asked)
    cli(*audit.setup("--rows", ROWS, "--cells", CELLS)).complaint(2, "--force")


def test_the_answer_shows_nothing_else_of_the_model(audit, world):
    """No weight, bias or blinding is in the answer, the link or the challenge."""
    opening = json.loads(world.opening.read_bytes())
    secrets = {opening["blinding"], *(bias for layer in opening["layers"] for bias in layer["biases"] if len(bias) > 3)}
    shown = b"".join(path.read_bytes() for path in (audit.answer, audit.asked, audit.answer.parent / "link.json"))
    assert len(secrets) > 1
    assert not [secret for secret in secrets if f'"{secret}"'.encode() in shown]
