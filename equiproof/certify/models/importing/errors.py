"""The error of importing a model."""

from __future__ import annotations

from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED


class ModelImportError(ValueError):
    """A model that cannot be imported exactly: one line with what is wrong, where, and how to mend it."""

    exit_code: ClassVar[int] = MISUSED


def shown(text: str, most: int = 80) -> str:
    """Return an untrusted name for a message: on one line, and of at most so many characters."""
    cut = text[:most]
    return cut if cut.isprintable() else ascii(cut)[1:-1]
