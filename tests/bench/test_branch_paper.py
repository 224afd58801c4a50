"""The paper's models under scheme `branch`: measured on a small network, compared by hand, and shown on the page."""

import dataclasses
import json

import pytest

from bench import kept
from bench.branch import paper
from bench.branch.points import Branched, Known
from bench.harness import nothing
from bench.paper.cases import PAPER, Case
from bench.parts import Options, measure
from bench.seeded import spec_of
from equiproof.certify.branch import BranchEvidence
from equiproof.circuits.shape import branch_shape
from equiproof.ffi import backend

pytestmark = pytest.mark.slow

CASE = Case("lending", "lending", (3, 2), 8, 0.01)


@pytest.fixture(scope="module")
def results():
    """Four applicants of a small network under a key of four leaves."""
    options = Options(points=4, seconds=20)
    plan = paper.plan(None, options, paper.Question(capacity=4, cases=(CASE,)))
    return measure("branch", plan, options, None, lambda _: None, nothing)


def test_every_fair_point_is_proven(results):
    """The figures are of the shape and of all fair points: constraints that compile, proofs of 196 bytes."""
    part = results["parts"]["lending"]
    assert results["question"] == {"points": 4, "seconds": 20, "jobs": 2, "seed": 1, "capacity": 4}
    assert part["fair_points"] + part["unfair_points"] == 4
    assert part["proofs"] == part["fair_points"] == len(part["radius_all"]) > 0
    shape = branch_shape(spec_of(part["plain_columns"], part["slices"]), CASE.hidden, 4)
    assert part["constraints"] == backend.describe(shape.document).constraints
    assert part["proof_bytes"] == 196
    assert min(part["prove_s"], part["certify_s"], part["check_ms"], part["peak_mb"]) > 0
    assert part["leaves_max"] <= 4


def test_radii_are_no_larger_than_the_exact_ones(results):
    """What is certified, by either scheme, lies within the exact radius; what is reached is that."""
    part = results["parts"]["lending"]
    for radius, walk, exact in zip(part["radius_all"], part["walk_all"], part["exact_all"], strict=True):
        assert max(radius, walk) <= exact
    reached = sum(abs(one - two) < 1e-3 for one, two in zip(part["radius_all"], part["exact_all"], strict=True))
    assert part["reached_points"] <= reached
    assert part["known_points"] == part["fair_points"]


def point(radius, most, walk=0, full=0, needed=None):
    """Return a made-up fair point."""
    nothing_else = dict.fromkeys((field.name for field in dataclasses.fields(BranchEvidence)), ())
    evidence = BranchEvidence(**{**nothing_else, "label": 1, "radius_squared": radius})
    return paper.Point(
        Branched(evidence, Known(radius, most), 0.5, 9, None), Known(most, most), 0.25, walk, full, needed
    )


def test_points_are_counted_by_what_they_reach():
    """One unit short is reached; the rest tell what they need; a walk that got farther is counted."""
    points = [point(100, 100), point(99, 100, full=100), point(98, 100, needed=70), point(50, 100, walk=60, full=60)]
    found = paper.compared(points)
    assert (found["fair_points"], found["reached_points"]) == (4, 2)
    assert (found["needed_leaves"], found["unreached_points"]) == ([70], 1)
    assert found["below_walk_points"] == 2


def test_tables_mark_what_is_missed(results, tmp_path):
    """Results that were read back make tables and a figure; a missed limit or share is marked, a kept one is not."""
    read = json.loads(json.dumps(results))
    part = read["parts"]["lending"]
    part |= {"reached_points": part["fair_points"], "prove_s": 0.4, "check_ms": 2.0, "constraints": 32_000}
    assert "more than" not in paper.costs(read)
    assert "fewer than" not in paper.reach(read)
    assert "| Lending (3,2) |" in paper.reach(read)
    part |= {"reached_points": 0, "prove_s": 0.6, "constraints": 32_001, "needed_leaves": [90], "unreached_points": 1}
    assert "32,001 (more than 32000)" in paper.costs(read)
    assert "(more than 0.5)" in paper.costs(read)
    assert "| 0 (fewer than 95%) | 90, 1 in no time |" in paper.reach(read)
    for name in ("one", "two"):
        paper.plot(read, tmp_path / "branch-radii.svg")
        (tmp_path / "branch-radii.svg").rename(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert ">Lending (3,2)<" in (tmp_path / "one").read_text()


@pytest.mark.skipif(not kept.is_kept("branch"), reason="no results are kept")
def test_kept_costs_are_of_the_circuits_as_they_are():
    """A change of a circuit shows: the kept constraint counts are those of today's library, for all six models."""
    measured = kept.load("branch")
    assert list(measured["parts"]) == [case.name for case in PAPER]
    for part in measured["parts"].values():
        spec = spec_of(part["plain_columns"], part["slices"])
        shape = branch_shape(spec, tuple(part["hidden"]), measured["question"]["capacity"])
        assert backend.describe(shape.document).constraints == part["constraints"]
