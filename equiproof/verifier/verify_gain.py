"""Verification of gain certificates for a relying party.

`GainVerifier.verify` accepts one that passes the nine steps of :mod:`.verify`, of which these differ. (1) The file is
of its own kind. (5) The domain digest is that of the two rows that the statement names, which are rows of the trusted
spec's table, and not the same. (6) The key's shape is of relation `gain` under this spec, and the least gain has the
width that it has there. (9) The statement digest covers the least gain and its unit, too.

The caller MUST get the commitment document from a source that is the same for every customer, and trust the key store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from equiproof.circuits import field
from equiproof.circuits.commitment import pair_digest
from equiproof.circuits.levels import shown_gain
from equiproof.circuits.shape import Shape, fits_gain, holds_gain
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import GainStatement
from equiproof.circuits.tables import say
from equiproof.verifier.combined import AllOf, AnyOf
from equiproof.verifier.documents import CommitmentDocument, KeyDocument, LinkKeyDocument
from equiproof.verifier.errors import ProofError, Reason
from equiproof.verifier.facts import (
    ABOUT_CONTEXT,
    ABOUT_GAIN,
    ABOUT_GAIN_OF,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_UNIT,
    Facts,
    Policy,
)
from equiproof.verifier.gain import GainCertificate, GainReading, parse_gain, values_in_words
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.linked import linked, with_link
from equiproof.verifier.logged import ForReceipt, Logged
from equiproof.verifier.policy import NoRanges, RangesWithin
from equiproof.verifier.programs import Checker, Choice, choose, known
from equiproof.verifier.steps import (
    check_label_and_radius,
    check_model,
    check_policy,
    disclosed,
    link_document,
    require_transcript,
    still_open,
    trusted_key,
)
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.unproven import Claim, refusals

_GAIN_CHECKS = (ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_GAIN_OF, ABOUT_GAIN, ABOUT_RADIUS)
"""The checks that policies make of a gain certificate, in the order in which those not made are listed."""

_DECISION_POLICIES = (NoRanges, RangesWithin, Logged, ForReceipt)
"""Policies about certificates of decisions only."""


@dataclass(frozen=True)
class VerifiedGain:
    """A gain certificate that passed every step; made by :class:`GainVerifier` only.

    `made` lists the checks that were made, `not_made` those that are left to you; `checker` is the program that checked
    the proof. `link_key` is the key of the link under a kept key.
    """

    statement: GainStatement
    spec: Spec
    key: KeyDocument
    reading: GainReading
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    checker: Checker
    link_key: LinkKeyDocument | None = None

    @property
    def identity(self) -> str:
        """The certificate's name: its statement digest. Anyone can re-randomise the proof's bytes."""
        return field.to_hex(self.statement.digest(self.key.shape))

    def document(self) -> dict[str, Any]:
        """Return what was verified as a JSON document; `radius` is what the file spells `radius_any`."""
        reading = self.reading
        statement = self.statement
        document = {
            "verdict": "verified",
            "certificate": self.identity,
            "statement": reading.sentence(statement.least_gain),
            "label": reading.label,
            "first": reading.first,
            "second": reading.second,
            "gain": reading.gain,
            "least_gain": str(statement.least_gain),
            "logit_fraction_bits": statement.logit_fraction_bits,
            "radius": reading.radius_any,
            "radius_grid": reading.radius,
            "radius_squared": statement.radius_squared,
            "features": reading.features,
            "model_commitment": field.to_hex(statement.model_commitment),
            "key_fingerprint": self.key.fingerprint,
            "setup": self.key.setup,
            "proof_system": self.key.proof_system,
            "checks_made": list(self.made),
            "checks_not_made": list(self.not_made),
            "checker": self.checker,
        }
        return document if self.link_key is None else document | {"link": link_document(self.link_key)}


class GainVerifier:
    """Verifies gain certificates about one committed model under trusted keys.

    `checker` selects the program that checks proofs: `native`, `python`, or by default `auto`, the native library where
    it is built. `link` is the one that the owner published for a kept key, whose certificates are refused without it.
    """

    def __init__(
        self,
        commitment: CommitmentDocument,
        keys: TrustStore,
        checker: Choice = "auto",
        link: LinkDocument | None = None,
    ) -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)
        self._link = link

    def verify(self, certificate: GainCertificate | bytes, policy: Policy) -> VerifiedGain:
        """Return what was verified, or raise.

        Raises CertificateFormatError for a file that is not a gain certificate (1), UntrustedKeyError, ProofError or
        PolicyError for one that is refused, and TypeError for anything but bytes or a parsed gain certificate, and for
        a policy about decisions. The `reason` of the first four is stable. BackendError means that nothing was
        verified: the native library failed, or was requested and is missing.
        """
        if isinstance(certificate, bytes):
            certificate = parse_gain(certificate, "gain certificate")
        if not isinstance(certificate, GainCertificate):
            raise TypeError(f"want a gain certificate's bytes, or it parsed, not {type(certificate).__name__}")
        _refuse_of_decisions(policy)
        statement = certificate.to_statement()
        spec = self._commitment.spec
        key = trusted_key(self._keys, certificate)
        self._check_statement(certificate, statement, key.document.shape)
        link = linked(statement, key, self._link, self._keys, self._commitment)
        reading = self._read(certificate)
        stated = with_link(statement, link)
        own = None if link is None else link.key
        facts = Facts(stated, spec, key.document, key.signatures, link_key=own)
        require_transcript(facts, policy)
        compared = say("gain.compares", first=values_in_words(reading.first), second=values_in_words(reading.second))
        made = check_policy(facts, policy, (compared,), disclosed(certificate))
        # The sentence has a number in the owner's unit, whatever the policy demands; a gain of 0 has none.
        unit = (ABOUT_UNIT,) if statement.least_gain else ()
        open_checks = still_open(facts, policy, (*_GAIN_CHECKS, *unit))
        checker = choose(self._checker)
        (refusal,) = refusals([Claim(facts, key, certificate.proof_bytes, link=link)], checker)
        if refusal is not None:
            raise refusal
        link_key = None if own is None else own.document
        return VerifiedGain(statement, spec, key.document, reading, made, open_checks, checker, link_key)

    def _check_statement(self, certificate: GainCertificate, statement: GainStatement, shape: Shape) -> None:
        """Recompute everything that follows from the trusted spec (3) to (6)."""
        spec = self._commitment.spec
        fields = certificate.statement
        check_model(statement, self._commitment)
        rows = len(spec.domain_table)
        if not (0 <= fields.first < rows and 0 <= fields.second < rows) or fields.first == fields.second:
            raise ProofError(
                say("gain.values_malformed", first=fields.first, second=fields.second, most=rows),
                Reason.UNKNOWN_VALUES,
            )
        if statement.domain_digest != pair_digest(spec, fields.first, fields.second):
            raise ProofError(
                say("certificate.gain_values_differ"),
                Reason.DOMAIN_DIFFERS,
            )
        if not fits_gain(shape, spec, shape.architecture.hidden):
            raise ProofError(say("key.shape_without_gains", shape=shape.name[:80]), Reason.SHAPE_DIFFERS)
        check_label_and_radius(statement, spec)
        # Beyond its width a gain would have the digest of another one, which may be proven.
        if not holds_gain(shape, statement.least_gain):
            raise ProofError(say("gain.beyond_shape"), Reason.GAIN_TOO_LARGE)
        if shown_gain(spec, statement.least_gain, statement.logit_fraction_bits) != statement.least_gain:
            raise ProofError(say("gain.no_level"), Reason.NOT_A_LEVEL)

    def _read(self, certificate: GainCertificate) -> GainReading:
        """Compare the certificate's words and units with those that follow from its numbers (7)."""
        reading = GainReading.of(self._commitment.spec, certificate.statement)
        if certificate.reading != reading:
            raise ProofError(say("certificate.words_differ"), Reason.WORDS_DIFFER)
        return reading


def _refuse_of_decisions(policy: Policy) -> None:
    """Raise TypeError for a policy that is about decisions, alone or inside another."""
    for one in _within(policy):
        if isinstance(one, _DECISION_POLICIES):
            raise TypeError(say("policy.decision_policy_elsewhere", policy=type(one).__name__))


def _within(policy: Policy) -> Iterator[Policy]:
    """Yield the policies of which one is made, itself where it is a single one."""
    if isinstance(policy, AllOf | AnyOf):
        for one in policy.policies:
            yield from _within(one)
    else:
        yield policy
