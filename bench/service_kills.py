"""A lending service whose processes are killed -9 at random moments while decisions are asked for.

Web, worker, a prover, what sends to the log, the log's writer, and PostgreSQL: each is killed and started again. A
client asks on, under the same idempotency key until it has an answer. Afterwards every acknowledged decision must be
there once, in its right state, with one certificate at most and one receipt in the log; and nothing else may be there.
"""

from __future__ import annotations

import http.client
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sqlalchemy import func, select

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from bench.postgres import programs
from bench.service_checks import wrong
from bench.service_place import MODEL, OURS, Place, placed
from equiproof.service.asking import send
from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, LogProof, Outgoing

KILLS: Mapping[str, int] = {"sqlite": 100, "postgresql": 100}
TARGETS = (*OURS, "writer", "prover", "database")
PAUSES = (0.05, 3.0)
"""The shortest and the longest time between two kills, in seconds."""

CLIENTS = 3
PACE_SECONDS = 4.0
"""How long a client waits between two decisions: provers must be able to follow."""

PATIENCE = 600.0
"""How many seconds one answer may take, and how long nothing may change while something waits: provers have the lowest
priority, and on a busy machine they take their time."""

_RETRIED = (409, 429, 500, 502, 503, 504)


def run(
    _data_dir: Path | None = None,
    progress: Progress = nothing,
    *,
    kills: Mapping[str, int] = KILLS,
    seed: int = 24,
    pauses: tuple[float, float] = PAUSES,
) -> dict[str, Any]:
    """Kill so many times on each database; raises BenchError for anything that must not be, NoServerError."""
    if "postgresql" in kills and programs() is None:
        raise BenchError("service-kills: no PostgreSQL server: call `make postgres`")
    results = []
    for database, count in kills.items():
        with tempfile.TemporaryDirectory() as text, placed(Path(text), database) as place:
            results.append(killed(place, database, count, random.Random(seed), pauses))  # noqa: S311
        progress(len(results), len(kills))
    return {"suite": "service-kills", "results": results, "machine": machine()}


def killed(
    place: Place, database: str, count: int, drawn: random.Random, pauses: tuple[float, float]
) -> dict[str, Any]:
    """Kill processes of one service under load; returns what was counted, raises BenchError for what is wrong."""
    begun = time.monotonic()
    for name in ("writer", *OURS):
        place.start(name)
    clients = [Client(place, number) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    kills = _kills(place, count, (drawn, pauses), lambda: any(client.fault for client in clients))
    for client in clients:
        client.stopped.set()
    for client in clients:
        client.join(PATIENCE)
        if client.is_alive() or client.fault:
            raise BenchError(f"service-kills: {client.fault or 'a request had no answer'}\n{place.said()}")
    _settle(place)
    answered = {one: state for client in clients for one, state in client.answered.items()}
    found, counts = wrong(place, answered)
    if found:
        raise BenchError("service-kills: " + "; ".join(found[:10]) + f"\n{place.said()}")
    return {
        "database": database,
        "kills": dict(kills),
        "decisions": len(answered),
        "repeated": sum(client.repeated for client in clients),
        "counts": counts,
        "seconds": round(time.monotonic() - begun, 1),
    }


def _kills(
    place: Place, count: int, moments: tuple[random.Random, tuple[float, float]], failed: Callable[[], bool]
) -> Counter[str]:
    """Kill so many processes at random moments, each kind about as often, until something has `failed`.

    Returns how often each was killed.
    """
    drawn, pauses = moments
    targets = [name for name in TARGETS if name != "database" or place.server is not None]
    killed, waiting = Counter[str](), list[str]()
    while killed.total() < count and not failed():
        waiting = waiting or drawn.sample(targets, len(targets))
        time.sleep(drawn.uniform(*pauses))
        place.revive()
        # Provers are there only while there is something to prove: where there is none, it is their turn later.
        target = waiting.pop(0)
        if place.kill(target):
            killed[target] += 1
        else:
            waiting.append(target)
    return killed


class Client(Thread):
    """Asks for one decision after the other, each until it is answered, and notes the answers."""

    def __init__(self, place: Place, first: int) -> None:
        super().__init__(daemon=True)
        self._place, self._first = place, first
        self.stopped = Event()
        self.answered: dict[str, str] = {}
        self.repeated = 0
        self.fault = ""

    def run(self) -> None:
        """Ask until `stopped` is set; every fifth applicant is one whom the model leaves to a person."""
        number = self._first
        while not self.stopped.is_set() and not self.fault:
            self._ask(number, self._place.rows[number % 5 == 4])
            number += CLIENTS
            self.stopped.wait(PACE_SECONDS)

    def _ask(self, number: int, row: Mapping[str, Any]) -> None:
        """Have one decision made, however often it takes; the same key and body are the same decision."""
        body = json.dumps({"model": MODEL, "features": row, "reference": f"application-{number}"}).encode()
        headers = {
            "Authorization": f"Bearer {self._place.key}",
            "Idempotency-Key": f"application-{number}",
            "Content-Type": "application/json",
        }
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                status, said = send(self._place.settings.listen, "POST", "/v1/decisions", headers, body, 20)
            except (OSError, http.client.HTTPException):
                status, said = 503, b""
            if status == 201:
                made = json.loads(said)
                self.answered[made["id"]] = made["history"][0]["state"]
                return
            if status not in _RETRIED:
                self.fault = f"application {number}: {status} {said[:300]!r}"
                return
            self.repeated += 1
            time.sleep(0.1)
        self.fault = f"application {number}: no answer in {PATIENCE:g} s"


def _settle(place: Place) -> None:
    """Wait until nothing waits any more; raises BenchError where nothing changes for long."""
    end, before = time.monotonic() + PATIENCE, dict[str, int]()
    with Database(place.settings.database) as database:
        while left := _left(database):
            place.revive()
            if left != before:
                end, before = time.monotonic() + PATIENCE, left
            if time.monotonic() > end:
                raise BenchError(f"service-kills: still waiting: {left}\n{place.said()}")
            time.sleep(0.3)


def _left(database: Database) -> dict[str, int]:
    """Return how much waits: decisions for their end, receipts for the log, and for their proofs."""
    with database.reading() as session:
        proven = select(LogProof.decision_id).where(LogProof.body.is_not(None))
        counts = {
            "decisions": select(func.count()).where(Decision.state.in_(WAITING_STATES)),
            "receipts": select(func.count()).where(Outgoing.done.is_(None)),
            "proofs": select(func.count()).where(Decision.id.not_in(proven)),
        }
        found = {name: session.scalar(count) or 0 for name, count in counts.items()}
    return {name: count for name, count in found.items() if count}


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each database."""
    head: Sequence[str] = (
        "database", "kills", *TARGETS, "decisions", "asked again", "certified", "review", "given up", "logged", "min"
    )  # fmt: skip
    rows = []
    for one in found["results"]:
        counts = one["counts"]
        states = [str(counts.get(state, 0)) for state in (State.CERTIFIED, State.REVIEW, State.FAILED)]
        killed = [str(one["kills"].get(target, 0)) for target in TARGETS]
        minutes = f"{one['seconds'] / 60:.1f}"
        given = (str(one["decisions"]), str(one["repeated"]), *states, str(counts["entries"]), minutes)
        rows.append((one["database"], str(sum(one["kills"].values())), *killed, *given))
    return markdown(head, rows)
