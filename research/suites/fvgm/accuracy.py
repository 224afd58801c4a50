"""Accuracy (section 4.2 of the paper): the disparate impact by the network against the closed form.

A hundred populations of n features, one of them the group; a model is trained on rows of each, and verified on the same
rows, or on fresh ones of the population. The network is compared with the same weights under independence, and with the
shares counted in the rows. Two more figures separate the causes of error: the same weights under the population's own
tables (bins and whole weights, no sampling), and Gaussians fitted to the model's scores (sampling, no bins).
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from bench.harness import table as markdown
from bench.parts import side_by_side
from equiproof.audits.fvgm.gaussian import Population, drawn
from equiproof.audits.fvgm.learning import independent
from equiproof.audits.fvgm.metrics import disparate_impact, shares
from equiproof.audits.fvgm.pipeline import Prepared, Rows, prepare
from equiproof.audits.fvgm.scaling import Matrix, Scores, scores_of

FEATURES = (2, 3, 4, 5)
SIZES = ((1_000, 0), (10_000, 0))
"""Rows that models are trained on, and fresh rows that they are verified on; 0 for the same."""

FRESH = {5: ((1_000, 10_000),)}
"""More of these, for the number of features whose figures the paper prints."""

MODELS = ("LR", "SVM")


@dataclass(frozen=True)
class Task:
    """One population: the number of features with the group, rows to train on, fresh ones to verify on, model, seed."""

    features: int
    rows: int
    fresh: int
    model: str
    seed: int


@dataclass(frozen=True)
class Found:
    """The disparate impact by closed form, network, independence and rows, and two figures for the causes of error.

    `known` is the network with the population's own tables, `gaussian` that of Gaussians fitted to the scores of rows;
    `seconds` are the processor's, from the model to the metric.
    """

    exact: float
    network: float
    independent: float
    counted: float
    known: float
    gaussian: float
    seconds: float


ESTIMATES = ("network", "independent", "counted", "known", "gaussian")


def measured(features: int, problems: int, jobs: int) -> dict[str, Any]:
    """Measure one number of features for every model and number of rows."""
    cases = {}
    for model in MODELS:
        for rows, fresh in (*FRESH.get(features, ()), *SIZES):
            tasks = [Task(features, rows, fresh, model, seed) for seed in range(problems)]
            found = [one for one in side_by_side(solve, tasks, jobs) if one is not None]
            cases[f"{model} {rows} {fresh}"] = _summary(found)
    return {"features": features, "problems": problems, "cases": cases}


def solve(task: Task) -> Found | None:
    """Verify one model; None where the rows have one label only."""
    generator = np.random.default_rng([task.features, task.seed])
    population = drawn(task.features - 1, generator)
    groups, X, labels = population.sample(task.rows, generator)
    if len(np.unique(labels)) < 2:
        return None
    scores = scores_of(_model(task.model).fit(np.column_stack([X, groups]), labels))
    if task.fresh:
        groups, X, _ = population.sample(task.fresh, np.random.default_rng([task.features, task.seed, 1]))
    matrix = np.column_stack([X, groups])
    columns = {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"group": groups.astype(str).astype(object)}
    rows = Rows(columns, matrix, {name: [i] for i, name in enumerate(columns)}, ("group",))
    begun = time.process_time()
    prepared = prepare(scores, rows)
    by_network = disparate_impact(shares(prepared.linear, prepared.network)).middle
    seconds = time.process_time() - begun
    apart = disparate_impact(shares(prepared.linear, independent(prepared.coded, ["group"]))).middle
    accepted = scores.accepts(matrix)
    counted = [float(accepted[groups == group].mean()) for group in (0, 1)]
    return Found(
        _ratio(population.shares(scores)), by_network, apart, _ratio(counted), _known(population, prepared),
        _gaussian(scores, matrix, groups), seconds,
    )  # fmt: skip


def _known(population: Population, prepared: Prepared) -> float:
    """Return the disparate impact of the whole weights under the population's own tables."""
    network = population.network([prepared.coder.numbers[f"x{i}"] for i in range(len(population.means[0]))])
    return disparate_impact(shares(prepared.linear, network)).middle


