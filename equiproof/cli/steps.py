"""What a command does, step by step with its time: as lines of a log file (--log), and on standard error (-v).

Lines name commands, options, steps, counts and kinds of errors. They hold no value of an option, no path and no message
of an error, for these may say who an applicant is, or what is secret.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from equiproof.circuits import tables
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.files import naming
from equiproof.circuits.text import plain

FIRST_LINE = b"# equiproof log, version 1\n"

_REPORT_SECONDS = 10.0
"""How many seconds lie between two lines about the progress of one step, at least."""

Value = str | int | float


class LogError(ValueError):
    """A file that is no log, so that nothing is appended to it; one line naming it."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Steps:
    """The steps of one command: written to an open log file, if there is one, and said aloud, if wanted."""

    command: str
    handle: int | None = None
    say: Callable[[str], None] | None = None
    file: Path | None = None
    """The open log file."""

    def note(self, step: str, seconds: float | None = None, **more: Value) -> None:
        """Write one step, with the seconds that it took; a log that cannot be written any more ends no proof."""
        parts: dict[str, Value] = {} if seconds is None else {"seconds": f"{seconds:.2f}"}
        parts |= more
        if self.say is not None:
            times = [] if seconds is None else [f"{seconds:.2f} s"]
            shown = ", ".join([*times, *(f"{name} {value}" for name, value in more.items())])
            self.say(f"equiproof: {self.command}: {plain(step)}{f': {shown}' if shown else ''}")
        if self.handle is not None:
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            known: dict[str, Value] = {"time": now, "pid": os.getpid(), "command": self.command, "step": step}
            line = " ".join(f"{name}={_quoted(value)}" for name, value in (known | parts).items())
            with suppress(OSError):
                os.write(self.handle, f"{line}\n".encode())


_CURRENT_STEPS: ContextVar[Steps | None] = ContextVar("steps", default=None)


def inside() -> bool:
    """Return whether a command runs already, so that this one is a step of it."""
    return _CURRENT_STEPS.get() is not None


def passed_on() -> list[str]:
    """Return the options that make a program which takes the place of the command that runs go on with its steps."""
    steps = _CURRENT_STEPS.get() or Steps("")
    aloud = ["-v"] if steps.say is not None else []
    return aloud if steps.file is None else [*aloud, "--log", str(steps.file)]


def note(step: str, seconds: float | None = None, **more: Value) -> None:
    """Write one step of the command that runs, if any does."""
    steps = _CURRENT_STEPS.get()
    if steps is not None:
        steps.note(step, seconds, **more)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Write how long a block took, also where it ends with an error."""
    begun = time.perf_counter()
    try:
        yield
    finally:
        note(name, time.perf_counter() - begun)


@contextmanager
def stages(name: str) -> Iterator[Callable[[str], None]]:
    """Write how long each stage of a block took; call the result with the name of the one that begins."""
    current = name
    begun = time.perf_counter()

    def begin(stage: str) -> None:
        nonlocal current, begun
        if stage == current:
            return
        note(current, time.perf_counter() - begun)
        current = stage
        begun = time.perf_counter()

    try:
        yield begin
    finally:
        note(current, time.perf_counter() - begun)


def at_times(name: str) -> Callable[[int, int], None]:
    """Return what writes the progress of a step, given as (done, total): now and then, and when all is done."""
    begun = last = time.perf_counter()

    def tick(done: int, total: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= _REPORT_SECONDS or done == total:
            last = now
            note(name, now - begun, done=done, of=total)

    return tick


@contextmanager
def running(command: str, log: Path | None, say: Callable[[str], None] | None) -> Iterator[Steps]:
    """Take a command's steps while the block runs; a command inside another one writes where the outer one does.

    Raises LogError for a file that is no log, OSError where it cannot be opened.
    """
    outer = _CURRENT_STEPS.get() or Steps("")
    handle = outer.handle if log is None else _opened(log)
    token = _CURRENT_STEPS.set(Steps(command, handle, say or outer.say, log or outer.file))
    try:
        yield _CURRENT_STEPS.get() or outer
    finally:
        _CURRENT_STEPS.reset(token)
        if log is not None and handle is not None:
            os.close(handle)


def _opened(path: Path) -> int:
    """Open a log to append to it, made (0600) where there is none; raises as :func:`running`."""
    with naming(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or (status.st_size and os.pread(handle, 64, 0)[:27] != FIRST_LINE):
                raise LogError(tables.say("option.step_log_of_others", path=str(path)))
            if not status.st_size:
                os.write(handle, FIRST_LINE)
        except BaseException:
            os.close(handle)
            raise
    return handle


def _quoted(value: Value) -> str:
    """Return a value as it stands in a line: in quotation marks where it has blanks."""
    text = plain(str(value)).replace('"', "'")
    return f'"{text}"' if " " in text or not text else text
