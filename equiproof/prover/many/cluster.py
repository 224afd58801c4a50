"""The engine `dask://ADDRESS`: the workers of a Dask cluster, each of which loads opening and key once, by path.

What travels: a row's features and context to a worker, its certificate, query file or counterexample back. Opening, key
and owner's secret never do. Features and blindings are personal data, so the connection is encrypted, or both ends are
this machine. Whoever runs the scheduler can run programs on the workers: docs/threats-to-secrets.md.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from itertools import islice
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

from distributed import Client, KilledWorker, WorkerPlugin, as_completed
from distributed.security import Security
from distributed.utils import CancelledError

from equiproof.certify.errors import RunError
from equiproof.prover.many.task import Made, Setting, Task, forget, prove_row, ready

_PATIENCE = "10s"
"""How long the scheduler may take to answer."""

_GONE_MESSAGE = "engine: the scheduler is gone"

_TASKS_AHEAD = 2
"""How many rows each thread of a worker has waiting, so that none waits for the coordinator."""


class Loaded(WorkerPlugin):  # type: ignore[misc]  # Dask has no type information
    """Has a worker load opening and key before its first row, also one that starts or restarts later."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def setup(self, worker: Any) -> None:
        """Load; an error here is one of the whole run."""
        del worker
        ready(self._setting)

    def teardown(self, worker: Any) -> None:
        """Free the key."""
        del worker
        forget()


class Cluster:
    """The workers of a scheduler, ready to prove; use it as a context manager.

    Raises RunError where there is no scheduler or no worker, for a connection to another machine without TLS, and for a
    worker that cannot load what the setting names; ModuleNotFoundError without Dask.
    """

    def __init__(self, address: str, setting: Setting) -> None:
        self._setting = setting
        self._name = f"equiproof-{token_hex(8)}"
        security = None if _is_here(address) else _encrypted(address)
        try:
            scheme = "tcp" if security is None else "tls"
            self._client = Client(f"{scheme}://{address}", security=security, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunError(f"engine: no scheduler of Dask at {address}: {' '.join(str(error).split())[:200]}") from None

    def __enter__(self) -> Self:
        """Have every worker load opening and key."""
        try:
            self._refuse_workers()
            self._client.register_plugin(Loaded(self._setting), name=self._name)
        except BaseException as error:
            self._close()
            if isinstance(error, Exception) and not hasattr(error, "exit_code"):
                cause = " ".join(str(error).split())[:200]
                raise RunError(f"engine: a worker cannot begin: {type(error).__name__}: {cause}") from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Have the workers let go of the key, and leave the cluster as it was."""
        with suppress(Exception):  # a scheduler that is gone has nothing left to tidy
            self._client.unregister_worker_plugin(self._name)
        self._close()

    def size(self) -> int:
        """Return how many rows are proven at a time: the threads of all workers."""
        return sum(self._client.nthreads().values())

    def run(self, tasks: Iterable[Task]) -> Generator[Made, None, None]:
        """Yield what became of tasks, in the order of their ends; a row that keeps ending its workers is left out.

        The rows of a worker that dies are proven by another one. Raises RunError where the scheduler is gone, and the
        errors of :func:`.task.prove_row`.
        """
        remaining_tasks = iter(tasks)
        futures = as_completed(self._sent(remaining_tasks, 0), loop=self._client.loop)
        for future in futures:
            made = _result(future)
            del future
            if made is not None:
                yield made
            futures.update(self._sent(remaining_tasks, futures.count()))

    def _refuse_workers(self) -> None:
        """Raise RunError where there is no worker, and for one that applicants' data would reach unencrypted."""
        addresses = list(self._client.nthreads())
        if not addresses:
            raise RunError("engine: start workers, and run again: the scheduler has no worker")
        for address in addresses:
            scheme, _, place = address.partition("://")
            if scheme != "tls" and not _is_here(place):
                raise RunError(f"engine: start {address} with --tls-*: it is a worker on another machine without TLS")

    def _sent(self, remaining_tasks: Iterator[Task], sent_count: int) -> list[Any]:
        """Send as many tasks to the workers as there is room for, beside those that they have."""
        try:
            room = max(0, _TASKS_AHEAD * max(1, self.size()) - sent_count)
            return [
                self._client.submit(prove_row, self._setting, task, key=f"{self._name}-{task.row}", pure=False)
                for task in islice(remaining_tasks, room)
            ]
        except OSError:
            raise RunError(_GONE_MESSAGE) from None

    def _close(self) -> None:
        """Leave the scheduler, which drops the rows that it still holds."""
        with suppress(Exception):  # whatever has happened to the scheduler, this run is over
            self._client.close(timeout=_PATIENCE)


def _result(future: Any) -> Made | None:
    """Return what became of a task, None where it ended all workers that had it; raises as :meth:`Cluster.run`."""
    try:
        made: Made = future.result()
    except KilledWorker:
        return None
    except CancelledError:
        raise RunError(_GONE_MESSAGE) from None
    except OSError:
        if future.status == "error":  # of the task itself, on its worker
            raise
        raise RunError(_GONE_MESSAGE) from None
    return made


def _is_here(address: str) -> bool:
    """Tell whether an address is one of this machine's own, where nothing travels on a network."""
    host = address.rpartition(":")[0].strip("[]")
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _encrypted(address: str) -> Security:
    """Return Dask's own configuration of TLS; raises RunError where it names no certificates."""
    security = Security(require_encryption=True)
    if not (security.tls_ca_file and security.tls_client_cert):
        raise RunError(
            "engine: name the files of your TLS certificates in Dask's configuration (distributed.comm.tls.ca-file and "
            f".client): {address} is another machine, and applicants' data would travel there unencrypted"
        )
    return security


@contextmanager
def said_once() -> Iterator[None]:
    """Keep Dask from printing tracebacks of errors that are raised here as well, or that this run survives."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
