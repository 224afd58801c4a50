"""Models that rest: their files could not be used, so their decisions wait untouched until they are tried again."""

from __future__ import annotations

from collections.abc import Callable

FIRST_SECONDS = 30.0
MAX_SECONDS = 600.0
"""How long the files of a model rest after the first failure and, doubled each time, at most."""

Files = tuple[str, str]
"""Opening and folder of keys; or the word "vault" and the name of a key that its file lacks."""


class Resting:
    """Which files are not to be tried now: each attempt is two lines of a decision's history, which stays for years."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until: dict[Files, tuple[float, float]] = {}

    def rests(self, files: Files) -> bool:
        """Return whether these files are not to be tried yet."""
        until, _ = self._until.get(files, (0.0, 0.0))
        return files in self._until and self._monotonic() < until

    def lay(self, files: Files) -> None:
        """Have these files rest, twice as long as the last time."""
        if self.rests(files):  # another decision of this model has just failed in the same way
            return
        _, last = self._until.get(files, (0.0, 0.0))
        # 0 stands for no rest so far.
        seconds = min(2 * last, MAX_SECONDS) or FIRST_SECONDS
        self._until[files] = (self._monotonic() + seconds, seconds)

    def wake(self, files: Files) -> None:
        """Forget that these files could not be used."""
        self._until.pop(files, None)
