"""A service with a full queue: what it answers, and that a wrong answer or a wrong order ends the measurement."""

from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_queue
from bench.harness import BenchError
from bench.log import PROGRAM
from bench.parts import Options
from bench.service_queue import Client, Question

MS = {"decide_ms": 2.04, "decide_p99_ms": 3.1, "page_ms": 4.0, "numbers_ms": 5.0}
PART = {"empty": MS, "full": MS | {"page_ms": 4.5}, "refused_ms": 1.5, "retry_s": 600, "first_s": 2.0, "ended": 30,
        "room": 30, "retry_working_s": 17}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it")
def test_a_full_queue_is_measured(monkeypatch):
    """What comes beyond it gets 429, the oldest are certified first, and each certificate makes room for one."""
    monkeypatch.setattr(service_queue, "ASKED", 10)
    found = service_queue.measured(Question(points=60, seconds=8.0), "sqlite")
    assert found["retry_s"] > 0
    assert 0 < found["ended"] <= found["room"] <= 60
    assert found["first_s"] > 0


def test_tables():
    """A line for each database and length of the queue, and one for each database."""
    found = {"question": Question(points=1000).as_data(), "parts": {"sqlite": PART}}
    rows = service_queue.times(found).splitlines()[2:]
    assert rows == ["| sqlite | 0 | 2.0 | 3.1 | 4.0 | 5.0 |", "| sqlite | 800 | 2.0 | 3.1 | 4.5 | 5.0 |"]
    assert service_queue.order(found).splitlines()[2:] == ["| sqlite | 1.5 | 600 | 2.0 | 30 | 30 | 17 |"]


def test_a_decision_that_gets_into_a_full_queue_ends_the_measurement(monkeypatch):
    """So does a refusal that does not say when to come back."""
    client = Client(SimpleNamespace(), "key")
    for status, retry in ((201, 0), (429, 0)):
        monkeypatch.setattr(Client, "_asked", lambda *_, said=(status, 1.0, retry): said)
        with pytest.raises(BenchError, match=f"the queue is full, and the answer is {status}, Retry-After {retry}"):
            client.refused()


@pytest.mark.parametrize(("places", "wrong"), [([0, 1, 2], False), ([0, 1, 70], True)])
def test_certificates_out_of_order_end_the_measurement(monkeypatch, tmp_path, places, wrong):
    """A decision is never certified before one that came a transaction earlier."""
    settings = SimpleNamespace(database=f"sqlite:///{tmp_path / 'service.db'}", provers=1)
    place = SimpleNamespace(settings=settings, start=lambda _: None, said=lambda: "")
    client = SimpleNamespace(filled=lambda _: (3, 9))
    monkeypatch.setattr(service_queue, "_ended", lambda _: places)
    if wrong:
        with pytest.raises(BenchError, match="3 ended, among them the one at place 70"):
            service_queue._worked(place, client, Question(points=500, seconds=0.1))
    else:
        found = service_queue._worked(place, client, Question(points=500, seconds=0.1))
        assert found["ended"] == found["room"] == 3


def test_few_points_are_refused():
    """The queue must be longer than what is timed."""
    with pytest.raises(BenchError, match="--points 400: want more than 400"):
        service_queue.measured(Question(points=400), "sqlite")
    assert set(service_queue.plan(None, Options()).parts) == {"sqlite", "postgresql"}
