"""`equiproof audit`: plug-ins are listed, explained and run; what they find decides the exit code."""

import json
import shutil
import sys
from importlib.metadata import EntryPoint

import pytest
from sklearn.linear_model import LogisticRegression

from equiproof.audits import plugin
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.runner import AuditRun
from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.circuits import exit_codes
from tests.audits.made import Made, bare
from tests.cli.world import listing

FEW = ("--option", "groups.people=2", "--option", "groups.draws=20", "--sample", 40)


class Judging(Made):
    """An audit with an option, that calls its model what the option says."""

    options = (plugin.Option("verdict", "what it says", "fair"), plugin.Option("steps", "how many steps", 1))

    def __init__(self):
        super().__init__(self.judge)

    def judge(self, where):
        print("a plug-in prints")
        verdict = plugin.settings(self, where.options)["verdict"]
        where.progress(1, 2)
        return bare(where, verdict=None if verdict == "silent" else verdict, reason="100 nodes")


class Failing(Made):
    """An audit that fails."""

    name = "failing"

    def run(self, where):
        raise ValueError("not today")


class Wanting(Made):
    """An audit that needs a linear model."""

    name = "wanting"
    needs = frozenset({"linear"})


@pytest.fixture
def plugged(monkeypatch):
    """Three audits and one that does not load, instead of the installed ones."""
    points = [
        EntryPoint(name, f"{__name__}:{kind}", plugin.GROUP)
        for name, kind in (("made", "Judging"), ("failing", "Failing"), ("wanting", "Wanting"), ("broken", "Missing"))
    ]
    assert __name__ in sys.modules
    monkeypatch.setattr(plugin, "entry_points", lambda group: points)


@pytest.fixture(scope="module")
def rows():
    """Test rows of the data set, with the label by its name."""
    data = load("lending")
    return [dict(data.rows[n]) | {"outcome": data.spec.labels[data.labels[n]]} for n in data.test]


def test_the_list_has_every_audit_and_what_is_broken(plugged, cli):
    """Each has a line with version, needs and what it says; one that does not load says why, and nothing fails."""
    outcome = cli("audit", "list")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "broken", "failing", "made", "wanting"]
    assert "broken: AttributeError: " in lines[1]
    assert lines[4].split()[1:3] == ["1", "linear"]
    entries = cli("audit", "list", "--json").document["audits"]
    assert [entry["name"] for entry in entries if entry["error"]] == ["broken"]


def test_the_projects_own_audits_are_listed(cli):
    """Without further ado, the installed plug-ins are there."""
    names = {entry["name"] for entry in cli("audit", "list", "--json").document["audits"]}
    assert {"fvgm", "groups", "hyfair", "leak", "pba", "prof", "recourse", "unfair"} <= names


def test_an_audit_is_explained_with_its_options(cli):
    """Needs come with the words that give them, options with kind and default."""
    out = cli("audit", "info", "groups").out
    for said in ("groups 3\n", "--rows, --dataset or --model", "distance: a number, 0.1 by default", "people: a whole"):
        assert said in out
    assert all(len(line) <= 90 for line in out.splitlines())
    entry = cli("audit", "info", "groups", "--json").document
    assert {option["name"] for option in entry["options"]} >= {"distance", "people", "label"}


@pytest.mark.parametrize(
    ("name", "said"), [("brokn", "no audit is called 'brokn'; there are broken, failing"), ("broken", "does not load")]
)
def test_an_audit_that_is_none_is_explained_in_one_line(plugged, cli, name, said):
    """For an unknown and a broken plug-in, the message lists the installed ones."""
    cli("audit", "info", name).complaint(2, said)


def test_a_committed_model_is_audited_on_its_data(world, cli, tmp_path):
    """The report names the commitment, counts the rows of the split, and stands in the file as in the answer."""
    out = tmp_path / "reports.json"
    words = ["audit", "run", "groups", "--opening", world.opening, "--model", world.model, *FEW, "--out", out]
    outcome = cli(*words, "--json")
    assert outcome.err == ""
    done = AuditRun.from_json(out.read_bytes())
    assert outcome.document == json.loads(out.read_bytes())
    (found,) = done.reports
    assert found.model.commitment == f"{world.owned.commitment:064x}"
    assert len(found.findings) == 40
    assert outcome.code == (exit_codes.UNFAIR if found.verdict == "unfair" else exit_codes.OK)
    assert out.stat().st_mode & 0o077 == 0
    for finding in found.having("unfair"):
        finding.counterexample.replay(world.owned.network, world.owned.spec)


