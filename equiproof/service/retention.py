"""Retention: when its time is over, personal data of a decision are erased, and what counts and proves stays.

What goes: the sealed data with salt and blinding, the lender's reference, whose application it was, counterexample,
recourse with its boxes, letters, the words of officers' reasons and answers and of requests for correction, kept
answers to requests, rows of the outbox, links. What stays: decision, state and history, the receipt's digest with its
log proof, the certificate, which without the blinding is about nobody in particular, and how many ways were handed out.

What an operator holds is not erased until the day of the hold, and one decision can be erased before its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, CursorResult, Delete, Select, delete, func, or_, select, tuple_, update
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.links import DAY
from equiproof.service.overrides import MAX_REASON, checked
from equiproof.service.settings import RetentionSettings
from equiproof.service.store.database import Database
from equiproof.service.store.tables import (
    Allowance,
    Correction,
    CorrectionRequest,
    Decision,
    Erasure,
    Finding,
    Hold,
    Letter,
    Link,
    Outgoing,
    Override,
    Person,
    Recourse,
    RecourseLetter,
    Request,
)

ERASURE_MARK = "(erased)"
"""What stands in the place of what people wrote."""

TOGETHER = 5000
"""How many rows are deleted in one transaction: in less time than others wait for their turn."""


class RetentionError(ValueError):
    """What is not erased, or not held; one line that says what to do."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Purged:
    """How much was erased: whole decisions, letters, and links."""

    decisions: int = 0
    letters: int = 0
    links: int = 0


@dataclass(frozen=True)
class Cleared:
    """How much of what has served its purpose was deleted: kept answers to requests, and rows of the outbox."""

    requests: int = 0
    messages: int = 0


def purge(session: Session, retention: RetentionSettings, now: int) -> Purged:
    """Erase what is older than its kind may be; `now` is in microseconds since 1970. Repeating it does nothing more.

    A decision is erased whatever its state is: one that still waits then never gets a certificate
    (:mod:`equiproof.service.purging` refuses that first). It is erased first, and then whatever there is of all erased
    ones: what another transaction wrote meanwhile goes the next time.
    """
    decisions = _erased(session, is_due(retention, now), now)
    _run(
        session, delete(Person).where(Person.at < now - retention.applicant_days * DAY, Person.decision_id.in_(_gone()))
    )
    before = now - retention.letter_days * DAY
    return Purged(
        decisions=decisions,
        letters=_cleared(session, before, now),
        links=_run(session, delete(Link).where(or_(Link.expires <= now, Link.decision_id.in_(_gone())))),
    )


def clear(database: Database, retention: RetentionSettings, now: int, most: int = TOGETHER) -> Cleared:
    """Delete kept answers and what was sent, some at a time, so that decisions go on meanwhile; cut off, it goes on.

    What the log and the endpoints have taken is in the log's proofs and at the endpoints; what waits for them stays.
    Raises UnavailableError.
    """
    old = now - retention.request_days * DAY
    answers = select(Request.client, Request.key).where(Request.created < old).limit(most)
    sent = select(Outgoing.id).where(Outgoing.done < old).limit(most)
    return Cleared(
        requests=_in_turns(database, delete(Request).where(tuple_(Request.client, Request.key).in_(answers)), most),
        messages=_in_turns(database, delete(Outgoing).where(Outgoing.id.in_(sent)), most),
    )


def _in_turns(database: Database, deletion: Delete, most: int) -> int:
    """Run a deletion of up to `most` rows again and again, each in a transaction; return how many rows went."""
    total = 0
    while True:
        with database.transaction() as session:
            total += (count := _run(session, deletion))
        if count < most:
            return total


def is_due(retention: RetentionSettings, now: int) -> ColumnElement[bool]:
    """Return the condition that a decision's time is over, and that it is not held."""
    old = now - retention.applicant_days * DAY
    return (Decision.received < old) & Decision.erased.is_(None) & Decision.id.not_in(held(now))


def held(now: int) -> Select[Any]:
    """Return the ids of decisions that are held."""
    newest = select(func.max(Hold.id)).group_by(Hold.decision_id)
    return select(Hold.decision_id).where(Hold.id.in_(newest), Hold.until > now)


