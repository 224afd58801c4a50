"""Numbers for whoever watches the service: those of all processes, and of the database as it stands."""

from __future__ import annotations

from contextlib import suppress

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from sqlalchemy.orm import Session

from equiproof.service.clock import now as current
from equiproof.service.numbers import MICROSECONDS, Number, Numbers, kept_rows
from equiproof.service.store import queries
from equiproof.service.store.database import Database, UnavailableError

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

AGES = (0, 60, 600, 3600, 24 * 3600)
"""Seconds: how many decisions have waited for at least so long is a number each."""

DATABASE_NUMBERS = {
    "equiproof_waiting_certificates": Number(
        "gauge", "Decisions that have waited for a certificate at least so many seconds.", ("model", "least")
    ),
    "equiproof_oldest_waiting_seconds": Number("gauge", "How long the oldest of them has waited.", ("model",)),
    "equiproof_without_certificate_seconds": Number("gauge", "How long no proof has ended while some wait."),
    "equiproof_waiting_recourse": Number("gauge", "Decisions whose recourse was asked for and waits.", ("model",)),
    "equiproof_oldest_recourse_seconds": Number("gauge", "How long the oldest of them has waited.", ("model",)),
    "equiproof_outbox_waiting": Number("gauge", "Entries and messages not sent yet.", ("kind", "endpoint")),
}
"""The numbers of the database, which no process counts."""


class Metrics:
    """The numbers of a web process, and what shows those of all."""

    def __init__(self) -> None:
        self.numbers = Numbers("web", current())

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer; `route` is the template of the path, never the path."""
        self.numbers.add("equiproof_requests", 1, method, route, str(status))
        self.numbers.observe("equiproof_request_seconds", seconds, route)

    def decided(self, model: str, state: str) -> None:
        """Count a decision."""
        self.numbers.add("equiproof_decisions", 1, model, state)

    def limited(self, number: int) -> None:
        """Count applications that the limit by person has refused."""
        self.numbers.add("equiproof_person_limit", number)

    def text(self, database: Database, now: int) -> bytes:
        """Return all numbers as Prometheus reads them; raises UnavailableError."""
        # Written first: another web process that is asked next must not show less than this one.
        with suppress(UnavailableError):
            self.numbers.keep(database, now)
        with database.reading() as session:
            return self.numbers.text(kept_rows(session)) + _of_database(session, now)


def _of_database(session: Session, now: int) -> bytes:
    """Return the numbers of the database."""
    registry = CollectorRegistry()
    waiting, oldest, silence, recourse, oldest_recourse, outbox = (
        Gauge(name, number.says, number.labels, registry=registry) for name, number in DATABASE_NUMBERS.items()
    )
    queue = queries.queue(session, now, [age * MICROSECONDS for age in AGES])
    for model, (since, counts) in queue.items():
        oldest.labels(model).set(0 if since is None else max(0, now - since) / MICROSECONDS)
        for age, count in zip(AGES, counts, strict=True):
            waiting.labels(model, str(age)).set(count)
    since = min((since for since, _ in queue.values() if since is not None), default=None)
    silence.set(queries.without_certificate(session, now, since) / MICROSECONDS)
    for model, (asked, count) in queries.recourse_queue(session).items():
        recourse.labels(model).set(count)
        oldest_recourse.labels(model).set(0 if asked is None else max(0, now - asked) / MICROSECONDS)
    for (kind, target), count in queries.outbox_waiting(session).items():
        outbox.labels(kind, target).set(count)
    return generate_latest(registry)
