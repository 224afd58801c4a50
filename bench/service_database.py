"""What a decision costs the database, on SQLite and on PostgreSQL, and how that grows with what is there.

- decide: one decision with everything that its transaction writes: answer, receipt, history, sealed data, job;
- at once: the decisions of one process in a second, four in each transaction;
- page: the newest 50 decisions of a client; due: the 256 receipts that have waited longest;
- bytes: what the database's files grow by, for each decision.

Both databases keep on the disk what they have acknowledged.
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import insert, text

from bench.harness import Progress, machine, nothing
from bench.harness import table as markdown
from bench.postgres import Server, programs
from bench.seeded import network_of, spec_of
from equiproof.prover.opening import Opening
from equiproof.service.clients import Caller, Scope, make_key
from equiproof.service.decisions import RECEIPT, Holders
from equiproof.service.idempotency import Answer
from equiproof.service.jobs import durable
from equiproof.service.models import Files, Models, add_model
from equiproof.service.settings import LenderSettings, LimitSettings, Settings
from equiproof.service.states import State
from equiproof.service.store import migrations, queries
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, LogProof, Outgoing, Request, Transition
from equiproof.service.vault import new_line, parse_vault
from equiproof.service.web.bodies import NewDecision
from equiproof.service.web.deciding import Ask, Deciding
from equiproof.service.web.state import Shared

SIZES = (0, 100_000)
DECIDED = 400
AT_ONCE = 4
NOW = 10**15
ASKED = 30
BATCH = 5_000
CLIENT, MODEL = "bench", "bench"
SPEC, HIDDEN = spec_of(19, 2), (4, 2)
ANSWER = Answer(201, b"a" * 700)
CERTIFICATE, SEALED, PROOF = b"c" * 1_500, b"s" * 2_000, b"p" * 1_200


def run(
    _data_dir: Path | None = None, progress: Progress = nothing, *, sizes: Sequence[int] = SIZES, decided: int = DECIDED
) -> dict[str, Any]:
    """Measure both databases, PostgreSQL where there is a server; raises as making a service does."""
    kinds = ("sqlite", "postgresql") if programs() else ("sqlite",)
    results = []
    for kind in kinds:
        for size in sizes:
            with _address(kind) as address:
                results.append({"database": kind, "there": size, **_measured(address, size, decided)})
            progress(len(results), len(kinds) * len(sizes))
    return {"suite": "service-database", "results": results, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each database and size."""
    head = (
        "database",
        "decisions there",
        "decide, ms",
        "p99, ms",
        "at once, decisions/s",
        "page, ms",
        "due, ms",
        "bytes",
    )
    rows = [
        (
            row["database"], f"{row['there']:,}", f"{row['decide_ms']:.1f}", f"{row['decide_p99_ms']:.1f}",
            f"{row['at_once_per_s']:,}", f"{row['page_ms']:.1f}", f"{row['due_ms']:.1f}", f"{row['bytes']:,}",
        )
        for row in found["results"]
    ]  # fmt: skip
    return markdown(head, rows)


