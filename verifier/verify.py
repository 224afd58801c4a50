"""Verification for a relying party.

`Verifier.verify` accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of
the set-up kind and the proof system that the certificate states; where others took part in it, the policy says by what
it is trusted. (3) It names the trusted model commitment. (4) It states the spec digest that the verifier recomputes
from the trusted spec, (5) and the domain digest, recomputed over the full product of the sensitive values. (6) The
key's shape fits this spec; label and radius are in range. (7) Its words and units follow from its numbers. (8) It meets
the policy. (9) The proof holds for the recomputed statement digest under the key.

The caller MUST get the commitment document from a source that is the same for every customer, and trust the key store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from equiproof.circuits import field
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.names import quoted
from equiproof.circuits.shape import Shape, fits
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement
from equiproof.circuits.text import plain
from equiproof.circuits.units import interval, radius_of_any
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.documents import CommitmentDocument, KeyDocument, QueryDocument
from equiproof.verifier.errors import CertificateFormatError, ProofError, Reason, UntrustedKeyError
from equiproof.verifier.policy import (
    ABOUT_CONTEXT,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_RANGES,
    ABOUT_SETUP,
    ABOUT_TRANSCRIPT,
    Facts,
    ForQuery,
    Policy,
)
from equiproof.verifier.programs import Checker, Choice, choose, known, load
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey, TrustStore

ALWAYS_LEFT_TO_YOU = (
    "that the owner shows the same commitment to everybody, and decides with this model",
    "that the other features are not proxies for the sensitive ones, and that the spec's units are right",
)

ABOUT_LOSS = (
    "that the committed integers decide as the owner's model does: the owner states that rounding the model to "
    "integers may have changed it (allow_loss in the spec)"
)

_NAME, _NAMES = 64, 8
"""The longest name of a contributor, and how many of them are shown."""

_ONLY_INSIDE = "it covers neighbors inside the spec's ranges, and no others"


@dataclass(frozen=True)
class Verified:
    """A certificate that passed every step; made by :class:`Verifier` only.

    `made` lists the checks that were made, `not_made` those that are left to you; `checker` is the program that checked
    the proof.
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
        """The certificate's name: its statement digest. Anyone can re-randomise the proof's bytes."""
        return field.to_hex(self.statement.digest(self.key.shape))

    def intervals(self, query: QueryDocument) -> dict[str, str]:
        """Return, for each feature of an applicant's data, its value and the values among which it alone may move."""
        radius = radius_of_any(self.spec, self.statement.radius_squared)
        return {
            feature.name: interval(self.spec, feature, radius, query.features[feature.name])
            for feature in self.spec.plain_features
        }

    def document(self, query: QueryDocument | None = None) -> dict[str, Any]:
        """Return what was verified as a JSON document; `intervals` are those of `query`, None without one.

        The stated radius is called `radius` in all output; only the certificate file spells it `radius_any`.
        """
        reading = self.reading
        return {
            "verdict": "verified",
            "certificate": self.identity,
            "statement": reading.sentence(),
            "label": reading.label,
            "radius": reading.radius_any,
            "radius_grid": reading.radius,
            "radius_squared": self.statement.radius_squared,
            "features": reading.features,
            "intervals": None if query is None else self.intervals(query),
            "ranges": None if reading.ranges is msgspec.UNSET else reading.ranges,
            "setup": self.key.setup,
            "proof_system": self.key.proof_system,
            "checks_made": list(self.made),
            "checks_not_made": list(self.not_made),
            "checker": self.checker,
        }


