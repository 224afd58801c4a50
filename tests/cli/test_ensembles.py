"""`equiproof train --model` and `equiproof import` of ensembles: folders, points, and refusals in one line."""

import json

from equiproof.prover.ensemble_folder import load_ensemble
from tests.cli.world import shell


def test_a_trained_scorecard_can_be_imported_again_from_its_points(tmp_path):
    """The folder has the model, its spec, a report and the points; importing the points gives the same integers."""
    folder, again = tmp_path / "model", tmp_path / "again"
    trained = shell(
        "train", "--model", "scorecard", "--rounds", "20", "--monotone", "income=+", "--out", folder, "--json"
    )
    assert trained.code == 0, trained.err
    assert trained.document["monotone"] == {"income": "+"}
    assert {path.name for path in folder.iterdir()} == {"ensemble.json", "scorecard.csv", "spec.json", "training.json"}
    done = shell("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again, "--json")
    assert done.code == 0, done.err
    assert done.document["fidelity"]["rows"]["differing"] == 0
    assert load_ensemble(again).quantised == load_ensemble(folder).quantised
    report = json.loads((again / "import.json").read_text())
    assert (report["kind"], report["measured_on"]["dataset"]) == ("scorecard", "lending")
    shell("train", "--out", folder, "--force").complaint(2, "ensemble.json")
    shell("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again).complaint(2, "exists")
    assert shell("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again, "--force").code == 0


def test_options_of_the_other_kind_of_model_are_refused(tmp_path):
    """Hidden layers go with networks, monotone features with trees; nothing is written."""
    for words, named in (
        (("train", "--model", "boosting", "--hidden", "4"), "--hidden is for --model network"),
        (("train", "--monotone", "income=+"), "--rounds, --depth and --monotone are for --model"),
        (("train", "--model", "boosting", "--monotone", "income"), "want FEATURE=+ or FEATURE=-"),
    ):
        assert named in " ".join(shell(*words, "--out", tmp_path / "model").err.replace("│", " ").split())
    assert not (tmp_path / "model").exists()
