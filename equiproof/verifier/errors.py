"""Why a certificate is not accepted: errors and their reasons. Malformed input and refusals have separate roots."""

from __future__ import annotations

from enum import EnumType, StrEnum
from typing import TYPE_CHECKING, ClassVar, TypeVar

from equiproof.verifier.reasons import CLASSES, Class, members

T = TypeVar("T")


class _OfTable(EnumType):
    """What makes an enumeration whose members stand in reasons.json; type checkers take every name for a member."""

    if TYPE_CHECKING:

        def __getattr__(cls: type[T], name: str) -> T: ...


class Reason(StrEnum, metaclass=_OfTable):
    """One stable name for each reason, in the order in which a verification can meet them; messages may change.

    Test vectors name these reasons, and every program that verifies reports the same one for the same bytes.
    docs/answers.md explains each, and reasons.json lists them: those of files that cannot be used, of keys that are
    not trusted, and of statements that do not follow. A policy brings its own reason, as its attribute `reason`.
    """

    locals().update(members("format", "key", "proof"))


class _ReasonedError(Exception):
    """An error with a message for people and a stable reason for programs."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[_ReasonedError], tuple[str, str]]:
        """Support pickling: an exception is made again from its arguments."""
        return type(self), (str(self), self.reason)


class CertificateFormatError(_ReasonedError, ValueError):
    """A certificate, or a file beside it, is malformed: version, field, length, form. Nothing was verified.

    `reason` is one of :class:`Reason`.
    """

    kind: ClassVar[Class] = "format"
    exit_code: ClassVar[int] = CLASSES["format"].exit_code


class VerificationError(_ReasonedError):
    """The files are well formed, and the certificate is refused. The message says which step refused it and why.

    `reason` is one of :class:`Reason`, or that of the policy that was not met.
    """

    kind: ClassVar[Class] = "proof"
    exit_code: ClassVar[int] = CLASSES["proof"].exit_code


class PolicyError(VerificationError):
    """The statement may be true, but does not meet the relying party's policy."""

    kind: ClassVar[Class] = "policy"
    exit_code: ClassVar[int] = CLASSES["policy"].exit_code


class UntrustedKeyError(VerificationError):
    """The certificate's key is not among the trusted ones, or is degenerate."""

    kind: ClassVar[Class] = "key"
    exit_code: ClassVar[int] = CLASSES["key"].exit_code


class ProofError(VerificationError):
    """The statement does not follow: a recomputed value differs, or the proof does not hold."""


class ExportReason(StrEnum, metaclass=_OfTable):
    """Stable names of why a signed export is refused; docs/exports.md explains each."""

    locals().update(members("export"))


class ExportError(VerificationError):
    """A signed export is refused: not of the pinned identity, or of another certificate. `reason`: `ExportReason`."""

    kind: ClassVar[Class] = "export"
    exit_code: ClassVar[int] = CLASSES["export"].exit_code


class StampReason(StrEnum, metaclass=_OfTable):
    """Stable names of why a time stamp is refused; docs/exports.md explains each."""

    locals().update(members("stamp"))


class StampError(VerificationError):
    """A time stamp is refused: not granted, of another file, or of an authority that is not trusted. `StampReason`."""

    kind: ClassVar[Class] = "stamp"
    exit_code: ClassVar[int] = CLASSES["stamp"].exit_code


class PackageReason(StrEnum, metaclass=_OfTable):
    """Stable names of why an evidence package is refused; docs/package.md explains each."""

    locals().update(members("package"))


class PackageError(VerificationError):
    """An evidence package is refused though the certificate in it may be true. `reason`: `PackageReason`."""

    kind: ClassVar[Class] = "package"
    exit_code: ClassVar[int] = CLASSES["package"].exit_code
