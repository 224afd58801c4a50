"""Work that waits at the same time is done together, by one thread: one transaction for many requests.

Nothing waits for company: what has come while the last work was done is the next work. Only where work follows work
closely does it begin at least `pause` seconds after the one before, so that a busy process does less of it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class _Submission(Generic[Item, Result]):
    """What somebody waits for."""

    item: Item
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Result]

    def end(self, outcome: Result | Exception) -> None:
        """Hand out the outcome, in the loop's own thread; who does not wait any more is left alone."""
        if self.future.done():
            return
        if isinstance(outcome, Exception):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class Together(Generic[Item, Result]):
    """Gives a function many at once. Close it when no more come."""

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result | Exception]], most: int, pause: float) -> None:
        """Take what does the work for up to `most` at once: it returns a result or an error for each, in their order.

        What it raises is everybody's error.
        """
        self._work = work
        self._most = most
        self._pause = pause
        self._waiting: deque[_Submission[Item, Result]] = deque()
        self._lock = Lock()
        self._busy = False
        self._begun = 0.0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="together")

    async def __call__(self, item: Item) -> Result:
        """Return the result for one, once all that was done with it is done; raises its error."""
        loop = asyncio.get_running_loop()
        submission = _Submission[Item, Result](item, loop, loop.create_future())
        with self._lock:
            self._waiting.append(submission)
            begins = not self._busy
            self._busy = True
        if begins:
            self._pool.submit(self._run)
        return await submission.future

    def close(self) -> None:
        """Do what still waits."""
        self._pool.shutdown()

    def _run(self) -> None:
        """Work until nothing waits."""
        while True:
            if (remainder := self._begun + self._pause - time.monotonic()) > 0:
                time.sleep(remainder)
            with self._lock:
                submissions = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
                self._busy = bool(submissions)
            if not submissions:
                return
            self._begun = time.monotonic()
            self._tell(submissions, self._outcomes([one.item for one in submissions]))

    def _outcomes(self, items: Sequence[Item]) -> Sequence[Result | Exception]:
        """Return an outcome for each, whatever becomes of the work."""
        try:
            return self._work(items)
        except Exception as error:  # noqa: BLE001 -- who waits must not wait for ever
            return [error] * len(items)

    @staticmethod
    def _tell(submissions: Sequence[_Submission[Item, Result]], outcomes: Sequence[Result | Exception]) -> None:
        """Hand out the outcomes; a loop is woken once for all of its own."""
        loops = dict.fromkeys(one.loop for one in submissions)
        for loop in loops:
            pairs = [(one, end) for one, end in zip(submissions, outcomes, strict=True) if one.loop is loop]
            with suppress(RuntimeError):  # a loop that has ended waits for nothing
                loop.call_soon_threadsafe(_end, pairs)


def _end(pairs: Sequence[tuple[_Submission[Item, Result], Result | Exception]]) -> None:
    """Hand out outcomes in the loop's own thread."""
    for submission, outcome in pairs:
        submission.end(outcome)
