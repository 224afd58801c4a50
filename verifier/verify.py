"""Verification for a relying party.

`Verifier.verify` accepts a certificate that passes nine steps. (1) It parses strictly. (2) Its key is trusted, and of
the set-up kind and the proof system that the certificate states; where others took part in it, the policy says by what
it is trusted. (3) It names the trusted model commitment. (4) It states the spec digest that the verifier recomputes
from the trusted spec, (5) and the domain digest, recomputed over the full product of the sensitive values. (6) The
key's shape fits this spec; label and radius are in range. (7) Its words and units follow from its numbers. (8) It meets
the policy. (9) The proof holds for the recomputed statement digest under the key.

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
from equiproof.circuits.text import plain
from equiproof.circuits.units import interval, radius_of_any
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.combined import each
from equiproof.verifier.documents import CommitmentDocument, KeyDocument, QueryDocument
from equiproof.verifier.errors import (
    CertificateFormatError,
    ProofError,
    Reason,
    UntrustedKeyError,
    VerificationError,
)
from equiproof.verifier.facts import (
    ABOUT_COMMITMENT,
    ABOUT_CONTEXT,
    ABOUT_FOUND_CONTEXT,
    ABOUT_FOUND_QUERY,
    ABOUT_KEY,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_RANGES,
    ABOUT_SAME,
    ABOUT_SETUP,
    ABOUT_TRANSCRIPT,
    Facts,
    Pins,
    Policy,
)
from equiproof.verifier.logged import ForReceipt, Logged
from equiproof.verifier.policy import ForQuery
from equiproof.verifier.programs import Checker, Choice, choose, known
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey, TrustStore
from equiproof.verifier.unproven import Refused, Unproven, refusals

ABOUT_USE = "that the owner decides with this model"
ALWAYS_LEFT_TO_YOU = (
    f"{ABOUT_SAME}, and decides with this model",
    "that the other features are not proxies for the sensitive ones, and that the spec's units are right",
)

ABOUT_LOSS = (
    "that the committed integers decide as the owner's model does: the owner states that rounding the model to "
    "integers may have changed it (allow_loss in the spec)"
)

_PINNED = Pins()

_FOUND = {ABOUT_QUERY: ABOUT_FOUND_QUERY, ABOUT_CONTEXT: ABOUT_FOUND_CONTEXT}
"""What stays open of a check where the file that it is made with came with the certificate itself."""

_NAME, _NAMES = 64, 8
"""The longest name of a contributor, and how many of them are shown."""

_ONLY_INSIDE = "it covers neighbors inside the spec's ranges, and no others"


@dataclass(frozen=True)
class Verified:
    """A certificate that passed every step; made by :class:`Verifier` only.

    `made` lists the checks that were made, `not_made` those that are left to you, what is not pinned first; `checker`
    is the program that checked the proof. `key.setup` is the key's own word unless `pins.key`.
    """

    statement: Statement
    spec: Spec
    key: KeyDocument
    reading: Reading
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    checker: Checker
    pins: Pins

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

        The stated radius is called `radius` in all output; only the certificate file spells it `radius_any`. `setup` is
        None where the key is not pinned, so that nobody takes the word of a key that came with the certificate.
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
            "model_commitment": field.to_hex(self.statement.model_commitment),
            "key_fingerprint": self.key.fingerprint,
            "pinned": {"commitment": self.pins.commitment, "key": self.pins.key},
            "setup": self.key.setup if self.pins.key else None,
            "proof_system": self.key.proof_system,
            "checks_made": list(self.made),
            "checks_not_made": list(self.not_made),
            "checker": self.checker,
        }


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
    return Verified(facts.statement, facts.spec, facts.key, one.reading, one.made, one.not_made, checker, facts.pins)


class Verifier:
    """Verifies certificates about one committed model under trusted keys.

    `checker` selects the program that checks proofs: `native`, `python`, or by default `auto`, the native library where
    it is built. `pins` says which of commitment and keys you have from elsewhere than the certificate; by default both.
    """

    def __init__(
        self, commitment: CommitmentDocument, keys: TrustStore, checker: Choice = "auto", pins: Pins = _PINNED
    ) -> None:
        self._commitment = commitment
        self._keys = keys
        self._checker = known(checker)
        self._pins = pins

    def verify(self, certificate: Certificate | bytes, policy: Policy) -> Verified:
        """Return what was verified, or raise.

        Raises CertificateFormatError for a file that is not a certificate (1), UntrustedKeyError, ProofError or
        PolicyError for a certificate that is refused, and TypeError for anything but bytes or a parsed certificate.
        The `reason` of the first four is stable. BackendError means that nothing was verified: the native library
        failed, or was requested and is missing.
        """
        (found,) = proven([self.before_proof(certificate, policy)], self._checker)
        if isinstance(found, Verified):
            return found
        raise found

    def verify_many(
        self, certificates: Iterable[Certificate | bytes], policy: Policy, threads: int = 0
    ) -> list[Verified | Refused]:
        """Return for each certificate what :meth:`verify` returns for it, or the error that it raises.

        The native library checks proofs under one key together, on at most `threads` threads (0: one per core), in a
        fraction of the time. All certificates are held in memory. Raises TypeError and BackendError as :meth:`verify`:
        then nothing was verified.
        """
        found: list[Unproven | Refused] = []
        for certificate in certificates:
            try:
                found.append(self.before_proof(certificate, policy))
            except (CertificateFormatError, VerificationError) as error:
                found.append(error.with_traceback(None))
        verdicts = iter(proven([one for one in found if isinstance(one, Unproven)], self._checker, threads))
        return [next(verdicts) if isinstance(one, Unproven) else one for one in found]

    def before_proof(self, certificate: Certificate | bytes, policy: Policy) -> Unproven:
        """Take the steps (1) to (8): nothing is verified before :func:`proven`. Raises as :meth:`verify`."""
        if isinstance(certificate, bytes):
            certificate = parse_certificate(certificate, "certificate")
        if not isinstance(certificate, Certificate):
            raise TypeError(f"certificate: want its bytes or a parsed Certificate, not {type(certificate).__name__}")
        statement, spec = certificate.to_statement(), self._commitment.spec
        key = self._key(certificate)
        self._check_statement(statement, key.document.shape)
        reading = self._read(certificate, statement)
        facts = Facts(statement, spec, key.document, key.signatures, self._pins.by(policy.covers))
        _require_transcript(facts, policy)
        made = self._check_policy(certificate, facts, policy)
        return Unproven(facts, key, reading, made, left_open(facts, policy), certificate.proof_bytes)

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
        spec_digest, table_digest = _digests(spec)
        if statement.spec_digest != spec_digest:
            raise ProofError(
                "the certificate was made under another spec than the commitment file's", Reason.SPEC_DIFFERS
            )
        if statement.domain_digest != table_digest:
            raise ProofError(
                "the certificate was made for other values of the sensitive features than the spec's",
                Reason.DOMAIN_DIFFERS,
            )
        if shape.ranges != spec.use_ranges:
            raise ProofError(
                f"the key proves {_reach(shape.ranges)}, the spec requires {_reach(spec.use_ranges)}",
                Reason.RANGES_DIFFER,
            )
        if not follows(shape, spec):
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
        disclosed = () if certificate.query is None else (ForQuery(certificate.query, "the certificate itself"),)
        return (
            f"the proof holds under {_key_in_words(facts)}",
            "it is about the committed model and its public spec"
            if facts.pins.commitment
            else "it is about the model and the spec of the commitment that came with it",
            f"it covers all {len(facts.spec.domain_table)} joint values of {_listed(facts.spec)}, and no others",
            *([_ONLY_INSIDE] if facts.spec.use_ranges else []),
            *policy.check(facts),
            *(line for shown in disclosed for line in shown.check(facts)),
        )


@lru_cache(maxsize=4)
def _digests(spec: Spec) -> tuple[int, int]:
    """Return the digests of a spec and of its table of sensitive values: the same for every certificate of a model."""
    return spec.digest, domain_digest(spec)


def _require_transcript(facts: Facts, policy: Policy) -> None:
    """Refuse a key of others unless the policy names its transcript or signers (2): metadata is anybody's word.

    A key that is not pinned is treated as one that its sender may have made, so what it says of others is not needed.
    """
    if facts.pins.key and facts.key.setup != "single-party" and ABOUT_TRANSCRIPT not in policy.covers:
        raise UntrustedKeyError(
            f"a {facts.key.maker} made the key: name the digest of its transcript that you checked "
            "(--transcript), or signers that you trust to have checked it (--signed-by)",
            Reason.NO_TRANSCRIPT,
        )


def _key_in_words(facts: Facts) -> str:
    """Write which key it is; of one that came with the certificate, not what it says of its set-up."""
    key, name = facts.key, f"{facts.key.fingerprint[:16]}..."
    if facts.pins.key:
        return f"the trusted key {name} (set-up: {key.setup}, proof system: {key.proof_system})"
    return f"the key {name}, which came with the certificate (proof system: {key.proof_system})"


def _reach(ranges: bool) -> str:
    """Write which neighbors a statement covers."""
    return "statements about neighbors inside ranges only" if ranges else "statements about all neighbors"


def _listed(spec: Spec) -> str:
    """Write the sensitive features with the values that the spec lists: other values were not proven."""
    return ", ".join(
        f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" for feature in spec.sensitive_features
    )


def left_open(facts: Facts, policy: Policy) -> tuple[str, ...]:
    """List the checks that the policy leaves open, of those that this certificate needs, and those of no policy.

    What is not pinned comes first: everything else is worth no more than it.
    """
    pins, covered = facts.pins, policy.covers
    needed = [ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_RADIUS]
    if facts.spec.use_ranges:
        needed.append(ABOUT_RANGES)
    if facts.key.setup == "single-party":
        needed.append(ABOUT_SETUP)
    return (
        *((ABOUT_COMMITMENT,) if not pins.commitment else ()),
        *((ABOUT_KEY,) if not pins.key else ()),
        *(_FOUND[check] if _FOUND.get(check) in covered else check for check in needed if check not in covered),
        *(_contributors(facts.key) if pins.key else ()),
        *((ABOUT_LOSS,) if facts.spec.allow_loss else ()),
        *(line for one in each(policy) if isinstance(one, Logged | ForReceipt) for line in one.still_open()),
        *((ABOUT_USE, *ALWAYS_LEFT_TO_YOU[1:]) if ABOUT_SAME in covered else ALWAYS_LEFT_TO_YOU),
    )


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
