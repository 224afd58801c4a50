"""The assumptions of other verifiers beside the network, and a committed network itself, on the paper's five data sets.

A linear model is verified under the network, with features independent within each group (as Justicia takes them), and
with features independent of the group as well (as FairSquare and VeriFair do); the same coding for all three, so that
only the assumption differs. Ricci and Titanic are read where their files are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.context import AuditContext
from equiproof.audits.fvgm.learning import fitted, independent
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares, statistical_parity
from equiproof.audits.fvgm.pipeline import Rows, Settings, prepare
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.fvgm.scaling import Scores, scores_of
from equiproof.audits.gaps import IMPACT, PARITY
from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from research.suites.fvgm import example
from research.suites.fvgm.compound import EDGES
from research.suites.fvgm.populations import Population, population

SETS: Mapping[str, tuple[str, ...]] = {
    "adult": ("race", "sex"),
    "compas": ("race", "sex"),
    "german": ("age", "sex"),
    "ricci": ("Race",),
    "titanic": ("Sex",),
}

NETWORKS: Mapping[str, tuple[str, ...]] = {
    "adult": ("sex",),
    "compas": ("sex",),
    "german": ("foreign_worker",),
    "ricci": ("Race",),
    "titanic": ("Sex",),
}
"""The sensitive features of the networks that are committed."""

LEAST_ROWS = 20
HIDDEN = 16


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Every row of each data set; no search is cut short."""

    points: int = 1
    seconds: float = 900.0


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return the parts; Ricci and Titanic stand last, so that without their files what comes before them is kept."""
    asked = options.of(question or Question())
    parts: dict[str, Callable[[], Mapping[str, Any]]] = {"example": example.measured}
    for name in SETS:
        parts[f"beside-{name}"] = partial(measured, name, data_dir)
        parts[f"committed-{name}"] = partial(committed, name, data_dir)
    return Plan(asked.as_data("points", "seconds", "jobs"), parts)


def measured(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Fit a logistic regression with balanced classes, and verify it under each assumption."""
    return {"dataset": name, **assumptions(name, *fitted_model(population(name, SETS[name], data_dir)))}


def fitted_model(whole: Population) -> tuple[Rows, Scores]:
    """Return all rows, and a logistic regression with balanced classes over all features."""
    from sklearn.linear_model import LogisticRegression

    rows = whole.rows()
    return rows, scores_of(LogisticRegression(max_iter=300, class_weight="balanced").fit(rows.X, whole.labels))


def assumptions(name: str, rows: Rows, scores: Scores) -> dict[str, Any]:
    """Verify a linear model of a data set under each assumption, and count the rows' own shares."""
    begun = time.process_time()
    prepared = prepare(scores, rows, Settings(edges=EDGES.get(name)))
    learned = time.process_time()
    groups, coded, own = prepared.groups(LEAST_ROWS), prepared.coded, scores.accepts(rows.X)
    networks = {
        "network": prepared.network,
        "within groups": fitted(coded, rows.sensitive, dict.fromkeys(coded.names, rows.sensitive)),
        "independent": independent(coded, rows.sensitive),
    }
    counted = [float(own[prepared.rows_of(group)].mean()) for group in groups]
    found: dict[str, Any] = {}
    for kind, network in networks.items():
        started = time.process_time()
        found[kind] = _figures(shares(prepared.linear, network, groups))
        found[kind]["cpu_s"] = round(time.process_time() - started, 3)
    return {
        "sensitive": list(rows.sensitive), "groups": len(groups), "rows": len(own),
        "counted": {"impact": round(min(counted) / max(counted), 4), "parity": round(max(counted) - min(counted), 4)},
        "assumptions": found, "preparing_s": round(learned - begun, 2),
    }  # fmt: skip


def _figures(found: Shares) -> dict[str, float]:
    """Return disparate impact and statistical parity."""
    return {
        "impact": round(disparate_impact(found).middle, 4),
        "parity": round(statistical_parity(found).middle, 4),
    }


