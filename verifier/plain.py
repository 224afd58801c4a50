"""What the checks in plain Python have in common; it knows nothing of the native library."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class PlainKey:
    """A verifying key of a check in plain Python: its memory is the interpreter's, so closing it does nothing."""

    def close(self) -> None:
        """Do nothing; the native key frees memory here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
