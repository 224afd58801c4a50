"""Verification of box certificates for a relying party.

`BoxVerifier.verify` accepts one that passes the nine steps of :mod:`.verify`, of which these differ. (1) The file is
of its own kind. (5) The domain digest is that of the trusted spec's table, whatever its ranges are. (6) The key's shape
is of a relation of boxes under this spec; there is no radius. (8) The label and the opened box are those that were
given, and the box that the certificate discloses is its own; with a refusal the box is the one that the spec's rules
of change and the wishes say (:mod:`.pair`).

The caller MUST get the commitment document from a source that is the same for every customer, and trust the key store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from equiproof.circuits import field
from equiproof.circuits.commitment import table_digest
from equiproof.circuits.names import quoted
from equiproof.circuits.shape import Shape, follows_box
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.box import BoxCertificate, BoxReading, parse_box
from equiproof.verifier.combined import AllOf, AnyOf, UnsafeNoPolicy, each
from equiproof.verifier.documents import CommitmentDocument, KeyDocument
from equiproof.verifier.errors import ProofError, Reason
from equiproof.verifier.facts import (
    ABOUT_BOX,
    ABOUT_BOX_LABEL,
    ABOUT_CONTEXT,
    ABOUT_REFUSAL,
    Facts,
    Pins,
    Policy,
    about_a_box,
)
from equiproof.verifier.logged import BoxDated, Logged, Standing, shown_time
from equiproof.verifier.opened_box import OpenedBox
from equiproof.verifier.pair import Paired, Refusal, paired
from equiproof.verifier.policy import (
    ContextHas,
    CoversFeatures,
    ForContext,
    KeyIs,
    ModelIs,
    NotOlderThan,
    ProofSystemIs,
    SetupIs,
)
from equiproof.verifier.programs import Checker, Choice, choose, known
from equiproof.verifier.steps import check_label, check_model, check_policy, require_transcript, still_open, trusted_key
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.unproven import Claim, refusals

_POLICIES = (
    UnsafeNoPolicy, ForContext, ContextHas, NotOlderThan, CoversFeatures, ProofSystemIs, SetupIs, KeyIs, ModelIs,
    TranscriptIs, SignedBy, Logged,
)  # fmt: skip
"""The policies that judge a box certificate: none is about a radius, a query or a gain."""

_BOTH_PINS = Pins()


@dataclass(frozen=True)
class UnprovenBox(Claim):
    """A box certificate that passed every step but the last: nothing is known of its proof. `made` needs it too.

    `opened` is the box that was given, or that the certificate discloses, None for none; `dated` is as of
    :class:`VerifiedBox`.
    """

    reading: BoxReading
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    opened: OpenedBox | None
    dated: Standing | None
    pair: Paired | None


@dataclass(frozen=True)
class VerifiedBox:
    """A box certificate that passed every step; made by :class:`BoxVerifier` only.

    `made` lists the checks that were made, `not_made` those that are left to you; `checker` is the program that checked
    the proof. `ends` has the box in words by feature, where it was opened. `pair` has what it says together with a
    refusal, where one was given. `dated` is where the file's entry stands in a log, None where that was not asked for.
    `key.setup` is the key's own word unless `pins.key`.
    """

    statement: BoxStatement
    spec: Spec
    key: KeyDocument
    reading: BoxReading
    ends: dict[str, str] | None
    pair: Paired | None
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    checker: Checker
    pins: Pins
    dated: Standing | None = None

    @property
    def identity(self) -> str:
        """The certificate's name: its statement digest. Anyone can re-randomise the proof's bytes."""
        return field.to_hex(self.statement.digest(self.key.shape))

    def document(self) -> dict[str, Any]:
        """Return what was verified as a JSON document; `box` is null where it is unopened, `answer` without a pair."""
        return {
            "verdict": "verified",
            "certificate": self.identity,
            "statement": self.reading.sentence(),
            "label": self.reading.label,
            "sensitive": list(self.reading.sensitive),
            "box": self.ends,
            "answer": None if self.pair is None else self.pair.sentence,
            "dated": None if self.dated is None or self.dated.since is None else shown_time(self.dated.since),
            "model_commitment": field.to_hex(self.statement.model_commitment),
            "key_fingerprint": self.key.fingerprint,
            "setup": self.key.setup if self.pins.key else None,
            "proof_system": self.key.proof_system,
            "checks_made": list(self.made),
            "checks_not_made": list(self.not_made),
            "checker": self.checker,
        }


class BoxVerifier:
    """Verifies box certificates about one committed model under trusted keys.

    `checker` selects the program that checks proofs: `native`, `python`, or by default `auto`, the native library where
    it is built. `pins` says which of commitment and keys you have from elsewhere than the certificate; by default both.
    """

    def __init__(
        self, commitment: CommitmentDocument, keys: TrustStore, checker: Choice = "auto", pins: Pins = _BOTH_PINS
    ) -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)
        self._pins = pins

    def verify(
        self,
        certificate: BoxCertificate | bytes,
        policy: Policy,
        *,
        opened: OpenedBox | None = None,
        label: str | None = None,
        dated: BoxDated | None = None,
        refusal: Refusal | None = None,
    ) -> VerifiedBox:
        """Return what was verified, or raise.

        The certificate must be about the box `opened` and the `label`, by name, where they are given; what is not given
        is listed as left to you. With `dated`, a log must hold its file. With a `refusal` the opened box must be one
        that the spec's rules of change say for whom it is about. Raises CertificateFormatError for a file that is not a
        box certificate (1) and for an opened box that does not fit the spec, UntrustedKeyError, ProofError or
        PolicyError for one that is refused, and TypeError for anything but bytes or a parsed box certificate, for a
        policy about something else, and for a refusal without an opened box. The `reason` of the first four is stable.
        BackendError means that nothing was verified.
        """
        one = self.before_proof(certificate, policy, opened=opened, label=label, dated=dated, refusal=refusal)
        checker = choose(self._checker)
        (failed,) = refusals([one], checker)
        if failed is not None:
            raise failed
        facts, spec = one.facts, self._commitment.spec
        ends = None if one.opened is None else one.opened.sentences(spec)
        statement = about_a_box(facts)
        found = (one.pair, one.made, one.not_made, checker, facts.pins, one.dated)
        return VerifiedBox(statement, spec, facts.key, one.reading, ends, *found)

    def before_proof(
        self,
        certificate: BoxCertificate | bytes,
        policy: Policy,
        *,
        opened: OpenedBox | None = None,
        label: str | None = None,
        dated: BoxDated | None = None,
        refusal: Refusal | None = None,
    ) -> UnprovenBox:
        """Take the steps (1) to (8): nothing is verified before the proof is checked. Raises as :meth:`verify`."""
        if isinstance(certificate, bytes):
            certificate = parse_box(certificate, "box certificate")
        if not isinstance(certificate, BoxCertificate):
            raise TypeError(f"want a box certificate's bytes, or it parsed, not {type(certificate).__name__}")
        _refuse_others(policy)
        statement, spec = certificate.to_statement(), self._commitment.spec
        key = trusted_key(self._keys, certificate)
        self._check_statement(statement, key.document.shape)
        reading = BoxReading.of(spec, statement.label)
        if certificate.reading != reading:
            raise ProofError(say("certificate.words_differ"), Reason.WORDS_DIFFER)
        facts = Facts(statement, spec, key.document, key.signatures, self._pins).pinned_by(policy.covers)
        require_transcript(facts, policy)
        compared = self._compared(certificate, statement, opened, label)
        shown = opened or certificate.box
        if refusal is not None and shown is None:
            raise TypeError(say("pair.box_missing"))
        pair = None if refusal is None or shown is None else paired(spec, statement, shown, refusal)
        place = None if dated is None else dated.judge(certificate.to_bytes())
        made = (*check_policy(facts, policy, (_covered(spec),)), *compared, *(() if pair is None else pair.made))
        if dated is not None and place is not None:
            made = (*made, dated.made(place))
        # A refusal that holds says which label is asked about, and in which context.
        is_held = refusal is not None and refusal.holds
        given = {
            ABOUT_BOX: opened is not None,
            ABOUT_BOX_LABEL: label is not None or is_held,
            ABOUT_REFUSAL: refusal is None or is_held,
            ABOUT_CONTEXT: is_held,
        }
        left = tuple(check for check, is_given in given.items() if not is_given)
        about_logs = [line for one in each(policy) if isinstance(one, Logged) for line in one.still_open()]
        open_checks = still_open(facts, policy, left, about_logs)
        return UnprovenBox(facts, key, certificate.proof_bytes, reading, made, open_checks, shown, place, pair)

    def _check_statement(self, statement: BoxStatement, shape: Shape) -> None:
        """Recompute everything that follows from the trusted spec (3) to (6)."""
        spec = self._commitment.spec
        check_model(statement, self._commitment)
        if statement.domain_digest != table_digest(spec):
            raise ProofError(say("certificate.domain_differs"), Reason.DOMAIN_DIFFERS)
        if not follows_box(shape, spec):
            raise ProofError(say("key.shape_without_boxes", shape=shape.name[:80]), Reason.SHAPE_DIFFERS)
        check_label(statement, spec)

    def _compared(
        self, certificate: BoxCertificate, statement: BoxStatement, opened: OpenedBox | None, label: str | None
    ) -> list[str]:
        """Compare the label and the box with those that were given, and with what the certificate discloses (8)."""
        spec, made = self._commitment.spec, []
        stated = spec.labels[statement.label]
        if label is not None:
            if label != stated:
                required = repr(plain(label)[:40])
                raise ProofError(say("box.label_differs", stated=quoted(stated), required=required), Reason.OTHER_BOX)
            made.append(say("checked.box_label", label=quoted(label)))
        sources = ((opened, say("box.file")), (certificate.box, say("present.certificate_itself")))
        for box, source in sources:
            if box is None:
                continue
            if box.commitment(spec) != statement.box_commitment:
                raise ProofError(say("box.differs", source=source), Reason.OTHER_BOX)
            made.append(say("checked.box", source=source))
        return made


def _covered(spec: Spec) -> str:
    """Say which sensitive values a statement covers."""
    features = ", ".join(
        f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" for feature in spec.sensitive_features
    )
    return say("reading.covers_joint_values", count=len(spec.domain_table), features=features)


def _refuse_others(policy: Policy) -> None:
    """Raise TypeError for a policy that is not about boxes, alone or inside another."""
    for one in _within(policy):
        if not isinstance(one, _POLICIES):
            raise TypeError(say("policy.not_of_boxes", policy=type(one).__name__))


def _within(policy: Policy) -> Iterator[Policy]:
    """Yield the policies of which one is made, itself where it is a single one."""
    if isinstance(policy, AllOf | AnyOf):
        for one in policy.policies:
            yield from _within(one)
    else:
        yield policy
