"""The suite `metrics`: radii of both distances on generated rows, and matrices that are what the page says."""

import math
from fractions import Fraction

import numpy as np
import pytest

from bench.parts import Options
from equiproof.certify.data import load
from equiproof.certify.traversal.metric import Metric, MetricError
from research.suites import metrics

QUESTION = metrics.Question(points=6, hidden=(4,), datasets=("lending",), shares=(10,))


def test_the_parts_are_data_sets_and_shares():
    """Each data set with each share of the identity."""
    found = metrics.plan(None, Options())
    assert set(found.parts) == {f"{name}-{share}" for name in ("german", "adult") for share in (0, 10)}


def test_the_matrix_is_the_covariance_with_a_share_of_the_identity():
    """Of determinant 1, up to its decimals; half of it is the identity at a share of 50."""
    data = load("lending")
    matrix = np.array([[float(cell) for cell in row] for row in metrics.covariance(data, 50)])
    rows = np.array([data.spec.encode(data.rows[number]) for number in data.train]) / data.spec.scale_unit
    own = np.cov(rows.T)
    expected = own + np.trace(own) / len(own) * np.eye(len(own))
    ratio = matrix / np.where(expected == 0, 1, expected)
    assert np.linalg.det(matrix) == pytest.approx(1, abs=1e-3)
    assert np.ptp(ratio[abs(expected) > 0.01]) < 1e-3
    with pytest.raises(MetricError):
        Metric.of(metrics.covariance(load("lending"), 0))


def test_axes_are_those_of_the_factor():
    """The longest half-axis over the shortest one."""
    assert metrics.eccentricity(Metric.of([[9, 0], [0, Fraction(1, 4)]])) == pytest.approx(6)


@pytest.mark.slow
def test_radii_and_costs_are_measured_and_written():
    """Everybody is counted once, a wider key costs more, and the line has the figures."""
    found = metrics.plan(None, Options(), QUESTION).parts["lending-10"]()
    assert found["unfair"] + found["open"] + found["grew"] + found["shrank"] <= 6
    assert found["grew"] + found["shrank"] > 0
    assert found["least_ratio"] <= found["ratio"] <= found["most_ratio"]
    assert (found["most_ratio"] > 1) == (found["grew"] > 0)
    assert found["bits"] == 16 < found["turned_bits"]
    assert found["constraints"] < found["turned_constraints"] < 2 * found["constraints"]
    assert 0 < found["slack"] < 0.05
    line = metrics.table({"parts": {"lending-10": found}})
    assert f"| {found['grew']} of {found['grew'] + found['shrank']} | {found['shrank']} |" in line
    assert f"{found['turned_constraints']:,}" in line
    assert math.isfinite(found["eccentricity"])
