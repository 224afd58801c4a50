"""Committed scores of many rows at once."""

from __future__ import annotations

import numpy as np

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.decisions import Integers
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.exact_trees import Asked
from equiproof.certify.sets import seen_rows
from equiproof.circuits.once import remembered


def integer_scores(model: AdditiveModel, inputs: Integers, columns: range) -> Integers:
    """Return what some columns add to the committed score of rows of integers, shape (rows,); the bias is left out."""
    total = np.zeros(len(inputs), dtype=np.int64)
    for column in columns:
        own = [place for place, other in enumerate(model.columns) if other == column]
        if own:
            levels = np.concatenate([[0], np.cumsum([model.jumps[place] for place in own])])
            passed = np.searchsorted([model.thresholds[place] for place in own], inputs[:, column], side="left")
            total += levels[passed]
    return total


def committed_scores(model: AdditiveModel | EnsembleModel, inputs: Integers) -> Integers:
    """Return the committed scores of rows of integers, shape (rows, n_x + n_s) to (rows,)."""
    return remembered("committed", lambda: _committed(model, inputs), model, inputs).copy()


def _committed(model: AdditiveModel | EnsembleModel, inputs: Integers) -> Integers:
    """Return the same, computed."""
    additive = model.additive if isinstance(model, EnsembleModel) else model
    if additive.sets:
        inputs = seen_rows(additive.sets, inputs, additive.stated)
    total = additive.bias + integer_scores(additive, inputs, range(model.inputs))
    if isinstance(model, EnsembleModel):
        nodes = model.nodes
        values = np.array(nodes.values, dtype=np.int64)
        thresholds = np.array(additive.thresholds, dtype=np.int64)[list(nodes.predicates)]
        columns = np.array(additive.columns, dtype=np.int64)[list(nodes.predicates)]
        if additive.absent is not None:
            # A node that sends missing values low reads the least integer in place of one.
            low = np.where(
                inputs[:, : model.plain] == additive.absent, np.iinfo(np.int64).min, inputs[:, : model.plain]
            )
            sent = (np.array(nodes.highs) == 0) & (columns < model.plain)
            inputs, columns = np.hstack([inputs, low]), columns + model.inputs * sent
        asked = Asked.of(_branches(model), columns, thresholds)
        for root in range(nodes.roots):
            total += values[asked.reached(root, inputs)]
    return total


def _branches(model: EnsembleModel) -> Integers:
    """Return (number, low, high) of each node, where ~i is leaf i."""
    node = model.nodes.roots
    leaf = 0
    branches = []
    for number, kinds in enumerate(model.nodes.kinds):
        branch = [number]
        for kind in kinds:
            branch.append(node if kind else ~leaf)
            node += kind
            leaf = leaf + 1 - kind
        branches.append(branch)
    return np.array(branches, dtype=np.int64)
