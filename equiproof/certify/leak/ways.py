"""Ways and nones: what whoever knows a refused application reads from the box certificate that it gets.

An attacker knows the query, the rules of change, and the opened box. A way says that everybody from the shown values on
is granted, and, since it is the cheapest, that somebody is not who stops one step before a shown number: between the
two lies the decision's boundary. A none says that everybody whom the rules allow is refused. Both are those of the
product's own search; a way that is not the cheapest is read as if it were.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from equiproof.certify.boxes import Model, room_without_key
from equiproof.certify.leak.certificates import SEARCH_SECONDS
from equiproof.certify.leak.learners import BALL_POINTS, BALL_WEIGHT, BEYOND_WEIGHT, Labels
from equiproof.certify.leak.linear import Bounds, Floats, LinearCopy, copy_within
from equiproof.certify.leak.thresholds import Threshold, secret_columns
from equiproof.certify.people import Box
from equiproof.certify.recourse.moves import Number, movers
from equiproof.certify.recourse.search import NotRefusedError, Way, box_of, search
from equiproof.circuits.allowed import allowed, written_number
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Spec

_REFUSED, _GRANTED = 0, 1
"""Copies are of two labels, and the last one is what people ask for."""

_FLAT = 1e-9
"""The part of the longest axis below which people do not differ along another."""


@dataclass(frozen=True)
class Step:
    """A number that a way changes: its column, and the integers one step before the shown value and there."""

    column: int
    back: int = field(repr=False)
    shown: int = field(repr=False)

    @property
    def thresholds(self) -> range:
        """The thresholds t of x > t that tell the two apart."""
        return range(min(self.back, self.shown), max(self.back, self.shown))


@dataclass(frozen=True)
class Answer:
    """A way or a none: the query as n_x integers, a box with the label of everybody in it, and a way's steps."""

    query: tuple[int, ...] = field(repr=False)
    label: int
    box: Box
    steps: tuple[Step, ...] = ()

    @cached_property
    def nearest(self) -> tuple[int, ...]:
        """Who is nearest to the applicant in the box: of a way, who has the shown values."""
        ends = zip(self.query, self.box.low, self.box.high, strict=True)
        return tuple(min(max(value, low), high) for value, low, high in ends)

    def with_number(self, column: int, value: float) -> tuple[float, ...]:
        """Return the same but for the number of a column, which need not be an integer."""
        return (*self.nearest[:column], value, *self.nearest[column + 1 :])


def answered(
    model: Model,
    spec: Spec,
    rows: Iterable[Mapping[str, Any]],
    *,
    max_seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Answer]:
    """Return the way or the none of each raw row that is refused for every listed value, in their order.

    Of ways it is the cheapest one. Who has neither is left out, and so is who comes after `max_seconds`. `progress` is
    called with the number of rows done. Raises WidthError for a network whose boxes no circuit holds.
    """
    end = math.inf if max_seconds is None else time.monotonic() + max_seconds
    room = room_without_key(model, spec)
    found = []
    for done, row in enumerate(rows, start=1):
        left = end - time.monotonic()
        if left <= 0:
            break
        with suppress(NotRefusedError):
            one = search(model, spec, row, _REFUSED, _GRANTED, room, most=1, seconds=min(SEARCH_SECONDS, left))
            query = spec.encode(row)
            found += [
                Answer(query, _GRANTED, box_of(spec, way.ends), tuple(_steps(spec, row, way))) for way in one.ways
            ]
            if one.ends is not None:
                found.append(Answer(query, _REFUSED, box_of(spec, one.ends)))
        if progress is not None:
            progress(done)
    return found


def invented_rows(spec: Spec, rows: Sequence[Mapping[str, Any]], count: int, seed: int) -> list[Mapping[str, Any]]:
    """Return the raw rows of the chosen applications that :func:`.certificates.invented` makes of these."""
    rng = random.Random(seed)  # noqa: S311  # not a secret
    return [{one.name: rng.choice(rows).get(one.name) for one in spec.plain_features} for _ in range(count)]


