"""Padding of scores: predicates without a jump, and trees and splits whose leaves are equal, which move no score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import EnsembleModel, NodeTable

Place = tuple[int, int]
"""A predicate: its column and its threshold."""


def pad_additive(model: AdditiveModel, columns: int, predicates: tuple[int, int], input_bits: int) -> AdditiveModel:
    """Return a model of `columns` non-sensitive columns and of P_x and P_s predicates, with the same scores.

    New columns come after its own ones, before the sensitive ones. New predicates have jump 0 and are of the last
    column of their kind, at the upper end of `input_bits`, so that no query passes them. Raises EnsembleError where a
    size shrinks.
    """
    return _padded(model, columns, predicates, input_bits)[0]


def pad_ensemble(
    model: EnsembleModel, columns: int, predicates: tuple[int, int], nodes: tuple[int, int], input_bits: int
) -> EnsembleModel:
    """Return an ensemble of such columns and predicates, and of T trees with N nodes, with the same scores.

    New trees are one node with two leaves 0. Further nodes take the place of the last leaf; all leaves below them have
    its value. All of them ask a predicate of the padding, of which there has to be one. Raises EnsembleError where a
    size shrinks, or no predicate is added.
    """
    additive, numbers = _padded(model.additive, columns, predicates, input_bits)
    added = sorted(set(range(predicates[0])) - set(numbers))
    if not added:
        raise EnsembleError(f"{model!r}: splits of the padding need a predicate of the padding")
    own = replace(model.nodes, predicates=tuple(numbers[place] for place in model.nodes.predicates))
    trees = nodes[0] - own.roots
    spare = nodes[1] - len(own.predicates)
    if not 0 <= trees <= spare:
        raise EnsembleError(f"{model!r} does not fit into {nodes[0]} trees with {nodes[1]} nodes")
    return EnsembleModel(additive, _grown(_joined(own, trees, added[-1]), spare - trees, added[-1]))


def _padded(
    model: AdditiveModel, columns: int, predicates: tuple[int, int], input_bits: int
) -> tuple[AdditiveModel, tuple[int, ...]]:
    """Return the padded model, and the number that each of its own predicates then has."""
    plain, sensitive = (most - own for most, own in zip(predicates, model.predicates, strict=True))
    if columns < model.plain or plain < 0 or sensitive < 0:
        raise EnsembleError(f"{model!r} does not fit into {columns} columns and {predicates} predicates")
    shift = columns - model.plain
    columns_there = [column if column < model.plain else column + shift for column in model.columns]
    own = list(zip(columns_there, model.thresholds, strict=True))
    jumps = dict(zip(own, model.jumps, strict=True))
    for last, more in ((columns - 1, plain), (columns + model.sensitive - 1, sensitive)):
        jumps |= dict.fromkeys(_free(own, last, more, input_bits), 0)
    order = {place: number for number, place in enumerate(sorted(jumps))}
    return _of(model, jumps, columns), tuple(order[place] for place in own)


def _free(own: Sequence[Place], column: int, more: int, input_bits: int) -> list[Place]:
    """Return so many predicates of a column that are not the model's own, from the upper end of the width down.

    Their jump is 0, so that those which only a missing value passes change no score either.
    """
    thresholds = {threshold for of, threshold in own if of == column}
    most = (1 << (input_bits - 1)) - 1
    free = (most - below for below in count() if most - below not in thresholds)
    return [(column, threshold) for threshold in islice(free, more)]


def _of(model: AdditiveModel, jumps: dict[Place, int], plain: int) -> AdditiveModel:
    """Return a model of other predicates and another number of plain columns."""
    places = sorted(jumps)
    return replace(
        model,
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(jumps[place] for place in places),
        plain=plain,
    )


def _joined(nodes: NodeTable, trees: int, predicate: int) -> NodeTable:
    """Return the trees with others of one node and two leaves 0 behind them; their roots follow the own roots."""
    roots = nodes.roots
    leaves = sum(1 - kind for kinds in nodes.kinds[:roots] for kind in kinds)
    return NodeTable(
        roots + trees,
        (*nodes.predicates[:roots], *[predicate] * trees, *nodes.predicates[roots:]),
        (*nodes.kinds[:roots], *[(0, 0)] * trees, *nodes.kinds[roots:]),
        (*nodes.values[:leaves], *[0] * (2 * trees), *nodes.values[leaves:]),
        (*nodes.highs[:roots], *[0] * trees, *nodes.highs[roots:]) if nodes.highs else (),
    )


def _grown(nodes: NodeTable, more: int, predicate: int) -> NodeTable:
    """Return the trees with so many nodes in the place of the last leaf, a heap: as flat as can be.

    The last node in level order has two leaves; its second one becomes node 0 of the heap, whose node i has the
    children 2 i + 1 and 2 i + 2 where there are so many, and leaves of the same value elsewhere.
    """
    if not more:
        return nodes
    kinds = [(int(2 * i + 1 < more), int(2 * i + 2 < more)) for i in range(more)]
    return NodeTable(
        nodes.roots,
        (*nodes.predicates, *[predicate] * more),
        (*nodes.kinds[:-1], (0, 1), *kinds),
        (*nodes.values, *[nodes.values[-1]] * more),
        (*nodes.highs, *[0] * more) if nodes.highs else (),
    )
