"""How many constraints a shape of scheme `branch` takes, gadget by gadget, by formula.

Sizes as in :mod:`bench.formula`; K leaves, C margins (1 for one logit, else one less than there are).
A pass of a form goes through layers j of h_j neurons, each a matrix of d_j columns: the inputs of the layer and its
biases. The formula follows the gadgets (docs/relation-branch.md, docs/adr/0009) and is exact: the tests compare it with
compiled circuits. Widths of range checks follow from intervals, as in the circuit: one pass stands for all of its kind.
Coefficients over the inputs are never rounded: with weights of 16 bits they always fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.formula import HASH, TERMS, chain, packed, with_checks
from circuits.branch_layout import looks_up_slices, parameters_of, places_of
from circuits.shape import Shape
from circuits.widths import BIT, Interval, signed, unsigned

NONE = Interval(0, 0)


def constraints(shape: Shape) -> int:
    """Return the number of constraints of a shape's circuit."""
    return sum(by_gadget(shape).values())


def by_gadget(shape: Shape) -> Mapping[str, int]:
    """Return the constraints of a shape's circuit by gadget, named as the proving library names them."""
    return _Tally(shape).counted()


@dataclass
class _Tally:
    """Constraints by part, and the range checks that parts ask for: (part, bits)."""

    shape: Shape
    found: Counter[str] = field(default_factory=Counter)
    checks: Counter[tuple[str, int]] = field(default_factory=Counter)

    def counted(self) -> Mapping[str, int]:
        """Count everything."""
        self._statement()
        self._first_layer()
        self._relaxations()
        self._bounds()
        self._leaves()
        self._tree()
        self._slopes()
        self.found["product"] += _Products(self.shape).count()
        return with_checks(self.found, self.checks)

    @property
    def hidden(self) -> tuple[int, ...]:
        """The sizes of the hidden layers."""
        return self.shape.architecture.hidden

    def check(self, part: str, bits: int, times: int) -> None:
        """Ask for range checks; those of no or one bit are constraints at once."""
        if bits > 1:
            self.checks[part, bits] += times
        else:
            self.found[part] += times

    def not_negative(self, part: str, value: Interval, times: int) -> None:
        """Ask for comparisons of values with 0, where they may be below."""
        if value.low < 0:
            self.check(part, value.high.bit_length(), times)

    def _statement(self) -> None:
        """Count what every scheme has, and the parts of the weights that bounds begin with."""
        shape, a = self.shape, self.shape.architecture
        self.found["commitment"] = HASH * (3 + packed(shape))
        self.found["digest"] = 7 * HASH + 1
        for number, ((outputs, inputs), bias) in enumerate(zip(a.layers, a.bias_bits, strict=True)):
            if 0 < number < len(self.hidden):
                self.found["range"] += 2 * outputs * inputs
                self.check("range", a.weight_bits - 1, outputs * inputs)
            else:
                self.check("range", a.weight_bits, outputs * inputs)
            self.check("range", bias, outputs)
        self.check("range", shape.input_bits, a.plain + shape.slices * a.sensitive)
        if shape.ranges:
            self.check("range", shape.input_bits, 2 * a.plain)
            self.check("ranges", shape.input_bits, 2 * a.plain)
        self.check("range", shape.radius_bits, 1)
        self.found["range"] += a.logits + (a.logits > 1) + shape.capacity * shape.slices
        self.found["polytope"] = a.logits * (self.hidden[-1] + 1)
        if a.logits > 1:
            self.found["margins"] = (a.logits - 1) * (self.hidden[-1] + 1)

    def _first_layer(self) -> None:
        """Count values at the centres, norms and bounds of layer 1."""
        shape, a, numbers = self.shape, self.shape.architecture, parameters_of(self.shape)
        n, first = a.plain, self.hidden[0]
        base = first * (n + chain(n + 1))
        self.found["rest"] += base
        self.found["backward"] += base
        long = n % (TERMS - 1) + 1 + a.sensitive >= TERMS
        self.found["rest"] += shape.slices * first * (a.sensitive + long)
        radius = unsigned(numbers.first_radius_bits)
        self.check("rest", numbers.first_radius_bits, first)
        self._reach(signed(a.weight_bits), radius, first)
        entry, bound = signed(shape.input_bits), signed(numbers.bound_bits[0])
        value = (signed(a.weight_bits) * entry).times(a.plain + a.sensitive) + signed(a.bias_bits[0])
        self.not_negative("interval", value + radius.times(-1) + bound.times(-1), shape.slices * first)
        self.not_negative("interval", bound + (value + radius).times(-1), shape.slices * first)

    def _reach(self, coefficient: Interval, radius: Interval, times: int) -> None:
        """Count r^2 >= R2 |c|^2."""
        n = self.shape.architecture.plain
        self.found["radius"] += times * (n + chain(n) + 2)
        norm = Interval(0, (coefficient * coefficient).high).times(n)
        excess = Interval(0, (radius * radius).high) + (unsigned(self.shape.radius_bits) * norm).times(-1)
        self.not_negative("radius", excess, times)

    def _relaxations(self) -> None:
        """Count bounds and upper lines of every neuron on every slice."""
        numbers = parameters_of(self.shape)
        for size, bits, offset_bits in zip(self.hidden, numbers.bound_bits, numbers.offset_bits, strict=True):
            every = self.shape.slices * size
            self.check("range", bits, 2 * every)
            self.check("rest", offset_bits, every)
            self.found["relaxation"] += 2 * every
            above = Interval(0, numbers.unit) * signed(bits) + unsigned(offset_bits)
            self.not_negative("relaxation", above, 2 * every)
            self.not_negative("relaxation", above + signed(bits).times(-numbers.unit), 2 * every)

    def _bounds(self) -> None:
        """Count the passes of bounds, of lower and of upper ones."""
        numbers, a = parameters_of(self.shape), self.shape.architecture
        weight = signed(a.weight_bits)
        positive, negative = Interval(0, weight.high), Interval(0, -weight.low)
        for top in range(2, len(self.hidden) + 1):
            times, bias = self.shape.slices * self.hidden[top - 1], signed(a.bias_bits[top - 1])
            bound = signed(numbers.bound_bits[top - 1])
            for parts, constant, stated in (
                ((positive, negative), bias, bound),
                ((negative, positive), bias.times(-1), bound.times(-1)),
            ):
                coefficient, centre = self._free_pass(top, parts, constant, times)
                radius, shift = unsigned(numbers.form(top).radius_bits), numbers.shift(top)
                self.check("radius", numbers.form(top).radius_bits, times)
                self._reach(coefficient, radius, times)
                # The bound is at most 2^shift times what is left of the centre; a negative shift is of the bound.
                least = (centre + radius.times(-1)).times(1 << max(shift, 0))
                self.not_negative("interval", least + stated.times(-1 << max(-shift, 0)), times)

    def _free_pass(
        self, top: int, parts: tuple[Interval, Interval], kappa: Interval, times: int
    ) -> tuple[Interval, Interval]:
        """Count a pass whose neurons are free; return the intervals of coefficients and of the centre."""
        numbers, unit = parameters_of(self.shape), parameters_of(self.shape).unit
        slope, coefficient = Interval(0, unit), NONE
        for j in range(top - 1, 0, -1):
            k, size = numbers.rounding[top - 2][j - 1], self.hidden[j - 1]
            kappa = self._floor(kappa, k, times)
            offset = unsigned(numbers.offset_bits[j - 1])
            mu = slope * parts[0] + (slope * parts[1]).times(-1)
            taken = (parts[1] * offset).times(size)
            coefficient, constant = self._multiplied(j, mu)
            kappa = kappa.times(unit) + constant + taken.times(-1)
            if j > 1:
                split, below = numbers.form(top).split_bits[j - 2], numbers.rounding[top - 2][j - 2]
                self.check("backward", split, 2 * times * self.hidden[j - 2])
                if below:
                    self.check("backward", below, times * self.hidden[j - 2])
                parts = unsigned(split), unsigned(split)
        return coefficient, self._centre(coefficient, kappa, times)

    def _multiplied(self, j: int, mu: Interval) -> tuple[Interval, Interval]:
        """Return the intervals of coefficients below layer j and of the constant, of slopes mu."""
        a, size = self.shape.architecture, self.hidden[j - 1]
        weight, bias = signed(a.weight_bits), signed(a.bias_bits[j - 1])
        constant = bias if j > 1 else (weight * signed(self.shape.input_bits)).times(a.plain) + bias
        return (mu * weight).times(size), (mu * constant).times(size)

    def _centre(self, coefficient: Interval, kappa: Interval, times: int) -> Interval:
        """Count the sensitive columns of a form at the centre, and return its interval there."""
        sensitive = self.shape.architecture.sensitive
        self.found["backward"] += times * sensitive
        return kappa + (coefficient * signed(self.shape.input_bits)).times(sensitive)

    def _floor(self, value: Interval, bits: int, times: int) -> Interval:
        """Count a rounding by so many bits, none where there are none."""
        if not bits:
            return value
        floor = Interval(value.low >> bits, value.high >> bits)
        self.check("backward", floor.bits, times)
        self.check("backward", bits, times)
        return floor

    def _leaves(self) -> None:
        """Count every margin of every leaf."""
        shape, a, numbers = self.shape, self.shape.architecture, parameters_of(self.shape)
        times = shape.capacity * numbers.sizes.classes
        slope, weight, bias = Interval(0, numbers.unit), signed(a.weight_bits), signed(a.bias_bits[-1])
        signs = Interval(-1, 1)
        entry, constant = weight * signs, bias * signs
        if a.logits > 1:
            entry, constant = weight + weight.times(-1), bias + bias.times(-1)
        self.found["leaf"] += times * (self.hidden[-1] + 1)
        if not looks_up_slices(shape):
            self.found["leaf"] += shape.capacity * a.sensitive * (shape.slices - 1)
        coefficient, centre = self._signed_pass(slope * entry, slope * constant, times)
        if shape.ranges:
            coefficient, centre = self._cut(coefficient, centre, times)
        self.not_negative("leaf", centre + Interval(-1, -1), times)
        self._reach(coefficient, Interval(1, centre.high), times)

    def _cut(self, coefficient: Interval, centre: Interval, times: int) -> tuple[Interval, Interval]:
        """Count what forms are cut by inside ranges; return the intervals of what is left."""
        bits, columns = parameters_of(self.shape).cut_bits, self.shape.architecture.plain
        self.found["ranges"] += 4 * times * columns
        self.check("ranges", bits - 1, times * columns)
        fall = unsigned(self.shape.input_bits).times(1 << (bits - 1)).times(columns)
        return coefficient + signed(bits).times(-1), centre + fall.times(-1)

    def _signed_pass(self, coefficient: Interval, kappa: Interval, times: int) -> tuple[Interval, Interval]:
        """Count a pass whose neurons have signs; return the intervals of coefficients and of the centre."""
        numbers, top = parameters_of(self.shape), len(self.hidden) + 1
        unit, slope = numbers.unit, Interval(0, numbers.unit)
        for j in range(top - 1, 0, -1):
            k, size, split = numbers.rounding[top - 2][j - 1], self.hidden[j - 1], numbers.form(top).split_bits[j - 1]
            kappa = self._floor(kappa, k, times)
            self.found["backward"] += 4 * times * size
            excess, positive = unsigned(split + numbers.fraction_bits), unsigned(split)
            self.check("leaf", split + numbers.fraction_bits, times * size)
            self.check("backward", split, times * size)
            own = positive + (BIT * coefficient).times(-1)
            negative = Interval(max(0, own.low), min((BIT * excess).high, own.high))
            on, beta = coefficient.times(unit) + excess.times(-1), excess
            free = slope * positive + (slope * negative).times(-1)
            mu = Interval(min(on.low, beta.low, free.low), max(on.high, beta.high, free.high))
            taken = (negative * unsigned(numbers.offset_bits[j - 1])).times(size)
            coefficient, constant = self._multiplied(j, mu)
            kappa = kappa.times(unit) + constant + taken.times(-1)
            if j > 1:
                below = numbers.rounding[top - 2][j - 2]
                coefficient = self._floor(coefficient, below, times * self.hidden[j - 2])
        return coefficient, self._centre(coefficient, kappa, times)

    def _tree(self) -> None:
        """Count signs, keys and digits of all rows, and what proves them to be among each other."""
        shape, neurons = self.shape, sum(self.hidden)
        splits, places = shape.capacity - shape.slices, places_of(shape)
        words = places.words
        self.found["tree"] += shape.capacity * (2 * neurons + 1) + 1
        keys, asked = splits + shape.capacity, shape.slices + 2 * splits
        self.found["tree"] += _set(keys, asked) + _set(neurons, splits)
        if words > 1:
            total = keys + asked + neurons + splits
            self.found["tree"] += total.bit_length() + (words - 1) * (keys + splits)
            self.found["tree"] += sum(max(0, word - 1) for word, _ in places.at)

    def _slopes(self) -> None:
        """Count the table of slopes."""
        numbers, neurons = parameters_of(self.shape), sum(self.hidden)
        asked = self.shape.slices * (2 * neurons - self.hidden[-1])
        asked += self.shape.capacity * numbers.sizes.classes * (1 + neurons)
        self.found["slopes"] += 1 + _set(numbers.unit + 1, asked)


