"""A worker from its settings: provers, jobs, and the watchdog."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from equiproof.service import attempts
from equiproof.service.clock import now
from equiproof.service.jobs import durable
from equiproof.service.jobs.heartbeat import Watchdog
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.models import Models
from equiproof.service.recourses import MARK
from equiproof.service.settings import MOST_WAYS, Settings
from equiproof.service.stopping import teller
from equiproof.service.store import migrations
from equiproof.service.store.database import Database
from equiproof.service.tracing import tracing_of
from equiproof.service.vault import load_vault
from equiproof.service.worker.alarm import Alarm
from equiproof.service.worker.certifying import Certifying, waiting_jobs
from equiproof.service.worker.look import look
from equiproof.service.worker.measuring import Measuring
from equiproof.service.worker.provers import Provers
from equiproof.service.worker.recoursing import Recoursing


def work(settings: Settings, stack: ExitStack, name: str | None = None) -> None:
    """Begin to do jobs, until `stack` is closed; `name` is the worker's, by default that of the machine.

    The name stays the same from one start to the next, so that a worker finds the jobs that it had begun. Raises
    DatabaseError for a database whose tables are not this program's, OSError and VaultError for the vault,
    SettingsError for a collector without the extra `otel`.
    """
    name = name or socket.gethostname()
    say = teller("worker")
    migrations.refuse_other(settings.database)
    database = stack.enter_context(Database(settings.database, announcing=bool(settings.webhooks)))
    client = durable.Client(settings.database)
    stack.callback(client.close)
    tracing = tracing_of(settings, stack, "worker")
    stands_back = settings.prover_priority == "idle"
    processes = stack.enter_context(Provers(settings.provers, settings.prover_megabytes, stands_back=stands_back))
    provers = tracing.wrapped("prove", processes, lambda order: tracing.link(order.trace))
    vault = load_vault(Path(settings.vault))
    kept = None if settings.log is None else KeptCertificates(Path(settings.log.certificates))
    numbers = Measuring(settings.provers, processes)
    work_on = Certifying(database, vault, provers, now, say, kept=kept, measured=numbers.attempt, name=name)
    search = partial(processes.do, look, proofs=MOST_WAYS)
    recoursing = Recoursing(database, vault, search, now, settings.recourse, say, measured=numbers.searched)
    certifying = tracing.wrapped("certify", partial(done, work_on, recoursing))
    running = set[str]()
    watchdog = Watchdog(
        database, name, client, partial(waiting_jobs, database, Models(), say), running, (now, time.monotonic)
    )
    watchdog.also(Alarm(database, settings, now, say), lambda: processes.starve)
    watchdog.obey(partial(attempts.asked, worker=name), processes.end)
    stack.enter_context(watchdog.running(say))
    stack.enter_context(numbers.kept(database))
    stack.enter_context(durable.Worker(settings.database, name, settings.provers, certifying, running))


def done(certify: Callable[[str], None], search: Callable[[str], None], job: str) -> None:
    """Do a job by its argument: certify a decision, or search its recourse."""
    if job.startswith(MARK):
        search(job.removeprefix(MARK))
    else:
        certify(job)
