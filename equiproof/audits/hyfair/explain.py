"""Where a model discriminates most, as predicates (Algorithm 2).

Neighbors of the applicants with the most clusters are labeled high or low by their k, at its 95th percentile; a
decision tree separates the two; each path to a high leaf is kept if its negation lowers the mean k by delta. All of
that is about drawn neighbors: :func:`equiproof.audits.hyfair.rules.on_rows` says what a rule does to real rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equiproof.audits.hyfair.clusters import Flags, Judge
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.rules import Rule, condition
from equiproof.audits.hyfair.search import Clustering


@dataclass(frozen=True)
class Settings:
    """Settings of an explanation: `samples` neighbors, labeled at `percentile` of k, a tree of at most `depth`.

    A leaf has at least the share `least` of the samples; a path is kept if k falls by `delta` on its negation.
    """

    clustering: Clustering = "buckets"
    samples: int = 5000
    percentile: float = 95.0
    depth: int = 6
    least: float = 0.005
    delta: float = 1.0


@dataclass(frozen=True)
class Node:
    """A node of the decision tree: `depth` from 0, what holds there beside what holds above, and its neighbors.

    `high` is the share of its neighbors whose k is high. `rule` numbers the kept rules from 1, at the leaf that the
    rule leads to; None elsewhere.
    """

    depth: int
    condition: str
    neighbors: int
    mean_k: float
    high: float
    rule: int | None = None


@dataclass(frozen=True, eq=False)
class _Branch:
    """A node of scikit-learn's tree with the rule that leads to it; `feature` is the one that was asked last."""

    node: int
    depth: int
    feature: int | None
    rule: Rule
    is_high_leaf: bool


@dataclass(frozen=True, eq=False)
class Explanation:
    """The kept `rules`, most difference first; `candidates` counts the paths to high leaves.

    `initial_k` is the largest k among the starting applicants, `threshold` the k from which a sample is high, None
    where all samples have one k and no difference can be explained; `precision` is the share of high samples among
    those that a rule covers, `recall` the share of high samples that one covers; `delta` is that of the settings.
    `tree` has the nodes of the decision tree in preorder.
    """

    rules: tuple[Rule, ...]
    candidates: int
    initial_k: int
    threshold: int | None
    precision: float
    recall: float
    delta: float = 1.0
    tree: tuple[Node, ...] = ()


def least_difference(grid: Grid) -> float:
    """Return the `delta` for a domain: 1, and 0.5 for two joint sensitive values.

    Their k is 1 or 2, so that a rule lowers the mean by 1 only if k is 2 wherever it holds and 1 wherever it fails.
    """
    return min(1.0, (len(grid.table) - 1) / 2)


def explain(judge: Judge, tops: Integers, settings: Settings, rng: np.random.Generator) -> Explanation:
    """Return rules for what applicants of shape (n, F) with many clusters have in common.

    Raises ValueError if there are no applicants.
    """
    if not len(tops):
        raise ValueError("no applicant to explain: search found none")
    grid = judge.forward.grid
    initial = int(k_of(judge, tops, settings.clustering).max())
    samples = perturbed(grid, tops, settings.samples, rng)
    k = k_of(judge, samples, settings.clustering)
    threshold = int(np.ceil(np.percentile(k, settings.percentile)))
    high = k >= threshold
    if high.all() or not high.any():
        return Explanation((), 0, initial, None, 0.0, 0.0, settings.delta)
    branches, members = _grown(grid, samples, high, settings, int(rng.integers(1 << 30)))
    paths = [one for one in branches if one.is_high_leaf and one.rule.size]
    rules = []
    leaves: dict[int, Rule] = {}
    for path in paths:
        inside = samples[path.rule.holds(samples)]
        outside = negated(path.rule, inside, rng)
        means = (float(k_of(judge, those, settings.clustering).mean()) for those in (inside, outside))
        judged = replace(path.rule, mean_k=next(means), negated_k=next(means))
        if judged.difference >= settings.delta:
            rules.append(judged)
            leaves[path.node] = judged
    rules.sort(key=lambda rule: -rule.difference)
    covered = np.zeros(len(samples), dtype=np.bool_)
    for rule in rules:
        covered |= rule.holds(samples)
    both = int((covered & high).sum())
    shares = both / max(1, int(covered.sum())), both / int(high.sum())
    numbers = {node: rules.index(rule) + 1 for node, rule in leaves.items()}
    tree = tuple(_node(grid, one, k, high, members[one.node], numbers.get(one.node)) for one in branches)
    return Explanation(tuple(rules), len(paths), initial, threshold, *shares, settings.delta, tree)


