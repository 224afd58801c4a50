"""The entrance of the program, `equiproof` and `python -m equiproof`: Ctrl-C is one line from the first import on."""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
MISUSED = 2

_IDLE = "OPENBLAS_THREAD_TIMEOUT"
"""How long numpy's threads, which start as it is imported, look for work before they sleep: 2 to this power ticks."""

_YOUNG = 150_000
"""How many new objects it takes until cycles are looked for: modules, rows and trees are many objects, few of them."""


def main() -> None:
    """Import the command line and run it."""
    gc.set_threshold(_YOUNG)
    os.environ.setdefault(_IDLE, "4")  # the least that there is: most commands never give those threads any work
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)  # until the command line can say it itself
    try:
        from equiproof.cli.main import main as command
    except ModuleNotFoundError as error:
        # Without the packages of the base requirements there is no command line that could say so.
        from equiproof.cli import failures

        if failures.missing_package(error) is None:
            raise
        sys.stderr.write(f"equiproof: {failures.one_line(error)}\n")
        sys.exit(MISUSED)
    try:
        command()
    finally:
        # The process ends: to look for cycles in all that was imported takes a tenth of a short command. With torch it
        # takes place, since its bindings report each object that is left as a leak.
        if "torch" not in sys.modules:
            gc.freeze()


def _leave(_number: int, _frame: FrameType | None) -> None:
    """End the process at once: nothing is open yet, and an exception inside a callback of an import would be lost."""
    os.write(2, b"equiproof: interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
