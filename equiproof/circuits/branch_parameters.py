"""The parameters of a shape of scheme `branch`: widths of all private values, and the rounding of coefficients.

All follow from the sizes of a network, the widths of its numbers and two choices, by interval arithmetic over every
pattern. Nothing here depends on weights, query or radius. (docs/adr/0008-branch-and-bound-in-integers.md)

Notation: hidden layers 1..H; a form of top layer L = 2..H + 1 is a neuron's pre-activation, for L = H + 1 a margin. Its
backward pass goes through the hidden layers j = L - 1..1; tables are indexed [L - 2][j - 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec
from equiproof.circuits.tables import say

FIELD_BITS = 250
"""No value may exceed 2^250, so that a field element stands for one integer.

The order is above 2^253: the residue of an integer below 0 then has more bits than any other value may have."""

FRACTION_BITS = 8
"""q, the fractional bits of slopes and multipliers."""

KEPT_BITS = 52
"""How many bits a coefficient over hidden neurons keeps where squares would outgrow the field."""


_RADII = "squared radii"


class WidthError(ValueError):
    """A shape whose values could exceed 2^250; one line with the layer and the width."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Sizes:
    """What a network and its spec fix: n_x, n_s, hidden layers, logits, and the widths of their numbers.

    Signed widths: `weight_bits` and `bias_bits` per layer, the logits' last, and `input_bits`. R2 has `radius_bits`
    bits. `ranges`: neighbors are restricted to ranges. `boxes`: the statement is about everybody in a box.
    """

    plain: int
    sensitive: int
    hidden: tuple[int, ...]
    logits: int
    weight_bits: tuple[int, ...]
    input_bits: int
    bias_bits: tuple[int, ...]
    radius_bits: int
    ranges: bool = False
    boxes: bool = False

    @classmethod
    def of(cls, spec: Spec, hidden: Sequence[int]) -> Sizes:
        """Return the sizes of a network with these hidden layers under a spec."""
        return cls(
            plain=spec.plain_columns,
            sensitive=spec.sensitive_columns,
            hidden=tuple(hidden),
            logits=spec.logits,
            weight_bits=spec.weight_widths(hidden),
            input_bits=spec.input_bits,
            bias_bits=spec.bias_widths(tuple(hidden)),
            radius_bits=spec.max_radius_squared.bit_length(),
            ranges=spec.use_ranges,
        )

    @property
    def gain_bits(self) -> int:
        """The signed width of a least gain: any difference of two margins fits."""
        # A margin is the difference of two logits, and a gain that of two margins: four times the limit, and a sign.
        return self.value_limits[-1].bit_length() + 3

    @property
    def pair(self) -> Sizes:
        """The sizes of the network of two copies, by which relation `gain` has widths, roundings and leaves.

        Its hidden layers have a copy beside the other, and it has the sensitive columns of each. Each logit is the
        difference of the copies', and the bias of the label's is 1 less the least gain.
        """
        return replace(
            self,
            sensitive=2 * self.sensitive,
            hidden=tuple(2 * size for size in self.hidden),
            bias_bits=(*self.bias_bits[:-1], self.gain_bits + 1),
            ranges=False,
        )

    @property
    def classes(self) -> int:
        """The number of margins of a label: one for a single logit, else one for every other class."""
        return max(1, self.logits - 1)

    @cached_property
    def value_limits(self) -> tuple[int, ...]:
        """The largest |z| of each layer, over all inputs, weights, biases and patterns; the logits' last."""
        inputs = self.plain + self.sensitive
        largest = 1 << (self.input_bits - 1)
        limits = list[int]()
        for size, bits, bias in zip((*self.hidden, self.logits), self.weight_bits, self.bias_bits, strict=True):
            largest = inputs * (largest << (bits - 1)) + (1 << (bias - 1))
            limits.append(largest)
            inputs = size
        return tuple(limits)


@dataclass(frozen=True)
class FormWidths:
    """The widths of a form's private values: `split_bits[j - 1]` of P and Q, those of r and of rho.

    At leaves the excess of layer j has `split_bits[j - 1]` + q bits, and there is no r where kc = 0: 0 bits. Where
    neighbors are restricted to ranges a leaf's cut has `cut_bits` signed bits. On a box there are no radii, and the
    least coefficient of a category has `least_bits` signed bits.
    """

    split_bits: tuple[int, ...]
    radius_bits: int
    remainder_radius_bits: int
    cut_bits: int = 0
    least_bits: int = 0


