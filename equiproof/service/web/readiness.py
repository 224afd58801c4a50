"""Whether a service can do its work now, looked at again every few seconds by whoever asks.

A database that answers a question may still keep nothing, and a decision without its receipt's way into the log, or
without anybody who proves, is one that its applicant waits for. Strangers may ask, so that words name no file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from equiproof.service.decisions import RECEIPT
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
    "full": "the disk of the database is full: make room",
    "lock": "another program writes to the database, and does not end",
    "readonly": "the database may only be read: is its disk mounted so?",
}
"""What an outage's line says, and what to tell."""

_ELSE = "the database keeps nothing now"


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
            yield "the vault's key cannot be read: put its file back"
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
                self._shared.models.of(session, row.id)
            except ModelError:
                yield f"the files of model {row.name} cannot be read"
        if self._shared.settings.log is not None:
            late = select(Outgoing.attempts).where(
                Outgoing.kind == RECEIPT, Outgoing.done.is_(None), Outgoing.created < now - SILENCE
            )
            attempts = list(session.scalars(late.order_by(Outgoing.id).limit(1)))
            if attempts:
                refused = "the public log does not take receipts: they wait"
                yield refused if attempts[0] else "nobody sends receipts to the public log: does its process run?"
        waits = queries.oldest_waiting(session)
        if waits is not None and waits < now - SILENCE and not overview.workers(session, now - SILENCE):
            yield "no worker lives: certificates wait"