def test_rows_of_ones_own_are_audited(world, cli, tmp_path, rows):
    """A file of rows with its label column says what the same rows of the data set say."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    mine = cli(
        "audit", "run", "groups", "--opening", world.opening, "--rows", path, "--label", "outcome", *FEW, "--json"
    )
    theirs = cli("audit", "run", "groups", "--opening", world.opening, "--dataset", "lending", *FEW, "--json")
    mine, theirs = (one.document["reports"][0] for one in (mine, theirs))
    assert mine["estimates"] == theirs["estimates"]
    assert any("odds" in one["measure"] for one in mine["estimates"])
    assert [one["verdict"] for one in mine["findings"]] == [one["verdict"] for one in theirs["findings"]]


def test_a_model_that_is_not_committed_has_no_commitment(world, cli):
    """A model folder alone is audited as it would be committed; the same integers, no name."""
    words = ["--model", world.model, *FEW, "--json"]
    document = cli("audit", "run", "groups", *words).document
    committed = cli("audit", "run", "groups", "--opening", world.opening, *words).document
    assert document["model"]["commitment"] == ""
    assert document["reports"][0]["estimates"] == committed["reports"][0]["estimates"]


@pytest.mark.parametrize(
    ("names", "verdict", "code"),
    [
        (["made"], "fair", exit_codes.OK),
        (["made"], "silent", exit_codes.OK),
        (["made"], "undecided", exit_codes.EXHAUSTED),
        (["made", "failing"], "fair", exit_codes.EXHAUSTED),
        (["made", "wanting"], "fair", exit_codes.EXHAUSTED),
        (["made", "broken"], "fair", exit_codes.EXHAUSTED),
        (["failing"], None, exit_codes.EXHAUSTED),
    ],
)
def test_the_exit_code_is_that_of_the_worst(plugged, world, cli, names, verdict, code):
    """Undecided, failed, broken, and named without an answer are 4; fair, and measured without a verdict, 0."""
    options = [] if verdict is None else ["--option", f"made.verdict={verdict}"]
    outcome = cli("audit", "run", *names, "--opening", world.opening, *options)
    assert (outcome.code, outcome.err.replace("a plug-in prints\n", "")) == (code, "")


def test_unfair_is_3_whatever_else_failed(plugged, world, cli, monkeypatch):
    """A counterexample outweighs an audit that failed."""

    def unfair(self, where):
        spec = where.spec
        query = tuple(0 for _ in range(spec.plain_columns))
        from equiproof.audits.counterexample import Counterexample
        from equiproof.audits.records import Finding

        counterexample = Counterexample("made", (where.decided_input(query, 0), where.decided_input(query, 1)))
        return bare(
            where, verdict="unfair", findings=(Finding(subject="x", verdict="unfair", counterexample=counterexample),)
        )

    monkeypatch.setattr(Judging, "judge", unfair)
    assert cli("audit", "run", "failing", "made", "--opening", world.opening).code == exit_codes.UNFAIR


def test_all_runs_every_audit_and_expects_no_answer_of_each(plugged, world, cli, monkeypatch):
    """What has nothing to say counts only where it was named; what fails counts always."""
    outcome = cli("audit", "run", "all", "--opening", world.opening, "--json")
    document = outcome.document
    assert [one["audit"] for one in document["reports"]] == ["made"]
    assert {one["audit"]: one["outcome"] for one in document["failures"]} == {
        "broken": "failed", "failing": "failed", "wanting": "not applicable",
    }  # fmt: skip
    assert outcome.code == exit_codes.EXHAUSTED
    points = [point for point in plugin.entry_points(plugin.GROUP) if point.name in ("made", "wanting")]
    monkeypatch.setattr(plugin, "entry_points", lambda group: points)
    assert cli("audit", "run", "all", "--opening", world.opening).code == exit_codes.OK


def test_what_a_plug_in_prints_stays_out_of_the_answer(plugged, world, cli):
    """Standard output is one JSON object even where a plug-in prints."""
    outcome = cli("audit", "run", "made", "--opening", world.opening, "--json")
    assert outcome.document["failures"] == []
    assert outcome.err == "a plug-in prints\n"


def test_what_an_audit_lacks_is_told_with_the_words_that_give_it(world, cli):
    """Without rows there is no group, and the answer says where rows come from."""
    out = cli("audit", "run", "groups", "--opening", world.opening).out
    assert "groups: not applicable\n" in out
    assert "It does not apply here: needs rows of raw features.\n" in out
    assert "to provide rows of raw features, including the sensitive ones: --rows, --dataset or --model" in out


def test_a_linear_model_is_fitted_on_demand(plugged, world, cli, monkeypatch):
    """It reads the spec's columns, decides most training rows as their labels say, and is the same every time."""
    seen = []

    def look(_self, where):
        seen.append(where)
        return bare(where, "wanting")

    monkeypatch.setattr(Wanting, "run", look)
    for _ in range(2):
        outcome = cli("audit", "run", "wanting", "--opening", world.opening, "--dataset", "lending", "--linear")
        assert outcome.code == exit_codes.OK
    first, again = (where.linear for where in seen)
    assert first.coef_.tolist() == again.coef_.tolist()
    data, spec = load("lending"), world.owned.spec
    assert first.n_features_in_ == spec.plain_columns + spec.sensitive_columns
    columns = encode_rows(spec, [data.rows[n] for n in data.train]) / spec.scale_unit
    assert first.score(columns, [data.labels[n] for n in data.train]) > 0.8


