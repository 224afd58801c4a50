"""Larger networks under scheme `branch`: measured on small ones, with few and with more leaves."""

import json

import pytest

from bench import kept
from bench.branch import larger
from bench.harness import BenchError, nothing
from bench.parts import Options, measure
from bench.seeded import spec_of
from equiproof.certify.models.training import Settings
from equiproof.circuits.shape import branch_shape
from equiproof.ffi import backend

pytestmark = pytest.mark.slow

QUESTION = larger.Question(
    datasets=("lending",), hidden=((6, 4),), capacities=(4, 8), proofs=1, settings=Settings(epochs=3)
)


@pytest.fixture(scope="module")
def results():
    """Four applicants of one small network."""
    options = Options(points=4, seconds=20)
    return measure("larger", larger.plan(None, options, QUESTION), options, None, lambda _: None, nothing)


def test_each_capacity_is_certified_and_proven(results):
    """Each capacity has the constraints of its shape and a radius for each fair point, never beyond what is known."""
    part = results["parts"]["lending-6-4"]
    assert part["fair_points"] + part["unfair_points"] == 4
    assert [of["capacity"] for of in part["capacities"]] == [4, 8]
    for of in part["capacities"]:
        shape = branch_shape(spec_of(part["plain_columns"], part["slices"]), (6, 4), of["capacity"])
        assert of["constraints"] == backend.describe(shape.document).constraints
        assert (of["proofs"], of["proof_bytes"]) == (1, 196)
        assert of["leaves_max"] <= of["capacity"]
        assert of["setup_mb"] > 0
        assert all(radius <= most for radius, most in zip(of["radius_all"], part["most_all"], strict=True))
    assert "settings" not in results["question"]


def test_shares_are_of_what_is_known():
    """Shares of the exact radius stand apart from those of an upper bound; a radius of 0 has none."""
    part = {"most_all": [2.0, 4.0, 0.0], "known_all": [1, 0, 1]}
    assert larger.shares(part, {"radius_all": [1.5, 1.0, 0.0]}) == ([0.75], [0.25])


def test_tables_mark_what_is_missed(results):
    """Results that were read back make tables; what takes longer than its limit is marked."""
    read = json.loads(json.dumps(results))
    assert larger.reach(read).count("| Lending (6,4) |") == larger.costs(read).count("| Lending (6,4) |") == 2
    assert "more than" not in larger.costs(read)
    part = read["parts"]["lending-6-4"]
    part["hidden"] = [100, 50]
    part["capacities"][1] |= {"prove_s": 6.5, "peak_mb": 3100.0}
    assert "more than 6)" in larger.costs(read)
    assert "3,100 (more than 3000)" in larger.costs(read)


def test_more_points_than_rows_are_refused():
    """A sample larger than the test rows is reported in one line."""
    options = Options(points=10**6)
    with pytest.raises(BenchError, match="--points 1000000: lending has"):
        measure("larger", larger.plan(None, options, QUESTION), options, None, lambda _: None, nothing)


@pytest.mark.skipif(not kept.is_kept("larger"), reason="no results are kept")
def test_kept_costs_are_of_the_circuits_as_they_are():
    """The kept constraint counts are those of today's library, of networks that compile at once."""
    for part in kept.load("larger")["parts"].values():
        for of in part["capacities"] if sum(part["hidden"]) < 64 else []:
            spec = spec_of(part["plain_columns"], part["slices"])
            shape = branch_shape(spec, tuple(part["hidden"]), of["capacity"])
            assert backend.describe(shape.document).constraints == of["constraints"]
