"""Errors of the owner's side."""

from __future__ import annotations

from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED


class KeyStoreError(Exception):
    """A key that is missing, damaged, not made here, or of another circuit; one line with the way out."""

    exit_code: ClassVar[int] = MISUSED
