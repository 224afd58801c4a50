"""Attempts to prove: which worker has which decision since when, and what an admin wants of one that is at work.

Only the worker can end its prover. So the console writes a wish into the attempt's row, and the worker reads those of
its own with every beat. A row begins with the first attempt and goes with the decision's end.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.states import State
from equiproof.service.store.tables import Attempt, Decision

WISHES: dict[State, str] = {
    State.DECIDED: "ended by an admin; it waits again",
    State.FAILED: "ended by an admin",
}
"""What may become of a decision whose attempt is ended, each with the reason that its history has."""


class AttemptError(ValueError):
    """A decision that is not being proven, or an unknown wish; one line."""

    exit_code: ClassVar[int] = MISUSED


def begun(session: Session, decision_id: str, worker: str, forecast: float, now: int) -> None:
    """Write that a worker begins an attempt, in the transaction that begins it.

    `forecast` is the proof's, in seconds, 0 for none; `now` is in microseconds. A wish about an earlier attempt ends.
    """
    row = session.get(Attempt, decision_id)
    if row is None:
        row = Attempt(decision_id=decision_id, number=0)
        session.add(row)
    row.number += 1
    row.worker, row.begun, row.forecast, row.wish = worker, now, forecast, None


def ended(session: Session, decision_id: str, state: State) -> None:
    """Write that no attempt runs; those so far count on where the decision waits again."""
    row = session.get(Attempt, decision_id)
    if row is None:
        return
    if state == State.DECIDED:
        row.worker = row.begun = row.forecast = row.wish = None
    else:
        session.delete(row)


def wish(session: Session, decision_id: str) -> State | None:
    """Return what an admin wants of the attempt that runs, or None."""
    row = session.get(Attempt, decision_id)
    return None if row is None or row.wish is None else State(row.wish)


def ask(session: Session, decision: Decision, then: str) -> None:
    """Have the attempt of a decision ended, which then is in the state `then`, one of `WISHES`.

    `decision` is locked by the transaction. Raises AttemptError where no attempt runs, as when it has ended meanwhile.
    """
    if then not in WISHES:
        raise AttemptError("choose what becomes of the decision: it waits again, or is marked failed")
    row = session.get(Attempt, decision.id)
    if decision.state != State.CERTIFYING or row is None or row.worker is None:
        raise AttemptError(f"nothing was ended: no prover works on this decision now, it is {decision.state}")
    row.wish = then


def asked(session: Session, worker: str) -> list[str]:
    """Return the decisions whose attempts by a worker are to be ended."""
    query = select(Attempt.decision_id).where(Attempt.worker == worker, Attempt.wish.is_not(None))
    return list(session.scalars(query))
