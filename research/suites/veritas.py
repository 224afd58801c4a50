"""VERITAS (Devos et al., ICML 2021) on the ensembles and applicants of :mod:`research.suites.kernel`.

It searches boxes, so its distance is the largest difference in a column, and a lower bound of the Euclidean radius. It
compares real numbers with `<`: thresholds are moved half a grid unit up, so that every integer stays on its side. It is
no dependency: version 0.3.1 of the package dtai-veritas was tried.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isqrt
from pathlib import Path
from typing import Any

from bench.harness import BenchError, median, on_one_thread, spread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.ffi.search import nearest
from research.suites.ensembles import Child, Ensemble, dumped, trained
from research.suites.kernel import MODELS

STEPS = 30
"""The most steps of a bisection; it ends at one grid unit."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first fair ones of random test applicants; `seconds` limits each search, of all slices together."""

    points: int = 10
    seconds: float = 10.0
    jobs: int = 1
    datasets: tuple[str, ...] = ("german", "adult")


@dataclass(frozen=True)
class Bound:
    """No decision is wrong where all columns differ by less than `lower` grid units; one is at `upper`."""

    lower: float
    upper: float
    seconds: float

    @property
    def ended(self) -> bool:
        """Whether both ends are within two grid units."""
        return self.upper - self.lower <= 2


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes, since searches are timed."""
    options.one_by_one("veritas", "searches")
    asked = options.of(question or Question())
    parts = {
        f"{name}-{trees}x{depth}": partial(on_one_thread, measured, name, (trees, depth), asked, data_dir)
        for trees, depth, _ in MODELS
        for name in asked.datasets
    }
    return Plan(asked.as_data(), parts)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per model."""
    head = (
        "model", "ended", "bound by VERITAS", "exact radius", "share", "VERITAS s", "search s", "above",
    )  # fmt: skip
    return markdown(head, [_line(name, part) for name, part in results["parts"].items()])


def library() -> Any:
    """Return the library; raises BenchError where it is missing."""
    try:
        return importlib.import_module("veritas")
    except ImportError:
        raise BenchError("veritas: the package dtai-veritas is missing; install it beside the dependencies") from None


def wrong(ensemble: Ensemble, label: int, row: Sequence[int]) -> Any:
    """Return the trees of the library whose sum is above 0 where a decision is wrong; sensitive columns are fixed."""
    veritas = library()
    sign, plain = 1 - 2 * label, ensemble.spec.plain_columns
    trees = veritas.AddTree(1, veritas.AddTreeType.REGR)
    # The score is an integer: 1/2 more makes a tie a wrong decision.
    trees.set_base_score(0, sign * ensemble.bias + 0.5)
    for root in ensemble.roots:
        tree = trees.add_tree()
        stack: list[tuple[int, Child]] = [(tree.root(), root)]
        while stack:
            at, (kind, number) = stack.pop()
            if not kind:
                tree.set_leaf_value(at, 0, sign * number)
                continue
            predicate, low, high = ensemble.nodes[number]
            column, threshold = ensemble.predicates[predicate]
            if column >= plain:
                stack.append((at, low if row[column - plain] <= threshold else high))
                continue
            tree.split(at, column, threshold + 0.5)
            stack += [(tree.left(at), low), (tree.right(at), high)]
    return trees


def bound(ensemble: Ensemble, query: Sequence[int], beyond: int, seconds: float) -> Bound:
    """Bisect below a distance at which a decision is wrong, on one slice after the other."""
    label = ensemble.label(query)
    if label is None:
        raise ValueError("the decision depends on the sensitive columns, or is tied")
    veritas, table_ = library(), ensemble.spec.domain_table
    begun, lower, upper = time.process_time(), float(beyond), float(beyond)
    for row in table_:
        search = veritas.VeritasRobustnessSearch(
            [float(value) for value in query],
            float(beyond),
            None,
            wrong(ensemble, label, row),
            num_steps=STEPS,
            max_time=seconds / len(table_),
            stop_condition=lambda low, high: high - low <= 1,
            silent=True,
        )
        _, low, high = search.search()
        lower, upper = min(lower, low), min(upper, high)
    return Bound(lower, upper, time.process_time() - begun)


def measured(name: str, model: tuple[int, int], question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, and search around its applicants with both."""
    library()
    ensemble, rows, test = trained(name, *model, data_dir)
    fair = (rows[number] for number in shuffled(test, question.seed) if ensemble.label(rows[number]) is not None)
    bounds, exact, times = [], [], []
    for query in islice(fair, question.points):
        problem, begun = dumped(ensemble.problem(query)), time.process_time()
        found = nearest(problem, ensemble.spec.max_radius_squared, milliseconds=round(1e3 * question.seconds))
        times.append(time.process_time() - begun)
        if found.upper2 is not None:
            # In no column is the nearest wrong decision farther away than in all of them together.
            exact.append(found.upper2)
            bounds.append(bound(ensemble, query, isqrt(found.upper2) + 2, question.seconds))
    unit = ensemble.spec.scale_unit
    return {
        "points": len(bounds),
        "ended": sum(one.ended for one in bounds),
        "share": median([one.lower / max(1.0, squared**0.5) for one, squared in zip(bounds, exact, strict=True)], 3),
        "above": sum(one.lower > squared**0.5 + 1 for one, squared in zip(bounds, exact, strict=True)),
        **spread("lower", [one.lower / unit for one in bounds], 3),
        **spread("radius", [squared**0.5 / unit for squared in exact], 3),
        **spread("veritas_s", [one.seconds for one in bounds], 4),
        **spread("search_s", times, 4),
    }


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    """Return the line of one model."""
    return [
        name,
        f"{part['ended']} of {part['points']}",
        *(f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("lower", "radius")),
        f"{part['share']:g}",
        *(f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("veritas_s", "search_s")),
        str(part["above"]),
    ]
