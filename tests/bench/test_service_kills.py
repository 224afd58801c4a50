"""Kills of a service under load, of each kind on each database; and the checks find what they are there for."""

import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_kills
from bench.log import PROGRAM
from bench.postgres import programs
from bench.service_checks import wrong
from bench.service_kills import Question
from bench.service_place import placed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it"),
]


def test_kills_on_postgresql_lose_nothing_and_double_nothing():
    """Each kind of process is killed; every acknowledged decision ends right, and all is in the log."""
    if programs() is None:
        pytest.skip("no PostgreSQL server: `make postgres` installs one")
    one = service_kills.measured(Question(points=1, kills=8, seconds=0.7), "postgresql")
    assert one["kills"] == dict.fromkeys(service_kills.KINDS, 1)
    assert one["counts"]["entries"] == one["decisions"] > 0
    assert one["counts"].get("certified", 0) > 0


def test_kills_under_more_decisions_than_provers_follow(tmp_path):
    """Certificates may wait; nothing else may, and what was asked for again is counted by the kill before it."""
    with placed(tmp_path, "sqlite") as place:
        one = service_kills.killed(place, Question(points=20, seconds=1.0, kills=6))
        assert one["counts"]["entries"] == one["decisions"] > 20
        assert sum(one["again_after"].values()) == one["again"]
        place.end()


TOUCHED = {
    "update decisions set state = 'failed'": "it is failed after",
    "insert into outbox select id + 1000, kind, decision_id, target, body, created, due, attempts, done from outbox":
        "2 receipts in the outbox",
    "update outbox set done = null": "still waits",
    "update log_proofs set body = null": "no log proof",
    "update transitions set state = 'review' where number = 1": "decided was followed by review",
    "insert into transitions select id + 100, decision_id, 7, state, at, reason from transitions where number = 2":
        "its history is numbered",
    "delete from certificates": "certified without a certificate",
}  # fmt: skip


def touched(path, statement):
    """Run a statement on the file of a database that nobody uses; return its bytes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
        connection.execute("pragma wal_checkpoint(truncate)")
    return path.read_bytes()


def test_kills_on_sqlite_and_what_the_checks_would_see(tmp_path):
    """After five kills nothing is wrong; after each touch of the tables the checks say what is."""
    with placed(tmp_path, "sqlite") as place:
        found = service_kills.killed(place, Question(points=1, kills=6, seconds=0.7))
        assert sum(found["kills"].values()) == 6
        place.end()
        path = tmp_path / "service.db"
        before = touched(path, "select 1")
        with closing(sqlite3.connect(path)) as connection:
            first = dict(connection.execute("select decision_id, state from transitions where number = 0"))
        assert wrong(place, first) == ([], found["counts"])
        assert wrong(place, {**first, "0" * 32: "decided"})[0] == [f"{'0' * 32}: acknowledged, and not there"]
        lost = next(iter(first))
        assert any(
            "never acknowledged" in line for line in wrong(place, {one: first[one] for one in first if one != lost})[0]
        )
        touched(path, "delete from outbox where done is not null")  # as `service purge` does in its time
        assert wrong(place, first) == ([], found["counts"])
        path.write_bytes(before)
        for statement, said in TOUCHED.items():
            touched(path, statement)
            assert any(said in line for line in wrong(place, first)[0]), statement
            path.write_bytes(before)
