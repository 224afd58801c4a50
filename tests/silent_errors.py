"""Every error of ours that a test expects says something: who expects one need not say so again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

OURS = "equiproof."


def complaint(error: BaseException) -> str:
    """Return what is wrong with the words of an error of ours; nothing for one of somebody else's, or for a signal."""
    if not type(error).__module__.startswith(OURS):
        return ""
    return "says nothing" if error.args and (error.args == (None,) or not str(error).strip()) else ""


def judging(leave: Callable[..., bool]) -> Callable[..., bool]:
    """Return how `pytest.raises` is left, with a look at the words of what was raised."""

    def left(self: pytest.RaisesExc[Any], kind: Any, error: BaseException | None, trace: Any) -> bool:
        expected = leave(self, kind, error, trace)
        if expected and error is not None and (wrong := complaint(error)):
            pytest.fail(f"{type(error).__name__} {wrong}: {error.args!r}")
        return expected

    return left
