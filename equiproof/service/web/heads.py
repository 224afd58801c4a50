"""HTTP as httptools reads it, with an end to how long the head of a request may be: httptools itself has none."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 1 << 16


class BoundedHeads(HttpToolsProtocol):
    """Closes a connection on which more comes before the end of a head than a head may have."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._in_head = True
        self._head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Count what comes while the head is not whole."""
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES and b"\r\n\r\n" not in data:
                self.transport.close()
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Count no more: what follows is the body."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Begin to count the next head."""
        self._in_head = True
        self._head_bytes = 0
        super().on_message_complete()
