"""What somebody can become, move by move, and what each move costs.

A *mover* is one feature that changes alone, or some that change together. Its *options* are what it may become: today's
is the first, and free. A number may become any multiple of its step between today's value and the end that the rules
allow; of these a model tells only those apart between which a threshold lies, and the nearest of each kind costs
least. Whoever takes an option of a number has that value or more of the change, up to the end.

Costs are exact, and those of movers add up. A number without a stated `cost` costs what its column changes in the
spec's units, as a radius counts it; a category without one costs 1.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, Protocol

import msgspec

from equiproof.circuits.allowed import Allowed, Range, Span, Values, is_listed, written_number
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import exact, exponent, read_number
from equiproof.circuits.spec import Feature, Spec

Direction = Literal["up", "down"]

_PARTS = 100
"""A number without a step moves by the power of ten below this part of its scale."""

_KEPT = 1 << 13
"""How many integers of values are kept between searches, of each number and of all else."""


@dataclass(frozen=True)
class Option:
    """What the features of a mover may become, and its cost.

    `shown` has the raw values of the features that change, so that today's option has none. `ends` are those of a box
    by feature: what is shown and the end beyond it, the lesser first; `point` are the integers of the mover's columns
    at what is shown, `low` and `high` the ends of the box. `step` is that of a number.
    """

    cost: Fraction
    shown: Mapping[str, Any] = field(repr=False)
    ends: Mapping[str, tuple[Any, ...]] = field(repr=False)
    point: tuple[int, ...] = field(repr=False)
    low: tuple[int, ...] = field(repr=False)
    high: tuple[int, ...] = field(repr=False)
    step: tuple[Direction, int] | None = field(default=None, repr=False)


class Mover(Protocol):
    """Features that change alone or together; `columns` are theirs among the n_x plain ones, ascending by feature."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""

    @property
    def columns(self) -> tuple[int, ...]:
        """The places of their columns."""

    def options(self, thresholds: Mapping[int, Sequence[int]]) -> list[Option]:
        """Return today's and what a model with these thresholds by column, ascending, tells apart."""


@dataclass(frozen=True)
class Listed:
    """Categories, or features with a table of what they may be at once: each of these is an option."""

    features: tuple[str, ...]
    columns: tuple[int, ...]
    listed: tuple[Option, ...] = field(repr=False)

    def options(self, thresholds: Mapping[int, Sequence[int]]) -> list[Option]:  # noqa: ARG002 -- all are told apart
        """Return all that they may become, today's first."""
        return list(self.listed)


class Ladder:
    """The multiples of a step of a number, numbered by their quotient: the same for everybody under a spec."""

    def __init__(self, spec: Spec, feature: Feature, step: Fraction) -> None:
        """Keep what was looked up: it is asked again for others."""
        self._spec = spec
        self._feature = feature
        self._step = step
        self.integers = lru_cache(maxsize=_KEPT)(self._integers)
        self.above = lru_cache(maxsize=_KEPT)(self._above)

    def _integers(self, multiple: int) -> tuple[int, ...]:
        """Return the column integers of a multiple."""
        return tuple(self._spec.columns_of(self._feature, written_number(multiple * self._step)))

    def _above(self, threshold: int) -> int:
        """Return the least multiple whose integer is above a threshold."""
        above = ENCODINGS[self._feature.encoding].begin(self._spec, self._feature, threshold + 1, self._step)
        if above is None:
            raise TypeError("want a number")
        return above


_ladder_of = lru_cache(maxsize=1 << 8)(Ladder)


