"""A small file that outlives its process: one holds it at a time, it is written whole, and counts once on the disk."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.circuits.files import naming, write_file
from equiproof.register.errors import LogError


class Kept:
    """The file at a path; use it as a context manager, which holds the lock `PATH.lock` beside it.

    Entering raises LogError where another process holds it, OSError where the lock cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = -1

    def __enter__(self) -> Self:
        # The file itself is replaced at each write, so it cannot carry the lock.
        lock = self.path.with_name(f"{self.path.name}.lock")
        with naming(lock):
            lock.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise LogError(f"{self.path}: name another file: another process keeps its state there") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock."""
        os.close(self._lock)

    def read(self) -> bytes | None:
        """Return the file's bytes, None where there is none yet; raises LogError, OSError."""
        try:
            return read_regular(self.path)
        except FileNotFoundError:
            return None
        except DocumentError as error:
            raise LogError(str(error)) from None

    def write(self, data: bytes) -> None:
        """Replace the file; it is on the disk under its name when this returns. Raises OSError."""
        write_file(self.path, data, secret=True, force=True)
        # The file is on the disk, and its new name only once the folder is.
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
