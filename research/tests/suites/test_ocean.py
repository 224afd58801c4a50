"""OCEAN beside the search for recourse: one model, one question, and answers that are judged again."""

import io
import json
import sys
import types
from fractions import Fraction

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("xgboost")
import numpy as np

from bench.harness import BenchError
from bench.parts import Options
from research.suites.ocean import call, models, rival, suite

LINE = {
    "row": 7, "status": "OPTIMAL", "ocean_s": 0.4, "ocean_cost": 3, "ocean_flips": True, "cost": 3, "complete": True,
    "flips": True, "search_s": 0.02, "native_s": 0.01, "least": 3,
}  # fmt: skip
HEAD = {"build_s": 1.0, "versions": {"oceanpy": "2.0.7"}}


@pytest.fixture(scope="module")
def case():
    """A small model of three features."""
    return models.trained("lending-few", 20, 3, None)


@pytest.fixture(scope="module")
def refused(case):
    """Rows that it refuses."""
    return [row for row in case.rows if case.score(row) < 0]


def program(folder, body):
    """Write a program that stands for OCEAN's Python: it says its head, and runs the body for each row."""
    path = folder / "python"
    said = f"print({json.dumps(HEAD)!r}, flush=True)\nfor line in sys.stdin:\n    row = json.loads(line)\n    {body}\n"
    path.write_text(f"#!{sys.executable}\nimport json, sys\n{said}")
    path.chmod(0o700)
    return path


def test_the_cheapest_change_is_the_least_of_all_cells(case, refused):
    """Costs are those of OCEAN's norm, and both decisions flip; some changes cost more than one unit."""
    costs = set()
    for row in refused[:25]:
        found, least = suite.ours(case, row), suite.least(case, row)
        assert (found["cost"], found["complete"], found["flips"]) == (least, True, True)
        assert 0 < found["native_s"] <= found["search_s"] + 1e-4
        costs.add(least)
    assert len(costs) > 3


def test_cells_are_tried_by_the_library(case, refused):
    """Every whole number of a feature alone agrees with the cell that it lies in: none is cheaper than the least."""
    row = refused[0]
    low, high = map(int, case.spec.plain_features[0].range)
    name = case.spec.plain_features[0].name
    others = [dict(row) | {name: value} for value in range(low, high + 1)]
    granted = case.granted(case.columns(others))
    assert granted.tolist() == [case.score(other) > 0 for other in others]
    prices = [
        int(suite.cost(case, row, other)) for other, is_granted in zip(others, granted, strict=True) if is_granted
    ]
    assert suite.least(case, row) <= min(prices, default=10**9)


def test_more_cells_are_not_tried(case, refused, monkeypatch):
    """Without a limit that holds them there is no least cost."""
    monkeypatch.setattr(suite, "MAX_CELLS", 10)
    assert suite.least(case, refused[0]) is None


def test_the_question_is_in_neutral_names(case):
    """A number is a column, a category one of codes whose order is that of the model's columns."""
    question = case.question()
    assert (question["numbers"], question["categories"]) == (["x0", "x1"], ["x2"])
    assert set(question["columns"]["x2"]) == {"v00", "v01", "v02", "v03"}
    assert json.loads(case.model_file())["learner"]["feature_names"] == [
        "x0", "x1", "x2 v00", "x2 v01", "x2 v02", "x2 v03",
    ]  # fmt: skip
    place = case.spec.plain_features[2].domain.index(case.rows[0]["purpose"])
    assert question["columns"]["x2"][0] == f"v{place:02}"
    assert question["columns"]["x0"][0] == case.rows[0]["income"] == 3540 // 200


def test_an_answer_is_somebody(case):
    """Columns become a row again; what is not whole, or has no value or two of a category, is refused."""
    row = case.rows[3]
    point = case.columns([row])[0].tolist()
    assert case.row(point) == {name: row[name] for name in ("income", "debt", "purpose")}
    for wrong, match in (
        ([point[0] + 0.5, *point[1:]], "is not whole"),
        ([*point[:2], 1, 1, 0, 0], "two values"),
        ([*point[:2], 0, 0, 0, 0], "no value"),
        ([*point[:2], 2, 0, 0, 0], "is not whole"),
    ):
        with pytest.raises(BenchError, match=match):
            case.row(wrong)


def test_every_encoding_has_whole_columns():
    """Ranked categories are numbers, others have a column a value, and units are rounded down."""
    ranked = models.trained("lending", 10, 2, None)
    assert [one.name for one in ranked.inputs][:4] == ["age", "education", "years_employed", "income"]
    assert {row["education"] for row in ranked.rows} == {0, 1, 2, 3, 4}
    assert ranked.rows[0]["income"] == 354
    assert ranked.compared["scores"] == len(ranked.rows) + models.RANDOM_ROWS


