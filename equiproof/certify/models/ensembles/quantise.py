"""Turns a score of exact numbers into the integers of an additive model, or of an ensemble of trees.

Notation: L is the sum of a column's jumps up to a predicate. The committed jumps are the differences of floor(L 2^s +
1/2), so that a row's score is rounded once a column, however many predicates the column has, and once a tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.models.ensembles.folding import Folded, Leaf, Levels, Nested, asked, folded, joined, leaves
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.sizes import MAX_PREDICATES, smaller
from equiproof.certify.models.rounding import round_half_up, scaled_half_up
from equiproof.circuits.schemes import MAX_NODES, MAX_TREES
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS, Spec

MAX_VALUE_FRACTION_BITS = 40
"""The finest scale of jumps."""


class Scaled(NamedTuple):
    """A score in integers at one scale: the jump of each predicate (column, threshold), the bias, the trees."""

    jumps: dict[tuple[int, int], int]
    bias: int
    trees: tuple[Nested, ...]
    scale: int


def quantise_score(score: Score, spec: Spec) -> AdditiveModel | EnsembleModel:
    """Return the committed form of a score, with the spec's threshold folded into the bias.

    Predicates that no input passes, or every one, are folded, as are sensitive ones between the same two values of the
    domain table, and those whose jump is rounded to 0. Trees are centered; a score without trees of several columns is
    additive. Raises EnsembleError where the score is of another spec, no threshold of a non-sensitive column is left,
    or numbers fit at no scale.
    """
    return quantise_folded(folded(score, spec), score, spec)


def quantise_folded(parts: Folded, score: Score, spec: Spec) -> AdditiveModel | EnsembleModel:
    """Return the committed form of a score of which these are the parts, as :func:`quantise_score` does."""
    plain = spec.plain_columns + score.set_count
    fitting = (plain, spec.sensitive_columns, spec.input_fraction_bits, 1)
    if (score.plain, score.sensitive, score.input_fraction_bits, spec.logits) != fitting:
        raise EnsembleError("columns, input_fraction_bits or logits are not those of the spec: import or train again")
    jumps, bias, trees, scale = _scaled(parts, Fraction(spec.threshold))
    places = sorted(set(jumps).union(*map(asked, trees)))
    if not any(column < plain for column, _ in places):
        raise EnsembleError(
            "train on a feature that is not sensitive: no threshold of one is left, so the score is the same for all "
            "rows of one group"
        )
    if len(places) > MAX_PREDICATES:
        raise EnsembleError(
            f"{smaller(score.kind)}: {len(places):,} thresholds are left after folding, and at most "
            f"{MAX_PREDICATES:,} can be committed"
        )
    additive = AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(jumps.get(place, 0) for place in places),
        bias=bias,
        plain=plain,
        sensitive=spec.sensitive_columns,
        input_fraction_bits=spec.input_fraction_bits,
        value_fraction_bits=scale,
        absent=spec.absent if spec.has_missing else None,
        sets=score.sets,
    )
    return EnsembleModel(additive, table_of(trees, places, lacking=spec.has_missing)) if trees else additive


def table_of(trees: Sequence[Nested], places: Sequence[tuple[int, int]], *, lacking: bool = False) -> NodeTable:
    """Return the trees as a table in level order, with `lacking` with the sides of missing values.

    Raises EnsembleError where there are too many.
    """
    numbers = {place: number for number, place in enumerate(places)}
    queue = list(trees)
    predicates = list[int]()
    kinds = list[tuple[int, int]]()
    values = list[int]()
    highs = list[int]()
    for tree in queue:  # the queue grows meanwhile
        if not isinstance(tree, tuple):
            continue
        column, threshold, low, high, up = tree
        predicates.append(numbers[column, threshold])
        highs.append(int(up))
        kinds.append((int(isinstance(low, tuple)), int(isinstance(high, tuple))))
        for child in (low, high):
            if isinstance(child, tuple):
                queue.append(child)
            else:
                values.append(int(child))
    if len(trees) > MAX_TREES or len(predicates) > MAX_NODES:
        raise EnsembleError(
            f"train with fewer trees, or less depth (max_depth): {len(trees)} trees with {len(predicates)} splits; at "
            f"most {MAX_TREES} with {MAX_NODES}"
        )
    return NodeTable(len(trees), tuple(predicates), tuple(kinds), tuple(values), tuple(highs) if lacking else ())


def _scaled(parts: Folded, threshold: Fraction) -> Scaled:
    """Return the integers at the largest scale that fits."""
    limit = 1 << (JUMP_BITS - 1)
    bias_limit = 1 << (SCORE_BIAS_BITS - 1)
    base = parts.base - threshold
    # Trees are centered, so that their least leaf is the largest one's negative, and fits where that one does.
    reach = max((leaf for tree in parts.trees for leaf in leaves(tree)), default=Fraction(0))
    for scale in range(MAX_VALUE_FRACTION_BITS, -1, -1):
        bias = round_half_up(base * 2**scale)
        if not -bias_limit <= bias < bias_limit or round_half_up(Fraction(reach) * 2**scale) >= limit:
            continue
        jumps = _jumps(parts.levels, scale)
        if not all(-limit <= jump < limit for jump in jumps.values()):
            continue
        grown = [_rounded(tree, scale) for tree in parts.trees]
        # A tree whose leaves round to one number adds it to every score.
        bias += sum(int(tree) for tree in grown if not isinstance(tree, tuple))
        if -bias_limit <= bias < bias_limit:
            return Scaled(jumps, int(bias), tuple(tree for tree in grown if isinstance(tree, tuple)), scale)
    wide = max((abs(jump) for jump in (*_jumps(parts.levels, 0).values(), round_half_up(Fraction(reach)))), default=0)
    what = "jump or leaf" if parts.trees else "jump"
    raise EnsembleError(
        f"a {what} of {wide} and a bias of {math.floor(abs(base))} do not fit {JUMP_BITS} and {SCORE_BIAS_BITS} bits: "
        "divide all scores of the model by the same number"
    )


def _rounded(tree: Nested, scale: int) -> Nested:
    """Return a tree of integers; splits whose children become equal are left out."""
    if not isinstance(tree, tuple):
        return rounded_leaf(tree, scale)
    column, threshold, low, high, up = tree
    return joined(column, threshold, _rounded(low, scale), _rounded(high, scale), up=up)


def rounded_leaf(leaf: Leaf, scale: int) -> int:
    """Return the committed integer of a leaf."""
    return scaled_half_up(leaf, scale)


def _jumps(levels: Levels, scale: int) -> dict[tuple[int, int], int]:
    """Return the predicates whose rounded jump is not 0."""
    jumps = {}
    for column in sorted(levels):
        before = 0
        for threshold, level in levels[column]:
            # Levels are rounded and not jumps: however many jumps a column has, its sum is off by half a step at most.
            rounded = scaled_half_up(level, scale)
            if rounded != before:
                jumps[column, threshold] = rounded - before
            before = rounded
    return jumps
