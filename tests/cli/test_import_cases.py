"""Model files that were once read wrongly, kept beside the public data: each is decided as its library decides."""

import csv
import json
from dataclasses import dataclass

import numpy as np
import onnx
import pandas as pd
import pytest
from onnx.reference import ReferenceEvaluator
from sklearn.ensemble import GradientBoostingClassifier

from equiproof import import_model

COLUMNS = "income,debt,sex"
BLANKS = [word for one in ("female", "male") for word in ("--values", f'sex:" {one}"={one}')]
ONNX = ("--columns", COLUMNS)


@pytest.fixture(scope="module")
def cases(public_data):
    """The folder of the files."""
    folder = public_data.resolve().parent / "cases" / "import"
    if not folder.is_dir():
        pytest.skip("the folder of the cases is not beside the public data")
    return folder


@dataclass
class Bench:
    """A spec, and rows with the decisions of each library in a column."""

    cli: object
    cases: object
    folder: object

    def __post_init__(self):
        self.spec = self.folder / "spec.json"
        words = ("--label", "decision", "--sensitive", "sex", "--labels", "refused,granted")
        drafted = self.cli("spec", self.cases / "table.csv", *words, "--out", self.spec)
        assert drafted.code == 0, drafted.err

    def write(self, rows="rows.csv", **decisions):
        """Write rows of the cases with more columns, and return the path."""
        table = pd.read_csv(self.cases / rows).assign(**decisions)
        table.to_csv(self.folder / "rows.csv", index=False)
        return self.folder / "rows.csv"

    def own(self):
        """Write the rows with what each library decided."""
        labels = pd.read_csv(self.cases / "labels-of-the-libraries.csv")
        return self.write(**dict(labels.items()))

    def imported(self, file, rows, *options, spec=None):
        """Import a file of the cases, or another one, and return how that ended."""
        given = ("--spec", spec or self.spec, "--rows", rows, "--out", self.folder / "model", "--force", "--json")
        return self.cli("import", self.cases / file, *given, *options)

    def equal(self, file, rows, column, *options, spec=None):
        """Import a file under decisions, of which no row may differ, and return what was said."""
        outcome = self.imported(file, rows, "--decisions", column, *options, spec=spec)
        assert outcome.code == 0, outcome.err
        said = json.loads(outcome.out)
        counts = [said["compared"][name] for name in ("rows", "differing", "differing_integers", "near")]
        with rows.open(newline="") as stream:
            assert counts == [len(list(csv.reader(stream))) - 1, 0, 0, 0]
        return said


@pytest.fixture
def bench(cli, cases, tmp_path):
    """What imports files in a folder of its own."""
    return Bench(cli, cases, tmp_path)


@pytest.mark.parametrize(
    ("file", "column", "options"),
    [
        ("dart-xgboost-3.4.1.json", "dart", ()),
        ("ebm-blank-before-values.json", "ebm", BLANKS),
        ("catboost.json", "catboost-bias", ()),
        ("catboost.onnx", "catboost", ONNX),
        ("catboost-opset-added.onnx", "catboost", ONNX),
        ("catboost-opset-added.onnx", "catboost p>0.7", (*ONNX, "--threshold", "probability=0.7")),
        ("catboost-bias.onnx", "catboost-bias", ONNX),
        ("catboost-bias-opset-added.onnx", "catboost-bias", ONNX),
        ("catboost-bias.onnx", "catboost-bias p>0.7", (*ONNX, "--threshold", "probability=0.7")),
        ("forest-zipmap-false.onnx", "forest", ONNX),
    ],
)
def test_no_row_is_decided_otherwise_than_by_the_library(bench, file, column, options):
    """Trees with dropout, a machine, CatBoost with and without a bias and a cut, and a forest."""
    said = bench.equal(file, bench.own(), column, *options)
    flips = {"dart": 29, "ebm": 30}
    if column in flips:
        assert said["fidelity"]["rows"]["flips"] == [flips[column]] * 2


def runtime(path, rows):
    """Return what the ONNX standard's own evaluator makes of the first output; it knows no sequences of maps."""
    model = onnx.load(path)
    nodes = [node for node in model.graph.node if node.op_type != "ZipMap"]
    del model.graph.node[:], model.graph.output[1:]
    model.graph.node.extend(nodes)
    return ReferenceEvaluator(model).run(None, {model.graph.input[0].name: rows.astype(np.float32)})[0].reshape(-1)


@pytest.mark.parametrize("file", ["xgboost-onnxmltools.onnx", "lightgbm-zipmap-false.onnx"])
def test_files_of_onnxmltools_are_decided_as_onnx_says(bench, file):
    """Their owners' decisions are not kept; the standard says what the files mean."""
    rows = pd.read_csv(bench.cases / "rows.csv").assign(sex=lambda table: table.sex == "male")
    decided = runtime(bench.cases / file, rows.to_numpy(float))
    assert 0.2 < decided.mean() < 0.8
    bench.equal(file, bench.write(decided=decided), "decided", *ONNX)


