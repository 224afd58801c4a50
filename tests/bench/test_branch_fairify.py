"""The networks of Fairify under scheme `branch`: searched, proven under the largest key that fits."""

import json

import pytest

from bench import kept
from bench.branch import fairify
from bench.harness import BenchError, nothing
from bench.parts import Options, measure
from equiproof.circuits.shape import branch_shape
from equiproof.ffi import backend

pytestmark = pytest.mark.slow

OPTIONS = Options(points=2, seconds=20)


@pytest.fixture(scope="module")
def results(public_data):
    """Two applicants of the smallest network."""
    plan = fairify.plan(public_data, OPTIONS, fairify.Question(networks=("GC-4",), capacity=4))
    return measure("fairify", plan, OPTIONS, None, lambda _: None, nothing)


@pytest.mark.shared
def test_a_network_is_searched_and_proven(results):
    """Every applicant is counted, radii lie within what is known, and one proof is made and checked."""
    part = results["parts"]["GC-4"]
    assert (part["hidden"], part["capacity"]) == ([6, 4], 4)
    assert part["fair_points"] + part["unfair_points"] == 2
    assert (part["proofs"], part["proof_bytes"]) == (1, 196)
    assert all(radius <= most for radius, most in zip(part["radius_all"], part["most_all"], strict=True))
    assert part["constraints"] > 0


@pytest.mark.shared
def test_the_table_has_a_line_for_each(results):
    """Results that were read back make the same table, with a line for the network."""
    read = json.loads(json.dumps(results))
    assert fairify.table(read) == fairify.table(results)
    assert fairify.table(read).splitlines()[2].startswith("| GC-4 6-4 | ")


def test_the_capacity_is_the_largest_that_fits(loans):
    """Of the capacities up to the cap, the largest within the constraints is taken, but LEAST leaves in any case."""
    hidden = loans.opening.network.hidden
    costs = {
        capacity: backend.describe(branch_shape(loans.spec, hidden, capacity).document).constraints
        for capacity in (16, 32)
    }
    assert fairify.fitting(loans.opening, 64, costs[32]).capacity == 32
    assert fairify.fitting(loans.opening, 64, costs[32] - 1).capacity == 16
    assert fairify.fitting(loans.opening, 32, 10**6).capacity == 32
    assert fairify.fitting(loans.opening, 64, costs[16] - 1).capacity == fairify.LEAST == 16
    assert fairify.fitting(loans.opening, 8, 1).capacity == 8


def test_missing_networks_are_told(tmp_path):
    """Without the folder of the networks, one line says where they are wanted."""
    with pytest.raises(BenchError, match="fairify_nets: want the networks of Fairify"):
        measure("fairify", fairify.plan(tmp_path, OPTIONS), OPTIONS, None, lambda _: None, nothing)


@pytest.mark.skipif(not kept.is_kept("fairify"), reason="no results are kept")
def test_all_networks_are_kept():
    """The kept results are of all 25 networks, each proven once or without a fair applicant."""
    measured = kept.load("fairify")["parts"]
    assert list(measured) == list(fairify.Question().networks)
    assert all(part["proofs"] == min(1, part["fair_points"]) for part in measured.values())
