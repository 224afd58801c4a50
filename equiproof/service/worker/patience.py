"""How long a prover may take: its search's seconds and the forecast of its proof, a few times over.

Only the time counts in which a prover could have worked. One of idle class beside busy programs waits for a processor,
and is no prover that hangs.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from equiproof.circuits.schemes import scheme_of
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.estimate import LINES
from equiproof.prover.keys import KeyStore

FACTOR = 4
LEAST_SECONDS = 60.0
"""How many times the forecast a prover may take; and beside that, for its start and the loading of its key."""

STARVED_SECONDS = 3.0
STARVED_SHARE = 0.05
"""A prover that wants a processor and for so long has less than this share of one gets hardly anywhere."""

_PROCESSES = Path("/proc")
_STATE, _USER_TIME, _SYSTEM_TIME = 0, 11, 12
"""Where a line of Linux about a thread has these, counted from behind its name."""


def allowed_seconds(keys: Path, max_seconds: float, proofs: int = 1) -> float:
    """Return how long proofs under the largest key of a folder may take, with a search of so many seconds."""
    return LEAST_SECONDS + FACTOR * (max_seconds + proofs * forecast_seconds(keys))


class Patience:
    """How long a process has been able to work, as far as it has been looked at."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._used: float | None = None
        self._without = 0.0
        self.seconds = 0.0

    @property
    def starves(self) -> bool:
        """Whether the process wants a processor, and has had none for a while."""
        return self._without >= STARVED_SECONDS

    def look(self, passed: float) -> float:
        """Add the seconds that have passed since the last look, and return all of them.

        Where a thread waits for a processor, what was computed counts, and not the waiting.
        """
        threads = _threads(self._process)
        used = sum(seconds for _, seconds in threads)
        computed = passed if self._used is None else used - self._used
        self._used = used
        waits = any(state == "R" for state, _ in threads)
        self._without = self._without + passed if waits and computed < STARVED_SHARE * passed else 0.0
        self.seconds += min(passed, computed) if waits else passed
        return self.seconds


def forecast_seconds(keys: Path) -> float:
    """Return the seconds of a proof under the largest key of a folder, 0 where none can be read."""
    with suppress(KeyStoreError, OSError):
        documents = [key.document for key in KeyStore(keys).all()]
        return max(
            (LINES[scheme_of(one.shape.scheme)].prove_seconds(one.constraints) for one in documents), default=0.0
        )
    return 0.0


def _threads(process: int) -> list[tuple[str, float]]:
    """Return the state of each thread of a process and its processor seconds; nothing where the system has no such."""
    ticks = os.sysconf("SC_CLK_TCK")
    found = []
    with suppress(OSError):
        for thread in (_PROCESSES / str(process) / "task").iterdir():
            with suppress(OSError):
                parts = (thread / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                found.append((parts[_STATE], (int(parts[_USER_TIME]) + int(parts[_SYSTEM_TIME])) / ticks))
    return found
