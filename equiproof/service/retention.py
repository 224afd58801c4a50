"""Retention: when its time is over, personal data of a decision are erased, and what counts and proves stays.

What goes: the sealed data with salt and blinding, the lender's reference, whose application it was, counterexample,
letters, the words of an officer's reasons, kept answers to requests, bodies of webhooks, links. What stays: decision,
state and history, the receipt's digest with its log proof, and the certificate, which without the blinding is about
nobody in particular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import CursorResult, delete, or_, select, update
from sqlalchemy.orm import Session

from equiproof.service.links import DAY
from equiproof.service.settings import RetentionSettings
from equiproof.service.store.tables import (
    Allowance,
    Decision,
    Finding,
    Letter,
    Link,
    Outgoing,
    Override,
    Person,
    Request,
)

ERASURE_MARK = "(erased)"
"""What stands in the place of an override's reason."""


@dataclass(frozen=True)
class Purged:
    """How much was erased: whole decisions, letters, kept requests, webhooks that were sent, and links."""

    decisions: int = 0
    letters: int = 0
    requests: int = 0
    webhooks: int = 0
    links: int = 0


def purge(session: Session, retention: RetentionSettings, now: int) -> Purged:
    """Erase what is older than its kind may be; `now` is in microseconds since 1970. Repeating it does nothing more.

    A decision is erased whatever its state is: one that still waits then never gets a certificate. It is erased first,
    and then whatever there is of all erased ones: what another transaction wrote meanwhile goes the next time.
    """
    old = now - retention.applicant_days * DAY
    erased = update(Decision).where(Decision.received < old, Decision.erased.is_(None))
    decisions = _run(session, erased.values(sealed=None, reference=None, erased=now))
    # Those erased earlier too: another transaction may have written something about them since.
    gone = select(Decision.id).where(Decision.erased.is_not(None))
    late = or_(Letter.made < now - retention.letter_days * DAY, Letter.decision_id.in_(gone))
    _run(session, update(Finding).where(Finding.sealed.is_not(None), Finding.decision_id.in_(gone)).values(sealed=None))
    _run(session, delete(Person).where(Person.decision_id.in_(gone)))
    for table in (Override, Allowance):
        reasons = update(table).where(table.reason != ERASURE_MARK, table.decision_id.in_(gone))
        _run(session, reasons.values(reason=ERASURE_MARK))
    requests = now - retention.request_days * DAY
    return Purged(
        decisions=decisions,
        letters=_run(session, update(Letter).where(Letter.sealed.is_not(None), late).values(sealed=None)),
        links=_run(session, delete(Link).where(or_(Link.expires <= now, Link.decision_id.in_(gone)))),
        requests=_run(session, delete(Request).where(Request.created < requests)),
        webhooks=_run(session, delete(Outgoing).where(Outgoing.kind == "webhook", Outgoing.done < requests)),
    )


def _run(session: Session, statement: Any) -> int:
    """Run an update or a deletion; return how many rows it was about."""
    done = session.execute(statement, execution_options={"synchronize_session": "fetch"})
    return done.rowcount if isinstance(done, CursorResult) else 0
