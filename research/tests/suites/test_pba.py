"""The suite `pba`: measured on a small network, shown on the page, gaps with intervals."""

import json

import pytest

from bench.harness import BenchError
from bench.parts import Options
from equiproof.audits.intervals import share
from equiproof.audits.pba.preparation import PREPARATIONS, Preparation
from research.suites.pba import suite as pba
from research.suites.pba import tables as pba_tables
from tests.audits.pba.lending import two_logits

MODEL = pba.Model("lending", "sex", (100, 50), "agnostic")
GROUPS = {"sex": ("female", "male")}


@pytest.fixture(scope="module")
def results():
    """Two people of each group of a network that was hardly trained."""
    patch = pytest.MonkeyPatch()
    patch.setitem(
        PREPARATIONS, "lending", Preparation("lending", GROUPS, favorable=1, kept=lambda _: True, changed=dict)
    )
    question = pba.Question(points=2, seconds=30, epochs=(("lending", 2),), models=(MODEL,))
    found = pba.measured(two_logits(), MODEL, question)
    patch.undo()
    return {"parts": {MODEL.name: found}}


def test_everybody_is_asked_at_every_delta(results):
    """Two people of each of two groups have two settings each, at each of three deltas."""
    part = results["parts"][MODEL.name]
    assert list(part["deltas"]) == ["1", "2", "3"]
    for found in part["deltas"].values():
        assert sum(found["answers"].values()) == 8
        assert found["paper_true"] <= found["answers"]["true"]
        assert 0 < found["processor_s"] <= found["processor_s_max"]
        assert {one["n"] for one in found["shares"]} == {2}


def test_the_page_tells_every_network(results):
    """Results that were read back make the same tables; each has a line for the network, or for its size and delta."""
    again = json.loads(json.dumps(results))
    for block, lines in ((pba_tables.seconds, 3), (pba_tables.scores, 1), (pba_tables.finding, 1)):
        assert block(again) == block(results)
        assert len(block(results).splitlines()) == 2 + lines
    assert "lending sex" in pba_tables.scores(results)
    line = pba_tables.gaps(again).splitlines()[2]
    assert line.startswith("| lending sex | (100,50) agnostic | 2 / 2 | ")
    assert line.count("[") == 5


def test_more_people_are_asked_of_the_smallest_networks():
    """Twelve networks, at delta 1 alone."""
    plan = pba.plan(None, Options(), pba.MANY)
    assert len(plan.parts) == 12
    assert all("-100-50-" in name for name in plan.parts)
    assert plan.question["points"] > 4 * 24


def test_a_gap_above_all_others_is_told():
    """Shares of 0 and 1 over 200 people are a gap above those of the other measures, which are none."""

    def shares(measure, *values):
        return [share(measure, value, 200, group=(("sex", name),)) for name, value in zip("fm", values, strict=True)]

    shared = {"groups": ["f", "m"], "dataset": "d", "attribute": "sex", "hidden": [4], "mode": "agnostic"}
    for count, words in ((120, "all four"), (55, "")):
        estimates = [*shares("RB observed", 50, 50), *shares("PBA observed", 50, count)]
        part = shared | {
            "baselines": [pba.plain(one) for other in ("SP", "EO", "CFA") for one in shares(other, 50, 50)],
            "deltas": {"1": {"shares": [pba.plain(one) for one in estimates]}},
        }
        assert pba_tables.gaps({"parts": {"one": part}}).splitlines()[2].endswith(f"| {words} |")


def test_gaps_have_newcombes_interval():
    """Newcombe's own example (1998, table II, row a, method 10): 56/70 and 48/80 differ by 0.2, 0.0524 to 0.3339."""
    first = {"value": 0.8, "lower": 0.6918, "upper": 0.8769}
    second = {"value": 0.6, "lower": 0.4904, "upper": 0.7003}
    gap, low, high = pba_tables.newcombe(first, second)
    assert (gap, low, high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-4)
    assert pba_tables.newcombe(second, first) == (gap, low, high)
    assert pba_tables.newcombe(first, first)[:2] == (0.0, 0.0)
    assert pba_tables.newcombe(first, {"value": None, "lower": None, "upper": None}) == (0.0, 0.0, 1.0)


def test_all_of_the_papers_models_are_parts():
    """Four attributes of three data sets, three sizes, three ways to train; and one process at a time."""
    parts = pba.plan(None, Options()).parts
    assert len(parts) == 36
    assert "adult-race-500-100-fair-n" in parts
    with pytest.raises(BenchError, match="want --jobs 1"):
        pba.plan(None, Options(jobs=2))
