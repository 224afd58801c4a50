"""The time of the audit: what is under way when it ends is left, with a reason."""

from __future__ import annotations

import time


class OutOfTimeError(Exception):
    """The time ended before an answer; one line saying during what. This says nothing about fairness."""

    def __init__(self, during: str) -> None:
        """Say what was under way."""
        super().__init__(f"the time of the audit ended first, while {during}")


def check(deadline: float | None, during: str) -> None:
    """Raise OutOfTimeError past a moment of `time.monotonic`, None for never."""
    if deadline is not None and time.monotonic() > deadline:
        raise OutOfTimeError(during)
