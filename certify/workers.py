"""Processes that certify one query at a time each, and end with the run however it ends.

A worker is a fresh interpreter that reads the model and then queries from a socket. Unlike the standard library's
pools it does not import the caller's main module again, so that a script needs no guard and a notebook works; and it
is never forked in mid-flight of threads or a native library. A terminal sends Ctrl-C to every process: workers have it
blocked from their first instruction on, and only the process that waits for the results decides what it means.
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

from certify.errors import RunError
from certify.journal import Query
from certify.network import QuantisedNetwork
from certify.pointwise import certify_point
from certify.results import Limits, PointResult
from circuits.spec import Spec

T = TypeVar("T")

Finished = tuple[Query, PointResult]
Setting = tuple[QuantisedNetwork, Spec, Limits]

_PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from certify.workers import serve; serve()"


def each(setting: Setting, queries: Sequence[Query], count: int) -> Generator[Finished, None, None]:
    """Yield queries with what is known of them, as `count` workers finish them; closed early, it ends them.

    Raises what a search raises, and RunError where a worker was ended from outside.
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
    """Return how many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def serve() -> None:
    """Certify the queries that standard input's socket brings, until it is closed."""
    threading.Thread(target=_end_with, args=(int(sys.argv[2]),), daemon=True).start()
    with Connection(os.dup(0)) as parent:
        try:
            network, spec, limits = parent.recv()
            while True:
                parent.send(_answer(network, spec, parent.recv(), limits))
        except (EOFError, OSError):
            return


def _answer(network: QuantisedNetwork, spec: Spec, query: Query, limits: Limits) -> Finished | Exception:
    """Certify one query; what goes wrong is told where the run waits."""
    try:
        return query, certify_point(network, spec, query, limits)
    except Exception as error:  # noqa: BLE001  # raised again by `each`
        return error


def _start() -> tuple[Connection, subprocess.Popen[bytes]]:
    """Start a worker whose standard input is one end of a socket pair; return the other end with it."""
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
    """Exchange a message with a worker; raises RunError where there is none any more."""
    try:
        return exchange(link)
    except (EOFError, OSError):
        code = workers[link].wait()
        raise RunError(
            f"a process of this run was ended from outside (exit code {code}), for want of memory perhaps; "
            "go on with fewer jobs"
        ) from None


def _end(workers: dict[Connection, subprocess.Popen[bytes]]) -> None:
    """End every worker: none holds anything that its death could harm."""
    for link, process in workers.items():
        link.close()
        process.kill()
    for process in workers.values():
        process.wait()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold Ctrl-C back while workers start or end, and let it take effect afterwards.

    Blocked in this thread, it is blocked in what the thread starts, for good. Another thread may still take it, which
    runs the main thread's handler: there it is only noted.
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
    """End this process once its parent is gone, be it before this process began."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
