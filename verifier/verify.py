"""Verification for a relying party.

`Verifier.verify` holds a certificate to nine steps. (1) It parses strictly. (2) Its key is a trusted one, of the set-up
kind that the certificate states. (3) It names the trusted model commitment. (4) The spec's digest, recomputed from the
trusted spec, is the one stated. (5) So is the domain digest, recomputed over the full product of the sensitive values.
(6) The key's shape is one of this spec, and label and radius lie in their ranges. (7) The words and units are those of
the numbers. (8) The policy is met. (9) The proof holds for the recomputed statement digest under the key.

The caller MUST get the commitment document from a source that is the same for every customer, and trust the key store.
"""

from __future__ import annotations

from dataclasses import dataclass

from circuits import field
from circuits.commitment import domain_digest
from circuits.shape import Shape, fits
from circuits.spec import Spec
from circuits.statement import Statement
from ffi.errors import MalformedInputError, RefusedError
from verifier.certificate import Certificate, parse_certificate
from verifier.checker import Checker, Choice, choose, known, load
from verifier.documents import CommitmentDocument, KeyDocument
from verifier.errors import CertificateFormatError, ProofError, UntrustedKeyError
from verifier.policy import (
    ABOUT_CONTEXT,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_RANGES,
    ABOUT_SETUP,
    AllOf,
    Facts,
    ForQuery,
    Policy,
    demands,
)
from verifier.reading import Reading, quoted
from verifier.trust import TrustedKey, TrustStore

ALWAYS_LEFT_TO_YOU = (
    "that the owner shows the same commitment to everybody, and decides with this model",
    "that the other features are no proxies of the sensitive ones, and that the spec's units mean what they say",
)


_ONLY_INSIDE = "it covers neighbors inside the spec's ranges, and no others"


@dataclass(frozen=True)
class Verified:
    """A certificate that passed every step; made by :class:`Verifier` only.

    `made` lists the checks that were made, `not_made` what nobody checked; `checker` is the program that checked the
    proof.
    """

    statement: Statement
    spec: Spec
    key: KeyDocument
    reading: Reading
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    checker: Checker

    @property
    def identity(self) -> str:
        """The certificate's name: its statement digest. Proof bytes can be re-randomised by anyone."""
        return field.to_hex(self.statement.digest(self.key.shape))