@dataclass(frozen=True, eq=False)
class Number:
    """A number that may rise, fall, or both, by multiples of a step.

    The grid of a direction is the multiples of the step beyond today's value up to the end of the span: `count` of
    them, numbered from 0 on with growing distance.
    """

    feature: Feature
    column: int
    spec: Spec = field(repr=False)
    span: Span = field(repr=False)
    step: Fraction

    @property
    def features(self) -> tuple[str, ...]:
        """The feature's name."""
        return (self.feature.name,)

    @property
    def columns(self) -> tuple[int, ...]:
        """Its column, and that of its mark, which never changes."""
        return tuple(range(self.column, self.column + self.feature.width))

    @cached_property
    def own(self) -> Option:
        """Today's value."""
        integers = self._today
        ends = _ends(self.feature, self.span.own, self.span.own)
        return Option(Fraction(0), {}, ends, integers, integers, integers)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The directions in which there is a step to take."""
        return tuple(way for way in ("up", "down") if self.count(way) > 0)

    def count(self, direction: Direction) -> int:
        """Return how many steps there are in a direction."""
        return self._counts[direction]

    @cached_property
    def _counts(self) -> dict[Direction, int]:
        """By direction how many steps there are."""
        up, down = self._first["up"], self._first["down"]
        return {
            "up": max(0, math.floor(self.span.high / self.step) - up + 1),
            "down": max(0, down - math.ceil(self.span.low / self.step) + 1),
        }

    def at(self, direction: Direction, number: int, last: int | None = None) -> Option:
        """Return the option of one step of a direction, counted from 0: on to the last one, or the end of the span."""
        shown, here = self.value(direction, number), self.integers(direction, number)
        end, there = self._end[direction]
        if last is not None:
            end, there = self.value(direction, last), self.integers(direction, last)
        ends, low, high = ((shown, end), here, there) if direction == "up" else ((end, shown), there, here)
        written = {self.feature.name: written_number(shown)}
        cost = self.cost(direction, number)
        return Option(cost, written, _ends(self.feature, *ends), here, low, high, (direction, number))

    def value(self, direction: Direction, number: int) -> Fraction:
        """Return the raw value of a step."""
        return self._multiple(direction, number) * self.step

    def integers(self, direction: Direction, number: int) -> tuple[int, ...]:
        """Return the column integers of a step."""
        return self._ladder.integers(self._multiple(direction, number))

    def cost(self, direction: Direction, number: int) -> Fraction:
        """Return what a step costs: no less the farther it is from today's value."""
        return self.parts(direction, number) * self.rate

    def parts(self, direction: Direction, number: int) -> int:
        """Return how many parts a step is from today's value, of which each costs the `rate`."""
        if self._stated is None:
            return abs(self.integers(direction, number)[0] - self._today[0])
        own, step = self.span.own, self.step
        multiple = self._multiple(direction, number)
        return abs(multiple * step.numerator * own.denominator - own.numerator * step.denominator)

    @cached_property
    def rate(self) -> Fraction:
        """What a part costs."""
        if self._stated is None:
            return Fraction(1, self.spec.scale_unit)
        return self._stated / (self.step.denominator * self.span.own.denominator)

    def options(self, thresholds: Mapping[int, Sequence[int]]) -> list[Option]:
        """Return today's value, then for each direction the nearest step behind each threshold, the nearest first."""
        told = {step: None for _, step in self.behind(thresholds.get(self.column, ()))}
        return [self.own, *(self.at(*step) for step in told)]

    def behind(self, thresholds: Sequence[int]) -> Iterator[tuple[int, tuple[Direction, int]]]:
        """Yield the place of each threshold, of ascending ones, that some steps lie behind, and the nearest of these.

        A threshold t is passed upwards by an integer above it, and downwards by one that is at most t. For each
        direction the nearest come first.
        """
        split = bisect_left(thresholds, self._today[0])
        for direction in self.directions:
            for place in range(split, len(thresholds)) if direction == "up" else range(split - 1, -1, -1):
                number = self.first_beyond(direction, thresholds[place])
                if number is None:
                    break
                yield place, (direction, number)

    def first_beyond(self, direction: Direction, threshold: int) -> int | None:
        """Return the nearest step behind a threshold, None where the span ends before."""
        above, first = self._ladder.above(threshold), self._first[direction]
        number = max(0, above - first if direction == "up" else first - above + 1)
        return number if number < self._counts[direction] else None

    @cached_property
    def _ladder(self) -> Ladder:
        """The multiples of the step."""
        return _ladder_of(self.spec, self.feature, self.step)

    @cached_property
    def _stated(self) -> Fraction | None:
        """What the rules say that a raw unit costs, None where they do not."""
        return _stated(self.feature)

    def _multiple(self, direction: Direction, number: int) -> int:
        """Return which multiple of the step a step of a direction is."""
        return self._first[direction] + (number if direction == "up" else -number)

    @cached_property
    def _first(self) -> dict[Direction, int]:
        """By direction the first multiple of the step beyond today's value."""
        own = self.span.own / self.step
        return {"up": math.floor(own) + 1, "down": math.ceil(own) - 1}

    @cached_property
    def _end(self) -> dict[Direction, tuple[Fraction, tuple[int, ...]]]:
        """By direction the last value that the rules allow, and its integers."""
        ends: dict[Direction, Fraction] = {"up": self.span.high, "down": self.span.low}
        return {way: (end, _integers(self.spec, self.feature, written_number(end))) for way, end in ends.items()}

    @cached_property
    def _today(self) -> tuple[int, ...]:
        """The column integers of today's value."""
        return tuple(self.spec.columns_of(self.feature, written_number(self.span.own)))


@lru_cache(maxsize=_KEPT)
def _integers(spec: Spec, feature: Feature, value: Any) -> tuple[int, ...]:
    """Return the column integers of a raw value."""
    return tuple(spec.columns_of(feature, value))


