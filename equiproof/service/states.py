"""The states of a decision, and the only changes between them."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """Where a decision stands."""

    DECIDED = "decided"
    """The model decided alike for every value of the sensitive features; the certificate waits."""
    CERTIFYING = "certifying"
    """A prover is at work."""
    CERTIFIED = "certified"
    """A certificate is there, and two programs have verified it."""
    REVIEW = "review"
    """The model decides otherwise when a sensitive feature changes, or for somebody close: a person decides."""
    UNDECIDED = "undecided"
    """The search ended with nothing known; the decision stands, without a certificate."""
    FAILED = "failed"
    """Proving failed for a reason that is no finding about the model."""


TRANSITIONS: dict[State, frozenset[State]] = {
    State.DECIDED: frozenset({State.CERTIFYING}),
    State.CERTIFYING: frozenset({State.CERTIFIED, State.REVIEW, State.UNDECIDED, State.FAILED, State.DECIDED}),
    State.CERTIFIED: frozenset(),
    State.REVIEW: frozenset(),
    State.UNDECIDED: frozenset({State.CERTIFYING}),
    State.FAILED: frozenset({State.CERTIFYING}),
}
"""State -> the states that may follow. A prover that died gives its decision back: certifying -> decided."""

WAITING_STATES = frozenset({State.DECIDED, State.CERTIFYING})
"""The states that end by themselves."""


class StateError(ValueError):
    """A change of state that cannot be; a fault of the program, since no request can ask for one."""


def refuse_other(now: State, then: State) -> None:
    """Raise StateError unless `then` may follow `now`."""
    if then not in TRANSITIONS[now]:
        raise StateError(f"a decision that is {now} does not become {then}")
