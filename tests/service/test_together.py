"""Decisions in one transaction are as each by itself: what fails fails alone, and an answer is on the disk."""

import asyncio
import threading
from json import loads

import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError

from equiproof.service.clients import Caller, Scope, revoke
from equiproof.service.idempotency import Answer
from equiproof.service.jobs import durable
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Outgoing, Request, Transition
from equiproof.service.together import Together
from equiproof.service.web import deciding
from equiproof.service.web.bodies import NewDecision
from equiproof.service.web.deciding import Ask, Deciding
from equiproof.service.web.problems import ProblemError
from tests.service.databases import BOTH
from tests.service.test_decisions import everything

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@pytest.fixture
def asking(service):
    """A function that makes a request for a decision, by a key that it has, and by default under a name of its own."""
    caller = Caller(service.key(Scope.SUBMIT, client="front").id, "front", frozenset({Scope.SUBMIT}))

    def ask(features, key, *, model="loans", reference=None, by=caller):
        given = NewDecision(model=model, features=features, reference=reference)
        digests = service.shared.holders.vault.digests(given.model_dump_json().encode())
        return Ask(by, key, given, digests, service.clock())

    return ask


def kinds(outcomes):
    return [201 if isinstance(one, Answer) else (one.status, one.kind) for one in outcomes]


def refused(service, asking, rows):
    """Return requests of which some are refused, each for another reason, and what each gets."""
    ended = service.key(Scope.SUBMIT, client="ended")
    with service.shared.database.transaction() as session:
        revoke(session, ended.id, service.clock())
    gone = Caller(ended.id, "ended", frozenset({Scope.SUBMIT}))
    first, torn = rows
    return [
        (asking(first, "request-1", reference="a"), 201),
        (asking(first, "request-2", reference="a"), (409, "reference-taken")),
        (asking({**first, "income": "much"}, "request-3"), (422, "unusable-features")),
        (asking(first, "request-4", model="other"), (404, "unknown-model")),
        (asking(first, "request-5", by=gone), (401, "no-key")),
        (asking(torn, "request-6"), 201),
        (asking(first, "request-7", reference="b"), 201),
    ]


@BOTH
def test_each_gets_its_own_answer(service, asking, rows):
    """Three of seven are written, whole; the others leave nothing, and the same requests again get the same answers."""
    asks, expected = zip(*refused(service, asking, rows), strict=True)
    deciding_ = Deciding(service.shared)
    outcomes = deciding_(asks)
    assert kinds(outcomes) == list(expected)
    assert [len(everything(service, table)) for table in (Decision, Outgoing, Transition, Request)] == [3, 3, 3, 3]
    assert len(service.shared.holders.jobs.done) == 2
    again = deciding_(asks)
    assert [one for one in again if isinstance(one, Answer)] == [one for one in outcomes if isinstance(one, Answer)]
    assert kinds(again) == list(expected)
    other = asking(rows[0], "request-1", reference="c")
    assert kinds(deciding_([other, asking(rows[0], "request-8")])) == [(422, "key-reused"), 201]
    assert len(everything(service, Decision)) == 4


@BOTH
def test_a_row_that_does_not_fit_is_undone_alone(service, asking, rows, monkeypatch):
    """Another process took the reference after it was looked for: the others are written all the same."""
    deciding_ = Deciding(service.shared)
    assert kinds(deciding_([asking(rows[0], "request-1", reference="a")])) == [201]
    monkeypatch.setattr(deciding, "taken", lambda *_: set())
    asks = [asking(rows[0], f"request-{number}", reference=name) for number, name in enumerate("xay", 2)]
    assert kinds(deciding_(asks)) == [201, (409, "reference-taken"), 201]
    assert len(everything(service, Decision)) == len(everything(service, Request)) == 3


@SQLITE
def test_a_fault_is_one_requests_alone(service, asking, rows, monkeypatch):
    """Whatever is raised about one, in deciding or in writing, the others get their answers."""
    make, keep = deciding.make, deciding.keep

    def faulty(model, client, given, *more):
        if given.reference == "make":
            raise RuntimeError("make")
        return make(model, client, given, *more)

    def failing(session, made, jobs):
        keep(session, made, jobs)
        if any(one.decision.reference == "keep" for one in made):
            raise RuntimeError("keep")

    monkeypatch.setattr(deciding, "make", faulty)
    monkeypatch.setattr(deciding, "keep", failing)
    asks = [asking(rows[0], f"request-{number}", reference=name) for number, name in enumerate(["x", "make", "keep"])]
    first, *others = Deciding(service.shared)(asks)
    assert isinstance(first, Answer)
    assert [str(one) for one in others] == ["make", "keep"]
    assert [row.reference for row in everything(service, Decision)] == ["x"]


@SQLITE
def test_a_database_that_is_away_is_everybodys(service, asking, rows, monkeypatch):
    """It is asked once, nothing is written, and later the same requests are done."""
    calls, keep = [], deciding.keep

    def gone(*_):
        calls.append(1)
        raise OperationalError("insert", {}, psycopg.OperationalError("closed"))

    asks = [asking(rows[0], f"request-{number}") for number in range(3)]
    monkeypatch.setattr(deciding, "keep", gone)
    monkeypatch.setattr(deciding, "OUTAGE_SHARE", 0.0)
    outcomes = Deciding(service.shared)(asks)
    assert [type(one).__name__ for one in outcomes] == ["UnavailableError"] * 3
    assert calls == [1]
    assert not everything(service, Decision)
    monkeypatch.setattr(deciding, "keep", keep)
    assert kinds(Deciding(service.shared)(asks)) == [201] * 3


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_name_that_another_process_runs_is_refused_alone(service, asking, rows):
    """409 for that one; the others of the transaction are decided."""
    asks = [asking(rows[0], "request-1"), asking(rows[0], "request-2")]
    with service.shared.database.transaction() as session:
        session.execute(text("select pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": "front\nrequest-1"})
        assert kinds(Deciding(service.shared)(asks)) == [(409, "still-running"), 201]


