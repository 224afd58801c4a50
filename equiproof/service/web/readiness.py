"""Whether a service can do its work now, looked at again every few seconds by whoever asks.

A database that answers a question may still keep nothing, and a decision without its receipt's way into the log, or
without anybody who proves, is one that its applicant waits for. Strangers may ask, so that words name no file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from equiproof.service.decisions import RECEIPT
from equiproof.service.keys import has_proving_key, links_beside
from equiproof.service.models import ModelError
from equiproof.service.store import overview, queries
from equiproof.service.store.database import UnavailableError
from equiproof.service.store.tables import Outgoing, SchemaVersion
from equiproof.service.vault import VaultError, load_vault
from equiproof.service.web.state import Shared

LOOK_SECONDS = 2.0
"""How long a look holds; one takes up to the five seconds that a writer waits for its turn."""

SILENCE = 7_000_000
"""After so many microseconds without a beat no worker is taken to live, and a receipt that nobody sent is late."""

_CAUSES = {
    "full": "make room on the disk of the database: it is full",
    "lock": "end the program that writes to the database: decisions wait for it",
    "readonly": "mount the disk of the database for writing: it may only be read",
    "interrupted": "find out why the database is slow: it does not answer in time",
}
"""What an outage's line says, and what to tell."""

_ELSE = "look at the database: it keeps nothing now"


class Readiness:
    """What keeps a service from its work."""

    def __init__(self, shared: Shared, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._monotonic = monotonic
        self._lock = Lock()
        self._until = -1.0
        self._last: tuple[str, ...] | None = None

    def faults(self) -> tuple[str, ...]:
        """Return a line on each fault, none where the service is ready; while one looks, others get the last answer."""
        if not self._lock.acquire(blocking=self._last is None):
            return self._last or ()
        try:
            if self._last is None or self._monotonic() >= self._until:
                self._last = tuple(self._look())
                self._until = self._monotonic() + LOOK_SECONDS
            return self._last
        finally:
            self._lock.release()

    def _look(self) -> Iterator[str]:
        try:
            load_vault(Path(self._shared.settings.vault))
        except (OSError, VaultError):
            yield "put the file of the vault's key back: it cannot be read"
        try:
            with self._shared.database.transaction() as session:
                # A write that changes nothing: it needs the disk, and a writer's turn, as a decision does.
                session.execute(update(SchemaVersion).values(least=SchemaVersion.least))
            with self._shared.database.reading() as session:
                yield from self._waiting(session)
        except UnavailableError as error:
            yield next((told for word, told in _CAUSES.items() if word in str(error)), _ELSE)

    def _waiting(self, session: Session) -> Iterator[str]:
        """Look at what decisions need besides."""
        now = self._shared.clock()
        for row in queries.deciding(session):
            try:
                opening = self._shared.models.of(session, row.id).opening
            except ModelError:
                yield f"put the files of model {row.name} back: they cannot be read"
                continue
            # What this process has read it goes on with; the next one that is started cannot.
            if not os.access(row.opening, os.R_OK):
                yield f"put the opening of model {row.name} back: it cannot be read"
            if not has_proving_key(opening, Path(row.keys), links_beside(row.opening)):
                yield f"put the key folder of model {row.name} back: there is no proving key, and certificates wait"
        if self._shared.settings.log is not None:
            late = select(Outgoing.attempts).where(
                Outgoing.kind == RECEIPT, Outgoing.done.is_(None), Outgoing.created < now - SILENCE
            )
            attempts = list(session.scalars(late.order_by(Outgoing.id).limit(1)))
            if attempts:
                refused = "look at the public log: it does not take receipts, and they wait"
                yield refused if attempts[0] else "start the log process: nobody sends receipts to the public log"
        waits = queries.oldest_waiting(session)
        if waits is None or waits >= now - SILENCE:
            return
        workers = overview.workers(session, now - SILENCE)
        if not workers.alive:
            yield "start a worker: none lives, and certificates wait"
        elif workers.starved == workers.alive:
            yield "leave the provers a processor, or set prover_priority: other programs take it, and certificates wait"
