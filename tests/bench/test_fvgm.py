"""The suite of the audit fvgm: parts on small questions, and the page's tables and figures from their results."""

import json

import numpy as np
import pytest

from bench.fvgm import accuracy, applications, cost, ladder
from bench.fvgm.populations import Population
from bench.fvgm.suite import BLOCKS, FIGURES, plan
from bench.parts import Options


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
    assert kinds == {"accuracy", "ladder", "cost", "three", "repair", "poison", "influence"}
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
    told = accuracy._summary(
        [accuracy.Found(0.5, 0.6, 0.9, 0.5, 0.5, 0.5, 1.0), accuracy.Found(0.3, 0.2, 0.9, 0.4, 0.3, 0.4, 3.0)]
    )
    assert (told["exact"], told["network"], told["network_difference"]) == (0.4, 0.4, 0.0)
    assert (told["network_error"], told["network_max"], told["counted_error"]) == (0.1, 0.1, 0.05)
    assert (told["known_error"], told["gaussian_error"]) == (0.0, 0.05)


def test_repairs_are_verified_on_rows_of_their_own():
    """On biased rows both repairs raise the disparate impact."""
    rng = np.random.default_rng(2)
    group, a, b = (rng.integers(0, k, 1500) for k in (2, 4, 4))
    labels = (rng.random(1500) < 0.1 + 0.1 * a + 0.4 * group).astype(np.int64)
    columns = {"a": a.astype(float), "b": b.astype(float), "sex": np.array(["f", "m"], dtype=object)[group]}
    whole = Population("rows", columns, labels, ("sex",))
    found = applications._mapped(whole, ("a", "b"), group, None)
    assert found["mapped"]["disparate impact"] > found["before"]["disparate impact"] + 0.1


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
        "influence": {"Female": effect, "Male": effect, "disparate impact": effect},
    }
    results = json.loads(json.dumps({"parts": parts}))
    for block in BLOCKS.values():
        assert len(block(results).splitlines()) >= 3
    for name, draw in FIGURES.items():
        draw(results, tmp_path / f"{name}.svg")
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
