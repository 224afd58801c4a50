"""Specs, raw rows and exact evaluation that the tests of the import share."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np

from equiproof.certify.models.importing.chain import Affine, Relu, layers_of
from equiproof.circuits.spec import Feature
from tests.support import changed, spec_of

SPEC = spec_of(
    Feature("income", "numeric", "scaled", False, mean="2500.5", scale="1200", unit="EUR"),
    Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m")),
    Feature("housing", "categorical", "one-hot", False, domain=("own", "rent")),
    Feature("years", "numeric", "scaled", False, mean="7", scale="3"),
)
"""A sensitive feature that stands second and whose column is last; labels declined and granted, one logit."""

COLUMNS = ("income", "housing=own", "housing=rent", "years", "sex")
SHUFFLED = ("sex", "years", "housing=rent", "income", "housing=own")
SIZES = (5, 4, 3, 1)
TWO_LOGITS = changed(SPEC, logits=2)


def weights(sizes, seed=0, kind=np.float32):
    """Return arrays W0, b0, W1, b1, ... of shape (inputs, outputs) and (outputs,)."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for index, (inputs, outputs) in enumerate(pairwise(sizes)):
        arrays[f"W{index}"] = rng.normal(size=(inputs, outputs)).astype(kind)
        arrays[f"b{index}"] = rng.normal(size=outputs).astype(kind)
    return arrays


def forward(arrays, rows):
    """Return the logits of a network given as arrays, in doubles."""
    values, count = np.asarray(rows, dtype=np.float64), len(arrays) // 2
    for index in range(count):
        values = values @ arrays[f"W{index}"].astype(np.float64) + arrays[f"b{index}"].astype(np.float64)
        values = np.maximum(values, 0) if index + 1 < count else values
    return values


def raw_rows(count, seed=1):
    """Return raw numbers of COLUMNS in order, shape (count, 5)."""
    rng = np.random.default_rng(seed)
    owns = rng.integers(0, 2, count)
    parts = (rng.integers(0, 9000, count), owns, 1 - owns, rng.integers(0, 30, count), rng.integers(0, 2, count))
    return np.stack(parts, axis=1).astype(np.float64)


def spec_columns(raw):
    """Return the spec's columns of raw numbers in the order of COLUMNS."""
    means, scales = np.array([2500.5, 0, 0, 7, 0.5]), np.array([1200, 1, 1, 3, 0.5])
    return (raw - means) / scales


def in_order(columns, rows):
    """Return rows of COLUMNS in another order of names."""
    return rows[:, [COLUMNS.index(name) for name in columns]]


def evaluate(steps, values):
    """Run a chain step by step in exact numbers."""
    for step in steps:
        values = tuple(max(value, Fraction(0)) for value in values) if isinstance(step, Relu) else step(values)
    return tuple(values)


def run(source, rows):
    """Return the logits that a source's layers give on rows of its own inputs, as floats of exact results."""
    layers = layers_of(source.steps, source.inputs)
    steps = [step for layer in layers for step in (layer, Relu(""))][:-1]
    return np.array([[float(z) for z in evaluate(steps, [Fraction(v) for v in row])] for row in rows.tolist()])


def affine(outputs, inputs, seed):
    """Return a random map of short fractions."""
    rng = random.Random(seed)
    number = lambda: Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 8)))  # noqa: E731
    rows = [[number() for _ in range(inputs)] for _ in range(outputs)]
    return Affine.dense(rows, [number() for _ in range(outputs)], f"step {seed}")
