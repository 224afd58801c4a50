"""Suites measured part by part: each part is kept as soon as it ends, so that a long run can continue later."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from bench.harness import BenchError, Progress, machine

Results = dict[str, Any]
Question = TypeVar("Question", bound="BaseQuestion")
Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True)
class BaseQuestion:
    """The question of every such suite: points of a part, seconds for each search, and the number of processes.

    Only searches run in parallel; set-up, proofs and verification always run alone.
    """

    points: int
    seconds: float
    jobs: int = 2
    seed: int = 1

    def as_data(self, *without: str) -> dict[str, Any]:
        """Return the question as plain data for the results, without the fields that the parts record themselves."""
        return {name: value for name, value in asdict(self).items() if name not in without}


@dataclass(frozen=True)
class Options:
    """The changes of one run to a suite's question, and the parts that it measures.

    `parts` selects some, all by default. `resume` skips those that are kept. No part starts after `minutes`. `seeds`
    are those of a question that has several, `kills` those of one that kills processes.
    """

    points: int | None = None
    seconds: float | None = None
    jobs: int | None = None
    parts: tuple[str, ...] = ()
    resume: bool = False
    minutes: float | None = None
    seeds: tuple[int, ...] = ()
    kills: int | None = None

    def of(self, question: Question) -> Question:
        """Return a question with these changes; raises BenchError for a number that is not positive, and for seeds.

        Seeds are refused where the question has no list of them, and where one is repeated; kills where it has none.
        """
        if self.kills is not None and not hasattr(question, "kills"):
            raise BenchError("--kills: this suite kills nothing")
        if self.seeds and not isinstance(getattr(question, "seeds", None), tuple):
            raise BenchError("--seeds: this suite has no list of seeds")
        if len(set(self.seeds)) < len(self.seeds):
            raise BenchError(f"--seeds {','.join(map(str, self.seeds))}: want each once")
        given: dict[str, Any] = {name: getattr(self, name) for name in ("points", "seconds", "jobs", "kills")}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            if not value > 0:
                raise BenchError(f"--{name} {value}: want more than 0")
        if self.seeds:
            given["seeds"] = self.seeds
        return replace(question, **given)

    def one_by_one(self, suite: str, what: str) -> None:
        """Raise BenchError if several processes are requested for a suite whose timings need an idle machine."""
        if self.jobs not in (None, 1):
            raise BenchError(f"{suite}: want --jobs 1, {what} are timed one by one")


@dataclass(frozen=True)
class Plan:
    """What is measured: the question, as plain data for the results, and a call for every part by name."""

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

    Kept parts stay if parts were named or `resume` is on, provided that machine, versions and question are the same.
    Raises BenchError for an unknown part, and for kept parts that differ in these.
    """
    if unknown := [name for name in options.parts if name not in plan.parts]:
        raise BenchError(f"{suite} has no part {', '.join(unknown)}; its parts are {', '.join(plan.parts)}")
    head = {"suite": suite, "machine": machine(), "question": json.loads(json.dumps(plan.question))}
    stays = kept is not None and (options.resume or bool(options.parts))
    if kept is not None and stays and any(kept[name] != head[name] for name in head):
        raise BenchError(
            f"{suite}: the kept parts have another machine, version or question; measure all parts, without --resume"
        )
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
    """Return the results of a module's function for every task, in order, computed in `jobs` fresh processes."""
    listed: Sequence[Task] = list(tasks)
    if not listed:
        return []
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(listed))) as pool:
        return pool.map(call, listed, chunksize=1)
