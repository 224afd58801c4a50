"""The time limit of the audit: the step that exceeds it is abandoned with a reason."""

from __future__ import annotations

import time


class OutOfTimeError(Exception):
    """The time limit was reached before an answer, and fairness is left open; one line naming the step."""

    def __init__(self, during: str) -> None:
        """Name the step in progress."""
        super().__init__(f"the time limit of the audit was reached while {during}")


def check(deadline: float | None, during: str) -> None:
    """Raise OutOfTimeError past a moment of `time.monotonic`, None for never."""
    if deadline is not None and time.monotonic() > deadline:
        raise OutOfTimeError(during)
