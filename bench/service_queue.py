"""A service for which thousands of certificates wait: what requests take then, who is refused, and who comes first.

- decide: one decision over HTTP; page: the newest 50 of the client; numbers: what `/metrics` counts;
- refused: requests beyond the longest queue, each of which must get 429 with Retry-After;
- then a worker begins: certificates must come in the order of the decisions, and each makes room for one decision.

The public log is away meanwhile, so that as many receipts wait as certificates.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select

from bench.harness import BenchError, table
from bench.parts import BaseQuestion, Options, Plan
from bench.service_place import LIFE, MODEL, SETTINGS, Place, placed
from equiproof.service.clients import Scope, add_client, caller_of
from equiproof.service.clock import now
from equiproof.service.decisions import Holders
from equiproof.service.jobs import durable
from equiproof.service.models import Models
from equiproof.service.processes import answers
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision
from equiproof.service.vault import load_vault
from equiproof.service.web.bodies import NewDecision
from equiproof.service.web.deciding import BATCH, Ask, Deciding
from equiproof.service.web.limits import COUNT_INTERVAL
from equiproof.service.web.state import Shared

DATABASES = ("sqlite", "postgresql")
ASKED = 200
"""How many decisions are timed, one after the other; a fifth as many pages."""

REFUSED = 20
START_SECONDS = 60.0


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` certificates wait, and provers work for `seconds` then."""

    points: int = 10_000
    seconds: float = 60.0
    jobs: int = 1


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return one part for each kind of database."""
    options.one_by_one("service-queue", "decisions")
    asked = options.of(question or Question())
    return Plan(asked.as_data("jobs"), {name: partial(measured, asked, name) for name in DATABASES})


def measured(asked: Question, database: str) -> dict[str, Any]:
    """Measure a service on one database; raises BenchError for an answer or an order that must not be."""
    if asked.points <= 2 * ASKED:
        raise BenchError(f"service-queue: --points {asked.points}: want more than {2 * ASKED}")
    with tempfile.TemporaryDirectory() as folder, placed(Path(folder), database) as place:
        file = place.folder / SETTINGS
        limits = f"[limits]\nlargest_queue = {asked.points}\n"
        file.write_text(f"{file.read_text(encoding='utf-8')}{limits}", encoding="utf-8")
        place.start("web")
        client = Client(place, _admin(place))
        client.wait()
        empty = client.times()
        _fill(place, asked.points - 2 * ASKED)
        time.sleep(2 * COUNT_INTERVAL / 1e6)  # the web process counts what waits once a second
        full = client.times()
        refused = client.refused()
        return {"empty": empty, "full": full, **refused, **_worked(place, client, asked)}


@dataclass
class Client:
    """Asks one service, with a key that may all."""

    place: Place
    key: str = field(repr=False)
    made: int = 0

    def wait(self) -> None:
        """Wait until the service answers; raises BenchError."""
        until = time.monotonic() + START_SECONDS
        while not answers(self.place.settings.listen):
            if time.monotonic() > until:
                raise BenchError(f"service-queue: no service; {self.place.said()}")
            time.sleep(0.1)

    def times(self) -> dict[str, Any]:
        """Time decisions, pages and counts, one after the other; returns milliseconds."""
        decide = [self._timed("POST", "/v1/decisions", HTTPStatus.CREATED) for _ in range(ASKED)]
        page = [self._timed("GET", "/v1/decisions?limit=50", HTTPStatus.OK) for _ in range(ASKED // 5)]
        numbers = [self._timed("GET", "/metrics", HTTPStatus.OK) for _ in range(ASKED // 5)]
        return {
            "decide_ms": round(statistics.median(decide), 2),
            "decide_p99_ms": round(statistics.quantiles(decide, n=100)[98], 2),
            "page_ms": round(statistics.median(page), 2),
            "numbers_ms": round(statistics.median(numbers), 2),
        }

    def refused(self) -> dict[str, Any]:
        """Ask beyond the longest queue; return how long a refusal takes, and what it says about coming back."""
        found = [self._refusal() for _ in range(REFUSED)]
        return {"refused_ms": round(statistics.median(ms for ms, _ in found), 2), "retry_s": found[-1][1]}

    def filled(self, most: int) -> tuple[int, int]:
        """Ask until the queue is full; return how many decisions found room, and the seconds to come back after."""
        for count in range(most):
            status, _, retry = self._asked("POST", "/v1/decisions")
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                return count, retry
        raise BenchError(f"service-queue: {most} decisions found room, and the queue was full")

    def _refusal(self) -> tuple[float, int]:
        status, ms, retry = self._asked("POST", "/v1/decisions")
        if status != HTTPStatus.TOO_MANY_REQUESTS or retry < 1:
            raise BenchError(f"service-queue: the queue is full, and the answer is {status}, Retry-After {retry}")
        return ms, retry

    def _timed(self, method: str, path: str, wanted: HTTPStatus) -> float:
        status, ms, _ = self._asked(method, path)
        if status != wanted:
            raise BenchError(f"service-queue: {method} {path} was answered with {status}; {self.place.said()}")
        return ms

    def _asked(self, method: str, path: str) -> tuple[int, float, int]:
        """Make a request on a connection of its own; return status, milliseconds, and Retry-After or 0."""
        self.made += 1
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        headers["Idempotency-Key"] = f"queue-{self.made:08}"
        body = json.dumps({"model": MODEL, "features": self.place.rows[0]}).encode() if method == "POST" else None
        host, _, port = self.place.settings.listen.rpartition(":")
        connection, begun = HTTPConnection(host, int(port), timeout=START_SECONDS), time.perf_counter()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        return answer.status, (time.perf_counter() - begun) * 1e3, int(answer.getheader("Retry-After") or 0)


def _admin(place: Place) -> str:
    """Return a key with every scope, of a client of its own."""
    with Database(place.settings.database) as database, database.transaction() as session:
        return add_client(session, "queue", list(Scope), now(), now() + LIFE).text


def _fill(place: Place, count: int) -> None:
    """Have so many decisions wait, made as the web process makes them, as many together as it does at most."""
    settings = msgspec.structs.replace(
        place.settings, limits=msgspec.structs.replace(place.settings.limits, largest_queue=10**9)
    )
    with ExitStack() as stack:
        database, client = stack.enter_context(Database(settings.database)), durable.Client(settings.database)
        stack.callback(client.close)
        holders = Holders(load_vault(Path(settings.vault)), client)
        decide = Deciding(Shared(settings, database, Models(), holders, now))
        with database.reading() as session:
            caller = caller_of(session, place.key, now())
        if caller is None:
            raise BenchError("service-queue: the key of the client is not live")
        given = NewDecision(model=MODEL, features=dict(place.rows[0]))
        for first in range(0, count, BATCH):
            numbers = range(first, min(first + BATCH, count))
            for outcome in decide([Ask(caller, f"fill-{one:08}", given, [f"{one:064x}"], now()) for one in numbers]):
                if isinstance(outcome, Exception):
                    raise outcome


def _worked(place: Place, client: Client, asked: Question) -> dict[str, Any]:
    """Let a worker work; return when the first certificate was there, how many ended, and what a client is told then.

    Raises BenchError where a decision ended before one that came a transaction earlier.
    """
    begun = time.monotonic()
    place.start("worker")
    with Database(place.settings.database) as database:
        first = None
        while (passed := time.monotonic() - begun) < (asked.seconds if first is not None else 2 * START_SECONDS):
            if first is None and _ended(database):
                first = passed
            time.sleep(0.1)
        if first is None:
            raise BenchError(f"service-queue: no certificate; {place.said()}")
        places = _ended(database)
    latest = len(places) + place.settings.provers + BATCH
    if max(places) >= latest:
        raise BenchError(f"service-queue: {len(places)} ended, among them the one at place {max(places)} of the queue")
    room, retry = client.filled(asked.points)
    return {"first_s": round(first, 1), "ended": len(places), "room": room, "retry_working_s": retry}


def _ended(database: Database) -> list[int]:
    """Return the places in the queue, by when they were received, of the decisions that have ended."""
    with database.reading() as session:
        states = session.scalars(select(Decision.state).order_by(Decision.received, Decision.id)).all()
    return [place for place, state in enumerate(states) if state not in (State.DECIDED, State.CERTIFYING)]


def times(found: Mapping[str, Any]) -> str:
    """Write what requests take with an empty queue and with a full one."""
    rows = [
        (
            name, f"{waiting:,}", f"{ms['decide_ms']:.1f}", f"{ms['decide_p99_ms']:.1f}", f"{ms['page_ms']:.1f}",
            f"{ms['numbers_ms']:.1f}",
        )
        for name, part in found["parts"].items()
        for waiting, ms in ((0, part["empty"]), (found["question"]["points"] - ASKED, part["full"]))
    ]  # fmt: skip
    return table(("database", "waiting", "decide, ms", "p99, ms", "page, ms", "numbers, ms"), rows)


def order(found: Mapping[str, Any]) -> str:
    """Write what is refused, and what happens once a worker begins."""
    rows = [
        (
            name, f"{part['refused_ms']:.1f}", f"{part['retry_s']:,}", f"{part['first_s']:.1f}", f"{part['ended']:,}",
            f"{part['room']:,}", f"{part['retry_working_s']:,}",
        )
        for name, part in found["parts"].items()
    ]  # fmt: skip
    head = ("database", "429, ms", "Retry-After, s", "first certificate, s", "certificates", "room found", "then, s")
    return table(head, rows)