@pytest.mark.parametrize(("split", "held_out"), [("test", "test"), ("train", None), ("all", "test")])
def test_an_audit_is_told_the_training_rows(plugged, world, cli, monkeypatch, split, held_out):
    """They are those of the data set, with their labels; of the rows audited, those of the test split are none."""
    seen = []

    def look(_self, where):
        seen.append(where)
        return bare(where, "wanting")

    monkeypatch.setattr(Wanting, "run", look)
    words = ["--opening", world.opening, "--dataset", "lending", "--linear", "--split", split]
    assert cli("audit", "run", "wanting", *words).code == exit_codes.OK
    (where,) = seen
    data = load("lending")
    assert where.training.rows == [data.rows[n] for n in data.train]
    assert where.training.labels == [data.labels[n] for n in data.train]
    expected = [] if held_out is None else [data.rows[n] for n in data.test]
    found = [where.rows[number] for number in where.held_out]
    assert len(found) == len(expected)
    assert all(row in expected for row in found)


@pytest.mark.parametrize("sample", [[], ["--sample", 20]])
def test_a_linear_model_is_fitted_to_rows_of_ones_own(plugged, world, cli, tmp_path, rows, monkeypatch, sample):
    """With --label it is fitted to every row of --rows, whatever part of them is audited, and decides most alike."""
    seen = []

    def look(_self, where):
        seen.append(where)
        return bare(where, "wanting")

    monkeypatch.setattr(Wanting, "run", look)
    path = tmp_path / "own.json"
    path.write_text(json.dumps(rows))
    words = ["audit", "run", "wanting", "--opening", world.opening, "--rows", path, "--label", "outcome", "--linear"]
    assert cli(*words, *sample).code == exit_codes.OK
    (where,) = seen
    spec = world.owned.spec
    columns = encode_rows(spec, rows) / spec.scale_unit
    labels = [spec.labels.index(row["outcome"]) for row in rows]
    assert where.linear.score(columns, labels) > 0.8
    assert where.linear.coef_.tolist() == LogisticRegression(max_iter=1000).fit(columns, labels).coef_.tolist()
    assert len(where.rows) == (20 if sample else len(rows))


def test_the_words_that_give_a_linear_model_give_one(plugged, world, cli, tmp_path, rows):
    """What an audit without a linear model is told to add is enough, also with rows of one's own."""
    path = tmp_path / "own.json"
    path.write_text(json.dumps(rows))
    words = ["audit", "run", "wanting", "--opening", world.opening, "--rows", path]
    first = cli(*words)
    assert "--linear, with --dataset, --model, or --rows and --label" in first.out
    cli(*words, "--linear").complaint(2, "--label")
    assert "not applicable" not in cli(*words, "--linear", "--label", "outcome").out


def test_one_label_fits_no_linear_model(plugged, world, cli, tmp_path, rows):
    """Rows of one label only are refused in one line."""
    path = tmp_path / "own.json"
    path.write_text(json.dumps([row for row in rows if row["outcome"] == "granted"]))
    words = ["audit", "run", "wanting", "--opening", world.opening, "--rows", path, "--label", "outcome", "--linear"]
    cli(*words).complaint(2, path, "give rows of both labels")


def test_finished_reports_are_taken_over(plugged, world, cli, tmp_path, monkeypatch):
    """With a folder to resume from, the second run says the same without running anything."""
    words = ["audit", "run", "made", "failing", "--opening", world.opening, "--resume", tmp_path / "kept", "--json"]
    first = cli(*words).document
    assert len(list((tmp_path / "kept").iterdir())) == 1

    def fail(_self, _where):
        raise AssertionError("run again")

    monkeypatch.setattr(Judging, "judge", fail)
    assert cli(*words).document == first
    again = cli(*words, "--seed", 1).document
    assert again["failures"][0] == {"audit": "made", "outcome": "failed", "reason": "AssertionError: run again"}


