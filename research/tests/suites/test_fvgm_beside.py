"""The suite `fvgm-beside`: assumptions and committed networks on generated rows, and the paper's boundaries."""

import pytest

from bench.parts import Options
from research.suites.fvgm import beside, example

pytestmark = pytest.mark.slow


@pytest.fixture
def small(monkeypatch):
    """The generated data set instead of the paper's, and few samples."""
    monkeypatch.setattr(beside, "SETS", {"lending": ("sex",)})
    monkeypatch.setattr(beside, "NETWORKS", {"lending": ("sex",)})
    monkeypatch.setattr(example, "SIZES", (100, 3000))
    monkeypatch.setattr(example, "SEEDS", 3)


def test_the_parts_are_the_papers_data_sets():
    """Each stands with a linear model under three assumptions, and with a committed network."""
    found = beside.plan(None, Options())
    names = ("adult", "compas", "german", "ricci", "titanic")
    assert set(found.parts) == {"example", *(f"{kind}-{name}" for kind in ("beside", "committed") for name in names)}
    assert list(beside.SETS) == list(beside.NETWORKS) == list(names)


def test_assumptions_and_a_network_are_measured_and_written(small):
    """Figures are within their ranges, and the lines have them."""
    one, other = beside.measured("lending", None), beside.committed("lending", None)
    results = {"parts": {"beside-lending": one, "committed-lending": other}}
    assert {kind: 0 <= found["impact"] <= 1 for kind, found in one["assumptions"].items()} == {
        "network": True, "within groups": True, "independent": True,
    }  # fmt: skip
    assert f"{one['counted']['impact']:.3f}, {one['counted']['parity']:.3f}" in beside.table(results)
    assert other["impact"]["low"] <= other["impact"]["high"]
    assert other["accuracy"] > 0.7
    assert other["largest_error"] < 0.1
    assert f"{other['impact']['low']:.3f} to {other['impact']['high']:.3f}" in beside.committed_table(results)


def test_errors_on_the_papers_boundaries_fall_with_the_rows(small):
    """Of the network; independence errs by most of the gap whatever the number of rows."""
    part = example.measured()
    for one in part["boundaries"].values():
        few, many = one["sizes"]
        assert one["young"] < 0.1 < 0.9 < one["old"]
        assert many["network_parity"] < few["network_parity"]
        assert many["network_parity"] < 0.05 < 0.5 < many["independent_parity"]
    assert example.table({"parts": {"example": part}}).count("\n") == 5
