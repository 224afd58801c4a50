"""The measurement of the TypeScript verifier runs, and measures what it says."""

import pytest

from bench import web
from bench.harness import BenchError
from tests.web.web import refuse_or_skip


def test_the_measurement_reports_sizes_and_times(monkeypatch):
    """The size of the bundle is measured, and each time of a certificate with its target."""
    refuse_or_skip()
    monkeypatch.setattr(web, "CERTIFICATES", ("loans",))
    found = web.run(repeats=1)
    assert [(row["what"], row["target_ms"]) for row in found["results"]] == [
        ("load", None),
        ("first", 200),
        ("later", None),
    ]
    assert all(0 < row["ms"] <= row["ms_max"] for row in found["results"])
    assert 0 < found["gzipped"] < found["bytes"]
    assert web.table(found).count("\n") == 2 + 1 + 3


def test_what_is_missing_is_told(monkeypatch, tmp_path):
    """Without packages there is no measurement, and one line says how to have them."""
    monkeypatch.setattr(web, "PACKAGE", tmp_path)
    with pytest.raises(BenchError, match="call `make web`"):
        web.built(tmp_path)
