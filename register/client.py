"""Appending to a log over loopback or a Unix socket; asking again does no harm, since a log knows entries by name."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Self

import msgspec

from equiproof.circuits.text import plain
from equiproof.register.errors import LogError
from equiproof.register.source import Wire
from equiproof.verifier.entries import parse_entry

TRIES = 5
"""How often an entry is sent before the log counts as away."""

AT_ONCE = 32
"""How many of many entries are on their way at once: the log writes those together that come together."""

_MAX_ANSWER = 1 << 12
_PAUSE = 0.2


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the log says of an entry that is on its disk."""

    index: int
    name: str


@dataclass(frozen=True)
class Appended:
    """Where an entry stands: its index, and the SHA-256 of its bytes."""

    index: int
    name: str


class Writer:
    """A log's writer at http://127.0.0.1:PORT or unix:///PATH, over connections that stay open. Close it when done.

    Any number of threads may append by it, each over a connection of its own. Raises LogError for another kind of URL.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._free = SimpleQueue[Wire]()
        self._free.put(Wire(url))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while not self._free.empty():
            self._free.get().close()

    def append(self, entry: bytes) -> Appended:
        """Append an entry; the same one again gets the same index.

        Returns once the log has it on its disk. A log that is away is asked again, with growing pauses. Raises
        CertificateFormatError for bytes that are no entry, LogError for a log that is away or refuses.
        """
        try:
            wire = self._free.get_nowait()
        except Empty:
            wire = Wire(self._url)
        try:
            return _append(wire, self._url, entry)
        finally:
            self._free.put(wire)


def append(url: str, entry: bytes) -> Appended:
    """Append one entry to the log at a URL, as :class:`Writer` does."""
    with Writer(url) as writer:
        return writer.append(entry)


def append_all(url: str, entries: Iterable[bytes]) -> Iterator[Appended]:
    """Append many entries, some at once, and yield where each stands, in the order in which they are given.

    Their order in the log may be another. Raises as :class:`Writer` at the first that the log does not take; those
    given before it are in the log, and of those after it some may be.
    """
    waiting = deque[Future[Appended]]()
    with Writer(url) as writer, ThreadPoolExecutor(AT_ONCE) as pool:
        for entry in entries:
            waiting.append(pool.submit(writer.append, entry))
            if len(waiting) == 2 * AT_ONCE:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _append(wire: Wire, url: str, entry: bytes) -> Appended:
    """Append an entry by an open connection; raises as :meth:`Writer.append`."""
    name = parse_entry(entry, "entry").name
    status, data = _asked(wire, entry)
    if status != 200:
        raise LogError(f"{url}: the log refuses the entry ({status}): {plain(data.decode('utf-8', 'replace'))[:300]}")
    try:
        answer = msgspec.json.decode(data, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise LogError(f"{url}: the log's answer is not one of an equiproof-log") from None
    if answer.name != name or answer.index < 0:
        raise LogError(f"{url}: the log answers about another entry")
    return Appended(answer.index, answer.name)


def _asked(wire: Wire, entry: bytes) -> tuple[int, bytes]:
    """Send an entry until the log answers other than that it is busy."""
    for left in reversed(range(TRIES)):
        try:
            status, data = wire.ask("POST", "add", _MAX_ANSWER, entry)
        except LogError:
            if not left:
                raise
        else:
            if status not in (429, 503) or not left:
                return status, data
        time.sleep(_PAUSE * 2 ** (TRIES - 1 - left))
    raise AssertionError("unreachable")
