"""From rows to bodies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import Path
from sqlalchemy.orm import Session

from equiproof.service.clients import Caller
from equiproof.service.leaving import Left, left
from equiproof.service.models import CommittedModel
from equiproof.service.states import State
from equiproof.service.store.tables import Decision
from equiproof.service.web.bodies import EXAMPLE_ID, IDENTIFIER, DecisionBody, OverrideBody, Step
from equiproof.service.web.problems import ProblemError
from equiproof.service.web.state import Shared

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Identifier = Annotated[str, Path(pattern=IDENTIFIER, examples=[EXAMPLE_ID])]


def own(session: Session, caller: Caller, decision_id: str) -> Decision:
    """Return a decision of the caller's; that of somebody else is as little there as none."""
    decision = session.get(Decision, decision_id)
    if decision is None or decision.client != caller.client:
        raise ProblemError(404, "unknown-decision", "no such decision")
    return decision


def bodies(shared: Shared, session: Session, decisions: Sequence[Decision]) -> list[DecisionBody]:
    """Return decisions as their client sees them."""
    views = left(session, decisions, shared.settings.policy, shared.clock())
    models = {identifier: shared.models.of(session, identifier) for identifier in {one.model_id for one in decisions}}
    return [body(models[one.decision.model_id], one) for one in views]


def body(model: CommittedModel, view: Left) -> DecisionBody:
    """Return one decision. In review the model's label does not stand, since the model does not treat all alike."""
    labels = model.spec.labels
    decision, person = view.decision, view.person
    label = None if decision.label is None else labels[decision.label]
    override = None
    if person is not None:
        override = OverrideBody(label=labels[person.label], reason=person.reason, name=person.name, at=time(person.at))
    return DecisionBody(
        id=decision.id,
        model=model.name,
        reference=decision.reference,
        state=view.state,
        label=label,
        override=override,
        outcome=override.label if override else (None if view.state == State.REVIEW else label),
        received=time(decision.received),
        receipt=decision.receipt,
        history=[Step(state=one.state, at=time(one.at), reason=one.reason) for one in view.changes],
    )


def time(microseconds: int) -> datetime:
    """Return a time of the database."""
    return EPOCH + timedelta(microseconds=microseconds)
