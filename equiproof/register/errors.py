"""What can be wrong with a log: it cannot be read, or it contradicts what it has signed."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from equiproof.circuits.exit_codes import FORKED, MISUSED


class LogError(ValueError):
    """A log that cannot be read, reached or appended to; one line that names it and says why."""

    exit_code: ClassVar[int] = MISUSED


class AbsentError(LogError):
    """A file of a log that is not there."""


class HistoryError(Exception):
    """A log that has signed two histories, or went back; `evidence` is the folder of the checkpoints that show it."""

    exit_code: ClassVar[int] = FORKED

    def __init__(self, message: str, evidence: Path) -> None:
        super().__init__(message)
        self.evidence = evidence
