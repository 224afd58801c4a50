"""Changes of state told to an endpoint that takes its time: how many a second, over how many connections.

The changes wait when the process begins, two of each decision. Every message is counted at the endpoint: each change
comes once, and those of a decision in their order.
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from bench.harness import BenchError, table
from bench.parts import BaseQuestion, Options, Plan
from bench.service_place import SETTINGS, Place, placed
from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.clock import now
from equiproof.service.decisions import CHANGE
from equiproof.service.states import State
from equiproof.service.store.database import Database, insert_rows
from equiproof.service.store.tables import Decision, Model, Outgoing

DATABASES = ("sqlite", "postgresql")
STATES = (State.DECIDED, State.CERTIFYING)
TAKES_SECONDS = 0.1
"""How long the endpoint takes over a message."""

MOST_SECONDS = 120.0
_TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` changes are told to an endpoint that takes `seconds` over each."""

    points: int = 2000
    seconds: float = TAKES_SECONDS
    jobs: int = 1


@dataclass
class Receiver:
    """The endpoint: what came on it, in its order, and over how many connections."""

    seconds: float
    most: int
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    connections: int = 0
    begun: float = 0.0
    took: float = 0.0
    whole: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Task[Any] | None] = field(default_factory=set)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take the messages of one connection, each after its time."""
        self.connections += 1
        self.tasks.add(asyncio.current_task())
        while head := await _head(reader):
            self.begun = self.begun or time.perf_counter()
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self.messages.append(json.loads(await reader.readexactly(length)))
            await asyncio.sleep(self.seconds)
            writer.write(_TAKEN)
            self.took = time.perf_counter() - self.begun
            if len(self.messages) >= self.most:
                self.whole.set()
        writer.close()


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return one part for each kind of database."""
    options.one_by_one("service-webhooks", "messages")
    asked = options.of(question or Question())
    return Plan(asked.as_data("jobs"), {name: partial(told, asked, name) for name in DATABASES})


def told(asked: Question, database: str) -> dict[str, Any]:
    """Have all changes told on one database; raises BenchError for a change that does not come once, in its order."""
    with tempfile.TemporaryDirectory() as folder, placed(Path(folder), database) as place:
        _filled(place, asked.points // len(STATES))
        receiver = asyncio.run(_received(place, asked))
        found = [(one["decision"], one["number"]) for one in receiver.messages]
        numbers: dict[str, list[int]] = {}
        for decision, number in found:
            numbers.setdefault(decision, []).append(number)
        if any(one != [*range(len(STATES))] for one in numbers.values()) or len(numbers) != asked.points // len(STATES):
            raise BenchError(f"service-webhooks: {len(found)} messages about {len(numbers)} decisions, not each once")
    return {
        "messages": len(found),
        "per_s": round(len(found) / receiver.took, 1),
        "connections": receiver.connections,
    }


async def _received(place: Place, asked: Question) -> Receiver:
    """Run endpoint and process until every change has come."""
    receiver = Receiver(asked.seconds, asked.points // len(STATES) * len(STATES))
    server = await asyncio.start_server(receiver, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    secret = place.folder / "bench.key"
    secret.touch(mode=0o600)
    secret.write_text(f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}\n", encoding="ascii")
    with (place.folder / SETTINGS).open("a", encoding="utf-8") as settings:
        settings.write(f'[webhooks.bench]\nurl = "http://127.0.0.1:{port}/"\nsecret = "{secret.name}"\n')
    async with server:
        place.start("webhooks")
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await receiver.whole.wait()
        except TimeoutError:
            came = f"{len(receiver.messages)} messages in {MOST_SECONDS:.0f} s"
            raise BenchError(f"service-webhooks: {came}; {place.said()}") from None
        finally:
            place.end()
            await asyncio.gather(*filter(None, receiver.tasks))  # each ends with its connection
    return receiver


def _filled(place: Place, decisions: int) -> None:
    """Write decisions with their changes, which nobody has been told of."""
    with Database(place.settings.database) as database, database.transaction() as session:
        model = session.scalars(select(Model.id)).one()
        made: list[Decision] = []
        for number in range(decisions):
            name = f"{number:032x}"
            digest = f"{number:064x}"
            made.append(
                Decision(
                    id=name,
                    client="bench",
                    model_id=model,
                    state=STATES[-1],
                    label=1,
                    received=now(),
                    query_commitment=digest,
                    receipt=digest,
                )
            )
        changes = [
            Outgoing(kind=CHANGE, decision_id=row.id, body=_message(row.id, place_in_order), created=now())
            for row in made
            for place_in_order in range(len(STATES))
        ]
        insert_rows(session, *made, *changes)
        if session.scalar(select(func.count()).select_from(Outgoing)) != decisions * len(STATES):
            raise BenchError("service-webhooks: the changes are not there")


def _message(decision: str, number: int) -> bytes:
    """Return what endpoints are told of a change."""
    message = {"at": now(), "client": "bench", "decision": decision, "number": number, "state": str(STATES[number])}
    return canonical_bytes(message)


async def _head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of the next request; nothing where the other side has gone."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def rates(found: Mapping[str, Any]) -> str:
    """Write the messages a second by database."""
    rows = [
        (name, f"{1000 * found['question']['seconds']:.0f}", f"{part['messages']:,}", f"{part['per_s']:,.1f}",
         f"{part['connections']:,}")
        for name, part in found["parts"].items()
    ]  # fmt: skip
    return table(("database", "endpoint takes, ms", "messages", "messages a second", "connections"), rows)
