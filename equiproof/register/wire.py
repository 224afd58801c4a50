"""Requests to a log's server: every answer is bounded in bytes and in time."""

from __future__ import annotations

import http.client
import io
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from equiproof.circuits.tables import say
from equiproof.register.errors import LogError

CONNECT_SECONDS = 10.0
"""How long a server may say nothing."""

READ_SECONDS = 60.0
"""How long one answer may take in all, its headers and whatever comes before them included."""

_CHUNK = 1 << 16


class Wire:
    """Requests to one server, by URL or by Unix socket; no redirection is followed, and no proxy is asked.

    `away` says of what the server is that it does not answer: of a log, if nothing else is given.
    """

    def __init__(self, url: str, away: Callable[[str, str], str] | None = None) -> None:
        try:
            parts = urlsplit(url)
            self._host = parts.hostname or ""
            self._port = parts.port
        except ValueError:
            raise LogError(f"{url[:100]}: not a URL") from None
        if parts.scheme not in ("http", "https", "unix") or parts.query or parts.fragment or parts.username:
            raise LogError(say("source.address_malformed", address=url[:100]))
        self._name = url
        self._absent = away or _log_away
        self._scheme = parts.scheme
        self._prefix = "/" if parts.scheme == "unix" else f"{parts.path.rstrip('/')}/"
        self._socket = parts.path
        self._connection: http.client.HTTPConnection | None = None

    def ask(
        self, method: str, path: str, most: int, body: bytes | None = None, kind: str | None = None
    ) -> tuple[int, bytes]:
        """Return the status and the body of an answer, of a long one one byte more than `most`; `kind` is the body's.

        A request on a connection that the server had closed is sent once more: no request of ours does harm twice.
        Raises LogError for a server that is away or too slow.
        """
        fresh = self._connection is None
        try:
            return self._asked(method, path, most, body, kind)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self.close()
            if fresh:
                raise self._away(error) from None
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise self._away(error) from None
        return self.ask(method, path, most, body, kind)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None

    def _asked(self, method: str, path: str, most: int, body: bytes | None, kind: str | None) -> tuple[int, bytes]:
        """Send one request and read its answer."""
        connection = self._connection = self._connection or self._connected()
        connection.response_class = _TimedAnswer
        headers = {"Accept-Encoding": "identity"} | ({} if kind is None else {"Content-Type": kind})
        connection.request(method, self._prefix + path, body, headers)
        answer = connection.getresponse()
        # Bytes are counted as they come: compressed ones could unpack to any length.
        if answer.getheader("Content-Encoding", "identity") != "identity":
            self.close()
            raise LogError(say("source.compressed", log=self._name, path=path))
        length = answer.length  # None where the answer ends with the connection
        count = most + 1 if length is None else min(length, most + 1)
        data = _received(answer, count)
        if length is not None and len(data) < count:
            raise http.client.IncompleteRead(data)
        is_last = count != length or answer.will_close
        answer.close()  # so that the connection takes the next request
        if is_last:
            self.close()
        return answer.status, data

    def _connected(self) -> http.client.HTTPConnection:
        """Return a connection."""
        if self._scheme == "unix":
            return _SocketConnection(self._socket)
        kind = http.client.HTTPSConnection if self._scheme == "https" else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=CONNECT_SECONDS)

    def _away(self, error: Exception) -> LogError:
        """Return the line about a server that does not answer."""
        cause = getattr(error, "strerror", None) or (
            say("source.no_answer_in_time") if isinstance(error, TimeoutError) else ""
        )
        return LogError(self._absent(self._name, cause or say("source.answer_broke_off")))


def _log_away(name: str, problem: str) -> str:
    return say("source.log_away", log=name, problem=problem)


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=CONNECT_SECONDS)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _TimedAnswer(http.client.HTTPResponse):
    """An answer that ends in time, or not at all; the time runs from the request on.

    A limit for each read alone would let a server send headers, or "100 Continue", for days.
    """

    def __init__(self, sock: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self.fp = io.BufferedReader(_Timed(sock, self.fp.detach()))


class _Timed(io.RawIOBase):
    """What comes in at a socket until READ_SECONDS have passed; reading raises TimeoutError after that."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        super().__init__()
        self._socket = sock
        self._raw = raw
        self._ends = time.monotonic() + READ_SECONDS

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what is there, as RawIOBase has it."""
        seconds_left = self._ends - time.monotonic()
        if seconds_left <= 0:
            raise TimeoutError
        self._socket.settimeout(min(seconds_left, CONNECT_SECONDS))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Close the socket's file, so that the socket closes with its connection."""
        self._raw.close()
        super().close()


def _received(answer: http.client.HTTPResponse, count: int) -> bytes:
    """Return the first bytes of an answer, fewer where it ends before; raises TimeoutError where it takes too long."""
    data = bytearray()
    while len(data) < count and (part := answer.read1(min(_CHUNK, count - len(data)))):
        data += part
    return bytes(data)
