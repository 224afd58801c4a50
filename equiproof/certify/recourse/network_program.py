"""The cheapest choice of options under a network, as a mixed-integer program of several slices together.

Notation: a number that moves has a column m of the program, the integers by which its column differs from today's, for
each of its directions. Its steps lie in *stretches* of a direction, each with a binary z and a whole step k. Where an
encoding is linear, m is within half an integer of a line in k, so one stretch suffices, and as m and k are whole, m is
the column that the spec rounds to. Elsewhere m lies in a band around the chord of the stretch, as wide as samples show:
columns never fall as numbers grow. Stretches are split where an answer was wrong, and one of a single step is exact. An
option of a category or table has a binary. A neuron z = W h + b with lo <= z <= hi has h = relu(z) by h >= z, h >= 0,
h <= z - lo (1 - d), h <= hi d and a binary d (Fischetti and Jo 2018). In the first layer slices differ by constants,
and whoever activates a neuron on one activates it on those of larger constants.

The program is a relaxation: each choice that flips is feasible in it, up to the floats of the solver. Columns of the
program that are not whole are scaled by their bounds, to lie between -1 and 1.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import pairwise
from operator import mul
from typing import Literal

import msgspec

from equiproof.certify.integer_program import Floats, Program
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.polytope import combine, margin_signs
from equiproof.certify.recourse.asked import Asked
from equiproof.certify.recourse.moves import Number, Option
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import exact

Direction = Literal["up", "down"]

Place = tuple[Direction, int] | int
"""Where a mover goes: a direction and a step of a number, or the place of an option among the listed; 0 for today."""

_SAMPLES = 64
"""At how many steps of a stretch a column is looked up where its encoding is not linear."""

_STRETCHES = 8
"""How many stretches a direction has at the start, as far as its encoding is not linear."""

_ROOM = 1e-8
"""How far below its least value a margin may be in the program, as a part of its bounds; and costs above a budget."""

_SLACK = 1e-7
"""How far bounds from linear programs are moved outwards, as a part of those that are known before."""

Line = tuple[dict[int, float], float]
"""Coefficients of columns of the program, and a constant."""

Ends = tuple[int, int]
_Outputs = tuple[list[Line], list[Ends]]


@dataclass(frozen=True)
class Stretch:
    """Some steps of a direction: where m is k beyond the first, it is in start + slope k + [low, high]."""

    first: int
    last: int
    start: float = field(repr=False)
    slope: float = field(repr=False)
    low: float = field(repr=False)
    high: float = field(repr=False)


class Grid:
    """The steps of a number in one direction, in stretches."""

    def __init__(self, number: Number, direction: Direction) -> None:
        """Begin with one stretch where the encoding is linear, else with some of about as many steps."""
        self.number = number
        self.direction: Direction = direction
        self._sign = _sign(direction)
        self._linear = ENCODINGS[number.feature.encoding].linear
        # Each of these is computed from exact fractions, and is asked for again by every neuron.
        self.moved = cache(self._moved)
        self.option = cache(partial(number.at, direction))
        self.cost = cache(partial(number.cost, direction))
        self.affordable = cache(self._affordable)
        last = number.count(direction) - 1
        parts = 1 if self._linear else min(_STRETCHES, last + 1)
        starts = [(last + 1) * part // parts for part in range(parts + 1)]
        self.stretches = [self._stretch(first, end - 1) for first, end in pairwise(starts)]

    def _moved(self, step: int) -> int:
        """Return m of a step."""
        return self._sign * (self.number.integers(self.direction, step)[0] - self.number.own.point[0])

    @property
    def stated(self) -> bool:
        """Whether the rules state what a raw unit costs."""
        changes = self.number.feature.changes
        return not isinstance(changes, msgspec.UnsetType) and isinstance(changes.cost, str)

    @cached_property
    def rate(self) -> Fraction:
        """What each step costs beside the first, or each integer of m where the rules state no cost."""
        if not self.stated:
            return Fraction(1, self.number.spec.scale_unit)
        return self.cost(1) - self.cost(0) if self.last else Fraction(0)

    @property
    def last(self) -> int:
        """The last step."""
        return self.stretches[-1].last

    def _affordable(self, budget: Fraction | None) -> int:
        """Return the last step that costs no more than a budget, -1 where the first costs more."""
        if budget is None:
            return self.last
        return bisect_right(range(self.last + 1), budget, key=self.cost) - 1

    def split(self, step: int) -> None:
        """Make a stretch of this step alone."""
        at = next(place for place, one in enumerate(self.stretches) if one.first <= step <= one.last)
        old = self.stretches[at]
        parts = [(old.first, step - 1), (step, step), (step + 1, old.last)]
        self.stretches[at : at + 1] = [self._stretch(*ends) for ends in parts if ends[0] <= ends[1]]

    def _stretch(self, first: int, last: int) -> Stretch:
        """Return the line of some steps, and how far m may be from it."""
        if first == last:
            return Stretch(first, last, float(self.moved(first)), 0.0, 0.0, 0.0)
        if self._linear:
            start, end = self._unrounded(first), self._unrounded(last)
            return Stretch(first, last, float(start), float((end - start) / (last - first)), -0.5, 0.5)
        steps = sorted({first + (last - first) * part // _SAMPLES for part in range(_SAMPLES + 1)})
        known = [self.moved(step) for step in steps]
        slope = (known[-1] - known[0]) / (last - first)
        line = [known[0] + slope * (step - first) for step in steps]
        gaps = [own - on for own, on in zip(known, line, strict=True)]
        low, high = min(gaps), max(gaps)
        for at in range(1, len(steps)):
            if steps[at] - steps[at - 1] > 1:
                low = min(low, known[at - 1] - line[at] + slope)
                high = max(high, known[at] - line[at - 1] - slope)
        return Stretch(first, last, float(known[0]), slope, low, high)

    def _unrounded(self, step: int) -> Fraction:
        """Return m of a step before the spec rounds it."""
        feature, value = self.number.feature, self.number.value(self.direction, step)
        raw = ENCODINGS[feature.encoding].level(feature, value) - exact(feature.mean)
        return self._sign * (raw * self.number.spec.scale_unit / exact(feature.scale) - self.number.own.point[0])


@dataclass(frozen=True)
class Moves:
    """The movers with what the program knows of them; it grows with each answer that was wrong.

    `listed` are the options of each mover without the steps of a number, today's first, `grids` the latter by
    direction, and `refuted` the choices that do not flip.
    """

    asked: Asked
    listed: Sequence[Sequence[Option]]
    grids: Sequence[Mapping[Direction, Grid]]
    refuted: list[tuple[Place, ...]] = field(default_factory=list)

    @classmethod
    def of(cls, asked: Asked) -> Moves:
        """Return the movers of somebody."""
        grids = [
            {way: Grid(mover, way) for way in mover.directions} if isinstance(mover, Number) else {}
            for mover in asked.movers
        ]
        return cls(asked, [mover.options({}) for mover in asked.movers], grids)

    def refute(self, places: Sequence[Place]) -> None:
        """Exclude a choice."""
        for grids, place in zip(self.grids, places, strict=True):
            if not isinstance(place, int):
                direction, step = place
                grids[direction].split(step)
        self.refuted.append(tuple(places))

    def option(self, number: int, place: Place) -> Option:
        """Return what a mover becomes that goes somewhere."""
        return self.listed[number][place] if isinstance(place, int) else self.grids[number][place[0]].option(place[1])

    def options(self, places: Sequence[Place]) -> tuple[Option, ...]:
        """Return what each mover becomes."""
        return tuple(self.option(number, place) for number, place in enumerate(places))

    def cheaper(self, number: int, place: int) -> list[int]:
        """Return the listed options of a mover that cost less, the cheapest first."""
        costs = [option.cost for option in self.listed[number]]
        return sorted((other for other in range(len(costs)) if costs[other] < costs[place]), key=costs.__getitem__)

    def costs(self) -> Iterator[list[Fraction]]:
        """Yield for each mover the largest of its costs, and some of which each is a sum of multiples."""
        for listed, grids in zip(self.listed, self.grids, strict=True):
            own = [option.cost for option in listed]
            for grid in grids.values():
                own += [grid.cost(grid.last), *([grid.cost(0), grid.rate] if grid.stated else [grid.rate])]
            yield own

    def ends(self, coefficients: Sequence[int], budget: Fraction | None) -> Ends:
        """Return the least and the largest that choices add to today's value of a form over the plain columns.

        No single option of them costs more than the budget.
        """
        low = high = 0
        for number, (mover, grids) in enumerate(zip(self.asked.movers, self.grids, strict=True)):
            added = [
                self.added(coefficients, number, place)
                for place, option in enumerate(self.listed[number])
                if budget is None or option.cost <= budget
            ]
            for direction, grid in grids.items():
                if (last := grid.affordable(budget)) >= 0:
                    added.append(coefficients[mover.columns[0]] * _sign(direction) * grid.moved(last))
            low += min(added)
            high += max(added)
        return low, high

    def added(self, coefficients: Sequence[int], number: int, place: int) -> int:
        """Return what a listed option of a mover adds to today's value of a form over the plain columns."""
        listed = self.listed[number]
        changed = zip(self.asked.movers[number].columns, listed[place].point, listed[0].point, strict=True)
        return sum(coefficients[column] * (then - today) for column, then, today in changed)


