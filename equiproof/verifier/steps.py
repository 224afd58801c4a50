"""The steps of a verification that certificates and gain certificates share, and what is left open in words.

Steps are numbered as in :mod:`.verify` and :mod:`.verify_gain`, which take them in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from equiproof.circuits import field
from equiproof.circuits.levels import shown
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Stated, Statement
from equiproof.circuits.tables import in_language, say
from equiproof.circuits.text import plain
from equiproof.verifier.certificate import KeyedFile, ProofFile
from equiproof.verifier.documents import CommitmentDocument, KeyDocument, LinkKeyDocument
from equiproof.verifier.errors import ProofError, Reason, UntrustedKeyError
from equiproof.verifier.facts import (
    ABOUT_COMMITMENT,
    ABOUT_CONTEXT,
    ABOUT_FOUND_CONTEXT,
    ABOUT_FOUND_QUERY,
    ABOUT_KEY,
    ABOUT_LINK_KEY,
    ABOUT_LOSS,
    ABOUT_QUERY,
    ABOUT_SAME,
    ABOUT_SETUP,
    ABOUT_TRANSCRIPT,
    ABOUT_USE,
    ALWAYS_LEFT_TO_YOU,
    Facts,
    Pins,
    Policy,
    about_monotone,
)
from equiproof.verifier.policy import ForQuery
from equiproof.verifier.trust import TrustedKey, TrustStore

_WEAKER_CHECKS = {ABOUT_QUERY: ABOUT_FOUND_QUERY, ABOUT_CONTEXT: ABOUT_FOUND_CONTEXT}
"""What stays open of a check where the file that it is made with came with the certificate itself."""

_LONGEST_NAME = 64
"""How many characters of a contributor's name are shown: the names are text of others."""

_MOST_NAMES = 8
"""How many contributors are named."""


def trusted_key(keys: TrustStore, file: KeyedFile) -> TrustedKey:
    """Return the trusted key that a file names (2)."""
    key = keys.find(file.key.fingerprint)
    if key.document.setup != file.key.setup:
        raise UntrustedKeyError(
            say("certificate.setup_differs", stated=file.key.setup, actual=key.document.setup),
            Reason.SETUP_DIFFERS,
        )
    if key.document.proof_system != file.proof_system:
        raise UntrustedKeyError(
            say("certificate.proof_system_differs", stated=file.proof_system, actual=key.document.proof_system),
            Reason.PROOF_SYSTEM_DIFFERS,
        )
    return key


def require_transcript(facts: Facts, policy: Policy) -> None:
    """Refuse a key of others unless the policy names its transcript or signers (2): metadata is anybody's word.

    A key that is not pinned is treated as one that its sender may have made, so what it says of others is not needed.
    """
    if not facts.pins.key or ABOUT_TRANSCRIPT in policy.covers:
        return
    for key, _ in facts.keys:
        if key.setup != "single-party":
            raise UntrustedKeyError(say("policy.key_of_others", maker=key.maker), Reason.NO_TRANSCRIPT)


def check_model(statement: Stated, commitment: CommitmentDocument) -> None:
    """Compare with the trusted commitment (3) and its spec (4)."""
    if field.to_hex(statement.model_commitment) != commitment.model_commitment:
        raise ProofError(say("certificate.model_differs"), Reason.MODEL_DIFFERS)
    if statement.spec_digest != _spec_digest(commitment.spec):
        raise ProofError(say("certificate.spec_differs"), Reason.SPEC_DIFFERS)


@lru_cache(maxsize=4)
def _spec_digest(spec: Spec) -> int:
    """Return the digest of a spec: the same for every certificate of a model."""
    return spec.digest


def check_label(statement: Stated, spec: Spec) -> None:
    """Refuse a label that the spec lacks (6)."""
    if not 0 <= statement.label < len(spec.labels):
        raise ProofError(
            say("certificate.label_unknown", label=statement.label, count=len(spec.labels)), Reason.UNKNOWN_LABEL
        )


def check_label_and_radius(statement: Statement, spec: Spec) -> None:
    """Refuse a label that the spec lacks, and a radius above the largest one or that is no level of the spec (6)."""
    check_label(statement, spec)
    if not 0 <= statement.radius_squared <= spec.max_radius_squared:
        raise ProofError(say("certificate.radius_too_large"), Reason.RADIUS_TOO_LARGE)
    if shown(spec, statement.radius_squared) != statement.radius_squared:
        raise ProofError(say("certificate.radius_no_level"), Reason.NOT_A_LEVEL)


