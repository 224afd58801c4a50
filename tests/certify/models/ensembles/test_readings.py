"""Files that onnxruntime decides otherwise than the standard: the lender's own decisions choose the reading."""

import csv

import pytest

from equiproof import import_model
from equiproof.certify.models.own_decisions import DecisionsError
from equiproof.circuits.canonical import canonical_bytes
from tests.certify.models.ensembles.test_catboost import DECISIONS, FOLDER, GIVEN, SPEC, TRAINING
from tests.cli.world import shell

BIAS = FOLDER / "bias.onnx"
COLUMNS = ("income", "rate", "sex")
OWN = {
    "the ONNX standard": DECISIONS["bias"]["labels"][:TRAINING],
    "onnxruntime": DECISIONS["bias.onnx"]["answers"][:TRAINING],
}


@pytest.mark.parametrize("reading", OWN)
def test_decisions_choose_the_reading(reading):
    """Both readings are imported without a difference, each for the system that decides so."""
    imported = import_model(BIAS, SPEC, rows=GIVEN, decisions=OWN[reading], columns=COLUMNS)
    counts = imported.compared
    assert (counts.rows, counts.differing, counts.differing_integers) == (TRAINING, 0, 0)
    (note,) = imported.bound.notes
    assert note == f"the file is read as {reading} decides: your own decisions agree with that reading"


def test_without_decisions_the_standard_is_read_and_the_other_reading_said():
    """Whoever does not compare is told what they may be wrong about."""
    (note,) = import_model(BIAS, SPEC, rows=GIVEN, columns=COLUMNS).bound.notes
    assert "onnxruntime adds the second one to the scores of the first class, and decides otherwise" in note


def test_decisions_of_neither_reading_are_refused_for_the_first():
    """A row of the standard reading is named."""
    mixed = [one if place % 2 else other for place, (one, other) in enumerate(zip(*OWN.values(), strict=True))]
    with pytest.raises(DecisionsError, match="of 120 rows are decided otherwise than by the decisions"):
        import_model(BIAS, SPEC, rows=GIVEN, decisions=mixed, columns=COLUMNS)


def test_the_command_chooses_as_well(tmp_path):
    """From a column of the rows, and into the folder."""
    spec, rows = tmp_path / "spec.json", tmp_path / "rows.csv"
    spec.write_bytes(canonical_bytes(SPEC))
    with rows.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*COLUMNS, "own"])
        writer.writerows([[*row.values(), label] for row, label in zip(GIVEN, OWN["onnxruntime"], strict=True)])
    options = ["--spec", spec, "--rows", rows, "--decisions", "own", "--columns", ",".join(COLUMNS)]
    outcome = shell("import", BIAS, *options, "--out", tmp_path / "model", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.document["compared"]["differing"] == 0
    assert "read as onnxruntime decides" in outcome.document["notes"][0]
