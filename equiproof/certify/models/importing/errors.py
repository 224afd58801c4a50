"""The error of importing a model."""

from __future__ import annotations

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
