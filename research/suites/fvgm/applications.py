"""The paper's applications (section 5): verified repairs, an alarm for poisoned rows, the influence of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from equiproof.audits.fvgm.coding import coder, design
from equiproof.audits.fvgm.influence import ranking
from equiproof.audits.fvgm.metrics import disparate_impact, judged, share, shares
from equiproof.audits.fvgm.pipeline import Prepared, Rows, Settings, prepare
from equiproof.audits.fvgm.poisoning import poison, poisoned
from equiproof.audits.fvgm.reweighing import reweighed
from equiproof.audits.fvgm.scaling import scores_of
from equiproof.audits.fvgm.transport import optimised
from equiproof.audits.fvgm.verification import PATH, Verification
from equiproof.audits.gaps import IMPACT, ODDS, PARITY
from research.suites.fvgm.populations import Population, population

REPAIRS: Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "adult-race": ("adult", "race", ("education-num", "capital-gain"), ("age", "education-num", "hours-per-week")),
    "adult-sex": ("adult", "sex", ("education-num", "capital-gain"), ("age", "education-num", "hours-per-week")),
    "compas-race": ("compas", "race", ("c_charge_degree",), ("age", "priors_count", "c_charge_degree")),
    "compas-sex": ("compas", "sex", ("c_charge_degree",), ("age", "priors_count", "c_charge_degree")),
    "german-age": ("german", "age", ("job",), ("duration", "credit_amount", "installment_rate")),
    "german-sex": ("german", "sex", ("job",), ("duration", "credit_amount", "installment_rate")),
    "law_school-race": ("law_school", "race", ("tier",), ("lsat", "ugpa", "zgpa")),
    "default_credit-sex": ("default_credit", "SEX", ("EDUCATION",), ("LIMIT_BAL", "PAY_0", "PAY_AMT1")),
    "bank_full-age": ("bank_full", "age", ("job",), ("balance", "duration", "campaign")),
    "hmda-afam": ("hmda", "afam", ("lvrat",), ("pirat", "lvrat", "chist")),
}
"""Data set, sensitive feature, mediators, and the features that optimised pre-processing maps."""

EDGES = {"german": {"age": [25.0]}, "bank_full": {"age": [25.0]}}
INFLUENCED = ("compas", "adult", "german")
LEAST_ROWS = 30
POISON = (0, 1, 5, 10, 20, 40, 80, 120, 160)
ALARM = Fraction(9, 10)
METRICS = (IMPACT, PATH, PARITY, ODDS)


def repaired(repair: str, data_dir: Path | None) -> dict[str, Any]:
    """Verify a model before and after either repair; optimised pre-processing has a baseline on its own features."""
    name, sensitive, mediators, mapped = REPAIRS[repair]
    whole = population(name, (sensitive,), data_dir)
    settings = Settings(mediators=mediators, edges=EDGES.get(name), conditioned=True)
    rows = whole.rows()
    groups = _group_numbers(whole, name)
    plain = _metrics(rows, whole.labels, settings)
    weights = np.array(reweighed(groups.tolist(), whole.labels.tolist()))
    return {
        "case": repair,
        "plain": plain,
        "reweighed": _metrics(rows, whole.labels, settings, weights=weights),
        **_mapped(whole, mapped, groups, EDGES.get(name)),
    }


def _group_numbers(whole: Population, name: str) -> Any:
    """Return the number of each row's group."""
    own = {feature: whole.columns[feature] for feature in whole.sensitive}
    return coder(own, edges=EDGES.get(name), whole=whole.sensitive).coded(own).codes[:, 0]


def _mapped(whole: Population, mapped: Sequence[str], groups: Any, edges: Any) -> dict[str, Any]:
    """Verify a model of the mapped features and the group, before the map and on rows moved by it."""
    features = {feature: whole.columns[feature] for feature in (*mapped, *whole.sensitive)}
    data = coder(features, bins_of=4, edges=edges, whole=whole.sensitive).coded(features)
    found = optimised(data, mapped, groups, whole.labels, epsilon=0.05, max_distortion=0.6)
    moved, labels = found.sampled(data, groups, whole.labels, np.random.default_rng(0))
    settings = Settings(mediators=(mapped[-1],), conditioned=True)
    return {
        "before": _metrics(_coded_rows(data, whole.sensitive), whole.labels, settings),
        "mapped": _metrics(_coded_rows(moved, whole.sensitive), labels, settings),
        "distance": round(found.distance, 4),
    }


def _coded_rows(data: Any, sensitive: tuple[str, ...]) -> Rows:
    """Return coded rows with their codes as numbers, groups as categories."""
    columns = {
        name: np.array([data.values[name][code] for code in data.column(name)], dtype=object)
        if name in sensitive
        else data.column(name).astype(np.float64)
        for name in data.names
    }
    X, blocks = design(columns)
    return Rows(columns, X, blocks, sensitive)


def _metrics(rows: Rows, labels: Any, settings: Settings, weights: Any = None) -> dict[str, float | None]:
    """Train a logistic regression and return every metric."""
    prepared = _prepared(rows, labels, settings, weights)
    found = Verification(prepared, prepared.groups(LEAST_ROWS), labels).judgements()
    return {name: None if (one := found[name].value) is None else round(one.middle, 4) for name in METRICS}


