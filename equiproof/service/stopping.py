"""The `main` of the service's processes: until SIGTERM or Ctrl-C; `entrance` says what cannot be begun."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from equiproof.circuits.exit_codes import OK
from equiproof.service import logs
from equiproof.service.resident import settle
from equiproof.service.settings import Settings, load_settings

Run = Callable[[Settings, ExitStack, Event], None]
"""Runs a process until the event is set; what it puts on the stack is closed then, in order."""


def teller(name: str) -> Callable[[str], None]:
    """Return what writes a process's lines to its log; they hold no personal data."""
    return logging.getLogger(f"{logs.OWN_LOGGER}.{name}").info


def run_until_stopped(path: str, run: Run) -> int:
    """Run a process by a settings file; returns an exit code, and raises what settings and beginning raise.

    What has begun ends before this returns: a second SIGTERM changes nothing, SIGKILL is safe at any time.
    """
    logs.configure()
    stopped = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with ExitStack() as stack:
        settle()
        run(load_settings(Path(path)), stack, stopped)
    return OK
