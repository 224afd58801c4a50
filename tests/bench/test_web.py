"""The measurement of the TypeScript verifier runs, and measures what it says."""

import pytest

from bench import web
from bench.harness import BenchError
from tests.browser import browser
from tests.web.web import refuse_or_skip

TIMES = (("load", None), ("first", 200), ("later", None))


@pytest.mark.slow
def test_the_measurement_reports_sizes_and_times(monkeypatch):
    """Sizes are measured, and each time of a certificate in Node and on the page, with its target."""
    refuse_or_skip()
    browser.refuse_or_skip()
    monkeypatch.setattr(web, "CERTIFICATES", ("loans",))
    found = web.run(repeats=1)
    assert [(row["where"], row["what"], row["target_ms"]) for row in found["results"]] == [
        (where, what, target) for where in ("Node", "page") for what, target in TIMES
    ]
    assert all(0 < row["ms"] <= row["ms_max"] for row in found["results"])
    assert all(0 < row["gzipped"] < row["bytes"] for row in found["sizes"])
    assert web.table(found).count("\n") == (2 + 4) + 3 + (2 + 6) - 1


def test_what_is_missing_is_told(monkeypatch, tmp_path):
    """Without packages there is no measurement, and one line says how to have them."""
    monkeypatch.setattr(web, "PACKAGE", tmp_path)
    with pytest.raises(BenchError, match="call `make web`"):
        web.built(tmp_path)
    monkeypatch.setattr(web, "DRIVER", tmp_path)
    with pytest.raises(BenchError, match="call `make browser`"):
        web.browser()
