"""Compound sensitive groups (Figure 10 of the paper): metrics of one model as sensitive features are combined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.harness import table as markdown
from equiproof.audits.fvgm.metrics import disparate_impact, shares
from equiproof.audits.fvgm.pipeline import Rows, Settings, prepare
from equiproof.audits.fvgm.scaling import Scores, scores_of
from equiproof.audits.fvgm.verification import PATH, Verification
from equiproof.audits.gaps import IMPACT, ODDS, PARITY
from research.suites.fvgm.populations import population

SETS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "adult": (
        ("sex",), ("age",), ("race",), ("age", "sex"), ("race", "sex"), ("age", "race"), ("age", "race", "sex"),
    ),
    "compas": (
        ("sex",), ("age",), ("race",), ("age", "sex"), ("race", "sex"), ("age", "race"), ("age", "race", "sex"),
    ),
    "german": (("age",), ("sex",), ("age", "sex")),
}  # fmt: skip
EDGES: Mapping[str, Mapping[str, Sequence[float]]] = {
    "adult": {"age": [40.0]},
    "compas": {"age": [25.0, 45.0]},
    "german": {"age": [25.0]},
}
MEDIATORS = {"adult": ("education-num", "capital-gain"), "compas": ("c_charge_degree",), "german": ("job",)}
LEAST_ROWS = 30
METRICS = (IMPACT, PARITY, ODDS, PATH)


def measured(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Fit one model to a data set, and verify it for every set of sensitive features."""
    from sklearn.linear_model import LogisticRegression

    everyone = tuple(sorted({feature for features in SETS[name] for feature in features}))
    whole = population(name, everyone, data_dir)
    rows = whole.rows()
    model = LogisticRegression(max_iter=1000, class_weight="balanced").fit(rows.X, whole.labels)
    scores = scores_of(model)
    cases = [_case(name, scores, rows, whole.labels, features) for features in SETS[name]]
    return {"dataset": name, "cases": cases}


def _case(name: str, scores: Scores, rows: Rows, labels: Any, features: tuple[str, ...]) -> dict[str, Any]:
    """Verify the model with some features sensitive; ages are cut where they are among these."""
    edges = {feature: cut for feature, cut in EDGES[name].items() if feature in features}
    chosen = Rows(rows.columns, rows.X, rows.blocks, features)
    prepared = prepare(scores, chosen, Settings(edges=edges, mediators=MEDIATORS[name], conditioned=True))
    groups = prepared.groups(LEAST_ROWS)
    judgements = Verification(prepared, groups, labels).judgements()
    found = shares(prepared.classifier, prepared.network, groups)
    accepted = scores.accepts(rows.X)
    counted = [float(accepted[prepared.rows_of(group)].mean()) for group in groups]
    metrics = {metric: None if (one := judgements[metric].value) is None else one.middle for metric in METRICS}
    return {
        "sensitive": list(features),
        "groups": len(groups),
        "of": len(list(prepared.network.groups())),
        "metrics": {metric: None if value is None else round(value, 4) for metric, value in metrics.items()},
        "counted_impact": round(min(counted) / max(counted), 4) if max(counted) > 0 else 1.0,
        "most": [list(found.most_favored.values()), round(found.most.middle, 4)],
        "least": [list(found.least_favored.values()), round(found.least.middle, 4)],
        "impact": round(disparate_impact(found).middle, 4),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write one line per data set and set of sensitive features."""
    rows = []
    for part in _parts(results):
        for case in part["cases"]:
            cells = ["-" if (value := case["metrics"][metric]) is None else f"{value:.2f}" for metric in METRICS]
            count = f"{case['groups']}" + (f" of {case['of']}" if case["of"] != case["groups"] else "")
            rows.append(
                (
                    part["dataset"], " x ".join(case["sensitive"]), count, *cells, f"{case['counted_impact']:.2f}",
                    _named(case["most"]), _named(case["least"]),
                )
            )  # fmt: skip
    head = (
        "data set", "sensitive", "groups", "DI", "SP", "EO", "PCF", "DI of the rows' own shares", "most favored",
        "least favored",
    )  # fmt: skip
    return markdown(head, rows)


def _named(group: Sequence[Any]) -> str:
    """Write a group with its share."""
    return f"{', '.join(group[0])} ({group[1]:.2f})"


def _parts(results: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parts of this module."""
    return [part for name, part in results["parts"].items() if name.startswith("compound")]


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the four metrics of every set of sensitive features, one panel per data set."""
    from bench.drawing import figure

    parts = _parts(results)
    with figure(path, 1, len(parts), width=4.2) as panels:
        for axes, part in zip(panels[0], parts, strict=True):
            labels = [f"{' x '.join(case['sensitive'])} ({case['groups']})" for case in part["cases"]]
            for metric, style in zip(METRICS, ("o-", "s-", "^-", "d-"), strict=True):
                values = [case["metrics"][metric] for case in part["cases"]]
                axes.plot(range(len(values)), values, style, markersize=4, label=metric)
            axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right")
            axes.set(title=part["dataset"], ylim=(0, 1))
        panels[0][0].legend(fontsize=7)
