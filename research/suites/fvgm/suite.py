"""The parts of the suite `fvgm`, with its tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.parts import BaseQuestion, Options, Plan
from research.suites.fvgm import accuracy, applications, compound, cost, ladder, published, trees

Results = Mapping[str, Any]


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` populations for each number of features; no search is cut short, and `jobs` changes no result."""

    points: int = 100
    seconds: float = 900.0
    jobs: int = 2


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return the parts: accuracy by features, the ladder by data set, costs, and the applications."""
    asked = options.of(question or Question())
    parts: dict[str, Callable[[], Mapping[str, Any]]] = {
        **{f"accuracy-{n}": partial(accuracy.measured, n, asked.points, asked.jobs) for n in accuracy.FEATURES},
        **{f"ladder-{name}": partial(ladder.measured, name, data_dir, asked.jobs) for name in ladder.SETS},
        "cost": partial(cost.curves, asked.seed),
        "three-ways": partial(cost.three_ways, asked.seed),
        **{f"repair-{name}": partial(applications.repaired, name, data_dir) for name in applications.REPAIRS},
        "poison": partial(applications.poisoning, data_dir),
        **{f"influence-{name}": partial(applications.influences, name, data_dir) for name in applications.INFLUENCED},
        **{f"compound-{name}": partial(compound.measured, name, data_dir) for name in compound.SETS},
        "tree-example": trees.example,
        **{f"tree-{name}": partial(trees.measured, name, data_dir) for name in ladder.SETS},
        "published": partial(published.measured, data_dir),
    }
    return Plan(asked.as_data("seconds", "jobs"), parts)


BLOCKS: Mapping[str, Callable[[Results], str]] = {
    "accuracy": accuracy.table,
    "ladder": ladder.table,
    "cost": cost.curve_table,
    "three-ways": cost.ways_table,
    "repairs": applications.repair_table,
    "poison": applications.poison_table,
    "influence": applications.influence_table,
    "compound": compound.table,
    "tree-example": trees.example_table,
    "trees": trees.table,
    "published": published.table,
}

FIGURES: Mapping[str, Callable[[Results, Path], None]] = {
    "accuracy": accuracy.plot,
    "ladder": ladder.plot,
    "cost": cost.plot,
    "applications": applications.plot,
    "compound": compound.plot,
    "trees": trees.plot,
}
