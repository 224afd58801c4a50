"""HTTP as httptools reads it, with an end to what a stranger may take: a head's bytes, its seconds, and connections."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from equiproof.service.origins import Origins
from equiproof.service.settings import LimitSettings

MAX_HEAD_BYTES = 1 << 13

_LINE_BYTES = 4
"""What stands around a name and a value: a colon, a blank and the end of the line."""

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Content-Length: 0\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n"
)


class Open:
    """How many connections a process has, in all and by address; those of trusted proxies count in all alone."""

    def __init__(self, most: int, most_of_address: int, origins: Origins) -> None:
        self.most = most
        self.most_of_address = most_of_address
        self._origins = origins
        self._all = 0
        self._by_address: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count one more, and return whether it may stay."""
        if self._all >= self.most or self._by_address[address] >= self.most_of_address:
            return False
        self._all += 1
        if not self._has_many(address):
            self._by_address[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Count one less."""
        self._all -= 1
        if not self._has_many(address):
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def _has_many(self, address: str) -> bool:
        """Return whether an address is a proxy's, behind which are many; a socket in the file system has none."""
        return not address or self._origins.trusts(address)


class BoundedHeads(HttpToolsProtocol):
    """Ends connections that are too many, and those on which a head is too long or does not end in time."""

    places: ClassVar[Open]
    head_seconds: ClassVar[float]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = True
        self._head_bytes = self._line_bytes = 0
        self._too_large = False
        self._address: str | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, or end at once."""
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self.places.take(address):
            transport.abort()
            return
        self._address = address
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        if self._address is not None:
            self.places.give_back(self._address)
            self._address = None
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes while the head is not whole; that of a whole one is counted line by line."""
        if self.transport.is_closing():
            return
        if self._in_head:
            if self._timer is None:
                self._wait()
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES and b"\r\n\r\n" not in data:
                self._refuse()
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Count the lines of a head from here."""
        self._line_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the first line."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a line."""
        self._count(len(name) + len(value) + _LINE_BYTES)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Count no more: what follows is the body."""
        self._in_head = False
        self._wait_no_more()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Begin to count the next head."""
        self._in_head = True
        self._head_bytes = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Say of a head that is too long that it is, of any other mistake what is usual."""
        if self._too_large:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _count(self, more: int) -> None:
        self._line_bytes += more
        if self._line_bytes > MAX_HEAD_BYTES:
            self._too_large = True
            raise ValueError("the head is too long")  # the parser stops, and the connection with it

    def _refuse(self) -> None:
        """Answer 431, and end the connection."""
        self._wait_no_more()
        self.transport.write(_TOO_LARGE)
        self.transport.close()

    def _wait(self) -> None:
        """Let the head come in time."""
        self._timer = self.loop.call_later(self.head_seconds, self.transport.abort)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded(limits: LimitSettings, origins: Origins) -> type[BoundedHeads]:
    """Return the protocol with the bounds of settings."""
    places = Open(limits.connections, limits.connections_per_address, origins)
    return type("Bounded", (BoundedHeads,), {"places": places, "head_seconds": limits.request_seconds})
