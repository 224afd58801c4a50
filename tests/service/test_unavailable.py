"""A database that is gone, busy or full for a while: refusals with a time to come back, nothing lost, nothing twice."""

import resource
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from fastapi.testclient import TestClient
from sqlalchemy import select, text

from bench.postgres import NoServerError
from equiproof.service.models import Models
from equiproof.service.store import database as module
from equiproof.service.store.database import UnavailableError
from equiproof.service.store.tables import Decision, Outgoing, Request, Transition
from equiproof.service.web import deciding, readiness
from equiproof.service.web.app import create_app
from equiproof.service.web.state import Shared
from tests.service.databases import BOTH

ONLY_SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
ONLY_POSTGRES = pytest.mark.parametrize("address", ["postgres"], indirect=True)


def refused(answer):
    """Tell whether an answer is the one that says when to come back."""
    if answer.status_code != 503:
        return False
    assert answer.json()["type"] in ("urn:equiproof:no-database", "urn:equiproof:not-ready")
    assert int(answer.headers["retry-after"]) > 0
    return True


def counts(service):
    """Return how many decisions there are; each has one receipt, one history and one answer."""
    with service.shared.database.transaction() as session:
        decisions = set(session.scalars(select(Decision.id)))
        receipts = Counter(session.scalars(select(Outgoing.decision_id)))
        begun = Counter(session.scalars(select(Transition.decision_id)))
        answers = len(session.scalars(select(Request.key)).all())
    assert receipts == begun == Counter(decisions)
    assert answers == len(decisions)
    return len(decisions)


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Requests that wait for no database to come back, unless a test puts the clock in place of this."""
    monkeypatch.setattr(deciding, "OUTAGE_SHARE", 0.0)


@pytest.fixture
def impatient(monkeypatch):
    """A database that is not waited for long."""
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)


@pytest.fixture
def outage(service, monkeypatch):
    """A function that lets so many transactions fail, before or after their last word; each try takes a second.

    Returns the list of what then happens: "failed" or "kept" for each try.
    """
    monkeypatch.setattr(deciding, "OUTAGE_SHARE", 0.8)
    seconds, real = count(), service.shared.database.transaction
    monkeypatch.setattr(deciding, "time", SimpleNamespace(monotonic=lambda: next(seconds), sleep=lambda _: None))
    tried = []

    def fail(most, *, kept=False):
        @contextmanager
        def transaction():
            tried.append("failed" if tried.count("failed") < most else "kept")
            if tried[-1] == "failed" and not kept:
                raise UnavailableError("database: it starts up")
            with real() as session:
                yield session
            if tried[-1] == "failed":
                raise UnavailableError("database: the connection was cut")

        monkeypatch.setattr(service.shared.database, "transaction", transaction)
        return tried

    return fail


@ONLY_SQLITE
@pytest.mark.parametrize("kept", [False, True], ids=["before its last word", "after it"])
def test_a_short_outage_refuses_nobody(service, rows, outage, kept):
    """A request waits for a database that was there a moment ago; what was done, and not told, is not done twice."""
    assert service.post(rows[0]).status_code == 201
    tried = outage(3, kept=kept)
    assert service.post(rows[0], key="while-it-restarts").status_code == 201
    assert tried == [*["failed"] * 3, "kept"]
    assert counts(service) == 2


@ONLY_SQLITE
def test_a_long_outage_is_told_at_once(service, rows, outage):
    """A request waits eight of its ten seconds, and those that come later do not wait at all."""
    assert service.post(rows[0]).status_code == 201
    tried = outage(100)
    assert refused(service.post(rows[0], key="while-it-is-away"))
    assert len(tried) == 9
    assert refused(service.post(rows[0], key="while-it-is-away"))
    assert len(tried) == 10


@ONLY_POSTGRES
def test_a_server_that_is_gone_for_a_while(postgres, service, rows, monkeypatch):
    """503 while it is gone; afterwards the same request is done once, over fresh connections."""
    monkeypatch.setattr(readiness, "LOOK_SECONDS", -1.0)
    monkeypatch.setattr(readiness, "load_vault", lambda _: None)  # this service's keys are in no file
    monkeypatch.setattr(readiness, "has_proving_key", lambda *_: True)
    assert service.post(rows[0]).status_code == 201
    postgres.stop()
    try:
        assert refused(service.post(rows[0], key="while-it-is-gone"))
        assert refused(service.get("/v1/decisions"))
        assert refused(service.get("/readyz"))
        assert service.get("/healthz").status_code == 200
    finally:
        postgres.start()
    assert service.get("/readyz").status_code == 200
    said = [service.post(rows[0], key="while-it-is-gone") for _ in range(2)]
    assert [answer.status_code for answer in said] == [201, 201]
    assert said[0].content == said[1].content
    assert counts(service) == 2


@ONLY_POSTGRES
def test_a_server_that_is_killed_under_load(postgres, service, rows):
    """Whoever sends a refused request again gets one decision for it, even where only the answer was lost."""
    acknowledged = []

    def ask(number):
        for _ in range(400):
            said = service.post(rows[number % 2], key=f"under-load-{number:03}")
            if said.status_code == 201:
                acknowledged.append(said.json()["id"])
                return
            assert refused(said), said.text
            time.sleep(0.02)
        raise AssertionError("the database never came back")

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, number) for number in range(60)]
        for least in (5, 20, 40):
            while len(acknowledged) < least:
                time.sleep(0.005)
            postgres.kill()
            postgres.start()
        for one in asked:
            one.result()
    with service.shared.database.transaction() as session:
        assert sorted(session.scalars(select(Decision.id))) == sorted(acknowledged)
    assert counts(service) == 60


@ONLY_SQLITE
def test_a_file_that_another_program_writes_to(impatient, service, rows):
    """503 while the other one writes, and readers are not held up; then the same request is done."""
    path = service.shared.database.engine.url.database
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert refused(service.post(rows[0], key="in-the-way"))
    assert service.get("/v1/decisions").status_code == 200
    other.execute("ROLLBACK")
    other.close()
    assert service.post(rows[0], key="in-the-way").status_code == 201
    assert counts(service) == 1


@ONLY_SQLITE
def test_a_thread_that_never_ends_its_transaction(impatient, service):
    """The next one is told, rather than left to wait."""
    with (
        service.shared.database.transaction(),
        pytest.raises(UnavailableError, match="another transaction"),
        service.shared.database.transaction(),
    ):
        raise AssertionError("two at once")


@BOTH
def test_a_statement_that_is_wrong_is_a_fault_of_ours(service):
    """It is not taken for a database that comes back."""
    for statement in ("select 1 from nowhere", "selekt"):
        with (
            pytest.raises(Exception, match=r"nowhere|selekt") as said,
            service.shared.database.transaction() as session,
        ):
            session.execute(text(statement))
        assert not isinstance(said.value, UnavailableError)


@contextmanager
def files_end_at(most):
    """Let no file of this process grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@ONLY_SQLITE
