"""The authors' own program, the package justicia, beside ours: the same models, rows and columns.

For linear models its three assumptions are the network of the paper, features independent given the group, and features
independent of the group; they are solved by the paper's programme. Trees are in :mod:`.authors_trees`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from research.suites.fvgm import authors_run, authors_trees, beside
from research.suites.fvgm.authors_call import call, pair, python, shown
from research.suites.fvgm.populations import population

SETS: Mapping[str, tuple[str, ...]] = {
    "titanic": ("Sex",),
    "ricci": ("Race",),
    "german": ("sex",),
    "compas": ("sex",),
    "adult": ("race", "sex"),
}
"""The paper's data sets, with sensitive categories whose groups all have 20 rows."""

KINDS = tuple(authors_run.LINEAR)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Every row of each data set; `seconds` of CPU time limit each call of the program, as many as in the paper."""

    points: int = 1
    seconds: float = 900.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every data set. Raises BenchError for several processes, since calls are timed."""
    options.one_by_one("fvgm-authors", "calls")
    asked = options.of(question or Question())
    parts = {name: partial(measured, name, asked.seconds, data_dir) for name in SETS}
    trees = {
        f"{authors_trees.PART}{name}": partial(authors_trees.measured, name, sensitive, asked.seconds, data_dir)
        for name, sensitive in SETS.items()
    }
    return Plan(asked.as_data(), parts | trees)


def measured(name: str, seconds: float, data_dir: Path | None) -> dict[str, Any]:
    """Fit a logistic regression, and verify it under each assumption by both programs."""
    program = python()
    rows, scores = beside.fitted_model(population(name, SETS[name], data_dir))
    ours = beside.assumptions(name, rows, scores)
    model = {"weights": scores.weights, "bias": [scores.bias]}
    theirs = call(program, rows, model, KINDS, seconds)
    return {"dataset": name, "columns": rows.X.shape[1], **ours, "theirs": theirs}


def table(results: Mapping[str, Any]) -> str:
    """Write disparate impact and parity of every data set by both programs under each assumption."""
    rows = []
    for part in (part for name, part in results["parts"].items() if name in SETS):
        cells = []
        for kind in KINDS:
            cells += [pair(part["assumptions"][kind]), shown(part["theirs"][kind])]
        groups = f"{' x '.join(part['sensitive'])} ({part['groups']})"
        rows.append((part["dataset"], groups, str(part["columns"]), pair(part["counted"]), *cells))
    head = ["data set", "sensitive (groups)", "columns", "DI, SP: rows' own shares"]
    for kind in ("network", "independent within groups", "independent of the group"):
        head += [f"{kind}: ours", "theirs (CPU)"]
    return markdown(head, rows)
