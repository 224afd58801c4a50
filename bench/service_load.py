"""Decisions at a steady rate over HTTP: how long each takes, with receipts, while provers work at low priority.

Requests are sent when they are due, whether or not earlier ones have been answered, and their time counts from then: a
service that falls behind shows it. Every answer is compared with the database afterwards: one decision, one receipt.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bench.harness import BenchError, table
from bench.parts import BaseQuestion, Options, Plan
from bench.service_place import LARGEST_QUEUE, MODEL, OFTEN, SETTINGS, Place, placed
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, Outgoing

WEB_PROCESSES = {"sqlite": 1, "postgresql": 2}
"""By kind of database: several that write to one file of SQLite wait for each other in steps of many milliseconds."""

CONNECTIONS = 64
LISTENING = "0A"
START_SECONDS = 30.0
MOST_BEHIND = 60.0
"""How many seconds after the last request the answers may take; a service that is further behind does not keep up."""

WARM = 50


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` decisions a second are requested during `seconds`."""

    points: int = 200
    seconds: float = 60.0
    jobs: int = 1


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return one part for each kind of database."""
    options.one_by_one("service-load", "decisions")
    asked = options.of(question or Question())
    return Plan(asked.as_data("jobs"), {name: partial(loaded, asked, name) for name in WEB_PROCESSES})


def loaded(asked: Question, database: str) -> dict[str, Any]:
    """Run a service under the load, and return the times of its answers; raises BenchError for a lost decision."""
    with tempfile.TemporaryDirectory() as folder, placed(Path(folder), database) as place:
        settings = place.folder / SETTINGS
        text, web = settings.read_text(encoding="utf-8").replace(OFTEN, ""), WEB_PROCESSES[database]
        limits = f"[limits]\nlargest_queue = {LARGEST_QUEUE}\n"
        settings.write_text(f"web_processes = {web}\n{text}{limits}", encoding="utf-8")
        for name in ("writer", "log", "worker", *(f"web {number + 1}" for number in range(web))):
            place.start(name)
        load = Load(place, asked, web)
        try:
            asyncio.run(load.run())
        except TimeoutError:
            raise BenchError(
                f"service-load: it falls behind: {load.answers.total():,} answers in all the time"
            ) from None
        except OSError as error:
            raise BenchError(f"service-load: {error}; {place.said()}") from None
        return {**load.found(), **_kept(place, load.answers[HTTPStatus.CREATED] + WARM)}


@dataclass
class Load:
    """Requests over connections that stay open; one that is due waits for a free connection."""

    place: Place
    asked: Question
    web: int
    answers: Counter[int] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    took: float = 0.0

    async def run(self) -> None:
        """Wait for the service, warm it up, and send every request when it is due."""
        await self._ready()
        free: asyncio.Queue[Connection] = asyncio.Queue()
        host, _, port = self.place.settings.listen.rpartition(":")
        for _ in range(CONNECTIONS):
            free.put_nowait(Connection(*await asyncio.open_connection(host, int(port))))
        for number in range(WARM):
            await self._one(free, -number - 1, time.perf_counter())
        self.answers.clear()
        self.times.clear()
        begun, count = time.perf_counter(), round(self.asked.points * self.asked.seconds)
        tasks = []
        for number in range(count):
            due = begun + number / self.asked.points
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(self._one(free, number, due)))
        async with asyncio.timeout(MOST_BEHIND):
            await asyncio.gather(*tasks)
        self.took = time.perf_counter() - begun

    def found(self) -> dict[str, Any]:
        """Return the times of all answers in milliseconds, and the rate at which decisions were made."""
        ranked = sorted(self.times)
        shares = {"p50": 500, "p95": 950, "p99": 990, "p999": 999}
        at = {name: ranked[min(len(ranked) - 1, len(ranked) * share // 1000)] for name, share in shares.items()}
        made = self.answers[HTTPStatus.CREATED]
        return {
            "answers": {str(status): count for status, count in sorted(self.answers.items())},
            "per_s": round(made / self.took, 1),
            "ms": {name: round(1e3 * value, 2) for name, value in {**at, "max": ranked[-1]}.items()},
        }

    async def _ready(self) -> None:
        """Wait until every web process listens; raises BenchError where one does not.

        Connections that are opened before would all be one process's.
        """
        until = time.perf_counter() + START_SECONDS
        port = int(self.place.settings.listen.rpartition(":")[2])
        while _listening(port) < self.web:
            if time.perf_counter() > until:
                raise BenchError(f"service-load: no service; {self.place.said()}")
            await asyncio.sleep(0.1)

    async def _one(self, free: asyncio.Queue[Connection], number: int, due: float) -> None:
        """Send one request, and note its status and its time."""
        connection = await free.get()
        status = await connection.post(self.place, f"load-{number:+09}")
        self.times.append(time.perf_counter() - due)
        self.answers[status] += 1
        free.put_nowait(connection)


@dataclass(frozen=True)
class Connection:
    """An open connection, on which one request is sent after the other."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def post(self, place: Place, key: str) -> int:
        """Ask for a decision; return the status of the answer, which has come whole."""
        body = json.dumps({"model": MODEL, "features": place.rows[0]}).encode()
        head = (
            f"POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {place.key}\r\n"
            f"Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        await self.reader.readexactly(int(answer.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
        return int(answer.split(b" ", 2)[1])


def _listening(port: int) -> int:
    """Return how many sockets listen at a port, as Linux lists them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(row[1].endswith(f":{port:04X}") and row[3] == LISTENING for row in rows)


def _kept(place: Place, made: int) -> dict[str, int]:
    """Return how many certificates there are when the load ends; raises BenchError where rows do not fit answers."""
    with Database(place.settings.database) as database, database.reading() as session:
        decisions = session.scalar(select(func.count()).select_from(Decision)) or 0
        receipts = session.scalar(select(func.count()).where(Outgoing.kind == "receipt")) or 0
        certificates = session.scalar(select(func.count()).select_from(Certificate)) or 0
        sent = session.scalar(select(func.count()).where(Outgoing.kind == "receipt", Outgoing.done.is_not(None))) or 0
    if not made == decisions == receipts:
        raise BenchError(f"service-load: {made} answers, {decisions} decisions, {receipts} receipts")
    return {"decisions": decisions, "receipts_logged": sent, "certificates": certificates}


def times(found: Mapping[str, Any]) -> str:
    """Write the times of answers by database."""
    rows = []
    for name, part in found["parts"].items():
        ms = part["ms"]
        rows.append(
            (
                name,
                f"{found['question']['points']}",
                f"{part['per_s']:,.1f}",
                f"{ms['p50']:.1f}",
                f"{ms['p95']:.1f}",
                f"{ms['p99']:.1f}",
                f"{ms['max']:.1f}",
                f"{sum(part['answers'].values()) - part['answers'].get('201', 0):,}",
                f"{part['certificates']:,}",
            )
        )
    head = ("database", "requested a second", "made a second", "median, ms", "p95", "p99", "longest", "refused")
    return table((*head, "certificates meanwhile"), rows)
