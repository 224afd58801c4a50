"""Suites that are measured part by part: each part is kept as soon as it ends, so that a long run can go on later."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from bench.harness import BenchError, Progress, machine

Results = dict[str, Any]
Question = TypeVar("Question", bound="Asked")
Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Asked:
    """What every such suite asks: so many points of a part, so many seconds for each search, in so many processes.

    Only searches run side by side; set-up, proofs and verification always run alone.
    """

    points: int
    seconds: float
    jobs: int = 2
    seed: int = 1

    def told(self, *without: str) -> dict[str, Any]:
        """Return the question as plain data for the results, without what their parts tell themselves."""
        return {name: value for name, value in asdict(self).items() if name not in without}


@dataclass(frozen=True)
class Options:
    """What a run changes of a suite's question, and which parts it measures.

    `parts` names some, all by default. `resume` leaves out those that are kept. No part begins after `minutes`.
    """

    points: int | None = None
    seconds: float | None = None
    jobs: int | None = None
    parts: tuple[str, ...] = ()
    resume: bool = False
    minutes: float | None = None

    def of(self, question: Question) -> Question:
        """Return a question with these changes; raises BenchError for numbers that ask for nothing."""
        given = {name: getattr(self, name) for name in ("points", "seconds", "jobs")}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            if not value > 0:
                raise BenchError(f"--{name} {value}: want more than 0")
        return replace(question, **given)

    def one_by_one(self, suite: str, what: str) -> None:
        """Raise BenchError where several processes are asked for and what a suite times bears no other beside it."""
        if self.jobs not in (None, 1):
            raise BenchError(f"{suite}: --jobs is 1, {what} are timed one by one")


@dataclass(frozen=True)
class Plan:
    """What is measured: what was asked, as plain data that the results tell, and a call for every part by name."""

    question: Mapping[str, Any]
    parts: Mapping[str, Callable[[], Mapping[str, Any]]]


def measure(
    suite: str,
    plan: Plan,
    options: Options,
    kept: Mapping[str, Any] | None,
    keep: Callable[[Results], None],
    progress: Progress,
) -> Results:
    """Measure parts, each kept as it ends, and return the results: `machine`, `question`, and `parts` in their order.

    Kept parts stay beside new ones where some were named or `resume` is on, as long as machine, versions and question
    are the same. Raises BenchError for a part that is not there, and for kept ones that do not fit the new ones.
    """
    if unknown := [name for name in options.parts if name not in plan.parts]:
        raise BenchError(f"{suite} has no part {', '.join(unknown)}; there are {', '.join(plan.parts)}")
    head = {"suite": suite, "machine": machine(), "question": json.loads(json.dumps(plan.question))}
    stays = kept is not None and (options.resume or bool(options.parts))
    if kept is not None and stays and any(kept[name] != head[name] for name in head):
        raise BenchError(f"{suite}: what is kept was measured otherwise; measure all parts, without --resume")
    found = dict(kept["parts"]) if kept is not None and stays else {}
    todo = [name for name in options.parts or plan.parts if not (options.resume and name in found)]
    results, begun = head | {"parts": found}, time.monotonic()
    for done, name in enumerate(todo, start=1):
        if options.minutes is not None and time.monotonic() - begun > 60 * options.minutes:
            break
        found[name] = dict(plan.parts[name]())
        results = head | {"parts": {part: found[part] for part in plan.parts if part in found}}
        keep(results)
        progress(done, len(todo))
    return results


def side_by_side(call: Callable[[Task], Found], tasks: Iterable[Task], jobs: int) -> list[Found]:
    """Return what a module's function finds for every task, in order, in so many fresh processes."""
    listed: Sequence[Task] = list(tasks)
    if not listed:
        return []
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(listed))) as pool:
        return pool.map(call, listed, chunksize=1)