@dataclass(frozen=True)
class _Written:
    """The columns of the program of one mover: binaries of listed options, (z, k) of stretches and m by direction."""

    listed: list[int] = field(default_factory=list)
    steps: dict[Direction, list[tuple[int, int]]] = field(default_factory=dict)
    moved: dict[Direction, int] = field(default_factory=dict)

    @property
    def binaries(self) -> list[int]:
        """Those of which at most one is 1, none of them for who stays."""
        return self.listed + [z for steps in self.steps.values() for z, _ in steps]


class NetworkProgram:
    """The program of some rows of a table, with costs as parts of `unit`, of choices at no more than a budget.

    Bounds of neurons follow from the budget and from the layers below, by linear programs.
    """

    def __init__(
        self,
        network: QuantisedNetwork,
        moves: Moves,
        rows: Sequence[Sequence[int]],
        margin: int,
        unit: Fraction,
        budget: Fraction | None,
        end: float,
    ) -> None:
        """Write the program down; from `end` of the monotonic clock on no bounds are tightened."""
        self.program = Program()
        self._moves = moves
        self._unit = unit
        self._budget = budget
        self._end = end
        self._written = [self._write_mover(*own) for own in zip(moves.listed, moves.grids, strict=True)]
        if budget is not None:
            costs = {column: cost for column, cost in enumerate(self.program.costs) if cost}
            self.program.row(costs, -math.inf, float(budget / unit) + _ROOM)
        for places in moves.refuted:
            self._exclude(places)
        layers = self._first_layer(network, rows)
        for layer in network.layers[1:-1]:
            layers = self._next_layer(layer, layers)
        for lines, ends in layers:
            self._margins(network, lines, ends, margin)

    def places(self, values: Floats) -> tuple[Place, ...]:
        """Return where each mover goes at values of the program's columns."""
        pairs = zip(self._written, self._moves.grids, strict=True)
        return tuple(_place(written, grids, values) for written, grids in pairs)

    def _write_mover(self, listed: Sequence[Option], grids: Mapping[Direction, Grid]) -> _Written:
        """Write the columns of a mover, and that it goes to one place at most."""
        written, add, budget = _Written(), self.program.column, self._budget
        for option in listed[1:]:
            most = int(budget is None or option.cost <= budget)
            written.listed.append(add(0, most, float(option.cost / self._unit), integer=True))
        for direction, grid in grids.items():
            rate, last = float(grid.rate / self._unit), grid.affordable(budget)
            most = grid.moved(last) if last >= 0 else 0
            column = add(0, most, 0.0 if grid.stated else rate, integer=True)
            band: tuple[dict[int, float], dict[int, float]] = ({column: 1.0}, {column: 1.0})
            written.moved[direction], written.steps[direction] = column, []
            for stretch in grid.stretches:
                first = float(grid.cost(stretch.first) / self._unit)
                most = max(0, min(stretch.last, last) - stretch.first)
                z = add(0, int(stretch.first <= last), first if grid.stated else 0.0, integer=True)
                k = add(0, most, rate if grid.stated else 0.0, integer=True)
                written.steps[direction].append((z, k))
                self.program.row({k: 1.0, z: float(-most)}, -math.inf, 0.0)
                for terms, gap in zip(band, (stretch.low, stretch.high), strict=True):
                    terms[z], terms[k] = -stretch.start - gap, -stretch.slope
            self.program.row(band[0], 0.0)
            self.program.row(band[1], -math.inf, 0.0)
        self.program.row(dict.fromkeys(written.binaries, 1.0), -math.inf, 1.0)
        return written

    def _exclude(self, places: Sequence[Place]) -> None:
        """Exclude a choice, each number of which that moves has a stretch of its own."""
        terms: dict[int, float] = {}
        least = 1.0
        for place, written, grids in zip(places, self._written, self._moves.grids, strict=True):
            if place == 0:
                terms |= dict.fromkeys(written.binaries, 1.0)
                continue
            if isinstance(place, int):
                own = written.listed[place - 1]
            else:
                stretches = grids[place[0]].stretches
                at = next(number for number, one in enumerate(stretches) if one.first == one.last == place[1])
                own = written.steps[place[0]][at][0]
            terms[own] = -1.0
            least -= 1.0
        self.program.row(terms, least)

    def _moving(self, coefficients: Sequence[int]) -> dict[int, float]:
        """Return what choices add to a form over the plain columns, as coefficients of the program's."""
        terms: dict[int, float] = {}
        for number, (mover, written) in enumerate(zip(self._moves.asked.movers, self._written, strict=True)):
            for place, column in enumerate(written.listed, start=1):
                terms[column] = float(self._moves.added(coefficients, number, place))
            for direction, column in written.moved.items():
                terms[column] = float(_sign(direction) * coefficients[mover.columns[0]])
        return terms

    def _first_layer(self, network: QuantisedNetwork, rows: Sequence[Sequence[int]]) -> list[_Outputs]:
        """Write the first layer of all slices; return its outputs on each."""
        query = self._moves.asked.query
        outputs: list[_Outputs] = [([], []) for _ in rows]
        plain = [weights[: len(query)] for weights in network.layers[0].weights]
        moving = [self._moving(weights) for weights in plain]
        ends = self._tightened(
            [((terms, 0.0), self._moves.ends(own, self._budget)) for terms, own in zip(moving, plain, strict=True)]
        )
        for weights, bias, own, terms, (low, high) in zip(
            network.layers[0].weights, network.layers[0].biases, plain, moving, ends, strict=True
        ):
            today = sum(map(mul, own, query)) + bias
            constants = [today + sum(map(mul, weights[len(query) :], row)) for row in rows]
            unit = float(max(-low, high, 1))
            shared = self.program.column(low / unit, high / unit)
            self.program.row(_over(unit, terms) | {shared: -1.0}, 0.0, 0.0)
            neurons: dict[int, _Neuron] = {}
            for constant in sorted(set(constants)):
                neurons[constant] = self._relu(({shared: unit}, float(constant)), (low + constant, high + constant))
            self._order([(constant, neuron) for constant, neuron in neurons.items() if neuron.active is not None])
            for (lines, bounds), constant in zip(outputs, constants, strict=True):
                lines.append(neurons[constant].line)
                bounds.append(neurons[constant].ends)
        return outputs

    def _next_layer(self, layer: Layer, below: Sequence[_Outputs]) -> list[_Outputs]:
        """Write another hidden layer of all slices; return its outputs on each."""
        pairs = list(zip(layer.weights, layer.biases, strict=True))
        sums = [_sum(weights, bias, *outputs) for outputs in below for weights, bias in pairs]
        ends = self._tightened(sums)
        neurons = [self._relu(line, own) for (line, _), own in zip(sums, ends, strict=True)]
        parts = [neurons[at : at + layer.outputs] for at in range(0, len(neurons), layer.outputs)]
        return [([neuron.line for neuron in part], [neuron.ends for neuron in part]) for part in parts]

    def _tightened(self, sums: Sequence[tuple[Line, Ends]]) -> list[Ends]:
        """Return nearer ends of lines where a linear program finds such, and leave those whose sign is known."""
        found = [ends for _, ends in sums]
        open_ones = [at for at, (low, high) in enumerate(found) if low < 0 < high]
        units = [float(max(-found[at][0], found[at][1])) for at in open_ones]
        forms = [_over(unit, sums[at][0][0]) for at, unit in zip(open_ones, units, strict=True)]
        for at, unit, (low, high) in zip(open_ones, units, self.program.ranges(forms, self._end), strict=True):
            constant = sums[at][0][1]
            ends = found[at]
            least = ends[0] if math.isinf(low) else max(ends[0], math.floor((low - _SLACK) * unit + constant))
            most = ends[1] if math.isinf(high) else min(ends[1], math.ceil((high + _SLACK) * unit + constant))
            found[at] = (least, most) if least <= most else ends
        return found

    def _order(self, neurons: Sequence[tuple[int, _Neuron]]) -> None:
        """Say of a neuron on slices of growing constants that none is less active than the one before."""
        for (below, one), (above, other) in pairwise(neurons):
            if one.active is not None and other.active is not None:
                self.program.row({other.active: 1.0, one.active: -1.0}, 0.0)
            unit = float(max(one.ends[1], other.ends[1]))
            terms = _over(unit, other.line[0]) | {column: -value / unit for column, value in one.line[0].items()}
            self.program.row(terms, 0.0, (above - below) / unit)

    def _margins(self, network: QuantisedNetwork, lines: list[Line], ends: list[Ends], margin: int) -> None:
        """Write that each margin on one slice is large enough."""
        top = network.layers[-1]
        for signs in margin_signs(network.logit_count, self._moves.asked.label):
            weights = combine(signs, top.weights)
            (terms, constant), (low, high) = _sum(weights, sum(map(mul, signs, top.biases)), lines, ends)
            unit = float(max(-low, high, abs(margin), 1))
            self.program.row(_over(unit, terms), (margin - constant) / unit - _ROOM)

    def _relu(self, line: Line, ends: Ends) -> _Neuron:
        """Write relu of a line between two ends."""
        (terms, constant), (low, high) = line, ends
        if high <= 0:
            return _Neuron(({}, 0.0), (0, 0), None)
        if low >= 0:
            return _Neuron(line, ends, None)
        unit = float(max(-low, high))
        output = self.program.column(0.0, high / unit)
        active = self.program.column(0, 1, integer=True)
        gap = {output: 1.0} | {column: -value / unit for column, value in terms.items()}
        self.program.row(gap, constant / unit)
        self.program.row(gap | {active: -low / unit}, -math.inf, (constant - low) / unit)
        self.program.row({output: 1.0, active: -high / unit}, -math.inf, 0.0)
        return _Neuron(({output: unit}, 0.0), (0, high), active)


