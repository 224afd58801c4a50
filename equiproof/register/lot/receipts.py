"""Receipts of a log that may be too many for memory: each a digest and its entry's number, in files without a name.

A log may have millions of entries, and its owner chooses them. So what is kept of them goes to the folder of temporary
files (TMPDIR), 40 bytes for each receipt of a range and 40 for each of the log while it is looked through for doubled
ones. The files have no name there: they end with the process, however it ends. Small logs need no file.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from heapq import merge
from pathlib import Path
from typing import IO

from equiproof.circuits.files import naming
from equiproof.verifier.merkle import HASH_BYTES

RECORD_BYTES = HASH_BYTES + 8
"""A digest and the number of its entry behind it, highest byte first: records of one digest sort as the log does."""

RUN = 1 << 12
"""How many records are sorted at once."""

_IN_MEMORY = 1 << 16
_READ_AT_ONCE = 1 << 10
_READ_OF_A_RUN = 1 << 3
"""How many records of each sorted run are read at once: a log of a hundred million receipts has 24,000 runs."""


class Records:
    """Records in the order in which they were added; raises OSError naming the folder that is full."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 -- closed with this object
        self._length = 0
        weakref.finalize(self, _closed, self._file)

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length

    def add(self, records: Sequence[bytes]) -> None:
        """Add some behind the others."""
        with naming(Path(tempfile.gettempdir())):
            self._file.seek(0, 2)
            self._file.write(b"".join(records))
            self._file.flush()  # a full disk is told here
        self._length += len(records)

    def read(self, first: int, count: int) -> list[bytes]:
        """Return so many from a place on, fewer at the end."""
        self._file.seek(first * RECORD_BYTES)
        data = self._file.read(min(count, self._length - first) * RECORD_BYTES)
        return [data[at : at + RECORD_BYTES] for at in range(0, len(data), RECORD_BYTES)]

    def walk(self, first: int, last: int, at_once: int) -> Iterator[bytes]:
        """Yield those of the places `first` to `last` - 1, so many being read at once."""
        for place in range(first, last, at_once):
            yield from self.read(place, min(at_once, last - place))


class Receipts(Sequence[int]):
    """The receipts of a range, in the log's order: a sequence of their entries' numbers, with a digest of each."""

    def __init__(self) -> None:
        self._records = Records()
        self._added: list[bytes] = []

    def add(self, number: int, digest: bytes) -> None:
        """Add the receipt at a later entry than all others."""
        self._added.append(_record(number, digest))
        if len(self._added) == _READ_AT_ONCE:
            self._write()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._records) + len(self._added)

    def __getitem__(self, place: int) -> int:  # type: ignore[override]  # nobody asks for slices
        """Return the entry of the receipt at a place."""
        return _number(self._at(place))

    def __iter__(self) -> Iterator[int]:
        """Yield all entries."""
        return map(_number, self._all())

    def digest(self, place: int) -> bytes:
        """Return the digest of the receipt at a place."""
        return self._at(place)[:HASH_BYTES]

    def entry_of(self, digest: bytes) -> int | None:
        """Return the entry of a receipt; None for one that is not among them."""
        return next((_number(one) for one in self._all() if one.startswith(digest)), None)

    def _at(self, place: int) -> bytes:
        """Return the record at a place; raises IndexError."""
        if not 0 <= place < len(self):
            raise IndexError(place)
        self._write()
        (record,) = self._records.read(place, 1)
        return record

    def _all(self) -> Iterator[bytes]:
        """Yield the records."""
        self._write()
        return self._records.walk(0, len(self._records), _READ_AT_ONCE)

    def _write(self) -> None:
        """Write what was added."""
        if self._added:
            self._records.add(self._added)
            self._added = []


class Doubled:
    """All receipts of a log, sorted a run at a time and merged at the end, for those that stand there twice.

    E. H. Friend, Sorting on electronic computer systems, Journal of the ACM 3 (1956): whatever digests an owner
    chooses, each record is written once and read once.
    """

    def __init__(self) -> None:
        self._runs = Records()
        self._run: list[bytes] = []

    def add(self, number: int, digest: bytes) -> None:
        """Remember a receipt, and its entry."""
        self._run.append(_record(number, digest))
        if len(self._run) == RUN:
            self._write()

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield for each receipt that was there before its entry and the first entry of the same one."""
        self._write()
        runs = [
            self._runs.walk(first, min(first + RUN, len(self._runs)), _READ_OF_A_RUN)
            for first in range(0, len(self._runs), RUN)
        ]
        before = b""
        for record in merge(*runs):
            if before[:HASH_BYTES] == record[:HASH_BYTES]:
                yield _number(record), _number(before)
            else:
                before = record

    def _write(self) -> None:
        """Sort what was added, and write it as a run."""
        self._run.sort()
        self._runs.add(self._run)
        self._run = []


def _closed(file: IO[bytes]) -> None:
    """Close a file, which is gone with that; one that the disk had no room for says so once more."""
    with suppress(OSError):
        file.close()


def _record(number: int, digest: bytes) -> bytes:
    return digest + number.to_bytes(RECORD_BYTES - HASH_BYTES, "big")


def _number(record: bytes) -> int:
    return int.from_bytes(record[HASH_BYTES:], "big")
