"""The entrance of the program, `equiproof` and `python -m equiproof`: Ctrl-C is one line from the first import on."""

from __future__ import annotations

import signal
import sys

INTERRUPTED = 130


def main() -> None:
    """Import the command line and run it."""
    try:
        from equiproof.cli import main as command

        command()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("equiproof: interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