def test_a_disk_that_is_full(service, rows):
    """503, nothing half written; with room again the same request is done once, and the file is sound."""
    assert service.post(rows[0]).status_code == 201
    path = service.shared.database.engine.url.database
    with files_end_at(Path(f"{path}-wal").stat().st_size):
        said = [service.post(rows[0], key=f"no-room-{number:03}") for number in range(3)]
    assert all(map(refused, said))
    assert counts(service) == 1
    assert service.post(rows[0], key="no-room-000").status_code == 201
    assert counts(service) == 2
    with sqlite3.connect(path) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


FILL = """
    insert into outbox (kind, decision_id, target, body, created, due, attempts)
    select 'filler', :decision, '', repeat('x', 1900)::bytea, 0, 0, 0 from generate_series(1, 2000)
"""


def fill(service, decision):
    """Write until the server refuses."""
    while True:
        with service.shared.database.transaction() as session:
            session.execute(text(FILL), {"decision": decision})


@pytest.fixture
def cramped(postgres):
    """The server, started anew for a test that starts it with less room, and afterwards with all of it."""
    yield postgres
    postgres.stop()
    postgres.start()


@pytest.mark.slow
@ONLY_POSTGRES
def test_a_servers_disk_that_is_full(cramped, service, rows):
    """Where no table may grow, and where the server's own journal may not: refused, and done once there is room."""
    first = service.post(rows[0]).json()["id"]
    cramped.stop()
    cramped.start(largest_file=16 << 20)
    with pytest.raises(UnavailableError, match="could not extend file"):
        fill(service, first)
    while not refused(service.post(rows[0], key=f"no-room-{service.count:03}")):
        assert service.count < 100
    cramped.kill()
    with pytest.raises(NoServerError, match="did not start"):
        cramped.start(largest_file=1 << 20)
    assert refused(service.post(rows[0], key="no-journal"))
    cramped.start()
    with service.shared.database.transaction() as session:
        session.execute(text("delete from outbox where kind = 'filler'"))
    before = counts(service)
    assert service.post(rows[0], key="no-journal").status_code == 201
    assert counts(service) == before + 1


ENDLESS = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers) select count(*) from numbers"
POSTGRES_ENDLESS = "select pg_sleep(100000)"


@BOTH
def test_a_statement_that_does_not_end_is_ended(address):
    """Whether it reads or writes; nothing of its transaction is kept, and its connection is as good as before."""
    endless = ENDLESS if address.startswith("sqlite") else POSTGRES_ENDLESS
    with module.Database(address, statement_seconds=0.5) as database:
        for begun in (database.reading, database.transaction):
            with pytest.raises(UnavailableError, match=r"interrupted|statement timeout"), begun() as session:  # noqa: PT012
                if begun == database.transaction:
                    session.execute(text("update schema_version set least = '9999'"))
                session.execute(text(endless)).all()
        time.sleep(0.6)  # what was a transaction's time is not the next one's
        with database.transaction() as session:
            many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) select max(i) from n"
            assert session.scalar(text(many)) == 3000
            assert session.scalar(text("select least from schema_version")) != "9999"
        database.forget()


@ONLY_SQLITE
def test_a_request_whose_query_does_not_end_gives_its_thread_back(service, address):
    """It gets 503 in time, and then nobody reads any more, however long the query would have gone on."""
    limits = msgspec.structs.replace(service.shared.settings.limits, request_seconds=0.3)
    settings = msgspec.structs.replace(service.shared.settings, limits=limits)
    with module.Database(address, statement_seconds=limits.request_seconds) as database:
        shared = Shared(settings, database, Models(), service.shared.holders, service.clock)
        client = TestClient(create_app(shared), raise_server_exceptions=False)
        with service.shared.database.engine.connect() as connection:
            connection.exec_driver_sql("pragma legacy_alter_table = on")
            connection.exec_driver_sql("alter table models rename to kept")
            connection.exec_driver_sql(f"create view models as select kept.* from kept, ({ENDLESS})")  # noqa: S608
            connection.commit()
        assert client.get("/v1/models", headers=service.headers).status_code == 503
        until = time.monotonic() + 60
        while database.engine.pool.checkedout():
            assert time.monotonic() < until, "a thread still reads"
            time.sleep(0.02)
        assert client.get("/v1/decisions", headers=service.headers).status_code == 200
