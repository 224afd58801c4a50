"""Corrections: somebody asks for wrong details to be put right, and is decided about once more with the right ones.

The request is filed first: when the applicant asked, and what for. The second decision is made as any other one, so
that it has a receipt and a certificate of its own, and closes the request: the record then links both, with the
details that differ. Records are only ever added, a decision has one before it and one after it at most, and later ones
follow from the newest. Which details differ is computed from what is sealed; the record names them, and never a value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec
from equiproof.service import persons, recourses
from equiproof.service.decisions import CORRECTION, MICROSECONDS, announced, opened
from equiproof.service.leaving import left
from equiproof.service.models import Models
from equiproof.service.overrides import MAX_NAME, MAX_REASON, checked
from equiproof.service.settings import PolicySettings, Settings
from equiproof.service.store.tables import Correction, CorrectionRequest, Decision, Person
from equiproof.service.trail import Act, Who, note
from equiproof.service.vault import Vault
from equiproof.verifier.bars import put_right
from equiproof.verifier.documents import RawValue

Details = tuple[Spec, Mapping[str, RawValue]]
"""The spec of a decision's model, and the applicant's features."""

_ERASED = "details of a decision have been erased, so nothing shows what was put right"


class CorrectionError(ValueError):
    """A request that cannot be filed, or a second decision that does not close one; one line."""

    exit_code: ClassVar[int] = MISUSED


class StandingError(CorrectionError):
    """There is a request already, or none that is open."""


class ErasedError(CorrectionError):
    """The details of a decision have been erased, so that nothing shows what was put right."""


@dataclass(frozen=True)
class Asked:
    """What an applicant asked for: the day on which, as YYYY-MM-DD, and in words what was wrong."""

    day: str
    request: str


@dataclass(frozen=True)
class Means:
    """What a correction is judged with: vault, models, the time zone of the lender's people, and what may leave."""

    vault: Vault
    models: Models
    zone: ZoneInfo
    policy: PolicySettings

    @classmethod
    def of(cls, vault: Vault, models: Models, settings: Settings) -> Means:
        """Return those of a service."""
        return cls(vault, models, ZoneInfo(settings.console.time_zone), settings.policy)


@dataclass(frozen=True)
class Record:
    """A request, and what closed it: None while it is open."""

    request: CorrectionRequest
    correction: Correction | None


def file(
    session: Session, first: Decision, asked: Asked, means: Means, now: int, by: tuple[str, Who]
) -> CorrectionRequest:
    """File a request about a decision, with its line of the trail and what webhooks tell.

    `by` is the name of the person who says so, and how the trail names by what it came.

    Raises StandingError for a decision that has a request, ErasedError, CorrectionError for a day before the decision
    or to come, and OverrideError for words that are none.
    """
    name, who = by
    session.refresh(first, with_for_update=True)
    if session.get(CorrectionRequest, first.id) is not None:
        if session.get(Correction, first.id) is not None:
            raise StandingError("this decision has been corrected; correct the one that followed")
        raise StandingError("close the request that is open: name its second decision; a decision has one request")
    if first.sealed is None:
        raise ErasedError(_ERASED)
    row = CorrectionRequest(
        decision_id=first.id,
        asked=asked.day,
        request=checked(asked.request, "request", MAX_REASON),
        name=checked(name, "name", MAX_NAME),
        at=now,
        channel=who.channel.value,
        actor=who.actor,
    )
    _refuse_day(asked.day, _day(first.received, means.zone), _day(now, means.zone))
    session.add(row)
    session.flush()
    _announce(session, first, means, now, "filed")
    note(session, Act.CORRECTION_REQUEST, who, now, about=first.id)
    return row


