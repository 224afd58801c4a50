"""The relying party's side: reading a certificate, judging it against a policy, checking its proof."""

from verifier.certificate import Certificate, parse_certificate
from verifier.documents import parse_commitment, parse_context, parse_query
from verifier.errors import (
    CertificateFormatError,
    PolicyError,
    ProofError,
    UntrustedKeyError,
    VerificationError,
)
from verifier.policy import AllOf, ForContext, ForQuery, KeyIs, MinRadius, ModelIs, SetupIs, UnsafeNoPolicy
from verifier.trust import TrustStore
from verifier.verify import Verified, Verifier

__all__ = [
    "AllOf",
    "Certificate",
    "CertificateFormatError",
    "ForContext",
    "ForQuery",
    "KeyIs",
    "MinRadius",
    "ModelIs",
    "PolicyError",
    "ProofError",
    "SetupIs",
    "TrustStore",
    "UnsafeNoPolicy",
    "UntrustedKeyError",
    "VerificationError",
    "Verified",
    "Verifier",
    "parse_certificate",
    "parse_commitment",
    "parse_context",
    "parse_query",
]
