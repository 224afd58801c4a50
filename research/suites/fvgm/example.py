"""Example 1.1 with the boundaries that the paper prints (Figure 7): shares and errors by the number of rows.

Truth is the closed form of these boundaries under the distributions of appendix D.1.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

import numpy as np

from bench.harness import table as markdown
from equiproof.audits.fvgm.learning import independent
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares, statistical_parity
from equiproof.audits.fvgm.pipeline import Rows, prepare
from equiproof.audits.fvgm.scaling import Scores
from research.suites.fvgm.trees import EXAMPLE

BOUNDARIES: Mapping[str, Scores] = {
    "LR": Scores(np.array([7.26, 7.4, -1.34]), -6.62),
    "SVM": Scores(np.array([9.37, 9.75, -0.34]), -9.4),
}
"""Income, fitness, and 1 from 40 years on; accepted where the sum is at least the negative of the bias."""

SIZES = (100, 300, 1_000, 10_000)
SEEDS = 20


def measured() -> dict[str, Any]:
    """Verify both boundaries on samples of several sizes."""
    found = {}
    for name, scores in BOUNDARIES.items():
        young, old = EXAMPLE.shares(scores)
        sizes = []
        for size in SIZES:
            errors = [_errors(scores, size, seed) for seed in range(SEEDS)]
            means = {key: round(statistics.fmean(one[key] for one in errors), 4) for key in errors[0]}
            sizes.append({"rows": size, **means})
        found[name] = {"young": round(young, 4), "old": round(old, 4), "sizes": sizes}
    return {"seeds": SEEDS, "boundaries": found}


def _errors(scores: Scores, size: int, seed: int) -> dict[str, float]:
    """Return absolute errors of disparate impact and statistical parity on one sample."""
    low, high = sorted(EXAMPLE.shares(scores))
    groups, X, _ = EXAMPLE.sample(size, np.random.default_rng([13, seed]))
    columns = {"x0": X[:, 0], "x1": X[:, 1], "group": groups.astype(str).astype(object)}
    rows = Rows(columns, np.column_stack([X, groups]), {"x0": [0], "x1": [1], "group": [2]}, ("group",))
    prepared = prepare(scores, rows)
    own = scores.accepts(rows.X)
    counted = sorted(float(own[groups == group].mean()) for group in (0, 1))
    apart = independent(prepared.coded, ("group",))
    estimates = {
        "network": _pair(shares(prepared.linear, prepared.network)),
        "independent": _pair(shares(prepared.linear, apart)),
        "counted": (counted[0] / counted[1] if counted[1] else 1.0, counted[1] - counted[0]),
    }
    return {
        f"{kind}_{metric}": abs(value - true)
        for kind, pair in estimates.items()
        for metric, value, true in zip(("impact", "parity"), pair, (low / high, high - low), strict=True)
    }


def _pair(found: Shares) -> tuple[float, float]:
    """Return disparate impact and statistical parity."""
    return disparate_impact(found).middle, statistical_parity(found).middle


def table(results: Mapping[str, Any]) -> str:
    """Write one line for each boundary and number of rows."""
    kinds = [f"{kind}_{metric}" for metric in ("impact", "parity") for kind in ("network", "independent", "counted")]
    rows = [
        (name, f"{one['young']:.4f}, {one['old']:.4f}", f"{size['rows']:,}", *(f"{size[kind]:.4f}" for kind in kinds))
        for name, one in results["parts"]["example"]["boundaries"].items()
        for size in one["sizes"]
    ]
    names = ("network", "independence", "rows' own shares")
    head = ("boundary", "accepted below 40, from 40 on", "rows")
    return markdown((*head, *(f"{metric}, {name}" for metric in ("DI", "SP") for name in names)), rows)
