"""Child processes that prove, each with the key loaded; one that dies is replaced, and costs the job that was in it."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from queue import SimpleQueue
from typing import Self

from equiproof.service.worker.child import Order, Outcome, begin, prove


class DiedError(Exception):
    """The process died that was proving; whether the job is to blame is not known."""


class Provers:
    """So many processes, each proving one decision at a time; starting one takes seconds, so they wait for jobs."""

    def __init__(self, count: int, megabytes: int) -> None:
        self._megabytes = megabytes
        self._count = count
        self._free: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        for _ in range(count):
            self._free.put(self._new())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the proofs that have begun, and end the processes."""
        for _number in range(self._count):
            self._free.get().shutdown()

    def __call__(self, order: Order) -> Outcome:
        """Have a decision proven as soon as a process is free; raises DiedError, and what proving raises."""
        process = self._free.get()
        try:
            return process.submit(prove, order).result()
        except (BrokenProcessPool, BrokenPipeError):
            # The pipe breaks where the process dies while it is being started.
            process.shutdown(wait=False, cancel_futures=True)
            process = self._new()
            raise DiedError from None
        finally:
            self._free.put(process)

    def _new(self) -> ProcessPoolExecutor:
        # One pool for each process: in a common one a process that dies would take the others' jobs with it. And a
        # process that is forked from one with threads may hang, and this one has threads.
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=begin, initargs=(self._megabytes,))
