"""What one client or address may take: bytes of a body, requests a minute; and what may wait for provers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equiproof.service.origins import Origins
from equiproof.service.settings import Settings
from equiproof.service.store import queries
from equiproof.service.web.problems import ProblemError

MAX_BODY_BYTES = 1 << 18
MICROSECONDS = 1_000_000
MINUTE = 60 * MICROSECONDS
COUNT_INTERVAL = 1_000_000
MIN_RETRY = 5
MAX_RETRY = 600
PACE_WINDOW = MAX_RETRY * MICROSECONDS
"""How far back proofs are counted to tell when there is room again, in microseconds."""

MAX_BUCKETS = 10_000
"""Of more, those that were not used for longest are forgotten, and so are full again."""


class BodyLimit:
    """Refuses a body that is longer than MAX_BODY_BYTES, before more of it is read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what arrives; HTTPException is what the framework passes on while it reads a body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > MAX_BODY_BYTES:
                raise HTTPException(413, f"want at most {MAX_BODY_BYTES} bytes")
            return message

        await self._app(scope, counted, send)


@dataclass
class Rates:
    """Buckets, each full at a minute's requests and refilled as time goes by. Each process has its own."""

    most: int
    _left: OrderedDict[str, tuple[float, int]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, name: str, now: int, most: int | None = None) -> None:
        """Take one request out of a bucket; raises ProblemError with the seconds until there is one again.

        `most` is what fits into this one, where that is fewer requests than into the others.
        """
        most = self.most if most is None else min(self.most, most)
        with self._lock:
            tokens, at = self._left.get(name, (float(most), now))
            # A clock that jumped back refills nothing; a request that is refused takes nothing.
            tokens = min(most, tokens + max(0, now - at) * most / MINUTE)
            self._left[name] = tokens - 1 if tokens >= 1 else tokens, now
            self._left.move_to_end(name)
            if len(self._left) > MAX_BUCKETS:
                self._left.popitem(last=False)
        if tokens < 1:
            # Rounded up: a second earlier it would be refused again.
            seconds = round((1 - tokens) * 60 / most + 0.5)
            detail = f"more than {most} requests a minute"
            raise ProblemError(429, "too-many-requests", detail, {"Retry-After": str(max(1, seconds))})


class Addresses:
    """How many requests a minute come from one address, before it is known who asks; each process counts its own.

    A trusted proxy that names nobody, as this machine's own programs, is not counted: behind it are many.
    """

    def __init__(self, most: int, origins: Origins, clock: Callable[[], int]) -> None:
        self._rates = Rates(most)
        self._origins = origins
        self._clock = clock

    def take(self, peer: str, forwarded: Sequence[str]) -> None:
        """Count a request, by its connection's address and the lines of X-Forwarded-For; raises as `Rates.take`."""
        address = self._origins.of(peer, forwarded)
        if address and not self._origins.trusts(address):
            self._rates.take(address, self._clock())


class Backlog:
    """How many certificates wait: counted once a second, and by one for each decision in between."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._waiting = 0
        self._until = 0
        self._proof = 0.0
        self._paced = 0
        self._lock = Lock()

    def refuse_full(self, session: Session, now: int, more: int = 0) -> None:
        """Raise ProblemError where no more may wait; it says when room for some can be expected.

        `more` are those that will wait besides, and are not written yet.
        """
        settings = self._settings()
        with self._lock:
            if not self._until - COUNT_INTERVAL <= now < self._until:  # a clock that jumped back counts anew as well
                self._waiting = queries.waiting(session)
                self._until = now + COUNT_INTERVAL
            waiting = self._waiting + more
        if waiting >= (most := settings.limits.largest_queue):
            # Until there is room for a twentieth of the queue, so that not all who wait come back for one place.
            seconds = (waiting - most + most // 20) * self._seconds(session, now)
            headers = {"Retry-After": str(round(min(max(MIN_RETRY, seconds), MAX_RETRY)))}
            raise ProblemError(429, "queue-full", "too many certificates wait", headers)

    def _seconds(self, session: Session, now: int) -> float:
        """Return the seconds between two ends of proofs lately, all machines together; asked for once a second.

        Where none has ended lately, as after a start, a proof is taken to need a second.
        """
        with self._lock:
            if not self._paced - COUNT_INTERVAL <= now < self._paced:
                pace = queries.pace(session, now - PACE_WINDOW)
                usual = 1 / self._settings().provers
                self._proof = usual if pace is None else max(0, now - pace[1]) / MICROSECONDS / pace[0]
                self._paced = now + COUNT_INTERVAL
            return self._proof

    def add(self) -> None:
        """Count one more."""
        with self._lock:
            self._waiting += 1