@dataclass(frozen=True)
class _Neuron:
    """What a neuron puts out, its least and largest value, and its binary, None where its sign is known."""

    line: Line
    ends: Ends
    active: int | None


def _place(written: _Written, grids: Mapping[Direction, Grid], values: Floats) -> Place:
    """Return where a mover goes."""
    chosen = max(written.binaries, key=lambda column: values[column], default=None)
    if chosen is None or values[chosen] < 0.5:
        return 0
    if chosen in written.listed:
        return written.listed.index(chosen) + 1
    direction, k, stretch = next(
        (direction, k, stretch)
        for direction, steps in written.steps.items()
        for (z, k), stretch in zip(steps, grids[direction].stretches, strict=True)
        if z == chosen
    )
    return direction, min(stretch.first + round(values[k]), stretch.last)


def _sign(direction: Direction) -> int:
    """Return the sign by which m adds to a column."""
    return 1 if direction == "up" else -1


def _sum(weights: Sequence[int], bias: int, lines: Sequence[Line], ends: Sequence[Ends]) -> tuple[Line, Ends]:
    """Return the weighted sum of lines, and its ends."""
    terms: dict[int, float] = {}
    constant = float(bias)
    for weight, (own, added) in zip(weights, lines, strict=True):
        constant += weight * added
        for column, value in own.items():
            terms[column] = terms.get(column, 0.0) + weight * value
    low = bias + sum(weight * end[weight < 0] for weight, end in zip(weights, ends, strict=True))
    high = bias + sum(weight * end[weight > 0] for weight, end in zip(weights, ends, strict=True))
    return (terms, constant), (low, high)


def _over(unit: float, terms: Mapping[int, float]) -> dict[int, float]:
    """Return coefficients divided by a unit."""
    return {column: value / unit for column, value in terms.items()}
