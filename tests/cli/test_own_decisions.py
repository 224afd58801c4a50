"""`import`, `commit` and `predict` beside the decisions of the owner's own system: models that are read wrongly end."""

import json

import msgspec
import numpy as np
import pandas as pd
import pytest
import xgboost
from scipy.sparse import csr_matrix

from equiproof.certify.data import load
from equiproof.certify.data.dataset import column_values
from equiproof.certify.models.comparison import NOT_COMPARED, Comparison
from equiproof.certify.models.ensembles import fidelity
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.spec import Feature
from equiproof.prover.opening import load_opening, parse_opening
from tests.cli.foreign import COLUMNS, arrays, npz
from tests.support import spec_of

SPEC = spec_of(
    Feature("income", "numeric", "scaled", False, mean="2500", scale="800"),
    Feature("debt", "numeric", "scaled", False, mean="2000", scale="1500"),
    Feature("job", "categorical", "rank", False, mean="1", scale="1", domain=("none", "part", "full")),
    Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m")),
    bits=(14, 24),
    labels=("refused", "granted"),
)
FIRST = f"{NOT_COMPARED}: --rows FILE --decisions COLUMN"
ROUNDS = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1, "base_score": 0.5}


def table():
    """Return 200 rows: a third have no debt, and the job matters."""
    rng = np.random.default_rng(0)
    debt = np.where(rng.random(200) < 0.33, 0, rng.integers(1, 6000, 200))
    return pd.DataFrame(
        {
            "income": rng.integers(500, 5000, 200),
            "debt": debt,
            "job": rng.choice(["none", "part", "full"], 200),
            "sex": rng.choice(["f", "m"], 200),
        }
    )


TABLE = table()
DECISIONS = (
    TABLE.income - 0.5 * TABLE.debt + 2400 * (TABLE.job == "full") + 400 * (TABLE.sex == "m") > 2400
).to_numpy()


def inputs(jobs=("none", "part", "full")):
    """Return the numbers that a model takes, jobs in an order of its own."""
    codes = TABLE.assign(job=TABLE.job.map(list(jobs).index), sex=(TABLE.sex == "m").astype(int))
    return codes.astype(np.float32)


def trained(matrix, decisions=DECISIONS):
    """Train a few trees."""
    names = {"feature_names": list(TABLE.columns)}
    return xgboost.train(ROUNDS, xgboost.DMatrix(matrix, label=decisions, **names), num_boost_round=6)


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    """What rounding changes on random points is not what these tests are about."""
    monkeypatch.setattr(fidelity, "RANDOM_POINTS", 50)


@pytest.fixture(scope="module")
def granting(tmp_path_factory):
    """A model's file, the spec, and rows with what the library decides: as labels, truths, and probabilities."""
    folder = tmp_path_factory.mktemp("own")
    booster = trained(inputs())
    share = booster.predict(xgboost.DMatrix(inputs()))
    booster.save_model(folder / "model.json")
    (folder / "spec.json").write_bytes(canonical_bytes(SPEC))
    rows = TABLE.assign(
        decision=np.where(share > 0.5, "granted", "refused"),
        truth=share > 0.5,
        share=[f"{one:.9f}" for one in share],
        turned=np.where(share > 0.5, "refused", "granted"),
        empty="",
        alike="granted",
    )
    rows.to_csv(folder / "rows.csv", index=False)
    return folder


def importing(folder, out, *more, model="model.json", rows="rows.csv"):
    """Return the words of an import."""
    return ["import", folder / model, "--spec", folder / "spec.json", "--rows", folder / rows, "--out", out, *more]


