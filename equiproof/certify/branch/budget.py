"""What a search may spend: seconds, or work that is counted, so that results do not depend on how busy a machine is.

Whatever takes long in growing a tree pays for each of its steps, and ends with NoTreeError where nothing is left. The
attack before the search and the check after it are neither counted nor ended. A unit of work is about a tenth of a
millisecond.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Literal

from equiproof.certify.network import Layer

Ended = Literal["leaves", "slots", "rows", "passed", "seconds", "work", "digits"]
"""What ended a search; scheme trees alone has slots, scheme branch alone too few digits."""

MAX_WORK = 500_000
"""The work of a search without a limit of seconds: about a minute on one core of 2020."""

FLOAT_PRODUCTS = 50_000
"""About as many products of floats in arrays are a unit of work."""

INTEGER_PRODUCTS = 4_000
"""About as many products of integers, one by one, are a unit of work."""


def integer_work(layers: Iterable[Layer], rows: int) -> int:
    """Return the work of so many rows of integers that go through layers."""
    return 1 + rows * sum(layer.inputs * layer.outputs for layer in layers) // INTEGER_PRODUCTS


class NoTreeError(Exception):
    """No tree exists for this radius within the limits. `reason`: one of `Ended`, or "nearer".

    nearer: a wrong decision may lie closer than the radius. digits: the integers have too few digits for this radius.
    """

    def __init__(self, reason: Ended | Literal["nearer"]) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


class Meter:
    """Counts what a search spends, and ends its tries in time.

    With `max_seconds` time is limited, else work, to `max_work`; None for neither.
    """

    def __init__(self, max_seconds: float | None = None, max_work: int | None = None) -> None:
        """Begin with the whole budget, and without a limit of the first try."""
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self._max_work = max_work if max_seconds is None else None
        self._try_deadline: float | None = None
        self._try_max_work: float | None = None
        self.work = 0

    def allot(self, share: float) -> None:
        """Allow the next try this share of what is left."""
        now = time.monotonic()
        self._try_deadline = None if self._deadline is None else now + share * max(0.0, self._deadline - now)
        self._try_max_work = None if self._max_work is None else self.work + share * max(0, self._max_work - self.work)

    def allow(self) -> None:
        """Set no limit to the next try: what it finds is needed in any case."""
        self._try_deadline = None
        self._try_max_work = None

    def pay(self, work: int) -> None:
        """Count work before it is done; raises NoTreeError where the try has to end."""
        self.work += work
        if self._try_max_work is not None and self.work > self._try_max_work:
            raise NoTreeError("work")
        if self._try_deadline is not None and time.monotonic() >= self._try_deadline:
            raise NoTreeError("seconds")

    @property
    def is_timed(self) -> bool:
        """Whether seconds are limited, not work."""
        return self._deadline is not None

    @property
    def is_spent(self) -> bool:
        """Whether the whole budget is spent."""
        if self._deadline is not None:
            return time.monotonic() >= self._deadline
        return self._max_work is not None and self.work >= self._max_work
