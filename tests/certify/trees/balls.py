"""Data sets, and random points of the open ball around a query, for attacks on certified radii of real models."""

import os
from pathlib import Path

import numpy as np
import pytest

from equiproof.certify.data import load

POINTS = 10_000


def data_of(name, encoding):
    """Return a data set, or skip the test where its files are absent."""
    folder = os.environ.get("EQUIPROOF_DATA")
    if name != "lending" and folder is None:
        pytest.skip("EQUIPROOF_DATA does not name the public data sets")
    return load(name, None if folder is None else Path(folder), encoding=encoding)


def inside(rng, query, radius_squared, columns):
    """Return points of the open ball, (about POINTS, n_x).

    A quarter anywhere; the others near the rim along columns with thresholds: all of them, or one to four.
    """
    spread, used = rng.normal(size=(POINTS, len(query))), np.isin(np.arange(len(query)), columns)
    rim = slice(POINTS // 4, None)
    spread[rim, ~used] = 0
    half = spread[POINTS // 2 :]
    order = np.where(used, rng.random(half.shape), 2).argsort(axis=1).argsort(axis=1)
    half[order >= rng.integers(1, 5, size=(len(half), 1))] = 0
    share = rng.random(POINTS) ** (1 / len(query))
    share[rim] = 1 - 1e-9
    lengths = np.linalg.norm(spread, axis=1)
    points = np.asarray(query) + spread * (radius_squared**0.5 * share / lengths)[:, None]
    near = ((points - np.asarray(query)) ** 2).sum(axis=1) < radius_squared
    assert near.mean() > 0.99
    return points[near]
