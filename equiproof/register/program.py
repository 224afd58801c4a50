"""The program that writes logs, `equiproof-log`: where it is, and becoming it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from equiproof.register.errors import LogError

PROGRAM = "equiproof-log"
VARIABLE = "EQUIPROOF_LOG"

_PACKAGES = ("equiproof.ffi", "equiproof_log")
"""Where `make log` leaves it, and the package of the wheel equiproof-log."""


def find() -> Path:
    """Return the program: that of the variable EQUIPROOF_LOG, else that of a checkout or a wheel, else on the PATH.

    Raises LogError where there is none.
    """
    if named := os.environ.get(VARIABLE):
        if not os.access(named, os.X_OK) or Path(named).is_dir():
            raise LogError(f"{VARIABLE} names {named}, which is no program")
        return Path(named)
    for package in _PACKAGES:
        module = find_spec(package)
        for folder in (module.submodule_search_locations or ()) if module else ():
            if os.access(beside := Path(folder) / PROGRAM, os.X_OK):
                return beside
    if on_path := shutil.which(PROGRAM):
        return Path(on_path)
    raise LogError(
        f"{PROGRAM} is not installed: pip install 'equiproof[log]', or `make log` in a checkout; {VARIABLE} can name it"
    )


def become(words: Sequence[str]) -> NoReturn:
    """Run the program in the place of this process, so that signals and exit code are its own; raises LogError."""
    program = find()
    sys.stdout.flush()
    try:
        os.execv(program, [str(program), *words])  # noqa: S606 -- no shell, and the program that was looked for
    except OSError as error:
        raise LogError(f"{program}: {error.strerror}") from None
