"""The suite of discrimination clusters: its parts, its domains, and one small measurement of the whole way."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from bench.harness import THREADS, BenchError, on_one_thread
from bench.parts import Options
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.ceiling import BySigns, ceiling, recheck
from equiproof.audits.hyfair.search import Plan, search
from research.suites.hyfair import searches, suite, tables
from research.suites.hyfair.networks import NETWORKS, PROTECTED, open_network, rows_of
from research.suites.hyfair.published import PAPER

DATA = Path(os.environ.get("EQUIPROOF_DATA", ""))
shared = pytest.mark.skipif(
    not os.environ.get("EQUIPROOF_DATA"), reason="EQUIPROOF_DATA does not name the public data sets"
)


def test_there_is_a_part_for_every_network_of_the_paper():
    """Twenty, each with the paper's figures beside it."""
    assert list(suite.plan(DATA, Options()).parts) == NETWORKS == list(PAPER)
    assert list(searches.plan(DATA, Options()).parts) == NETWORKS


def test_searches_are_timed_one_by_one():
    """Several processes are refused, and so is a place without the networks."""
    for one in (suite, searches):
        with pytest.raises(BenchError, match="want --jobs 1"):
            one.plan(DATA, Options(jobs=2))
        with pytest.raises(BenchError, match="want the networks"):
            one.measured(Path("/nowhere"), "AC-8", one.Question())


def test_a_bound_that_a_search_reached_is_not_shown():
    """What no applicant exceeds is a figure where less is known to occur, or where evidence shows it."""
    record = {"groups": 90, "max_s": 0.5, "ceiling_s": 15.2}
    found = {
        "reached": {**record, "max_k": 20, "at_most": 20, "checked_leaves": None},
        "open": {**record, "max_k": 19, "at_most": 20, "checked_leaves": None},
        "shown": {**record, "max_k": 17, "at_most": 17, "checked_leaves": 434},
    }
    part = {"hidden": [5, 5], "reached": found}
    cells = [line.split("|")[-2].strip() for line in tables.reached({"parts": {"AC-8": part}}).splitlines()[2:]]
    assert cells == ["", "20 (nothing less shown in 15 s)", "17 (434 leaves, 15 s)"]


def test_they_take_one_thread_in_a_process_of_their_own(monkeypatch):
    """Processor time of threads that wait would count; what the variables were before, they are afterwards."""
    monkeypatch.setenv(THREADS[0], "2")
    monkeypatch.delenv(THREADS[1], raising=False)
    before = dict(os.environ)
    assert on_one_thread(os.getenv, THREADS[0]) == "1"
    assert on_one_thread(os.getpid) != os.getpid()
    with pytest.raises(BenchError, match="want the networks"):
        on_one_thread(suite.measured, Path("/nowhere"), "AC-8", suite.Question())
    assert dict(os.environ) == before


@pytest.mark.shared
@shared
def test_domains_are_bound_by_name_and_enlarged_as_stated():
    """Adult has 10, 90 and 910 groups, Bank 2, 9 and 10; whatever is not protected keeps its declared range."""
    for name, groups in (("AC-8", (10, 90, 910)), ("BM-6", (2, 9, 10))):
        domains = PROTECTED[name[:2]]
        opened = [open_network(DATA, name, domains[kind]) for kind in domains]
        assert tuple(len(one.grid.table) for one in opened) == groups
        published = opened[0].grid
        assert set(published.names) | set(published.protected) == set(opened[0].imported.columns)
    assert published.values[published.names.index("duration")][-1] == "5000"


@pytest.mark.slow
@pytest.mark.shared
@shared
def test_a_part_is_measured_replayed_and_written_down():
    """The smallest network, with the smallest budgets, through every step; all of it is plain data."""
    asked = suite.Question(seconds=0.1, solver_seconds=5.0, samples=500, retraining_epochs=1)
    part = suite.measured(DATA, "AC-8", asked)
    assert json.loads(json.dumps(part)) == part
    assert part["settled"]["apart"]["verdict"] == part["settled"]["flipped"]["verdict"] == "unfair"
    assert part["mitigation"]["original"]["max_k"] > 2
    for write in (tables.verdicts, tables.mitigation):
        assert "AC-8 5-5" in write({"parts": {"AC-8": part}})


@pytest.mark.slow
@pytest.mark.shared
@shared
def test_searches_of_a_network_are_measured_with_every_seed_and_written_down():
    """The smallest budgets; where they do not suffice for the paper's k, the bound from above and the wider domain."""
    asked = searches.Question(seconds=0.05, points=200, seeds=2, ceiling_seconds=0.2, reach_seconds=0.2)
    part = searches.measured(DATA, "BM-3", asked)
    assert json.loads(json.dumps(part)) == part
    assert len(part["runs"]) == 2
    assert part["runs"][0] != part["runs"][1]
    assert part["reached"]["enlarged"]["max_k"] <= part["reached"]["enlarged"]["at_most"] <= 9
    assert part["reached"]["wider"]["groups"] == 10
    for run in part["runs"]:
        assert run["local"]["k"] == max(found["max_k"] for found in run["enlarged"].values())
        assert set(run["local"]["features"]) <= {"age", *open_bank().grid.names}
    for write in (tables.alternated, tables.searches, tables.reached, tables.explanations):
        assert "BM-3 100" in write({"parts": {"BM-3": part}})


def open_bank():
    """The network of the test on its enlarged domain."""
    return open_network(DATA, "BM-3", PROTECTED["BM"]["enlarged"])


def test_a_spread_is_the_median_and_the_ends_where_they_differ():
    """As they are written, so that equal figures are written once; what was not found is left out."""
    runs = [{"k": 1.04}, {"k": 3.0}, {"k": None}, {"k": 0.96}]
    assert tables.spread(runs, "k", ".1f") == "1.0 (1.0 to 3.0)"
    assert tables.spread(runs[::3], "k", ".1f") == "1.0"
    assert tables.spread(runs[2:3], "k", ".1f") == "-"


@pytest.mark.slow
@pytest.mark.shared
@shared
def test_rows_are_coded_as_the_networks_were_trained():
    """On them a network is as accurate as those it was published with say, within two points."""
    for name, printed in (("AC-8", 0.8245), ("BM-6", 0.8989)):
        opened = open_network(DATA, name, PROTECTED[name[:2]]["enlarged"])
        rows = rows_of(DATA, name, opened)
        assert suite.accuracy(opened.imported.network, rows) == pytest.approx(printed, abs=0.02)
        assert len(rows.applicants) == len(rows.labels)


@pytest.mark.slow
@pytest.mark.shared
@shared
@pytest.mark.sampled(1)
@pytest.mark.parametrize("domain", ["enlarged", "wider"])
def test_no_applicant_of_ac_9_has_more_clusters_than_are_found(domain):
    """17 of the paper's 19: one applicant has them, and evidence by signs, checked again, excludes more."""
    judge = open_network(DATA, "AC-9", PROTECTED["AC"][domain]).judge
    found = search(judge, Plan(seconds=600.0, target=17), np.random.default_rng(0))
    above = ceiling(judge, found.max_k, Budget(100_000, 600.0))
    assert judge.exactly(found.best)[0] == found.max_k == above.most == 17
    assert isinstance(above.tree, BySigns)
    recheck(judge, above)
