"""Ten kills -9 of a service under load, five on each database; and the checks find what they are there for."""

import random
import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_kills
from bench.log import PROGRAM
from bench.postgres import programs
from bench.service_checks import wrong
from bench.service_place import placed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it"),
]


def test_kills_on_postgresql_lose_nothing_and_double_nothing():
    """Each kind of process is killed; every acknowledged decision ends right, and all is in the log."""
    if programs() is None:
        pytest.skip("no PostgreSQL server: `make postgres` installs one")
    found = service_kills.run(kills={"postgresql": 5}, pauses=PAUSES)
    (one,) = found["results"]
    assert sum(one["kills"].values()) == 5
    assert one["counts"]["entries"] == one["decisions"] > 0
    assert service_kills.table(found).splitlines()[2].startswith("| postgresql | 5 |")


PAUSES = (0.05, 0.7)

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
        found = service_kills.killed(place, "sqlite", 5, random.Random(24), PAUSES)
        assert sum(found["kills"].values()) == 5
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