@pytest.mark.parametrize("more", [["decision"], ["share", "--cut", "0.5"]], ids=["labels", "shares"])
def test_a_model_that_decides_as_its_owner_is_imported(granting, cli, tmp_path, more):
    """The counts are printed, and stand in the folder and in the opening; `commit` says them again, first of all."""
    done = cli(*importing(granting, tmp_path / "m", "--decisions", *more))
    assert (done.code, done.err) == (0, "")
    lines = [line.strip() for line in done.out.splitlines()]
    assert lines[0].startswith("IMPORTED ")
    said = (
        f"compared with your own decisions (column {more[0]} of rows.csv): of 200 rows 0 differ as read, 0 as committed"
    )
    assert said in lines
    refused = int(sum(pd.read_csv(granting / "rows.csv").decision == "refused"))
    counts = f"rows by label (yours, as read, as committed): refused {refused}, {refused}, {refused}; granted "
    assert any(line.startswith(counts) for line in lines)
    kept = json.loads((tmp_path / "m" / "import.json").read_bytes())["compared"]
    assert (kept["rows"], kept["differing"], kept["differing_integers"], kept["allowed"]) == (200, 0, 0, "0")
    inspected = cli("inspect", tmp_path / "m", "--sample", "0", "--json").document
    assert inspected["compared"] == kept
    again = cli("commit", tmp_path / "m", "--rows", granting / "rows.csv", "--out", tmp_path / "o")
    assert again.out.splitlines()[0] == said
    opening = load_opening(tmp_path / "o" / "opening.json")
    assert (opening.compared.source, opening.compared.rows) == (f"column {more[0]} of rows.csv", 200)
    assert parse_opening(opening.secret(), "o") == opening


def test_a_folder_that_was_not_compared_says_so_first(granting, cli, tmp_path):
    """Counts by label are shown all the same; `commit` can compare later, and JSON says null until then."""
    done = cli(*importing(granting, tmp_path / "m"))
    assert done.out.splitlines()[0] == FIRST
    assert "  rows by label (as read, as committed): refused " in done.out
    assert "compared" not in json.loads((tmp_path / "m" / "import.json").read_bytes())
    rows = ["--rows", granting / "rows.csv"]
    bare = cli("commit", tmp_path / "m", *rows, "--out", tmp_path / "o")
    assert bare.out.splitlines()[0] == FIRST
    assert b"compared" not in (tmp_path / "o" / "opening.json").read_bytes()
    document = cli("commit", tmp_path / "m", *rows, "--out", tmp_path / "p", "--json").document
    assert document["compared"] is None
    assert [one["own"] for one in document["labels"]] == [None, None]
    later = cli("commit", tmp_path / "m", *rows, "--decisions", "decision", "--out", tmp_path / "q", "--json").document
    assert later["compared"]["differing"] == 0
    assert later["labels"] == later["compared"]["labels"]
    assert load_opening(tmp_path / "q" / "opening.json").compared.rows == 200


def test_predict_shows_the_owners_decisions_beside_both(granting, cli, tmp_path):
    """A column for them, the counts below; rows that differ are refused there as well."""
    assert cli(*importing(granting, tmp_path / "m")).code == 0
    words = ["predict", tmp_path / "m", granting / "rows.csv"]
    assert cli(*words).out.splitlines()[0] == f"{NOT_COMPARED}: --decisions COLUMN"
    done = cli(*words, "--decisions", "share", "--cut", "0.5")
    assert done.out.splitlines()[0].split() == ["row", "float", "quantised", "yours"]
    assert "of 200 rows 0 differ as read, 0 as committed" in done.out
    cli(*words, "--decisions", "turned").complaint(2, "200 of 200 rows are decided otherwise", "--accept-labels")
    document = cli(*words, "--decisions", "turned", "--accept-labels", "--allow-differing", "1", "--json").document
    assert (document["compared"]["differing"], document["compared"]["allowed"]) == (200, "1")
    assert [one["row"] for one in document["differing_rows"]] == [1, 2, 3, 4, 5]
    float_model = document["rows"][0]["float"]
    assert document["differing_rows"][0]["label"] == float_model["label"] != document["differing_rows"][0]["own"]
    assert document["differing_rows"][0]["logits"] == pytest.approx(float_model["logits"], abs=1e-6)


