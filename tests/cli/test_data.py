"""`equiproof data list` and `describe`, and the choice of sensitive features from `train` to `commit`."""

import json
from pathlib import Path

import pytest

from equiproof.certify.data import load
from equiproof.certify.data.catalogue import NAMES
from equiproof.certify.digits import percent
from equiproof.certify.models import training
from equiproof.circuits.spec import parse_spec
from equiproof.cli.main import run
from equiproof.prover.model_folder import load_trained_data


def answer(capsys, *arguments):
    """Return the JSON object that a command prints."""
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_list_names_every_data_set_and_what_is_missing(capsys, tmp_path):
    """Without files the generated data set alone is found; a file in either place is."""
    entries = answer(capsys, "data", "list", "--data-dir", str(tmp_path))["datasets"]
    assert tuple(entry["name"] for entry in entries) == NAMES
    assert [entry["name"] for entry in entries if entry["found"]] == ["lending"]
    (tmp_path / "adult.data").touch()
    (tmp_path / "hmda").mkdir()
    (tmp_path / "hmda" / "HMDA.csv").touch()
    entries = {
        entry["name"]: entry for entry in answer(capsys, "data", "list", "--data-dir", str(tmp_path))["datasets"]
    }
    assert entries["hmda"]["found"]
    assert entries["adult"]["missing"] == ["adult.test"]
    assert entries["lending"]["rows"] == 4000


def test_the_generated_data_set_is_listed_as_it_is_drawn(capsys):
    """What the list says of the generated data set is true of its rows and its spec."""
    entries = answer(capsys, "data", "list")["datasets"]
    listed = next(entry for entry in entries if entry["name"] == "lending")
    data = load("lending")
    assert (listed["rows"], listed["columns"]) == (len(data.rows), len(data.spec.features))
    assert listed["labels"] == list(data.spec.labels)
    assert listed["sensitive"] == [feature.name for feature in data.spec.sensitive_features]


def test_list_is_a_table_for_people(capsys, tmp_path, monkeypatch):
    """One line per data set, no folder needed."""
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    assert run(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *NAMES]
    assert "30,000" in lines[1 + NAMES.index("default_credit")]


@pytest.mark.shared
def test_list_finds_all_public_data_sets(capsys, public_data):
    """The directory of the public data sets holds them all, but for the two whose files only users may have."""
    listed = answer(capsys, "data", "list", "--data-dir", str(public_data))["datasets"]
    assert {entry["name"] for entry in listed if not entry["found"]} <= {"ricci", "titanic"}


def test_describe_says_what_the_spec_says(capsys):
    """Every column stands there with kind, scale and size of its domain; labels have their shares."""
    document = answer(capsys, "data", "describe", "lending")
    spec = load("lending").spec
    assert [one["name"] for one in document["features"]] == [feature.name for feature in spec.features]
    (income,) = [one for one in document["features"] if one["name"] == "income"]
    assert (income["unit"], income["kind"], income["values"], income["mean"]) == (
        "EUR/month", "numeric", None, spec.features[3].mean,
    )  # fmt: skip
    assert sum(one["rows"] for one in document["labels"]) == document["rows"] == 4000
    assert (document["slices"], document["plain_columns"]) == (2, 12)


def test_describe_takes_the_options_of_train(capsys):
    """A description is of the data set as a model would see it."""
    document = answer(capsys, "data", "describe", "lending", "--sensitive", "sex, citizenship", "--one-hot")
    assert document["slices"] == 4
    assert [one["name"] for one in document["features"] if one["sensitive"]] == ["sex", "citizenship"]
    assert next(one for one in document["features"] if one["name"] == "education")["columns"] == 5
    assert run(["data", "describe", "lending", "--one-hot"]) == 0
    assert "16 + 1 columns of 18 bits, 2 slices" in capsys.readouterr().out


