"""The errors of importing a model, and the names in their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED


class ModelImportError(ValueError):
    """A model that cannot be imported exactly: one line with what is wrong, where, and how to mend it."""

    exit_code: ClassVar[int] = MISUSED


class CoarseGridError(ModelImportError):
    """A threshold that the grid of the inputs does not hold: `bits` are those of a grid that does, None without one."""

    def __init__(self, message: str, bits: int | None) -> None:
        """Keep the bits of the grid to use."""
        super().__init__(message)
        self.bits = bits


def shown(text: str, most: int = 80) -> str:
    """Return an untrusted name for a message: on one line, and of at most so many characters."""
    cut = text[:most]
    return cut if cut.isprintable() else ascii(cut)[1:-1]


def listed(names: Iterable[str], most: int = 12, write: Callable[[str], str] = shown) -> str:
    """Return names for a message, each as `write` has it: the first of them, and how many more there are."""
    every = list(names)
    first = ", ".join(map(write, every[:most]))
    return first if len(every) <= most else f"{first} and {len(every) - most} more"