class _Products:
    """The identities of products behind the challenge."""

    def __init__(self, shape: Shape) -> None:
        """Begin with no power of the challenge but the first."""
        self.shape = shape
        self.hidden = shape.architecture.hidden
        inputs = (shape.architecture.plain + shape.architecture.sensitive, *self.hidden)
        self.columns = tuple(below + 1 for below in inputs)
        self.powers = {0, 1}

    def count(self) -> int:
        """Return the constraints of all claims, of what they are made of, and of the challenge."""
        found = 1 + self._matrices() + self._tops() + self._deeper() + self._leaves()
        return found + len(self.powers) - 2

    def _power(self, n: int) -> None:
        """Take a power of the challenge, a product of two lower ones."""
        if n not in self.powers:
            self._power(n // 2)
            self._power(n - n // 2)
            self.powers.add(n)

    def _claim(self, terms: Sequence[int], rows: int, columns: int) -> int:
        """Return the constraints of a claim over blocks of so many columns each."""
        self._power(columns)
        return sum(terms) + _sum(sum(terms)) + rows * (columns - 1) + rows - 1 + 1

    def _matrices(self) -> int:
        """Count the rows' polynomials of the layers, and of the lines of every slice."""
        found = 0
        for j, size in enumerate(self.hidden, start=1):
            columns = self.columns[j - 1]
            found += size * (columns - 1)
            if j < len(self.hidden):
                found += self.shape.slices * size
            if j < len(self.hidden) or not looks_up_slices(self.shape):
                self._power(columns - 1)
                found += self.shape.slices * 2 * size
        return found

    def _tops(self) -> int:
        """Count the first step of the bounds of a layer, all rows of a slice together."""
        found = 0
        for below, size, columns in zip(self.hidden, self.hidden[1:], self.columns, strict=False):
            found += 2 * below * (size - 1)
            found += 2 * self.shape.slices * self._claim((below, below), size, columns)
        return found

    def _deeper(self) -> int:
        """Count the steps of bounds through further layers."""
        found = 0
        for top in range(3, len(self.hidden) + 1):
            times = 2 * self.shape.slices * self.hidden[top - 1]
            for size, columns in zip(self.hidden[: top - 2], self.columns, strict=False):
                found += times * self._claim((size, size), 1, columns)
        return found

    def _leaves(self) -> int:
        """Count the steps of margins, and what leaves take of their slices."""
        shape, margins = self.shape, self.shape.capacity * parameters_of(self.shape).sizes.classes
        found = 0
        for size, columns in zip(self.hidden, self.columns, strict=False):
            found += margins * self._claim((size, size), 1, columns)
            if looks_up_slices(shape):
                self._power(columns - 1)
                found += shape.capacity * 2 * size
            else:
                found += shape.capacity * size * (shape.slices - 1)
        if looks_up_slices(shape):
            length = shape.architecture.sensitive + 2 * sum(self.hidden)
            found += shape.slices * (length - 1) + shape.capacity * self._claim((shape.slices,), 1, length)
        return found


def _set(rows: int, queries: int) -> int:
    """Return the constraints of a set: one per row and query, and their sums."""
    return rows + queries + _sum(rows) + _sum(queries) + 1


def _sum(terms: int) -> int:
    """Return how many wires a sum takes that is added up at once."""
    return int(terms >= TERMS)
