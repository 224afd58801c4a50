"""What the console asks of the tables: the lender's own view over the decisions of all clients."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select, tuple_
from sqlalchemy.orm import Session

from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.tables import (
    Attempt,
    Certificate,
    Decision,
    Finding,
    Heartbeat,
    Letter,
    LogProof,
    Model,
    Override,
    Transition,
)

ORDER = (State.REVIEW, State.FAILED, State.UNDECIDED, State.DECIDED, State.CERTIFYING, State.CERTIFIED)
"""What needs somebody first."""

_rank = case({str(state): rank for rank, state in enumerate(ORDER)}, value=Decision.state)
_CURSOR = re.compile(r"([0-9])-([0-9]{1,17})-([0-9a-f]{32})")


@dataclass(frozen=True)
class Filter:
    """Which decisions: received in a span of microseconds, its end left out, in a state, with words in the reference.

    Unless `waiting_too`, those in review that wait for a person are left out.
    """

    since: int | None = None
    until: int | None = None
    state: State | None = None
    reference: str = ""
    waiting_too: bool = True

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return them as SQL."""
        conditions: list[ColumnElement[bool]] = []
        if self.since is not None:
            conditions.append(Decision.received >= self.since)
        if self.until is not None:
            conditions.append(Decision.received < self.until)
        if self.state is not None:
            conditions.append(Decision.state == self.state)
        if self.reference:
            conditions.append(Decision.reference.contains(self.reference, autoescape=True))
        if not self.waiting_too:
            conditions.append(or_(Decision.state != State.REVIEW, _settled()))
        return conditions


@dataclass(frozen=True)
class Speed:
    """Of certificates in a span: how many, and microseconds from decision to certificate for half and 19 of 20.

    `proving` is the sum of microseconds from the last beginning of a proof to its certificate.
    """

    count: int
    half: int
    most: int
    proving: int


class Workers(NamedTuple):
    """How many workers live, and how many of them have provers that work and get no processor."""

    alive: int
    starved: int


def counts(session: Session, scope: Filter) -> dict[State, int]:
    """Return how many decisions there are in each state, in the order of `ORDER`."""
    query = select(Decision.state, func.count()).where(*scope.conditions()).group_by(Decision.state)
    numbers = {row[0]: row[1] for row in session.execute(query)}
    return {state: numbers.get(str(state), 0) for state in ORDER}


def count(session: Session, scope: Filter) -> int:
    """Return how many decisions there are."""
    return session.scalar(select(func.count()).select_from(Decision).where(*scope.conditions())) or 0


def for_a_person(session: Session, limit: int) -> tuple[int, list[Decision]]:
    """Return how many decisions in review wait for a person, and those that wait longest."""
    waits = and_(Decision.state == State.REVIEW, ~_settled())
    total = session.scalar(select(func.count()).select_from(Decision).where(waits)) or 0
    query = select(Decision).where(waits).order_by(Decision.received, Decision.id).limit(limit)
    return total, list(session.scalars(query))


def listed(session: Session, scope: Filter, cursor: str, limit: int) -> tuple[list[Decision], str | None]:
    """Return a page of decisions, by state and then the newest first, and the cursor of the next page."""
    query = select(Decision, _rank).where(*scope.conditions())
    if match := _CURSOR.fullmatch(cursor):
        rank = int(match[1])
        received = int(match[2])
        identifier = match[3]
        behind = tuple_(Decision.received, Decision.id) < (received, identifier)
        query = query.where(or_(_rank > rank, and_(_rank == rank, behind)))
    order = (_rank, Decision.received.desc(), Decision.id.desc())
    rows = session.execute(query.order_by(*order).limit(limit + 1)).all()
    decisions = [row[0] for row in rows[:limit]]
    if len(rows) <= limit:
        return decisions, None
    last, rank = rows[limit - 1]
    return decisions, f"{rank}-{last.received}-{last.id}"


def in_states(session: Session, states: Collection[State], limit: int) -> list[Decision]:
    """Return the newest decisions in some states that no person has settled."""
    query = select(Decision).where(Decision.state.in_(states), ~_settled())
    return list(session.scalars(query.order_by(Decision.received.desc(), Decision.id.desc()).limit(limit)))


def last_steps(session: Session, ids: Collection[str]) -> dict[str, Transition]:
    """Return the last change of state of each decision."""
    query = select(Transition).where(Transition.decision_id.in_(ids)).order_by(Transition.number)
    return {row.decision_id: row for row in session.scalars(query)}


