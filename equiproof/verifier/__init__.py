"""The relying party's side: reading a certificate, judging it against a policy, checking its proof."""

from equiproof.verifier.bundle import Bundle, parse_bundle
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.combined import AllOf, AnyOf, UnsafeNoPolicy
from equiproof.verifier.documents import parse_commitment, parse_context, parse_query
from equiproof.verifier.errors import (
    CertificateFormatError,
    PolicyError,
    ProofError,
    UntrustedKeyError,
    VerificationError,
)
from equiproof.verifier.facts import Pins
from equiproof.verifier.gain import GainCertificate, parse_gain
from equiproof.verifier.gain_policy import GainOf, MinGain
from equiproof.verifier.logged import ForReceipt, Logged, LogPins, LogTerms
from equiproof.verifier.policy import (
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
)
from equiproof.verifier.policy_file import Own, parse_policy
from equiproof.verifier.presented import verify_bundle
from equiproof.verifier.receipt import Receipt, parse_receipt
from equiproof.verifier.requirements import RequirementError, policy_of
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.verify import Verified, Verifier
from equiproof.verifier.verify_gain import GainVerifier, VerifiedGain

__all__ = [
    "AllOf",
    "AnyOf",
    "Bundle",
    "Certificate",
    "CertificateFormatError",
    "ContextHas",
    "ForContext",
    "ForQuery",
    "ForReceipt",
    "GainCertificate",
    "GainOf",
    "GainVerifier",
    "KeyIs",
    "LogPins",
    "LogTerms",
    "Logged",
    "MinGain",
    "MinRadius",
    "ModelIs",
    "NoRanges",
    "NotOlderThan",
    "Own",
    "Pins",
    "PolicyError",
    "ProofError",
    "ProofSystemIs",
    "RangesWithin",
    "Receipt",
    "RequirementError",
    "SetupIs",
    "SignedBy",
    "TranscriptIs",
    "TrustStore",
    "UnsafeNoPolicy",
    "UntrustedKeyError",
    "VerificationError",
    "Verified",
    "VerifiedGain",
    "Verifier",
    "parse_bundle",
    "parse_certificate",
    "parse_commitment",
    "parse_context",
    "parse_gain",
    "parse_policy",
    "parse_query",
    "parse_receipt",
    "policy_of",
    "verify_bundle",
]
