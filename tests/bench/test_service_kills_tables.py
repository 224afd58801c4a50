"""The tables of the kills, and what a client counts as an answer at the first try."""

from http import HTTPStatus

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_asking, service_kills
from bench.harness import BenchError
from bench.parts import Options
from bench.service_asking import Asker

PART = {
    "kills": {"web": 2, "database": 1},
    "decisions": 1000,
    "again": 7,
    "again_after": {"none": 1, "web": 4, "database": 2},
    "counts": {"certified": 40, "review": 200, "decided": 758, "certifying": 2, "entries": 1000},
    "per_s": 49.84,
    "seconds": 90.0,
}
FOUND = {"parts": {"sqlite": PART | {"kills": {"web": 3}}, "postgresql": PART}}


def test_the_tables_say_what_was_found():
    """A line for each database, and one for each kind of kill."""
    rows = service_kills.table(FOUND).splitlines()
    assert rows[3] == "| postgresql | 3 | 1,000 | 49.8 | 99.30 | 40 | 760 | 200 | 0 | 1,000 | 1.5 |"
    kinds = service_kills.kinds(FOUND).splitlines()
    assert kinds[0] == "| kind | what is killed | sqlite: kills, asked again | postgresql: kills, asked again |"
    assert "| `database` | PostgreSQL, all of its processes | 0, 2 | 1, 2 |" in kinds
    assert len(kinds) == 2 + 8


def test_a_refusal_counts_for_the_kill_before_it():
    """The last one that had begun."""
    kills = [(10.0, "web"), (20.0, "log")]
    assert [service_kills._kind_before(kills, at) for at in (9.0, 10.0, 19.0, 25.0)] == ["none", "web", "web", "log"]


def test_a_client_asks_again_until_it_is_answered(monkeypatch):
    """The same key and body each time; another answer than those that pass ends it."""
    monkeypatch.setattr(service_asking, "PAUSE_SECONDS", 0.0)
    answers, sent = [], []

    def send(address, method, path, headers, body, seconds):
        sent.append((headers["Idempotency-Key"], body))
        if isinstance(answer := answers.pop(0), OSError):
            raise answer
        return answer

    monkeypatch.setattr(service_asking, "send", send)
    made = (HTTPStatus.CREATED, b'{"id": "a"}')
    asker = Asker("127.0.0.1:1", "key")
    answers += [made, ConnectionResetError(), (503, b""), made, (422, b"no such column")]
    assert asker.ask("one-name", {}).refused is None
    again = asker.ask("two-name", {})
    assert again.made == {"id": "a"}
    assert again.refused is not None
    assert [name for name, _ in sent] == ["one-name", *["two-name"] * 3]
    with pytest.raises(BenchError, match="422 b'no such column'"):
        asker.ask("three-name", {})


def test_what_to_kill_and_how_often(monkeypatch):
    """`--kills` and `--rate` are of this suite; without a server one line names the command that brings it."""
    monkeypatch.setattr(service_kills, "programs", lambda: None)
    plan = service_kills.plan(None, Options(points=5, kills=3, parts=("sqlite",)))
    assert (plan.question["points"], plan.question["kills"]) == (5, 3)
    with pytest.raises(BenchError, match="make postgres"):
        service_kills.plan(None, Options())
    with pytest.raises(BenchError, match="--kills 0: want more than 0"):
        service_kills.plan(None, Options(kills=0, parts=("sqlite",)))
