"""Trouble that lasts is one line when it begins and one when it is over, however often it is met in between."""

from __future__ import annotations

from collections.abc import Callable


class Troubles:
    """What a process has said of trouble with each of the things that it does again and again."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._last: dict[str, str] = {}

    def tell(self, what: str, line: str) -> None:
        """Say what the trouble is, unless that was the last thing said about `what`."""
        if line != self._last.get(what):
            self._last[what] = line
            self._say(f"{what}: {line}")

    def over(self, what: str, line: str) -> None:
        """Say that trouble is over, where there was some."""
        if self._last.pop(what, None) is not None:
            self._say(f"{what}: {line}")
