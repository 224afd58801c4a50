"""The time limit of a repair: every step asks the same clock, and ends with what it has."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

Now = Callable[[], float]


@dataclass(frozen=True)
class Clock:
    """A moment at which the time ends, in the seconds that `now` tells; infinity for never."""

    end: float = math.inf
    now: Now = time.monotonic

    @classmethod
    def of(cls, seconds: float | None, now: Now = time.monotonic) -> Clock:
        """Return a clock that ends so many seconds from now, never for None."""
        return cls(math.inf if seconds is None else now() + seconds, now)

    @property
    def rest(self) -> float:
        """The seconds left, 0 once the time has ended."""
        return max(0.0, self.end - self.now())

    @property
    def over(self) -> bool:
        """Whether the time has ended."""
        return self.rest <= 0

    def refuse_over(self) -> None:
        """Raise TimeoutError once the time has ended."""
        if self.over:
            raise TimeoutError("the time ended")

    def within(self, seconds: float) -> Clock:
        """Return a clock that ends so many seconds from now, or with this one if that is earlier."""
        return Clock(min(self.end, self.now() + seconds), self.now)

    def share(self, part: float) -> Clock:
        """Return a clock that ends when this part of the time left is spent."""
        return self if math.isinf(self.end) else self.within(part * self.rest)


ENDLESS = Clock()
"""No time limit."""
