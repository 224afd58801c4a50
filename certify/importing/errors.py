"""What the import of a model raises."""

from __future__ import annotations


class ModelImportError(ValueError):
    """A model that cannot be imported exactly: one line that says what, where, and how to mend it."""
