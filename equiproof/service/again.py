"""Decisions that an operator has proven once more, after what made them fail was mended.

They are marked as being proven, and that is all: a worker's watchdog begins jobs that nobody has
though their decisions wait (:mod:`equiproof.service.jobs.heartbeat`). What a person has decided meanwhile is left
alone: a certificate states the model's decision, and the applicant may have the person's in writing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.decisions import advance
from equiproof.service.overrides import standing, standings
from equiproof.service.states import TRANSITIONS, WAITING_STATES, State
from equiproof.service.store.tables import Decision

REASON = "tried again"


class AgainError(ValueError):
    """A decision that cannot be tried again; one line naming it."""

    exit_code: ClassVar[int] = MISUSED


def again(session: Session, identifiers: Collection[str], now: int) -> int:
    """Have decisions proven once more, by their ids, or all that failed where none is named; returns how many.

    Raises AgainError for a decision that is unknown, that has not ended without a certificate, that a person has
    decided, or whose data were erased; then none is tried.
    """
    decisions = _named(session, identifiers) if identifiers else _failed(session)
    for decision in decisions:
        advance(session, decision, State.CERTIFYING, REASON, now)
    return len(decisions)


def _failed(session: Session) -> list[Decision]:
    """Return all decisions that failed, whose data are there, and that no person has decided."""
    query = select(Decision).where(Decision.state == State.FAILED, Decision.sealed.is_not(None))
    decisions = list(session.scalars(query.with_for_update()))
    persons = standings(session, [decision.id for decision in decisions])
    return [decision for decision in decisions if decision.id not in persons]


def _named(session: Session, identifiers: Collection[str]) -> list[Decision]:
    """Return the decisions of these ids, each once."""
    decisions = []
    for identifier in dict.fromkeys(identifiers):
        decision = session.get(Decision, identifier, with_for_update=True)
        if decision is None:
            raise AgainError(f"{identifier[:40]!r}: no such decision")
        state = State(decision.state)
        if state in WAITING_STATES or State.CERTIFYING not in TRANSITIONS[state]:
            raise AgainError(f"{identifier}: it is {state}; want one that is failed or undecided")
        if standing(session, decision.id) is not None:
            raise AgainError(f"{identifier}: a person has decided, and a certificate would state the model's decision")
        if decision.sealed is None:
            raise AgainError(f"{identifier}: its data were erased")
        decisions.append(decision)
    return decisions
