"""The numbers of each process, kept in the database, so that one question to any web process shows those of all.

Labels are routes, states, models, endpoints and kinds, and nobody's data: a name or a label that :data:`NUMBERS` does
not have is shown nowhere, also where somebody has written it into the database.
"""

from __future__ import annotations

import logging
import os
import platform
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from threading import Event, Lock, Thread
from typing import Any, TypeVar, cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from equiproof.service.store.database import Database, UnavailableError
from equiproof.service.store.tables import ProcessNumbers

MICROSECONDS = 1_000_000
BEAT_SECONDS = 10.0
FORGOTTEN = 3600 * MICROSECONDS
"""After so many microseconds without a beat a process is no longer shown, and its row is deleted."""

MAX_HOST = 96

REQUEST_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
PROOF_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)


Kind = TypeVar("Kind", Counter, Gauge, Histogram)

_log = logging.getLogger("equiproof.service.numbers")


@dataclass(frozen=True)
class Number:
    """What a number says, its kind for Prometheus, its labels beside `process`, and the steps of a histogram."""

    kind: str
    says: str
    labels: tuple[str, ...] = ()
    steps: tuple[float, ...] = ()


NUMBERS = {
    "equiproof_build_info": Number("gauge", "1, for each process with its release.", ("kind", "version", "python")),
    "equiproof_process_start_timestamp_seconds": Number("gauge", "When the process began.", ("kind",)),
    "equiproof_process_seen_timestamp_seconds": Number("gauge", "When it last wrote its numbers.", ("kind",)),
    "equiproof_requests": Number("counter", "Requests answered.", ("method", "route", "status")),
    "equiproof_request_seconds": Number("histogram", "Time to the answer.", ("route",), REQUEST_SECONDS),
    "equiproof_decisions": Number("counter", "Decisions made, by their first state.", ("model", "state")),
    "equiproof_person_limit": Number("counter", "Applications refused by the limit of decisions by person."),
    "equiproof_proof_seconds": Number(
        "histogram", "Time of an attempt to prove, by what it ended with.", ("model", "outcome"), PROOF_SECONDS
    ),
    "equiproof_recourse_seconds": Number(
        "histogram",
        "Time of a search for recourse with its proofs, by what it found.",
        ("model", "outcome"),
        PROOF_SECONDS,
    ),
    "equiproof_prover_deaths": Number("counter", "Provers that died at work, or hung and were ended.", ("cause",)),
    "equiproof_provers": Number("gauge", "Provers that a worker has, and those that are at work.", ("state",)),
    "equiproof_log_done": Number("counter", "Entries that the public log took, and proofs that came.", ("part",)),
    "equiproof_log_failures": Number("counter", "Steps that the public log refused, or did not answer.", ("part",)),
    "equiproof_log_success_timestamp_seconds": Number("gauge", "When the public log last did something.", ("part",)),
    "equiproof_webhook_messages": Number("counter", "Messages sent to an endpoint.", ("endpoint", "outcome")),
    "equiproof_webhook_success_timestamp_seconds": Number(
        "gauge", "When an endpoint last took a message.", ("endpoint",)
    ),
}
"""The numbers that processes count, each for itself."""


