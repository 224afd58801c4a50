"""What shows anybody that a log contradicts itself: two checkpoints under its own signature, kept as files."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from equiproof.circuits.files import FileExistsRefusedError, write_folder

KEPT_FILE = "kept.checkpoint"
SHOWN_FILE = "shown.checkpoint"
START_FILE = "start.txt"


def keep(beside: Path, kept_note: bytes, shown_note: bytes, start: tuple[int, bytes, Sequence[bytes]] | None) -> Path:
    """Write two signed checkpoints into a folder beside a file; return the folder. The same ones are written once.

    `start` is given where the larger of the two is of another history: the size of the smaller one, the root that the
    larger tree has there, and the path that shows it (RFC 9162, 2.1.4). Its file has these as lines: `old` and the
    size, then in base64 the root and the path.
    """
    files = {KEPT_FILE: kept_note, SHOWN_FILE: shown_note}
    if start is not None:
        size, root, path = start
        lines = [f"old {size}", *(base64.b64encode(one).decode() for one in (root, *path))]
        files[START_FILE] = "".join(f"{line}\n" for line in lines).encode()
    name = hashlib.sha256(kept_note + shown_note).hexdigest()[:12]
    folder = beside.with_name(f"{beside.name}.evidence-{name}")
    with suppress(FileExistsRefusedError):
        write_folder(folder, files)
    return folder
