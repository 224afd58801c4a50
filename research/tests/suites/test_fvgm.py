"""The suite of the audit fvgm: parts on small questions, and the page's tables and figures from their results."""

import json

import numpy as np
import pytest

from bench.parts import Options
from equiproof.audits.fvgm.scaling import Scores
from research.suites.fvgm import accuracy, applications, compound, cost, ladder, published, trees
from research.suites.fvgm.populations import Population
from research.suites.fvgm.suite import BLOCKS, FIGURES, plan

pytestmark = pytest.mark.slow


@pytest.fixture
def small(monkeypatch):
    """Few and small cases."""
    monkeypatch.setattr(cost, "SMALL", (3, 5))
    monkeypatch.setattr(cost, "FEATURES", (5, 10, 20))
    monkeypatch.setattr(cost, "WEIGHTS", (5, 50, 500))
    monkeypatch.setattr(cost, "OPEN", (0, 1, 2))
    monkeypatch.setattr(cost, "BASE", 6)


def test_every_block_has_its_parts():
    """The plan names accuracy, ladder, costs and applications; the question keeps the number of populations."""
    found = plan(None, Options(points=7))
    kinds = {name.split("-")[0] for name in found.parts}
    assert kinds == {
        "accuracy", "ladder", "cost", "three", "repair", "poison", "influence", "compound", "tree", "published",
    }  # fmt: skip
    assert len(ladder.SETS) * ladder.FOLDS * len(ladder.QUARTERS) == 100
    assert found.question["points"] == 7


def test_ways_agree_and_cost_grows(small):
    """On small networks the ways agree exactly, and more weights or open values keep more numbers."""
    assert all(case["equal"] and case["enclosed"] for case in cost.three_ways(1)["cases"])
    for points in cost.curves(1).values():
        numbers = [point["cells"] for point in points]
        assert numbers == sorted(numbers)
        assert numbers[0] < numbers[-1]


def test_one_population_is_verified_beside_its_closed_form():
    """A population's network is nearer to the closed form than independence, and errors are summed as they are."""
    found = accuracy.solve(accuracy.Task(4, 3000, 0, "SVM", 3))
    assert abs(found.network - found.exact) < abs(found.independent - found.exact)
    fresh = accuracy.solve(accuracy.Task(4, 3000, 1000, "SVM", 3))
    assert fresh.exact == found.exact
    assert fresh.counted != found.counted
    assert max(abs(one.known - one.exact) for one in (found, fresh)) < 0.02
    assert abs(found.gaussian - found.exact) < 0.02
    summary = accuracy._summary(
        [accuracy.Found(0.5, 0.6, 0.9, 0.5, 0.5, 0.5, 1.0), accuracy.Found(0.3, 0.2, 0.9, 0.4, 0.3, 0.4, 3.0)]
    )
    assert (summary["exact"], summary["network"], summary["network_difference"]) == (0.4, 0.4, 0.0)
    assert (summary["network_error"], summary["network_max"], summary["counted_error"]) == (0.1, 0.1, 0.05)
    assert (summary["known_error"], summary["gaussian_error"]) == (0.0, 0.05)


def test_repairs_are_verified_on_rows_of_their_own():
    """On biased rows both repairs raise the disparate impact."""
    rng = np.random.default_rng(2)
    group, a, b = (rng.integers(0, k, 1500) for k in (2, 4, 4))
    labels = (rng.random(1500) < 0.1 + 0.1 * a + 0.4 * group).astype(np.int64)
    columns = {"a": a.astype(float), "b": b.astype(float), "sex": np.array(["f", "m"], dtype=object)[group]}
    whole = Population("rows", columns, labels, ("sex",))
    found = applications._mapped(whole, ("a", "b"), group, None)
    assert found["mapped"]["disparate impact"] > found["before"]["disparate impact"] + 0.1


def widened():
    """Results of compound groups, trees and printed figures, as they are kept."""
    case = {
        "sensitive": ["age", "sex"], "groups": 3, "of": 4, "metrics": dict.fromkeys(compound.METRICS, 0.5),
        "counted_impact": 0.5, "most": [["old", "m"], 0.6], "least": [["young", "f"], 0.3], "impact": 0.5,
    }  # fmt: skip
    tree = dict.fromkeys(("leaves", "clauses", "features", "rows", "disagree", "groups"), 2)
    tree |= {f"{kind}{metric}": 0.5 for kind in ("", "independent_", "counted_") for metric in ("impact", "parity")}
    tree |= {"dataset": "german", "sensitive": ["age"], "learning_s": 0.1, "shares_s": 0.1}
    errors = {
        f"{kind}_{metric}": 0.1 for kind in ("network", "independent", "counted") for metric in ("impact", "parity")
    }
    return {
        "compound-german": {"dataset": "german", "cases": [case]},
        "tree-example": {"sizes": [{"rows": 100, **errors}, {"rows": 1000, **errors}]},
        "tree-german": tree,
        "published": {"accuracy": published.ACCURACY, "metrics": {name: [0.5, 0.1] for name in published.THEIRS}},
    }


