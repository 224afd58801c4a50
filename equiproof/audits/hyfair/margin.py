"""The margin of a network in exact integers: its score and sign are what an audit of clusters examines.

Notation: layer l computes z_l = W_l h_(l-1) + b_l, h_l = relu(z_l), all integers; a margin of 1 is `unit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from equiproof.certify.models.network import Network
from equiproof.certify.network import NetworkError, QuantisedNetwork

Layers = tuple[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]], ...]


@dataclass(frozen=True)
class Margin:
    """Layers of integers, the last of one output.

    Columns carry `input_bits` fractional bits, the weights of layer l `weight_bits[l]`.
    """

    layers: Layers
    input_bits: int
    weight_bits: tuple[int, ...]

    @property
    def unit(self) -> int:
        """The integer that a margin of 1 becomes."""
        return 1 << (self.input_bits + sum(self.weight_bits))

    def __call__(self, columns: Sequence[int]) -> Fraction:
        """Return the exact margin of n_x + n_s columns."""
        values = list(columns)
        for index, (weights, biases) in enumerate(self.layers):
            below = [max(value, 0) for value in values] if index else values
            values = [
                sum(weight * value for weight, value in zip(row, below, strict=True)) + bias
                for row, bias in zip(weights, biases, strict=True)
            ]
        return Fraction(values[0], self.unit)

    def reordered(self, order: Sequence[int]) -> Margin:
        """Return the same margin of columns in another order: `order` are this one's columns, in the new order."""
        if list(order) == list(range(len(order))):
            return self
        (weights, biases), *rest = self.layers
        return replace(self, layers=((tuple(tuple(row[c] for c in order) for row in weights), biases), *rest))


def margin_of(network: QuantisedNetwork, label: int = 1) -> Margin:
    """Return the margin of a committed network: its single logit, or a label's logit minus the largest other one.

    Of two logits it is the second minus the first. The margin is above 0 exactly where the label is decided. Raises
    NetworkError for an unknown label.
    """
    layers = tuple((layer.weights, layer.biases) for layer in network.layers)
    return _margin(layers, network.input_fraction_bits, network.weight_fraction_bits, label)


def margin_of_floats(network: Network, input_bits: int, label: int = 1) -> Margin:
    """Return the margin of a float network, every weight the fraction that it stands for: nothing is rounded.

    This is how a published network is audited as it was published, beside the integers that are committed. Raises
    NetworkError as :func:`margin_of`.
    """
    layers = []
    scales = []
    total = input_bits
    for matrix, offset in zip(network.weights, network.biases, strict=True):
        # A float is n / 2^m exactly; the layer's scale is the finest of its weights and, with those below, its biases.
        weights = [[value.as_integer_ratio() for value in row] for row in matrix.tolist()]
        biases = [value.as_integer_ratio() for value in offset.tolist()]
        bits = max(below.bit_length() - 1 for row in weights for _, below in row)
        bits = max(bits, *(below.bit_length() - 1 - total for _, below in biases))
        total += bits
        rows = tuple(tuple((above << bits) // below for above, below in row) for row in weights)
        layers.append((rows, tuple((above << total) // below for above, below in biases)))
        scales.append(bits)
    return _margin(tuple(layers), input_bits, tuple(scales), label)


def _margin(layers: Layers, input_bits: int, weight_bits: tuple[int, ...], label: int) -> Margin:
    """Return the margin of layers that end in any number of logits."""
    *hidden, (weights, biases) = layers
    count = len(biases)
    if not 0 <= label < max(count, 2) or (label != 1 and count <= 2):
        raise NetworkError(f"{count} logits: label {label} has no score of its own")
    if count == 1:
        return Margin(layers, input_bits, weight_bits)
    forms = [
        _minus((weights[other], biases[other]), (weights[label], biases[label]))
        for other in range(count)
        if other != label
    ]
    while len(forms) > 1:
        layer, forms = _halved(forms)
        hidden.append(layer)
    row, bias = forms[0]
    hidden.append(((tuple(-weight for weight in row),), (-bias,)))
    return Margin(tuple(hidden), input_bits, (*weight_bits, *(0,) * (len(hidden) - len(layers))))


Form = tuple[tuple[int, ...], int]
"""A row of weights over the values below, and a bias."""


def _halved(forms: list[Form]) -> tuple[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]], list[Form]]:
    """Return a layer of neurons and the larger form of each pair over them; a form without a partner is kept.

    With r = relu, max(p, q) = q + r(p - q) and q = r(q) - r(-q): exact in integers, with weights of 1 and -1.
    """
    neurons: list[Form] = []
    signs: list[tuple[int, ...]] = []
    zero: Form = ((0,) * len(forms[0][0]), 0)
    for first in range(0, len(forms), 2):
        *pair, q = forms[first : first + 2]
        neurons += [q, _minus(zero, q), *(_minus(p, q) for p in pair)]
        signs.append((1, -1, *(1 for _ in pair)))
    above = []
    start = 0
    for own in signs:
        above.append(((*(0,) * start, *own, *(0,) * (len(neurons) - start - len(own))), 0))
        start += len(own)
    return (tuple(row for row, _ in neurons), tuple(bias for _, bias in neurons)), above


def _minus(one: Form, other: Form) -> Form:
    """Return the difference of two forms."""
    return tuple(a - b for a, b in zip(one[0], other[0], strict=True)), one[1] - other[1]
