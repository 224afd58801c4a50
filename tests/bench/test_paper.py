"""One case of the paper's evaluation from the command line, and what its tables say of it."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.harness import spread
from bench.paper import plots, tables
from bench.paper.cases import CASES, PAPER
from equiproof.certify.data import load
from equiproof.certify.models.training import train_fair

ROOT = Path(__file__).resolve().parents[2]
PROMISED = (
    "traversals", "patterns", "constraints", "certify_s", "witness_s", "prove_s", "verify_ms", "proof_bytes",
    "certificate_bytes", "peak_mb", "setup_s",
)  # fmt: skip


@pytest.fixture(scope="module")
def found(public_data):
    """Four points under a key too small for some of them, which are proven once more."""
    words = ["german-4-2", "--points", "4", "--capacity", "4", "--data-dir", str(public_data), "--json"]
    command = [sys.executable, "-m", "bench", "case", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.shared
def test_one_case_prints_a_flat_object(found):
    """`bench case --json` prints one object of plain values, with all that is promised and what it was measured on."""
    assert all(isinstance(found[name], int | float) and found[name] > 0 for name in PROMISED)
    assert not any(isinstance(value, dict | list) for value in found.values())
    assert found["fair_points"] + found["unfair_points"] == found["points"] == 4
    assert {"processor", "cores", "python", "gnark", "torch"} <= found.keys()
    assert found["proof_bytes"] == 196


@pytest.mark.slow
@pytest.mark.shared
def test_points_beyond_the_key_are_proven_at_both_radii(found):
    """A point beyond the key has a smaller radius under it, and its full one under the least key with room."""
    assert 0 < found["over_points"] < 4
    assert found["full_share"] == pytest.approx(1 - found["over_points"] / found["fair_points"], abs=1e-4)
    assert 0 <= found["over_radius_kept"] < 1
    groups = [tuple(map(int, group.split(":"))) for group in found["wider_capacities"].split()]
    assert sum(points for _, points in groups) == found["over_points"]
    assert all(capacity > found["capacity"] and capacity & (capacity - 1) == 0 for capacity, _ in groups)
    assert found["wider_constraints"] > found["constraints"]
    assert found["wider_prove_s"] > 0
    assert groups[-1][0] // 2 < found["patterns_max"] <= groups[-1][0]


@pytest.mark.slow
@pytest.mark.shared
def test_memory_is_that_of_proving_alone(found):
    """The proving process is charged neither with torch nor with the data set: it stays far below what they take."""
    assert found["peak_mb"] < 250


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["german"], "unknown case 'german'; the cases are german-4-2, "),
        (["german-4-2", "--points", "201"], "--points 201: german has 1 to 200 test rows to choose from"),
        (["german-4-2", "--capacity", "1"], "--capacity 1: want a power of two with room for 2 slices"),
        (["german-4-2", "--capacity", "33"], "--capacity 33: want a power of two with room for 2 slices"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(public_data, capsys, words, message):
    """A wrong case, sample or capacity is reported before anything is trained."""
    assert main(["case", *words, "--data-dir", str(public_data)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_tables_and_figures_follow_from_results(tmp_path):
    """A missed limit is marked, a kept one is not, and every figure is drawn."""
    results = [_result(case.name, variant) for case in PAPER for variant in ("unfair", "fair")]
    lines = tables.costs(results).splitlines()
    assert len(lines) == 2 + 12
    assert all("more than" not in line for line in lines)
    results[0] |= {"prove_s": 0.31, "constraints": 25_001}
    missed = tables.costs(results).splitlines()[2]
    assert "25,001 (more than 25000)" in missed
    assert "0.310 (0.400) (more than 0.3)" in missed
    assert "| German (4,2) | 40 | 12 / 12 | 4.90 + 3.61 | 0.25 / 0.25 | 1,176 |" in tables.side_by_side(results)
    assert tables.beyond(results).count("\n") == tables.radii(results).count("\n") == 13
    assert "| 0.20 | 1 proof, 11,233 constraints, 0.09 GB, K = 32 | 298 |" in tables.race(results)
    assert tables.sizes(results).startswith("A proof has 196 bytes, its certificate at most 1,746;")
    for draw in (plots.times, plots.distributions, plots.histograms):
        draw(results, tmp_path / "figure.svg")
        assert "</svg>" in (tmp_path / "figure.svg").read_text()


def _result(case, variant):
    """Return made-up results of a case that keeps every limit."""
    result = {"case": case, "variant": variant, "capacity": CASES[case].capacity, "constraints": 11_233}
    for name, value in (("prove_s", 0.2), ("online_s", 0.25), ("verify_ms", 7.0), ("check_ms", 2.0), ("radius", 0.5),
                        ("patterns", 8.0), ("traversals", 12.0), ("certify_s", 0.01), ("witness_s", 0.01)):  # fmt: skip
        result |= spread(name, [value, value, 2 * value], 4)
        result[f"{name}_all"] = [value, value, 2 * value]
    return result | {
        "setup_s": 2.0, "peak_mb": 90.0, "proof_bytes": 196, "certificate_bytes": 1746, "accuracy": 0.8,
        "weight_decay": 0.0, "unfair_points": 1, "points": 4, "full_share": 1.0, "over_points": 0,
    }  # fmt: skip


def test_the_spread_is_that_of_the_values():
    """Median, quartiles and the largest; nothing of nothing."""
    assert spread("x", [4.0, 1.0, 3.0, 2.0, 5.0], 2) == {"x": 3.0, "x_q1": 2.0, "x_q3": 4.0, "x_max": 5.0}
    assert spread("x", [7.0], 2) == {"x": 7.0, "x_q1": 7.0, "x_q3": 7.0, "x_max": 7.0}
    assert set(spread("x", [], 2).values()) == {None}


def test_the_keys_of_the_paper_have_golden_sizes():
    """The shapes of the six models are among those whose constraint counts are held, at their capacities."""
    with (ROOT / "go-gnark" / "relation" / "testdata" / "constraints.csv").open() as stream:
        held = {(row["hidden"], int(row["capacity"]), int(row["slices"])) for row in csv.DictReader(stream)}
    assert {("x".join(map(str, case.hidden)), case.capacity, 2) for case in PAPER} <= held


SMALL = (pytest.mark.slow, pytest.mark.sampled(1))


@pytest.mark.shared
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=SMALL if case.dataset == "german" else pytest.mark.release) for case in CASES.values()],
    ids=CASES,
)
def test_fair_variants_have_the_decay_that_the_search_finds(public_data, case):
    """The weight decay of a fair variant is the one that cross-validation chooses."""
    data = load(case.dataset, public_data, sensitive=case.sensitive)
    assert train_fair(data, case.hidden)[2].chosen == case.fair_decay
