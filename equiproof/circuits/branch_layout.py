"""The private wires of scheme `branch` and their intervals; mirrors go-gnark/relation/branch_layout.go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Architecture, Shape
from equiproof.circuits.widths import BIT, Interval, signed, unsigned

FEW_SLICES = 4
"""Up to this many slices, a leaf selects the lines of its slice by products; with more it looks them up."""

_WORD_BITS = 248


def looks_up_slices(shape: Shape) -> bool:
    """Return whether leaves look up the lines of their slices in a table."""
    return shape.slices > FEW_SLICES


@dataclass(frozen=True)
class Places:
    """Where the numbers of a tree's keys stand: the slice in word 0 from bit 0, neuron i at `at[i]`, word and bit.

    A neuron has two digits of `digit_bits` bits, that of on below that of off; no digits overlap.
    (go-gnark/gadget/tree)
    """

    digit_bits: int
    at: tuple[tuple[int, int], ...]

    @property
    def words(self) -> int:
        """The number of words of a key."""
        return self.at[-1][0] + 1

    def key(self, slice_number: int, on: Sequence[int], off: Sequence[int]) -> list[int]:
        """Return the words of a key. Numbers are not checked: wrong ones spill over into other digits."""
        words = [slice_number, *[0] * (self.words - 1)]
        for (word, bit), plus, minus in zip(self.at, on, off, strict=True):
            words[word] += (plus + (minus << self.digit_bits)) << bit
        return words


@cache
def places_of(shape: Shape) -> Places:
    """Return the places of the keys of a shape; a digit can count up to the number of split rows."""
    digit_bits = (shape.capacity - shape.slices).bit_length()
    word = 0
    used_bits = (shape.slices - 1).bit_length()
    places = []
    for _ in range(shape.architecture.neurons):
        # Both digits of a neuron stand in one word, whole: a key is then a sum in each word by itself, without carries.
        if used_bits + 2 * digit_bits > _WORD_BITS:
            word += 1
            used_bits = 0
        places.append((word, used_bits))
        used_bits += 2 * digit_bits
    return Places(digit_bits, tuple(places))


@cache
def shape_parameters(shape: Shape) -> Parameters:
    """Return roundings and widths of a shape; raises WidthError for a shape that the field does not hold.

    Those of relation `gain` are those of the pair, for the bounds of its copies, too.
    """
    return Parameters.of(shape.sizes.pair if shape.gains else shape.sizes)


def branch_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires that follow those of the statement, in order.

    Passes of the bounds of layer L stand by slice, then by neuron, the lower bound's before the upper one's; those of
    the margins, L = H + 1, by leaf, then by margin.
    """
    free = (Segment.of("free", len(shape.choices), BIT),) if shape.choices else ()
    return (*free, *_bounds(shape), *_tree(shape), *_leaves(shape))