class Verifier:
    """Verifies certificates about one committed model under trusted keys.

    `checker` says which program checks proofs: `native`, `python`, or by default `auto`, the native library where it is
    there.
    """

    def __init__(self, commitment: CommitmentDocument, keys: TrustStore, checker: Choice = "auto") -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)

    def verify(self, certificate: Certificate | bytes, policy: Policy | AllOf) -> Verified:
        """Return what was verified, or raise.

        CertificateFormatError is for a file that is no certificate (1); UntrustedKeyError, ProofError and PolicyError
        are for one that is refused. BackendError says that the native library failed, or was asked for and is missing:
        nothing was verified then. TypeError is for a certificate that is neither bytes nor parsed.
        """
        if isinstance(certificate, bytes):
            certificate = parse_certificate(certificate, "certificate")
        if not isinstance(certificate, Certificate):
            raise TypeError(f"certificate: want its bytes or a parsed Certificate, not {type(certificate).__name__}")
        statement, spec = certificate.to_statement(), self._commitment.spec
        key = self._key(certificate)
        self._check_statement(statement, key.document.shape)
        reading = self._read(certificate, statement)
        facts = Facts(statement, spec, key.document)
        demanded = demands(policy)
        made = self._check_policy(certificate, facts, demanded)
        checker = self._check_proof(certificate, statement, key)
        return Verified(statement, spec, key.document, reading, made, _not_made(facts, demanded), checker)

    def _key(self, certificate: Certificate) -> TrustedKey:
        """Find the trusted key (2)."""
        key = self._keys.find(certificate.key.fingerprint)
        if key.document.setup != certificate.key.setup:
            raise UntrustedKeyError(f"the certificate states a {certificate.key.setup} set-up, the key's is another")
        return key

    def _check_statement(self, statement: Statement, shape: Shape) -> None:
        """Recompute everything that the trusted spec decides (3) to (6)."""
        spec = self._commitment.spec
        if field.to_hex(statement.model_commitment) != self._commitment.model_commitment:
            raise ProofError("the certificate is about another model than the commitment file's")
        if statement.spec_digest != spec.digest:
            raise ProofError("the certificate was made under another spec than the commitment file's")
        if statement.domain_digest != domain_digest(spec):
            raise ProofError("the certificate was made for other values of the sensitive features than the spec's")
        if shape.ranges != spec.use_ranges:
            raise ProofError(f"the key proves {_reach(shape.ranges)}, the spec wants {_reach(spec.use_ranges)}")
        if not fits(shape, spec, shape.architecture.hidden):
            raise ProofError(f"the key's shape {shape.name[:80]} is not one of this spec")
        if not 0 <= statement.label < len(spec.labels):
            raise ProofError(f"label {statement.label} is none of the spec's {len(spec.labels)}")
        if not 0 <= statement.radius_squared <= spec.max_radius_squared:
            raise ProofError("the radius is larger than any that is stated under this spec")

    def _read(self, certificate: Certificate, statement: Statement) -> Reading:
        """Hold the certificate's words and units to its numbers (7)."""
        reading = Reading.of(self._commitment.spec, statement.label, statement.radius_squared)
        if certificate.reading != reading:
            raise ProofError("the certificate's words are not those of its numbers")
        return reading

    def _check_policy(self, certificate: Certificate, facts: Facts, demanded: tuple[Policy, ...]) -> tuple[str, ...]:
        """Hold the statement to the policy, and disclosed data to its commitment (8)."""
        if certificate.query is not None:
            demanded += (ForQuery(certificate.query, "the certificate itself"),)
        return (
            f"the proof holds under the trusted key {facts.key.fingerprint[:16]}... (set-up: {facts.key.setup})",
            "it is about the committed model and its public spec",
            f"it covers all {len(facts.spec.domain_table)} joint values of {_listed(facts.spec)}, and no others",
            *([_ONLY_INSIDE] if facts.spec.use_ranges else []),
            *(demand.check(facts) for demand in demanded),
        )

    def _check_proof(self, certificate: Certificate, statement: Statement, key: TrustedKey) -> Checker:
        """Check the proof for the statement digest (9), and return the program that did."""
        checker = choose(self._checker)
        try:
            verifier = load(checker, key.verifying)
        except MalformedInputError as error:
            raise UntrustedKeyError(str(error)) from None
        with verifier:
            try:
                verifier.verify(field.to_bytes(statement.digest(key.document.shape)), certificate.proof_bytes)
            except MalformedInputError as error:
                raise CertificateFormatError(f"certificate: field proof: {error}") from None
            except RefusedError as error:
                raise ProofError(str(error)) from None
        return checker


def _reach(ranges: bool) -> str:
    """Write which neighbors a statement is about."""
    return "statements about neighbors inside ranges only" if ranges else "statements about all neighbors"


def _listed(spec: Spec) -> str:
    """Write the sensitive features with the values that the spec lists: what is not listed was not proven."""
    return ", ".join(
        f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" for feature in spec.sensitive_features
    )


def _not_made(facts: Facts, demanded: tuple[Policy, ...]) -> tuple[str, ...]:
    """Name the checks that nobody made."""
    covered = {demand.covers for demand in demanded}
    if facts.key.setup != "single-party":
        covered.add(ABOUT_SETUP)
    if not facts.spec.use_ranges:
        covered.add(ABOUT_RANGES)
    optional = (ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_RADIUS, ABOUT_RANGES, ABOUT_SETUP)
    return tuple(check for check in optional if check not in covered) + ALWAYS_LEFT_TO_YOU
