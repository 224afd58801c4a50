"""A file of lines that a run appends to, one for each thing that is finished, and that a later run goes on from.

It is held by one run at a time, readable by its owner only, and never overwritten. A line counts once its end is there:
it is on the disk before `append` returns, and a process that dies leaves at most an incomplete last line, which is
dropped.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.files import naming


class JournalError(ValueError):
    """A file that cannot be appended to, or no file of the kind that a run goes on from; one line naming it."""

    exit_code: ClassVar[int] = MISUSED


class Journal:
    """The lines of a file, held open by one run at a time; use it as a context manager.

    `head` is the first line (without its end) that the run would write. `accept` is given the whole lines that are
    there, and raises where they are not those of this run: then the file keeps its bytes and its mode. Raises
    JournalError for a file that is no journal, or that another run holds, OSError where it cannot be opened.
    """

    def __init__(self, path: Path, head: bytes, accept: Callable[[list[bytes]], None]) -> None:
        self._path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            self._lock()
            self._read(head, accept)
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which releases the lock."""
        os.close(self._handle)

    @property
    def size(self) -> int:
        """How many bytes the file has now."""
        return os.fstat(self._handle).st_size

    def append(self, line: bytes) -> None:
        """Append one line, given without its end, down to the disk."""
        data = line + b"\n"
        with naming(self._path):
            # A write may take a part only; the line counts by its end, which comes last.
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)

    def _lock(self) -> None:
        """Raise JournalError for anything but a regular file, and for a file that another run appends to."""
        if not stat.S_ISREG(os.fstat(self._handle).st_mode):
            raise JournalError(f"{self._path}: name another one: not a plain file")
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(f"{self._path}: another run is writing to it; wait, or name another one") from None

    def _read(self, head: bytes, accept: Callable[[list[bytes]], None]) -> None:
        """Read a file's lines up to an incomplete last one, or write the head of an empty file."""
        data = self._path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        # A process that died while it wrote the head leaves a prefix of it; other text without a line end is not a
        # journal.
        if not whole and not (head + b"\n").startswith(data):
            raise JournalError(f"{self._path}: name another one: no file to resume from")
        if whole:
            accept(whole.splitlines())
        # Only now is it known to be a journal: a file of somebody else's keeps its mode, as it keeps its bytes.
        with naming(self._path):
            os.fchmod(self._handle, 0o600)
            if whole != data:
                os.ftruncate(self._handle, len(whole))
        if not whole:
            self.append(head)