def test_another_number_is_refused(case, monkeypatch):
    """A threshold, a leaf, and leaves that the committed integers round: each is found."""
    document = json.loads(case.booster.save_raw("json"))
    trees = document["learner"]["gradient_booster"]["model"]["trees"]

    def after(change):
        kept = json.loads(json.dumps(document))
        change(kept["learner"]["gradient_booster"]["model"]["trees"][0])
        booster = models.xgboost.Booster()
        booster.load_model(bytearray(json.dumps(kept).encode()))
        booster.feature_names = case.booster.feature_names
        return booster

    def conditions(tree, node, change):
        tree["split_conditions"][node] += change

    leaf = trees[0]["left_children"].index(-1)
    imported = models.bound_score(models.read_ensemble(case.booster), case.spec, unused=["sex"])
    given = (case.inputs, case.rows[:50])
    assert models.compare(case.model, imported, case.booster, *given)["scores"] == 50 + models.RANDOM_ROWS
    with pytest.raises(BenchError, match="thresholds differ"):
        models.compare(case.model, imported, after(lambda tree: conditions(tree, 0, 1000)), *given)
    with pytest.raises(BenchError, match="scores differ"):
        models.compare(case.model, imported, after(lambda tree: conditions(tree, leaf, 2**-10)), *given)
    monkeypatch.setattr(models, "rounded", lambda booster: booster)
    with pytest.raises(BenchError, match="not the model's numbers"):
        models.trained("lending-few", 5, 3, None)


def test_answers_are_judged_again(case, refused):
    """The cost is of OCEAN's answer, whatever it says itself; an answer that stays refused does not flip."""
    row = refused[0]
    told = {"status": "OPTIMAL", "cpu_s": 0.25, "distance": 99.0, "point": case.columns([row])[0].tolist()}
    same = suite.judged(case, row, told)
    assert same == {"status": "OPTIMAL", "ocean_s": 0.25, "ocean_cost": 0, "ocean_flips": False}
    granted = next(one for one in case.rows if case.score(one) > 0 and one["purpose"] != row["purpose"])
    other = suite.judged(case, row, told | {"point": case.columns([granted])[0].tolist()})
    gaps = sum(abs(granted[name] - row[name]) for name in ("income", "debt"))
    assert (other["ocean_cost"], other["ocean_flips"]) == (gaps + 1, True)
    assert suite.cost(case, row, granted) == Fraction(gaps + 1)
    none = suite.judged(case, row, told | {"status": "UNKNOWN", "point": None})
    assert (none["ocean_cost"], none["ocean_flips"]) == (None, False)


def test_rows_are_counted_and_listed():
    """Rows that OCEAN calls optimal and that do not flip or are dearer have their numbers; so have ours."""
    lines = [
        LINE,
        LINE | {"row": 8, "ocean_flips": False, "ocean_cost": 2},
        LINE | {"row": 9, "ocean_cost": 4, "least": None},
        LINE | {"row": 10, "status": "FEASIBLE", "ocean_cost": 5, "search_s": 0.04},
        LINE | {"row": 11, "cost": 4, "least": 3, "complete": False},
        LINE | {"row": 12, "status": "UNKNOWN", "ocean_cost": None, "ocean_flips": False, "ocean_s": 60.0},
    ]
    found = suite.summary(lines)
    assert [found[name] for name in ("points", "optimal", "complete", "equal")] == [6, 4, 5, 1]
    assert (found["unflipped"], found["dearer"], found["ours_dearer"]) == ([8], [9], [11])
    assert (found["least"], found["tried"]) == (4, 5)
    assert (found["ratio"], found["native_ratio"]) == (20.0, 40.0)
    assert suite.summary([])["ratio"] is None


def test_the_table_has_a_line_for_each_part():
    """Lines have the columns of the head, and name rows that were wrong."""
    part = suite.summary([LINE, LINE | {"row": 8, "ocean_flips": False}])
    part |= {"compared": {"thresholds": 34, "scores": 4000}, "inputs": 6, "nodes": 500}
    head, _, line, other = suite.table({"parts": {"german": part, "adult": part | {"tried": 0}}}).splitlines()
    assert head.count("|") == line.count("|") == other.count("|")
    assert line == (
        "| german | 34 | 6 | 2 | 2 | 1 | 1: 8 | 0 | 0 | 2 of 2 | 0.4 / 0.4 | 0.02 / 0.02 | 0.01 / 0.01 | 20 | 40 |"
    )
    assert "| - |" in other


