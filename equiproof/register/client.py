"""Appending to a log over loopback or a Unix socket; asking again does no harm, since a log knows entries by name."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Self

import msgspec

from equiproof.circuits.text import plain
from equiproof.register.errors import LogError
from equiproof.register.wire import Wire
from equiproof.verifier.entries import parse_entry

TRIES = 5
"""How often an entry is sent before the log counts as away."""

AT_ONCE = 32
"""How many of many entries are on their way at once: the log writes those together that come together."""

MOST_TOGETHER = 256
MOST_BYTES = (1 << 16) - 1
"""How many entries one request has, and how many bytes with a line feed between two: as the log takes them."""

_MAX_ANSWER = 1 << 17
_PAUSE = 0.2


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the log says of an entry: index and name once it is on its disk, otherwise why it is not."""

    index: int = -1
    name: str = ""
    error: str = ""


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
        (answer,) = self.append_together([entry])
        if isinstance(answer, LogError):
            raise answer
        return answer

    def append_together(self, entries: Sequence[bytes]) -> list[Appended | LogError]:
        """Append entries by few requests; returns where each stands, or why it does not, in their order.

        Where the log is away, or refuses a whole request, the answers end with the error at the first entry that was in
        it: nothing more was sent. Raises CertificateFormatError for bytes that are no entry, before anything is sent.
        """
        names = [parse_entry(entry, "entry").name for entry in entries]
        answers = list[Appended | LogError]()
        for group in _grouped(entries):
            try:
                wire = self._free.get_nowait()
            except Empty:
                wire = Wire(self._url)
            try:
                answers += _append(wire, self._url, group, names[len(answers) : len(answers) + len(group)])
            except LogError as error:
                return [*answers, error]
            finally:
                self._free.put(wire)
        return answers


def append(url: str, entry: bytes) -> Appended:
    """Append one entry to the log at a URL, as :class:`Writer` does."""
    with Writer(url) as writer:
        return writer.append(entry)


def append_all(url: str, entries: Iterable[bytes]) -> Iterator[Appended]:
    """Append many entries, some at once, and yield where each stands, in the order in which they are given.

    Their order in the log may be another. Raises as :class:`Writer` at the first that the log does not take; those
    given before it are in the log, and of those after it some may be.
    """
    futures = deque[Future[Appended]]()
    with Writer(url) as writer, ThreadPoolExecutor(AT_ONCE) as pool:
        for entry in entries:
            futures.append(pool.submit(writer.append, entry))
            # As many again wait for a thread: entries are taken no faster than the log takes them.
            if len(futures) == 2 * AT_ONCE:
                yield futures.popleft().result()
        while futures:
            yield futures.popleft().result()


def _grouped(entries: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield entries in their order, as many together as one request has."""
    first = 0
    length = 0
    for at, entry in enumerate(entries):
        length += len(entry) + 1
        # The line feed behind the last entry is counted and not sent, hence one byte more.
        if at > first and (length > MOST_BYTES + 1 or at - first == MOST_TOGETHER):
            yield entries[first:at]
            first = at
            length = len(entry) + 1
    if entries:
        yield entries[first:]


def _append(wire: Wire, url: str, entries: Sequence[bytes], names: Sequence[str]) -> list[Appended | LogError]:
    """Append entries by an open connection; raises LogError where the log is away, or refuses all of them."""
    status, data = _asked(wire, b"\n".join(entries))
    if status != 200:
        raise LogError(f"{url}: the log refuses the entry ({status}): {plain(data.decode('utf-8', 'replace'))[:300]}")
    try:
        answers = msgspec.json.Decoder(_Answer).decode_lines(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise LogError(f"{url}: the log's answer is not one of an equiproof-log") from None
    if len(answers) != len(names):
        raise LogError(f"{url}: {len(answers)} answers to {len(names)} entries: want a log writer of this release")
    return [_placed(url, answer, name) for answer, name in zip(answers, names, strict=True)]


def _placed(url: str, answer: _Answer, name: str) -> Appended | LogError:
    """Return where an entry stands; the error where the log refuses it, or speaks of another one."""
    if answer.error:
        return LogError(f"{url}: the log refuses the entry: {plain(answer.error)[:300]}")
    if answer.name != name or answer.index < 0:
        return LogError(f"{url}: the log answers about another entry")
    return Appended(answer.index, answer.name)


def _asked(wire: Wire, entry: bytes) -> tuple[int, bytes]:
    """Send an entry until the log answers other than that it is busy."""
    for tries_left in reversed(range(TRIES)):
        try:
            status, data = wire.ask("POST", "add", _MAX_ANSWER, entry)
        except LogError:
            if not tries_left:
                raise
        else:
            if status not in (429, 503) or not tries_left:
                return status, data
        time.sleep(_PAUSE * 2 ** (TRIES - 1 - tries_left))
    raise AssertionError("unreachable")
