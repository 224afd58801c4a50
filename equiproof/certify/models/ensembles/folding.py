"""Folds an exact score to what its committed predicates tell apart, before its values are rounded.

Notation: a nested tree is its only leaf, or (column, threshold, low, high), with `high` where the column passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from equiproof.certify.models.ensembles.exact_trees import ExactTree
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.circuits.spec import Spec

Leaf = Fraction | int
Nested = Leaf | tuple[int, int, "Nested", "Nested"]
Levels = dict[int, list[tuple[int, Fraction]]]


@dataclass(frozen=True)
class Folded:
    """The score below all thresholds, each column's thresholds with the level above each, and centered trees.

    Every tree reads two columns at least, and its least and largest leaf add up to 0.
    """

    base: Fraction
    levels: Levels
    trees: tuple[Nested, ...]


def folded(score: Score, spec: Spec) -> Folded:
    """Fold predicates that no input passes, or every one, and those that a tree has asked already on the way.

    Trees that read one column only become steps, constant ones are added to the base, and the middle of a tree's leaves
    as well. A sensitive threshold stands for the largest value of the domain table that does not pass it.
    """
    plain = spec.plain_columns
    thresholds_of = [_passed(step, spec, plain) for step in score.steps]
    base = score.base
    jumps = dict[tuple[int, int], Fraction]()
    for step, threshold in zip(score.steps, thresholds_of, strict=True):
        if threshold is True:
            base += step.jump
        elif threshold is not False:
            jumps[step.column, threshold] = jumps.get((step.column, threshold), Fraction(0)) + step.jump
    trees = []
    for tree in score.trees:
        pruned_tree = _pruned(tree, 0, score.steps, thresholds_of, {})
        columns = {column for column, _ in asked(pruned_tree)}
        if len(columns) > 1:
            # Around their middle, leaves are as small as they can be, so that they fit a finer scale.
            distinct = {id(leaf): leaf for leaf in leaves(pruned_tree)}.values()
            middle = (min(distinct) + max(distinct)) / Fraction(2)
            base += middle
            trees.append(shifted(pruned_tree, -middle))
            continue
        first, own = _unrolled(pruned_tree)
        base += first
        for place, jump in own.items():
            jumps[place] = jumps.get(place, Fraction(0)) + jump
    levels = Levels()
    for column in sorted({column for column, _ in jumps}):
        thresholds = sorted(threshold for own, threshold in jumps if own == column)
        levels[column] = list(
            zip(thresholds, accumulate(jumps[column, threshold] for threshold in thresholds), strict=True)
        )
    return Folded(base, levels, tuple(trees))


def asked(tree: Nested) -> set[tuple[int, int]]:
    """Return the predicates (column, threshold) of a tree."""
    if not isinstance(tree, tuple):
        return set()
    column, threshold, low, high = tree
    return {(column, threshold)} | asked(low) | asked(high)


def leaves(tree: Nested) -> list[Leaf]:
    """Return the leaves of a tree."""
    return [*leaves(tree[2]), *leaves(tree[3])] if isinstance(tree, tuple) else [tree]


def shifted(tree: Nested, number: Fraction) -> Nested:
    """Return a tree whose every leaf is larger by a number."""
    known: dict[int, Leaf] = {}  # a file's equal leaves are one object, and fractions take long to add

    def moved(part: Nested) -> Nested:
        if isinstance(part, tuple):
            column, threshold, low, high = part
            return column, threshold, moved(low), moved(high)
        if id(part) not in known:
            known[id(part)] = part + number
        return known[id(part)]

    return moved(tree)


def joined(column: int, threshold: int, low: Nested, high: Nested) -> Nested:
    """Return the tree of a split, or its child where both are the same."""
    return low if low is high or low == high else (column, threshold, low, high)


def _passed(step: Step, spec: Spec, plain: int) -> int | bool:
    """Return the committed threshold of a step, True where every input passes it, False where none does.

    `plain` are the columns that are not sensitive, counted once for all steps.
    """
    limit = 1 << (spec.input_bits - 1)
    if step.column < plain:
        # Inputs go from -limit to limit - 1: none is above limit - 1, all are above anything less than -limit.
        if -limit <= step.threshold < limit - 1:
            return step.threshold
        return step.threshold < -limit
    values = {row[step.column - plain] for row in spec.domain_table}
    below = [value for value in values if value <= step.threshold]
    return True if not below else max(below) != max(values) and max(below)


def _pruned(
    tree: ExactTree,
    place: int,
    steps: Sequence[Step],
    passed: Sequence[int | bool],
    spans: Mapping[int, tuple[int | None, int | None]],
) -> Nested:
    """Return the branch at a place, where each column of `spans` is above the first number and at most the second."""
    if place < 0:
        return tree.leaves[~place]
    step, low, high = tree.branches[place]
    threshold = passed[step]
    column = steps[step].column
    above, most = spans.get(column, (None, None))
    if isinstance(threshold, bool):
        return _pruned(tree, high if threshold else low, steps, passed, spans)
    if above is not None and threshold <= above:
        return _pruned(tree, high, steps, passed, spans)
    if most is not None and threshold >= most:
        return _pruned(tree, low, steps, passed, spans)
    return joined(
        column,
        threshold,
        _pruned(tree, low, steps, passed, {**spans, column: (above, threshold)}),
        _pruned(tree, high, steps, passed, {**spans, column: (threshold, most)}),
    )


def _unrolled(tree: Nested) -> tuple[Fraction, dict[tuple[int, int], Fraction]]:
    """Return the value of a tree of one column below all its thresholds, and its jump at each."""
    places = sorted(asked(tree))
    values = [_value(tree, None)] + [_value(tree, threshold) for _, threshold in places]
    return values[0], {place: after - before for place, before, after in zip(places, values, values[1:], strict=False)}


def _value(tree: Nested, passed: int | None) -> Fraction:
    """Return the leaf of rows that pass a threshold and none above it; None passes none."""
    while isinstance(tree, tuple):
        tree = tree[3] if passed is not None and tree[1] <= passed else tree[2]
    return Fraction(tree)