def test_searches_are_timed_one_by_one():
    """Several processes would spoil the times."""
    assert list(suite.plan(None, Options()).parts) == list(models.SETTINGS)
    with pytest.raises(BenchError, match="one by one"):
        suite.plan(None, Options(jobs=2))


def test_a_model_is_measured_beside_a_program(tmp_path, monkeypatch, case):
    """A program that calls everybody's own row optimal is wrong in every row that it was asked."""
    answer = 'print(json.dumps({"status": "OPTIMAL", "cpu_s": 0.5, "point": row, "distance": 0}), flush=True)'
    monkeypatch.setattr(call, "environment", lambda: program(tmp_path, answer))
    monkeypatch.setattr(suite, "trained", lambda *_: case)
    found = suite.measured("lending-few", suite.Question(points=3), None)
    assert found["versions"] == HEAD["versions"]
    assert found["unflipped"] == [line["row"] for line in found["rows"]]
    assert (found["points"], found["equal"], found["least"]) == (3, 0, 3)
    assert set(found["unflipped"]) <= set(case.test)


def test_failures_of_the_program_are_one_line(tmp_path):
    """Its last line, whether it ends before its head or at a row."""
    with call.running(program(tmp_path, "sys.exit('a\\nno row')"), b"", {}, 1) as running:
        assert running.head == HEAD
        with pytest.raises(BenchError, match=r"^ocean: no row$"):
            running.answer([1])
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho no package >&2\nexit 1\n")
    silent.chmod(0o700)
    with pytest.raises(BenchError, match=r"^ocean: no package$"), call.running(silent, b"", {}, 1):
        pass


def test_the_environment_is_made_once(tmp_path, monkeypatch):
    """From the pins, by the Python that is named; a failure leaves nothing that counts as made."""
    commands = []
    folder = tmp_path / "ocean"
    monkeypatch.setenv(call.PYTHON, "/no/python")
    with pytest.raises(BenchError, match=r"EQUIPROOF_PYTHON312: name a Python 3.12; /no/python: No such file"):
        call.environment(folder)

    def run(command, **_):
        commands.append(command)
        folder.mkdir(exist_ok=True)
        return types.SimpleNamespace(returncode=len(commands) == 2, stderr="first\nno index\n")

    monkeypatch.setattr(call.subprocess, "run", run)
    with pytest.raises(BenchError, match=r"^ocean: packages: no index$"):
        call.environment(folder)
    assert call.environment(folder) == folder / "bin" / "python"
    assert call.environment(folder) == folder / "bin" / "python"
    assert [command[:3] for command in commands[2:]] == [
        ["/no/python", "-m", "venv"],
        [str(folder / "bin" / "python"), "-m", "pip"],
    ]
    assert "oceanpy==2.0.7\n" in call.PINS.read_text()


def test_the_program_asks_as_documented(tmp_path, monkeypatch, capsys):
    """One worker, the sum of differences, the second class; what it prints itself is not taken for an answer."""
    asked = []

    class Explainer:
        def __init__(self, booster, *, mapper):
            assert (booster, mapper) == ("booster", "mapper")
            print("a licence")

        def explain(self, query, **options):
            asked.append((query.tolist(), options))
            return None if query[0] else types.SimpleNamespace(x=query + 1)

        def get_solving_status(self):
            return "OPTIMAL"

        def get_distance(self):
            return 2.0

    def parse(frame, *, discretes, encoded):
        assert (frame, discretes, encoded) == ({"x0": [1]}, ("x0",), ())
        return None, "mapper"

    parts = {
        "ocean": types.SimpleNamespace(
            feature=types.SimpleNamespace(parse_features=parse), ConstraintProgrammingExplainer=Explainer
        ),
        "pandas": types.SimpleNamespace(DataFrame=dict),
        "xgboost": types.SimpleNamespace(Booster=lambda model_file: "booster"),
        "numpy": np,
    }
    monkeypatch.setattr(rival.importlib, "import_module", parts.__getitem__)
    monkeypatch.setattr(rival, "version", lambda name: f"{name} 1")
    monkeypatch.setattr(sys, "stdin", io.StringIO("[0, 2]\n[1, 2]\n"))
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    (tmp_path / "question").write_text(json.dumps({"columns": {"x0": [1]}, "numbers": ["x0"], "categories": []}))
    rival.main("model", str(tmp_path / "question"), "60")
    head, first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert head["versions"]["oceanpy"] == "oceanpy 1"
    assert (first["point"], first["distance"], second["point"]) == ([1.0, 3.0], 2.0, None)
    options = {"y": 1, "norm": 1, "max_time": 60, "num_workers": 1}
    assert asked == [([0.0, 2.0], options), ([1.0, 2.0], options)]
