"""One budget of seconds for several steps, so that together they take no longer than was allowed."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds from any moment on, never fewer than before; tests have one of their own."""


class Countdown:
    """Seconds that are left of a budget, from now on; without a budget, no step is limited."""

    def __init__(self, seconds: float | None, clock: Clock = time.monotonic) -> None:
        """Begin with all of the seconds; None for no limit."""
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def left(self, share: float = 1.0) -> float | None:
        """Return this share of the seconds that are left, 0 when they are over; None for no limit."""
        return None if self._end is None else share * max(0.0, self._end - self._clock())