@contextmanager
def _address(kind: str) -> Iterator[str]:
    """Give the address of an empty database."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/service.db"
        return
    with Server({"shared_buffers": "128MB"}) as server:
        server.run("create database service")
        yield server.address("service")


class _Deciding:
    """What a web process does for each request, without HTTP."""

    def __init__(self, database: Database, holders: Holders) -> None:
        limits = LimitSettings(largest_queue=10**9)
        settings = Settings(vault="vault.keys", lender=LenderSettings("Bench"), limits=limits)
        shared = Shared(settings, database, Models(), holders, lambda: NOW)
        with database.transaction() as session:
            key = make_key(session, CLIENT, [Scope.SUBMIT], NOW, 2 * NOW)
        self._deciding, self._caller = Deciding(shared), Caller(key.id, CLIENT, frozenset({Scope.SUBMIT}))

    def __call__(self, numbers: Sequence[int]) -> float:
        """Decide about some of many applicants together, and return the milliseconds."""
        asks = [self._ask(number) for number in numbers]
        start = time.perf_counter()
        for outcome in self._deciding(asks):
            if isinstance(outcome, Exception):
                raise outcome
        return (time.perf_counter() - start) * 1e3

    def _ask(self, number: int) -> Ask:
        features: dict[str, str | int | None] = {f"x{column}": str((number * 7 + column) % 3) for column in range(19)}
        given = NewDecision(model=MODEL, features=features, reference=f"new-{number}")
        return Ask(self._caller, f"new-{number:08}", given, [f"{number:064x}"], NOW + number)


def _measured(address: str, size: int, decided: int) -> dict[str, Any]:
    """Measure one database of so many decisions."""
    migrations.upgrade(address)
    durable.migrate(address)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database, client = stack.enter_context(Database(address)), durable.Client(address)
        stack.callback(client.close)
        _fill(database, _model(folder, database), size)
        decide = _Deciding(database, Holders(parse_vault(new_line("bench"), "vault"), client))
        before, times = _bytes(database), [decide([number]) for number in range(decided)]
        groups = [range(first, first + AT_ONCE) for first in range(decided, 2 * decided, AT_ONCE)]
        elapsed = sum(map(decide, groups)) / 1e3
        return {
            "decide_ms": round(statistics.median(times), 2),
            "decide_p99_ms": round(statistics.quantiles(times, n=100)[98], 2),
            "at_once_per_s": round(decided / elapsed),
            "page_ms": _asked(database, lambda session: queries.page(session, CLIENT, None, None, 50)),
            "due_ms": _asked(database, lambda session: queries.due(session, RECEIPT, 2 * 10**15, 1, 256)),
            "bytes": round((_bytes(database) - before) / (2 * decided)),
        }


def _model(folder: Path, database: Database) -> str:
    """Have a model decide, and return its id."""
    (folder / "opening.json").write_bytes(Opening.of(network_of(SPEC, HIDDEN), SPEC, blinding=1).secret())
    with database.transaction() as session:
        return add_model(session, MODEL, Files(folder / "opening.json", folder / "keys"), 1).id


def _asked(database: Database, ask: Callable[[Any], object]) -> float:
    """Return the median milliseconds of a question."""
    times = []
    for _ in range(ASKED):
        start = time.perf_counter()
        with database.reading() as session:
            ask(session)
        times.append((time.perf_counter() - start) * 1e3)
    return round(statistics.median(times), 2)


def _bytes(database: Database) -> int:
    """Return what a database takes on the disk, its journal left out."""
    asked = "pg_database_size(current_database())"
    if database.is_sqlite:
        asked = "page_count * page_size from pragma_page_count(), pragma_page_size()"
    with database.reading() as session:
        return int(session.scalar(text(f"select {asked}")) or 0)


def _fill(database: Database, model: str, size: int) -> None:
    """Write decisions that were certified and sent long ago."""
    for first in range(0, size, BATCH):
        found = [_rows(number, model) for number in range(first, min(first + BATCH, size))]
        with database.transaction() as session:
            for kind in (Decision, Transition, Outgoing, LogProof, Request, Certificate):
                session.execute(insert(kind), [rows[kind] for rows in found])
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("analyze"))


def _rows(number: int, model: str) -> dict[type, dict[str, Any]]:
    """Return the rows of one of them; its id is as random as any."""
    digest = hashlib.sha256(b"%d" % number).hexdigest()
    name, at = digest[:32], 10**14 + number
    of = {"decision_id": name}
    return {
        Decision: {
            "id": name, "client": CLIENT, "reference": f"old-{number}", "model_id": model, "state": State.CERTIFIED,
            "label": 1, "received": at, "query_commitment": digest, "receipt": digest, "sealed": SEALED,
        },
        Transition: {**of, "number": 0, "state": State.DECIDED, "at": at, "reason": ""},
        Outgoing: {**of, "kind": RECEIPT, "body": PROOF[:200], "created": at, "done": at},
        LogProof: {**of, "entry": number, "body": PROOF, "at": at},
        Request: {"client": CLIENT, "key": digest, "digest": digest, "created": at, "status": 201, "body": ANSWER.body},
        Certificate: {
            **of, "body": CERTIFICATE, "key_fingerprint": digest, "radius_squared": digest, "made": at,
        },
    }  # fmt: skip
