"""What the import of a model raises."""

from __future__ import annotations


class ModelImportError(ValueError):
    """A model that cannot be imported exactly: one line that says what, where, and how to mend it."""


def shown(text: str) -> str:
    """Return a name of somebody else's choice for a message: on one line, and not too long."""
    cut = text[:80]
    return cut if cut.isprintable() else ascii(cut)[1:-1]