def movers(spec: Spec, may: Allowed) -> tuple[Mover, ...]:
    """Return everything that somebody can change, from what the rules allow them.

    Nothing that can only stay as it is is among them. Of features that change together the rows of their table are the
    options, as far as they are left; a row costs what its features cost, each that differs from today.
    """
    places = dict(zip((feature.name for feature in spec.plain_features), _places(spec), strict=True))
    known = {feature.name: feature for feature in spec.plain_features}
    joined = {name for table, _ in may.together for name in table}
    found: list[Mover] = []
    for name, feature in known.items():
        if name in joined:
            continue
        mover = _alone(spec, feature, places[name], may)
        if mover is not None:
            found.append(mover)
    for table, rows in may.together:
        mover = _together(spec, [known[name] for name in table], [places[name] for name in table], rows, may)
        if mover is not None:
            found.append(mover)
    return tuple(found)


def _places(spec: Spec) -> Iterator[int]:
    """Yield the first column of each plain feature."""
    place = 0
    for feature in spec.plain_features:
        yield place
        place += feature.width


def _alone(spec: Spec, feature: Feature, place: int, may: Allowed) -> Mover | None:
    """Return the mover of one feature, None where it stays."""
    range_ = may.features[feature.name]
    if isinstance(range_, Span):
        number = Number(feature, place, spec, range_, range_.step or _step_of(feature))
        return number if number.directions else None
    if not isinstance(range_, Values) or len(range_.all) < 2:
        return None
    options = _of_category(spec, feature, range_.own, range_.all)
    return Listed((feature.name,), tuple(range(place, place + feature.width)), options)


@lru_cache(maxsize=1 << 10)
def _of_category(spec: Spec, feature: Feature, own: str, every: Sequence[str]) -> tuple[Option, ...]:
    """Return what a category may become, today's first."""
    values = [own, *(value for value in every if value != own)]
    return tuple(_option(spec, [feature], [value], [own]) for value in values)


def _together(
    spec: Spec, features: Sequence[Feature], places: Sequence[int], rows: Iterable[Sequence[str]], may: Allowed
) -> Mover | None:
    """Return the mover of features that change together, None where no row is left but today's."""
    own = [_today(may.features[feature.name]) for feature in features]
    if any(value is None for value in own):
        return None
    others = [row for row in rows if not all(map(_same, features, row, own))]
    if not others:
        return None
    options = tuple(_option(spec, features, row, own) for row in (own, *others))
    columns = [column for f, place in zip(features, places, strict=True) for column in range(place, place + f.width)]
    return Listed(tuple(feature.name for feature in features), tuple(columns), options)


def _today(found: Range) -> Any:
    """Return today's raw value of what a feature may be, None where it is not stated."""
    if found is None:
        return None
    return written_number(found.own) if isinstance(found, Span) else found.own


def _option(spec: Spec, features: Sequence[Feature], values: Sequence[Any], today: Sequence[Any]) -> Option:
    """Return the option of features that become these values, whose own today are given."""
    cost, shown, ends, point = Fraction(0), {}, {}, list[int]()
    for feature, value, own in zip(features, values, today, strict=True):
        point += _integers(spec, feature, value)
        ends[feature.name] = (value,) if is_listed(feature) else (value, value)
        if not _same(feature, value, own):
            cost += _cost(spec, feature, value, own)
            shown[feature.name] = value
    return Option(cost, shown, ends, tuple(point), tuple(point), tuple(point))


def _cost(spec: Spec, feature: Feature, value: Any, own: Any) -> Fraction:
    """Return the cost of a feature that becomes another value."""
    stated = _stated(feature)
    if feature.kind == "categorical":
        return Fraction(1) if stated is None else stated
    if stated is not None:
        return stated * abs(read_number(value) - read_number(own))
    here, there = _integers(spec, feature, own), _integers(spec, feature, value)
    return Fraction(abs(there[0] - here[0]), spec.scale_unit)


def _stated(feature: Feature) -> Fraction | None:
    """Return the cost that the rules state, None where they do not."""
    changes = feature.changes
    return None if isinstance(changes, msgspec.UnsetType) or not isinstance(changes.cost, str) else exact(changes.cost)


def _same(feature: Feature, value: Any, other: Any) -> bool:
    """Return whether two raw values of a feature are the same, numbers in any spelling."""
    return value == other if feature.kind == "categorical" else read_number(value) == read_number(other)


def _ends(feature: Feature, low: Fraction, high: Fraction) -> dict[str, tuple[Any, ...]]:
    """Return the ends of a number as a box has them."""
    return {feature.name: (written_number(low), written_number(high))}


def _step_of(feature: Feature) -> Fraction:
    """Return what shown values of a number are multiples of where its rules do not say."""
    return Fraction(10) ** exponent(exact(feature.scale) / _PARTS)
