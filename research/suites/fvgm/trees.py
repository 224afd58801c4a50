"""Decision trees as clauses: Example 1.1 against the population's own shares (Figure 13), and trees of real rows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from equiproof.audits.fvgm.coding import Binning, design, numeric
from equiproof.audits.fvgm.gaussian import Population
from equiproof.audits.fvgm.learning import independent, learn
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares, statistical_parity
from equiproof.audits.fvgm.pipeline import Rows, Settings
from equiproof.audits.fvgm.trees import PreparedTree, accepted, prepare_tree
from research.suites.fvgm.compound import EDGES
from research.suites.fvgm.ladder import SETS
from research.suites.fvgm.populations import Population as Whole
from research.suites.fvgm.populations import population

EXAMPLE = Population(((0.4, 0.3), (0.6, 0.7)), 0.1)
"""Example 1.1: income and fitness of those below 40 years, and of those from 40 on."""

TRAINED = 1_000
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000)
SEEDS = 20
DEPTH = 5
LEAST_ROWS = 30


def example() -> dict[str, Any]:
    """Train trees on rows of Example 1.1, and verify each on samples of several sizes against the population itself."""
    found: dict[int, list[dict[str, float]]] = {size: [] for size in SIZES}
    truths = []
    for seed in range(SEEDS):
        generator = np.random.default_rng([11, seed])
        tree, prepared = _tree(generator, seed)
        binnings = [prepared.coder.numbers.get(name, Binning(())) for name in ("x0", "x1")]
        truth = shares(prepared.classifier, EXAMPLE.network(binnings))
        truths.append([bounds.middle for bounds in truth.accepted])
        for size in SIZES:
            groups, X, _ = EXAMPLE.sample(size, generator)
            data = prepared.coder.coded(_columns(groups, X))
            own = tree.predict(np.column_stack([X, groups])) == 1
            estimates = {
                "network": shares(prepared.classifier, learn(data, ["group"], conditioned=True)),
                "independent": shares(prepared.classifier, independent(data, ["group"])),
            }
            counted = [float(own[groups == group].mean()) for group in (0, 1)]
            found[size].append(_errors(truth, estimates, counted))
    sizes = [{"rows": size, **{k: round(statistics.fmean(e[k] for e in found[size]), 4) for k in found[size][0]}}
             for size in SIZES]  # fmt: skip
    return {"seeds": SEEDS, "trained": TRAINED, "shares": np.round(np.mean(truths, axis=0), 4).tolist(), "sizes": sizes}


def _columns(groups: Any, X: Any) -> dict[str, Any]:
    """Return raw columns of a sample."""
    return {f"x{i}": X[:, i] for i in range(X.shape[1])} | {"group": groups.astype(str).astype(object)}


def _tree(generator: np.random.Generator, seed: int) -> tuple[Any, PreparedTree]:
    """Train a tree on rows of the example, and write it as clauses."""
    from sklearn.tree import DecisionTreeClassifier

    groups, X, labels = EXAMPLE.sample(TRAINED, generator)
    matrix, columns = np.column_stack([X, groups]), _columns(groups, X)
    tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=seed).fit(matrix, labels)
    return tree, prepare_tree(tree, Rows(columns, matrix, {name: [i] for i, name in enumerate(columns)}, ("group",)))


def _errors(truth: Shares, estimates: Mapping[str, Shares], counted: Sequence[float]) -> dict[str, float]:
    """Return absolute errors of disparate impact and statistical parity, of networks and of the rows' own shares."""
    impact, parity = disparate_impact(truth).middle, statistical_parity(truth).middle
    errors = {}
    for name, one in estimates.items():
        errors[f"{name}_impact"] = abs(disparate_impact(one).middle - impact)
        errors[f"{name}_parity"] = abs(statistical_parity(one).middle - parity)
    high = max(counted)
    errors["counted_impact"] = abs((min(counted) / high if high else 1.0) - impact)
    errors["counted_parity"] = abs(high - min(counted) - parity)
    return errors


def measured(name: str, data_dir: Path | None) -> dict[str, Any]:
    """Fit a tree to a data set, and verify it."""
    rows, tree = fitted_tree(population(name, SETS[name], data_dir))
    return {"dataset": name, **judged(rows, tree, LEAST_ROWS)}


def fitted_tree(whole: Whole) -> tuple[Rows, Any]:
    """Return all rows, and a tree of theirs with balanced classes."""
    from sklearn.tree import DecisionTreeClassifier

    rows = tree_rows(whole, EDGES.get(whole.name, {}))
    tree = DecisionTreeClassifier(max_depth=DEPTH, class_weight="balanced", random_state=0)
    return rows, tree.fit(rows.X, whole.labels)


