"""Boosted trees of scikit-learn as integers, and the problems of the search kernel around their applicants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from equiproof.certify.data import load
from equiproof.certify.data.dataset import encode_rows
from equiproof.circuits.spec import Spec

VALUE_BITS = 16

Child = tuple[int, int]
"""(0, value of a leaf) or (1, number of a node)."""


@dataclass(frozen=True)
class Ensemble:
    """T trees over the integers of a spec: a node goes low where its column is at most its threshold.

    Predicates ascend by (column, threshold). A node is (predicate, low, high); nodes are in level order.
    """

    spec: Spec
    predicates: tuple[tuple[int, int], ...]
    nodes: tuple[tuple[int, Child, Child], ...]
    roots: tuple[Child, ...]
    bias: int

    def margin(self, row: Sequence[int]) -> int:
        """Return the score of a row of plain and sensitive columns."""
        total = self.bias
        for root in self.roots:
            kind, number = root
            while kind:
                predicate, low, high = self.nodes[number]
                column, threshold = self.predicates[predicate]
                kind, number = low if row[column] <= threshold else high
            total += number
        return total

    def label(self, query: Sequence[int]) -> int | None:
        """Return the label of a query on all slices, None where it differs between them or is tied."""
        signs = {np.sign(self.margin((*query, *row))) for row in self.spec.domain_table}
        return None if len(signs) > 1 or 0 in signs else int(signs == {1})

    def problem(self, query: Sequence[int]) -> dict[str, Any]:
        """Return the problem of the kernel around a query that has a label; raises ValueError for any other."""
        label = self.label(query)
        if label is None:
            raise ValueError("the decision depends on the sensitive columns, or is tied")
        sigma, plain, cap = 2 * label - 1, len(query), self.spec.max_radius_squared
        slots, sensitive, above = [], [], []
        for column, threshold in self.predicates:
            above.append(column >= plain or query[column] <= threshold)
            if column >= plain:
                sensitive.append({"column": column, "step": 0})
                continue
            gap2 = (query[column] - threshold) ** 2
            slots.append({"column": column, "above": above[-1], "gap2": gap2 if gap2 < cap else None, "step": 0})
        nodes = []
        for predicate, low, high in self.nodes:
            stay, cross = (low, high) if above[predicate] else (high, low)
            nodes.append({"slot": predicate, "stay": _turned(stay, sigma), "cross": _turned(cross, sigma)})
        cut = self.predicates[len(slots) :]
        return {
            "base": sigma * self.bias,
            "slots": slots,
            "sensitive": sensitive,
            "slices": [[int(row[column - plain] > limit) for column, limit in cut] for row in self.spec.domain_table],
            "nodes": nodes,
            "roots": [_turned(root, sigma) for root in self.roots],
        }


def _turned(child: Child, sigma: int) -> list[int]:
    """Return a reference whose value is multiplied by sigma."""
    kind, number = child
    return [kind, number if kind else sigma * number]


def trained(
    name: str, trees: int, depth: int, data_dir: Path | None
) -> tuple[Ensemble, list[tuple[int, ...]], list[int]]:
    """Train on a data set's integers; return the ensemble, the encoded plain rows, and the numbers of test rows."""
    data = load(name, data_dir)
    columns = encode_rows(data.spec, data.rows)
    labels = np.asarray(data.labels)
    machine = HistGradientBoostingClassifier(
        max_iter=trees,
        max_depth=depth,
        max_leaf_nodes=2**depth,
        early_stopping=False,
        random_state=0,
        learning_rate=0.1,
    )
    train = np.asarray(data.train)
    machine.fit(columns[train], labels[train])
    ensemble = _integers(machine, data.spec)
    plain = columns.shape[1] - len(data.spec.domain_table[0])
    return ensemble, [tuple(int(value) for value in row[:plain]) for row in columns], list(data.test)


def _integers(machine: HistGradientBoostingClassifier, spec: Spec) -> Ensemble:
    """Round thresholds down, and values to 16 bits at one scale."""
    tables = [nodes.nodes for (nodes,) in machine._predictors]  # noqa: SLF001 - there is no public way to the trees
    top = max(float(np.abs(table["value"][table["is_leaf"] == 1]).max()) for table in tables)
    shift = floor(log2((2 ** (VALUE_BITS - 1) - 1) / top))
    splits = {
        (int(node["feature_idx"]), floor(node["num_threshold"]))
        for table in tables
        for node in table[table["is_leaf"] == 0]
    }
    predicates = tuple(sorted(splits))
    place = {split: number for number, split in enumerate(predicates)}
    queue: list[tuple[Any, int]] = []

    def refer(table: Any, at: int) -> Child:
        if table[at]["is_leaf"]:
            return 0, floor(float(table[at]["value"]) * 2.0**shift + 0.5)
        queue.append((table, at))
        return 1, len(queue) - 1

    roots = tuple(refer(table, 0) for table in tables)
    nodes = []
    for table, at in queue:
        node = table[at]
        split = place[int(node["feature_idx"]), floor(node["num_threshold"])]
        nodes.append((split, refer(table, int(node["left"])), refer(table, int(node["right"]))))
    bias = floor(float(np.ravel(machine._baseline_prediction)[0]) * 2.0**shift + 0.5)  # noqa: SLF001
    return Ensemble(spec, predicates, tuple(nodes), roots, bias)


def dumped(problem: dict[str, Any]) -> str:
    """Return a problem as the text that the kernel takes."""
    nodes = [number for node in problem["nodes"] for number in (*node["stay"], *node["cross"], node["slot"])]
    return json.dumps(problem | {"nodes": nodes}, separators=(",", ":"))