def gain_segments(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of relation `gain` that follow those of the statement, in order.

    Those of the bounds are of the network on two slices, those of the tree and its leaves of the pair on one.
    """
    return (*_bounds(shape), *_tree(shape.pair), *_leaves(shape.pair))


def _bounds(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of every slice's bounds and lines, and of the passes that prove them."""
    parameters = shape_parameters(shape)
    hidden = shape.architecture.hidden
    slope = Interval(0, parameters.unit)
    if not shape.boxes:
        yield Segment.of("first_radii", hidden[0], unsigned(parameters.first_radius_bits))
    elif shape.choices:
        # Of each neuron the least weight of each category, then that of the negated ones.
        yield Segment.of("first_least", 2 * hidden[0] * len(shape.choices), signed(parameters.first_least_bits))
    if not shape.kept:
        # A kept model's words have the negative parts themselves.
        yield from negative_weights(shape.architecture, 1 if shape.boxes else 2)
    for layer, size in enumerate(hidden, start=1):
        every = shape.slices * size
        bound = signed(parameters.bound_bits[layer - 1])
        yield Segment.of(f"low.{layer}", every, bound)
        yield Segment.of(f"high.{layer}", every, bound)
        yield Segment.of(f"upper.{layer}", every, slope)
        yield Segment.of(f"offset.{layer}", every, unsigned(parameters.offset_bits[layer - 1]))
        if layer < len(hidden):
            yield Segment.of(f"lower.{layer}", every, slope)
    for top in range(2, len(hidden) + 1):
        yield from _passes(shape, top, 2 * shape.slices * hidden[top - 1])


def negative_weights(architecture: Architecture, lowest: int) -> Iterator[Segment]:
    """Yield the wires that say which weights are negative, of the hidden layers from `lowest` up."""
    for layer in range(lowest, len(architecture.hidden) + 1):
        outputs, inputs = architecture.layers[layer - 1]
        yield Segment.of(f"negative_weight.{layer}", outputs * inputs, BIT)


def _tree(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the rows of the tree: leaves by their slices and signs, splits by key and digit."""
    words = (shape.capacity - shape.slices) * places_of(shape).words
    yield Segment.of("chosen_slice", shape.capacity * shape.slices, BIT)
    yield Segment.of("signs", shape.capacity * shape.architecture.neurons, Interval(-1, 1))
    yield Segment.of("key", words, None)
    yield Segment.of("digit", words, None)


def _leaves(shape: Shape) -> Iterator[Segment]:
    """Yield the wires of the leaves: the numbers of their slices, and their margins."""
    parameters = shape_parameters(shape)
    a = shape.architecture
    last = len(a.hidden)
    margins = shape.capacity * parameters.sizes.classes
    split = parameters.form(last + 1).split_bits
    slope = Interval(0, parameters.unit)
    if looks_up_slices(shape):
        yield Segment.of("of_slice", shape.capacity * (a.sensitive + 2 * a.neurons), None)
    yield Segment.of("multiplier", margins, slope)
    for j in range(last, 0, -1):
        excess = unsigned(split[j - 1] + parameters.fraction_bits)
        yield Segment.of(f"leaf_lower.{j}", margins * a.hidden[j - 1], slope)
        yield Segment.of(f"excess.{j}", margins * a.hidden[j - 1], excess)
    if shape.ranges:
        yield Segment.of("cut", margins * a.plain, signed(parameters.cut_bits))
        yield Segment.of("negative_cut", margins * a.plain, BIT)
    yield from _passes(shape, last + 1, margins)


def _passes(shape: Shape, top: int, count: int) -> Iterator[Segment]:
    """Yield the wires of `count` passes of one top layer."""
    parameters = shape_parameters(shape)
    a = shape.architecture
    form = parameters.form(top)
    kc = parameters.coefficient_rounding[top - 2]
    leaf = top > len(a.hidden)
    for j in range(top - 1, 0, -1):
        k = parameters.rounding[top - 2][j - 1]
        size = count * a.hidden[j - 1]
        split = form.split_bits[j - 1]
        if k:
            yield Segment.of(f"kappa.{top}.{j}", count, None)
        if j < top - 1 and leaf:
            yield Segment.of(f"coefficients.{top}.{j}", size, None)
            if k:
                yield Segment.of(f"floor.{top}.{j}", size, None)
        elif j < top - 1:
            yield Segment.of(f"positive.{top}.{j}", size, unsigned(split))
            yield Segment.of(f"negative.{top}.{j}", size, unsigned(split))
            if k:
                yield Segment.of(f"rest.{top}.{j}", size, unsigned(k))
        yield Segment.of(f"constant.{top}.{j}", count, None)
    yield Segment.of(f"coefficients.{top}.0", count * (a.plain + a.sensitive), None)
    if shape.boxes:
        if shape.numbers:
            yield Segment.of(f"negative.{top}.0", count * len(shape.numbers), BIT)
        if shape.choices:
            yield Segment.of(f"least.{top}.0", count * len(shape.choices), signed(form.least_bits))
        return
    if not leaf or kc:
        yield Segment.of(f"radius.{top}.0", count, unsigned(form.radius_bits))
    if kc:
        yield Segment.of(f"coarse.{top}.0", count * a.plain, None)
        yield Segment.of(f"rest_radius.{top}.0", count, unsigned(form.remainder_radius_bits))
