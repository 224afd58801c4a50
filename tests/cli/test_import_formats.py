"""`equiproof import` of files whose format moved: other spellings, thresholds by name, versions that no test saw."""

import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.spec import load_spec
from tests.certify.models.ensembles.test_releases import DECISIONS, FOLDER, GIVEN, SPEC
from tests.cli.world import command


@pytest.fixture
def bound(tmp_path):
    """Return the options that bind a file to its spec and rows."""
    (tmp_path / "spec.json").write_bytes(canonical_bytes(SPEC))
    (tmp_path / "rows.json").write_text(json.dumps(GIVEN))
    return ["--spec", tmp_path / "spec.json", "--rows", tmp_path / "rows.json", "--out", tmp_path / "model"]


def test_values_that_a_machine_spells_otherwise_are_named(bound, tmp_path):
    """The refusal says what to write; with it, every row is decided as by the library."""
    file = FOLDER / "interpret-0.7.8-blank.json"
    refused = command("import", file, *bound)
    refused.complaint(2, "--values 'sex:\" female\"=female'")
    assert len(refused.err.strip()) <= 400 + len(str(file))
    assert not (tmp_path / "model").exists()
    named = ["--values", 'sex:" female"=female', "--values", "sex: male=male"]
    done = command("import", file, *bound, *named, "--json")
    assert done.code == 0, done.err
    assert done.document["notes"][0] == "sex: 'female' of the spec is ' female' to the machine"
    predicted = command("predict", tmp_path / "model", tmp_path / "rows.json", "--json").document["rows"]
    wanted = [SPEC.labels[label] for label in DECISIONS[file.name]["labels"]]
    assert [row["quantised"]["label"] for row in predicted] == wanted


@pytest.mark.parametrize("text", ["sex: male=man", "sex=male"])
def test_values_that_name_no_value_of_the_spec_are_refused(bound, text):
    """One line that shows how they are written."""
    command("import", FOLDER / "interpret-0.7.8-blank.json", *bound, "--values", text).complaint(
        2, "FEATURE:THEIRS=OURS"
    )


def test_values_are_for_machines_only(bound):
    """Trees that take columns of numbers alone have no values of categories."""
    file = FOLDER / "xgboost-3.4.1-trees.json"
    refused = command("import", file, *bound, "--values", 'sex:" male"=male')
    refused.complaint(2, "leave --values out: it is for models that have values of categories themselves")


def test_a_threshold_is_named_with_a_spec_too(bound, tmp_path):
    """The folder's spec has the logit of the probability; another name is refused."""
    file = FOLDER / "lightgbm-4.7.0-trees.txt"
    done = command("import", file, *bound, "--threshold", "probability=0.7", "--json")
    assert done.code == 0, done.err
    threshold = load_spec(tmp_path / "model" / "spec.json").threshold
    assert threshold.startswith("0.847297860387")
    predicted = command("predict", tmp_path / "model", tmp_path / "rows.json", "--json").document["rows"]
    wanted = [SPEC.labels[margin > float(threshold)] for margin in DECISIONS[file.name]["margins"]]
    assert [row["quantised"]["label"] for row in predicted] == wanted
    command("import", file, *bound, "--force", "--threshold", "share=0.6").complaint(2, "goes by a probability")


def test_a_spec_is_drafted_with_a_threshold(tmp_path):
    """The draft asks its reader to confirm what it made of the name."""
    table = "\n".join(["income,sex,ok", *(f"{place},{'fm'[place % 2]},{'ny'[place % 3 > 1]}" for place in range(30))])
    (tmp_path / "table.csv").write_text(table)
    options = ["--label", "ok", "--sensitive", "sex", "--out", tmp_path / "spec.json", "--threshold"]
    done = command("spec", tmp_path / "table.csv", *options, "share=0.6")
    assert done.code == 0, done.err
    assert "threshold share=0.6: 'y' is decided above a score of 0.1" in done.out
    assert load_spec(tmp_path / "spec.json").threshold == "0.1"
    command("spec", tmp_path / "table.csv", *options, "odds=2", "--force").complaint(2, "'odds' one of probability")


def test_a_version_above_the_newest_tested_is_said(bound, tmp_path):
    """As a note in the text, and in JSON."""
    document = json.loads((FOLDER / "xgboost-3.4.1-trees.json").read_text())
    document["version"] = [4, 0, 0]
    file = tmp_path / "model.json"
    file.write_text(json.dumps(document))
    done = command("import", file, *bound)
    assert done.code == 0, done.err
    assert "note: the file is of XGBoost 4.0.0, and 3.4.1 is the newest that was tested" in done.out
    document["learner"]["leaf_scale"] = "2"
    file.write_text(json.dumps(document))
    command("import", file, *bound, "--force").complaint(2, "leaf_scale")