def test_a_regressor_is_decided_by_its_cut(bench, tmp_path):
    """Above one half it is yes."""
    rows = pd.read_csv(bench.cases / "onnx_rows.csv")
    numbers = rows[["age", "income"]].assign(sex=rows.sex == "m").to_numpy(float)
    decided = (runtime(bench.cases / "regressor.onnx", numbers) > 0.5).astype(int)
    assert 0.2 < decided.mean() < 0.8
    words = ("--label", "decision", "--sensitive", "sex", "--labels", "no,yes", "--threshold", "score=0.5")
    drafted = bench.cli("spec", bench.cases / "onnx_rows.csv", *words, "--out", tmp_path / "own.json")
    assert drafted.code == 0, drafted.err
    file = bench.write("onnx_rows.csv", decided=decided)
    bench.equal("regressor.onnx", file, "decided", "--columns", "age,income,sex", spec=tmp_path / "own.json")


def test_votes_of_one_half_are_no_as_in_the_library(bench):
    """Ten rows on which half of twenty trees say yes: scikit-learn, which made the forest, says no to all."""
    file = bench.write("forest-ties.csv", decided="no")
    said = bench.equal("forest-f.onnx", file, "decided", *ONNX, spec=bench.cases / "forest.spec.json")
    assert said["fidelity"]["rows"]["ties"] == 0


def test_values_that_the_machine_does_not_know_are_refused(bench):
    """Both lists and the nearest spelling are named; a mapping of none of them is refused too."""
    file, rows = "ebm-blank-before-values.json", bench.own()
    refused = bench.imported(file, rows)
    refused.complaint(2, "it has ' female', ' male', the spec 'female', 'male'; nearest is ' female'")
    bench.imported(file, rows, "--values", "sex:=female", "--values", "sex:=male").complaint(2, "sex")


def test_a_bias_of_catboost_is_read_as_catboost_decides_and_onnxruntime_is_named(bench):
    """Without decisions the import says which of both it follows."""
    for file in ("catboost-bias.onnx", "catboost-bias-opset-added.onnx"):
        outcome = bench.imported(file, bench.own(), *ONNX)
        (note,) = [one for one in json.loads(outcome.out)["notes"] if "base_values" in one]
        assert "as CatBoost decides; onnxruntime adds the second one to the scores of the first class" in note


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda booster: booster.update(weight_dropped=[]), "weight_dropped"),
        (lambda booster: booster["model"].update(weight_dropped=[]), "weight_dropped"),
    ],
)
def test_members_of_a_booster_that_are_not_understood_are_refused(bench, change, said):
    """Wherever one release or another has put the weights of dropped trees, another name is refused."""
    file = "dart-xgboost-3.4.1.json"
    document = json.loads((bench.cases / file).read_bytes())
    change(document["learner"]["gradient_booster"])
    own = bench.folder / "changed.json"
    own.write_text(json.dumps(document))
    bench.imported(own, bench.own()).complaint(2, said)


def test_a_version_above_the_newest_tested_is_said(bench):
    """The file is read, and a note names the version."""
    document = json.loads((bench.cases / "dart-xgboost-3.4.1.json").read_bytes())
    own = bench.folder / "newer.json"
    own.write_text(json.dumps(document | {"version": [9, 0, 1]}))
    said = bench.equal(own, bench.own(), "dart")
    assert [note for note in said["notes"] if "9.0.1" in note]


def test_a_score_of_exactly_0_is_the_second_class_of_gradient_boosting(cli, tmp_path):
    """Eighty of 240 rows lie there; model, commitment and library agree, and no row is a tie."""
    decided = [(1, "no", "no"), (2, "no", "yes"), (3, "yes", "yes")]
    table = pd.DataFrame(
        [(income, sex, ok) for sex in "fm" for income, *both in decided for ok in both for _ in range(20)],
        columns=["income", "sex", "ok"],
    )
    model = GradientBoostingClassifier(init="zero", n_estimators=5, max_depth=2, learning_rate=0.5)
    numbers = table[["income"]].astype(float).assign(**{"sex=m": (table.sex == "m").astype(float)})
    model.fit(numbers, table.ok)
    at_zero = model.decision_function(numbers) == 0
    assert (at_zero.sum(), set(model.predict(numbers)[at_zero])) == (80, {"yes"})
    imported = import_model(model, table.drop(columns="ok"), sensitive=["sex"], out=tmp_path / "model")
    counts = imported.compared
    assert (counts.rows, counts.differing, counts.differing_integers, counts.near) == (240, 0, 0, 0)
    table.assign(decided=model.predict(numbers)).to_csv(tmp_path / "rows.csv", index=False)
    given = ("--rows", tmp_path / "rows.csv", "--decisions", "decided", "--out", tmp_path / "owner")
    committed = cli("commit", tmp_path / "model", *given)
    assert committed.code == 0, committed.err
    assert "of 240 rows 0 differ as read, 0 as committed" in committed.out
    assert "(0 ties)" in committed.out
