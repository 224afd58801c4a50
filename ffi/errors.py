"""Errors of the native library, one class per status."""

from __future__ import annotations


class BackendError(RuntimeError):
    """The native library is missing, of another version, was carried over a fork, or failed inside."""


class MalformedInputError(BackendError, ValueError):
    """The library could not read its input: shape, witness, key, digest or proof bytes."""


class UnsatisfiedError(BackendError):
    """The witness does not satisfy the relation: the statement has no proof."""


class RefusedError(Exception):
    """A well-formed proof that does not hold for the statement under the key."""
