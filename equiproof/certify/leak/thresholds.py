"""Thresholds of an additive model or of trees that exact radii name: gaps that candidates share.

A squared radius that is a square says that some column passes a threshold at this distance; one of two columns is the
sum of two such squares, of which one may be known. Every column and side is a candidate, and each certificate votes for
all of its own; a candidate is claimed where applicants with different values in its column vote for it more often than
chance would have it anywhere in the column.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.leak.certificates import Certificate, Levels, interval
from equiproof.circuits.spec import Spec

Threshold = tuple[int, int]
"""A column and an integer: the predicate x[column] > threshold."""

_ROUNDS = 4
_CHANCE = 0.1
"""The most claims by chance that are expected of a column."""

_MAX_KNOWN = 400
"""Beyond this many known thresholds no sums are looked at: they explain everything."""


def thresholds_of(model: ScoredModel, spec: Spec) -> set[Threshold]:
    """Return the secret thresholds: those of plain columns that are no indicators of a value.

    One that missing values alone pass, below the integer that stands for them, is no secret.
    """
    asked = model.additive if isinstance(model, EnsembleModel) else model
    secret = set(secret_columns(spec))
    last = spec.absent - 1 if spec.has_absent else None
    return {
        (column, threshold)
        for column, threshold in zip(asked.columns, asked.thresholds, strict=True)
        if column in secret and threshold != last
    }


def secret_columns(spec: Spec) -> tuple[int, ...]:
    """Return the plain columns whose thresholds tell something; an indicator has one place for a threshold only."""
    columns: list[int] = []
    first = 0
    for feature in spec.plain_features:
        if feature.width == 1:
            columns += range(first, first + feature.width)
        first += feature.width
    return tuple(columns)


def claimed(certificates: Sequence[Certificate], spec: Spec, levels: Levels | None) -> set[Threshold]:
    """Return the thresholds that an attacker claims to know exactly; at levels the shown radius is read alike."""
    shown = [
        _Fact(one.query, _stated(one.query, spec), interval(one.radius_squared, levels)[0]) for one in certificates
    ]
    columns = secret_columns(spec)
    known = _elected(_gaps(shown, columns), shown)
    for _ in range(_ROUNDS):
        if not known or len(known) > _MAX_KNOWN:
            break
        more = _elected(_rests(shown, columns, known), shown) - known
        if not more:
            break
        known |= more
    return known


def explained(query: Sequence[int], radius_squared: int, known: Iterable[Threshold]) -> tuple[Threshold, ...]:
    """Return one or two known thresholds of different columns whose squared gaps add to a squared radius, or none."""
    gaps = [((threshold - query[column]) ** 2, (column, threshold)) for column, threshold in known]
    near = [(gap, pair) for gap, pair in gaps if gap <= radius_squared]
    for gap, pair in near:
        if gap == radius_squared:
            return (pair,)
    if len(near) <= _MAX_KNOWN:
        for (gap, pair), (other_gap, other) in combinations(near, 2):
            if gap + other_gap == radius_squared and pair[0] != other[0]:
                return pair, other
    return ()


class _Fact(NamedTuple):
    """A query, its columns whose value is not missing, and the squared radius that is shown.

    Nobody in a ball moves in a column of a missing value, so that its radius is no gap to a threshold there.
    """

    query: tuple[int, ...]
    stated: frozenset[int]
    square: int


def _stated(query: Sequence[int], spec: Spec) -> frozenset[int]:
    """Return the columns of a query whose value is not missing."""
    absent = spec.absent if spec.has_absent else None
    return frozenset(column for column, value in enumerate(query) if value != absent)


_Shown = Sequence[_Fact]
_Votes = Mapping[Threshold, set[int]]


def _root(square: int) -> int | None:
    """Return the positive root of a square, None of other numbers."""
    root = math.isqrt(square) if square > 0 else 0
    return root if root and root * root == square else None


def _gaps(shown: _Shown, columns: Sequence[int]) -> _Votes:
    """Return for each candidate the values in its column of those who vote for it: squared radii that are squares."""
    votes: dict[Threshold, set[int]] = defaultdict(set)
    for query, stated, square in shown:
        if (gap := _root(square)) is not None:
            for column in stated.intersection(columns):
                for side in (-gap, gap):
                    votes[column, query[column] + side].add(query[column])
    return votes


def _rests(shown: _Shown, columns: Sequence[int], known: set[Threshold]) -> _Votes:
    """Return the same of what known thresholds leave of squared radii that they do not explain."""
    votes: dict[Threshold, set[int]] = defaultdict(set)
    for query, stated, square in shown:
        if explained(query, square, known):
            continue
        for column, threshold in known:
            gap = _root(square - (threshold - query[column]) ** 2)
            if gap is None or column not in stated:
                continue
            for other in stated.intersection(columns):
                if other != column:
                    for side in (-gap, gap):
                        votes[other, query[other] + side].add(query[other])
    return votes


def _elected(votes: _Votes, shown: _Shown) -> set[Threshold]:
    """Return the candidates with more votes than chance gives to any of their column."""
    cast: dict[int, int] = defaultdict(int)
    for (column, _), voters in votes.items():
        cast[column] += len(voters)
    needed = {}
    for column, count in cast.items():
        values = [query[column] for query, stated, _ in shown if column in stated]
        needed[column] = _needed(count, max(values) - min(values) + 1)
    return {pair for pair, voters in votes.items() if len(voters) >= needed[pair[0]]}


def _needed(count: int, places: int) -> int:
    """Return the least number of votes that chance gives to less than `_CHANCE` of so many places, 2 at least."""
    rate = count / places
    term = math.exp(-rate)
    tail = 1.0 - term
    needed = 1
    while places * tail >= _CHANCE or needed < 2:
        term *= rate / needed
        tail = max(0.0, tail - term)
        needed += 1
    return needed
