"""Tiny additive models, whose cells can all be listed, and a model of the size of a real scorecard."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

from equiproof.certify.additive import AdditiveModel

CAP = 64


@dataclass(frozen=True)
class Case:
    """A model with a query, a table and, for half of the cases, ranges."""

    model: AdditiveModel
    query: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    box: tuple[tuple[int, ...], tuple[int, ...]] | None


def tiny(seed, *, ranges=None):
    """Return a case of up to 3 + 2 columns, 8 predicates and 5 slices; thresholds often lie at the query."""
    rng = random.Random(seed)
    plain, sensitive = rng.randint(1, 3), rng.randint(1, 2)
    wanted = rng.randint(1, 8)
    places = sorted({(rng.randrange(plain + sensitive), rng.randint(-4, 4)) for _ in range(wanted)})
    model = AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=tuple(rng.randint(-4, 4) for _ in places),
        bias=rng.randint(-6, 6),
        plain=plain,
        sensitive=sensitive,
        input_fraction_bits=2,
    )
    query = tuple(rng.randint(-4, 4) for _ in range(plain))
    table = tuple(tuple(rng.randint(-4, 4) for _ in range(sensitive)) for _ in range(rng.randint(1, 5)))
    box = tuple(x - rng.randint(0, 4) for x in query), tuple(x + rng.randint(0, 4) for x in query)
    return Case(model, query, table, box if (rng.random() < 0.5 if ranges is None else ranges) else None)


def cells(case):
    """Yield (squared distance, an integer point) for each cell of the plain columns that neighbors can lie in.

    A point above a threshold only has an infimum as its distance; the point is one step beyond.
    """
    for chosen in itertools.product(*(column(case, number) for number in range(case.model.plain))):
        yield sum(gap * gap for gap, _ in chosen), tuple(point for _, point in chosen)


def column(case, number):
    """Return (distance, an integer point) of every part of a column between two thresholds."""
    x = case.query[number]
    low, high = (-1000, 1000) if case.box is None else (case.box[0][number], case.box[1][number])
    own = [t for c, t in zip(case.model.columns, case.model.thresholds, strict=True) if c == number]
    found = []
    for below, above in itertools.pairwise([-1001, *own, 1000]):
        # The part holds the reals above `below`, up to and with `above`; in the ranges it may be empty.
        if below >= high or above < low:
            continue
        gap = below - x if x <= below else x - above if x > above else 0
        found.append((gap, min(max(x, below + 1), above)))
    return found


def nearest_wrong(case, label):
    """Return the least squared distance below the cap of a cell that is not decided as the label, else the cap."""
    wrong = (
        squared
        for squared, point in cells(case)
        if any(case.model.decide((*point, *row)) != label for row in case.table)
    )
    return min((squared for squared in wrong if squared < CAP), default=CAP)


def scorecard(seed, *, columns=12, predicates=45, scale=1024):
    """Return a case of the size of 300 boosted stumps: a few thresholds per column, and jumps of both signs."""
    rng = random.Random(seed)
    places = sorted({(rng.randrange(columns), round(rng.gauss(0, 1) * scale)) for _ in range(predicates)})
    places.append((columns, 0))
    model = AdditiveModel(
        columns=tuple(column for column, _ in places),
        thresholds=tuple(threshold for _, threshold in places),
        jumps=(*(round(rng.gauss(0, 1500)) for _ in places[:-1]), 40),
        bias=rng.randint(-4000, 4000),
        plain=columns,
        sensitive=1,
        input_fraction_bits=10,
    )
    query = tuple(round(rng.gauss(0, 1) * scale) for _ in range(columns))
    return Case(model, query, ((-scale,), (scale,)), None)
