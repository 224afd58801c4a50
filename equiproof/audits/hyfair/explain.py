"""Where a model discriminates most, as predicates (Algorithm 2).

Neighbors of the applicants with the most clusters are labeled high or low by their k, at its 95th percentile; a
decision tree separates the two; each path to a high leaf is kept if its negation lowers the mean k by delta.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equiproof.audits.hyfair.clusters import Flags, Judge
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.rules import Rule
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


@dataclass(frozen=True, eq=False)
class Explanation:
    """The kept `rules`, most difference first; `candidates` counts the paths to high leaves.

    `initial_k` is the largest k among the starting applicants, `threshold` the k from which a sample is high, None
    where all samples have one k and no difference can be explained; `precision` is the share of high samples among
    those that a rule covers, `recall` the share of high samples that one covers; `delta` is that of the settings.
    """

    rules: tuple[Rule, ...]
    candidates: int
    initial_k: int
    threshold: int | None
    precision: float
    recall: float
    delta: float = 1.0


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
    initial = int(_k(judge, tops, settings).max())
    samples = perturbed(grid, tops, settings.samples, rng)
    k = _k(judge, samples, settings)
    threshold = int(np.ceil(np.percentile(k, settings.percentile)))
    high = k >= threshold
    if high.all() or not high.any():
        return Explanation((), 0, initial, None, 0.0, 0.0, settings.delta)
    paths = _paths(grid, samples, high, settings, int(rng.integers(1 << 30)))
    rules = []
    for path in paths:
        inside = samples[path.holds(samples)]
        outside = negated(path, inside, rng)
        judged = replace(
            path, mean_k=float(_k(judge, inside, settings).mean()), negated_k=float(_k(judge, outside, settings).mean())
        )
        if judged.difference >= settings.delta:
            rules.append(judged)
    rules.sort(key=lambda rule: -rule.difference)
    covered = np.zeros(len(samples), dtype=np.bool_)
    for rule in rules:
        covered |= rule.holds(samples)
    both = int((covered & high).sum())
    shares = both / max(1, int(covered.sum())), both / int(high.sum())
    return Explanation(tuple(rules), len(paths), initial, threshold, *shares, settings.delta)


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


def _k(judge: Judge, applicants: Integers, settings: Settings) -> Integers:
    """Return the k of applicants."""
    counts: Integers = getattr(judge.judge(applicants), settings.clustering)
    return counts


def _paths(grid: Grid, samples: Integers, high: Flags, settings: Settings, seed: int) -> list[Rule]:
    """Return the paths to leaves where most samples, at equal weight of the two kinds, are high."""
    from sklearn.tree import DecisionTreeClassifier

    columns, meaning = _encoded(grid, samples)
    leaf = max(1, round(settings.least * len(samples)))
    model = DecisionTreeClassifier(
        max_depth=settings.depth, min_samples_leaf=leaf, class_weight="balanced", random_state=seed
    ).fit(columns, high)
    return [rule for rule in _walk(model.tree_, 0, [None] * len(grid.names), grid, meaning) if rule.size]


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


def _walk(tree: Any, node: int, allowed: list[Any], grid: Grid, meaning: list[tuple[int, int | None]]) -> list[Rule]:
    """Return the rules of the high leaves below a node; `allowed` is what holds on the way to it."""
    if tree.children_left[node] < 0:
        low, high = tree.value[node][0]
        return [Rule(tuple(allowed))] if high > low else []
    f, value = meaning[tree.feature[node]]
    count = len(grid.values[f])
    levels_left = np.arange(count) <= tree.threshold[node] if value is None else np.arange(count) != value
    rules = []
    for child, side in ((tree.children_left[node], levels_left), (tree.children_right[node], ~levels_left)):
        below = list(allowed)
        below[f] = side if below[f] is None else below[f] & side
        rules += _walk(tree, int(child), below, grid, meaning)
    return rules
