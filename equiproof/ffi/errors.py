"""Errors of the native library, one class per status."""

from __future__ import annotations

from typing import ClassVar


class BackendError(RuntimeError):
    """The native library is missing, of another version, was carried over a fork, or failed inside."""

    exit_code: ClassVar[int] = 2  # equiproof.circuits.exit_codes.MISUSED: this room imports nothing of ours


class MalformedInputError(BackendError, ValueError):
    """The library could not read its input: shape, witness, key, digest or proof bytes.

    `reason` is the stable name of what is wrong with a key, a digest or a proof, and empty for other input.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class UnsatisfiedError(BackendError):
    """The witness does not satisfy the relation: the statement has no proof."""


class RefusedError(Exception):
    """A well-formed proof that does not hold for the statement under the key; `reason` is the stable name of why."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