@pytest.mark.shared
def test_describe_shows_no_row(capsys, public_data):
    """Of COMPAS nothing is printed but columns, counts and scales."""
    assert run(["data", "describe", "compas", "--data-dir", str(public_data)]) == 0
    text = capsys.readouterr().out
    assert "labels: no recidivism 54.9 %, recidivism 45.1 %" in text
    assert [line.split()[0] for line in text.splitlines()[5:]] == [
        "sex", "age", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "c_charge_degree",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "nothing"], "no data set is called 'nothing'; there are adult"),
        (["describe", "german"], "german needs this raw file"),
        (["describe", "lending", "--sensitive", "race"], "lending: no feature is called 'race'"),
        (["describe", "lending", "--sensitive", ","], "lending: no sensitive feature is named"),
        (["fetch", "german"], "--to"),
        (["describe"], "argument"),
        (["lst"], "lst"),
    ],
)
def test_mistakes_end_with_two_and_one_line(capsys, monkeypatch, arguments, message):
    """A wrong name, a missing folder and a missing option are reported in one line, without a traceback."""
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    assert run(["data", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("equiproof: ")
    assert captured.err.count("\n") == 1
    assert message.lower() in captured.err.lower()


def test_a_bare_command_answers_with_its_help(capsys):
    """`equiproof data` lists its commands."""
    assert run(["data"]) == 2
    assert "describe" in capsys.readouterr().err


@pytest.fixture
def quick(monkeypatch):
    """Make trainings short."""
    monkeypatch.setattr(training.Settings.__init__, "__defaults__", (2, 512, 0.2, 0.9, 1, 0))


def test_a_model_folder_knows_its_sensitive_features(capsys, tmp_path, quick):
    """`train` writes down the choice, and `commit` loads the same data set again."""
    model = tmp_path / "model"
    document = answer(capsys, "train", "--out", str(model), "--sensitive", "sex,citizenship", "--one-hot")
    assert (document["sensitive"], document["one_hot"]) == (["sex", "citizenship"], True)
    spec = parse_spec((model / "spec.json").read_bytes(), "spec.json")
    assert len(spec.domain_table) == 4
    assert load_trained_data(model, None).spec == spec
    committed = answer(capsys, "commit", str(model), "--out", str(tmp_path / "owner"))
    assert committed["fidelity"]["rows"]["points"] == 4000


@pytest.mark.parametrize("searched", [True, False])
def test_the_last_lines_are_about_the_network_that_was_written(capsys, tmp_path, monkeypatch, searched):
    """Of the fair variant, search and comparisons stand above; the figures at the end are those of the report."""
    monkeypatch.setattr(training.Settings.__init__, "__defaults__", (20, 512, 0.2, 0.9, 4, 0))
    monkeypatch.setattr(training, "DECAY_GRID", (0.0001,))
    monkeypatch.setattr(training, "PAPER_DECAYS", {"others": {(4, 2): 0.2, (8, 2): 0.3}})
    model = tmp_path / "model"
    assert run(["train", "--variant", "fair", *([] if searched else ["--decay", "0.0001"]), "--out", str(model)]) == 0
    printed = capsys.readouterr().out.splitlines()
    last = printed.index("the network that was written:")
    report = json.loads((model / "training.json").read_text())["report"]
    assert "weight decay 0.0001, seed 0" in printed[last + 1]
    assert f"balanced {percent(report['balanced_accuracy'][1])}" in printed[last + 3]
    assert f"{percent(report['flip_share'])} of all rows" in printed[last + 4]
    assert printed[-1] == f"  model {model}"
    assert not any("weight decay 0.2" in line or "weight decay 0.3" in line for line in printed[last:])
    above = printed[:last]
    assert above.count("for comparison, trained and not written:") == 2
    assert any("cross-validation" in line for line in above) == searched


@pytest.mark.shared
def test_a_model_of_a_raw_data_set_goes_the_same_way(capsys, tmp_path, quick, public_data):
    """German credit with age as the sensitive feature has 53 slices from training to commitment."""
    model = tmp_path / "model"
    options = ["--data-dir", str(public_data)]
    answer(capsys, "train", "--dataset", "german", "--sensitive", "age", "--out", str(model), *options)
    assert len(parse_spec((model / "spec.json").read_bytes(), "spec.json").domain_table) == 53
    committed = answer(capsys, "commit", str(model), "--out", str(tmp_path / "owner"), *options)
    assert committed["fidelity"]["rows"]["points"] == 1000


@pytest.mark.parametrize("report", ["{", "[]", "{}", '{"dataset": "lending", "sensitive": 3, "one_hot": false}'])
def test_a_spoilt_report_is_refused(capsys, tmp_path, quick, report):
    """A report that does not say how the data was chosen is no report; one line names it."""
    model = tmp_path / "model"
    answer(capsys, "train", "--out", str(model))
    (model / "training.json").write_text(report)
    assert run(["commit", str(model), "--out", str(tmp_path / "owner")]) == 2
    captured = capsys.readouterr()
    assert f"{Path(model) / 'training.json'}: train the model again: not the report of a training" in captured.err
