"""How faithful the integers of an additive model are to the score that they come from.

The score is the function of exact numbers that the model's floats stand for, on columns that are not rounded; the
committed model takes columns rounded to 2^-f_x. Where a row lies between a threshold and its rounding, the two differ
by a whole jump.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import Dataset, Row, encode_rows
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.columns import exact_columns, placed, scaled
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.tree_fidelity import sensitive_loss, tree_bound
from equiproof.certify.models.fidelity import RANDOM_POINTS, SEED, Agreement, Fidelity
from equiproof.certify.models.importing.bind import column_names
from equiproof.certify.models.network import Integers
from equiproof.certify.models.random_rows import random_rows
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec

TIE = -1
_MILLION = 1_000_000


@dataclass(frozen=True)
class ScoreFidelity(Fidelity):
    """The difference between the committed integers and the exact score; fields as of :class:`Fidelity`.

    `weight_loss` speaks of the jumps of each sensitive column and of leaves below its splits, `weight_fraction_bits` of
    all jumps and leaves.
    """

    lost: ClassVar[str] = "the sum of its jumps, and of leaves below its splits,"
    of_column: ClassVar[str] = "what its thresholds change"
    rounded: ClassVar[str] = "jumps and leaves"


def measure_score_on(
    score: Score, model: AdditiveModel | EnsembleModel, dataset: Dataset, points: int | None = None
) -> ScoreFidelity:
    """Compare on every row of a data set, with its labels; see :func:`measure_score`."""
    return measure_score(score, model, dataset.spec, dataset.rows, dataset.name, dataset.label_array(), points)


def measure_score(
    score: Score,
    model: AdditiveModel | EnsembleModel,
    spec: Spec,
    rows: Sequence[Row] | None = None,
    name: str = "rows",
    labels: Integers | None = None,
    points: int | None = None,
) -> ScoreFidelity:
    """Compare a score with its committed integers, on raw rows called `name` and on random points, always the same.

    There are RANDOM_POINTS random points, or `points`. Raises DataError naming a row that does not fit the spec.
    """
    return ScoreFidelity(
        weight_loss=_losses(score, model, spec),
        logit_bound=math.nextafter(float(_bound(score, model, spec)), math.inf),
        rows=None if rows is None else _agreement(score, model, spec, rows, name, labels),
        random=_agreement(score, model, spec, *_random_points(spec, RANDOM_POINTS if points is None else points)),
        input_rounding_loss=(math.isqrt(spec.plain_columns - 1) + 1) / spec.scale_unit,
        weight_fraction_bits=(model.value_fraction_bits,),
        logit_fraction_bits=model.value_fraction_bits,
    )


@lru_cache(maxsize=2)
def _random_points(spec: Spec, count: int) -> tuple[Sequence[Row], str, None, Integers]:
    """Return random rows, their name, no labels and their columns: the same for all models of a spec."""
    rows = random_rows(spec, count, SEED)
    columns = encode_rows(spec, rows)
    columns.setflags(write=False)
    return rows, "random points", None, columns


def _agreement(
    score: Score,
    model: AdditiveModel | EnsembleModel,
    spec: Spec,
    rows: Sequence[Row],
    name: str,
    labels: Integers | None,
    inputs: Integers | None = None,
) -> Agreement:
    """Compare on raw rows, which may have been encoded, and count those that the sensitive features decide."""
    ranks = score.ranks(spec, rows)
    totals = score.totals_at(ranks)
    least, largest = score.extremes_at(spec, ranks)
    # Totals are integers over one denominator: a total is above the threshold iff it is above its floor.
    cut = math.floor(Fraction(spec.threshold) * score.unit)
    inputs = encode_rows(spec, rows) if inputs is None else inputs
    whole = committed_scores(model, inputs)
    own = (totals > cut).astype(np.int64)
    committed = _signs(whole)
    ours = np.asarray((least > cut) != (largest > cut), dtype=np.bool_)
    theirs = _flips(model, spec, inputs)
    losses = np.flatnonzero(ours & ~theirs)
    threshold, unit = Fraction(spec.threshold), 1 << model.value_fraction_bits
    # Over one denominator; floats would lose digits.
    common = math.lcm(score.unit, threshold.denominator, unit)
    gaps = totals * (common // score.unit) - int(threshold * common) - whole.astype(object) * (common // unit)
    accuracy = None
    if labels is not None:
        accuracy = (float(np.mean(own == labels)), float(np.mean(committed == labels)))
    return Agreement(
        name=name,
        points=len(rows),
        differing=int(np.sum(committed != own)),
        ties=int(np.sum(committed == TIE)),
        largest_gap=float(Fraction(max(map(abs, gaps.tolist()), default=0), common)),
        accuracy=accuracy,
        examined=len(rows),
        flips=(int(ours.sum()), int(theirs.sum())),
        flips_lost=len(losses),
        flips_gained=int(np.sum(theirs & ~ours)),
        first_lost=int(losses[0]) + 1 if len(losses) else None,
    )


def _signs(totals: npt.NDArray[np.int64]) -> Integers:
    """Return the label of each committed score, TIE for 0."""
    return np.where(totals == 0, TIE, totals > 0).astype(np.int64)


def _flips(model: AdditiveModel | EnsembleModel, spec: Spec, inputs: Integers) -> npt.NDArray[np.bool_]:
    """Return which rows have another label under some values of the sensitive columns than under others."""
    signs = []
    for values in _told_apart(model, spec):
        inputs_there = inputs.copy()
        inputs_there[:, model.stated :] = values
        signs.append(_signs(committed_scores(model, inputs_there)))
    return np.asarray(np.min(signs, axis=0) != np.max(signs, axis=0), dtype=np.bool_)


def _told_apart(model: AdditiveModel | EnsembleModel, spec: Spec) -> list[tuple[int, ...]]:
    """Return one row of the domain table for each way in which the sensitive predicates answer: others score alike."""
    own = model.additive if isinstance(model, EnsembleModel) else model
    asked = [
        (column - own.plain, threshold)
        for column, threshold in zip(own.columns, own.thresholds, strict=True)
        if column >= own.plain
    ]
    return list({tuple(row[place] > least for place, least in asked): tuple(row) for row in spec.domain_table}.values())


def _losses(score: Score, model: AdditiveModel | EnsembleModel, spec: Spec) -> dict[str, float]:
    """Return the share of each sensitive column's jumps that rounding loses, rounded up to a millionth.

    Jumps are those between neighboring values of the domain table; of a tree the leaves below its splits count too.
    """
    names = column_names(spec)
    shares = {}
    for feature, first in placed(spec, score.set_count):
        if not feature.sensitive:
            continue
        for column in range(first, first + feature.width):
            if isinstance(model, EnsembleModel):
                loss, whole = sensitive_loss(score, model, spec, column)
                shares[names[column - score.set_count]] = _millionths(loss, whole)
                continue
            values = sorted({exact_columns(feature, value, 1)[column - first] for value in feature.domain})
            exact = [score.level(column, value) for value in values]
            rounded = [_committed(model, spec, column, value) for value in values]
            jumps = [(b - a, d - c) for a, b, c, d in zip(exact, exact[1:], rounded, rounded[1:], strict=False)]
            loss = sum((abs(one - two) for one, two in jumps), Fraction(0))
            shares[names[column]] = _millionths(loss, sum((abs(one) for one, _ in jumps), Fraction(0)))
    return shares


def _millionths(loss: Fraction, whole: Fraction) -> float:
    """Return a share rounded up to a millionth, 0 of nothing."""
    return math.ceil(loss / whole * _MILLION) / _MILLION if whole else 0.0


def _bound(score: Score, model: AdditiveModel | EnsembleModel, spec: Spec) -> Fraction:
    """Return what no row of the domain exceeds: the difference of score and integers, added up over columns."""
    if isinstance(model, EnsembleModel):
        return tree_bound(score, model, spec)
    shift = score.base - Fraction(spec.threshold) - Fraction(model.bias, 1 << model.value_fraction_bits)
    reach = Fraction(0)
    for feature, first in placed(spec):
        for column in range(first, first + feature.width):
            values = _critical(score, model, spec, feature, column, column - first)
            gaps = [score.level(column, value) - _committed(model, spec, column, value) for value in values]
            if feature.may_miss:
                own = sum(jump for of, jump in zip(model.columns, model.jumps, strict=True) if of == column)
                gaps.append(score.absent.get(column, Fraction(0)) - Fraction(own, 1 << model.value_fraction_bits))
            # What a whole column is off by belongs to the bias.
            middle = (max(gaps) + min(gaps)) / 2
            shift += middle
            reach = reach + max(gaps) - middle
    return abs(shift) + reach


def _critical(
    score: Score, model: AdditiveModel, spec: Spec, feature: Feature, column: int, offset: int
) -> list[Fraction]:
    """Return values of a column among which one lies in each interval where both models are constant."""
    if feature.domain:
        return [exact_columns(feature, value, 1)[offset] for value in feature.domain]
    limit = 1 << (spec.input_bits - 1)
    half = Fraction(1, 2)
    low = Fraction(-limit, spec.scale_unit)
    high = Fraction(limit - 1, spec.scale_unit)
    for own in ENCODINGS[feature.encoding].ends(feature):
        if own is not None:
            low, high = (scaled(feature, end) for end in own)
    ends = {step.ray.end for step in score.by_column.get(column, ())}
    places = (threshold for own, threshold in zip(model.columns, model.thresholds, strict=True) if own == column)
    ends |= {(threshold + half) / spec.scale_unit for threshold in places}
    inside = [low, *sorted(end for end in ends if low < end < high), high]
    # Both models are constant between neighboring ends, and may have another value on an end.
    return [*inside, *((one + other) / 2 for one, other in pairwise(inside))]


def _committed(model: AdditiveModel, spec: Spec, column: int, value: Fraction) -> Fraction:
    """Return what a column adds to the committed score, in units of a logit."""
    integer = math.floor(value * spec.scale_unit + Fraction(1, 2))
    total = sum(
        jump
        for own, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True)
        if own == column and integer > threshold
    )
    return Fraction(total, 1 << model.value_fraction_bits)