def judged(rows: Rows, tree: Any, least_rows: int) -> dict[str, Any]:
    """Verify a tree under the network and independence; count the rows' own shares."""
    begun = time.process_time()
    prepared = prepare_tree(tree, rows, Settings(conditioned=True))
    learned = time.process_time()
    groups = prepared.groups(least_rows)
    found = shares(prepared.classifier, prepared.network, groups)
    ended = time.process_time()
    own = tree.predict(rows.X) == 1
    apart = shares(prepared.classifier, independent(prepared.coded, rows.sensitive), groups)
    counted = [float(own[prepared.rows_of(group)].mean()) for group in groups]
    return {
        "sensitive": list(rows.sensitive), "groups": len(groups),
        "leaves": int(tree.get_n_leaves()), "clauses": len(prepared.classifier.clauses),
        "features": len(prepared.coded.names), "rows": len(own),
        "disagree": int((accepted(prepared.classifier, prepared.coded) != own).sum()),
        "impact": round(disparate_impact(found).middle, 4), "parity": round(statistical_parity(found).middle, 4),
        "independent_impact": round(disparate_impact(apart).middle, 4),
        "independent_parity": round(statistical_parity(apart).middle, 4),
        "counted_impact": round(min(counted) / max(counted), 4) if max(counted) else 1.0,
        "counted_parity": round(max(counted) - min(counted), 4),
        "learning_s": round(learned - begun, 2), "shares_s": round(ended - learned, 2),
    }  # fmt: skip


def tree_rows(whole: Whole, edges: Mapping[str, Sequence[float]]) -> Rows:
    """Return rows for a tree: numbers as they are, sensitive numbers as groups, so that no cut is inside one."""
    columns = dict(whole.columns)
    for name in whole.sensitive:
        if numeric(columns[name]):
            bins = np.searchsorted(np.asarray(edges[name]), columns[name], side="right")
            columns[name] = bins.astype(str).astype(object)
    X, blocks = design(columns)
    for name, values in columns.items():
        if numeric(values):
            X[:, blocks[name][0]] = values
    return Rows(columns, X, blocks, whole.sensitive)


def example_table(results: Mapping[str, Any]) -> str:
    """Write one line per number of rows that the networks are learned from."""
    part = results["parts"]["tree-example"]
    kinds = ("network", "independent", "counted")
    rows = [
        (f"{one['rows']:,}", *(f"{one[f'{kind}_{m}']:.4f}" for m in ("impact", "parity") for kind in kinds))
        for one in part["sizes"]
    ]
    names = ("network", "independence", "rows' own shares")
    return markdown(("rows", *(f"{metric}, {name}" for metric in ("DI", "SP") for name in names)), rows)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per data set."""
    rows = []
    for name, one in results["parts"].items():
        if name.startswith("tree-") and name != "tree-example":
            pairs = [
                f"{one[f'{kind}impact']:.2f}, {one[f'{kind}parity']:.2f}" for kind in ("", "independent_", "counted_")
            ]
            rows.append(
                (
                    one["dataset"], f"{' x '.join(one['sensitive'])} ({one['groups']})",
                    f"{one['leaves']}, {one['clauses']}, {one['features']}", f"{one['disagree']} of {one['rows']:,}",
                    *pairs, f"{one['learning_s']:.2f}", f"{one['shares_s']:.2f}",
                )
            )  # fmt: skip
    head = (
        "data set", "sensitive (groups)", "leaves, clauses, features", "rows decided otherwise", "DI, SP: network",
        "independence", "rows' own shares", "coding and learning, CPU s", "shares, CPU s",
    )  # fmt: skip
    return markdown(head, rows)


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the errors of trees of Example 1.1 against the rows that the network is learned from."""
    from bench.drawing import figure

    sizes = results["parts"]["tree-example"]["sizes"]
    with figure(path, 1, 2) as panels:
        for axes, (metric, title) in zip(
            panels[0], (("impact", "disparate impact"), ("parity", "statistical parity")), strict=True
        ):
            for kind, style in (("network", "o-"), ("independent", "s:"), ("counted", "^--")):
                axes.plot([one["rows"] for one in sizes], [one[f"{kind}_{metric}"] for one in sizes], style, label=kind)
            axes.set(xlabel="rows", ylabel=f"mean error, {title}", xscale="log", yscale="log")
        panels[0][0].legend()