def _gaussian(scores: Scores, matrix: Matrix, groups: Any) -> float:
    """Return the disparate impact where each group's scores are Gaussian, their mean and one deviation from the rows.

    It assumes the true shape of the population, which a network does not know.
    """
    values = [matrix[groups == group] @ scores.weights + scores.bias for group in (0, 1)]
    spread = math.sqrt(sum(float(((one - one.mean()) ** 2).sum()) for one in values) / (len(matrix) - 2))
    return _ratio([NormalDist().cdf(float(one.mean()) / spread) for one in values])


def _model(name: str) -> Any:
    """Return an unfitted model with scikit-learn's defaults."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    return LogisticRegression(max_iter=1000) if name == "LR" else LinearSVC(random_state=0)


def _ratio(found: Sequence[float]) -> float:
    """Return the smaller over the larger share, 1 if no row is accepted."""
    return min(found) / max(found) if max(found) > 0 else 1.0


def _summary(found: Sequence[Found]) -> dict[str, Any]:
    """Return means, the difference of means, and mean and largest absolute errors."""
    exact = [one.exact for one in found]
    figures: dict[str, Any] = {"problems": len(found), "exact": round(statistics.fmean(exact), 4)}
    for name in ESTIMATES:
        values = [getattr(one, name) for one in found]
        errors = [abs(value - truth) for value, truth in zip(values, exact, strict=True)]
        mean = statistics.fmean(values)
        figures |= {
            name: round(mean, 4),
            f"{name}_difference": round(abs(mean - statistics.fmean(exact)), 4),
            f"{name}_error": round(statistics.fmean(errors), 4),
            f"{name}_max": round(max(errors), 4),
        }
    return figures | {"seconds": round(statistics.median(one.seconds for one in found), 3)}


def table(results: Mapping[str, Any]) -> str:
    """Write one line per number of features, model and numbers of rows."""
    rows = []
    for part in (part for name, part in results["parts"].items() if name.startswith("accuracy")):
        for names, case in part["cases"].items():
            model, size, fresh = names.split()
            rows.append(
                (
                    str(part["features"]), model, f"{int(size):,}",
                    f"{int(fresh):,} fresh" if int(fresh) else "the same",
                    f"{case['exact']:.3f}", f"{case['network']:.3f}", f"{case['independent']:.3f}",
                    f"{case['network_difference']:.4f}", f"{case['network_error']:.4f} ({case['network_max']:.3f})",
                    _cell(case, "known_error", 4), _cell(case, "gaussian_error", 4), _cell(case, "counted_error", 4),
                    _cell(case, "seconds", 2),
                )
            )  # fmt: skip
    head = (
        "n", "model", "trained on", "verified on", "mean DI, closed form", "network", "independence",
        "difference of means, network", "mean absolute error, network", "of bins and weights", "of fitted Gaussians",
        "of the rows' own shares", "CPU, s, median",
    )  # fmt: skip
    return markdown(head, rows)


def _cell(figures: Mapping[str, Any], name: str, digits: int) -> str:
    """Write a number with `digits` digits, or "-" if the kept results lack it."""
    return f"{figures[name]:.{digits}f}" if name in figures else "-"


def plot(results: Mapping[str, Any], path: Any) -> None:
    """Draw the mean disparate impact against the number of features, for each model."""
    from bench.drawing import figure

    parts = [part for name, part in results["parts"].items() if name.startswith("accuracy")]
    with figure(path, 1, 2) as panels:
        for axes, model in zip(panels[0], MODELS, strict=True):
            across = [part["features"] for part in parts]
            for key, style in (("exact", "k-"), ("network", "o--"), ("independent", "s:")):
                values = [part["cases"][f"{model} {' '.join(map(str, SIZES[-1]))}"][key] for part in parts]
                axes.plot(across, values, style, label={"exact": "closed form"}.get(key, key))
            axes.set(title=model, xlabel="features, the group among them", ylabel="mean disparate impact", ylim=(0, 1))
            axes.set_xticks(across)
        panels[0][0].legend()