def test_audits_say_what_was_compared(granting, cli, tmp_path):
    """On the first page, from the folder or the opening; a model that was not compared is said to be none."""
    rows = ["--rows", granting / "rows.csv"]
    audit = ["audit", "run", "groups", *rows, "--sample", "30"]
    assert cli(*importing(granting, tmp_path / "m")).code == 0
    assert "Not compared with your own decisions" in cli(*audit, "--model", tmp_path / "m").out
    assert cli("commit", tmp_path / "m", *rows, "--decisions", "truth", "--out", tmp_path / "o").code == 0
    opening, out, page = tmp_path / "o" / "opening.json", tmp_path / "audits.json", tmp_path / "page.html"
    done = cli(*audit, "--opening", opening, "--out", out, "--html", page)
    said = "Compared with your own decisions (column truth of rows.csv): of 200 rows 0 differ"
    assert said in " ".join(done.out.split())
    assert said in page.read_text()
    assert json.loads(out.read_bytes())["compared"]["rows"] == 200


def test_an_order_of_classes_that_is_not_the_specs_is_refused(granting, cli, tmp_path):
    """The library's class 1 is the refusal here: half of all would be told the contrary."""
    booster = trained(inputs(), ~DECISIONS)
    booster.save_model(granting / "refusing.json")
    refused = booster.predict(xgboost.DMatrix(inputs())) > 0.5
    rows = TABLE.assign(decision=np.where(refused, "refused", "granted"))
    rows.to_csv(granting / "refusing.csv", index=False)
    words = importing(granting, tmp_path / "m", model="refusing.json", rows="refusing.csv")
    line = cli(*words, "--decisions", "decision").complaint(2, "200 of 200 rows are decided otherwise", "--classes")
    assert len(line) <= 400 + len("equiproof: \n")
    assert not (tmp_path / "m").exists()
    done = cli(*words, "--decisions", "decision", "--classes", "granted,refused")
    assert (done.code, done.err) == (0, "")
    assert "of 200 rows 0 differ as read, 0 as committed" in done.out


def test_codes_of_a_category_in_another_order_are_refused(granting, cli, tmp_path):
    """The model's codes of jobs are alphabetical, the spec's are not: nothing in the file shows it."""
    other = inputs(("full", "none", "part"))
    booster = trained(other)
    booster.save_model(granting / "alphabetical.json")
    rows = TABLE.assign(truth=booster.predict(xgboost.DMatrix(other)) > 0.5)
    rows.to_csv(granting / "alphabetical.csv", index=False)
    words = importing(granting, tmp_path / "m", model="alphabetical.json", rows="alphabetical.csv")
    line = cli(*words, "--decisions", "truth").complaint(2, "of 200 rows are decided otherwise than by column truth")
    assert "row " in line
    assert not (tmp_path / "m").exists()


def test_a_zero_that_means_missing_is_refused(granting, cli, tmp_path):
    """Trained on a sparse matrix, where a number that is absent is missing, and not 0."""
    booster = trained(csr_matrix(inputs().to_numpy()), (TABLE.debt > 0) & (TABLE.debt < 3000))
    booster.save_model(granting / "sparse.json")
    own = booster.predict(xgboost.DMatrix(csr_matrix(inputs().to_numpy()), feature_names=list(TABLE.columns))) > 0.5
    dense = booster.predict(xgboost.DMatrix(inputs())) > 0.5
    differing = int(sum(own != dense))
    assert differing > 0
    TABLE.assign(truth=own).to_csv(granting / "sparse.csv", index=False)
    words = importing(granting, tmp_path / "m", model="sparse.json", rows="sparse.csv")
    cli(*words, "--decisions", "truth").complaint(2, f"{differing} of 200 rows are decided otherwise")


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--decisions", "verdict"], ["name a column of rows.csv: row 1 has no 'verdict'; it has income, debt"]),
        (["--decisions", "sex"], ["'sex' is a feature of the spec"]),
        (["--decisions", "empty"], ["column empty of rows.csv, row 1: the decision is empty"]),
        (["--decisions", "share"], ["column share of rows.csv, row 1: '0.", "for scores, give a cut"]),
        (["--decisions", "decision", "--cut", "0.5"], ["row 1: ", "is not a number, and a cut is for scores"]),
        (["--decisions", "alike"], ["all 200 rows get 'granted' by column alike of rows.csv", "--accept-labels"]),
        (["--decisions", "decision", "--allow-differing", "2"], ["give a share from 0 to 1"]),
        (["--cut", "0.5"], ["--cut belongs to --decisions"]),
        (["--allow-differing", "0.5"], ["--allow-differing belongs to --decisions"]),
    ],
)
def test_a_comparison_that_cannot_be_made_is_an_error(granting, cli, tmp_path, more, named):
    """It is never left out; the line names file, column and row."""
    cli(*importing(granting, tmp_path / "m", *more)).complaint(2, *named)
    assert not (tmp_path / "m").exists()


