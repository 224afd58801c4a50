"""What rounding changes in an ensemble with trees of several columns: bounds of its parts."""

from __future__ import annotations

from fractions import Fraction

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.columns import exact_columns, placed, scaled
from equiproof.certify.models.ensembles.exact_trees import ExactTree
from equiproof.certify.models.ensembles.folding import Folded, Nested, folded, leaves
from equiproof.certify.models.ensembles.gaps import committed_ray
from equiproof.certify.models.ensembles.quantise import rounded_leaf
from equiproof.certify.models.ensembles.score import Score
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec


def sensitive_loss(score: Score, model: EnsembleModel, spec: Spec, column: int) -> tuple[Fraction, Fraction]:
    """Return (lost, whole) of a sensitive column: what rounding changes in its jumps, and in trees that read it.

    Of a tree all leaves count below a split on the column.
    """
    parts = folded(score, spec)
    scale = model.value_fraction_bits
    unit = 1 << model.value_fraction_bits
    additive = model.additive
    lost = whole = before = Fraction(0)
    own = {
        threshold: jump
        for place, threshold, jump in zip(additive.columns, additive.thresholds, additive.jumps, strict=True)
        if place == column
    }
    for threshold, level in parts.levels.get(column, []):
        whole += abs(level - before)
        lost += abs(level - before - Fraction(own.get(threshold, 0), unit))
        before = level
    for leaf in (leaf for tree in parts.trees for leaf in _below(tree, column)):
        whole += abs(leaf)
        lost += abs(leaf - Fraction(rounded_leaf(leaf, scale), unit))
    return lost, whole


def tree_bound(score: Score, model: EnsembleModel, spec: Spec) -> Fraction:
    """Return what no row of the domain exceeds: the difference of the exact and the committed score.

    It is what a row between a threshold and its rounding may change, and what rounding the values may.
    """
    parts = folded(score, spec)
    gaps = _gaps(score, spec)
    between = sum((abs(step.jump) for step, gap in zip(score.steps, gaps, strict=True) if gap), Fraction(0))
    between += sum((_between(tree, gaps) for tree in score.trees), Fraction(0))
    return between + _rounding(parts, model, spec)


def _rounding(parts: Folded, model: EnsembleModel, spec: Spec) -> Fraction:
    """Return the most that rounding values changes at any input of integers."""
    additive = model.additive
    unit = 1 << model.value_fraction_bits
    base = parts.base - Fraction(spec.threshold)
    # Constants of trees that became one value are in the committed bias, and in the trees' own bounds.
    bias = Fraction(rounded_leaf(base, model.value_fraction_bits), unit)
    total = abs(base - bias)
    jumps = dict(
        zip(
            zip(additive.columns, additive.thresholds, strict=True),
            (Fraction(j, unit) for j in additive.jumps),
            strict=True,
        )
    )
    for column, levels in parts.levels.items():
        committed = worst = Fraction(0)
        for threshold, level in levels:
            committed += jumps.get((column, threshold), Fraction(0))
            worst = max(worst, abs(level - committed))
        total += worst
    for tree in parts.trees:
        some = leaves(tree)
        total += max(abs(leaf - Fraction(rounded_leaf(leaf, model.value_fraction_bits), unit)) for leaf in some)
    return total


def _between(tree: ExactTree, gaps: list[bool]) -> Fraction:
    """Return the most that a tree changes where a row passes one of `gaps` exactly and not as committed, or turned."""
    ranges: dict[int, tuple[Fraction, Fraction]] = {~i: (leaf, leaf) for i, leaf in enumerate(tree.leaves)}
    worst = Fraction(0)
    for place in reversed(range(len(tree.branches))):
        step, low, high, _ = tree.branches[place]
        first, last = ranges[low]
        other_first, other_last = ranges[high]
        ranges[place] = min(first, other_first), max(last, other_last)
        # The exact and the committed way part at one branch first; below it, each may end at any leaf of its side.
        if gaps[step]:
            worst = max(worst, other_last - first, last - other_first)
    return worst


def _below(tree: Nested, column: int) -> list[Fraction]:
    """Return the leaves below the splits on a column."""
    if not isinstance(tree, tuple):
        return []
    if tree[0] == column:
        return [Fraction(leaf) for leaf in leaves(tree)]
    return _below(tree[2], column) + _below(tree[3], column)


def _gaps(score: Score, spec: Spec) -> list[bool]:
    """Return for each step whether the domain has a value on which exact and committed comparison may differ."""
    # In the column of a set both compare the same.
    by_column = {column: [False] * len(steps) for column, steps in score.by_column.items()}
    for feature, first in placed(spec, score.set_count):
        for column in range(first, first + feature.width):
            values = _declared(feature, column - first)
            edges = []
            for step in score.by_column.get(column, ()):
                committed = committed_ray(step, spec)
                if values is not None:
                    edges.append(any((value in committed) != (value in step.ray) for value in values))
                else:
                    ends = sorted((committed.end, step.ray.end))
                    edges.append(committed != step.ray and _touches(feature, ends[0], ends[1]))
            by_column[column] = edges
    return [gap for column in sorted(by_column) for gap in by_column[column]]


def _declared(feature: Feature, offset: int) -> list[Fraction] | None:
    """Return the values of a column of a feature with a domain, else None."""
    if not feature.domain:
        return None
    return [exact_columns(feature, value, 1)[offset] for value in feature.domain]


def _touches(feature: Feature, low: Fraction, high: Fraction) -> bool:
    """Return whether the feature's range has a number from `low` to `high`."""
    (ends,) = ENCODINGS[feature.encoding].ends(feature)
    if ends is None:
        return True
    first, last = (scaled(feature, end) for end in ends)
    return first <= high and low <= last
