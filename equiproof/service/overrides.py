"""A person's decision beside the model's: added with name and reason, never changed, never taken away.

The state stays what it was, since it tells what is known about the model: a review that a person has settled is still
a finding.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.decisions import announced
from equiproof.service.policy import too_small
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store import queries
from equiproof.service.store.tables import Decision, Letter, Outgoing, Override, Transition
from equiproof.service.trail import Act, Who, note

OVERRIDABLE_STATES = frozenset({State.REVIEW, State.UNDECIDED, State.FAILED})
"""The states in which a person decides: a certificate states the model's decision in no other way than it was made."""

MAX_REASON = 2000
MAX_NAME = 128


class OverrideError(ValueError):
    """A person's decision that cannot be taken; one line."""

    exit_code: ClassVar[int] = MISUSED


class NotOpenError(OverrideError):
    """The decision's state leaves a person nothing to decide."""


def is_open(session: Session, decision: Decision, policy: PolicySettings) -> bool:
    """Return whether a person decides: in `OVERRIDABLE_STATES`, and where a certificate's radius misses the policy.

    A decision whose letter has left is closed, even if the policy was made stricter since: a person's would contradict
    a certificate that the applicant has.
    """
    if decision.state != State.CERTIFIED:
        return State(decision.state) in OVERRIDABLE_STATES
    certificate = queries.certificate(session, decision.id)
    if certificate is None or not too_small(certificate, policy):
        return False
    return session.scalars(select(Letter.language).where(Letter.decision_id == decision.id)).first() is None


def override(
    session: Session,
    decision: Decision,
    label: int,
    reason: str,
    name: str,
    now: int,
    policy: PolicySettings = PolicySettings(),  # noqa: B008 -- frozen
    *,
    by: Who,
) -> Override:
    """Add a person's decision, and its line of the trail; the newest one stands, and the same again adds nothing.

    `by` is the account or the key that it comes from, `name` what is shown as the person's. `label` is an index of the
    model's labels, checked by the caller. Raises NotOpenError where `is_open` says no, OverrideError for a reason or a
    name that is empty, too long or has control characters.
    """
    session.refresh(decision, with_for_update=True)
    if not is_open(session, decision, policy):
        raise NotOpenError(not_open(State(decision.state)))
    why = checked(reason, "reason", MAX_REASON)
    who = checked(name, "name", MAX_NAME)
    last = standing(session, decision.id)
    same = (label, why, who, by.channel, by.actor)
    if last is not None and (last.label, last.reason, last.name, last.channel, last.actor) == same:
        return last
    row = Override(
        decision_id=decision.id, label=label, reason=why, name=who, at=now, channel=by.channel.value, actor=by.actor
    )
    session.add(row)
    session.flush()
    session.add_all(_announced(session, decision, now))
    note(session, Act.OVERRIDE, by, now, about=decision.id, detail=f"label={label}")
    return row


def not_open(state: State) -> str:
    """Return what is said of a decision whose state leaves a person nothing to decide."""
    return f"a decision that is {state} is not a person's to make"


def standing(session: Session, decision_id: str) -> Override | None:
    """Return the person's decision that stands, or None."""
    return standings(session, [decision_id]).get(decision_id)


def standings(session: Session, decision_ids: Collection[str]) -> dict[str, Override]:
    """Return by decision the person's decision that stands, where there is one."""
    query = select(Override).where(Override.decision_id.in_(decision_ids)).order_by(Override.id)
    return {row.decision_id: row for row in session.scalars(query)}


def _announced(session: Session, decision: Decision, now: int) -> list[Outgoing]:
    """Return what webhooks tell of a person's decision: which one of this decision's it is, not what it says."""
    changes = select(func.count()).where(Transition.decision_id == decision.id)
    number = select(func.count()).where(Override.decision_id == decision.id)
    last = (session.scalar(changes) or 0) - 1
    return announced(session, decision, last, now, override=session.scalar(number) or 0)


def checked(raw: str, what: str, most: int) -> str:
    """Return what a person has written, without the blanks around it; raises OverrideError."""
    text = raw.strip()
    if not text or len(text) > most:
        raise OverrideError(f"{what}: want 1 to {most} characters")
    if any(ord(sign) < ord(" ") and sign != "\n" for sign in text):
        raise OverrideError(f"{what}: want no control characters")
    return text
