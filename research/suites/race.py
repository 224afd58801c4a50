"""Exact GeoCert against branch and bound, in plaintext: the same applicants, one process, seconds until R2 is exact.

Neither is limited by a key: time alone limits the regions, time and MAX_LEAVES the leaves. The walk of scheme
`traversal` is timed as well; it ends at a smaller radius of its own.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.points import MAX_LEAVES, MAX_REGIONS, Branched, Task, branched, walked_exactly, with_quartiles
from bench.harness import apart, spread
from bench.harness import table as markdown
from bench.paper.cases import PAPER
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import sample_test_rows
from equiproof.certify.data import load
from equiproof.certify.errors import SearchBudgetError
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import DEFAULTS, Settings, train
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.search import search
from equiproof.circuits.spec import Spec

SEARCHES = ("exact", "branch", "walk")


@dataclass(frozen=True)
class Racer:
    """A network of the race."""

    dataset: str
    hidden: tuple[int, ...]
    decay: float

    @property
    def name(self) -> str:
        """The part's name."""
        return f"{self.dataset}-{'-'.join(map(str, self.hidden))}"


RACERS = (
    *(Racer(case.dataset, case.hidden, case.fair_decay) for case in PAPER),
    Racer("german", (16, 8), 0.005),
    Racer("adult", (16, 8), 0.005),
)
"""The paper's six models, and two larger ones."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Random test applicants of each network; `seconds` is the budget of each search of each."""

    points: int = 25
    seconds: float = 10.0
    jobs: int = 1
    racers: tuple[Racer, ...] = RACERS
    settings: Settings = DEFAULTS


@dataclass(frozen=True)
class Point:
    """Seconds of each search of one applicant, None where the budget ended first."""

    exact: float | None
    branch: float | None
    walk: float | None


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network. Raises BenchError for several processes: a race has one."""
    options.one_by_one("race", "searches")
    asked = options.of(question or Question())
    parts = {racer.name: partial(_measured, racer, asked, data_dir) for racer in asked.racers}
    return Plan(asked.as_data("racers", "settings"), parts)


def raced(tasks: Sequence[Task]) -> list[Point | None]:
    """Race one applicant after the other, after one to warm up; None for an unfair one."""
    return [_one(task) for task in [*tasks[:1], *tasks]][1:]


def _one(task: Task) -> Point | None:
    """Time every search of one applicant; raises BenchError if the two exact ones contradict each other."""
    branch, exact = branched(task), walked_exactly(task)
    if branch is None or exact is None:
        return None
    known, seconds = exact
    known.both(branch.known)
    return Point(seconds if known.exact else None, _until_exact(branch), _walked(task))


def _until_exact(found: Branched) -> float | None:
    """Return the seconds of branch and bound if it ended exactly, else None."""
    return found.seconds if found.known.exact else None


def _walked(task: Task) -> float | None:
    """Return the seconds of the walk to its own full radius."""
    begun = time.perf_counter()
    try:
        search(
            task.network,
            task.query,
            task.spec.domain_table,
            max_radius_squared=task.spec.max_radius_squared,
            max_regions=MAX_REGIONS,
            max_seconds=task.seconds,
        )
    except SearchBudgetError:
        return None
    return time.perf_counter() - begun


def _measured(racer: Racer, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a network and race on it in a fresh process."""
    data = load(racer.dataset, data_dir)
    network = quantise(train(data, racer.hidden, decay=racer.decay, settings=question.settings)[0], data.spec)
    queries = [data.spec.encode(data.rows[number]) for number in sample_test_rows(data, question.points, question.seed)]
    points = apart(raced, _tasks(network, data.spec, queries, question.seconds))
    fair = [point for point in points if point is not None]
    return {
        "dataset": racer.dataset,
        "hidden": list(racer.hidden),
        "unfair_points": len(points) - len(fair),
        "fair_points": len(fair),
        **{key: value for name in SEARCHES for key, value in _of(name, fair).items()},
        **_sides(fair),
    }


def _tasks(network: QuantisedNetwork, spec: Spec, queries: Sequence[tuple[int, ...]], seconds: float) -> list[Task]:
    """Return a task for every query, with as many leaves as any search tries."""
    return [Task(network, spec, query, MAX_LEAVES, seconds) for query in queries]


def _of(name: str, fair: Sequence[Point]) -> dict[str, Any]:
    """Summarize the seconds of one search over the points where it ended exactly."""
    ended = [seconds for point in fair if (seconds := getattr(point, name)) is not None]
    return {f"{name}_ended": len(ended), **spread(f"{name}_s", ended, 4)}


def _sides(fair: Sequence[Point]) -> dict[str, Any]:
    """Compare the two exact searches where both ended: the faster one, and the sum of the seconds of each."""
    both = [(point.exact, point.branch) for point in fair if point.exact is not None and point.branch is not None]
    return {
        "both_ended": len(both),
        "branch_faster": sum(branch < exact for exact, branch in both),
        "exact_sum_s": round(sum(exact for exact, _ in both), 3),
        "branch_sum_s": round(sum(branch for _, branch in both), 3),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write one line per network."""
    rows = [
        (
            f"{part['dataset']} ({','.join(map(str, part['hidden']))})",
            str(part["fair_points"]),
            *(
                cell
                for name in SEARCHES[:2]
                for cell in (str(part[f"{name}_ended"]), with_quartiles(part, f"{name}_s", 3))
            ),
            f"{part['branch_faster']} of {part['both_ended']}",
            f"{part['exact_sum_s']:.2f} / {part['branch_sum_s']:.2f}",
            with_quartiles(part, "walk_s", 3),
        )
        for part in results["parts"].values()
    ]
    head = (
        "network", "fair points", "exact GeoCert ended", "seconds", "branch and bound ended", "seconds",
        "branch and bound faster", "seconds in all, GeoCert / branch and bound", "walk to its own radius, seconds",
    )  # fmt: skip
    return markdown(head, rows)