def test_compound_groups_are_verified_of_one_model():
    """The model stays the same: its shares of the rows by two features together differ at least as much as by one."""
    rng = np.random.default_rng(3)
    age, sex = rng.integers(20, 60, 2000).astype(float), rng.integers(0, 2, 2000)
    pay = rng.normal(30 + 5 * sex + 0.3 * age, 8)
    columns = {"age": age, "sex": np.array(["f", "m"], dtype=object)[sex], "pay": pay, "job": rng.normal(size=2000)}
    whole = Population("rows", columns, (pay > 44).astype(np.int64), ("age", "sex"))
    scores = Scores(np.array([0.0, 0.0, 1.0, 0.0]), 0.0)
    found = [compound._case("german", scores, whole.rows(), whole.labels, one) for one in (("sex",), ("age", "sex"))]
    assert [case["of"] for case in found] == [2, 4]
    assert found[1]["counted_impact"] <= found[0]["counted_impact"]
    for case in found:
        assert abs(case["impact"] - case["counted_impact"]) < 0.1
        assert case["impact"] == round(case["metrics"]["disparate impact"], 4)
    assert found[0]["most"][0] == ["m"]


def test_trees_of_the_example_are_verified_against_the_population(monkeypatch):
    """With more rows the network's error falls, and independence stays far off."""
    monkeypatch.setattr(trees, "SIZES", (100, 10_000))
    monkeypatch.setattr(trees, "SEEDS", 3)
    found = trees.example()
    few, many = found["sizes"]
    assert many["network_impact"] < few["network_impact"]
    assert many["network_parity"] < 0.03
    assert many["independent_parity"] > 0.5


@pytest.mark.shared
def test_printed_figures_are_met_where_the_coding_is_theirs(public_data):
    """Accuracies of the models made again are those printed, and shares of the rule within the stated tolerance."""
    found = published.measured(public_data)
    assert found["accuracy"] == pytest.approx(published.ACCURACY, abs=1e-12)
    for name, within in published.WITHIN.items():
        for own, theirs, most in zip(found["metrics"][name], published.THEIRS[name], within, strict=True):
            assert abs(own - theirs) <= most
    assert found["most"] == {"race": "Asian-Pac-Islander", "sex": "Male"}


def test_tables_and_figures_are_made_of_results(small, tmp_path):
    """Results that were read back make every table and figure."""
    case = dict.fromkeys(("exact", "network", "independent", "network_difference", "network_error", "network_max"), 0.1)
    case |= dict.fromkeys(("counted_error", "known_error", "gaussian_error", "seconds"), 0.1)
    names = [f"{model} {rows} {fresh}" for model in accuracy.MODELS for rows, fresh in accuracy.SIZES]
    problem = dict.fromkeys(("seconds", "cpu_s", "shares_s", "agreement", "impact"), 0.5) | {
        "features": 3,
        "columns": 4,
    }
    metrics = dict.fromkeys(applications.METRICS, 0.5)
    effect = {"share": 0.5, "influence": {"age": 0.1}}
    parts = {
        "accuracy-2": {"features": 2, "cases": dict.fromkeys(names, case)},
        "ladder-german": {"dataset": "german", "problems": [problem]},
        "cost": cost.curves(1),
        "three-ways": cost.three_ways(1),
        "repair-german-sex": {
            "case": "german-sex",
            **dict.fromkeys(("plain", "reweighed", "before", "mapped"), metrics),
        },
        "poison": {"points": [{"poisoned": 0, "impact": 0.9, "parity": 0.1, "alarm": False}]},
        "influence-compas": {"Female": effect, "Male": effect, "disparate impact": effect},
        **widened(),
    }
    results = json.loads(json.dumps({"parts": parts}))
    for block in BLOCKS.values():
        assert len(block(results).splitlines()) >= 3
    for name, draw in FIGURES.items():
        draw(results, tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
