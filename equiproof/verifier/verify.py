"""Verification for a relying party.

`Verifier.verify` accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of
the set-up kind and the proof system that the certificate states; where others took part in it, the policy says by what
it is trusted. (3) It names the trusted model commitment. (4) It states the spec digest that the verifier recomputes
from the trusted spec, (5) and the domain digest, recomputed over the full product of the sensitive values. (6) The
key's shape fits this spec; label and radius are in range; under a kept key there is a link of this key, commitment and
spec, whose own key is trusted, and the certificate shows what the link shows. (7) Its words and units follow from its
numbers. (8) It meets the policy, in what this asks of keys also with the link's. (9) The proofs hold: the link's under
its key, and the certificate's for the recomputed statement digest under the key, about the link's model.

The caller MUST get the commitment document from a source that is the same for every customer, and trust the key store,
or say by `pins` what came with the certificate itself. Of such a key no transcript is required, since what it says of
its set-up is nobody's word; that anybody could have made it is the first thing that was not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from equiproof.circuits import field
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.names import quoted
from equiproof.circuits.shape import Shape, follows
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement
from equiproof.circuits.tables import say
from equiproof.circuits.units import interval, radius_of_any
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.combined import each
from equiproof.verifier.documents import CommitmentDocument, KeyDocument, LinkKeyDocument, QueryDocument
from equiproof.verifier.errors import (
    CertificateFormatError,
    ProofError,
    Reason,
    VerificationError,
)
from equiproof.verifier.facts import (
    ABOUT_CONTEXT,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_RANGES,
    Facts,
    Pins,
    Policy,
    about_a_ball,
)
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.linked import linked, with_link
from equiproof.verifier.logged import ForReceipt, Logged
from equiproof.verifier.programs import Checker, Choice, choose, known
from equiproof.verifier.reading import Reading
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
from equiproof.verifier.unproven import Refused, Unproven, refusals
from equiproof.verifier.verify_box import VerifiedBox

_BOTH_PINS = Pins()


@dataclass(frozen=True)
class Verified:
    """A certificate that passed every step; made by :class:`Verifier` only.

    `made` lists the checks that were made, `not_made` those that are left to you, what is not pinned first; `checker`
    is the program that checked the proof. `key.setup` is the key's own word unless `pins.key`. `recourse` has the box
    certificates that came with it in a bundle and were verified too, by their names there. `link_key` is the key of the
    link under a kept key.
    """

    statement: Statement
    spec: Spec
    key: KeyDocument
    reading: Reading
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    checker: Checker
    pins: Pins
    recourse: tuple[tuple[str, VerifiedBox], ...] = ()
    link_key: LinkKeyDocument | None = None

    @property
    def identity(self) -> str:
        """The certificate's name: its statement digest. Anyone can re-randomise the proof's bytes."""
        return field.to_hex(self.statement.digest(self.key.shape))

    def intervals(self, query: QueryDocument) -> dict[str, str]:
        """Return, for each feature of an applicant's data, its value and the values among which it alone may move."""
        radius = radius_of_any(self.spec, self.statement.radius_squared)
        return {
            feature.name: interval(self.spec, feature, radius, query.features.get(feature.name))
            for feature in self.spec.plain_features
        }

    def document(self, query: QueryDocument | None = None) -> dict[str, Any]:
        """Return what was verified as a JSON document; `intervals` are those of `query`, None without one.

        The stated radius is called `radius` in all output; only the certificate file spells it `radius_any`. `setup` is
        None where the key is not pinned, so that nobody takes the word of a key that came with the certificate.
        `recourse` is there with a bundle that has one: its box certificates, each as its own verification has it.
        """
        reading = self.reading
        boxes = [{"name": name, **box.document()} for name, box in self.recourse]
        document = {
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
            "model_commitment": field.to_hex(self.statement.model_commitment),
            "key_fingerprint": self.key.fingerprint,
            "pinned": {"commitment": self.pins.commitment, "key": self.pins.key},
            "setup": self.key.setup if self.pins.key else None,
            "proof_system": self.key.proof_system,
            "checks_made": list(self.made),
            "checks_not_made": list(self.not_made),
            "checker": self.checker,
        }
        return document | self._link() | ({"recourse": boxes} if boxes else {})

    def _link(self) -> dict[str, Any]:
        """Return what the document says of a link, nothing without one."""
        if self.link_key is None:
            return {}
        return {"link": link_document(self.link_key, pinned=self.pins.key)}


def proven(certificates: Sequence[Unproven], checker: Choice = "auto", threads: int = 0) -> list[Verified | Refused]:
    """Check the proofs of certificates for their statement digests (9); raises as :func:`.unproven.refusals`.

    Returns for each certificate what was verified, or the error that :meth:`Verifier.verify` raises for it.
    """
    program = choose(checker)
    return [
        _verified(one, program) if refusal is None else refusal
        for one, refusal in zip(certificates, refusals(certificates, program, threads), strict=True)
    ]


def _verified(one: Unproven, checker: Checker) -> Verified:
    """Return a certificate whose proof holds."""
    facts = one.facts
    return Verified(
        about_a_ball(facts),
        facts.spec,
        facts.key,
        one.reading,
        one.made,
        one.not_made,
        checker,
        facts.pins,
        link_key=None if facts.link_key is None else facts.link_key.document,
    )