def overrides(session: Session, decision_id: str) -> list[Override]:
    """Return all of a person's decisions, the first one first."""
    query = select(Override).where(Override.decision_id == decision_id).order_by(Override.id)
    return list(session.scalars(query))


def radii(session: Session, ids: Collection[str]) -> dict[str, int]:
    """Return the squared radius, on the grid, of each decision that has a certificate."""
    query = select(Certificate.decision_id, Certificate.radius_squared).where(Certificate.decision_id.in_(ids))
    return {row[0]: int(row[1], 16) for row in session.execute(query)}


def of_decision(session: Session, kind: type[Any], decision_id: str) -> list[Any]:
    """Return the rows of a table that are about a decision: its log proof, its letters, its finding."""
    if kind not in (LogProof, Letter, Finding):
        raise ValueError(f"{kind.__name__} is no table of a decision")
    return list(session.scalars(select(kind).where(kind.decision_id == decision_id)))


def workers(session: Session, since: int) -> Workers:
    """Return the workers that were alive since a time."""
    query = select(func.count(), func.count().filter(Heartbeat.starved == 1)).where(Heartbeat.beat >= since)
    alive, starved = session.execute(query).one()
    return Workers(alive, starved)


def heartbeats(session: Session, since: int, names: Collection[str]) -> list[Heartbeat]:
    """Return the workers that were alive since a time, and those of some names."""
    query = select(Heartbeat).where((Heartbeat.beat >= since) | Heartbeat.name.in_(names))
    return list(session.scalars(query.order_by(Heartbeat.name)))


def attempts(session: Session, limit: int) -> tuple[list[tuple[Attempt, Decision, Model]], int]:
    """Return attempts that run, the longest first, then those of decisions that wait again; and how many there are."""
    query = select(Attempt, Decision, Model).join(Decision, Decision.id == Attempt.decision_id)
    query = query.join(Model, Model.id == Decision.model_id).where(Decision.state.in_(WAITING_STATES))
    total = session.scalar(select(func.count()).select_from(query.with_only_columns(Attempt.decision_id).subquery()))
    order = (Attempt.begun.is_(None), Attempt.begun, Attempt.decision_id)
    return [(row[0], row[1], row[2]) for row in session.execute(query.order_by(*order).limit(limit))], total or 0


def speed(session: Session, since: int) -> Speed:
    """Return how fast certificates came that were made since a time."""
    took = Certificate.made - Decision.received
    query = select(took).join(Decision, Decision.id == Certificate.decision_id).where(Certificate.made >= since)
    number = session.scalar(select(func.count()).select_from(Certificate).where(Certificate.made >= since)) or 0
    if not number:
        return Speed(0, 0, 0, 0)
    half, most = (session.scalar(query.order_by(took).offset(place).limit(1)) or 0 for place in _places(number))
    begun = (
        select(Transition.decision_id, func.max(Transition.at).label("at"))
        .join(Certificate, Certificate.decision_id == Transition.decision_id)
        .where(Transition.state == State.CERTIFYING, Certificate.made >= since)
        .group_by(Transition.decision_id)
        .subquery()
    )
    spent = select(func.sum(Certificate.made - begun.c.at)).join(begun, begun.c.decision_id == Certificate.decision_id)
    return Speed(number, half, most, int(session.scalar(spent) or 0))


def models(session: Session) -> list[tuple[Model, int]]:
    """Return all models with the number of their decisions: those that decide first, then the newest."""
    number = select(func.count()).where(Decision.model_id == Model.id).scalar_subquery()
    query = select(Model, number).order_by(Model.retired.is_not(None), Model.name, Model.created.desc())
    return [(row[0], row[1]) for row in session.execute(query)]


def certificates_by_key(session: Session, model_id: str) -> dict[str, int]:
    """Return how many certificates of a model were made under each key."""
    query = (
        select(Certificate.key_fingerprint, func.count())
        .join(Decision, Decision.id == Certificate.decision_id)
        .where(Decision.model_id == model_id)
        .group_by(Certificate.key_fingerprint)
    )
    return {row[0]: row[1] for row in session.execute(query)}


def _settled() -> ColumnElement[bool]:
    """Return the condition that a person has decided."""
    return exists().where(Override.decision_id == Decision.id)


def _places(number: int) -> tuple[int, int]:
    """Return which of so many sorted values half, and 19 of 20, do not exceed."""
    return (number + 1) // 2 - 1, -(-number * 19 // 20) - 1
