"""The search of one applicant on several cores: seconds on one thread and on more, side by side in one run.

Threads visit boxes before their turn, and boxes take effect in turn (go-gnark/search/frontier.go), so that the result
does not depend on how many there are; a part compares all of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import apart, machine, median
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.ffi.search import Scale, leaves, nearest
from research.suites.ensembles import dumped, trained
from research.suites.kernel import MAX_LEAVES, MODELS, scale_of

Results = Mapping[str, Any]

RUNTIME = "GOMAXPROCS"
"""What the library reads when it is loaded: how many threads it works on."""

BOXES = 20_000
"""The boxes of each search: seconds would end searches on more threads later."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first fair ones of random test applicants, all of them searched `rounds` times on each number of threads."""

    points: int = 20
    seconds: float = 0.0
    jobs: int = 1
    rounds: int = 3
    datasets: tuple[str, ...] = ("german", "adult")


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes: searches are timed."""
    options.one_by_one("threads", "searches")
    asked = options.of(question or Question())
    parts = {
        f"{name}-{trees}x{depth}": partial(measured, name, (trees, depth), asked, data_dir)
        for trees, depth, _ in MODELS
        for name in asked.datasets
    }
    return Plan(asked.as_data("seconds"), parts)


def measured(name: str, model: tuple[int, int], question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Search all applicants of a model on 1, 2 and all threads, turn by turn; each run has a process of its own."""
    ensemble, rows, test = trained(name, *model, data_dir)
    fair = (rows[number] for number in shuffled(test, question.seed) if ensemble.label(rows[number]) is not None)
    problems = [dumped(ensemble.problem(query)) for query, _ in zip(fair, range(question.points), strict=False)]
    cap, scale = ensemble.spec.max_radius_squared, scale_of(ensemble.spec, model[0])
    numbers = sorted({1, 2, int(machine()["cores"])})
    seconds: dict[int, list[float]] = {threads: [] for threads in numbers}
    answers = set()
    for _ in range(question.rounds):
        for threads in numbers:
            with runtime_of(threads):
                took, answer = apart(searched, problems, cap, scale)
            seconds[threads].append(took)
            answers.add(answer)
    return {
        "points": len(problems),
        "same": len(answers) == 1,
        "seconds": {str(threads): median(took, 3) for threads, took in seconds.items()},
    }


@contextmanager
def runtime_of(threads: int) -> Iterator[None]:
    """Have processes that begin meanwhile work on so many threads."""
    before = os.environ.get(RUNTIME)
    os.environ[RUNTIME] = str(threads)
    try:
        yield
    finally:
        if before is None:
            del os.environ[RUNTIME]
        else:
            os.environ[RUNTIME] = before


def searched(problems: Sequence[str], cap: int, scale: Scale) -> tuple[float, str]:
    """Search each problem for its radius and for leaves of 0.9 of it; return the seconds, and all that was found."""
    found = []
    begun = time.perf_counter()
    for problem in problems:
        own = nearest(problem, cap, nodes=BOXES)
        found += [own, leaves(problem, 81 * own.lower2 // 100, MAX_LEAVES, scale, nodes=BOXES)]
    return time.perf_counter() - begun, repr(found)


def table(results: Results) -> str:
    """Write one line per model: the seconds of all its searches by threads, and how much faster more threads are."""
    numbers = sorted({int(number) for part in results["parts"].values() for number in part["seconds"]})
    lines = []
    for name, part in results["parts"].items():
        seconds = [part["seconds"].get(str(number)) for number in numbers]
        faster = [f"{seconds[0] / one:.2f}" if one else "-" for one in seconds[1:]]
        texts = ["-" if one is None else f"{one:g}" for one in seconds]
        lines.append((name, str(part["points"]), *texts, *faster, "yes" if part["same"] else "no"))
    head = ("model", "applicants", *(f"{number} threads, s" for number in numbers),
            *(f"faster on {number}" for number in numbers[1:]), "same result")  # fmt: skip
    return markdown(head, lines)
