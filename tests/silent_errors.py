"""Every error of ours that a test expects says something: who expects one need not say so again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

OURS = "equiproof."


def says_nothing(error: BaseException) -> bool:
    """Tell of an error of ours whether it was given words and has none; a signal was given nothing."""
    is_ours = type(error).__module__.startswith(OURS)
    return is_ours and bool(error.args) and (error.args == (None,) or not str(error).strip())


def judging(leave: Callable[..., bool]) -> Callable[..., bool]:
    """Return how `pytest.raises` is left, with a look at the words of what was raised."""

    def left(self: pytest.RaisesExc[Any], kind: Any, error: BaseException | None, trace: Any) -> bool:
        expected = leave(self, kind, error, trace)
        if expected and error is not None and says_nothing(error):
            pytest.fail(f"{type(error).__name__} says nothing: {error.args!r}")
        return expected

    return left
