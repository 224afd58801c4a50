"""The engines that a run can use: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from equiproof.certify.errors import RunError
from equiproof.circuits import workers
from equiproof.prover.many.task import Made, Setting, Task, forget, prove_row

LOCAL = "local"
DASK = "dask://"

Engine = Callable[[Iterable[Task]], Generator[Made, None, None]]
"""Yields what became of tasks, in the order of their ends."""


@dataclass(frozen=True)
class Crew:
    """An engine that is ready, how many rows it proves at a time, and on how many processors.

    `ended` takes the exit codes of the local processes that were ended from outside.
    """

    engine: Engine
    jobs: int
    cores: int
    ended: list[int] = field(default_factory=list)


@contextmanager
def crew(name: str, setting: Setting, jobs: int) -> Iterator[Crew]:
    """Have an engine ready: `local` with `jobs` processes (-1: one per processor), or `dask://ADDRESS`.

    Raises RunError for another name and for a cluster that cannot be used, ModuleNotFoundError without Dask.
    """
    if name == LOCAL:
        cores = workers.processors()
        count = cores if jobs == -1 else jobs
        ended: list[int] = []
        yield Crew(partial(_local, setting, count, ended), count, cores, ended)
    elif name.startswith(DASK):
        from equiproof.prover.many.cluster import Cluster, said_once

        with said_once(), Cluster(name.removeprefix(DASK), setting) as cluster:
            size = cluster.size()
            yield Crew(cluster.run, size, size)
    else:
        raise RunError(f"engine: want {LOCAL} or {DASK}ADDRESS, not {name[:60]!r}")


def _local(setting: Setting, count: int, ended: list[int], tasks: Iterable[Task]) -> Generator[Made, None, None]:
    """Yield what became of tasks, `count` at a time; one at a time is this process.

    Several share the processors: each one's proofs take its part of them. A worker that is ended from outside is
    replaced; a row at which two of them ended is left out. Raises RunError where workers only end, and the errors of
    :func:`.task.prove_row`.
    """
    try:
        if count == 1:
            yield from (prove_row(setting, task) for task in tasks)
        else:
            share = max(1, workers.processors() // count)
            yield from workers.each(prove_row, replace(setting, processors=share), tasks, count, ended=ended)
    except workers.WorkerError as error:
        raise RunError(str(error)) from None
    finally:
        forget()
