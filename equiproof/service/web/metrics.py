"""Numbers for whoever watches the service; labels are routes, states, models and kinds, and nobody's data."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from sqlalchemy.orm import Session

from equiproof.service.store import queries

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
MICROSECONDS = 1_000_000
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The numbers of one process; where several share an address, the label `process` tells whose an answer has."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._process = str(os.getpid())

        def counter(name: str, says: str, *labels: str) -> Counter:
            return Counter(name, says, ("process", *labels), registry=self._registry)

        self._requests = counter("equiproof_requests", "Requests answered.", "method", "route", "status")
        self._decisions = counter("equiproof_decisions", "Decisions made, by their first state.", "model", "state")
        self._limited = counter("equiproof_person_limit", "Applications refused by the limit of decisions by person.")
        self._seconds = Histogram(
            "equiproof_request_seconds",
            "Time to the answer.",
            ("process", "route"),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._waiting = Gauge(
            "equiproof_waiting_certificates", "Decisions whose certificate is not made yet.", registry=self._registry
        )
        self._oldest = Gauge(
            "equiproof_oldest_waiting_seconds", "How long the oldest of them has waited.", registry=self._registry
        )
        self._silence = Gauge(
            "equiproof_without_certificate_seconds",
            "How long no proof has ended while some wait.",
            registry=self._registry,
        )
        self._ended = Gauge(
            "equiproof_provers_ended",
            "Provers that hung and were ended, since their worker began.",
            ["worker"],
            registry=self._registry,
        )
        self._outbox = Gauge(
            "equiproof_outbox_waiting", "Entries and messages not sent yet.", ["kind"], registry=self._registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer; `route` is the template of the path, never the path."""
        self._requests.labels(self._process, method, route, str(status)).inc()
        self._seconds.labels(self._process, route).observe(seconds)

    def decided(self, model: str, state: str) -> None:
        """Count a decision."""
        self._decisions.labels(self._process, model, state).inc()

    def limited(self, number: int) -> None:
        """Count applications that the limit by person has refused."""
        self._limited.labels(self._process).inc(number)

    def text(self, session: Session, now: int) -> bytes:
        """Return all numbers as Prometheus reads them, those of the database as it stands."""
        self._waiting.set(queries.waiting(session))
        oldest = queries.oldest_waiting(session)
        self._oldest.set(0 if oldest is None else max(0, now - oldest) / MICROSECONDS)
        self._silence.set(queries.without_certificate(session, now, oldest) / MICROSECONDS)
        self._ended.clear()
        for worker, ended in queries.provers_ended(session).items():
            self._ended.labels(worker).set(ended)
        self._outbox.clear()
        for kind, count in queries.outbox_waiting(session).items():
            self._outbox.labels(kind).set(count)
        return generate_latest(self._registry)
