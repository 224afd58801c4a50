"""Why a certificate is not accepted. Malformed input and refusals have separate roots."""

from __future__ import annotations


class CertificateFormatError(ValueError):
    """Not a certificate, or not one of its companion files: version, field, length, form. Nothing was verified."""


class VerificationError(Exception):
    """Well formed, and refused. The message says which step refused and why."""


class PolicyError(VerificationError):
    """True perhaps, and not enough for this relying party."""


class UntrustedKeyError(VerificationError):
    """The certificate's key is not among the trusted ones, or is degenerate."""


class ProofError(VerificationError):
    """The statement does not follow: what was recomputed differs, or the proof does not hold."""
