"""What happened to a decision, in order: changes of state, the register, letters, a person's decisions."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from equiproof.circuits.spec import Spec
from equiproof.service.console import words
from equiproof.service.console.speech import heard, say
from equiproof.service.decisions import history
from equiproof.service.states import State
from equiproof.service.store import overview
from equiproof.service.store.tables import Decision, Letter, LogProof, Override, Transition
from equiproof.verifier.words import isolated

_WAIT_WORDS = {
    State.REVIEW: "Waits for a person",
    State.DECIDED: "Waits for a prover",
    State.CERTIFYING: "A prover works on it",
}


@dataclass(frozen=True)
class Step:
    """Something that happened, or what is waited for now; texts isolate the words of others."""

    what: str
    when: str
    now: bool = False


def steps(session: Session, decision: Decision, sensitive: str, spec: Spec, zone: words.Zone, now: int) -> list[Step]:
    """Return what happened to a decision, the first first; `sensitive` are the sensitive features in words."""
    label = "" if decision.label is None else words.reader().word(spec.labels[decision.label])
    overrides = overview.overrides(session, decision.id)
    events = [
        (decision.received, say("Received, and computed for every value of {names}", names=sensitive), ""),
        *((row.at, _changed(row, sensitive, label), "") for row in history(session, decision.id)),
        *(
            (row.at, say("Receipt in the register"), say(", entry {n}", n=words.number(row.entry)))
            for row in overview.of_decision(session, LogProof, decision.id)
        ),
        *(
            (row.made, say("Letter written ({language})", language=row.language), "")
            for row in overview.of_decision(session, Letter, decision.id)
        ),
        *((row.at, _by_person(row, spec), "") for row in overrides),
    ]
    events.sort(key=lambda one: one[0])
    happened = [Step(what, zone.exact(at, now) + more) for at, what, more in events]
    return happened + _waiting(decision, overrides != [], history(session, decision.id)[-1].at, now)


def _by_person(row: Override, spec: Spec) -> str:
    """Return a person's decision in words."""
    label = words.reader().word(spec.labels[row.label])
    return say("{name} decided: {label}", name=isolated(words.foreign(row.name)), label=label)


def _waiting(decision: Decision, is_settled: bool, since: int, now: int) -> list[Step]:
    """Return what is waited for."""
    what = _WAIT_WORDS.get(State(decision.state))
    if what is None or is_settled:
        return []
    return [Step(say(what), words.lasted(now - since), now=True)]


def _changed(row: Transition, sensitive: str, label: str) -> str:
    """Return a change of state in words."""
    state = State(row.state)
    why = isolated(words.foreign(heard(row.reason)))
    if state == State.REVIEW and not row.reason:
        return say("review: the values do not agree")
    if state == State.DECIDED and row.number == 0:
        return say("decided: {label} for every value of {names}", label=label, names=sensitive)
    if state == State.CERTIFIED:
        return say("certified, checked by two programs")
    return f"{say(str(state))}: {why}" if row.reason else say(str(state))