@dataclass(frozen=True)
class Parameters:
    """The sizes of a network, q, k[L - 2][j - 1] and kc[L - 2]; all widths are derived here, in one place.

    Raises ValueError for tables that do not fit the sizes, WidthError where a value could pass 2^250.
    """

    sizes: Sizes
    fraction_bits: int
    rounding: tuple[tuple[int, ...], ...]
    coefficient_rounding: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse tables of other sizes, and widths that a field element does not hold."""
        layers = len(self.sizes.hidden)
        if [len(row) for row in self.rounding] != list(range(1, layers + 1)) or any(row[-1] for row in self.rounding):
            raise ValueError("rounding: want k[L - 2][j - 1] for L = 2 .. H + 1 and j < L, with 0 for j = L - 1")
        if len(self.coefficient_rounding) != layers:
            raise ValueError("coefficient_rounding: want one number for each L = 2 .. H + 1")
        if any(k < 0 for row in (*self.rounding, self.coefficient_rounding) for k in row) or self.fraction_bits < 1:
            raise ValueError("roundings are at least 0 bits, fraction_bits at least 1")
        for top in range(2, layers + 2):
            self.form(top)

    @classmethod
    def of(cls, sizes: Sizes, *, fraction_bits: int = FRACTION_BITS, kept_bits: int = KEPT_BITS) -> Parameters:
        """Return the parameters of a shape.

        A form that fits the field without rounding has k = kc = 0. Otherwise its coefficients keep `kept_bits` bits
        below the top layer, and kc is the least that fits. Raises WidthError where none fits.
        """
        rounding = []
        coefficients = []
        for top in range(2, len(sizes.hidden) + 2):
            table, kc = _roundings(sizes, fraction_bits, kept_bits, top)
            rounding.append(table)
            coefficients.append(kc)
        return cls(sizes, fraction_bits, tuple(rounding), tuple(coefficients))

    @property
    def unit(self) -> int:
        """2^q: a slope or multiplier of 1."""
        return 1 << self.fraction_bits

    @cached_property
    def bound_bits(self) -> tuple[int, ...]:
        """The signed widths of l and u of each hidden layer: twice the limit of its values, and a sign.

        The ball may leave the range of inputs, and relaxations are looser than values: hence twice.
        """
        return tuple(limit.bit_length() + 2 for limit in self.sizes.value_limits[:-1])

    @cached_property
    def offset_bits(self) -> tuple[int, ...]:
        """The widths of T of each hidden layer, 0 <= T < 2^width: 2^q times the largest bound fits."""
        return tuple(bits + self.fraction_bits for bits in self.bound_bits)

    @cached_property
    def first_radius_bits(self) -> int:
        """The width of r of layer 1."""
        return _root_bits(self.sizes, 1 << (self.sizes.weight_bits[0] - 1))

    @property
    def first_least_bits(self) -> int:
        """The signed width of the least weight of a category in layer 1, or of the least of the negated ones."""
        return self.sizes.weight_bits[0] + 1

    def form(self, top: int) -> FormWidths:
        """Return the widths of forms of top layer L = 2..H + 1."""
        return _measured(
            self.sizes, self.fraction_bits, top, self.rounding[top - 2], self.coefficient_rounding[top - 2]
        )

    @property
    def cut_bits(self) -> int:
        """The signed width of a leaf's cut: a coefficient can be taken off as a whole. 0 without ranges."""
        return self.form(len(self.sizes.hidden) + 1).cut_bits

    def shift(self, top: int) -> int:
        """Return (sum of k) - q (L - 1): a bound l of layer L is compared as l <= 2^shift (centre - 2^kc r - rho)."""
        return sum(self.rounding[top - 2]) - self.fraction_bits * (top - 1)


def network_parameters(spec: Spec, hidden: Sequence[int]) -> Parameters:
    """Return the parameters of every key, proof and plaintext search of a network with these hidden layers.

    Raises WidthError naming the layer where its values could pass 2^250.
    """
    return Parameters.of(Sizes.of(spec, hidden))


def box_parameters(spec: Spec, hidden: Sequence[int]) -> Parameters:
    """Return the parameters of boxes of a network with these hidden layers; raises WidthError likewise.

    A spec's ranges play no part: the statement is about the whole box.
    """
    return Parameters.of(replace(Sizes.of(spec, hidden), ranges=False, boxes=True))


def pair_parameters(spec: Spec, hidden: Sequence[int]) -> Parameters:
    """Return the parameters of two copies of a network with these hidden layers; raises WidthError likewise."""
    return Parameters.of(Sizes.of(spec, hidden).pair)