class Numbers:
    """The numbers of one process. Threads may count at once."""

    def __init__(self, kind: str, began: int) -> None:
        """Take what the process does, such as "worker", and when it began, in microseconds."""
        self.process = f"{kind} {socket.gethostname()[:MAX_HOST]} {os.getpid()}"
        self._kind = kind
        self._registry = CollectorRegistry()
        self._made: dict[str, Counter | Gauge | Histogram] = {}
        self._lock = Lock()
        self._writing = Lock()
        self._about = {"process": self.process, "version": version("equiproof"), "python": platform.python_version()}
        self.set("equiproof_build_info", 1, kind, self._about["version"], self._about["python"])
        self.set("equiproof_process_start_timestamp_seconds", began / MICROSECONDS, kind)

    def add(self, name: str, amount: float, *labels: str) -> None:
        """Add to a counter; raises KeyError for a name that `NUMBERS` has not."""
        self._of(name, Counter, labels).inc(amount)

    def set(self, name: str, value: float, *labels: str) -> None:
        """Set a gauge; raises KeyError for a name that `NUMBERS` has not."""
        self._of(name, Gauge, labels).set(value)

    def follow(self, name: str, value: Callable[[], float], *labels: str) -> None:
        """Have a gauge ask for its value; raises KeyError for a name that `NUMBERS` has not."""
        self._of(name, Gauge, labels).set_function(value)

    def observe(self, name: str, value: float, *labels: str) -> None:
        """Add a value to a histogram; raises KeyError for a name that `NUMBERS` has not."""
        self._of(name, Histogram, labels).observe(value)

    def keep(self, database: Database, now: int) -> None:
        """Write all numbers as they are into the process's row, and forget processes that have long been silent.

        Raises UnavailableError.
        """
        # One thread at a time: two would both add the row.
        with self._writing, database.transaction() as session:
            self._keep(session, now)

    def _keep(self, session: Session, now: int) -> None:
        """Write the row in a transaction."""
        self.set("equiproof_process_seen_timestamp_seconds", now / MICROSECONDS, self._kind)
        text = generate_latest(self._registry).decode()
        # A time that is not yet was written while a clock was ahead.
        silent = (ProcessNumbers.seen < now - FORGOTTEN) | (ProcessNumbers.seen > now + FORGOTTEN)
        session.execute(delete(ProcessNumbers).where(silent, ProcessNumbers.name != self.process))
        session.merge(ProcessNumbers(name=self.process, seen=now, numbers=text))

    @contextmanager
    def kept(self, database: Database, clock: Callable[[], int]) -> Iterator[None]:
        """Write them now and then while the block runs, and a line when it begins and when it ends.

        A database that is away is waited for.
        """
        say = partial(logging.getLogger(f"equiproof.service.{self._kind}").info, extra={"fields": self._about})
        stopped = Event()

        def keep() -> None:
            while True:
                with suppress(UnavailableError):  # what needs the database says so
                    self.keep(database, clock())
                if stopped.wait(BEAT_SECONDS):
                    return

        thread = Thread(target=keep, name="numbers", daemon=True)
        thread.start()
        say("begins")
        try:
            yield
        finally:
            stopped.set()
            thread.join()
            say("ends")

    def text(self, rows: Iterable[tuple[str, str]]) -> bytes:
        """Return these numbers and those of rows, each a process and its text, as Prometheus reads them."""
        shown = CollectorRegistry(auto_describe=False)
        own = (self.process, generate_latest(self._registry).decode())
        shown.register(_Merged([*(row for row in rows if row[0] != self.process), own]))
        return generate_latest(shown)

    def _of(self, name: str, kind: type[Kind], labels: tuple[str, ...]) -> Kind:
        """Return a number, made when it is first asked for."""
        number = NUMBERS[name]
        if number.kind != kind.__name__.lower():
            raise KeyError(name)
        with self._lock:
            if (made := self._made.get(name)) is None:
                more: dict[str, Any] = {"buckets": number.steps} if number.steps else {}
                made = kind(name, number.says, number.labels, registry=self._registry, **more)
                self._made[name] = made
        known = cast("Kind", made)
        return known.labels(*labels) if labels else known


class _Merged(Collector):
    """The numbers of processes, each with the label `process`; what `NUMBERS` does not know is left out."""

    def __init__(self, rows: Sequence[tuple[str, str]]) -> None:
        self._rows = rows

    def collect(self) -> Iterator[Metric]:
        """Return each number once, with the samples of all processes."""
        families = {name: Metric(name, number.says, number.kind) for name, number in NUMBERS.items()}
        for process, text in self._rows:
            for name, sample, labels, value in _samples(process, text):
                families[name].add_sample(sample, {"process": process, **labels}, value)
        return (family for family in families.values() if family.samples)


def _samples(process: str, text: str) -> list[tuple[str, str, dict[str, str], float]]:
    """Return the samples of a process's text, each behind the name of its number; none of a text that is none."""
    found = []
    try:
        for family in text_string_to_metric_families(text):
            if (number := NUMBERS.get(family.name)) is None or number.kind != family.type:
                continue
            known = {*number.labels}
            found += [
                (family.name, one.name, one.labels, one.value)
                for one in family.samples
                if {*one.labels} - {"le"} == known
            ]
    except ValueError:
        _log.warning("numbers that cannot be read", extra={"fields": {"process": process}})
        return []
    return found


def kept_rows(session: Session) -> list[tuple[str, str]]:
    """Return the processes that have written numbers, each with its text."""
    return [(row.name, row.numbers) for row in session.scalars(select(ProcessNumbers).order_by(ProcessNumbers.name))]
