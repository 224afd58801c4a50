"""The measurement of a public log runs, and measures what it says."""

import pytest

from bench import log
from bench.harness import BenchError
from tests.log.running import program


@pytest.mark.slow
def test_the_measurement_reports_every_size(monkeypatch, tmp_path):
    """Each size has a line of the table, with proofs that hold and times above zero."""
    monkeypatch.setattr(log, "PROGRAM", program(tmp_path / "equiproof-log"))
    found = log.run(sizes=(1, 300), posted=3)
    assert [row["entries"] for row in found["results"]] == [1, 300]
    for row in found["results"]:
        assert min(row[name] for name in ("append_per_s", "disk_mb", "files", "post_ms", "check_ms")) > 0
    assert found["results"][1]["proof_bytes"] > found["results"][0]["proof_bytes"] > 200
    assert log.table(found).count("\n") == 1 + 2


def test_without_the_program_there_is_one_line(monkeypatch, tmp_path):
    """It says how to build it."""
    monkeypatch.setattr(log, "PROGRAM", tmp_path / "equiproof-log")
    with pytest.raises(BenchError, match="make log"):
        log.run(sizes=(1,))
