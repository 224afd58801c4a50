"""The same request twice is done once: the answer to an `Idempotency-Key` is kept with what the request has written.

Many requests may be done in one transaction. What the row of a request says and what it has done are then in the same
transaction too, so that neither is there without the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import bindparam, select, text, tuple_
from sqlalchemy.orm import Session

from equiproof.service.store.tables import Request

Name = tuple[str, str]
"""Of a request: the client, and its key."""

_ANSWERS = select(Request.client, Request.key, Request.digest, Request.status, Request.body).where(
    tuple_(Request.client, Request.key).in_(bindparam("names", expanding=True))
)
_LOCKS = text(
    "select name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) as held from unnest(cast(:names as text[])) name"
)
"""As the release before this one holds a name, so that both can run at the same time."""


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
    """Has requests done once for each key of a client: alone while they run, and known afterwards."""

    def __init__(self) -> None:
        self._running: set[Name] = set()
        self._lock = Lock()

    @contextmanager
    def alone(self, name: Name) -> Iterator[None]:
        """Hold the name of a request as long as it runs; raises RunningError where this process runs it already."""
        with self._lock:
            if name in self._running:
                raise RunningError
            self._running.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(name)


def hold(session: Session, names: Collection[Name]) -> set[Name]:
    """Return those of names that no other process runs, and keep them until the transaction ends.

    SQLite lets one transaction write at a time, so that there is nothing to hold there.
    """
    if session.get_bind().dialect.name == "sqlite":
        return set(names)
    texts = {f"{client}\n{key}": (client, key) for client, key in names}
    held = session.connection().execute(_LOCKS, {"names": list(texts)})
    return {texts[row.name] for row in held if row.held}


def answered(session: Session, names: Collection[Name]) -> dict[Name, StoredAnswer]:
    """Return the answers that are kept under names; ask after `hold`, so that none is being written."""
    rows = session.connection().execute(_ANSWERS, {"names": list(names)})
    return {(row.client, row.key): StoredAnswer(row.digest, Answer(row.status, row.body)) for row in rows}


@dataclass(frozen=True)
class StoredAnswer:
    """The answer to an earlier request, and the digest of that request."""

    digest: str
    answer: Answer

    def again(self, digests: Sequence[str]) -> Answer:
        """Return the answer, where it is to the same request; raises ReusedError.

        `digests` are those of the request that has come, under each key of the vault.
        """
        if self.digest not in digests:
            raise ReusedError
        return self.answer


def row(name: Name, digest: str, answer: Answer, now: int) -> Request:
    """Return the row that keeps an answer; written in the transaction of what the request has done."""
    client, key = name
    return Request(client=client, key=key, digest=digest, created=now, status=answer.status, body=answer.body)