def _measured(sizes: Sizes, q: int, top: int, rounding: Sequence[int], kc: int) -> FormWidths:
    """Run the backward pass on limits of magnitudes; raises WidthError where one passes 2^250."""
    leaf = top == len(sizes.hidden) + 1
    # A margin takes M up to 2^q, and the difference of two rows where there are several classes.
    factor = (2 if sizes.logits > 1 else 1) << q if leaf else 1
    coefficient, constant = (factor << (bits[top - 1] - 1) for bits in (sizes.weight_bits, sizes.bias_bits))
    split_bits = [0] * (top - 1)
    for j in range(top - 1, 0, -1):
        k = rounding[j - 1]
        size = sizes.hidden[j - 1]
        bias = 1 << (sizes.bias_bits[j - 1] - 1)
        coefficient = _ceil_shift(coefficient, k)
        constant = _ceil_shift(constant, k)
        split = split_bits[j - 1] = coefficient.bit_length()
        # On: 2^q lambda - beta; off: beta; free: A P - K Q.
        slope = 1 << (q + split + (1 if leaf else 0))
        offset = 1 << (sizes.value_limits[j - 1].bit_length() + 2 + q)
        # Q is up to P - lambda: one more bit than P where lambda is not split (leaves).
        constant = (constant << q) + size * ((offset << (split + (1 if leaf else 0))) + slope * bias)
        coefficient = size * slope << (sizes.weight_bits[j - 1] - 1)
        _refuse_wide(constant, say("parts.constants_over_layer", layer=top, lower=j))
    largest_input = 1 << (sizes.input_bits - 1)
    centre = constant + (sizes.plain + sizes.sensitive) * coefficient * largest_input
    if sizes.boxes:
        # A form falls by its coefficients times how far apart both ends are; a category by its least one.
        least = coefficient.bit_length() + 1
        _refuse_wide_sides(sizes, q, top, rounding, centre + (sizes.plain << (least + sizes.input_bits)))
        return FormWidths(tuple(split_bits), 0, 0, least_bits=least)
    cut = coefficient.bit_length() + 1 if leaf and sizes.ranges else 0
    if cut:
        # A column lies at most 2^input_bits from the ends of its range.
        centre += sizes.plain << (cut - 1 + sizes.input_bits)
        coefficient += 1 << (cut - 1)
    rest = _ceil_shift(coefficient, kc) if kc else coefficient
    radius = _root_bits(sizes, rest)
    remainder = _root_bits(sizes, 1 << (kc - 1)) if kc else 0
    squared = radius
    if leaf and not kc:
        # Without a radius of its own the centre is squared.
        squared, radius = max(radius, centre.bit_length()), 0
    _refuse_wide(1 << (2 * squared), f"layer {top}: {_RADII}")
    _refuse_wide_sides(sizes, q, top, rounding, centre + (1 << (kc + radius)) + (1 << remainder))
    return FormWidths(tuple(split_bits), radius, remainder, cut)


def _refuse_wide_sides(sizes: Sizes, q: int, top: int, rounding: Sequence[int], side: int) -> None:
    """Raise WidthError where what a form is compared with, its value at the centre and its reach, passes 2^250."""
    if top <= len(sizes.hidden):
        # A bound is compared at the scale of the form, or the form at that of the bound.
        shift = sum(rounding) - q * (top - 1)
        bound = 1 << (sizes.value_limits[top - 1].bit_length() + 1)
        side = max(side << max(shift, 0), bound << max(-shift, 0)) * 2
        offset = 1 << (sizes.value_limits[top - 1].bit_length() + 2 + q)
        _refuse_wide(4 * offset, f"layer {top}: relaxations")
    _refuse_wide(side, say("parts.values_at_centre", layer=top))


def _roundings(sizes: Sizes, q: int, kept_bits: int, top: int) -> tuple[tuple[int, ...], int]:
    """Return k and kc of the forms of a top layer."""
    none = (0,) * (top - 1)
    try:
        _measured(sizes, q, top, none, 0)
    except WidthError:
        pass
    else:
        return none, 0
    table = list(none)
    for j in range(top - 2, 0, -1):
        # The limit of lambda over layer j, given the roundings above it.
        limit = _limit(sizes, q, top, table, j)
        table[j - 1] = max(0, limit.bit_length() - kept_bits)
    kc = 0
    while True:
        try:
            _measured(sizes, q, top, table, kc)
        except WidthError as refused:
            # Only squares shrink with kc, which is never as large as the field.
            if _RADII not in str(refused) or kc == FIELD_BITS:
                raise
            kc += 1
        else:
            return tuple(table), kc


def _limit(sizes: Sizes, q: int, top: int, rounding: Sequence[int], layer: int) -> int:
    """Return the largest |lambda| over a layer before it is rounded."""
    leaf = top == len(sizes.hidden) + 1
    coefficient = ((2 if sizes.logits > 1 else 1) << q if leaf else 1) << (sizes.weight_bits[top - 1] - 1)
    for j in range(top - 1, layer, -1):
        split = _ceil_shift(coefficient, rounding[j - 1]).bit_length()
        weight = 1 << (sizes.weight_bits[j - 1] - 1)
        coefficient = (sizes.hidden[j - 1] * weight) << (q + split + (1 if leaf else 0))
    return coefficient


def _root_bits(sizes: Sizes, coefficient: int) -> int:
    """Return the width of the least r with r^2 >= R2 |c|^2, for n_x coefficients up to a limit."""
    squares = ((1 << sizes.radius_bits) - 1) * sizes.plain * coefficient * coefficient
    # The root of a number of b bits is below 2^ceil(b / 2), and rounded up it may be that power itself.
    return (squares.bit_length() + 1) // 2 + 1


def _ceil_shift(value: int, bits: int) -> int:
    """Return value / 2^bits, rounded up."""
    return -(-value >> bits)


def _refuse_wide(value: int, what: str) -> None:
    """Raise WidthError for what passes 2^250."""
    if value > 1 << FIELD_BITS:
        raise WidthError(
            f"{what} take {value.bit_length()} bits, the field holds {FIELD_BITS}: narrower or fewer layers fit"
        )
