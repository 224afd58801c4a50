"""What every request goes through: an id, a deadline, one log line, one count, safe headers, and no fault that speaks.

Ids are made here. One that a client sends is not taken: it would write into the log what the client likes.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from equiproof.service.tracing import METHOD, REQUEST_ID, ROUTE, STATUS, Tracing
from equiproof.service.web.cookies import own_alone
from equiproof.service.web.limits import Addresses
from equiproof.service.web.metrics import Metrics
from equiproof.service.web.problems import ProblemError, problem

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer; a page that needs other ones sets its own."""

STRICT_TRANSPORT = "max-age=31536000; includeSubDomains"
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
EXEMPT_PATHS = frozenset({"/healthz"})
"""Answered however much runs, so that a busy process is not taken for a dead one."""

OTHER_HOST = ProblemError(421, "other-host", "another host is asked for: see `hosts` and `public_url` of the settings")
BUSY = ProblemError(503, "busy", "too many requests at once", {"Retry-After": "1"})
SLOW_BODY = ProblemError(408, "request-timeout", "the body did not come in time", {"Connection": "close"})
LATE = ProblemError(
    503, "late", "not done in time; the same Idempotency-Key finds what became of it", {"Retry-After": "5"}
)
FAULT = ProblemError(500, "fault", "the service failed; the operator finds the cause in its log")

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{0,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{0,5})?")

_log = logging.getLogger("equiproof.service.web")


@dataclass(frozen=True)
class Bounds:
    """How many requests run at once, how long each may take, whether clients come over TLS, and for which hosts."""

    running: int
    seconds: float
    secure: bool
    hosts: frozenset[str]

    def meant(self, named: str | None) -> bool:
        """Return whether the header `Host` names this service.

        A page of the web whose own name was made to point at this machine ("DNS rebinding") is of one origin with the
        service for a browser, but cannot change the name that the browser asks for. What sends none is no browser.
        """
        if named is None:
            return True
        host = (urlsplit(f"//{named}").hostname or "") if _HOST.fullmatch(named) else ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host in self.hosts


@dataclass
class Exchange:
    """A request as it is answered."""

    scope: Scope
    receive: Receive
    send: Send
    headers: dict[str, str]
    status: int = 0
    waits: bool = False
    whole: bool = False
    ended: bool = False
    begun: float = field(default_factory=time.perf_counter)

    async def taken(self) -> Message:
        """Take a part of the body; what comes behind it is that the client has gone away, whenever that is."""
        self.waits = not self.whole
        message = await self.receive()
        self.waits = False
        self.whole = self.whole or not message.get("more_body", False)
        return message

    async def answer(self, message: Message) -> None:
        """Send a part of the answer, unless it has come too late."""
        if self.ended:
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                headers.setdefault(name, value)
        await self.send(message)

    async def tell(self, error: ProblemError) -> None:
        """Send a problem, unless an answer has begun."""
        if not self.status:
            await problem(error)(self.scope, self.receive, self.answer)


class Watched:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics, bounds: Bounds, addresses: Addresses, tracing: Tracing) -> None:
        self._app = app
        self._metrics = metrics
        self._bounds = bounds
        self._addresses = addresses
        self._tracing = tracing
        self._running = 0
        self._late: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in time, and write what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier = secrets.token_hex(8)
        headers = {**HEADERS, "X-Request-Id": identifier}
        if self._bounds.secure:
            headers["Strict-Transport-Security"] = STRICT_TRANSPORT
        scope["headers"] = own_alone(scope["headers"])
        exchange = Exchange(scope, receive, send, headers)
        scope.setdefault("state", {})["request"] = identifier
        with self._tracing.span("request") as noted:
            if (refusal := self._refusal(scope)) is not None:
                await exchange.tell(refusal)
            else:
                await self._timed(exchange)
            noted |= {METHOD: method_of(scope), ROUTE: route_of(scope), STATUS: exchange.status, REQUEST_ID: identifier}
        self._write(exchange, identifier)

    def _refusal(self, scope: Scope) -> ProblemError | None:
        """Return why a request is not begun; None for one that is."""
        headers = Headers(scope=scope)
        if not self._bounds.meant(headers.get("host")):
            return OTHER_HOST
        if scope["path"] in EXEMPT_PATHS:
            return None
        try:
            self._addresses.take(scope["client"][0] if scope["client"] else "", headers.getlist("x-forwarded-for"))
        except ProblemError as error:
            return error
        return BUSY if self._running >= self._bounds.running else None

    async def _timed(self, exchange: Exchange) -> None:
        """Run a request. One that takes too long ends by itself, since its thread cannot be stopped.

        One that waits for its body is given up: nothing has begun. What the database does has a limit of its own
        (`Database`), so the thread of another one is free soon after.
        """
        task = asyncio.ensure_future(self._run(exchange))
        done, _ = await asyncio.wait({task}, timeout=self._bounds.seconds)
        if done:
            return
        if exchange.waits:
            await exchange.tell(SLOW_BODY)
            exchange.ended = True
            task.cancel()
            await asyncio.wait({task})
            return
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        await exchange.tell(LATE)
        exchange.ended = True

    async def _run(self, exchange: Exchange) -> None:
        """Run a request, and answer for its faults."""
        self._running += 1
        try:
            await self._app(exchange.scope, exchange.taken, exchange.answer)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is a fault, and must not speak)
            _log.error("fault", exc_info=error, extra={"fields": {"route": route_of(exchange.scope)}})
            await exchange.tell(FAULT)
        finally:
            self._running -= 1

    def _write(self, exchange: Exchange, identifier: str) -> None:
        """Write the line and the numbers of a request: of its path the template, of its data nothing."""
        seconds = time.perf_counter() - exchange.begun
        method = method_of(exchange.scope)
        route = route_of(exchange.scope)
        self._metrics.answered(method, route, exchange.status, seconds)
        _log.info(
            "request",
            extra={
                "fields": {
                    "request": identifier,
                    "method": method,
                    "route": route,
                    "status": exchange.status,
                    "ms": round(seconds * 1000, 1),
                    "client": exchange.scope["state"].get("client", ""),
                }
            },
        )


def method_of(scope: Scope) -> str:
    """Return a request's method, or "other" for one that a client made up."""
    return scope["method"] if scope["method"] in METHODS else "other"


def route_of(scope: Scope) -> str:
    """Return the template of the path that a request matched, behind that of its application, or "none"."""
    path = getattr(scope.get("route"), "path", None)
    return "none" if path is None else f"{scope.get('root_path', '')}{path}"
