"""Figures that Justicia's own demonstrations print for Adult, compared with ours of the same rows and models.

Rows, columns, split and models are described well enough to rebuild them: the accuracies agree to the last digit. Their
shares depend on their own coding, in which bins of one number are independent of each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.coding import coder
from equiproof.audits.fvgm.learning import Coded, fitted, independent, learn
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares, statistical_parity
from equiproof.audits.fvgm.network import BOOLEAN
from equiproof.audits.fvgm.pipeline import Rows, Settings, prepare
from equiproof.audits.fvgm.scaling import scores_of
from equiproof.audits.fvgm.trees import accepted
from equiproof.audits.fvgm.verification import Verification
from equiproof.certify.data import load

TRAINING_FILE = 32_561
"""The rows of adult.data, which stand first."""

NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
CUTS = {
    "capital-gain": (25_000.0, 50_000.0, 75_000.0),
    "capital-loss": (1_089.0, 2_178.0, 3_267.0),
    "education-num": (4.75, 8.5, 12.25),
    "hours-per-week": (25.5, 50.0, 74.5),
}
"""Four bins of equal width."""

RULE = (
    (("capital-gain", (1, 3)), ("capital-loss", (1, 2))),
    (("education-num", (3,)), ("hours-per-week", (2,)), ("capital-gain", (1, 2, 3))),
)
"""Their learned rule in conjunctive normal form: bins by number, of which one makes a clause true."""

ACCURACY = {"train": 0.764946764946765, "test": 0.7675775253300583, "rule": 0.7688056493705864}
THEIRS = {
    "rule, independence": (1.0, 0.0),
    "rule, given the group": (0.36338477803088115, 0.01775199),
    "logistic regression": (0.6045, 0.1896),
    "logistic regression, path-specific": (0.6322, 0.18956),
}
"""Disparate impact and statistical parity that they print; the last two with their own coding of the test rows."""

WITHIN = {"rule, independence": (0.0, 0.0), "rule, given the group": (0.005, 0.0005)}
"""How far ours may be from theirs where their coding is taken over."""


@dataclass(frozen=True)
class Census:
    """The rows of adult.data: raw columns by name, scaled matrix with its blocks, labels, and their split."""

    columns: Mapping[str, Any]
    X: Any
    blocks: Mapping[str, list[int]]
    labels: Any
    train: Any
    test: Any

    def rows(self, kept: Any) -> Rows:
        """Return some rows, race and sex sensitive."""
        columns = {name: values[kept] for name, values in self.columns.items()}
        return Rows(columns, self.X[kept], self.blocks, ("race", "sex"))


def census(data_dir: Path | None) -> Census:
    """Return the rows as in their notebook: numbers from 0 to 1, sex as 1 for women, a column per race."""
    from sklearn.model_selection import train_test_split

    data = load("adult", data_dir)
    raw = data.rows[:TRAINING_FILE]
    columns: dict[str, Any] = {name: np.array([row[name] for row in raw], dtype=np.float64) for name in NUMBERS}
    columns |= {name: np.array([row[name] for row in raw], dtype=object) for name in ("sex", "race")}
    made = [(columns[name] - columns[name].min()) / np.ptp(columns[name]) for name in NUMBERS]
    made.append((columns["sex"] == "Female").astype(np.float64))
    races = sorted(set(columns["race"]))
    made += [(columns["race"] == race).astype(np.float64) for race in races]
    blocks = {name: [place] for place, name in enumerate((*NUMBERS, "sex"))}
    blocks["race"] = list(range(len(NUMBERS) + 1, len(made)))
    train, test = train_test_split(np.arange(len(raw)), test_size=0.1, shuffle=True, random_state=2)
    return Census(columns, np.stack(made, axis=1), blocks, data.label_array()[:TRAINING_FILE], train, test)


def measured(data_dir: Path | None) -> dict[str, Any]:
    """Rebuild their models, and verify them in their coding and in ours."""
    from sklearn.linear_model import LogisticRegression

    whole = census(data_dir)
    model = LogisticRegression(class_weight="balanced", solver="liblinear", random_state=0)
    model.fit(whole.X[whole.train], whole.labels[whole.train])
    found = _rule(whole)
    accuracies = {"train": model.score(whole.X[whole.train], whole.labels[whole.train]), "rule": found.pop("accuracy")}
    accuracies["test"] = model.score(whole.X[whole.test], whole.labels[whole.test])
    scores = scores_of(model)
    prepared = prepare(
        scores, whole.rows(whole.test), Settings(mediators=("education-num", "capital-gain"), conditioned=True)
    )
    verified = Verification(prepared, prepared.groups())
    own = scores.accepts(whole.X[whole.test])
    found["logistic regression"] = _pair(shares(prepared.linear, prepared.network))
    found["logistic regression, path-specific"] = [None, round(verified.path().middle, 5)]
    found["logistic regression, rows' own shares"] = _counted(
        [float(own[prepared.rows_of(group)].mean()) for group in prepared.groups()]
    )
    most = shares(prepared.linear, prepared.network).most_favored
    return {
        "accuracy": {name: float(value) for name, value in accuracies.items()},
        "metrics": found,
        "most": dict(most),
    }


def _rule(whole: Census) -> dict[str, Any]:
    """Verify their rule between the sexes on their test rows."""
    columns = {name: whole.columns[name][whole.test] for name in (*CUTS, "sex")}
    data = coder(columns, edges=CUTS).coded(columns)
    rule = Clauses(
        frozenset(
            frozenset((name, frozenset(data.values[name][bin_] for bin_ in kept)) for name, kept in clause)
            for clause in RULE
        )
    )
    own = accepted(rule, data)
    counted = [float(own[columns["sex"] == sex].mean()) for sex in ("Female", "Male")]
    apart, theirs = _boolean(data)
    return {
        "accuracy": float((own == (whole.labels[whole.test] == 1)).mean()),
        "rule, independence": _pair(shares(rule, independent(data, ["sex"]))),
        "rule, given the group": _pair(shares(theirs, fitted(apart, ["sex"], dict.fromkeys(apart.names, ("sex",))))),
        "rule, our network": _pair(shares(rule, learn(data, ["sex"], conditioned=True))),
        "rule, rows' own shares": _counted(counted),
    }


def _boolean(data: Coded) -> tuple[Coded, Clauses]:
    """Return their coding, a Boolean for each bin that the rule names, and the rule over it."""
    bins = [(name, bin_) for name, kept in RULE[0] for bin_ in kept]
    bins += [("capital-gain", 0), ("education-num", 3), ("hours-per-week", 2)]
    values: dict[str, tuple[str, ...]] = {f"{name} {bin_}": BOOLEAN for name, bin_ in bins}
    columns = [(data.column(name) == bin_).astype(np.int64) for name, bin_ in bins]
    coded = Coded(values | {"sex": data.values["sex"]}, np.stack([*columns, data.column("sex")], axis=1))
    first = [f"{name} {bin_}" for name, kept in RULE[0] for bin_ in kept]
    return coded, Clauses.boolean(first, ["education-num 3", "hours-per-week 2", "~capital-gain 0"])


def _pair(found: Shares) -> list[float]:
    """Return disparate impact and statistical parity."""
    return [round(disparate_impact(found).middle, 5), round(statistical_parity(found).middle, 5)]


def _counted(found: list[float]) -> list[float]:
    """Return both of shares that were counted."""
    high = Fraction(max(found))
    return [round(float(Fraction(min(found)) / high) if high else 1.0, 5), round(max(found) - min(found), 5)]


def table(results: Mapping[str, Any]) -> str:
    """Write their figures, ours, and the tolerance if one applies."""
    part = results["parts"]["published"]
    rows = [
        (f"accuracy, {name}", f"{ACCURACY[name]:.16g}", f"{value:.16g}", "equal")
        for name, value in part["accuracy"].items()
    ]
    for name, ours in part["metrics"].items():
        theirs = THEIRS.get(name)
        within = WITHIN.get(name)
        rows.append(
            (
                f"{name}: DI, SP",
                "-" if theirs is None else ", ".join(f"{value:.5f}" for value in theirs),
                ", ".join("-" if value is None else f"{value:.5f}" for value in ours),
                "-" if within is None else ", ".join(f"{value:g}" for value in within),
            )
        )
    return markdown(("figure", "printed", "ours", "tolerance"), rows)
