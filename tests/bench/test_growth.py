"""How cost grows: every point measured once, laws and lines fitted as they say, and shown in table and figure."""

import json

import pytest

from bench import growth, kept
from equiproof.ffi import backend
from equiproof.prover.estimate import LINES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def small():
    """Three axes of two small points."""
    chosen = growth.axes(wide=(), square=(1, 2), deep=(), plain=(), slices=(2, 4), capacity=(8, 32))
    return [axis for axis in chosen if axis.points]


@pytest.fixture(scope="module")
def results(small):
    """Their measurement with one proof each."""
    reported = []
    found = growth.run(None, lambda done, total: reported.append((done, total)), varied=small, rounds=1)
    assert reported == [(number, 5) for number in range(1, 6)], "the base is a point of two axes and measured once"
    return found


def test_results_are_data(results):
    """The results survive JSON, and name machine and rounds."""
    assert growth.table(json.loads(json.dumps(results))) == growth.table(results)
    assert results["machine"]["gnark"]
    assert (results["suite"], results["rounds"]) == ("growth", 1)


def test_every_point_is_measured(small, results):
    """Each point has the constraints of its shape, and costs above zero."""
    for axis, found in zip(small, results["axes"], strict=True):
        assert [point["value"] for point in found["points"]] == [axis.value(sizes) for sizes in axis.points]
        for sizes, point in zip(axis.points, found["points"], strict=True):
            assert point["constraints"] == backend.describe(sizes.shape.document).constraints
            assert all(point[cost] > 0 for cost in growth.COSTS)
            low, high = point["prove_s_spread"]
            assert low <= point["prove_s"] <= high


def test_the_term_of_layers_is_the_products_of_one_region():
    """Layers (1, 1) with one logit, counted by hand: in either level one value and one product of two forms; from the
    second level on one value is masked, and one pair of bits has its product."""
    assert growth.axes(square=(1,))[1].term(growth.Sizes(hidden=(1, 1))) == 7


@pytest.mark.skipif(not kept.is_kept("growth"), reason="no results are kept")
def test_kept_terms_are_those_of_the_axes():
    """The laws of the page are in the terms that a new measurement would use."""
    for axis, found in zip(growth.axes(), kept.load("growth")["axes"], strict=True):
        assert [point["term"] for point in found["points"]] == [axis.term(sizes) for sizes in axis.points]


@pytest.mark.skipif(not kept.is_kept("growth"), reason="no results are kept")
def test_estimates_are_the_kept_lines():
    """The estimates of `equiproof setup` for scheme `traversal` are the kept lines, to the digits that they have."""
    found, lines = kept.load("growth")["lines"], LINES["traversal"]
    for cost, line in (("setup_s", lines.setup_seconds), ("witness_s", lines.witness_seconds),
                       ("prove_s", lines.prove_seconds), ("peak_mb", lines.prove_megabytes),
                       ("key_mb", lines.key_megabytes)):  # fmt: skip
        measured = (found[cost]["base"], found[cost]["per_constraint"])
        assert (line.base, line.per_constraint) == pytest.approx(measured, rel=1e-2)


def test_a_straight_line_is_found():
    """A law that costs follow exactly is found with its base and slope, and no error."""
    base, slope = growth.fit([1, 5, 30], [107, 135, 310])
    assert (base, slope) == (pytest.approx(100), pytest.approx(7))
    assert growth.worst([100 + 7 * n for n in (1, 5, 30)], [107, 135, 310]) == pytest.approx(0)


def test_the_largest_relative_error_is_told():
    """Errors are relative to what was found, and the largest counts, above as below."""
    assert growth.worst([11, 20, 60], [10, 20, 80]) == pytest.approx(0.25)


def test_the_table_shows_every_point(small, results):
    """Points, laws and lines each have their row, and rows their columns."""
    lines = growth.table(results).splitlines()
    for axis in results["axes"]:
        assert sum(line.startswith(f"| {axis['label']} |") for line in lines) == len(axis["points"])
        assert sum(line.startswith(f"| {axis['name']} |") for line in lines) == 1
    for label in growth.COSTS.values():
        assert sum(line.startswith(f"| {label} |") for line in lines) == 1
    assert len(small) == len(results["axes"])


def test_the_figure_is_the_same_for_the_same_numbers(results, tmp_path):
    """The figure takes results that were read back, names its axes with units, and is a function of them."""
    read = json.loads(json.dumps(results))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        growth.plot(read, tmp_path / folder / "growth.svg")
    drawn = (tmp_path / "one" / "growth.svg").read_text()
    assert drawn == (tmp_path / "two" / "growth.svg").read_text()
    for text in ("regions K", "slices S", "constraints", "seconds, logarithmic", "MB", "set-up, s"):
        assert f">{text}<" in drawn
