"""`python -m equiproof.service.log SETTINGS`: sends receipts to the public log, until it is told to stop."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from equiproof.service.clock import now
from equiproof.service.entrance import enter
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.models import Models
from equiproof.service.numbers import Numbers
from equiproof.service.outbox import BATCH, Sender
from equiproof.service.public_log import PinsError, public_log
from equiproof.service.settings import Settings
from equiproof.service.stopping import run_until_stopped, teller
from equiproof.service.store import migrations
from equiproof.service.store.database import Database
from equiproof.service.tracing import tracing_of
from equiproof.service.troubles import Troubles


def main(path: str) -> int:
    """Send until SIGTERM or Ctrl-C, and end the step that has begun; raises what beginning raises."""
    return run_until_stopped(path, _run)


def _run(settings: Settings, stack: ExitStack, stopped: Event) -> None:
    if settings.log is None:
        raise PinsError("the settings have no section `log`: there is no log to send to")
    migrations.refuse_other(settings.database)
    say = teller("log")
    database = stack.enter_context(Database(settings.database))
    owner = settings.lender.owner or settings.lender.name
    log = public_log(settings.log)
    tracing = tracing_of(settings, stack, "log")
    log.append_together = tracing.wrapped("append", log.append_together)
    kept = KeptCertificates(Path(settings.log.certificates))
    numbers = Numbers("log", now())
    stack.enter_context(numbers.kept(database, now))
    every = settings.policy.release_every_seconds
    with_trail = settings.log.trail
    sender = Sender(database, Models(), log, owner, say, every, kept, numbers, with_trail=with_trail)
    troubles = Troubles(say)
    while not stopped.is_set():
        try:
            done = sender.step(now())
        except Exception as error:  # noqa: BLE001 -- whatever is away for a while, such as the database
            troubles.tell("sending", f"{type(error).__name__}; what was begun is done again")
            done = 0
        else:
            troubles.over("sending", "goes on")
        if done < BATCH:  # small steps one after the other cost more than one that is larger
            stopped.wait(settings.log.every_seconds)


if __name__ == "__main__":
    sys.exit(enter("log", main))
