"""What the service asks of its tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Row, exists, func, select, tuple_
from sqlalchemy.orm import Session

from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.tables import Certificate, Decision, LogProof, Model, Outgoing, Recourse, Transition

Place = tuple[int, str]
"""Where a page ended: the time and the id of its last decision."""

END_STATES = frozenset(State) - WAITING_STATES
"""The states in which a proof ends."""

MAX_CHANGES = 2000
"""How many of the newest changes of state are looked at for the pace of proofs."""

CURSOR = "^[0-9]{1,17}-[0-9a-f]{32}$"
"""What a cursor looks like."""


def waiting(session: Session) -> int:
    """Return how many decisions wait for a certificate, or have one made."""
    return session.scalar(select(func.count()).where(Decision.state.in_(WAITING_STATES))) or 0


def pace(session: Session, since: int) -> tuple[int, int] | None:
    """Return how many proofs have ended since a time, of the newest changes of state, and when the first of them did.

    None where none has ended. The newest are found by their numbers: the table has no order by time.
    """
    ended = [at for at in _proof_ends(session) if at >= since]
    return (len(ended), min(ended)) if ended else None


def without_certificate(session: Session, now: int, oldest: int | None) -> int:
    """Return for how long no proof has ended while a decision waits, in microseconds; 0 where none waits.

    `oldest` is that of :func:`oldest_waiting`.
    """
    if oldest is None:
        return 0
    return max(0, now - max([oldest, *_proof_ends(session)]))


def _proof_ends(session: Session) -> list[int]:
    """Return when proofs have ended, of the newest changes of state."""
    query = select(Transition.state, Transition.number, Transition.at).order_by(Transition.id.desc()).limit(MAX_CHANGES)
    return [at for state, number, at in session.execute(query) if state in END_STATES and number > 0]


def waiting_decisions(session: Session, limit: int) -> list[Decision]:
    """Return decisions that wait for a certificate, or have one made, the oldest first."""
    query = select(Decision).where(Decision.state.in_(WAITING_STATES)).order_by(Decision.received, Decision.id)
    return list(session.scalars(query.limit(limit)))


def oldest_waiting(session: Session) -> int | None:
    """Return when the decision was received that has waited longest, or None where none waits."""
    return session.scalar(select(func.min(Decision.received)).where(Decision.state.in_(WAITING_STATES)))


def queue(session: Session, now: int, ages: Sequence[int]) -> dict[str, tuple[int | None, list[int]]]:
    """Return of each model that decides, or that decisions wait of, what waits for a certificate.

    That is when the oldest was received, None where none waits, and how many have waited for at least each of `ages`,
    in microseconds.
    """
    counts = [func.count(Decision.id).filter(Decision.received <= now - age) for age in ages]
    waits = (Decision.model_id == Model.id) & Decision.state.in_(WAITING_STATES)
    query = select(Model.name, func.min(Decision.received), *counts).outerjoin(Decision, waits)
    query = query.where(Model.retired.is_(None) | Decision.id.is_not(None)).group_by(Model.name)
    return {name: (oldest, list(numbers)) for name, oldest, *numbers in session.execute(query)}


def recourse_queue(session: Session) -> dict[str, tuple[int | None, int]]:
    """Return of each model that decides, or whose recourse waits, since when the oldest waits and how many do."""
    waits = select(Decision.model_id, Recourse.asked).join(Recourse, Recourse.decision_id == Decision.id)
    waiting_ones = waits.where(Recourse.stage == "waiting").subquery()
    asked = waiting_ones.c.asked
    query = select(Model.name, func.min(asked), func.count(asked))
    query = query.outerjoin(waiting_ones, waiting_ones.c.model_id == Model.id)
    query = query.where(Model.retired.is_(None) | asked.is_not(None)).group_by(Model.name)
    return {name: (oldest, count) for name, oldest, count in session.execute(query)}


def outbox_waiting(session: Session) -> dict[tuple[str, str], int]:
    """Return by kind and target how much of the outbox has not been sent."""
    query = select(Outgoing.kind, Outgoing.target, func.count()).where(Outgoing.done.is_(None))
    return {(row[0], row[1]): row[2] for row in session.execute(query.group_by(Outgoing.kind, Outgoing.target))}


def page(
    session: Session, client: str, which: ColumnElement[bool] | None, after: Place | None, limit: int
) -> list[Decision]:
    """Return a client's decisions, all or those of a condition, the newest first, from behind a place on."""
    query = select(Decision).where(Decision.client == client)
    if which is not None:
        query = query.where(which)
    if after is not None:
        query = query.where(tuple_(Decision.received, Decision.id) < after)
    return list(session.scalars(query.order_by(Decision.received.desc(), Decision.id.desc()).limit(limit)))


