"""Why a certificate is not accepted: errors and their reasons. Malformed input and refusals have separate roots."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED, REFUSED


class Reason(StrEnum):
    """One stable name for each reason, in the order in which a verification can meet them; messages may change.

    Test vectors name these reasons, and every program that verifies reports the same one for the same bytes.
    docs/certificate.md explains each. A policy brings its own reason, as its attribute `reason`.
    """

    # A file cannot be used: CertificateFormatError. canonical.parse of equiproof.circuits gives the first five by name.
    UNREADABLE = "unreadable"
    TOO_LONG = "too-long"
    NOT_JSON = "not-json"
    WRONG_FIELDS = "wrong-fields"
    NOT_CANONICAL = "not-canonical"
    OTHER_FORMAT = "other-format"
    OUT_OF_RANGE = "out-of-range"
    BAD_ELEMENT = "bad-element"
    NOT_BASE64 = "not-base64"
    BAD_SPEC = "bad-spec"
    BAD_QUERY = "bad-query"
    REPEATED_NAME = "repeated-name"
    WEAK_NONCE = "weak-nonce"
    BAD_SHAPE = "bad-shape"
    NO_TRANSCRIPT = "no-transcript"
    KEY_BYTES_DIFFER = "key-bytes-differ"
    NO_KEYS = "no-keys"
    NOT_A_BUNDLE = "not-a-bundle"
    WRONG_FILES = "wrong-files"
    FILE_DIFFERS = "file-differs"
    NOT_A_LOG_PROOF = "not-a-log-proof"
    # The bytes of a proof or a verifying key are malformed; the native library reports the same names.
    WRONG_LENGTH = "wrong-length"
    WRONG_COUNT = "wrong-count"
    POINT_NOT_CANONICAL = "point-not-canonical"
    COORDINATE_TOO_LARGE = "coordinate-too-large"
    OFF_CURVE = "off-curve"
    OUTSIDE_SUBGROUP = "outside-subgroup"
    DEGENERATE_KEY = "degenerate-key"
    # The key is not trusted: UntrustedKeyError, with the reasons above for a trusted key whose bytes are malformed.
    KEY_NOT_TRUSTED = "key-not-trusted"
    SETUP_DIFFERS = "setup-differs"
    PROOF_SYSTEM_DIFFERS = "proof-system-differs"
    # The statement does not follow: ProofError.
    MODEL_DIFFERS = "model-differs"
    SPEC_DIFFERS = "spec-differs"
    DOMAIN_DIFFERS = "domain-differs"
    UNKNOWN_VALUES = "unknown-values"
    RANGES_DIFFER = "ranges-differ"
    SHAPE_DIFFERS = "shape-differs"
    UNKNOWN_LABEL = "unknown-label"
    RADIUS_TOO_LARGE = "radius-too-large"
    GAIN_TOO_LARGE = "gain-too-large"
    WORDS_DIFFER = "words-differ"
    COMMITMENT_NOT_OPENED = "commitment-not-opened"
    RELATION_FAILS = "relation-fails"
    PAIRINGS_DIFFER = "pairings-differ"
    # The same of a sub-circuit's proof.
    CIRCUIT_DIFFERS = "circuit-differs"
    VALUES_DIFFER = "values-differ"


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

    exit_code: ClassVar[int] = MISUSED


class VerificationError(_ReasonedError):
    """The files are well formed, and the certificate is refused. The message says which step refused it and why.

    `reason` is one of :class:`Reason`, or that of the policy that was not met.
    """

    exit_code: ClassVar[int] = REFUSED


class PolicyError(VerificationError):
    """The statement may be true, but does not meet the relying party's policy."""


class UntrustedKeyError(VerificationError):
    """The certificate's key is not among the trusted ones, or is degenerate."""


class ProofError(VerificationError):
    """The statement does not follow: a recomputed value differs, or the proof does not hold."""


class ExportReason(StrEnum):
    """Stable names of why a signed export is refused; docs/exports.md explains each."""

    IDENTITY_DIFFERS = "identity-differs"
    BAD_SIGNATURE = "bad-signature"
    NAME_DIFFERS = "name-differs"


class ExportError(VerificationError):
    """A signed export is refused: not of the pinned identity, or of another certificate. `reason`: `ExportReason`."""


class PackageReason(StrEnum):
    """Stable names of why an evidence package is refused; docs/package.md explains each."""

    OTHER_REPORT = "other-report"
    OTHER_LETTER = "other-letter"
    OTHER_MODEL_CARD = "other-model-card"
    OTHER_ENTRY = "other-entry"
    NOT_YET = "not-yet"
    LIFETIME_OVER = "lifetime-over"


class PackageError(VerificationError):
    """An evidence package is refused though the certificate in it may be true. `reason`: `PackageReason`."""
