"""The interval of every private wire, over all patterns: a table for the inputs, interval arithmetic for the forms.

The library computes the same intervals while it compiles; here they follow from the shape alone, in plain integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.circuits.shape import Shape


@dataclass(frozen=True)
class Interval:
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        if self.low < 0 and self == signed(self.bits):
            return f"{self.bits} signed bits"
        return f"{self.low} to {self.high}"

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def times(self, count: int) -> Interval:
        """Return the interval of a sum of `count` integers of this interval, or of a multiple."""
        return Interval(min(count * self.low, count * self.high), max(count * self.low, count * self.high))

    @property
    def bits(self) -> int:
        """The number of bits of the difference of both ends, and so of a packed integer."""
        return (self.high - self.low).bit_length()

    @property
    def magnitude_bits(self) -> int:
        """The number of bits of the larger magnitude."""
        return max(abs(self.low).bit_length(), abs(self.high).bit_length())


BIT = Interval(0, 1)


def signed(bits: int) -> Interval:
    """Return the interval of `bits` signed bits."""
    return Interval(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def unsigned(bits: int) -> Interval:
    """Return the interval of `bits` unsigned bits."""
    return Interval(0, (1 << bits) - 1)


@dataclass(frozen=True)
class FormWidths:
    """The intervals of the value and the squared norm of a form, in whole bits."""

    value: Interval
    norm_squared: Interval

    def excess(self, radius_bits: int) -> Interval:
        """Return the interval that the form's excess over a radius is checked against."""
        square = Interval(0, (self.value * self.value).high)
        exact = square + (unsigned(radius_bits) * self.norm_squared).times(-1)
        return signed(exact.magnitude_bits + 1)


def form_widths(shape: Shape) -> tuple[FormWidths, ...]:
    """Return the widths of the forms of all hidden neurons, layer by layer, and then of the margins."""
    return tuple(_checked(value, norm_squared) for value, norm_squared in form_intervals(shape))


def form_intervals(shape: Shape) -> tuple[tuple[Interval, Interval], ...]:
    """Return the intervals of value and squared norm of every form, in the order of :func:`form_widths`.

    To the circuit squared norms are sums of products that may be negative.
    """
    a = shape.architecture
    weight = signed(a.weight_bits[0])
    entry = signed(shape.input_bits)
    intervals: list[tuple[Interval, Interval]] = []
    value = (weight * entry).times(a.plain) + signed(a.bias_bits[0]) + (weight * entry).times(a.sensitive)
    # Products of two rows of coefficients: of a row with itself, and of two rows.
    own = Interval(0, (weight * weight).high).times(a.plain)
    mixed = (weight * weight).times(a.plain)
    intervals += [(value, own)] * a.hidden[0]
    for layer, (outputs, inputs) in enumerate(a.layers[1:], start=1):
        factor = signed(a.weight_bits[layer])
        bias = signed(a.bias_bits[layer])
        if layer == len(a.hidden):
            factor = _margin(factor, a.logits)
            bias = _margin(bias, a.logits)
        # An inactive neuron adds 0, an active one its value: a bit times the value is either.
        value = (factor * (BIT * value)).times(inputs) + bias
        pairs = inputs * (inputs - 1) // 2
        square = factor * factor
        # |sum of w_i c_i|^2: the squares, and each pair of rows twice. No sign is known of a pair's product, so here
        # the norm of a row and the product of two have one interval.
        own = mixed = (square * (BIT * own)).times(inputs) + (square.times(2) * (BIT * mixed)).times(pairs)
        intervals += [(value, own)] * outputs
    return tuple(intervals)


def _margin(logit: Interval, logits: int) -> Interval:
    """Return the interval of a margin's weight or bias: (2y - 1) times the logit's, or logit_y's less logit_c's."""
    if logits == 1:
        return Interval(-1, 1) * logit
    # The circuit selects the label's logit as a sum over all, each times its bit of the label.
    return (BIT * logit).times(logits) + logit.times(-1)


def _checked(value: Interval, norm_squared: Interval) -> FormWidths:
    """Round the intervals of a form up to whole bits."""
    return FormWidths(signed(value.magnitude_bits + 1), unsigned(norm_squared.high.bit_length()))