class Verifier:
    """Verifies certificates about one committed model under trusted keys.

    `checker` selects the program that checks proofs: `native`, `python`, or by default `auto`, the native library where
    it is built. `pins` says which of commitment and keys you have from elsewhere than the certificate; by default both.
    `link` is the one that the owner published for a kept key, whose certificates are refused without it.
    """

    def __init__(
        self,
        commitment: CommitmentDocument,
        keys: TrustStore,
        checker: Choice = "auto",
        pins: Pins = _BOTH_PINS,
        link: LinkDocument | None = None,
    ) -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)
        self._pins = pins
        self.link = link

    def verify(self, certificate: Certificate | bytes, policy: Policy) -> Verified:
        """Return what was verified, or raise.

        Raises CertificateFormatError for a file that is not a certificate (1), UntrustedKeyError, ProofError or
        PolicyError for a certificate that is refused, and TypeError for anything but bytes or a parsed certificate.
        The `reason` of the first four is stable. BackendError means that nothing was verified: the native library
        failed, or was requested and is missing.
        """
        (verdict,) = proven([self.before_proof(certificate, policy)], self._checker)
        if isinstance(verdict, Verified):
            return verdict
        raise verdict

    def verify_many(
        self, certificates: Iterable[Certificate | bytes], policy: Policy, threads: int = 0
    ) -> list[Verified | Refused]:
        """Return for each certificate what :meth:`verify` returns for it, or the error that it raises.

        The native library checks proofs under one key together, on at most `threads` threads (0: one per core), in a
        fraction of the time. All certificates are held in memory. Raises TypeError and BackendError as :meth:`verify`:
        then nothing was verified.
        """
        outcomes: list[Unproven | Refused] = []
        for certificate in certificates:
            try:
                outcomes.append(self.before_proof(certificate, policy))
            except (CertificateFormatError, VerificationError) as error:
                outcomes.append(error.with_traceback(None))
        verdicts = iter(
            proven([outcome for outcome in outcomes if isinstance(outcome, Unproven)], self._checker, threads)
        )
        return [next(verdicts) if isinstance(outcome, Unproven) else outcome for outcome in outcomes]

    def before_proof(self, certificate: Certificate | bytes, policy: Policy) -> Unproven:
        """Take the steps (1) to (8): nothing is verified before :func:`proven`. Raises as :meth:`verify`."""
        if isinstance(certificate, bytes):
            certificate = parse_certificate(certificate, "certificate")
        if not isinstance(certificate, Certificate):
            raise TypeError(f"certificate: want its bytes or a parsed Certificate, not {type(certificate).__name__}")
        statement = certificate.to_statement()
        key = trusted_key(self._keys, certificate)
        self._check_statement(statement, key.document.shape)
        link = linked(statement, key, self.link, self._keys, self._commitment)
        reading = self._read(certificate, statement)
        link_key = None if link is None else link.key
        stated = with_link(statement, link)
        own = Facts(stated, self._commitment.spec, key.document, key.signatures, self._pins, link_key)
        facts = own.pinned_by(policy.covers)
        # Also of step (2), and here since it needs the facts: who made the key is for the policy to accept.
        require_transcript(facts, policy)
        made = check_policy(facts, policy, _covered(facts.spec), disclosed(certificate))
        return Unproven(facts, key, certificate.proof_bytes, reading, made, left_open(facts, policy), link=link)

    def _check_statement(self, statement: Statement, shape: Shape) -> None:
        """Recompute everything that follows from the trusted spec (3) to (6)."""
        spec = self._commitment.spec
        check_model(statement, self._commitment)
        if statement.domain_digest != _domain_digest(spec):
            raise ProofError(
                say("certificate.domain_differs"),
                Reason.DOMAIN_DIFFERS,
            )
        if shape.ranges != spec.use_ranges:
            raise ProofError(
                say("key.reach_differs", stated=_reach(shape.ranges), required=_reach(spec.use_ranges)),
                Reason.RANGES_DIFFER,
            )
        if not follows(shape, spec):
            raise ProofError(say("key.shape_unfit", shape=shape.name[:80]), Reason.SHAPE_DIFFERS)
        check_label_and_radius(statement, spec)

    def _read(self, certificate: Certificate, statement: Statement) -> Reading:
        """Compare the certificate's words and units with those that follow from its numbers (7)."""
        reading = Reading.of(self._commitment.spec, statement.label, statement.radius_squared)
        if certificate.reading != reading:
            raise ProofError(say("certificate.words_differ"), Reason.WORDS_DIFFER)
        return reading


@lru_cache(maxsize=4)
def _domain_digest(spec: Spec) -> int:
    """Return the digest of a spec's table of sensitive values: the same for every certificate of a model."""
    return domain_digest(spec)


def _covered(spec: Spec) -> list[str]:
    """Say whom a statement covers."""
    values = say("reading.covers_joint_values", count=len(spec.domain_table), features=_listed(spec))
    return [values, say("reading.covers_ranges_only")] if spec.use_ranges else [values]


def _reach(ranges: bool) -> str:
    """Write which neighbors a statement covers."""
    return say("reading.neighbors_inside_ranges") if ranges else say("reading.all_neighbors")


def _listed(spec: Spec) -> str:
    """Write the sensitive features with the values that the spec lists: other values were not proven."""
    return ", ".join(
        f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" for feature in spec.sensitive_features
    )


def left_open(facts: Facts, policy: Policy) -> tuple[str, ...]:
    """List the checks that the policy leaves open, of those that this certificate needs, and those of no policy.

    What is not pinned comes first: everything else is worth no more than it.
    """
    checks = [ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_RADIUS]
    if facts.spec.use_ranges:
        checks.append(ABOUT_RANGES)
    about_logs = [line for one in each(policy) if isinstance(one, Logged | ForReceipt) for line in one.still_open()]
    return still_open(facts, policy, checks, about_logs)
