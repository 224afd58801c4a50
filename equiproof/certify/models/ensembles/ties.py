"""Ties: a row whose score is the threshold itself is decided as the library decides it.

A committed score of 0 is no decision, and a library that rounds its sum has ties where exact numbers have none. So the
base of a score is moved, by half a step of the committed scores or by as little more as settles the known rows: in the
exact score, from which the integers are made. What a certificate says of a score of 0 stays as it is.

Notation: a step is 2^-s, the unit of committed scores; e is a row's exact score and c its committed one, both in steps
above the threshold. The base moves by beta steps, after which c is larger by the whole number b.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from equiproof.certify.data.dataset import Row, encode_rows
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.models.ensembles.ensemble import Ties
from equiproof.certify.models.ensembles.folding import folded
from equiproof.certify.models.ensembles.quantise import quantise_folded
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.network import Integers
from equiproof.certify.models.rounding import round_half_up
from equiproof.circuits.spec import Spec

_HALF = Fraction(1, 2)

_EDGE = Fraction(1, 1024)
"""How far from the ends of what rounds to one integer the base is kept, in steps."""

_MOST = 4096
"""The furthest that committed scores are moved, in steps."""


class _Near(NamedTuple):
    """The known rows next to the threshold: exact and committed scores in steps, whether the second label is due.

    Exact ones are measured from the threshold. All other rows are decided alike wherever the base is moved to.
    """

    exact: list[Fraction]
    committed: Integers
    second: list[bool]

    def wrong(self, moved: int) -> int:
        """Return how many rows are ties or decided otherwise where committed scores are larger by so much."""
        above = self.committed + moved
        return int(np.sum(np.where(self.second, above < 1, above > -1)))


def settled(score: Score, spec: Spec, rows: Sequence[Row], ties: Ties, *, turned: bool = False) -> Score:
    """Return the score with its base moved so that ties have the library's label, and no known row is a tie.

    `turned`: the library's second class is the spec's first label. A score that needs no move is returned as it is.
    Raises what :func:`~equiproof.certify.models.ensembles.quantise.quantise_score` does.
    """
    parts = folded(score, spec)
    model = quantise_folded(parts, score, spec)
    step = Fraction(1, 1 << model.value_fraction_bits)
    # A cut of the owner's own decides for the second label above it.
    second = (ties.second and not Fraction(spec.threshold)) != turned
    # A row of a tie is off by half a step for each part that is rounded, at most.
    reach = min(_MOST, 1 + math.ceil(Fraction(len(parts.levels) + len(parts.trees) + 1, 2) + ties.width / step))
    wanted = reach if ties.likely else int(second)
    near = _near(score, spec, rows, model, ties.width, reach + 2, second=second)
    moved = _moved(near, wanted if second else -wanted, reach + 1)
    shift = _shift((parts.base - Fraction(spec.threshold)) / step, moved, near)
    return dataclasses.replace(score, base=score.base + shift * step) if shift else score


def _near(
    score: Score, spec: Spec, rows: Sequence[Row], model: ScoredModel, width: Fraction, reach: int, *, second: bool
) -> _Near:
    """Return the rows whose exact or committed score is within so many steps of the threshold.

    `width`: exact scores so near to it are ties to the library, which have the second label if `second`.
    """
    if not rows:
        return _Near([], np.zeros(0, dtype=np.int64), [])
    unit = 1 << model.value_fraction_bits
    committed = committed_scores(model, encode_rows(spec, rows))
    threshold = Fraction(spec.threshold)
    totals = score.totals(spec, rows)
    low, high = (math.floor((threshold + Fraction(way * reach, unit)) * score.unit) for way in (-1, 1))
    places = np.flatnonzero(((totals >= low) & (totals <= high)) | (np.abs(committed) <= reach))
    exact = [Fraction(int(totals[place]), score.unit) - threshold for place in places.tolist()]
    due = [second if abs(one) <= width else one > 0 for one in exact]
    return _Near([one * unit for one in exact], committed[places], due)


def _moved(near: _Near, wanted: int, most: int) -> int:
    """Return by how much committed scores grow: as wanted, or as near to it as leaves the fewest rows wrong."""
    ways = sorted(range(-most, most + 1), key=lambda way: abs(way - wanted))
    return min(ways, key=near.wrong) if near.wrong(wanted) else wanted


def _shift(base: Fraction, moved: int, near: _Near) -> Fraction:
    """Return by how many steps the base moves: half a step less than `moved`, as far as integers and rows allow it.

    `base` is that of the score above the threshold, in steps.
    """
    beside = base - round_half_up(base)
    low, high = moved - beside - _HALF, moved - beside + _HALF - _EDGE
    wish = Fraction(moved) - _HALF * ((moved > 0) - (moved < 0))
    above = max((-one for one, second in zip(near.exact, near.second, strict=True) if second), default=low - 1)
    most = min((-one for one, second in zip(near.exact, near.second, strict=True) if not second), default=high)
    if max(low, above) < min(high, most):
        # Scores of the second label have to be above the threshold, those of the first one may be at it.
        high = min(high, most)
        low = max(low, above + min(_EDGE, (high - above) / 2))
    return min(max(wish, low), high)
