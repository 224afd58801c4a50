"""The tables and models of the everyday suite: lending rows by chance, and what four libraries learn from them.

Everything is made from one seed, so that two builds read the same files.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SEED = 42
FEATURES = ("age", "income", "debt", "months", "amount", "share", "accounts", "late")
LABEL = "granted"
PREDICTED, IMPORTED, COMMITTED, REFUSED = 6_807, 9_769, 4_000, 3_000
"""The rows of each work."""


def table(path: Path, count: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Write so many rows as CSV; return the columns that models take, the sex last as 0 or 1, and the decisions."""
    rng = np.random.default_rng(SEED)
    income = np.round(rng.lognormal(7.9, 0.5, count), 2)
    columns = [
        rng.integers(18, 86, count),
        income,
        np.round(income * rng.uniform(0, 6, count), 2),
        rng.integers(3, 84, count),
        np.round(rng.lognormal(8.5, 0.8, count), 2),
        np.round(rng.uniform(0, 1, count), 4),
        rng.integers(0, 15, count),
        rng.poisson(0.8, count),
        rng.integers(0, 2, count),
    ]
    X = np.column_stack([column.astype(np.float64) for column in columns])
    z = (
        0.02 * (X[:, 0] - 40)
        + np.log(income / 2700)
        - 0.25 * X[:, 2] / income
        - X[:, 5]
        - 0.6 * X[:, 7]
        + 0.3 * X[:, 8]
    )
    y = (z + 1.5 + rng.logistic(0, 0.6, count) > 0).astype(np.int64)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*FEATURES, "sex", LABEL])
        for place in range(count):
            numbers = [column[place].item() for column in columns[:-1]]
            writer.writerow([*numbers, "male" if X[place, -1] else "female", "yes" if y[place] else "no"])
    return X, y


def spec_of(rows: Path, out: Path) -> None:
    """Draft the spec of a table."""
    words = ["spec", rows, "--label", LABEL, "--sensitive", "sex", "--labels", "no,yes"]
    words += ["--levels", "exact", "--out", out]
    subprocess.run([sys.executable, "-m", "equiproof", *map(str, words)], check=True, capture_output=True)


def boosted(path: Path, X: Any, y: Any, trees: int, depth: int) -> None:
    """Write a model of XGBoost."""
    import xgboost

    model = xgboost.XGBClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.1, n_jobs=1, random_state=SEED)
    model.fit(X, y)
    model.get_booster().feature_names = [*FEATURES, "sex"]
    model.get_booster().save_model(path)


def machine_with_pairs(path: Path, rows: Path) -> None:
    """Write an explainable boosting machine with pairs, on the raw columns of a table."""
    import pandas as pd
    from interpret.glassbox import ExplainableBoostingClassifier  # type: ignore[import-untyped]

    frame = pd.read_csv(rows)
    model = ExplainableBoostingClassifier(interactions=10, outer_bags=2, n_jobs=1, random_state=SEED, max_rounds=500)
    model.fit(frame[[*FEATURES, "sex"]], frame[LABEL])
    path.write_text(json.dumps(model.to_jsonable()), encoding="utf-8")


def forest(path: Path, X: Any, y: Any) -> None:
    """Write the default random forest of scikit-learn as ONNX, as its own converter writes it."""
    import onnx
    from onnx import TensorProto, helper
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(random_state=SEED, n_jobs=1).fit(X, y)
    parts: dict[str, Any] = {name: [] for name in _NODES + _LEAVES}
    for number, own in enumerate(model.estimators_):
        _add(parts, number, own.tree_, len(model.estimators_))
    node = helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        classlabels_int64s=[0, 1],
        post_transform="NONE",
        **parts,
    )
    graph = helper.make_graph(
        [node],
        "forest",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, X.shape[1]])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
            helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, 2]),
        ],
    )
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


_NODES = [
    *("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_hitrates", "nodes_modes"),
    *("nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true"),
]
_LEAVES = ["class_treeids", "class_nodeids", "class_ids", "class_weights"]


def _add(parts: dict[str, list[Any]], number: int, tree: Any, trees: int) -> None:
    """Add the nodes of a tree to those of a forest, in the order of the operator's attributes."""
    for node in range(tree.node_count):
        low, high = int(tree.children_left[node]), int(tree.children_right[node])
        is_leaf = low < 0
        values: Sequence[Any] = (
            *(number, node, 0 if is_leaf else int(tree.feature[node]), 0.0 if is_leaf else float(tree.threshold[node])),
            *(1.0, "LEAF" if is_leaf else "BRANCH_LEQ", 0 if is_leaf else low, 0 if is_leaf else high, 0),
        )
        for name, value in zip(_NODES, values, strict=True):
            parts[name].append(value)
        if is_leaf:
            shares = tree.value[node][0] / tree.value[node][0].sum() / trees
            for label, share in enumerate(shares):
                for name, value in zip(_LEAVES, (number, node, label, float(share)), strict=True):
                    parts[name].append(value)