def close(session: Session, first: Decision, second: str, means: Means, now: int, by: tuple[str, Who]) -> Correction:
    """Close the request about a decision by a second one, given by its id or reference; lines and `by` as in `file`.

    Raises StandingError where no request is open, ErasedError, and CorrectionError for an unknown decision,
    that is the first one, that was received before it or is another client's or person's, whose details are the same,
    or that corrects another one.
    """
    name, who = by
    session.refresh(first, with_for_update=True)
    if session.get(CorrectionRequest, first.id) is None:
        raise StandingError("file the request first: nobody has asked for a correction of this decision")
    if session.get(Correction, first.id) is not None:
        raise StandingError("this decision has been corrected; correct the one that followed")
    other = _named(session, first, second.strip())
    _refuse_other_person(session, first, other, means.vault)
    both = _details(session, first, other, means)
    row = Correction(
        decision_id=first.id,
        second_id=other.id,
        changed=canonical_bytes(_changed(*both)).decode(),
        way=_way(session, first, both, means),
        name=checked(name, "name", MAX_NAME),
        at=now,
        channel=who.channel.value,
        actor=who.actor,
    )
    session.add(row)
    session.flush()
    _announce(session, first, means, now, "closed", second=other.id)
    note(session, Act.CORRECTION, who, now, about=first.id, detail=f"second={other.id}")
    return row


def corrections(session: Session, decision_id: str) -> list[Record]:
    """Return the records of a decision: that of which it is the second, and that of which it is the first."""
    query = select(CorrectionRequest, Correction).outerjoin(
        Correction, Correction.decision_id == CorrectionRequest.decision_id
    )
    either = or_(CorrectionRequest.decision_id == decision_id, Correction.second_id == decision_id)
    rows = [Record(request, closed) for request, closed in session.execute(query.where(either))]
    return sorted(rows, key=lambda row: row.request.decision_id == decision_id)


def open_requests(session: Session, limit: int) -> tuple[int, list[Decision]]:
    """Return how many requests a second decision can still close, and their decisions, the longest open first."""
    closed = select(Correction.decision_id)
    query = select(Decision).join(CorrectionRequest, CorrectionRequest.decision_id == Decision.id)
    query = query.where(Decision.sealed.is_not(None), Decision.id.not_in(closed))
    count = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    return count, list(session.scalars(query.order_by(CorrectionRequest.at, Decision.id).limit(limit)))


def replaced(session: Session, decision_id: str) -> Decision | None:
    """Return the decision that was put right by this one, or None."""
    query = select(Decision).join(Correction, Correction.decision_id == Decision.id)
    return session.scalars(query.where(Correction.second_id == decision_id)).first()


def changed(row: Correction) -> list[str]:
    """Return the names of the features that were put right."""
    return list(json.loads(row.changed))


def _announce(session: Session, first: Decision, means: Means, now: int, step: str, **more: str) -> None:
    """Write what webhooks tell of a request: with the state that has left by now, since the message leaves at once."""
    (view,) = left(session, [first], means.policy, now)
    number = len(view.changes) - 1
    rows = announced(session, first, number, now, CORRECTION, state=view.state.value, correction=step, **more)
    session.add_all(rows)


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
    if session.scalars(select(Correction.decision_id).where(Correction.second_id == other.id)).first() is not None:
        raise CorrectionError("second decision: give another one; it corrects a decision already")
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


def _refuse_other_person(session: Session, first: Decision, second: Decision, vault: Vault) -> None:
    """Raise CorrectionError where the front end named two persons."""
    rows = (session.get(Person, one.id) for one in (first, second))
    named = {vault.open(row.sealed, persons.about(row.decision_id)) for row in rows if row is not None and row.sealed}
    if len(named) == 2:
        raise CorrectionError("second decision: give one of the same person; it names another")


def _details(session: Session, first: Decision, second: Decision, means: Means) -> tuple[Details, Details]:
    """Return spec and features of both decisions; raises ErasedError."""
    both = list[Details]()
    for decision in (first, second):
        sealed = opened(decision, means.vault)
        if sealed is None:
            raise ErasedError(_ERASED)
        both.append((means.models.of(session, decision.model_id).spec, sealed.query.features))
    return both[0], both[1]


def _changed(first: Details, second: Details) -> list[str]:
    """Return the names of the features that differ; raises CorrectionError for none."""
    names = put_right(first, second)
    if not names:
        raise CorrectionError("second decision: give another one; it has the same details, so nothing was put right")
    return names


def _way(session: Session, first: Decision, both: tuple[Details, Details], means: Means) -> int | None:
    """Return the number of the shown way of recourse that the second decision follows; None for none."""
    try:
        found = recourses.of_decision(session, first, both[0][0], means.vault)
    except recourses.ErasedError:
        return None
    return None if found is None else recourses.followed(found, *both)