def _prepared(rows: Rows, labels: Any, settings: Settings, weights: Any = None) -> Prepared:
    """Train a logistic regression on rows and prepare it."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=1000, class_weight="balanced").fit(rows.X, labels, sample_weight=weights)
    return prepare(scores_of(model), rows, settings)


def poisoning(data_dir: Path | None) -> dict[str, Any]:
    """Poison more and more training rows of a repaired model on German, until the alarm detects it.

    The rows are reweighed, because the plain model is already below the alarm's limit; poisoned rows have weight 1.
    """
    from sklearn.linear_model import LogisticRegression

    whole = population("german", ("sex",), data_dir)
    rows, labels = whole.rows(), whole.labels
    women = whole.columns["sex"] == "female"
    weights = np.array(reweighed(women.tolist(), labels.tolist()))
    clean = scores_of(LogisticRegression(max_iter=1000).fit(rows.X, labels, sample_weight=weights))
    chosen, wrong = poison(clean, rows.X, women, max(POISON))
    points = []
    for count in POISON:
        X, y = poisoned(rows.X, labels, chosen[:count], wrong[:count])
        weighed = np.concatenate([weights, np.ones(count)])
        prepared = prepare(scores_of(LogisticRegression(max_iter=1000).fit(X, y, sample_weight=weighed)), rows)
        found = Verification(prepared, prepared.groups(LEAST_ROWS))
        verdict = judged(found.impact, ALARM, "at least").verdict
        impact, parity = found.impact().middle, found.parity().middle
        points.append(
            {"poisoned": count, "impact": round(impact, 4), "parity": round(parity, 4), "alarm": verdict == "unfair"}
        )
    return {"points": points}


def influences(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Rank the features of a data set by their influence on either sex's share and on the disparate impact."""
    whole = population(name, ("sex",), data_dir)
    prepared = _prepared(whole.rows(), whole.labels, Settings(conditioned=True))
    by_group: dict[str, Any] = {}
    for group in prepared.groups():
        base = share(prepared.linear, prepared.network, group).middle
        ranked = ranking(lambda model, joint, own=group: share(model, joint, own), prepared.linear, prepared.network)  # type: ignore[misc]
        by_group[group["sex"]] = {"share": round(base, 4), "influence": {n: round(b.middle, 4) for n, b in ranked}}
    ranked = ranking(lambda model, joint: disparate_impact(shares(model, joint)), prepared.linear, prepared.network)
    impact = disparate_impact(shares(prepared.linear, prepared.network)).middle
    by_group["disparate impact"] = {"share": round(impact, 4), "influence": {n: round(b.middle, 4) for n, b in ranked}}
    return by_group


def repair_table(results: Mapping[str, Any]) -> str:
    """Write what each repair changes of each metric, as the paper's Tables 1 and 2 do."""
    rows = []
    for part in (part for name, part in results["parts"].items() if name.startswith("repair")):
        for name, before, after in (("reweighing", "plain", "reweighed"), ("optimised", "before", "mapped")):
            cells = [_change(part[before][metric], part[after][metric]) for metric in METRICS]
            rows.append((part["case"].replace("-", ", "), name, *cells))
    return markdown(("data set, sensitive", "repair", "DI", "PCF", "SP", "EO"), rows)


def _change(before: float | None, after: float | None) -> str:
    """Write a metric before and after with its change."""
    return "-" if before is None or after is None else f"{before:.2f} to {after:.2f} ({after - before:+.2f})"


def poison_table(results: Mapping[str, Any]) -> str:
    """Write one line per number of poisoned rows."""
    rows = [
        (str(point["poisoned"]), f"{point['impact']:.3f}", f"{point['parity']:.3f}", "alarm" if point["alarm"] else "")
        for point in results["parts"]["poison"]["points"]
    ]
    return markdown(("poisoned rows", "DI", "SP", f"below {float(ALARM):g}"), rows)


def influence_table(results: Mapping[str, Any]) -> str:
    """Write the influence of each feature on each quantity, a table for each data set."""
    tables = []
    for name, part in results["parts"].items():
        if not name.startswith("influence"):
            continue
        names = list(part["disparate impact"]["influence"])
        rows = [(one, *(f"{of_group['influence'][one]:+.3f}" for of_group in part.values())) for one in names]
        head = (
            name.removeprefix("influence-"),
            *(f"{what} ({of_group['share']:.3f})" for what, of_group in part.items()),
        )
        tables.append(markdown(head, rows))
    return "\n\n".join(tables)


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the alarm, and the influences on either group's share."""
    from bench.drawing import figure

    part = results["parts"]["influence-compas"]
    points = results["parts"]["poison"]["points"]
    with figure(path, 1, 2, width=4.4) as panels:
        left, right = panels[0]
        left.plot([p["poisoned"] for p in points], [p["impact"] for p in points], "o-")
        left.axhline(float(ALARM), color="#cc3311", linewidth=1)
        left.set(xlabel="poisoned rows", ylabel="disparate impact")
        names = list(part["disparate impact"]["influence"])
        for shift, group in ((-0.2, "Female"), (0.2, "Male")):
            places = [place + shift for place in range(len(names))]
            right.barh(places, [part[group]["influence"][name] for name in names], height=0.4, label=group)
        right.set_yticks(range(len(names)), names)
        right.set(xlabel="influence on the share predicted to reoffend")
        right.legend()
