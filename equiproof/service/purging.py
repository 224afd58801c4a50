"""The care of `purge`: what it would erase, and when that is not done without asking.

A wrong clock makes every decision old. So the time is compared with the newest that the service and its log know of,
and what is unusual wants the number of decisions from the operator.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from equiproof.register.errors import LogError
from equiproof.service.links import DAY
from equiproof.service.public_log import public_log
from equiproof.service.retention import RetentionError, held, is_due
from equiproof.service.settings import LogSettings, RetentionSettings
from equiproof.service.states import WAITING_STATES
from equiproof.service.store.tables import Decision, Heartbeat

MOST_PERCENT = 10
"""Of the decisions whose data are kept, how many a purge erases without asking."""

FAR = 2 * DAY
"""How far the clock may be from the newest that is known, in microseconds, even of a service that stands still."""

_SECOND = 1_000_000


@dataclass(frozen=True)
class Due:
    """What a purge would erase: `decisions` of `kept` whose data are there, of which `waiting` have no certificate yet.

    `held` are those whose time is over as well, and that a hold keeps.
    """

    decisions: int
    kept: int
    waiting: int
    held: int


def due(session: Session, retention: RetentionSettings, now: int) -> Due:
    """Count what a purge would erase."""
    old = (Decision.received < now - retention.applicant_days * DAY) & Decision.erased.is_(None)
    which = is_due(retention, now)
    conditions = {
        "decisions": which,
        "kept": Decision.erased.is_(None),
        "waiting": which & Decision.state.in_(WAITING_STATES),
        "held": old & Decision.id.in_(held(now)),
    }
    return Due(**{name: session.scalar(select(func.count()).where(it)) or 0 for name, it in conditions.items()})


def newest(session: Session, log: LogSettings | None) -> int | None:
    """Return the newest time that rows, heartbeats or witnesses of the log name, in microseconds; None for none.

    A log that does not answer names none.
    """
    times = [session.scalar(select(func.max(column))) for column in (Decision.received, Heartbeat.beat)]
    if log is not None and log.witnesses:
        with suppress(LogError, OSError):
            times += [second * _SECOND for second in public_log(log).seen()]
    return max((one for one in times if one is not None), default=None)


def refuse_unusual(found: Due, known: int | None, now: int, most: int = MOST_PERCENT, yes: int | None = None) -> None:
    """Raise RetentionError for a purge by a clock that may be wrong, of decisions that wait, and of more than `most` %.

    `yes` is the number of decisions that the operator says are erased: where it is that number, all is as wanted.
    """
    if yes == found.decisions:
        return
    reasons = []
    if known is not None and abs(now - known) > FAR:
        days = abs(now - known) / DAY
        side = "after" if now > known else "before"
        reasons.append(f"the clock is {days:.0f} days {side} the newest decision, heartbeat or signature of a witness")
    if found.waiting:
        reasons.append(f"{found.waiting} of them wait for a certificate")
    if found.decisions * 100 > most * found.kept:
        reasons.append(f"that is more than {most} % of {found.kept}")
    if yes is not None:
        reasons = [f"--yes says {yes}"]
    if reasons:
        raise RetentionError(
            f"nothing was erased: `service purge --yes {found.decisions}` erases {found.decisions} decisions, if that"
            f" is meant; {', and '.join(reasons)}"
        )
