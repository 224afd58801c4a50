"""The entrance of the program, `equiproof` and `python -m equiproof`: Ctrl-C is one line from the first import on."""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130
MISUSED = 2


def main() -> None:
    """Import the command line and run it."""
    try:
        from equiproof.cli.main import main as command

        command()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("equiproof: interrupted\n")
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        # Without the packages of the base requirements there is no command line that could say so.
        from equiproof.cli import failures

        if failures.missing_package(error) is None:
            raise
        sys.stderr.write(f"equiproof: {failures.one_line(error)}\n")
        sys.exit(MISUSED)


if __name__ == "__main__":
    main()
