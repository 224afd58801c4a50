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


def margin_of(network: QuantisedNetwork) -> Margin:
    """Return the margin of a committed network: its single logit, or its second logit minus the first.

    Raises NetworkError for more logits, whose scores are functions of no single number.
    """
    layers = tuple((layer.weights, layer.biases) for layer in network.layers)
    return Margin(_single(layers), network.input_fraction_bits, network.weight_fraction_bits)


def margin_of_floats(network: Network, input_bits: int) -> Margin:
    """Return the margin of a float network, every weight the fraction that it stands for: nothing is rounded.

    This is how a published network is audited as it was published, beside the integers that are committed. Raises
    NetworkError as :func:`margin_of`.
    """
    layers, scales, total = [], [], input_bits
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
    return Margin(_single(tuple(layers)), input_bits, tuple(scales))


def _single(layers: Layers) -> Layers:
    """Return layers that end in one output."""
    *hidden, (weights, biases) = layers
    if len(biases) == 2:
        weights = (tuple(b - a for a, b in zip(*weights, strict=True)),)
        biases = (biases[1] - biases[0],)
    if len(biases) != 1:
        raise NetworkError(f"{len(biases)} logits: discrimination clusters need a score, which takes one or two logits")
    return (*hidden, (weights, biases))
