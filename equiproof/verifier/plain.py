"""What the checks in plain Python have in common; it knows nothing of the native library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from equiproof.ffi.errors import MalformedInputError, RefusedError


class PlainKey(ABC):
    """A verifying key of a check in plain Python: its memory is the interpreter's, so closing it does nothing."""

    @abstractmethod
    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check a proof; raises RefusedError unless it holds, MalformedInputError for malformed bytes."""

    def verify_many(
        self,
        digests: Sequence[bytes],
        proofs: Sequence[bytes],
        threads: int = 0,  # noqa: ARG002  # the protocol's
    ) -> list[RefusedError | MalformedInputError | None]:
        """Check proofs one by one, on one thread; returns for each None if it holds, or the error of :meth:`verify`."""
        return [self._verdict(digest, proof) for digest, proof in zip(digests, proofs, strict=True)]

    def _verdict(self, digest: bytes, proof: bytes) -> RefusedError | MalformedInputError | None:
        """Return the error of one proof."""
        try:
            self.verify(digest, proof)
        except (RefusedError, MalformedInputError) as error:
            return error.with_traceback(None)
        return None

    def close(self) -> None:  # noqa: B027  # there is nothing to do, here and below
        """Do nothing; the native key frees memory here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