def committed(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Train a network of one hidden layer, round it as `commit` does, and audit it on all rows."""
    from sklearn.neural_network import MLPClassifier

    data = load(name, data_dir, sensitive=NETWORKS[name])
    columns, labels = encode_rows(data.spec, data.rows) / data.spec.scale_unit, data.label_array()
    train = list(data.train)
    model = MLPClassifier((HIDDEN,), max_iter=60, early_stopping=len(train) > 500, random_state=0)
    model.fit(columns[train], labels[train])
    network = Network(tuple(W.T.copy() for W in model.coefs_), tuple(model.intercepts_))
    context = AuditContext(
        network=quantise(network, data.spec), spec=data.spec, commitment="", rows=data.rows, labels=data.labels,
        options={"least-rows": str(LEAST_ROWS)},
    )  # fmt: skip
    begun = time.process_time()
    report = GraphicalModel().run(context)
    metrics = next(table for table in report.tables if table.caption.startswith("Metrics"))
    rows = {str(line[0]): dict(zip(metrics.columns, line, strict=True)) for line in metrics.rows}
    errors = [one.value for one in report.estimates if one.measure.startswith("model error")]
    keys = {
        "counted": "among the rows", "low": "least under the network", "high": "largest under the network",
        "verdict": "verdict under the network",
    }  # fmt: skip
    return {
        "dataset": name, "sensitive": list(NETWORKS[name]), "rows": len(data.rows), "hidden": HIDDEN,
        "accuracy": round(float((context.decisions(_matrix(context)) == labels).mean()), 4),
        "impact": {key: rows[IMPACT][column] for key, column in keys.items()},
        "parity": {key: rows[PARITY][column] for key, column in keys.items()},
        "largest_error": round(max(value for value in errors if value is not None), 4),
        "drawn": any("applicants drawn from it" in note for note in report.notes),
        "cpu_s": round(time.process_time() - begun, 1),
    }  # fmt: skip


def _matrix(context: AuditContext) -> Any:
    """Return the rows as the model reads them."""
    table = context.spec.domain_table
    return np.array([[*q, *table[s]] for q, s in zip(context.queries, context.slices, strict=True)], dtype=np.int64)


def table(results: Mapping[str, Any]) -> str:
    """Write disparate impact and parity of every data set under each assumption."""
    parts = [part for name, part in results["parts"].items() if name.startswith("beside-")]
    rows = []
    for part in parts:
        figures = [part["counted"], *part["assumptions"].values()]
        rows.append(
            (
                part["dataset"], f"{' x '.join(part['sensitive'])} ({part['groups']})",
                *(f"{one['impact']:.3f}, {one['parity']:.3f}" for one in figures),
                f"{part['preparing_s']:.2f}", f"{part['assumptions']['network']['cpu_s']:.3f}",
            )
        )  # fmt: skip
    head = (
        "data set", "sensitive (groups)", "DI, SP: rows' own shares", "network", "independent within groups",
        "independent of the group", "tuning and learning, CPU s", "shares under the network, CPU s",
    )  # fmt: skip
    return markdown(head, rows)


def committed_table(results: Mapping[str, Any]) -> str:
    """Write the metrics of every committed network among the rows and under the network."""
    rows = []
    for part in (part for name, part in results["parts"].items() if name.startswith("committed-")):
        pairs = []
        for metric in ("impact", "parity"):
            one = part[metric]
            pairs += [f"{one['counted']:.3f}", f"{one['low']:.3f} to {one['high']:.3f}", str(one["verdict"])]
        drawn = "drawn" if part["drawn"] else "added up"
        rows.append(
            (
                part["dataset"], ", ".join(part["sensitive"]), f"{part['accuracy']:.3f}", *pairs,
                f"{part['largest_error']:.3f}", drawn, f"{part['cpu_s']:.1f}",
            )
        )  # fmt: skip
    head = (
        "data set", "sensitive", "accuracy", "DI among the rows", "under the network", "verdict",
        "SP among the rows", "under the network", "verdict", "largest model error", "shares", "CPU, s",
    )  # fmt: skip
    return markdown(head, rows)
