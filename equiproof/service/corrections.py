"""Corrections: somebody asks for wrong details to be put right, and is decided about once more with the right ones.

The second decision is made as any other one, so that it has a receipt and a certificate of its own. The record links
both: when the applicant asked, what for, which details differ, and who says so. It is only ever added, a decision has
one before it and one after it at most, and later ones follow from the newest. Which details differ is computed from
what is sealed; the record names them, and never a value.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.exit_codes import MISUSED
from equiproof.service import persons
from equiproof.service.decisions import MICROSECONDS, opened
from equiproof.service.models import Models
from equiproof.service.overrides import MAX_REASON, checked
from equiproof.service.store.tables import Correction, Decision, Person
from equiproof.service.trail import Act, Who, note
from equiproof.service.vault import Vault
from equiproof.verifier.bars import put_right


class CorrectionError(ValueError):
    """Two decisions of which the second does not correct the first; one line."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Asked:
    """What an applicant asked for: the day on which, as YYYY-MM-DD, and in words what was wrong."""

    day: str
    request: str


@dataclass(frozen=True)
class Means:
    """What a correction is judged with: the vault, the models, and the time zone of the lender's people."""

    vault: Vault
    models: Models
    zone: ZoneInfo


def correct(
    session: Session, first: Decision, second: str, asked: Asked, means: Means, now: int, by: tuple[str, Who]
) -> Correction:
    """Record that a decision corrects the first one, with its line of the trail; `second` is its id or reference.

    `by` is the name of the account that says so, and how the trail names it.

    Raises CorrectionError for a decision that there is not, that is the first one, that was received before it or is
    another client's or person's, whose details are the same or were erased, or that is linked already; for a day
    before the first decision or to come; and OverrideError for words that are none.
    """
    name, who = by
    session.refresh(first, with_for_update=True)
    other = _named(session, first, second.strip())
    request = checked(asked.request, "request", MAX_REASON)
    _refuse_day(asked.day, _day(first.received, means.zone), _day(now, means.zone))
    _refuse_linked(session, first, other)
    _refuse_other_person(session, first, other, means.vault)
    row = Correction(
        decision_id=first.id,
        second_id=other.id,
        asked=asked.day,
        request=request,
        changed=canonical_bytes(_changed(session, first, other, means)).decode(),
        name=name,
        at=now,
    )
    session.add(row)
    session.flush()
    note(session, Act.CORRECTION, who, now, about=first.id, detail=f"second={other.id}")
    return row


def corrections(session: Session, decision_id: str) -> list[Correction]:
    """Return the records of a decision: that of which it is the second, and that of which it is the first."""
    either = or_(Correction.decision_id == decision_id, Correction.second_id == decision_id)
    rows = session.scalars(select(Correction).where(either)).all()
    return sorted(rows, key=lambda row: row.decision_id == decision_id)


def changed(row: Correction) -> list[str]:
    """Return the names of the features that were put right."""
    return list(json.loads(row.changed))


def _named(session: Session, first: Decision, second: str) -> Decision:
    """Return a decision of the first one's client by id or reference, locked; raises CorrectionError."""
    which = or_(Decision.id == second, Decision.reference == second)
    query = select(Decision).where(which, Decision.client == first.client).order_by((Decision.id == second).desc())
    other = session.scalars(query.with_for_update()).first()
    if other is None:
        raise CorrectionError("second decision: give its id or reference; the client of this one has no such decision")
    if other.id == first.id:
        raise CorrectionError("second decision: give another one; this is the decision itself")
    if other.received < first.received:
        raise CorrectionError("second decision: give a later one; it was made before this one")
    return other


def _refuse_day(asked: str, least: date, most: date) -> None:
    """Raise CorrectionError for what is no day between two."""
    try:
        day = date.fromisoformat(asked)
    except ValueError:
        day = date.max
    if not least <= day <= most or asked != day.isoformat():
        raise CorrectionError(f"day of the request: give one from {least} to {most}, as YYYY-MM-DD")


def _day(at: int, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(at // MICROSECONDS, UTC).astimezone(zone).date()


def _refuse_linked(session: Session, first: Decision, second: Decision) -> None:
    """Raise CorrectionError where the first has been corrected, or the second corrects another one."""
    if session.get(Correction, first.id) is not None:
        raise CorrectionError("this decision has been corrected; correct the one that followed")
    if session.scalars(select(Correction.decision_id).where(Correction.second_id == second.id)).first() is not None:
        raise CorrectionError("second decision: give another one; it corrects a decision already")


def _refuse_other_person(session: Session, first: Decision, second: Decision, vault: Vault) -> None:
    """Raise CorrectionError where the front end named two persons."""
    rows = (session.get(Person, one.id) for one in (first, second))
    named = {vault.open(row.sealed, persons.about(row.decision_id)) for row in rows if row is not None and row.sealed}
    if len(named) == 2:
        raise CorrectionError("second decision: give one of the same person; it names another")


def _changed(session: Session, first: Decision, second: Decision, means: Means) -> list[str]:
    """Return the names of the features that differ; raises CorrectionError for none, and for details that are gone."""
    both = []
    for decision in (first, second):
        sealed = opened(decision, means.vault)
        if sealed is None:
            raise CorrectionError("details of a decision have been erased, so nothing shows what was put right")
        both.append((means.models.of(session, decision.model_id).spec, sealed.query.features))
    names = put_right(*both)
    if not names:
        raise CorrectionError("second decision: give another one; it has the same details, so nothing was put right")
    return names
