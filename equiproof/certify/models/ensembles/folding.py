"""Folds an exact score to what its committed predicates tell apart, before its values are rounded.

Notation: a nested tree is its only leaf, or (column, threshold, low, high, up), with `high` where the column passes,
and where its value is missing if it is `up`. Nobody states the largest integer of a column whose value can be missing:
the threshold before it is passed by missing values alone.
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
Nested = Leaf | tuple[int, int, "Nested", "Nested", bool]
Levels = dict[int, list[tuple[int, Fraction]]]


@dataclass(frozen=True)
class Folded:
    """The score below all thresholds, each column's thresholds with the level above each, and centered trees.

    Every tree reads two columns at least, and its least and largest leaf add up to 0. Where a column's value can be
    missing, the level above its last threshold is that of a missing one.
    """

    base: Fraction
    levels: Levels
    trees: tuple[Nested, ...]


def folded(score: Score, spec: Spec) -> Folded:
    """Fold predicates that no input passes, or every one, and those that a tree has asked already on the way.

    Trees that read one column only become steps, constant ones are added to the base, and the middle of a tree's leaves
    as well. A sensitive threshold stands for the largest value of the domain table that does not pass it.
    """
    plain = score.plain
    thresholds_of = [_passed(step, spec, plain, lacking=step.column in score.absent) for step in score.steps]
    base = score.base
    absent = dict(score.absent)
    last = spec.absent - 1
    jumps = dict[tuple[int, int], Fraction]()
    for step, threshold in zip(score.steps, thresholds_of, strict=True):
        if threshold is True:
            base += step.jump
            if step.column in absent:
                absent[step.column] -= step.jump
        elif threshold is not False:
            jumps[step.column, threshold] = jumps.get((step.column, threshold), Fraction(0)) + step.jump
    trees = []
    for tree in score.trees:
        pruned_tree = _Pruning(tree, score, thresholds_of, last).from_place(0, {})
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
        for column in columns & absent.keys():
            own.pop((column, last), None)
            absent[column] += _value(pruned_tree, None, missing=True) - first
        for place, jump in own.items():
            jumps[place] = jumps.get(place, Fraction(0)) + jump
    levels = Levels()
    for column in sorted({column for column, _ in jumps}):
        thresholds = sorted(threshold for own, threshold in jumps if own == column)
        levels[column] = list(
            zip(thresholds, accumulate(jumps[column, threshold] for threshold in thresholds), strict=True)
        )
    for column, level in sorted(absent.items()):
        if level != (levels[column][-1][1] if column in levels else 0):
            levels.setdefault(column, []).append((last, level))
    return Folded(base, levels, tuple(trees))


def asked(tree: Nested) -> set[tuple[int, int]]:
    """Return the predicates (column, threshold) of a tree."""
    if not isinstance(tree, tuple):
        return set()
    column, threshold, low, high, _ = tree
    return {(column, threshold)} | asked(low) | asked(high)


def leaves(tree: Nested) -> list[Leaf]:
    """Return the leaves of a tree."""
    return [*leaves(tree[2]), *leaves(tree[3])] if isinstance(tree, tuple) else [tree]


def shifted(tree: Nested, number: Fraction) -> Nested:
    """Return a tree whose every leaf is larger by a number."""
    known: dict[int, Leaf] = {}  # a file's equal leaves are one object, and fractions take long to add

    def moved(part: Nested) -> Nested:
        if isinstance(part, tuple):
            column, threshold, low, high, up = part
            return column, threshold, moved(low), moved(high), up
        if id(part) not in known:
            known[id(part)] = part + number
        return known[id(part)]

    return moved(tree)


def joined(column: int, threshold: int, low: Nested, high: Nested, *, up: bool) -> Nested:
    """Return the tree of a split, or its child where both are the same."""
    return low if low is high or low == high else (column, threshold, low, high, up)


def _passed(step: Step, spec: Spec, plain: int, *, lacking: bool) -> int | bool:
    """Return the committed threshold of a step, True where every input passes it, False where none does.

    `plain` are the columns that are not sensitive, counted once for all steps. With `lacking` inputs are stated ones.
    """
    limit = 1 << (spec.input_bits - 1)
    if step.column < plain:
        # Inputs go from -limit to limit - 1, stated ones to one less where some are missing: none is above the last
        # one, all are above anything less than -limit.
        if -limit <= step.threshold < limit - 1 - lacking:
            return step.threshold
        return step.threshold < -limit
    values = {row[step.column - plain] for row in spec.domain_table}
    below = [value for value in values if value <= step.threshold]
    return True if not below else max(below) != max(values) and max(below)


Span = tuple[int | None, int | None, bool]
"""What is known of a column on the way to a branch: above the first number, at most the second, missing perhaps."""


@dataclass(frozen=True)
class _Pruning:
    """A tree without the branches whose answer is known; `last` is the threshold that only missing values pass."""

    tree: ExactTree
    score: Score
    passed: Sequence[int | bool]
    last: int

    def from_place(self, place: int, spans: Mapping[int, Span | None]) -> Nested:
        """Return the branch at a place; a column of `spans` that is None is missing."""
        while place >= 0:
            step, low, high, up = self.tree.branches[place]
            column = self.score.steps[step].column
            span = spans.get(column, (None, None, column in self.score.absent))
            if span is None:
                place = high if up else low
                continue
            above, most, lacking = span
            threshold = self.passed[step]
            if isinstance(threshold, bool):
                known = threshold
            elif above is not None and threshold <= above:
                known = True
            elif most is not None and threshold >= most:
                known = False
            else:
                return joined(
                    column,
                    threshold,
                    self.from_place(low, {**spans, column: (above, threshold, lacking and not up)}),
                    self.from_place(high, {**spans, column: (threshold, most, lacking and up)}),
                    up=up,
                )
            place = high if known else low
            if lacking and up != known:
                stated = self.from_place(place, {**spans, column: (above, most, False)})
                missing = self.from_place(high if up else low, {**spans, column: None})
                return joined(column, self.last, stated, missing, up=True)
        return self.tree.leaves[~place]


def _unrolled(tree: Nested) -> tuple[Fraction, dict[tuple[int, int], Fraction]]:
    """Return the value of a tree of one column below all its thresholds, and its jump at each, where it is stated."""
    places = sorted(asked(tree))
    values = [_value(tree, None)] + [_value(tree, threshold) for _, threshold in places]
    return values[0], {place: after - before for place, before, after in zip(places, values, values[1:], strict=False)}


def _value(tree: Nested, passed: int | None, *, missing: bool = False) -> Fraction:
    """Return the leaf of rows that pass a threshold and none above it, none with None, or that lack the value."""
    while isinstance(tree, tuple):
        is_high = tree[4] if missing else passed is not None and tree[1] <= passed
        tree = tree[3] if is_high else tree[2]
    return Fraction(tree)
