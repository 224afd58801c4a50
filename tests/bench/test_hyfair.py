"""The suite of discrimination clusters: its parts, its domains, and one small measurement of the whole way."""

import json
import os
from pathlib import Path

import pytest

from bench.harness import BenchError
from bench.hyfair import suite, tables
from bench.hyfair.networks import NETWORKS, PROTECTED, open_network, rows_of
from bench.hyfair.published import PAPER
from bench.parts import Options

DATA = Path(os.environ.get("EQUIPROOF_DATA", ""))
shared = pytest.mark.skipif(
    not os.environ.get("EQUIPROOF_DATA"), reason="EQUIPROOF_DATA does not name the public data sets"
)


def test_there_is_a_part_for_every_network_of_the_paper():
    """Twenty, each with the paper's figures beside it."""
    assert list(suite.plan(DATA, Options()).parts) == NETWORKS == list(PAPER)


def test_searches_are_timed_one_by_one():
    """Several processes are refused, and so is a place without the networks."""
    with pytest.raises(BenchError, match="--jobs is 1"):
        suite.plan(DATA, Options(jobs=2))
    with pytest.raises(BenchError, match="want the networks"):
        suite.plan(Path("/nowhere"), Options()).parts["AC-8"]()


@pytest.mark.shared
@shared
def test_domains_are_bound_by_name_and_enlarged_as_stated():
    """Adult has 10 and 90 groups, Bank 2 and 9; whatever is not protected keeps its declared range."""
    for name, groups in (("AC-8", (10, 90)), ("BM-6", (2, 9))):
        domains = PROTECTED[name[:2]]
        opened = [open_network(DATA / "fairify_nets", name, domains[kind]) for kind in ("published", "enlarged")]
        assert tuple(len(one.grid.table) for one in opened) == groups
        published = opened[0].grid
        assert set(published.names) | set(published.protected) == set(opened[0].imported.columns)
    assert published.values[published.names.index("duration")][-1] == "5000"


@pytest.mark.slow
@pytest.mark.shared
@shared
def test_a_part_is_measured_replayed_and_written_down():
    """The smallest network, with the smallest budgets, through every step; all of it is plain data."""
    asked = suite.Question(seconds=0.1, solver_seconds=5.0, reach_seconds=1.0, samples=500, retraining_epochs=1)
    part = suite.measured(DATA, "AC-8", asked)
    assert json.loads(json.dumps(part)) == part
    assert part["settled"]["apart"]["verdict"] == part["settled"]["flipped"]["verdict"] == "unfair"
    assert part["mitigation"]["original"]["max_k"] == part["enlarged"]["anneal"]["max_k"]
    for write in (tables.verdicts, tables.searches, tables.explanations, tables.mitigation):
        assert "AC-8 5-5" in write({"parts": {"AC-8": part}})


@pytest.mark.slow
@pytest.mark.shared
@shared
def test_rows_are_coded_as_the_networks_were_trained():
    """On them a network is as accurate as those it was published with say, within two points."""
    for name, told in (("AC-8", 0.8245), ("BM-6", 0.8989)):
        opened = open_network(DATA / "fairify_nets", name, PROTECTED[name[:2]]["enlarged"])
        rows = rows_of(DATA, name, opened)
        assert suite.accuracy(opened.imported.network, rows) == pytest.approx(told, abs=0.02)
        assert len(rows.applicants) == len(rows.labels)
