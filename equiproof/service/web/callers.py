"""The API keys that this process has seen live, so that a decision need not look its key up before it begins.

Whose a key is never changes; whether it lives does. So a key that is known here is looked at again in the transaction
of each decision (:mod:`equiproof.service.web.deciding`): one that was revoked decides nothing more from that moment on.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from threading import Lock

from equiproof.service.clients import Caller

MAX_CALLERS = 1024


@dataclass
class Callers:
    """Callers by the digests of their keys: the keys themselves are kept nowhere."""

    _known: dict[bytes, Caller] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def find(self, text: str) -> Caller | None:
        """Return whose key a text is, if it was live when it was looked up."""
        return self._known.get(_digest(text))

    def learn(self, text: str, caller: Caller) -> None:
        """Know a live key from now on."""
        with self._lock:
            if len(self._known) >= MAX_CALLERS:
                # Cheaper than an order of use: keys that still call are known again after one look-up each.
                self._known.clear()
            self._known[_digest(text)] = caller

    def forget(self, caller: Caller) -> None:
        """Have a key looked up again."""
        with self._lock:
            for digest in [digest for digest, known in self._known.items() if known.key == caller.key]:
                del self._known[digest]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