def hold(session: Session, decision: Decision, until: int, reason: str, now: int) -> Hold:
    """Keep a decision from erasure until a time; the newest hold of a decision stands, so that an earlier day ends it.

    Raises RetentionError for a decision that has been erased, and OverrideError for a reason that is none.
    """
    session.refresh(decision, with_for_update=True)
    if decision.erased is not None:
        raise RetentionError(f"decision {decision.id}: its data have been erased, there is nothing to hold")
    row = Hold(decision_id=decision.id, until=until, reason=checked(reason, "reason", MAX_REASON), at=now)
    session.add(row)
    session.flush()
    return row


def erase(session: Session, decision: Decision, reason: str, now: int) -> None:
    """Erase one decision's personal data before their time; the receipt's digest, states and certificate stay.

    Raises RetentionError for a decision that is held or erased already, OverrideError for a reason that is none.
    """
    session.refresh(decision, with_for_update=True)
    why = checked(reason, "reason", MAX_REASON)
    if decision.erased is not None:
        raise RetentionError(f"decision {decision.id}: its data have been erased already")
    if session.scalar(select(Decision.id).where(Decision.id == decision.id, Decision.id.in_(held(now)))) is not None:
        raise RetentionError(
            f"decision {decision.id}: it is held; end the hold first: `service hold --until` a past day"
        )
    _erased(session, Decision.id == decision.id, now)
    _cleared(session, 0, now)
    _run(session, delete(Link).where(Link.decision_id == decision.id))
    # The answer that is kept was written in the decision's own transaction, at its time.
    kept = Request.created == decision.received
    _run(session, delete(Request).where(Request.client == decision.client, kept))
    own = (Outgoing.decision_id == decision.id) & Outgoing.done.is_not(None)
    _run(session, delete(Outgoing).where(Outgoing.kind == "webhook", own))
    session.add(Erasure(decision_id=decision.id, reason=why, at=now))
    session.flush()


def _erased(session: Session, which: ColumnElement[bool], now: int) -> int:
    """Erase the data of decisions, and what was written about any erased one; return how many decisions that were."""
    done = _run(session, update(Decision).where(which).values(sealed=None, reference=None, erased=now))
    found = update(Finding).where(Finding.sealed.is_not(None), Finding.decision_id.in_(_gone()))
    _run(session, found.values(sealed=None))
    recourse = update(Recourse).where(Recourse.sealed.is_not(None), Recourse.decision_id.in_(_gone()))
    _run(session, recourse.values(sealed=None))
    answers = update(Recourse).where(Recourse.answer != ERASURE_MARK, Recourse.decision_id.in_(_gone()))
    _run(session, answers.values(answer=ERASURE_MARK))
    # Whoever asks for erasure after each decision would have no limit: a digest that names nobody counts on.
    whose = update(Person).where(Person.sealed.is_not(None), Person.decision_id.in_(_gone()))
    _run(session, whose.values(sealed=None))
    for table in (Override, Allowance):
        reasons = update(table).where(table.reason != ERASURE_MARK, table.decision_id.in_(_gone()))
        _run(session, reasons.values(reason=ERASURE_MARK))
    second_gone = select(Correction.decision_id).where(Correction.second_id.in_(_gone()))
    either = or_(CorrectionRequest.decision_id.in_(_gone()), CorrectionRequest.decision_id.in_(second_gone))
    requests = update(CorrectionRequest).where(CorrectionRequest.request != ERASURE_MARK, either)
    _run(session, requests.values(request=ERASURE_MARK))
    return done


def _cleared(session: Session, before: int, now: int) -> int:
    """Erase the letters of erased decisions, and those made before a time that are not held; return how many."""
    count = 0
    for table in (Letter, RecourseLetter):
        old = (table.made < before) & table.decision_id.not_in(held(now))
        letters = update(table).where(table.sealed.is_not(None), or_(old, table.decision_id.in_(_gone())))
        count += _run(session, letters.values(sealed=None))
    return count


def _gone() -> Select[Any]:
    """Return the ids of erased decisions, those erased earlier too: others may have written about them since."""
    return select(Decision.id).where(Decision.erased.is_not(None))


def _run(session: Session, statement: Any) -> int:
    """Run an update or a deletion; return how many rows it was about."""
    done = session.execute(statement, execution_options={"synchronize_session": "fetch"})
    return done.rowcount if isinstance(done, CursorResult) else 0
