"""Turns a score of exact numbers into the integers of an additive model.

Notation: L is the sum of a column's jumps up to a predicate. The committed jumps are the differences of floor(L 2^s +
1/2), so that a row's score is rounded once a column, however many predicates the column has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.certify.models.quantise import round_half_up
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS, Spec

MAX_VALUE_FRACTION_BITS = 40
"""The finest scale of jumps."""

MAX_PREDICATES = 4096
"""The most predicates of a committed model."""

Levels = dict[int, list[tuple[int, Fraction]]]


def quantise_score(score: Score, spec: Spec) -> AdditiveModel:
    """Return the committed form of a score, with the spec's threshold folded into the bias.

    Predicates that no input passes, or every one, are folded, as are sensitive ones between the same two values of the
    domain table, and those whose jump is rounded to 0. Raises EnsembleError where the score is of another spec, no
    threshold of a non-sensitive column is left, or the bias fits at no scale.
    """
    fitting = (spec.plain_columns, spec.sensitive_columns, spec.input_fraction_bits, 1)
    if (score.plain, score.sensitive, score.input_fraction_bits, spec.logits) != fitting:
        raise EnsembleError("columns, input_fraction_bits or logits are not those of the spec: import or train again")
    base, levels = _folded(score, spec)
    jumps, bias, scale = _scaled(base - Fraction(spec.threshold), levels)
    if not any(column < spec.plain_columns for column, _, _ in jumps):
        raise EnsembleError("no threshold of a non-sensitive column is left: its score is the same for every row")
    if len(jumps) > MAX_PREDICATES:
        raise EnsembleError(f"{len(jumps)} predicates; at most {MAX_PREDICATES}: train with fewer trees or bins")
    return AdditiveModel(
        columns=tuple(column for column, _, _ in jumps),
        thresholds=tuple(threshold for _, threshold, _ in jumps),
        jumps=tuple(jump for _, _, jump in jumps),
        bias=bias,
        plain=spec.plain_columns,
        sensitive=spec.sensitive_columns,
        input_fraction_bits=spec.input_fraction_bits,
        value_fraction_bits=scale,
    )


def _folded(score: Score, spec: Spec) -> tuple[Fraction, Levels]:
    """Return the score below all thresholds, and for each column its thresholds with the level above each."""
    base, levels = score.base, Levels()
    for column, steps in score.by_column.items():
        values = None
        if column >= spec.plain_columns:
            values = sorted({row[column - spec.plain_columns] for row in spec.domain_table})
        first, found = _levels(steps, spec.input_bits, values)
        base += first
        levels[column] = found
    return base, levels


def _levels(
    steps: Sequence[Step], input_bits: int, values: Sequence[int] | None
) -> tuple[Fraction, list[tuple[int, Fraction]]]:
    """Return the level below all thresholds of one column, and the level above each, relative to it.

    `values` are those of a sensitive column: a threshold stands for the largest value that does not pass it.
    """
    limit = 1 << (input_bits - 1)
    always, total = Fraction(0), Fraction(0)
    found: dict[int, Fraction] = {}
    for step in steps:
        threshold: int | None = step.threshold
        if values is not None:
            threshold = max((value for value in values if value <= step.threshold), default=None)
        if threshold is None or threshold < -limit:
            always += step.jump
        elif threshold < (limit - 1 if values is None else values[-1]):
            total += step.jump
            found[threshold] = total
    return always, list(found.items())


def _scaled(base: Fraction, levels: Levels) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return predicates (column, threshold, jump) and the bias at the largest scale that fits, and the scale."""
    limit, bias_limit = 1 << (JUMP_BITS - 1), 1 << (SCORE_BIAS_BITS - 1)
    for scale in range(MAX_VALUE_FRACTION_BITS, -1, -1):
        bias = round_half_up(base * 2**scale)
        jumps = [] if not -bias_limit <= bias < bias_limit else _jumps(levels, scale)
        if -bias_limit <= bias < bias_limit and all(-limit <= jump < limit for _, _, jump in jumps):
            return jumps, bias, scale
    wide = max((abs(jump) for _, _, jump in _jumps(levels, 0)), default=0)
    raise EnsembleError(
        f"a jump of {wide} and a bias of {math.floor(abs(base))} do not fit {JUMP_BITS} and {SCORE_BIAS_BITS} bits: "
        "divide all scores of the model by the same number"
    )


def _jumps(levels: Levels, scale: int) -> list[tuple[int, int, int]]:
    """Return the predicates whose rounded jump is not 0."""
    found = []
    for column in sorted(levels):
        before = 0
        for threshold, level in levels[column]:
            rounded = round_half_up(level * 2**scale)
            if rounded != before:
                found.append((column, threshold, rounded - before))
            before = rounded
    return found
