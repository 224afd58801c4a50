"""The measurement of an audit by lot runs, and measures what it says."""

import pytest

from bench import log, lot
from bench.harness import BenchError
from tests.log.running import program


@pytest.mark.slow
def test_the_measurement_reports_its_size(monkeypatch, tmp_path):
    """Its size has a line of the table; a check that fails is no measurement."""
    monkeypatch.setattr(log, "PROGRAM", program(tmp_path / "equiproof-log"))
    monkeypatch.setattr(lot, "BINARY", tmp_path / "none")
    found = lot.run(sizes=(300,), repeats=1, drawn=5)
    assert {(row["receipts"], row["what"]) for row in found["results"]} == {
        (300, what) for what in ("draw", "bound", "check")
    }
    assert min(row["ms"] for row in found["results"]) > 0
    (peak,) = [row["peak_mb"] for row in found["results"] if "peak_mb" in row]
    assert 20 < peak < 200  # no small process is Python's command, and none of a few receipts is large
    assert lot.table(found).count("\n") == 2
    assert f" {peak} | - |" in lot.table(found)
    with pytest.raises(BenchError, match=r"period\.json"):
        lot._checks([lot.sys.executable, "-m", "equiproof", "lot", "check", str(tmp_path), str(tmp_path)])


def test_without_the_program_there_is_one_line(monkeypatch, tmp_path):
    """It says how to build it."""
    monkeypatch.setattr(log, "PROGRAM", tmp_path / "equiproof-log")
    with pytest.raises(BenchError, match="make log"):
        lot.run(sizes=(1,))
