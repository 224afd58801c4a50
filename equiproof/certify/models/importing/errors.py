"""The errors of importing a model, and the names in their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.text import LONGEST_LIST, several


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


def listed(
    names: Iterable[str],
    most: int = 12,
    write: Callable[[str], str] = lambda name: shown(name, 40),
    room: int = LONGEST_LIST,
) -> str:
    """Return names for a message, each as `write` has it: of many the first, how many are left out, and the last.

    They take `room` characters, and those of how many are left out.
    """
    return several([write(name) for name in names], most, room)