@SQLITE
def test_no_more_wait_than_may(service, asking, rows):
    """Those of the same transaction are counted too."""
    limits = type(service.shared.settings.limits)(largest_queue=2)
    settings = type(service.shared.settings)(vault="v", lender=service.shared.settings.lender, limits=limits)
    object.__setattr__(service.shared, "settings", settings)
    outcomes = Deciding(service.shared)([asking(rows[0], f"request-{number}") for number in range(4)])
    assert kinds(outcomes) == [201, 201, (429, "queue-full"), (429, "queue-full")]


@SQLITE
def test_a_full_queue_says_when_there_is_room_by_what_was_measured(service, asking, rows):
    """Ten proofs in 200 seconds: room for a twentieth of the queue is there in as many times twenty seconds."""
    limits = type(service.shared.settings.limits)(largest_queue=60)
    settings = type(service.shared.settings)(vault="v", lender=service.shared.settings.lender, limits=limits)
    object.__setattr__(service.shared, "settings", settings)
    service.shared.__post_init__()
    first = Deciding(service.shared)([asking(rows[0], "request-0")])[0]
    decision = loads(first.body)["id"]

    def ended(times):
        with service.shared.database.transaction() as session:
            for number, at in enumerate(times, 1):
                session.add(Transition(decision_id=decision, number=number, state="certified", at=at, reason=""))

    def retry(now):
        with service.shared.database.reading() as session, pytest.raises(ProblemError) as full:
            service.shared.backlog.refuse_full(session, now, 59)
        return full.value.headers["Retry-After"]

    now = service.clock()
    assert retry(now) == "5"  # three, at one a second, and never less than five
    assert retry(now) == "5"
    ended(now + 20_000_000 * number for number in range(1, 11))
    assert retry(now + 220_000_000) == "60"
    assert retry(now + 220_000_000 + 10**9) == "5"  # none has ended lately


def test_a_revoked_key_decides_nothing_more(service, rows):
    """At once, though this process has seen it live; and it takes nothing from its client's other key."""
    first = service.post(rows[0])
    named = service.headers["Authorization"].split("_")[1]
    with service.shared.database.transaction() as session:
        revoke(session, named, service.clock())
    answers = [service.post(rows[0]) for _ in range(2)]
    assert first.status_code == 201
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].headers["www-authenticate"] == "Bearer"
    assert not service.shared.callers.find(service.headers["Authorization"].removeprefix("Bearer "))


@BOTH
def test_jobs_are_written_as_their_library_writes_them(address):
    """Row by row the same, but for names, ids and times; the same job twice is one."""
    durable.migrate(address)
    client = durable.Client(address)
    with Database(address) as database, database.transaction() as session:
        client._client.enqueue_in_transaction(session, durable._options("library"), "decision")
        client.submit(session, {"ours": "decision", "other": "decision"})
        client.submit(session, {"ours": "another"})
        client.submit(session, {})
        schema = "" if database.is_sqlite else "dbos."
        found = {}
        for table in ("workflow_status", "workflow_input"):
            asked = session.execute(text(f"select * from {schema}{table}")).mappings()  # noqa: S608
            found[table] = {row["workflow_uuid"]: dict(row) for row in asked}
    client.close()
    own = {"workflow_uuid", "creator_xid", "created_at", "updated_at", "retention_timestamp"}
    for rows in found.values():
        assert set(rows) == {"library", "ours", "other"}
        plain = [{name: value for name, value in row.items() if name not in own} for row in rows.values()]
        assert plain[0] == plain[1] == plain[2]
        assert all(
            set(row) == set(rows["library"]) and None not in (row.get("created_at", 1),) for row in rows.values()
        )


def test_what_waits_goes_together_and_nobody_is_forgotten():
    """The first goes alone, what comes meanwhile goes together, at most as many as may; a failure is all of theirs."""
    begun, go, groups = threading.Event(), threading.Event(), []

    def work(given):
        begun.set()
        go.wait(20)
        groups.append(list(given))
        if 7 in given:
            raise RuntimeError("seven")
        return [one if one != 2 else ValueError("two") for one in given]

    async def all_of_them(together):
        tasks = [asyncio.ensure_future(together(0))]
        await asyncio.to_thread(begun.wait, 20)
        tasks += [asyncio.ensure_future(together(number)) for number in range(1, 9)]
        await asyncio.sleep(0.01)
        tasks.pop().cancel()  # who has gone away is no trouble
        go.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    together = Together(work, 4, 0.0)
    said = asyncio.run(all_of_them(together))
    together.close()
    assert groups == [[0], [1, 2, 3, 4], [5, 6, 7, 8]]
    assert [str(one) for one in said] == ["0", "1", "two", "3", "4", "seven", "seven", "seven"]


@SQLITE
def test_an_answer_is_in_the_database_when_it_comes(service, rows, monkeypatch):
    """Nobody is told before the transaction is kept: as the outcome is handed out, another connection reads it."""
    seen, tell = [], Together._tell

    def told(asked, outcomes):
        with service.shared.database.reading() as session:
            seen.append((len(outcomes), len(session.scalars(select(Decision)).all())))
        tell(asked, outcomes)

    monkeypatch.setattr(Together, "_tell", staticmethod(told))
    assert [service.post(rows[0]).status_code for _ in range(3)] == [201] * 3
    assert seen == [(1, 1), (1, 2), (1, 3)]