def located(answers: Sequence[Answer], spec: Spec) -> dict[Threshold, range]:
    """Return the thresholds that an attacker claims to know, in the middle of where each lies.

    Steps of a column that overlap name one threshold, within what they share.
    """
    secret = set(secret_columns(spec))
    steps = {(step.column, step.thresholds) for one in answers for step in one.steps if step.column in secret}
    found: dict[int, list[range]] = {}
    for column, place in sorted(steps, key=lambda step: (step[0], step[1].start, step[1].stop)):
        own = found.setdefault(column, [])
        if own and place.start < own[-1].stop:
            own[-1] = range(place.start, min(place.stop, own[-1].stop))
        else:
            own.append(place)
    return {(column, place[len(place) // 2]): place for column, places in found.items() for place in places}


def right(claims: Mapping[Threshold, range], true: Iterable[Threshold]) -> int:
    """Return how many places of claims have a threshold of the model."""
    return sum(any(own == column and at in place for own, at in true) for (column, _), place in claims.items())


class WaySample:
    """Ways and nones as labelled points: the applicants, people of the boxes, shown values and one step before."""

    def __init__(self, answers: Sequence[Answer], spec: Spec, known: set[Threshold], seed: int) -> None:
        """Draw the people of the boxes with the seed."""
        self.answers = answers
        self.spec = spec
        self.known = known
        self.seed = seed
        rng = np.random.default_rng(seed)
        points, labels, weights = [], [], []
        for one in answers:
            inside = [_somebody(rng, one.box) for _ in range(BALL_POINTS)]
            points += [np.array(one.query, dtype=float), *inside]
            labels += [_REFUSED, *[one.label] * BALL_POINTS]
            weights += [1.0, *[BALL_WEIGHT] * BALL_POINTS]
            if one.label == _GRANTED:
                edge = [one.nearest, *(one.with_number(step.column, step.back) for step in one.steps)]
                points += [np.array(point, dtype=float) for point in edge]
                labels += [_GRANTED, *[_REFUSED] * len(one.steps)]
                weights += [BEYOND_WEIGHT] * len(edge)
        self.points = np.array(points) / spec.scale_unit
        self.labels = np.array(labels, dtype=np.int64)
        self.weights = np.array(weights)

    @property
    def count(self) -> int:
        """The number of ways and nones."""
        return len(self.answers)

    def part(self, places: Sequence[int]) -> WaySample:
        """Return the sample of some ways and nones."""
        return WaySample([self.answers[place] for place in places], self.spec, self.known, self.seed)

    def held(self, places: Sequence[int]) -> tuple[Floats, Labels]:
        """Return all people of some ways and nones, and their labels."""
        part = self.part(places)
        return part.points, part.labels

    def linear(self) -> LinearCopy:
        """Return the hyperplane between the people of both labels, which passes through each step.

        The middle of a step is at most half of it away.
        """
        unit = self.spec.scale_unit
        steps = [(one, step) for one in self.answers for step in one.steps]
        middles = [one.with_number(step.column, (step.shown + step.back) / 2) for one, step in steps]
        half = np.array([abs(step.shown - step.back) / 2 / unit for _, step in steps])
        points = np.vstack([self.points, np.array(middles).reshape(len(steps), self.points.shape[1]) / unit])
        sides = np.r_[np.where(self.labels == _GRANTED, 1.0, -1.0), np.ones(len(steps))]
        low = np.r_[np.zeros(len(self.points)), -half]
        high = np.r_[np.full(len(self.points), math.inf), half]
        # Columns of a category add up to the same for everybody, which is a hyperplane through all of them: it is
        # looked for among people alone.
        centre = points.mean(axis=0)
        _, lengths, axes = np.linalg.svd(points - centre, full_matrices=False)
        axes = axes[lengths > _FLAT * lengths[0]]
        copy = copy_within(Bounds((points - centre) @ axes.T, sides, low, high), solved=True)
        direction = copy.direction @ axes
        return LinearCopy(direction, copy.offset - float(direction @ centre))


def _somebody(rng: np.random.Generator, box: Box) -> Floats:
    """Return somebody drawn from a box, with one value of each category."""
    point = rng.integers(box.low, box.high, endpoint=True).astype(float)
    for choice in box.choices:
        if columns := box.open(choice):
            point[list(choice.columns)] = choice.low
            point[rng.choice(columns)] = choice.high
    return point


def _steps(spec: Spec, row: Mapping[str, Any], way: Way) -> Iterator[Step]:
    """Yield the steps of a way's numbers that change alone; a table's rows have none."""
    for mover in movers(spec, allowed(spec, row, {})):
        if not isinstance(mover, Number) or mover.feature.name not in way.changed:
            continue
        own, (low, high) = mover.span.own, map(read_number, way.ends[mover.feature.name])
        shown, back = (low, max(own, low - mover.step)) if low > own else (high, min(own, high + mover.step))
        before, there = (spec.columns_of(mover.feature, written_number(value))[0] for value in (back, shown))
        if before != there:
            yield Step(mover.column, before, there)
