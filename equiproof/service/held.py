"""`python -m equiproof.service.held PROGRAM ...`: runs what knows of no lifeline, and ends it with the parent."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.entrance import say
from equiproof.service.lifeline import hold


def main(words: Sequence[str]) -> int:
    """Run a program, pass SIGTERM and Ctrl-C on to it, and return its exit code."""
    hold()
    try:
        process = subprocess.Popen(words)  # noqa: S603 -- no shell, and the words of this process's own parent
    except OSError as error:
        return say(f"{words[0]}: {error.strerror}", MISUSED)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.terminate())
    return process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
