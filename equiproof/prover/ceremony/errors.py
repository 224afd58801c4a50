"""Why a ceremony's files are refused, and what cannot be done with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED, REFUSED
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.errors import CertificateFormatError, Reason


class Refusal(StrEnum):
    """Stable names of why a transcript is refused; docs/ceremony.md explains each. The last seven are the library's."""

    WRONG_HEADER = "wrong-header"
    WRONG_LENGTH = "length"
    WRONG_CHAIN = "wrong-chain"
    UNKNOWN_SIGNER = "unknown-signer"
    REPEATED_SIGNER = "repeated-signer"
    BAD_SIGNATURE = "bad-signature"
    OTHER_CIRCUIT = "other-circuit"
    OTHER_POWERS = "other-powers"
    OTHER_KEY = "other-key"
    PROOF_OF_KNOWLEDGE = "proof-of-knowledge"
    RATIO = "ratio"
    SUBGROUP = "subgroup"
    NOT_RERANDOMISED = "not-rerandomised"
    RELATED_SECRETS = "related-secrets"
    CHALLENGE = "challenge"
    LAGRANGE = "lagrange"


class CeremonyError(Exception):
    """Something that cannot be done with a ceremony now; one line with the way out."""

    exit_code: ClassVar[int] = MISUSED


class TranscriptError(Exception):
    """A transcript that is refused: the message names the first bad file and why, `reason` is a :class:`Refusal`."""

    exit_code: ClassVar[int] = REFUSED

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[TranscriptError], tuple[str, str]]:
        """Support pickling: an exception is made again from its arguments."""
        return TranscriptError, (str(self), self.reason)


@contextmanager
def naming(where: str | Path) -> Iterator[None]:
    """Make a refusal of the native library's name the file that it is about."""
    try:
        yield
    except RefusedError as error:
        raise TranscriptError(f"{where}: {error}", error.reason) from None
    except MalformedInputError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason or Reason.WRONG_FIELDS) from None
