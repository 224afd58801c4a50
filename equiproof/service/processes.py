"""The service as one tree of processes: what ends is started again, and what stops the first one stops them all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import IO, ClassVar

from equiproof.circuits.exit_codes import MISUSED, OK
from equiproof.circuits.text import plain
from equiproof.service.asking import send
from equiproof.service.lifeline import Lifeline, lifeline
from equiproof.service.settings import Settings

MIN_PAUSE = 0.5
MAX_PAUSE = 30.0
"""How many seconds pass before a process that has ended is started again: twice as many each time."""

STEADY_SECONDS = 60.0
"""A process that has lived for so long begins with the shortest pause again."""

DRAIN_SECONDS = 90.0
"""How long processes may take to end in order; a prover ends the proof that it has begun."""

LOOK_SECONDS = 0.1

READY_SECONDS = 5.0
"""How long a service may take to say that it is there."""

Say = Callable[[str], None]


class ProcessError(Exception):
    """A process of the service that cannot run; one line naming it."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Program:
    """A process of the tree: what it is called, its words, and what it needs in its environment."""

    name: str
    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def programs(settings: Settings, path: Path) -> tuple[Program, ...]:
    """Return the processes of a service by its settings: those that speak to log and webhooks where there are any."""
    spoken_to = {"log": settings.log is not None, "webhooks": bool(settings.webhooks)}
    others = [f"web {number}" for number in range(2, settings.web_processes + 1)]
    names = ("worker", *(name for name, is_needed in spoken_to.items() if is_needed), "web", *others)
    at = str(path.resolve())
    return tuple(
        Program(name, (sys.executable, "-m", f"equiproof.service.{name.partition(' ')[0]}", at)) for name in names
    )


class Running:
    """One program and its process, with the time from which on it may be started again."""

    def __init__(self, program: Program, line: Lifeline, output: IO[bytes] | None = None) -> None:
        self.program = program
        self._line = line
        self._output = output
        self._pause = MIN_PAUSE
        self._begun = 0.0
        self.due = 0.0
        self._starts = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process in a group of its own, so that Ctrl-C reaches the parent alone; raises ProcessError."""
        environment = self._line.environment({**os.environ, **self.program.environment})
        self._begun = time.monotonic()
        self._starts += 1
        try:
            self.process = subprocess.Popen(  # noqa: S603 -- no shell, and words of ours
                self.program.words,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                env=environment,
                pass_fds=(self._line.reading,),
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessError(f"{self.program.name}: {self.program.words[0]}: {error.strerror}") from None

    def ended(self) -> int | None:
        """Return with which code the process has just ended, and clear away what it may have left; else None."""
        if self.process is None or (code := self.process.poll()) is None:
            return None
        self.signal(signal.SIGKILL)
        self.process = None
        if time.monotonic() - self._begun >= STEADY_SECONDS:
            self._pause = MIN_PAUSE
        self.due = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, MAX_PAUSE)
        return code

    @property
    def fresh(self) -> bool:
        """Whether the process was started once, a short time ago."""
        return self._starts == 1 and time.monotonic() - self._begun < STEADY_SECONDS

    def signal(self, number: signal.Signals) -> None:
        """Send a signal: SIGKILL to everything in the process's group, any other one to the process."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if number == signal.SIGKILL:
                os.killpg(self.process.pid, number)
            elif self.process.poll() is None:
                self.process.send_signal(number)


class Tree:
    """Programs that run together until `stop` is set; `output` takes what they say, by default this process's own."""

    def __init__(
        self, programs: Sequence[Program], say: Say, stop: Event | None = None, output: IO[bytes] | None = None
    ) -> None:
        self._say = say
        self.stop = stop or Event()
        self._line = lifeline()
        self.running = [Running(program, self._line, output) for program in programs]

    def run(self, beside: Iterable[object] = ()) -> int:
        """Run the programs until `stop` is set, and take a step of `beside` after each look at them.

        A program that ends is started again after a pause. One that says by its code, soon after its first start, that
        it was started wrongly ends them all with that code: its own line on standard error says why. Later that is no
        reason to end what runs: somebody may be changing the settings. Returns an exit code.
        """
        steps = iter(beside)
        code = OK
        try:
            for one in self.running:
                one.start()
            while not self.stop.wait(LOOK_SECONDS):
                if (wrong := self._look()) is not None:
                    code = wrong
                    break
                next(steps, None)
        finally:
            self._drain()
        return code

    def _look(self) -> int | None:
        """Start again what has ended; return the exit code of a program that never can run."""
        for one in self.running:
            if (code := one.ended()) is not None:
                if code == MISUSED and one.fresh:
                    return code
                self._say(f"{one.program.name} {_how(code)}; it is started again")
            if one.process is None and time.monotonic() >= one.due:
                one.start()
        return None

    def _drain(self) -> None:
        """End all, in the order from what takes requests down to what answers it, and kill what does not end."""
        end = time.monotonic() + DRAIN_SECONDS
        for one in reversed(self.running):
            one.signal(signal.SIGTERM)
        for one in reversed(self.running):
            if one.process is not None:
                with suppress(subprocess.TimeoutExpired):
                    one.process.wait(max(0.0, end - time.monotonic()))
                one.signal(signal.SIGKILL)
                one.process.wait()
        self._line.close()


@contextmanager
def stopping(stop: Event) -> Iterator[None]:
    """Set `stop` on SIGTERM, SIGHUP and Ctrl-C while the block runs."""
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def answers(address: str) -> bool:
    """Return whether the service at an address, HOST:PORT, answers requests: also one that lacks a model's files."""
    try:
        return send(address, "GET", "/healthz", {}, None, READY_SECONDS)[0] == HTTPStatus.OK
    except (OSError, HTTPException):
        return False


def _how(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return plain(f"was ended by signal {-code}")
