"""Files on their way to the disk: a few one by one, many all at once."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SINGLY = 256
"""How many files of a folder are synced one by one. Each takes the disk's time; above that, all at once take less."""


@contextmanager
def together(folder: Path) -> Iterator[Callable[[], bool]]:
    """Have the files that are written below a folder in the block on the disk at its end.

    The result says of each new file whether its writer is to sync it. If the block ends well, the whole file system of
    the folder is synced where some files were not. Raises OSError where that cannot be done.
    """
    count = 0
    handle = -1

    def singly() -> bool:
        nonlocal count, handle
        count += 1
        # Opened before the first file that relies on it: errors of writing are reported from then on.
        if handle < 0 and count > SINGLY and _syncfs() is not None:
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        return handle < 0

    try:
        yield singly
        if handle >= 0:
            _sync_system(handle)
    finally:
        if handle >= 0:
            os.close(handle)


def _syncfs() -> Callable[[int], int] | None:
    """Return the system's own function, None where it has none: then every file is synced by itself."""
    # Of one file system, where `sync` would wait for the disks of everybody; Python offers it nowhere.
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


def _sync_system(handle: int) -> None:
    """Sync the file system of an open folder; raises OSError, also for what could not be written before."""
    sync = _syncfs()
    if sync is None or sync(handle):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