def test_decisions_are_a_column_of_rows(granting, cli, tmp_path):
    """Without rows there is nothing that they belong to."""
    words = ["import", granting / "model.json", "--spec", granting / "spec.json", "--out", tmp_path / "m"]
    cli(*words, "--decisions", "decision").complaint(2, "--decisions names a column of --rows: add --rows FILE")


def test_truths_in_json_rows_are_decisions(granting, cli, tmp_path):
    """JSON has true and false; as a decision they are read like those of a spreadsheet."""
    rows = TABLE.assign(truth=pd.read_csv(granting / "rows.csv").truth).astype({"income": int, "debt": int})
    rows.to_json(granting / "truths.json", orient="records")
    assert b'"truth":true' in (granting / "truths.json").read_bytes()
    done = cli(*importing(granting, tmp_path / "m", "--decisions", "truth", rows="truths.json"))
    assert (done.code, done.err) == (0, "")
    assert "column truth of truths.json): of 200 rows 0 differ" in done.out


def test_one_label_for_everybody_is_refused_until_it_is_meant(cli, tmp_path):
    """A network whose threshold no applicant passes; the way on stands in the line, and in the next command."""
    path = npz(tmp_path / "net.npz", columns=np.array(COLUMNS), b1=np.array([-1e4], np.float32))
    few = tmp_path / "rows.json"
    few.write_text(json.dumps([dict(row) for row in load("lending").rows[:20]]))
    words = ["import", path, "--dataset", "lending", "--units", "spec", "--rows", few, "--out", tmp_path / "m"]
    cli(*words).complaint(2, "all 20 rows get 'refused' by the model as read", "(--accept-labels)")
    assert not (tmp_path / "m").exists()
    done = cli(*words, "--accept-labels")
    assert done.code == 0
    assert f"next: equiproof commit {tmp_path / 'm'} --rows {few} --accept-labels --out FOLDER" in done.out
    cli("commit", tmp_path / "m", "--rows", few, "--out", tmp_path / "o").complaint(2, "--accept-labels")


def test_a_row_of_a_network_that_differs_is_printed_and_written_nowhere(cli, tmp_path):
    """Of 60 rows none may differ, unless a share is allowed: then the row is printed, and files have the count."""
    data = load("lending")
    known = data.rows[:60]
    W0, b0, W1, _ = arrays().values()
    b1 = np.array([0.25], np.float32)
    path = npz(tmp_path / "net.npz", columns=np.array(COLUMNS), b1=b1)
    truths = (np.maximum(column_values(data.spec, known) @ W0 + b0, 0) @ W1 + b1 > 0)[:, 0].tolist()
    rows = tmp_path / "rows.json"
    words = ["import", path, "--dataset", "lending", "--units", "spec", "--rows", rows, "--decisions", "truth"]
    truths[7] = not truths[7]
    rows.write_text(json.dumps([row | {"truth": one} for row, one in zip(known, truths, strict=True)]))
    cli(*words, "--out", tmp_path / "m").complaint(2, "1 of 60 rows are decided otherwise", "row 8: yours ")
    done = cli(*words, "--out", tmp_path / "m", "--allow-differing", "0.05")
    assert "of 60 rows 1 differ as read, 1 as committed" in done.out
    assert f"    row 8: yours {str(truths[7]).lower()} (" in done.out
    report = json.loads((tmp_path / "m" / "import.json").read_bytes())
    assert (report["compared"]["differing"], report["compared"]["allowed"]) == (1, "1/20")
    assert set(report["compared"]) == {field.name for field in msgspec.structs.fields(Comparison)}
