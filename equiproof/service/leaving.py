"""A decision as it has left the house: what client programs and applicants know of it by now.

Under `release_every_seconds` every change after the receipt leaves at a multiple of that time after the receipt, with
that time for its own: whatever ends a search, nothing that leaves tells in which second it did. Officers see a decision
as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, exists, select, true
from sqlalchemy.orm import Session, aliased

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.decisions import CORRECTION, MICROSECONDS, RECOURSE, histories
from equiproof.service.overrides import standings
from equiproof.service.policy import has_left, released_at
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store import queries
from equiproof.service.store.tables import Certificate, Decision, Outgoing, Override, Recourse, Transition

FOREVER = (1 << 63) - 1
"""By then, in microseconds since 1970, everything has left."""


@dataclass(frozen=True)
class Change:
    """A state, since when, in microseconds since 1970, and why."""

    state: State
    at: int
    reason: str


@dataclass(frozen=True)
class Left:
    """A decision with the changes that have left, the first one first; `person` is what stands of a person's decision.

    `leaves` is when its last change leaves, or has left; `whole` says that it has.
    """

    decision: Decision
    changes: Sequence[Change]
    person: Override | None
    leaves: int
    whole: bool

    @property
    def state(self) -> State:
        """The state that is known by now."""
        return self.changes[-1].state

    def certificate(self, session: Session) -> Certificate | None:
        """Return the certificate, once it has left."""
        row = queries.certificate(session, self.decision.id)  # asked for in any case: all that waits has the same steps
        return row if self.state == State.CERTIFIED else None


class Announcement(NamedTuple):
    """What webhooks tell of a decision, and when it leaves: the body names it as its time, and the state with it.

    `state` is "" for what endpoints are told whatever states they ask for.
    """

    at: int
    decision_id: str
    body: bytes
    state: str


def interval(policy: PolicySettings) -> int:
    """Return the policy's time between releases in microseconds, 0 for none."""
    return policy.release_every_seconds * MICROSECONDS


def left(session: Session, decisions: Sequence[Decision], policy: PolicySettings, now: int) -> list[Left]:
    """Return decisions as they have left by `now`, in microseconds since 1970."""
    return _views(session, decisions, interval(policy), now)


def at_once(session: Session, decision: Decision) -> Left:
    """Return a decision as it stands, for officers."""
    (view,) = _views(session, [decision], 0, 0)
    return view


def received(decision: Decision, reason: str) -> Left:
    """Return a decision that was made a moment ago; `reason` is that of its first state."""
    return Left(
        decision, [Change(State(decision.state), decision.received, reason)], None, decision.received, whole=True
    )


def state_is(state: State, policy: PolicySettings, now: int) -> ColumnElement[bool]:
    """Return the condition that decisions have this state, as they have left by `now`."""
    if not (every := interval(policy)):
        return Decision.state == state
    earlier = aliased(Transition)
    held = exists().where(
        earlier.decision_id == Decision.id, earlier.number <= Transition.number, _is_held(earlier, every, now)
    )
    known = select(Transition.state).where(Transition.decision_id == Decision.id, ~held)
    return known.order_by(Transition.number.desc()).limit(1).scalar_subquery() == state


def is_announced(policy: PolicySettings, now: int) -> ColumnElement[bool]:
    """Return the condition that a row of the outbox may leave by `now`.

    One about a change, or a person's decision, waits for what it follows; one about a correction says only what has
    left already, and one about recourse waits until the end of its search leaves.
    """
    if not (every := interval(policy)):
        return true()
    held = exists().where(
        Transition.decision_id == Outgoing.decision_id,
        Transition.at <= Outgoing.created,
        Decision.id == Outgoing.decision_id,
        _is_held(Transition, every, now),
    )
    searched = exists().where(
        Recourse.decision_id == Outgoing.decision_id,
        Recourse.ended.is_not(None),
        ~has_left(Recourse.asked, Recourse.ended, every, now),
    )
    of_recourse = Outgoing.kind == RECOURSE
    return (Outgoing.kind == CORRECTION) | (of_recourse & ~searched) | (~of_recourse & ~held)


def announcements(session: Session, rows: Sequence[Outgoing], policy: PolicySettings) -> list[Announcement]:
    """Return what rows of the outbox tell when they leave, the earliest first."""
    views = dict[str, Left]()
    if every := interval(policy):
        decisions = session.scalars(select(Decision).where(Decision.id.in_({row.decision_id for row in rows}))).all()
        views = {view.decision.id: view for view in _views(session, decisions, every, FOREVER)}
    searched = _searched(session, {row.decision_id for row in rows if row.kind == RECOURSE}, every)
    told = [_announcement(row, views.get(row.decision_id), searched.get(row.decision_id, 0)) for row in rows]
    return sorted(told) if every else told


def _searched(session: Session, decision_ids: Collection[str], every: int) -> dict[str, int]:
    """Return by decision when the end of its search for recourse leaves."""
    ended = select(Recourse).where(Recourse.decision_id.in_(decision_ids), Recourse.ended.is_not(None))
    rows = session.scalars(ended) if decision_ids else ()
    return {row.decision_id: released_at(row.asked, row.ended or 0, every) for row in rows}


def _announcement(row: Outgoing, view: Left | None, searched: int) -> Announcement:
    """Return what a row tells; `view` is its decision once all has left, None where everything leaves at once.

    `searched` is when the end of the decision's search for recourse leaves.
    """
    message = json.loads(row.body)
    state = "" if row.kind in (CORRECTION, RECOURSE) else message["state"]
    if view is None or row.kind == CORRECTION:
        return Announcement(row.created, row.decision_id, row.body, state)
    if row.kind == RECOURSE:
        at = max(row.created, searched)
        return Announcement(at, row.decision_id, canonical_bytes(message | {"at": at}), state)
    at = view.changes[message["number"]].at
    at = max(at, row.created) if "override" in message else at
    return Announcement(at, row.decision_id, canonical_bytes(message | {"at": at}), state)


def _views(session: Session, decisions: Sequence[Decision], every: int, now: int) -> list[Left]:
    identifiers = [decision.id for decision in decisions]
    rows = histories(session, identifiers)
    people = standings(session, identifiers)
    return [_view(one, rows[one.id], people.get(one.id), every, now) for one in decisions]


def _view(decision: Decision, rows: Sequence[Transition], person: Override | None, every: int, now: int) -> Left:
    """Return a decision as it has left, by all of its changes and what stands of a person's decision."""
    changes = [Change(State(rows[0].state), rows[0].at, rows[0].reason)]
    for row in rows[1:]:
        at = released_at(decision.received, row.at, every)
        # None leaves before the one that it follows, whatever clock it was written by.
        changes.append(Change(State(row.state), max(at, changes[-1].at) if every else at, row.reason))
    known = [one for one in changes[1:] if not every or one.at <= now]
    whole = len(known) == len(changes) - 1
    # A person decides about what has ended, so that this too would tell of an end.
    return Left(decision, [changes[0], *known], person if whole else None, changes[-1].at, whole)


def _is_held(change: type[Transition], every: int, now: int) -> ColumnElement[bool]:
    """Return the condition that a change of a decision in the same query has not left."""
    return and_(change.number > 0, ~has_left(Decision.received, change.at, every, now))
