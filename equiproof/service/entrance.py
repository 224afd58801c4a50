"""How a process of the service begins and ends: held by its parent, and a mistake of the operator's is one line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from equiproof.circuits.exit_codes import FAULT, MISUSED
from equiproof.circuits.text import brief
from equiproof.service import logs
from equiproof.service.lifeline import hold


def enter(name: str, main: Callable[[str], int]) -> int:
    """Run a process's `main` with the settings file that the command line names; returns its exit code.

    A fault of ours is logged by its kind and places: its words may repeat what an applicant gave.
    """
    hold()
    if len(sys.argv) != 2:
        return say(f"{name}: want one word, the settings file", MISUSED)
    try:
        return main(sys.argv[1])
    except Exception as error:
        code = getattr(error, "exit_code", MISUSED if isinstance(error, OSError) else None)
        if not isinstance(code, int):
            logs.configure()
            logging.getLogger(f"{logs.OWN_LOGGER}.{name}").error("fault", exc_info=error)
            return FAULT
        return say(f"{name}: {line_of(error)}", code)


def say(line: str, code: int) -> int:
    """Say a line on standard error, and return the exit code."""
    sys.stderr.write(f"{line}\n")
    return code


def line_of(error: BaseException) -> str:
    """Return what an error says, as one line that names its file where it has one."""
    if isinstance(error, OSError) and error.filename is not None:
        return brief(f"{error.filename}: {error.strerror}")
    return brief(str(error))