def models(session: Session) -> list[Model]:
    """Return all models, the oldest first."""
    return list(session.scalars(select(Model).order_by(Model.created, Model.id)))


def has_decided(session: Session, model_id: str) -> bool:
    """Return whether there are decisions of a model, erased ones as well."""
    return session.scalar(select(exists().where(Decision.model_id == model_id))) or False


def due(session: Session, kind: str, now: int, most_wait: int, limit: int) -> list[Outgoing]:
    """Return what of the outbox waits no more, the oldest first.

    Nothing waits longer than `most_wait`: a later time was written while the clock was ahead.
    """
    query = select(Outgoing).where(Outgoing.kind == kind, Outgoing.done.is_(None))
    query = query.where((Outgoing.due <= now) | (Outgoing.due > now + most_wait))
    return list(session.scalars(query.order_by(Outgoing.id).limit(limit)))


def unsent(session: Session, numbers: Sequence[int]) -> Sequence[Row[int, str, int, str | None]]:
    """Return id, decision_id and attempts of those rows of the outbox that have not been sent, and hold them.

    With them comes the id of the request that asked for the decision.
    """
    query = select(Outgoing.id, Outgoing.decision_id, Outgoing.attempts, Decision.request).join(Decision)
    query = query.where(Outgoing.id.in_(numbers), Outgoing.done.is_(None))
    return session.execute(query.order_by(Outgoing.id).with_for_update(of=Outgoing)).all()


def logged(session: Session, decision_ids: Sequence[str]) -> Sequence[str]:
    """Return those of the decisions whose receipt's place in the log is known."""
    return session.scalars(select(LogProof.decision_id).where(LogProof.decision_id.in_(decision_ids))).all()


def without_proof(session: Session, decision_ids: Sequence[str]) -> Sequence[str]:
    """Return those of the decisions whose receipt is logged and has no proof yet, and hold their rows."""
    query = select(LogProof.decision_id).where(LogProof.decision_id.in_(decision_ids), LogProof.body.is_(None))
    return session.scalars(query.order_by(LogProof.decision_id).with_for_update()).all()


def unproven(session: Session, limit: int) -> list[tuple[str, int, str]]:
    """Return id, index in the log and receipt of decisions whose receipt is logged and has no proof yet."""
    query = select(LogProof.decision_id, LogProof.entry, Decision.receipt).join(Decision)
    query = query.where(LogProof.body.is_(None)).order_by(LogProof.at, LogProof.entry).limit(limit)
    return [(row[0], row[1], row[2]) for row in session.execute(query)]


def without_log_proof(session: Session) -> int:
    """Return how many decisions, certificates and models the log does not prove yet."""
    proven = exists().where(LogProof.decision_id == Decision.id, LogProof.body.is_not(None))
    queries = (
        select(func.count()).select_from(Decision).where(~proven),
        select(func.count()).select_from(Certificate).where(Certificate.proof.is_(None)),
        select(func.count()).select_from(Model).where(Model.proof.is_(None)),
    )
    return sum(session.scalars(one).one() for one in queries)


def cursor(decision: Decision) -> str:
    """Return the place of a decision as text."""
    return f"{decision.received}-{decision.id}"


def parse_cursor(text: str) -> Place | None:
    """Return a place, or None for text that is none."""
    if not re.fullmatch(CURSOR, text):
        return None
    received, _, identifier = text.partition("-")
    return int(received), identifier


def deciding(session: Session) -> list[Model]:
    """Return the models that decide, by name."""
    return list(session.scalars(select(Model).where(Model.retired.is_(None)).order_by(Model.name)))


def certificate(session: Session, decision_id: str) -> Certificate | None:
    """Return the certificate of a decision, if there is one."""
    return session.get(Certificate, decision_id)
