"""The clock of every process of the service; tests inject another one."""

from __future__ import annotations

import time


def now() -> int:
    """Return the time in microseconds since 1970."""
    return time.time_ns() // 1000
