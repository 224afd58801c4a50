"""Worker processes that each certify one query at a time, and end whenever the run ends.

A worker is a fresh interpreter that reads the model and then queries from a socket. Unlike the standard library's pools
it does not import the caller's main module again, so a script needs no guard and a notebook works. It is never forked,
so it inherits no threads and no state of a native library. A terminal sends Ctrl-C to every process: workers block it
from the start, and the process that waits for the results handles it.
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
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TypeVar

from equiproof.certify.errors import RunError
from equiproof.certify.many.journal import Query
from equiproof.certify.many.point import Limits, PointResult
from equiproof.certify.many.pointwise import certify_point
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

T = TypeVar("T")

Finished = tuple[Query, PointResult]
Setting = tuple[QuantisedNetwork, Spec, Limits]

_PROGRAM = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import serve; serve()"


def each(setting: Setting, queries: Sequence[Query], count: int) -> Generator[Finished, None, None]:
    """Yield queries with their results, as `count` workers finish them; closing the generator ends the workers.

    Raises the errors of a search, and RunError where a worker was ended from outside.
    """
    workers: dict[Connection, subprocess.Popen[bytes]] = {}
    ahead = iter(queries)
    try:
        with _interrupts_held_back():
            for _ in range(count):
                link, process = _start()
                workers[link] = process
        for link in workers:
            _told(workers, link, lambda link: link.send(setting))
            _next(workers, link, ahead)
        left = len(queries)
        while left:
            ready = wait(list(workers))
            for link in [link for link in workers if link in ready]:
                found = _told(workers, link, Connection.recv)
                if isinstance(found, Exception):
                    raise found
                _next(workers, link, ahead)
                left -= 1
                yield found
    finally:
        with _interrupts_held_back():
            _end(workers)


def processors() -> int:
    """Return the number of processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def serve() -> None:
    """Certify the queries that arrive on the socket of standard input, until it is closed."""
    threading.Thread(target=_end_with, args=(int(sys.argv[2]),), daemon=True).start()
    with Connection(os.dup(0)) as parent:
        try:
            network, spec, limits = parent.recv()
            while True:
                parent.send(_answer(network, spec, parent.recv(), limits))
        except (EOFError, OSError):
            return


def _answer(network: QuantisedNetwork, spec: Spec, query: Query, limits: Limits) -> Finished | Exception:
    """Certify one query; return an error for the waiting process to raise."""
    try:
        return query, certify_point(network, spec, query, limits)
    except Exception as error:  # noqa: BLE001  # raised again by `each`
        return error


def _start() -> tuple[Connection, subprocess.Popen[bytes]]:
    """Start a worker whose standard input is one end of a socket pair; return the other end and the worker."""
    ours, theirs = socket.socketpair()
    with theirs:
        words = [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), str(os.getpid())]
        process = subprocess.Popen(words, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)  # noqa: S603  # this very interpreter
    return Connection(ours.detach()), process


def _next(workers: dict[Connection, subprocess.Popen[bytes]], link: Connection, ahead: Iterator[Query]) -> None:
    """Give a worker the next query, if there is one."""
    query = next(ahead, None)
    if query is not None:
        _told(workers, link, lambda link: link.send(query))


def _told(
    workers: dict[Connection, subprocess.Popen[bytes]], link: Connection, exchange: Callable[[Connection], T]
) -> T:
    """Exchange a message with a worker; raises RunError where the worker has ended."""
    try:
        return exchange(link)
    except (EOFError, OSError):
        code = workers[link].wait()
        raise RunError(
            f"a process of this run was ended from outside (exit code {code}), perhaps for lack of memory;  "
            "go on with fewer jobs"
        ) from None


def _end(workers: dict[Connection, subprocess.Popen[bytes]]) -> None:
    """End every worker; a worker holds no state that has to be saved."""
    for link, process in workers.items():
        link.close()
        process.kill()
    for process in workers.values():
        process.wait()


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
