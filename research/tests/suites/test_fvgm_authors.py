"""The suite `fvgm-authors`: what the authors' program is given, and what is made of its answers."""

import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from bench.harness import BenchError
from bench.parts import Options
from equiproof.audits.fvgm.pipeline import Rows
from equiproof.audits.fvgm.scaling import Scores
from research.suites.fvgm import authors, authors_call, authors_run, authors_trees, beside

X = np.array([[0.5, 1.0, 0.0, 0.0, 1.0], [0.1, 0.0, 1.0, 0.0, 0.0]] * 10)
ROWS = Rows(
    {"income": X[:, 0], "race": np.array(["a", "b"] * 10), "sex": np.array(["f", "m"] * 10)},
    X,
    {"income": [0], "race": [1, 2, 3], "sex": [4]},
    ("race", "sex"),
)
SCORES = Scores(np.array([1.0, 0.5, 0.0, 0.0, -0.5]), -0.25)
LINEAR = {"weights": SCORES.weights, "bias": [SCORES.bias]}


def program(folder, body):
    """Write a program that stands for the Python with the package."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    path.chmod(0o700)
    return str(path)


def test_without_the_variable_nothing_is_trained(monkeypatch):
    """The message names it; so does that for a program that is not there."""
    monkeypatch.delenv(authors_call.PYTHON, raising=False)
    with pytest.raises(BenchError, match=r"EQUIPROOF_JUSTICIA: not set; name a Python 3\.8"):
        authors.measured("no data set", 1.0, None)
    with pytest.raises(BenchError, match="EQUIPROOF_JUSTICIA /no/python: No such file"):
        authors_call.run("/no/python", Path("model.npz"), "network", 1.0)


def test_sensitive_columns_are_told_by_their_names(tmp_path):
    """A feature of one column is g1, those of several g0_0, g0_1, ...; all others begin with x."""
    authors_call.write(tmp_path / "model.npz", ROWS, LINEAR)
    given = np.load(tmp_path / "model.npz")
    assert given["names"].tolist() == ["x0", "g0_0", "g0_1", "g0_2", "g1"]
    assert given["sensitive"].tolist() == ["g0", "g1"]
    assert np.array_equal(given["columns"], X)
    assert given["weights"].tolist() == SCORES.weights.tolist()


def test_answers_become_metrics(tmp_path):
    """Ratio and difference of the two shares, those of equal groups where nobody is accepted; a bound is no answer."""
    answer = {"shares": [0.2, 0.8], "edges": 3, "cpu_s": 1.26, "ended": True}
    path = tmp_path / "model.npz"
    found = authors_call.run(
        program(tmp_path, f"print('a warning'); print('{json.dumps(answer)}')"), path, "network", 60
    )
    assert found == {"impact": 0.25, "parity": 0.6, "edges": 3, "cpu_s": 1.3}
    nobody = json.dumps({**answer, "shares": [0.0, 0.0]})
    found = authors_call.run(program(tmp_path, f"print('{nobody}')"), path, "network", 60)
    assert (found["impact"], found["parity"]) == (1.0, 0.0)
    bound = json.dumps({**answer, "ended": False})
    assert authors_call.run(program(tmp_path, f"print('{bound}')"), path, "network", 60) is None


def test_its_failures_are_told_and_its_time_ends(tmp_path):
    """The last line of an error is passed on; no answer in time is none."""
    path = tmp_path / "model.npz"
    with pytest.raises(BenchError, match=r"justicia fails on model\.npz, network: ImportError: no module"):
        authors_call.run(program(tmp_path, "sys.exit('Traceback\\nImportError: no module')"), path, "network", 60)
    body = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[4]), -1))\nwhile True: pass"
    assert authors_call.run(program(tmp_path, body), path, "network", 0.2) is None


def test_the_table_has_both_programs():
    """Every assumption has a column of each; a dash where there was no answer."""
    ours = {"impact": 0.5, "parity": 0.25}
    part = {
        "dataset": "ricci", "sensitive": ["Race"], "groups": 3, "columns": 7, "counted": ours,
        "assumptions": dict.fromkeys(authors.KINDS, ours),
        "theirs": {"network": None, "within groups": {**ours, "cpu_s": 2.0}, "independent": {**ours, "cpu_s": 0.4}},
    }  # fmt: skip
    assert authors.table({"parts": {"ricci": part}}).splitlines()[2] == (
        "| ricci | Race (3) | 7 | 0.500, 0.250 | 0.500, 0.250 | - | 0.500, 0.250 | 0.500, 0.250 (2 s) | 0.500, 0.250 | "
        "0.500, 0.250 (0.4 s) |"
    )


def test_the_table_of_trees_has_both_programs(monkeypatch):
    """Linear parts are left out, and so are trees of the other; without the solver nothing is trained."""
    figures = {f"{kind}{name}": 0.5 for kind in ("", "independent_", "counted_") for name in ("impact", "parity")}
    theirs = {"network": None, "independent": {"impact": 0.25, "parity": 0.75, "cpu_s": 0.4}}
    part = {
        "dataset": "ricci", "sensitive": ["Race"], "groups": 3, "leaves": 3, "clauses": 1, "shares_s": 0.01,
        **figures, "theirs": theirs,
    }  # fmt: skip
    lines = authors_trees.table({"parts": {"tree-ricci": part, "ricci": {}}}).splitlines()
    assert lines[2:] == [
        "| ricci | Race (3) | 3, 1 | 0.500, 0.500 | 0.500, 0.500 (0.01 s) | - | 0.500, 0.500 | 0.250, 0.750 (0.4 s) |"
    ]
    assert len(authors.table({"parts": {"tree-ricci": part}}).splitlines()) == 2
    monkeypatch.setenv(authors_call.PYTHON, "/no/python")
    monkeypatch.setenv("PATH", "/no/folder")
    with pytest.raises(BenchError, match="abc: not on the PATH; build ssatABC"):
        authors_trees.measured("no data set", ("sex",), 1.0, None)


def test_the_parts_are_the_papers_data_sets():
    """The same as beside other assumptions, each with a linear model and with a tree, one call at a time."""
    names = set(beside.SETS)
    assert set(authors.plan(None, Options()).parts) == names | {f"tree-{name}" for name in names}
    with pytest.raises(BenchError, match="one by one"):
        authors.plan(None, Options(jobs=2))


def answer_of(monkeypatch, capsys, path, metric, kind):
    """Return what the program says of a file, with a class in the place of the package's."""
    pytest.importorskip("pandas")

    class Solver:
        """Called for trees alone: it ends where the file says so."""

        def invoke_SSAT_solver(self, filename, find_maximization=True):  # noqa: N802 -- as in the package
            Path(f"{filename}_out.log").write_text("Satisfying probability: 0.5" if find_maximization else "bound")

    monkeypatch.setitem(sys.modules, "justicia", types.ModuleType("justicia"))
    package = types.SimpleNamespace(Metric=metric, Fairness_verifier=Solver)
    monkeypatch.setitem(sys.modules, "justicia.metrics", package)
    for name in ("pyrulelearn", "pyrulelearn.imli"):
        monkeypatch.setitem(sys.modules, name, None)
    limits = []
    monkeypatch.setattr(authors_run.resource, "setrlimit", lambda which, pair: limits.append((which, pair[0])))
    authors_run.main(str(path), kind, "7")
    assert limits == [(authors_run.resource.RLIMIT_CPU, 7)]
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_the_program_verifies_the_model_of_the_file(tmp_path, monkeypatch, capsys):
    """Its class gets the columns by name, the model, and the encoding of the assumption; shares are sorted."""
    asked = []

    class Metric:
        def __init__(self, model, data, sensitive, **options):
            asked.append((model.predict(data).tolist(), list(data.columns), sensitive, options["encoding"]))
            self.sensitive_group_statistics = [("most", 0.75), ("least", 0.25)]
            self._graph_edges = [(1, 2)]

        def compute(self):
            return self

    authors_call.write(tmp_path / "model.npz", ROWS, LINEAR)
    found = answer_of(monkeypatch, capsys, tmp_path / "model.npz", Metric, "network")
    assert (found["shares"], found["edges"], found["ended"]) == ([0.25, 0.75], 1, True)
    decisions = SCORES.accepts(X).astype(int).tolist()
    assert asked == [(decisions, ["x0", "g0_0", "g0_1", "g0_2", "g1"], ["g0", "g1"], "Learn-efficient-dependency")]


@pytest.mark.slow
@pytest.mark.parametrize("largest", [True, False])
def test_a_bound_of_its_solver_is_not_taken_for_an_answer(tmp_path, monkeypatch, capsys, largest):
    """A tree arrives as scikit-learn has it, and a call of the solver without the word of an end is noted."""
    from sklearn.tree import DecisionTreeClassifier

    own = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, [0, 1] * 10)
    monkeypatch.chdir(tmp_path)

    class Metric:
        def __init__(self, model, data, sensitive, **options):
            assert options["encoding"] == "Learn"
            assert all(
                np.array_equal(getattr(model.tree_, part), getattr(own.tree_, part)) for part in authors_run.TREE
            )
            self.sensitive_group_statistics, self._graph_edges = [("all", 0.5)], None

        def compute(self):
            sys.modules["justicia.metrics"].Fairness_verifier().invoke_SSAT_solver("a", find_maximization=largest)
            return self

    model = {part: getattr(own.tree_, part) for part in authors_run.TREE}
    authors_call.write(tmp_path / "model.npz", ROWS, model)
    found = answer_of(monkeypatch, capsys, tmp_path / "model.npz", Metric, "independent")
    assert (found["shares"], found["ended"]) == ([0.5, 0.5], largest)
