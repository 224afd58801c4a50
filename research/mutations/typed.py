"""Mutants that no test notices are given to the type checker of their language, in a folder of their own.

Every build runs tsc and `make lint` runs mypy, so that types are a part of each judgement. What both say of code that
is unused or without effect does not count: a mutant leaves such code where a person would take it away.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOLDER = "typed"
"""The folder of a copy in which sources are for the type checker."""

MYPY = (sys.executable, "-m", "mypy", "-p", "equiproof", "--no-error-summary")
TSC = ("node", "node_modules/typescript/bin/tsc", "--noEmit")

_ERROR = re.compile(r"^\S+[:(]\d.*\berror\b.*$", re.MULTILINE)
"""A line of either program about a line of a source."""

_UNUSED = re.compile(r"\[(redundant-cast|redundant-expr|truthy-bool|unused-ignore)\]$|error TS6(133|192|196|198):")
"""What both say of code that is unused or without effect."""


def complaint(folder: Path, words: Sequence[str]) -> str:
    """Return the first error that a type checker finds in a folder, or nothing.

    The program ends where the checker cannot run.
    """
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    found = _ERROR.findall(done.stdout)
    if done.returncode and not found:
        sys.exit(f"mutations: {' '.join(words[:4])} fails: {(done.stderr or done.stdout).strip()[-600:]}")
    return next((line for line in found if not _UNUSED.search(line)), "")


def refuse_complaints(folder: Path, words: Sequence[str]) -> None:
    """End the program where the sources do not pass the type checker as they are."""
    if said := complaint(folder, words):
        sys.exit(f"mutations: types do not fit without a mutant: {said}")


def complaint_of(folder: Path, words: Sequence[str], file: str, changed: bytes) -> str:
    """Return the first error that a type checker finds with one file changed, or nothing.

    The file gets another date each time, in whole seconds, by which mypy sees that it has changed.
    """
    path = folder / file
    source = path.read_bytes()
    try:
        _rewrite(path, changed)
        return complaint(folder, words)
    finally:
        _rewrite(path, source)


def _rewrite(path: Path, data: bytes) -> None:
    later = int(path.stat().st_mtime) + 2
    path.write_bytes(data)
    os.utime(path, (later, later))
