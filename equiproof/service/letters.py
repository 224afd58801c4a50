"""The letter of a decision: made once, kept sealed with its digest, and then the same bytes for everybody who asks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy.orm import Session

from equiproof.circuits import field as elements
from equiproof.circuits.names import complaint
from equiproof.circuits.statement import Statement
from equiproof.service.bundled import key_of
from equiproof.service.corrections import replaced
from equiproof.service.decisions import MICROSECONDS, Sealed, opened, stated
from equiproof.service.leaving import Left, interval
from equiproof.service.links import address, make_link
from equiproof.service.models import CommittedModel
from equiproof.service.policy import REVIEW_REASON, HeldError, may_leave, released_at
from equiproof.service.settings import Settings
from equiproof.service.states import WAITING_STATES
from equiproof.service.store.tables import Decision, Letter
from equiproof.service.vault import Vault
from equiproof.verifier.answer import Findings, KeyMaking, Pinned
from equiproof.verifier.letter import Sender, Without, letter, plain_letter
from equiproof.verifier.trust import TrustedKey

ERASURE_REASON = "the applicant's data have been erased, and the letter with them"


@dataclass(frozen=True)
class _CertificateName:
    """A certificate that was verified before it was kept, as a letter names it."""

    identity: str
    statement: Statement


def letter_of(
    session: Session, model: CommittedModel, view: Left, vault: Vault, language: str, settings: Settings
) -> bytes:
    """Return the letter of a decision, as it has left, as one HTML page.

    The first one in a language is kept, and holds a link of its own where the service's public address is https. A
    page without a certificate is not kept; after a person's decision it says that a person decided, and no more.
    Raises HeldError where the policy holds the letter and where the data have been erased, LetterError for words that
    no letter can hold, ValueError for an unknown language, VaultError.
    """
    decision = view.decision
    person = view.person
    certificate = view.certificate(session)
    may_leave(view.state, decision.label, certificate, settings.policy, person is not None)
    if (row := session.get(Letter, (decision.id, language))) is None:
        # Of two who ask for the first one at once, the other waits here and then finds it.
        session.refresh(decision, with_for_update=True)
        row = session.get(Letter, (decision.id, language))
    if row is not None and row.sealed is not None:
        return vault.open(row.sealed, about(decision.id, language))
    if row is not None or (sealed := opened(decision, vault)) is None:
        raise HeldError(ERASURE_REASON)
    if certificate is None or person is not None:
        label = model.spec.labels_in(language)[person.label if person else _label(decision)]
        why: Without = "person" if person else "not-yet" if view.state in WAITING_STATES else "none"
        return plain_letter(label, sender_of(session, decision, settings), language, why=why).encode()
    link = _link(session, view, settings)
    key = key_of(session, model, certificate)
    statement = stated(decision, certificate, sealed)
    page = _certified(statement, key, sealed, model, sender_of(session, decision, settings, link), language)
    session.add(
        Letter(
            decision_id=decision.id,
            language=language,
            sealed=vault.seal(page, about(decision.id, language)),
            digest=hashlib.sha256(page).hexdigest(),
            made=certificate.made,
        )
    )
    session.flush()
    return page


def about(decision_id: str, language: str) -> str:
    """Return what the box of a letter is about: another one opens in no place but its own."""
    return f"{decision_id} letter {language}"


def _certified(
    statement: Statement, key: TrustedKey, sealed: Sealed, model: CommittedModel, sender: Sender, language: str
) -> bytes:
    """Return the page about a certificate, from what was checked before it was kept."""
    findings = Findings(
        spec=model.spec,
        label=statement.label,
        radius_squared=statement.radius_squared,
        key=KeyMaking.of(key.document),
        pins=Pinned(None, key=False),
        query=sealed.query.features,
        query_found=True,
        context=sealed.context,
        context_found=True,
    )
    identity = elements.to_hex(statement.digest(key.document.shape))
    return letter(_CertificateName(identity, statement), findings, sender, language).encode()


def sender_of(session: Session, decision: Decision, settings: Settings, link: str = "") -> Sender:
    """Return who writes about what; a reference that could mislead on paper is left out."""
    reference = decision.reference or ""
    before = replaced(session, decision.id)
    return Sender(
        name=settings.lender.name,
        day=_day(decision),
        reference="" if reference and complaint(reference) else reference,
        link=link,
        replaces=None if before is None else _day(before),
        corrections=settings.lender.corrections,
        automated=settings.lender.automated,
        review=settings.lender.review,
    )


def _day(decision: Decision) -> date:
    return datetime.fromtimestamp(decision.received // MICROSECONDS, UTC).date()


def _link(session: Session, view: Left, settings: Settings) -> str:
    """Return a new link that lives from when the certificate leaves, or none where the page is not served by https."""
    if not settings.public_url.startswith("https://"):
        return ""
    decision = view.decision
    at = released_at(decision.received, view.changes[-1].at, interval(settings.policy))
    token = make_link(session, decision.id, at, settings.retention.link_days)
    return address(settings.public_url, token)


def _label(decision: Decision) -> int:
    """Return the model's label; raises HeldError where a person must give it."""
    if decision.label is None:
        raise HeldError(REVIEW_REASON)
    return decision.label
