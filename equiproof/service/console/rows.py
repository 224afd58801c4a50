"""Decisions as lines of a table: their state, what was decided, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from equiproof.circuits.spec import Spec
from equiproof.circuits.units import radius_of_any
from equiproof.service.console import words
from equiproof.service.console.speech import heard, say
from equiproof.service.models import ModelError, Models
from equiproof.service.overrides import standings
from equiproof.service.states import State
from equiproof.service.store import overview
from equiproof.service.store.tables import Decision, Override, Transition

BADGES: dict[State, tuple[str, str]] = {
    State.REVIEW: ("warn", "look"),
    State.FAILED: ("bad", "bad"),
    State.UNDECIDED: ("unsure", "ask"),
    State.DECIDED: ("", "ring"),
    State.CERTIFYING: ("busy", "half"),
    State.CERTIFIED: ("ok", "ok"),
}
"""State -> class and icon of its tag: each state has a shape of its own."""


@dataclass(frozen=True)
class Row:
    """A decision in a list; `decided` is None where nobody has decided yet, `by` a person's name."""

    id: str
    reference: str | None
    state: State
    decided: str | None
    by: str
    stands: str
    received: str


@dataclass(frozen=True)
class _Known:
    """What was looked up about a decision."""

    decision: Decision
    spec: Spec | None
    step: Transition
    override: Override | None
    radius_squared: int | None


def rows_of(session: Session, models: Models, decisions: Sequence[Decision], zone: words.Zone, now: int) -> list[Row]:
    """Return decisions as lines, in their order."""
    ids = [decision.id for decision in decisions]
    steps = overview.last_steps(session, ids)
    persons = standings(session, ids)
    radii = overview.radii(session, ids)
    return [
        _row(
            _Known(
                decision,
                spec_of(session, models, decision.model_id),
                steps[decision.id],
                persons.get(decision.id),
                radii.get(decision.id),
            ),
            zone,
            now,
        )
        for decision in decisions
    ]


def spec_of(session: Session, models: Models, model_id: str) -> Spec | None:
    """Return the spec of a model, or None where its opening can no longer be read: lists go on without it."""
    try:
        return models.of(session, model_id).spec
    except ModelError:
        return None


def _row(known: _Known, zone: words.Zone, now: int) -> Row:
    decision = known.decision
    override = known.override
    label = decision.label if override is None else override.label
    return Row(
        decision.id,
        decision.reference,
        State(decision.state),
        None if label is None else known.spec.labels[label] if known.spec else say("label {n}", n=label),
        "" if override is None else override.name,
        _stands(known, zone, now),
        zone.short(decision.received, now),
    )


def _stands(known: _Known, zone: words.Zone, now: int) -> str:
    """Return where a decision stands."""
    if known.override is not None:
        return say("decided by a person, {when}", when=zone.short(known.override.at, now))
    state = State(known.decision.state)
    since = words.lasted(now - known.step.at)
    if state in (State.REVIEW, State.DECIDED):
        return say("waits {time}", time=since)
    if state == State.CERTIFYING:
        return say("at work for {time}", time=since)
    if state == State.CERTIFIED and known.radius_squared is not None and known.spec is not None:
        return say("radius {n}", n=words.radius(radius_of_any(known.spec, known.radius_squared)))
    return heard(known.step.reason)
