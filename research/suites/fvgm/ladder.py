"""Scalability (section 4.1 of the paper): a hundred problems: five data sets, five folds, four shares of features.

The paper's Ricci and Titanic are not available; Law School and Default Credit, both larger, stand in for them. A
problem is everything from the fitted model to disparate impact and statistical parity: tuning, learning the network,
computing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from bench.parts import side_by_side
from equiproof.audits.fvgm.metrics import disparate_impact, shares, statistical_parity
from equiproof.audits.fvgm.pipeline import prepare
from equiproof.audits.fvgm.programme import cells
from equiproof.audits.fvgm.scaling import scores_of
from research.suites.fvgm.populations import population

SETS: Mapping[str, tuple[str, ...]] = {
    "adult": ("race", "sex"),
    "compas": ("race", "sex"),
    "german": ("age", "sex"),
    "law_school": ("race",),
    "default_credit": ("SEX",),
}
FOLDS = 5
QUARTERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Task:
    """One problem: a data set, the fold that is left out, and how many quarters of the other features are used."""

    dataset: str
    fold: int
    quarters: int
    data_dir: Path | None


def measured(dataset: str, data_dir: Path | None, jobs: int) -> dict[str, Any]:
    """Solve the twenty problems of one data set."""
    tasks = [Task(dataset, fold, quarters, data_dir) for quarters in QUARTERS for fold in range(FOLDS)]
    begun = time.perf_counter()
    found = side_by_side(solve, tasks, jobs)
    return {"dataset": dataset, "wall_s": round(time.perf_counter() - begun, 1), "problems": found}


def solve(task: Task) -> dict[str, Any]:
    """Fit a model on four folds with some of the features, and verify it."""
    from sklearn.linear_model import LogisticRegression

    whole = population(task.dataset, SETS[task.dataset], task.data_dir)
    order = np.random.default_rng(0).permutation(len(whole.labels))
    kept = np.sort(order[np.arange(len(order)) % FOLDS != task.fold])
    others = [name for name in whole.columns if name not in whole.sensitive]
    used = [*others[: -(-len(others) * task.quarters // 4)], *whole.sensitive]
    rows = whole.rows(kept, used)
    scores = scores_of(LogisticRegression(max_iter=300, class_weight="balanced").fit(rows.X, whole.labels[kept]))
    wall, begun = time.perf_counter(), time.process_time()
    prepared = prepare(scores, rows)
    middle = time.process_time()
    found = shares(prepared.linear, prepared.network, prepared.groups(30))
    return {
        "features": len(used),
        "columns": rows.X.shape[1],
        "quarters": task.quarters,
        "fold": task.fold,
        "impact": round(disparate_impact(found).middle, 4),
        "parity": round(statistical_parity(found).middle, 4),
        "agreement": round(prepared.agreement, 4),
        "parents": prepared.parents,
        "cells": cells(prepared.linear, prepared.network),
        "shares_s": round(time.process_time() - middle, 4),
        "cpu_s": round(time.process_time() - begun, 3),
        "seconds": round(time.perf_counter() - wall, 3),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write one line per data set, and one for all."""
    parts = [part for name, part in results["parts"].items() if name.startswith("ladder")]
    rows = [_line(part["dataset"], part["problems"]) for part in parts]
    rows.append(_line("all", [problem for part in parts for problem in part["problems"]]))
    head = (
        "data set", "problems", "features, columns", "seconds of each, median (largest)", "sum, s", "CPU, s",
        "of which the programme, s", "least agreement", "DI, from to",
    )  # fmt: skip
    return markdown(head, rows)


def _line(name: str, problems: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Summarize problems."""
    seconds = [problem["seconds"] for problem in problems]
    impacts = [problem["impact"] for problem in problems]
    return (
        name,
        str(len(problems)),
        f"{max(p['features'] for p in problems)}, {max(p['columns'] for p in problems)}",
        f"{statistics.median(seconds):.2f} ({max(seconds):.2f})",
        f"{sum(seconds):.0f}",
        f"{sum(p['cpu_s'] for p in problems):.0f}",
        f"{sum(p['shares_s'] for p in problems):.2f}",
        f"{min(p['agreement'] for p in problems):.3f}",
        f"{min(impacts):.2f} to {max(impacts):.2f}",
    )


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the paper's cactus plot: seconds against how many problems take no longer each."""
    from bench.drawing import figure

    parts = [part for name, part in results["parts"].items() if name.startswith("ladder")]
    seconds = sorted(problem["seconds"] for part in parts for problem in part["problems"])
    with figure(path, 1, 1, width=5.0) as panels:
        panels[0][0].plot(range(1, len(seconds) + 1), seconds, "o-", markersize=3)
        panels[0][0].set(xlabel="problems solved", ylabel="seconds, at most", yscale="log")
