"""The relying party's side: reading a certificate, judging it against a policy, checking its proof."""

from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.documents import parse_commitment, parse_context, parse_query
from equiproof.verifier.errors import (
    CertificateFormatError,
    PolicyError,
    ProofError,
    UntrustedKeyError,
    VerificationError,
)
from equiproof.verifier.policy import (
    AllOf,
    AnyOf,
    ContextHas,
    ForContext,
    ForQuery,
    KeyIs,
    MinRadius,
    ModelIs,
    NoRanges,
    NotOlderThan,
    ProofSystemIs,
    RangesWithin,
    SetupIs,
    UnsafeNoPolicy,
)
from equiproof.verifier.policy_file import Own, parse_policy
from equiproof.verifier.requirements import RequirementError, policy_of
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.verify import Verified, Verifier

__all__ = [
    "AllOf",
    "AnyOf",
    "Certificate",
    "CertificateFormatError",
    "ContextHas",
    "ForContext",
    "ForQuery",
    "KeyIs",
    "MinRadius",
    "ModelIs",
    "NoRanges",
    "NotOlderThan",
    "Own",
    "PolicyError",
    "ProofError",
    "ProofSystemIs",
    "RangesWithin",
    "RequirementError",
    "SetupIs",
    "SignedBy",
    "TranscriptIs",
    "TrustStore",
    "UnsafeNoPolicy",
    "UntrustedKeyError",
    "VerificationError",
    "Verified",
    "Verifier",
    "parse_certificate",
    "parse_commitment",
    "parse_context",
    "parse_policy",
    "parse_query",
    "policy_of",
]
