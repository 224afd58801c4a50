"""Child processes that prove, each with the key loaded; one that dies is replaced, and costs the job that was in it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from queue import SimpleQueue
from typing import ClassVar, Protocol, Self, TypeVar

from equiproof.service.worker.child import Order, Outcome, begin, prove
from equiproof.service.worker.patience import Patience, allowed_seconds

LOOK_SECONDS = 1.0
"""How often a prover that works is looked at."""


class DiedError(Exception):
    """The process died that was proving; whether the job is to blame is not known. One line."""

    outcome: ClassVar[str] = "died"

    def __init__(self, message: str = "the prover stopped") -> None:
        super().__init__(message)


class HungError(DiedError):
    """The process was ended that was proving, since it took far longer than it may."""

    outcome: ClassVar[str] = "hung"


class EndedError(DiedError):
    """The process was ended that was proving, since somebody wanted that."""

    outcome: ClassVar[str] = "cancelled"


class Ordered(Protocol):
    """What a prover is told: where the keys are, how many seconds it may search, and of which decision it is."""

    @property
    def keys(self) -> Path:
        """The folder of keys."""

    @property
    def max_seconds(self) -> float:
        """How long a search may take."""

    @property
    def decision(self) -> str:
        """The id by which its prover is ended."""


Told = TypeVar("Told", bound=Ordered)
Result = TypeVar("Result")


@dataclass
class _Work:
    """What a prover works on; `starves` where it gets no processor, `unwanted` where it is to be ended."""

    decision: str
    starves: bool = False
    unwanted: bool = False


class Provers:
    """So many processes, each proving one decision at a time; starting one takes seconds, so they wait for jobs.

    `starve` tells whether all that work get no time.
    """

    def __init__(self, count: int, megabytes: int, *, stands_back: bool = True) -> None:
        """Start them; where one `stands_back`, it takes what time the others leave."""
        self._begin = partial(begin, megabytes, stands_back=stands_back)
        self._count = count
        self._works: dict[int, _Work] = {}
        self._free: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        for _ in range(count):
            self._free.put(self._new())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the proofs that have begun, and end the processes."""
        for _number in range(self._count):
            self._free.get().shutdown()

    @property
    def working(self) -> int:
        """How many prove now."""
        return len(self._works)

    @property
    def starve(self) -> bool:
        """Whether provers work, and other programs leave none of them a processor."""
        works = list(self._works.values())
        return bool(works) and all(one.starves for one in works)

    def end(self, decision: str) -> None:
        """Have the prover of a decision ended with its next look; where none has it, nothing happens."""
        for one in list(self._works.values()):
            one.unwanted |= one.decision == decision

    def __call__(self, order: Order) -> Outcome:
        """Have a decision proven as soon as a process is free; raises DiedError and what proving raises."""
        return self.do(prove, order)

    def do(self, work: Callable[[Told], Result], order: Told, proofs: int = 1) -> Result:
        """Have work with up to so many proofs done as soon as a process is free; raises as a call does."""
        process = self._free.get()
        try:
            return self._result(process, process.submit(work, order), order, proofs)
        except (BrokenProcessPool, BrokenPipeError, DiedError) as error:
            # The pipe breaks where the process dies while it is being started.
            process.shutdown(wait=False, cancel_futures=True)
            process = self._new()
            raise (error if isinstance(error, DiedError) else DiedError()) from None
        finally:
            self._free.put(process)

    def _result(self, pool: ProcessPoolExecutor, future: Future[Result], order: Ordered, proofs: int) -> Result:
        """Wait for an outcome; a process that takes too long, or is unwanted, is ended: HungError or EndedError."""
        (process,) = pool._processes.values()  # noqa: SLF001 -- pools name their processes nowhere else
        patience = Patience(process.pid or 0)
        allowed = allowed_seconds(order.keys, order.max_seconds, proofs)
        self._works[id(future)] = work = _Work(order.decision)
        try:
            while True:
                work.starves = patience.starves
                try:
                    return future.result(LOOK_SECONDS)
                except TimeoutError:
                    if future.done():
                        raise
                if work.unwanted:
                    process.kill()
                    raise EndedError("the prover was ended")
                if patience.look(LOOK_SECONDS) > allowed:
                    process.kill()
                    raise HungError(f"the prover did not end in {allowed:.0f} s, and was ended")
        finally:
            del self._works[id(future)]

    def _new(self) -> ProcessPoolExecutor:
        # One pool for each process: in a common one a process that dies would take the others' jobs with it. And a
        # process that is forked from one with threads may hang, and this one has threads.
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=self._begin)
