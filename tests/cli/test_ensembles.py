"""`equiproof train --model` and `equiproof import` of ensembles: folders, points, and refusals in one line."""

import json
import random
from fractions import Fraction
from hashlib import sha256

import msgspec
import pytest

from equiproof.certify.data import load
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.ensemble_folder import load_ensemble
from equiproof.prover.opening import load_opening
from tests.cli.world import command


@pytest.mark.slow
def test_a_trained_scorecard_can_be_imported_again_from_its_points(tmp_path):
    """The folder has the model, its spec, a report and the points; importing the points gives the same integers."""
    folder, again = tmp_path / "model", tmp_path / "again"
    trained = command(
        "train", "--model", "scorecard", "--rounds", "20", "--monotone", "income=+", "--out", folder, "--json"
    )
    assert trained.code == 0, trained.err
    assert trained.document["monotone"] == {"income": "+"}
    assert {path.name for path in folder.iterdir()} == {"ensemble.json", "scorecard.csv", "spec.json", "training.json"}
    done = command("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again, "--json")
    assert done.code == 0, done.err
    assert done.document["fidelity"]["rows"]["differing"] == 0
    stated = {feature.name: feature.monotone for feature in load_ensemble(folder).spec.features}
    assert stated.pop("income") == "increasing"
    assert set(stated.values()) == {msgspec.UNSET}
    assert load_ensemble(again).quantised == load_ensemble(folder).quantised
    report = json.loads((again / "import.json").read_text())
    assert (report["kind"], report["measured_on"]["dataset"]) == ("scorecard", "lending")
    command("train", "--out", folder, "--force").complaint(2, "ensemble.json")
    command("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again).complaint(2, "exists")
    assert command("import", folder / "scorecard.csv", "--dataset", "lending", "--out", again, "--force").code == 0


def test_commit_refuses_a_direction_that_the_model_does_not_show(tmp_path):
    """As trained it is committed to, on the data set's rows; turned round it is refused, and nothing is written."""
    folder, out = tmp_path / "model", tmp_path / "owner"
    done = command("train", "--model", "boosting", "--rounds", 4, "--monotone", "income=+", "--out", folder)
    assert done.code == 0, done.err
    assert command("commit", folder, "--out", out).code == 0
    path = folder / "spec.json"
    path.write_text(path.read_text().replace('"increasing"', '"decreasing"'))
    command("commit", folder, "--out", tmp_path / "other").complaint(2, "feature 'income'", "monotone decreasing")
    assert not (tmp_path / "other").exists()


def test_options_of_the_other_kind_of_model_are_refused(tmp_path):
    """Hidden layers go with networks, monotone features with trees; nothing is written."""
    for words, named in (
        (("train", "--model", "boosting", "--hidden", "4"), "--hidden is for --model network"),
        (("train", "--monotone", "income=+"), "--rounds, --depth, --monotone and --native-categories are for --model"),
        (("train", "--model", "boosting", "--monotone", "income"), "want FEATURE=+ or FEATURE=-"),
    ):
        assert named in " ".join(command(*words, "--out", tmp_path / "model").err.replace("│", " ").split())
    assert not (tmp_path / "model").exists()


def test_a_row_between_a_cut_and_its_rounding_is_refused_before_any_key_is_looked_for(tmp_path):
    """The opening keeps where the points and the integers compare otherwise; whole incomes beside it pass."""
    card, opening = tmp_path / "card.csv", tmp_path / "owner" / "opening.json"
    card.write_text("feature,from,to,value,points\n(cutoff),,,,1\nincome,,3000.5003,,0\nincome,3000.5003,,,2\n")
    assert command("import", card, "--dataset", "lending", "--out", tmp_path / "model").code == 0
    assert command("commit", tmp_path / "model", "--out", opening.parent).code == 0
    owned = load_opening(opening)
    (gap,) = owned.gaps
    feature = next(feature for feature in owned.spec.plain_features if feature.name == "income")
    middle = (gap.low.end + gap.high.end) / 2 * Fraction(feature.scale) + Fraction(feature.mean)
    row, between = dict(load("lending").rows[0]), tmp_path / "row.json"
    for income, message in ((str(float(middle)), "lies between a threshold"), (3000, None), (3001, None)):
        between.write_text(json.dumps(row | {"income": income}))
        if message:
            command("certify", between, "--opening", opening).complaint(2, "feature 'income'", message)
            keys = ("--keys", tmp_path / "keys", "--out", tmp_path / "c.json", "--query-out", tmp_path / "q.json")
            command("prove", between, "--opening", opening, *keys).complaint(2, "feature 'income'", message)
        else:
            assert command("certify", between, "--opening", opening).code in (0, 3)


@pytest.mark.slow
def test_the_grid_of_inputs_is_as_fine_as_rows_demand_or_as_it_was_chosen(tmp_path):
    """Whole debts beside the cut are one integer on the spec's grid; rows are still the data set's on the finer one."""
    card, folder, opening = tmp_path / "card.csv", tmp_path / "model", tmp_path / "owner" / "opening.json"
    card.write_text("feature,from,to,value,points\n(cutoff),,,,1\ndebt,,1000.5,,0\ndebt,1000.5,,,2\n")
    importing = ("import", card, "--dataset", "lending", "--out", folder)
    chosen = (*importing, "--input-fraction-bits", 10)
    command(*chosen).complaint(2, "feature 'debt'", "between 1000 and 1001", "--input-fraction-bits 11,")
    assert not folder.exists()
    done = command(*importing, "--json")
    assert (done.code, done.document["fidelity"]["rows"]["differing"]) == (0, 0), done.err
    assert any("steps of 2^-11 in place of 2^-10" in note for note in done.document["notes"])
    again = command(*importing, "--input-fraction-bits", 11, "--force", "--json")
    assert again.document["fidelity"] == done.document["fidelity"]
    done = command("commit", folder, "--out", opening.parent, "--json")
    assert (done.code, done.document["fidelity"]["rows"]["points"]) == (0, 4000), done.err
    spec, own = load_opening(opening).spec, load("lending").spec
    assert (spec.input_fraction_bits, spec.input_bits) == (11, own.input_bits + 1)
    assert msgspec.structs.replace(spec, input_fraction_bits=10, input_bits=own.input_bits) == own
    other = msgspec.structs.replace(spec, input_bits=own.input_bits + 2)
    (folder / "spec.json").write_bytes(canonical_bytes(other))
    command("commit", folder, "--out", tmp_path / "again").complaint(2, "not the spec of lending")


@pytest.fixture
def own(tmp_path):
    """A table of the owner's own that lacks values, and its spec; their options of `train`."""
    rng, lines = random.Random(0), ["id,income,purpose,sex,decision"]
    for number in range(200):
        income, purpose = rng.randint(10, 90), rng.choice(["car", "home", "trip", ""])
        decision = "granted" if income + 40 * (purpose in ("car", "")) + rng.randint(0, 20) > 80 else "refused"
        lines.append(f"{number},{income if rng.random() < 0.7 else ''},{purpose},{rng.choice('fm')},{decision}")
    (tmp_path / "own.csv").write_text("\n".join(lines))
    drafted = command(
        "spec", tmp_path / "own.csv", "--label", "decision", "--sensitive", "sex", "--labels", "refused,granted",
        "--drop", "id", "--missing", "income,purpose", "--one-hot", "--out", tmp_path / "spec.json",
    )  # fmt: skip
    assert drafted.code == 0, drafted.err
    return ["--spec", tmp_path / "spec.json", "--rows", tmp_path / "own.csv", "--label", "decision"]


@pytest.mark.parametrize("model", [["boosting", "--depth", 2, "--native-categories"], ["forest"]])
def test_a_table_of_one_s_own_is_trained_on(own, tmp_path, model):
    """Missing values are trained on; the folder is measured on rows that are named, and says where they came from."""
    folder, rows = tmp_path / "model", tmp_path / "own.csv"
    done = command("train", *own, "--model", *model, "--rounds", 8, "--out", folder, "--json")
    assert done.code == 0, done.err
    assert done.document["report"]["balanced_accuracy"][1] > 0.7
    assert (done.document["dataset"], done.document["sensitive"]) == ("own.csv", ["sex"])
    assert done.document["own"] == sha256(rows.read_bytes()).hexdigest()
    assert load_ensemble(folder).spec.has_missing
    plain = command("commit", folder, "--out", tmp_path / "owner")
    assert plain.out.startswith("not measured on rows: give raw rows with --rows"), plain.err
    measured = command("inspect", folder, "--rows", rows, "--json")
    assert measured.document["fidelity"]["rows"]["differing"] == 0, measured.err


def test_a_table_of_one_s_own_is_refused_in_one_line(own, tmp_path):
    """Where options do not go together, where there is no such column, and for models without missing values."""
    some = own[:-1]
    boosting = ["--model", "boosting"]
    for words, named in (
        ([*own, "--sensitive", "sex", *boosting], "--sensitive is for data sets by name"),
        ([*own, "--dataset", "lending", *boosting], "--dataset is for data sets by name"),
        ([*own[:4], *boosting], "--spec, --rows and --label go together"),
        (own, "--spec: choose --model boosting, forest or scorecard"),
        ([*some, "income", *boosting], "'income' is a feature of the spec"),
        ([*own[:3], tmp_path / "none.csv", *own[4:], *boosting], "none.csv"),
        ([*own, "--model", "scorecard"], "train boosting of depth 1: a scorecard has no points"),
        ([*own, "--model", "forest", "--monotone", "income=+"], "train boosting, or leave out monotone"),
        ([*own, "--model", "forest", "--native-categories"], "native categories are for boosted trees"),
        (["--native-categories"], "--native-categories are for --model boosting, forest and scorecard"),
    ):
        done = command("train", *words, "--out", tmp_path / "model")
        assert done.code == 2, words
        assert named in " ".join(done.err.replace("│", " ").split()), words
        assert done.err.count("\n") == 1
    assert not (tmp_path / "model").exists()
    path = tmp_path / "own.csv"
    path.write_text(path.read_text().replace("granted", "perhaps"))
    command("train", *own, *boosting, "--out", tmp_path / "model").complaint(2, "own.csv", "row", "'perhaps'")
