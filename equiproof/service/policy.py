"""What may leave: no letter and no bundle that a certificate or a person's decision could contradict."""

from __future__ import annotations

from typing import Any, ClassVar

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import decimal
from equiproof.service.decisions import MICROSECONDS
from equiproof.service.settings import PolicySettings
from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.tables import Certificate, Decision
from equiproof.verifier.certificate import parse_certificate

PENDING_REASON = "the certificate is not there yet, and the policy holds letters until then"
EARLY_REASON = "made, and the policy lets it leave at the next multiple of release_every_seconds"
REVIEW_REASON = "a person decides about this applicant first"


class HeldError(ValueError):
    """Something that may not leave, or not yet; one line that says why, for the owner's programs and officers alone."""

    exit_code: ClassVar[int] = MISUSED


def may_leave(decision: Decision, certificate: Certificate | None, policy: PolicySettings, overridden: bool) -> None:
    """Raise HeldError unless an applicant may have this decision in writing.

    `overridden`: a person has decided. Then there is nothing to wait for, and the paper gives that person's decision,
    unless a certificate states the model's: the two must not both leave. A certificate whose radius is too small never
    leaves, so that beside it a person's decision does, which `overrides.is_open` lets them make. `min_radius` is
    compared with the radius that the certificate gives in words, which is rounded down, so that a smaller one never
    passes.
    """
    if certificate is not None:
        _refuse_certificate(decision, certificate, policy, overridden)
    elif decision.state == State.CERTIFIED:
        raise HeldError("certified, and the certificate is no longer kept")
    elif overridden:
        return
    elif decision.state == State.REVIEW or decision.label is None:
        raise HeldError(REVIEW_REASON)
    elif policy.hold_letter_until_certified or policy.min_radius is not None:
        raise HeldError(PENDING_REASON if decision.state in WAITING_STATES else REVIEW_REASON)


def _refuse_certificate(decision: Decision, row: Certificate, policy: PolicySettings, overridden: bool) -> None:
    """Raise HeldError for a certificate beside which nothing may leave."""
    certificate = parse_certificate(row.body, "certificate")
    if overridden and too_small(row, policy):
        return
    if overridden:
        raise HeldError("a person has decided, and a certificate states the model's decision: settle which one stands")
    if certificate.statement.label != decision.label or decision.state != State.CERTIFIED:
        raise HeldError("the certificate does not state this decision")
    if too_small(row, policy):
        raise HeldError(f"the certificate's radius is below {policy.min_radius}, the least that the policy lets out")


def refuse_early(decision: Decision, certificate: Certificate | None, policy: PolicySettings, now: int) -> None:
    """Raise HeldError for papers about a certificate before their time; `now` is in microseconds since 1970.

    They leave at the first multiple of the policy's seconds after the decision, so that nobody who waits for them
    learns how long the search took.
    """
    every = policy.release_every_seconds * MICROSECONDS
    if certificate is not None and every and released_by(decision.received, every, now) < certificate.made:
        raise HeldError(EARLY_REASON)


def released_by(received: Any, every: int, now: int) -> Any:
    """Return the last release of a decision's papers, in microseconds: what was made by then has left.

    `received` is a time, or the column of it in a query.
    """
    return received + (now - received) // every * every


def too_small(row: Certificate, policy: PolicySettings) -> bool:
    """Return whether a certificate's radius, as it gives it in words, is below the policy's least."""
    if policy.min_radius is None:
        return False
    radius = parse_certificate(row.body, "certificate").reading.radius_any
    return decimal(radius, "radius") < decimal(policy.min_radius, "policy.min_radius")
