"""The load tool asks at its rate, and compares every answer with the database."""

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_load
from bench.harness import BenchError
from bench.log import PROGRAM
from bench.postgres import programs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it"),
]

ASKED = service_load.Question(points=10, seconds=2.0)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_answer_is_a_decision_with_a_receipt(database):
    """As many as were asked for, on a service that answers all of them."""
    if database == "postgresql" and programs() is None:
        pytest.skip("no PostgreSQL server: `make postgres` installs one")
    found = service_load.loaded(ASKED, database)
    assert found["answers"] == {"201": 20}
    assert found["decisions"] == 20 + service_load.WARM
    shown = service_load.times({"question": ASKED.as_data(), "parts": {database: found}})
    assert shown.splitlines()[2].startswith(f"| {database} | 10 |")


def test_a_lost_decision_is_seen(monkeypatch):
    """An answer without a decision ends the measurement."""
    monkeypatch.setattr(service_load, "WARM", 1)
    kept = service_load._kept
    monkeypatch.setattr(service_load, "_kept", lambda place, made: kept(place, made + 1))
    with pytest.raises(BenchError, match="answers"):
        service_load.loaded(service_load.Question(points=5, seconds=0.2), "sqlite")


def test_a_service_that_falls_behind_ends_the_measurement(monkeypatch):
    """Requests that are due and not answered are waited for no longer than is said."""
    monkeypatch.setattr(service_load, "MOST_BEHIND", 0.0)
    with pytest.raises(BenchError, match="it falls behind: "):
        service_load.loaded(service_load.Question(points=100, seconds=0.2), "sqlite")
