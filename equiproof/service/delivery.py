"""Messages to endpoints: to the configured host alone, at a public address, without following anything.

A name is resolved once for a connection, and the address that was looked at is the one that is spoken to: a name that
changes between the look and the call reaches nothing inside. An endpoint on loopback is one only where the settings say
so. Connections stay open for further messages, and for so long only that a name that has moved is followed.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock

import h11

from equiproof.service.endpoints import Endpoint
from equiproof.service.public_addresses import is_here, is_public

TIMEOUT_SECONDS = 10.0
"""How long a message may take, with connecting and the answer."""

KEPT_SECONDS = 60.0
"""How long after it was opened a connection is used again."""

MAX_HEAD_BYTES = 1 << 14
MAX_ANSWER_BYTES = 1 << 16
"""Of an answer, whose words nobody reads: behind a longer one a connection is not used again."""

_PART = 1 << 14

Resolve = Callable[[str, int], list[str]]


class DeliveryError(Exception):
    """A message that was not taken; one line without anything that the other side sent."""


class Deliveries:
    """Sends messages for any number of threads at once, over connections that stay open. Close it when done."""

    def __init__(
        self,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what finds a name's addresses and what decides whom to trust, if not this machine does."""
        self._resolve = resolve or resolved
        self._context = context
        self._monotonic = monotonic
        self._lock = Lock()
        self._idle: dict[Endpoint, list[_Connection]] = {}

    def close(self) -> None:
        """Close what is open and not in use."""
        with self._lock:
            for connections in self._idle.values():
                for connection in connections:
                    connection.close()
            self._idle.clear()

    def __call__(self, at: Endpoint, headers: Mapping[str, str], body: bytes) -> None:
        """Send a message; raises DeliveryError unless the answer is a success, which a redirect is not."""
        until = time.monotonic() + TIMEOUT_SECONDS
        sent = {"Host": at.named, "Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        request = h11.Request(method="POST", target=at.path, headers=list(sent.items()))
        try:
            status = self._answered(at, request, body, until)
        except OSError as error:
            raise DeliveryError(f"no connection: {type(error).__name__}") from None
        except h11.RemoteProtocolError:
            raise DeliveryError("the answer is not HTTP") from None
        if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
            raise DeliveryError(f"answered {status}")

    def _answered(self, at: Endpoint, request: h11.Request, body: bytes, until: float) -> int:
        """Send a request over a connection that is open, or over a new one; return the status of the answer.

        The other side may have closed an open one meanwhile. The message is then sent once more, by a new one: it is
        known by its id.
        """
        if (kept := self._kept(at)) is not None:
            try:
                return self._exchanged(at, kept, request, body, until)
            except (OSError, h11.RemoteProtocolError) as error:
                if kept.heard or isinstance(error, TimeoutError):
                    raise
        return self._exchanged(at, self._opened(at, until), request, body, until)

    def _exchanged(self, at: Endpoint, connection: _Connection, request: h11.Request, body: bytes, until: float) -> int:
        """Send a request over a connection, and keep that if it may be used again."""
        usable = False
        try:
            status = connection.ask(request, body, until)
            with suppress(OSError, h11.RemoteProtocolError):  # the status stands, whatever follows it
                usable = connection.rest(until)
        finally:
            if not usable:
                connection.close()
        if usable:
            with self._lock:
                self._idle.setdefault(at, []).append(connection)
        return status

    def _kept(self, at: Endpoint) -> _Connection | None:
        """Return an open connection, if there is one that is not too old; close those that are."""
        now = self._monotonic()
        with self._lock:
            fresh = []
            for connection in self._idle.pop(at, []):
                if connection.opened <= now < connection.opened + KEPT_SECONDS:
                    fresh.append(connection)
                else:
                    connection.close()
            taken = fresh.pop() if fresh else None
            self._idle[at] = fresh
        return taken

    def _opened(self, at: Endpoint, until: float) -> _Connection:
        """Open a connection to the address that was looked at; raises OSError and DeliveryError."""
        address = _allowed(at, self._resolve(at.host, at.port))
        plain = socket.create_connection((address, at.port), _left(until))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not at.secure:
            return _Connection(plain, self._monotonic())
        try:
            plain.settimeout(_left(until))
            encrypted = (self._context or _trusted()).wrap_socket(plain, server_hostname=at.host)
        except BaseException:
            plain.close()
            raise
        return _Connection(encrypted, self._monotonic())


class _Connection:
    """An open connection, on which one request follows the other; `heard`: something came since the last request."""

    def __init__(self, open_socket: socket.socket, opened: float) -> None:
        self.opened = opened
        self.heard = False
        self._socket = open_socket
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)

    def close(self) -> None:
        """Close it, without a word to the other side."""
        self._socket.close()

    def ask(self, request: h11.Request, body: bytes, until: float) -> int:
        """Send a request, and return the status of the answer, once its head is there."""
        self.heard = False
        events = (request, h11.Data(data=body), h11.EndOfMessage())
        self._socket.settimeout(_left(until))
        self._socket.sendall(b"".join(self._http.send(event) or b"" for event in events))
        while True:
            event = self._next(until)
            if isinstance(event, h11.Response):
                return event.status_code

    def rest(self, until: float) -> bool:
        """Read the rest of an answer; return whether another request may follow."""
        size = 0
        while not isinstance(event := self._next(until), h11.EndOfMessage):
            size += len(event.data) if isinstance(event, h11.Data) else 0
            if size > MAX_ANSWER_BYTES:
                return False
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if not done or self._http.trailing_data[0]:
            return False
        self._http.start_next_cycle()
        return True

    def _next(self, until: float) -> h11.Event:
        """Return what comes next of the answer; raises OSError, and RemoteProtocolError for what is no HTTP."""
        while not isinstance(event := self._http.next_event(), h11.Event):
            self._socket.settimeout(_left(until))
            data = self._socket.recv(_PART)
            self.heard = self.heard or bool(data)
            self._http.receive_data(data)
        return event


def resolved(host: str, port: int) -> list[str]:
    """Return the addresses of a name; raises OSError."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@cache
def _trusted() -> ssl.SSLContext:
    """Return what decides whom to trust: that of this machine, read once."""
    return ssl.create_default_context()


def _allowed(at: Endpoint, addresses: list[str]) -> str:
    """Return the address to speak to; raises DeliveryError where one of them is not where messages may go."""
    # One private address among several refuses the name: who owns it chooses which one answers.
    for text in addresses:
        address = ip_address(text.partition("%")[0])
        if not (is_here(address) if at.local else is_public(address)):
            raise DeliveryError("the name leads to an address of a private network")
    if not addresses:
        raise DeliveryError("the name leads nowhere")
    return addresses[0]


def _left(until: float) -> float:
    """Return how many seconds are left; raises TimeoutError for none."""
    if (left := until - time.monotonic()) <= 0:
        raise TimeoutError
    return left