def disclosed(file: ProofFile) -> tuple[Policy, ...]:
    """Return the policy that a file's own query is the one that it is about; none where it discloses none."""
    return () if file.query is None else (ForQuery(file.query, say("present.certificate_itself")),)


def check_policy(facts: Facts, policy: Policy, about: Sequence[str], own: Sequence[Policy] = ()) -> tuple[str, ...]:
    """Check the statement against the policy, and what the file itself discloses by policies of its `own` (8).

    Returns the checks made; `about` says whom and what the statement covers.
    """
    link = (
        () if facts.link_key is None else (say("checked.link", key=_key_in_words(facts.link_key.document, facts.pins)),)
    )
    return (
        say("checked.proof", key=_key_in_words(facts.key, facts.pins)),
        *link,
        say("reading.about_committed_model") if facts.pins.commitment else say("reading.about_model_that_came"),
        *about,
        *policy.check(facts),
        *(line for shown in own for line in shown.check(facts)),
    )


def link_document(key: LinkKeyDocument, *, pinned: bool = True) -> dict[str, Any]:
    """Return what the document of a verified certificate says of its link; of a set-up nothing unless it is pinned."""
    return {"key_fingerprint": key.fingerprint, "setup": key.setup if pinned else None}


def _key_in_words(key: KeyDocument | LinkKeyDocument, pins: Pins) -> str:
    """Write which key it is; of one that came with the certificate, not what it says of its set-up."""
    name = f"{key.fingerprint[:16]}..."
    if pins.key:
        return say("checked.trusted_key", name=name, setup=key.setup, proof_system=key.proof_system)
    return say("checked.key_that_came", name=name, proof_system=key.proof_system)


def still_open(facts: Facts, policy: Policy, checks: Sequence[str], others: Sequence[str] = ()) -> tuple[str, ...]:
    """List the checks that the policy leaves open, of those `checks`, and those of no policy; `others` before these.

    What is not pinned comes first: everything else is worth no more than it.
    """
    pins = facts.pins
    covered_checks = policy.covers
    if any(key.setup == "single-party" for key, _ in facts.keys):
        checks = [*checks, ABOUT_SETUP]
    open_checks = (
        _WEAKER_CHECKS[check] if _WEAKER_CHECKS.get(check) in covered_checks else check
        for check in checks
        if check not in covered_checks
    )
    unpinned = [*([ABOUT_COMMITMENT] if not pins.commitment else []), *_unpinned_keys(facts, covered_checks)]
    same = say("unproven.about_same", sentence=in_language(ABOUT_SAME))
    return (
        *map(in_language, (*unpinned, *open_checks)),
        *(line for key, _ in facts.keys if pins.key for line in _contributors(key)),
        *((in_language(ABOUT_LOSS),) if facts.spec.allow_loss else ()),
        *about_monotone(facts.spec),
        *others,
        in_language(ABOUT_USE) if ABOUT_SAME in covered_checks else same,
        *map(in_language, ALWAYS_LEFT_TO_YOU[1:]),
    )


def _unpinned_keys(facts: Facts, covered: frozenset[str]) -> list[str]:
    """Name the keys that nobody pinned: one that a policy names is pinned, and does not pin the other."""
    about = [ABOUT_KEY, *([ABOUT_LINK_KEY] if facts.link_key is not None else [])]
    return [] if facts.pins.key else [check for check in about if check not in covered]


def _contributors(key: KeyDocument | LinkKeyDocument) -> tuple[str, ...]:
    """List what no transcript shows of those who made a key."""
    if not isinstance(key.powers, msgspec.UnsetType):
        powers = key.powers
        forgot = say("unproven.powers_contributors")
    elif not isinstance(key.ceremony, msgspec.UnsetType):
        powers = key.ceremony.powers
        names = [plain(text.partition("+")[0])[:_LONGEST_NAME] for text in key.ceremony.signers]
        more = f" {say('word.more', count=len(names) - _MOST_NAMES)}" if len(names) > _MOST_NAMES else ""
        shown = ", ".join(names[:_MOST_NAMES]) + more
        forgot = say("unproven.ceremony_contributors", contributors=shown)
    else:
        return ()
    if powers.origin == "ceremony":
        return (forgot,)
    return (
        forgot,
        say("unproven.imported_powers", digest=plain(powers.source)[:_LONGEST_NAME]),
    )
