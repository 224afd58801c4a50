"""Worker processes that each do one task at a time, are replaced where they die, and end whenever the run ends.

A worker is a fresh interpreter that reads the task's function and setting, and then items, from a socket. Unlike the
standard library's pools it does not import the caller's main module again, so a script needs no guard and a notebook
works. It is never forked, so it inherits no threads and no state of a native library. A terminal sends Ctrl-C to every
process: workers block it from the start, and the process that waits for the results handles it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, ClassVar, Generic, TypeVar

from equiproof.circuits.exit_codes import MISUSED

T = TypeVar("T")
Setting = TypeVar("Setting")
Item = TypeVar("Item")
Result = TypeVar("Result")

_TRIES = 2
"""How many workers may end at an item."""

_MOST_LOST_CREWS = 3
"""How many times a whole crew may end before anything is finished: then another one would end too."""

_PROGRAM = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import serve; serve()"


class WorkerError(RuntimeError):
    """Workers were ended from outside again and again, so that a result is missing."""

    exit_code: ClassVar[int] = MISUSED


def each(
    task: Callable[[Setting, Item], Result],
    setting: Setting,
    items: Iterable[Item],
    count: int,
    *,
    ended: list[int] | None = None,
) -> Generator[Result, None, None]:
    """Yield the results of a task as `count` workers finish its items; closing the generator ends the workers.

    `task` is a module's function; it, the setting, items and results are pickled. Items are taken only as workers are
    free for them. A worker that is ended from outside is replaced, and its item is done again. An item at which two
    workers ended is left out where `ended` is given, which takes the exit codes of all such workers. Raises the errors
    of the task, and WorkerError for such an item where `ended` is not given, and where workers only end.
    """
    crew = _Crew(task, setting, items, count, ended)
    try:
        yield from crew.results()
    finally:
        crew.end()


def processors() -> int:
    """Return the number of processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def serve() -> None:
    """Do the task for the items that arrive on the socket of standard input, until it is closed."""
    threading.Thread(target=_end_with, args=(int(sys.argv[2]),), daemon=True).start()
    with Connection(os.dup(0)) as parent:
        try:
            task, setting = parent.recv()
            while True:
                parent.send(_answer(task, setting, parent.recv()))
        except (EOFError, OSError):
            return


def _answer(task: Callable[[Any, Any], Any], setting: Any, item: Any) -> Any:
    """Do the task for one item; return an error for the waiting process to raise."""
    try:
        return task(setting, item)
    except Exception as error:  # noqa: BLE001  # raised again by `each`
        return error


def _start(count: int) -> tuple[Connection, subprocess.Popen[bytes]]:
    """Start one of so many workers, with its standard input at one end of a socket pair; return the other end and it.

    The native library works on its part of the processors, unless the environment says on how many: threads of all
    workers on all processors would do work ahead that is not needed.
    """
    environment = {"GOMAXPROCS": str(max(1, processors() // count)), **os.environ}
    ours, theirs = socket.socketpair()
    with theirs:
        words = [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), str(os.getpid())]
        process = subprocess.Popen(  # noqa: S603  # this very interpreter
            words, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, env=environment
        )
    return Connection(ours.detach()), process


class _Crew(Generic[Setting, Item, Result]):
    """The workers of a run, the item that each one has, and the items that have to be done again."""

    def __init__(
        self,
        task: Callable[[Setting, Item], Result],
        setting: Setting,
        items: Iterable[Item],
        count: int,
        ended: list[int] | None,
    ) -> None:
        self._assignment = (task, setting)
        self._new_attempts = ((item, 0) for item in items)
        self._repeated_attempts: list[tuple[Item, int]] = []
        self._attempts: dict[Connection, tuple[Item, int]] = {}
        self._workers: dict[Connection, subprocess.Popen[bytes]] = {}
        self._count = count
        self._exit_codes = ended
        self._losses = 0

    def results(self) -> Generator[Result, None, None]:
        """Start all workers and yield what they send; raises as :func:`each`."""
        for link in [self._start() for _ in range(self._count)]:
            self._begin(link)
        while self._attempts:
            ready = wait(list(self._attempts))
            # A copy, since each result changes who has an item.
            for link in [link for link in self._attempts if link in ready]:
                yield from self._received(link)

    def end(self) -> None:
        """End every worker; a worker holds no state that has to be saved."""
        with _interrupts_held_back():
            for link, process in self._workers.items():
                link.close()
                process.kill()
            for process in self._workers.values():
                process.wait()

    def _start(self) -> Connection:
        """Start a worker, which has no item yet."""
        with _interrupts_held_back():
            link, process = _start(self._count)
            self._workers[link] = process
        return link

    def _begin(self, link: Connection) -> None:
        """Give a new worker the task, and its first item."""
        with suppress(OSError):  # a worker that has ended already is noticed at its item
            link.send(self._assignment)
        self._give(link)

    def _give(self, link: Connection) -> None:
        """Give a worker the next item, where there is one."""
        attempt = self._repeated_attempts.pop() if self._repeated_attempts else next(self._new_attempts, None)
        if attempt is None:
            return
        self._attempts[link] = attempt
        try:
            link.send(attempt[0])
        except OSError:
            self._replace(link)

    def _received(self, link: Connection) -> Generator[Result, None, None]:
        """Yield what a worker has sent, and give it the next item; raises an error that it sent."""
        try:
            result = link.recv()
        except (EOFError, OSError):
            self._replace(link)
            return
        if isinstance(result, Exception):
            raise result
        del self._attempts[link]
        self._losses = 0
        self._give(link)
        yield result

    def _replace(self, link: Connection) -> None:
        """Have a new worker take the place of one that has ended; its item comes next, or not again."""
        item, before = self._attempts.pop(link)
        code = self._workers[link].wait()
        link.close()
        del self._workers[link]
        self._losses += 1
        again = before + 1 < _TRIES
        if self._losses == _MOST_LOST_CREWS * self._count or not (again or self._exit_codes is not None):
            raise WorkerError(
                f"processes of this run are ended from outside (exit code {code}), perhaps for lack of memory; "
                "go on with fewer jobs"
            )
        if again:
            self._repeated_attempts.append((item, before + 1))
        if self._exit_codes is not None:
            self._exit_codes.append(code)
        self._begin(self._start())


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Defer Ctrl-C while workers start or end.

    The signal is blocked in this thread, so the workers that it starts inherit the block. Another thread may still
    receive the signal and run the main thread's handler, which only records it.
    """
    noted: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    handled = threading.current_thread() is threading.main_thread() and callable(before)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if handled:
        signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if handled:
            signal.signal(signal.SIGINT, before)
    if noted:
        signal.raise_signal(signal.SIGINT)


def _end_with(parent: int) -> None:
    """End this process once its parent is gone, even if the parent ended before this process began."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
