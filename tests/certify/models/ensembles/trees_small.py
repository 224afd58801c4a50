"""Exact scores of foreign trees on raw rows, for tests that compare them with the library's own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equiproof.certify.models.ensembles.ensemble import Ensemble


def scores(ensemble: Ensemble, rows) -> list[Fraction]:
    """Return exact scores of raw rows, behind the curves before the trees, cast to single precision where they are."""
    for step in ensemble.front:
        columns = np.asarray(rows, dtype=np.float64).T
        rows = np.stack([curve.compute(own) for curve, own in zip(step.functions, columns, strict=True)], axis=1)
    cast = np.asarray(rows, dtype=np.float32 if ensemble.single else np.float64)
    return [ensemble.base + sum(_leaf(tree, row) for tree in ensemble.trees) for row in cast.tolist()]


def labels(ensemble: Ensemble, rows) -> list[int]:
    """Return which rows get the second class."""
    return [int(score > 0) for score in scores(ensemble, rows)]


def _leaf(tree, row) -> Fraction:
    """Return the leaf that a row reaches."""
    place = 0 if tree.splits else ~0
    while place >= 0:
        split = tree.splits[place]
        number = Fraction(row[split.column])
        is_above = number > split.threshold or (split.strict and number == split.threshold)
        place = split.above if is_above else split.below
    return tree.leaves[~place]
