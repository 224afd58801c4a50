"""Files with secrets of the service: for their owner alone."""

from __future__ import annotations

from pathlib import Path


def refuse_shared(path: Path, error: type[ValueError]) -> None:
    """Raise an error for a file that others may read or change; raises OSError where there is none."""
    if path.stat().st_mode & 0o077:
        raise error(f"{path}: `chmod 600` it, since others may read it")
