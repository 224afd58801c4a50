"""`python -m equiproof.service.worker SETTINGS`: the worker of a machine, until it is told to stop."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from threading import Event

from equiproof.service.entrance import enter
from equiproof.service.settings import Settings
from equiproof.service.stopping import run_until_stopped
from equiproof.service.worker.running import work


def main(path: str) -> int:
    """Work until SIGTERM or Ctrl-C, and let the proofs that have begun end. Raises what beginning raises."""
    return run_until_stopped(path, _run)


def _run(settings: Settings, stack: ExitStack, stopped: Event) -> None:
    work(settings, stack)
    stopped.wait()


if __name__ == "__main__":
    sys.exit(enter("worker", main))