def test_a_run_that_is_stopped_keeps_what_is_finished(plugged, world, cli, tmp_path, monkeypatch):
    """After Ctrl-C reports and page are written, name what is not finished, and the exit code says so."""

    def stop(self, where):
        raise StoppedAuditError(bare(where, "failing", notes=("found so far",)))

    monkeypatch.setattr(Failing, "run", stop)
    out = tmp_path / "reports.json"
    outcome = cli("audit", "run", "made", "failing", "wanting", "--opening", world.opening, "--out", out)
    assert outcome.code == exit_codes.INTERRUPTED
    run = AuditRun.from_json(out.read_bytes())
    assert [one.audit for one in run.reports] == ["made", "failing"]
    assert run.reports[1].notes == ("found so far",)
    assert [(one.audit, one.reason) for one in run.failures] == [("wanting", "the run was stopped before it ended")]

    def interrupt(self, where):
        raise KeyboardInterrupt

    monkeypatch.setattr(Failing, "run", interrupt)
    words = ["audit", "run", "failing", "made", "--opening", world.opening, "--out", tmp_path / "none.json"]
    assert cli(*words).code == exit_codes.INTERRUPTED
    assert not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--opening FILE, or --model FOLDER"),
        (
            ["--opening", "{opening}", "--rows", "r.json", "--dataset", "lending"],
            "--rows and --dataset both give the rows",
        ),
        (["--opening", "{opening}", "--label", "x"], "--label names a column of --rows"),
        (
            ["--opening", "{opening}", "--linear"],
            "--linear needs rows to fit to: --rows with --label",
        ),
        (["--opening", "{opening}", "--linear", "--rows", "r.json"], "name their column with --label"),
        (["--opening", "{opening}", "--option", "made"], "--option: want audit.name=value, such as groups.people=50"),
        (["--opening", "{opening}", "--option", "steps=1"], "want audit.name=value"),
        (
            ["--opening", "{opening}", "--option", "made.steps=1", "--option", "made.steps=2"],
            "made.steps: give it once",
        ),
        (["--opening", "{opening}", "--option", "made.stps=1"], "made: no option is called 'stps'"),
        (["--opening", "{opening}", "--option", "made.steps=x"], "'x' is not a whole number"),
        (["--opening", "{opening}", "--option", "maid.steps=1"], "no audit is called 'maid'"),
        (["--opening", "{opening}", "--option", "failing.steps=1"], "options for failing, which is not one of"),
        (["--opening", "{opening}", "--sensitive", "age"], "sensitive_features: 'age' is not one of the spec's: sex"),
        (["--opening", "{opening}", "--dataset", "nodata"], "no data set is called 'nodata'"),
        (["--opening", "{opening}", "--rows", "{missing}"], "No such file"),
        (["--opening", "{commitment}"], "this is a commitment, want an opening"),
        (["--model", "{missing}"], "No such file"),
        (["--opening", "{opening}", "--resume", "{opening}"], "opening.json: Not a directory"),
        (["--opening", "{opening}", "--out", "{opening}"], "--opening and --out name the same file"),
        (["--opening", "{opening}", "--out", "{commitment}"], "exists"),
        (["--opening", "{opening}", "--out", "{opening}/x"], "opening.json: Not a directory"),
    ],
)
def test_a_mistake_is_one_line(plugged, world, cli, tmp_path, words, said):
    """Input that does not fit is reported in one line before any audit runs, and nothing is written."""
    before = listing(world.root)
    places = {"opening": world.opening, "commitment": world.commitment, "missing": tmp_path / "missing"}
    cli("audit", "run", "made", *(str(word).format(**places) for word in words)).complaint(2, said)
    assert listing(world.root) == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"income": "plenty"}, "row 2: feature 'income'"),
        ({"outcome": "perhaps"}, "row 2: label 'outcome': 'perhaps' is none of refused, granted"),
        ({"outcome": None}, "row 2: label 'outcome': missing"),
    ],
)
def test_a_row_that_does_not_fit_is_named(world, cli, tmp_path, rows, change, said):
    """File, row and column stand in the error."""
    path = tmp_path / "rows.json"
    second = {name: value for name, value in (rows[1] | change).items() if value is not None}
    path.write_text(json.dumps([rows[0], second]))
    words = ["audit", "run", "groups", "--opening", world.opening, "--rows", path, "--label", "outcome"]
    cli(*words).complaint(2, path, said)


def test_a_model_folder_of_another_spec_is_refused(world, cli, tmp_path):
    """The folder whose data is taken holds the model that was committed."""
    shutil.copytree(world.model, tmp_path / "other")
    spec = tmp_path / "other" / "spec.json"
    spec.write_text(spec.read_text().replace('"name":"lending"', '"name":"other"'))
    words = ["audit", "run", "groups", "--opening", world.opening, "--model", tmp_path / "other"]
    cli(*words).complaint(2, "the specs differ")


def test_a_report_of_a_run_can_be_read_alone(world, cli, tmp_path):
    """What --resume keeps are reports, each a document of its own."""
    kept = tmp_path / "kept"
    cli("audit", "run", "groups", "--opening", world.opening, "--dataset", "lending", *FEW, "--resume", kept)
    (path,) = kept.iterdir()
    assert AuditReport.from_json(path.read_bytes()).audit == "groups"
