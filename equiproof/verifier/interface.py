"""The public names of the room beside its policies."""

from equiproof.verifier.box import BoxCertificate, parse_box
from equiproof.verifier.bundle import Bundle, parse_bundle
from equiproof.verifier.certificate import Certificate, parse_certificate
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
from equiproof.verifier.link import LinkDocument, parse_link
from equiproof.verifier.logged import ForReceipt, Logged, LogPins, LogTerms
from equiproof.verifier.opened_box import OpenedBox, parse_opened_box
from equiproof.verifier.pair import Paired, Refusal
from equiproof.verifier.policy_file import Own, parse_policy
from equiproof.verifier.presented import verify_bundle
from equiproof.verifier.receipt import Receipt, parse_receipt
from equiproof.verifier.requirements import RequirementError, policy_of
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.verify import Verified, Verifier
from equiproof.verifier.verify_box import BoxVerifier, VerifiedBox
from equiproof.verifier.verify_gain import GainVerifier, VerifiedGain
from equiproof.verifier.wishes import WishesDocument, parse_wishes

__all__ = [
    "BoxCertificate",
    "BoxVerifier",
    "Bundle",
    "Certificate",
    "CertificateFormatError",
    "ForReceipt",
    "GainCertificate",
    "GainVerifier",
    "LinkDocument",
    "LogPins",
    "LogTerms",
    "Logged",
    "OpenedBox",
    "Own",
    "Paired",
    "Pins",
    "PolicyError",
    "ProofError",
    "Receipt",
    "Refusal",
    "RequirementError",
    "TrustStore",
    "UntrustedKeyError",
    "VerificationError",
    "Verified",
    "VerifiedBox",
    "VerifiedGain",
    "Verifier",
    "WishesDocument",
    "parse_box",
    "parse_bundle",
    "parse_certificate",
    "parse_commitment",
    "parse_context",
    "parse_gain",
    "parse_link",
    "parse_opened_box",
    "parse_policy",
    "parse_query",
    "parse_receipt",
    "parse_wishes",
    "policy_of",
    "verify_bundle",
]
