"""The same request twice is done once: the answer to an `Idempotency-Key` is kept with what the request has written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import text
from sqlalchemy.orm import Session

from equiproof.service.store.database import Database, insert_rows
from equiproof.service.store.tables import Request


@dataclass(frozen=True)
class Answer:
    """A status and a body, as they were or will be sent."""

    status: int
    body: bytes = field(repr=False)


class RunningError(Exception):
    """The first request under this key has not been answered yet."""


class ReusedError(Exception):
    """The key came with another request before."""


class Once:
    """Runs work once for each key of a client."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._running: set[tuple[str, str]] = set()
        self._lock = Lock()

    def __call__(
        self, client: str, key: str, digests: Sequence[str], now: int, work: Callable[[Session], Answer]
    ) -> tuple[Answer, bool]:
        """Return the answer, and whether it is that of an earlier request.

        `digests` are those of the request, under each key of the vault; the first one is kept.
        `work` runs in the transaction that keeps its answer, so that neither is there without the other; what it raises
        undoes both, and the key is free again. Raises RunningError and ReusedError.
        """
        with self._alone(client, key), self._database.transaction() as session:
            self._hold(session, client, key)
            if (known := session.get(Request, (client, key))) is not None:
                if known.digest not in digests:
                    raise ReusedError
                return Answer(known.status, known.body), True
            answer = work(session)
            body, status = answer.body, answer.status
            kept = Request(client=client, key=key, digest=digests[0], created=now, status=status, body=body)
            insert_rows(session, kept)
            return answer, False

    @contextmanager
    def _alone(self, client: str, key: str) -> Iterator[None]:
        """Refuse a second request of this process."""
        with self._lock:
            if (client, key) in self._running:
                raise RunningError
            self._running.add((client, key))
        try:
            yield
        finally:
            with self._lock:
                self._running.discard((client, key))

    def _hold(self, session: Session, client: str, key: str) -> None:
        """Refuse a second request of another process; SQLite lets one transaction write at a time."""
        if self._database.is_sqlite:
            return
        held = session.scalar(
            text("select pg_try_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"{client}\n{key}"}
        )
        if not held:
            raise RunningError
