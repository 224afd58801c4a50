"""Every error of ours that a test expects is one line that people can read: who expects one need not say so again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

MAX_LINE = 400
"""The most characters of an error's line."""
OURS = "equiproof."


def complaint(error: BaseException) -> str:
    """Return what is wrong with the line of an error of ours; nothing for one of somebody else's, or for a signal."""
    if not type(error).__module__.startswith(OURS):
        return ""
    line = str(error)
    if error.args and (error.args == (None,) or not line.strip()):
        return "says nothing"
    if "\n" in line:
        return "has several lines"
    return f"has {len(line)} characters" if len(line) > MAX_LINE else ""


def judging(leave: Callable[..., bool]) -> Callable[..., bool]:
    """Return how `pytest.raises` is left, with a look at the line of what was raised."""

    def left(self: pytest.RaisesExc[Any], kind: Any, error: BaseException | None, trace: Any) -> bool:
        expected = leave(self, kind, error, trace)
        if expected and error is not None and (wrong := complaint(error)):
            pytest.fail(f"{type(error).__name__} {wrong}: {str(error)[:500]!r}")
        return expected

    return left