def perturbed(grid: Grid, tops: Integers, count: int, rng: np.random.Generator) -> Integers:
    """Return neighbors of applicants: each has some of its features, from one to all, drawn anew."""
    base = tops[rng.integers(0, len(tops), size=count)]
    features = len(grid.names)
    changed = rng.random((count, features)).argsort(axis=1) < rng.integers(1, features + 1, size=(count, 1))
    return np.where(changed, grid.draw(rng, count), base)


def negated(rule: Rule, inside: Integers, rng: np.random.Generator) -> Integers:
    """Return applicants with some conditions of a rule broken, from one to all, and all other features kept."""
    outside = inside.copy()
    bound = [f for f, values in enumerate(rule.allowed) if values is not None]
    order = rng.random((len(outside), len(bound))).argsort(axis=1)
    broken = order < rng.integers(1, len(bound) + 1, size=(len(outside), 1))
    for place, f in enumerate(bound):
        values = rule.allowed[f]
        if values is not None:
            others = np.flatnonzero(~values)
            rows = np.flatnonzero(broken[:, place])
            outside[rows, f] = rng.choice(others, size=len(rows))
    return outside


def k_of(judge: Judge, applicants: Integers, clustering: Clustering) -> Integers:
    """Return the k of applicants of shape (n, F), shape (n,)."""
    counts: Integers = getattr(judge.judge(applicants), clustering)
    return counts


def _grown(
    grid: Grid, samples: Integers, high: Flags, settings: Settings, seed: int
) -> tuple[list[_Branch], dict[int, Flags]]:
    """Return the nodes of a tree that separates high samples from others at equal weight, and the samples of each."""
    from sklearn.tree import DecisionTreeClassifier

    columns, meaning = _encoded(grid, samples)
    leaf = max(1, round(settings.least * len(samples)))
    model = DecisionTreeClassifier(
        max_depth=settings.depth, min_samples_leaf=leaf, class_weight="balanced", random_state=seed
    ).fit(columns, high)
    branches = list(_walk(model.tree_, _Branch(0, 0, None, Rule((None,) * len(grid.names)), False), grid, meaning))
    passed = model.decision_path(columns).toarray().astype(np.bool_)
    return branches, {one.node: passed[:, one.node] for one in branches}


def _node(grid: Grid, one: _Branch, k: Integers, high: Flags, members: Flags, rule: int | None) -> Node:
    """Return a node in words and counts."""
    values = None if one.feature is None else one.rule.allowed[one.feature]
    said = (
        "all neighbors"
        if values is None or one.feature is None
        else condition(grid, one.feature, np.flatnonzero(values))
    )
    return Node(one.depth, said, int(members.sum()), float(k[members].mean()), float(high[members].mean()), rule)


def _encoded(grid: Grid, samples: Integers) -> tuple[Any, list[tuple[int, int | None]]]:
    """Return the tree's columns and what they mean: a number's index, or whether a category has one value."""
    columns: list[Any] = []
    meaning: list[tuple[int, int | None]] = []
    for f, ordered in enumerate(grid.ordered):
        if ordered:
            columns.append(samples[:, f])
            meaning.append((f, None))
            continue
        for value in range(len(grid.values[f])):
            columns.append(samples[:, f] == value)
            meaning.append((f, value))
    return np.stack(columns, axis=1).astype(np.float32), meaning


def _walk(tree: Any, own: _Branch, grid: Grid, meaning: list[tuple[int, int | None]]) -> Iterator[_Branch]:
    """Yield a node and all below it, in preorder."""
    node = own.node
    if tree.children_left[node] < 0:
        low, high = tree.value[node][0]
        yield replace(own, is_high_leaf=bool(high > low))
        return
    yield own
    f, value = meaning[tree.feature[node]]
    count = len(grid.values[f])
    levels_left = np.arange(count) <= tree.threshold[node] if value is None else np.arange(count) != value
    for child, side in ((tree.children_left[node], levels_left), (tree.children_right[node], ~levels_left)):
        below = list(own.rule.allowed)
        before = below[f]
        below[f] = side if before is None else before & side
        yield from _walk(tree, _Branch(int(child), own.depth + 1, f, Rule(tuple(below)), False), grid, meaning)
