"""A pipe that only the parent holds open: whose reading end closes when the parent ends, however it ends.

Every system closes the files of a process that is killed, so this needs nothing that Linux or macOS has alone.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

VARIABLE = "EQUIPROOF_LIFELINE"
"""Names the reading end to a child; nobody else sets it."""

GRACE_SECONDS = 60.0
"""How long a child that has lost its parent may take to end in order."""


class Lifeline(NamedTuple):
    """The two ends of a pipe; the parent keeps both, and its children have the reading one alone."""

    reading: int
    writing: int

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return a child's environment; start it with `reading` among the descriptors that it keeps."""
        return {**variables, VARIABLE: str(self.reading)}

    def close(self) -> None:
        """Let the children go, as the end of this process would."""
        os.close(self.writing)
        os.close(self.reading)


def lifeline() -> Lifeline:
    """Return a new one; Python opens descriptors so that no child has them unless it is given them."""
    return Lifeline(*os.pipe())


def hold(grace: float = GRACE_SECONDS) -> None:
    """Tell this process to stop once its parent has ended, and end it with its children `grace` seconds later.

    Does nothing in a process that was not started with a lifeline. Call it first in a child's `main`.
    """
    named = os.environ.pop(VARIABLE, None)
    if named is None:
        return
    reading = int(named)
    os.set_inheritable(reading, False)
    threading.Thread(target=_watch, args=(reading, grace), name="lifeline", daemon=True).start()


def _watch(reading: int, grace: float) -> None:
    """Wait for the end of the parent, which never writes."""
    while os.read(reading, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
