"""How scheme `branch` grows: every point measured, laws and lines fitted as they say, and shown in table and figure."""

import dataclasses
import json

import pytest

from bench import kept
from bench.harness import nothing
from bench.parts import Options, measure
from equiproof.ffi import backend
from equiproof.prover.estimate import LINES
from research.suites import branch_growth as growth

pytestmark = pytest.mark.slow

SMALL = dataclasses.replace(growth.BASE, plain=3, hidden=(3, 2), capacity=4)


@pytest.fixture(scope="module")
def results():
    """Two small points of one axis, one search and one proof each."""
    monkeypatch = pytest.MonkeyPatch()
    points = tuple(dataclasses.replace(SMALL, capacity=capacity) for capacity in (4, 8))
    axis = dataclasses.replace(growth.AXES["leaves"], points=points)
    monkeypatch.setattr(growth, "AXES", {**growth.AXES, "leaves": axis})
    options = Options(points=1, seconds=20)
    plan = growth.plan(None, options, growth.Question(axes=("leaves",), proofs=1))
    found = measure("branch-growth", plan, options, None, lambda _: None, nothing)
    monkeypatch.undo()
    return found


def test_every_point_is_measured(results):
    """Each point has the constraints and wires of its shape, and costs above zero."""
    points = results["parts"]["leaves"]["points"]
    assert [point["value"] for point in points] == [point["term"] for point in points] == [4, 8]
    for point in points:
        shape = dataclasses.replace(SMALL, capacity=point["value"]).shape
        found = backend.describe(shape.document)
        assert point["constraints"] == found.constraints
        assert point["wires"] == sum(length for _, length in found.layout)
        assert all(point[cost] > 0 for cost in (*growth.COSTS, "check_ms", "certify_s"))
        assert point["proof_bytes"] == 196


def test_the_law_goes_through_two_points(results):
    """A line through two points has no error, and its slope is theirs."""
    low, high = (point["constraints"] for point in results["parts"]["leaves"]["points"])
    law = results["parts"]["leaves"]["law"]
    assert law["b"] == pytest.approx((high - low) / 4)
    assert law["error"] == pytest.approx(0, abs=1e-9)


def test_lines_are_over_all_points():
    """Each cost has the straight line that its points follow, in its own term; a search without programs has none."""
    points = [
        {"constraints": n, "work": n - 1000, "certify_s": 2 + n / 1000, **dict.fromkeys(growth.COSTS, 1 + n / 1000)}
        for n in (1000, 2000, 4000)
    ]
    parts = {"one": {"points": points[:1]}, "two": {"points": points[1:]}}
    found = growth.lines({"parts": parts})
    for cost in growth.COSTS:
        assert found[cost] == pytest.approx({"base": 1, "slope": 1e-3, "error": 0}, abs=1e-9)
    assert found["certify_s"] == pytest.approx({"base": 3, "slope": 1e-3, "error": 0}, abs=1e-9)


def test_table_and_figure_show_every_point(results, tmp_path):
    """Results that were read back have their rows, the sentence on proofs, and a figure that is a function of them."""
    read = json.loads(json.dumps(results))
    text = growth.table(read)
    assert text.count("| leaves K | 4 |") == text.count("| leaves K | 8 |") == text.count("| leaves K | a + b K |") == 1
    assert "constraints a proof has 196 bytes, and its check takes" in text
    for name in ("one", "two"):
        growth.plot(read, tmp_path / "branch-growth.svg")
        (tmp_path / "branch-growth.svg").rename(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    for label in ("leaves K", "constraints", "seconds, logarithmic", "MB", "search, s"):
        assert f">{label}<" in (tmp_path / "one").read_text()


def test_every_axis_passes_through_the_base():
    """One size is varied at a time: points of an axis differ from the base in one size, slices with room for them."""
    for name, axis in growth.AXES.items():
        values = [axis.value(sizes) for sizes in axis.points]
        assert values == sorted(set(values))
        base = dataclasses.replace(growth.BASE, capacity=32) if name == "slices" else growth.BASE
        for sizes in axis.points:
            differing = [f.name for f in dataclasses.fields(sizes) if getattr(sizes, f.name) != getattr(base, f.name)]
            assert len(differing) <= 1


@pytest.mark.skipif(not kept.is_kept("branch-growth"), reason="no results are kept")
def test_estimates_are_the_kept_lines():
    """The prediction of `equiproof setup` for scheme `branch` matches the measurement to three digits."""
    found, lines = growth.lines(kept.load("branch-growth")), LINES["branch"]
    for cost, line in (("setup_s", lines.setup_seconds), ("witness_s", lines.witness_seconds),
                       ("prove_s", lines.prove_seconds), ("peak_mb", lines.prove_megabytes),
                       ("key_mb", lines.key_megabytes)):  # fmt: skip
        assert (line.base, line.per_constraint) == pytest.approx((found[cost]["base"], found[cost]["slope"]), rel=5e-3)


@pytest.mark.skipif(not kept.is_kept("branch-growth"), reason="no results are kept")
def test_kept_constraints_are_of_the_circuits_as_they_are():
    """The kept counts are those of today's library, of shapes that compile at once."""
    for part in kept.load("branch-growth")["parts"].values():
        for point in part["points"]:
            if point["constraints"] < 60_000:
                sizes = growth.Sizes(point["plain"], point["slices"], tuple(point["hidden"]), point["capacity"])
                assert backend.describe(sizes.shape.document).constraints == point["constraints"]
