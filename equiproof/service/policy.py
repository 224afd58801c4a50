"""What may leave: no letter and no bundle that a certificate or a person's decision could contradict."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import ColumnElement, SQLColumnExpression, and_

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec, decimal
from equiproof.circuits.tables import say
from equiproof.circuits.units import cut, largest_shown
from equiproof.service.settings import PolicySettings, SettingsError
from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.tables import Certificate
from equiproof.verifier.certificate import parse_certificate

PENDING_REASON = "the certificate is not there yet, and the policy holds letters until then"
REVIEW_REASON = "a person decides about this applicant first"


class HeldError(ValueError):
    """Something that may not leave, or not yet; one line that says why, for the owner's programs and officers alone."""

    exit_code: ClassVar[int] = MISUSED


def may_leave(
    state: State, label: int | None, certificate: Certificate | None, policy: PolicySettings, overridden: bool
) -> None:
    """Raise HeldError unless an applicant may have a decision in writing whose model gave this label.

    `overridden`: a person has decided. Then there is nothing to wait for, and the paper gives that person's decision,
    unless a certificate states the model's: the two must not both leave. A certificate whose radius is too small never
    leaves, so that beside it a person's decision does, which `overrides.is_open` lets them make. `min_radius` is
    compared with the radius that the certificate gives in words, which is rounded down, so that a smaller one never
    passes.
    """
    if certificate is not None:
        _refuse_certificate(state, label, certificate, policy, overridden)
    elif state == State.CERTIFIED:
        raise HeldError("certified, and the certificate is no longer kept")
    elif overridden:
        return
    elif state == State.REVIEW or label is None:
        raise HeldError(REVIEW_REASON)
    elif policy.hold_letter_until_certified or policy.min_radius is not None:
        raise HeldError(PENDING_REASON if state in WAITING_STATES else REVIEW_REASON)


def _refuse_certificate(
    state: State, label: int | None, row: Certificate, policy: PolicySettings, overridden: bool
) -> None:
    """Raise HeldError for a certificate beside which nothing may leave."""
    certificate = parse_certificate(row.body, "certificate")
    if overridden and too_small(row, policy):
        return
    if overridden:
        raise HeldError("a person has decided, and a certificate states the model's decision: settle which one stands")
    if certificate.statement.label != label or state != State.CERTIFIED:
        raise HeldError("the certificate does not state this decision")
    if too_small(row, policy):
        raise HeldError(f"the certificate's radius is below {policy.min_radius}, the least that the policy lets out")


def released_at(received: int, at: int, every: int) -> int:
    """Return when a change leaves that a decision had at `at`, all in microseconds; at once where `every` is 0.

    Otherwise at the first multiple of `every` after the receipt that is not before the change, so that nobody who waits
    for it learns how long the search took. Not before the first multiple, even if a worker's clock is behind.
    """
    return received + max(1, -((received - at) // every)) * every if every else at


def has_left(
    received: SQLColumnExpression[int],
    at: SQLColumnExpression[int] | SQLColumnExpression[int | None],
    every: int,
    now: int,
) -> ColumnElement[bool]:
    """Return, as the condition of a query, whether `released_at` is not after `now`; `every` is above 0."""
    last = received + (now - received) // every * every
    return and_(at <= last, last > received)


def too_small(row: Certificate, policy: PolicySettings) -> bool:
    """Return whether a certificate's radius, as it gives it in words, is below the policy's least."""
    if policy.min_radius is None:
        return False
    radius = parse_certificate(row.body, "certificate").reading.radius_any
    return decimal(radius, "radius") < decimal(policy.min_radius, "policy.min_radius")


def refuse_unreachable(name: str, spec: Spec, policy: PolicySettings) -> None:
    """Raise SettingsError where no certificate of the model of this name can have the policy's least radius.

    Compared is the radius in words, as for a certificate: at the largest level of the spec, or at the end of its scale.
    """
    most = cut(largest_shown(spec))
    if policy.min_radius is not None and decimal(policy.min_radius, "policy.min_radius") > most:
        why = say("lot.radius_unreachable", most=f"{most:.6f}", required=policy.min_radius)
        raise SettingsError(f"policy.{why}: the model {name}")