class Verifier:
    """Verifies certificates about one committed model under trusted keys.

    `checker` selects the program that checks proofs: `native`, `python`, or by default `auto`, the native library where
    it is built.
    """

    def __init__(self, commitment: CommitmentDocument, keys: TrustStore, checker: Choice = "auto") -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)

    def verify(self, certificate: Certificate | bytes, policy: Policy) -> Verified:
        """Return what was verified, or raise.

        Raises CertificateFormatError for a file that is not a certificate (1), UntrustedKeyError, ProofError or
        PolicyError for a certificate that is refused, and TypeError for anything but bytes or a parsed certificate.
        The `reason` of the first four is stable. BackendError means that nothing was verified: the native library
        failed, or was requested and is missing.
        """
        if isinstance(certificate, bytes):
            certificate = parse_certificate(certificate, "certificate")
        if not isinstance(certificate, Certificate):
            raise TypeError(f"certificate: want its bytes or a parsed Certificate, not {type(certificate).__name__}")
        statement, spec = certificate.to_statement(), self._commitment.spec
        key = self._key(certificate)
        self._check_statement(statement, key.document.shape)
        reading = self._read(certificate, statement)
        facts = Facts(statement, spec, key.document, key.signatures)
        _require_transcript(facts, policy)
        made = self._check_policy(certificate, facts, policy)
        checker = self._check_proof(certificate, statement, key)
        return Verified(statement, spec, key.document, reading, made, left_open(facts, policy), checker)

    def _key(self, certificate: Certificate) -> TrustedKey:
        """Return the trusted key that the certificate names (2)."""
        key = self._keys.find(certificate.key.fingerprint)
        if key.document.setup != certificate.key.setup:
            raise UntrustedKeyError(
                f"the certificate states a {certificate.key.setup} set-up, its key had a {key.document.setup} one",
                Reason.SETUP_DIFFERS,
            )
        if key.document.proof_system != certificate.proof_system:
            raise UntrustedKeyError(
                f"the certificate states a proof of {certificate.proof_system}, its key is of "
                f"{key.document.proof_system}",
                Reason.PROOF_SYSTEM_DIFFERS,
            )
        return key

    def _check_statement(self, statement: Statement, shape: Shape) -> None:
        """Recompute everything that follows from the trusted spec (3) to (6)."""
        spec = self._commitment.spec
        if field.to_hex(statement.model_commitment) != self._commitment.model_commitment:
            raise ProofError("the certificate is about another model than the commitment file's", Reason.MODEL_DIFFERS)
        if statement.spec_digest != spec.digest:
            raise ProofError(
                "the certificate was made under another spec than the commitment file's", Reason.SPEC_DIFFERS
            )
        if statement.domain_digest != domain_digest(spec):
            raise ProofError(
                "the certificate was made for other values of the sensitive features than the spec's",
                Reason.DOMAIN_DIFFERS,
            )
        if shape.ranges != spec.use_ranges:
            raise ProofError(
                f"the key proves {_reach(shape.ranges)}, the spec requires {_reach(spec.use_ranges)}",
                Reason.RANGES_DIFFER,
            )
        if not fits(shape, spec, shape.architecture.hidden):
            raise ProofError(f"the key's shape {shape.name[:80]} does not fit this spec", Reason.SHAPE_DIFFERS)
        if not 0 <= statement.label < len(spec.labels):
            raise ProofError(
                f"label {statement.label} is unknown: the spec has {len(spec.labels)} labels", Reason.UNKNOWN_LABEL
            )
        if not 0 <= statement.radius_squared <= spec.max_radius_squared:
            raise ProofError("the radius is above the largest one under this spec", Reason.RADIUS_TOO_LARGE)

    def _read(self, certificate: Certificate, statement: Statement) -> Reading:
        """Compare the certificate's words and units with those that follow from its numbers (7)."""
        reading = Reading.of(self._commitment.spec, statement.label, statement.radius_squared)
        if certificate.reading != reading:
            raise ProofError("the certificate's words do not match its numbers", Reason.WORDS_DIFFER)
        return reading

    def _check_policy(self, certificate: Certificate, facts: Facts, policy: Policy) -> tuple[str, ...]:
        """Check the statement against the policy, and disclosed data against its commitment (8)."""
        kind = f"set-up: {facts.key.setup}, proof system: {facts.key.proof_system}"
        disclosed = () if certificate.query is None else (ForQuery(certificate.query, "the certificate itself"),)
        return (
            f"the proof holds under the trusted key {facts.key.fingerprint[:16]}... ({kind})",
            "it is about the committed model and its public spec",
            f"it covers all {len(facts.spec.domain_table)} joint values of {_listed(facts.spec)}, and no others",
            *([_ONLY_INSIDE] if facts.spec.use_ranges else []),
            *policy.check(facts),
            *(line for shown in disclosed for line in shown.check(facts)),
        )

    def _check_proof(self, certificate: Certificate, statement: Statement, key: TrustedKey) -> Checker:
        """Check the proof for the statement digest (9), and return the program that checked it."""
        checker = choose(self._checker)
        try:
            verifier = load(checker, key.document.proof_system, key.verifying)
        except MalformedInputError as error:
            raise UntrustedKeyError(str(error), error.reason) from None
        with verifier:
            try:
                verifier.verify(field.to_bytes(statement.digest(key.document.shape)), certificate.proof_bytes)
            except MalformedInputError as error:
                raise CertificateFormatError(f"certificate: field proof: {error}", error.reason) from None
            except RefusedError as error:
                raise ProofError(str(error), error.reason) from None
        return checker


def _require_transcript(facts: Facts, policy: Policy) -> None:
    """Refuse a key of others unless the policy names its transcript or signers (2): metadata is anybody's word."""
    if facts.key.setup != "single-party" and ABOUT_TRANSCRIPT not in policy.covers:
        raise UntrustedKeyError(
            f"a {facts.key.maker} made the key: name the digest of its transcript that you checked "
            "(--transcript), or signers that you trust to have checked it (--signed-by)",
            Reason.NO_TRANSCRIPT,
        )


def _reach(ranges: bool) -> str:
    """Write which neighbors a statement covers."""
    return "statements about neighbors inside ranges only" if ranges else "statements about all neighbors"


def _listed(spec: Spec) -> str:
    """Write the sensitive features with the values that the spec lists: other values were not proven."""
    return ", ".join(
        f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" for feature in spec.sensitive_features
    )


def left_open(facts: Facts, policy: Policy) -> tuple[str, ...]:
    """List the checks that the policy leaves open, of those that this certificate needs, and those of no policy."""
    needed = [ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_RADIUS]
    if facts.spec.use_ranges:
        needed.append(ABOUT_RANGES)
    if facts.key.setup == "single-party":
        needed.append(ABOUT_SETUP)
    rounded = (ABOUT_LOSS,) if facts.spec.allow_loss else ()
    others = _contributors(facts.key)
    return (*(check for check in needed if check not in policy.covers), *others, *rounded, *ALWAYS_LEFT_TO_YOU)


def _contributors(key: KeyDocument) -> tuple[str, ...]:
    """List what no transcript shows of those who made a key."""
    if not isinstance(key.powers, msgspec.UnsetType):
        powers = key.powers
        forgot = "that one contributor to the powers of tau of the key forgot the secret"
    elif not isinstance(key.ceremony, msgspec.UnsetType):
        powers = key.ceremony.powers
        names = [plain(text.partition("+")[0])[:_NAME] for text in key.ceremony.signers]
        shown = ", ".join(names[:_NAMES]) + f" and {len(names) - _NAMES} more" * (len(names) > _NAMES)
        forgot = f"that one contributor of each phase of the key's ceremony forgot the secret (phase 2: {shown})"
    else:
        return ()
    if powers.origin == "ceremony":
        return (forgot,)
    return (
        forgot,
        f"that anybody contributed to the imported powers of tau (SHA-256 {plain(powers.source)[:_NAME]})",
    )
