"""The network of two copies: one network beside itself, each with sensitive columns of its own.

Both copies read the same n_x columns. Their hidden layers stand side by side, without a weight from one to the other,
and each logit is that of the first copy less that of the second. So a margin of the label is the gain in that margin
from the first row of sensitive columns in place of the second, and 1 less the least gain is added to it: the label is
decided strictly exactly where every gain is at least that. (Persistent bias, "Individual Fairness Guarantees", and the
audit `pba`, whose copies are these.)
"""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.polytope import margin_signs

Row = tuple[int, ...]


def paired(network: QuantisedNetwork, plain: int, label: int, least_gain: int) -> QuantisedNetwork:
    """Return the network that decides `label` strictly where each margin gains at least `least_gain`, an integer.

    `plain` is n_x; its inputs are these columns, then n_s sensitive ones for each copy. Raises NetworkError for a
    network with a weight that has no negative of its width.
    """
    last = network.layers[-1]
    bias = tuple(_bias(len(last.biases), label, 1 - least_gain))
    logits = Layer(tuple((*row, *(-weight for weight in row)) for row in last.weights), bias)
    hidden = [_twice(layer, plain if depth == 0 else 0) for depth, layer in enumerate(network.layers[:-1])]
    return QuantisedNetwork((*hidden, logits), network.input_fraction_bits, network.weight_fraction_bits)


def gain_at(
    network: QuantisedNetwork, point: Sequence[int], first: Sequence[int], second: Sequence[int], label: int
) -> int:
    """Return the least gain of a margin of `label` at a point of n_x integers.

    A gain is the margin with `first` less that with `second`; both are rows of n_s sensitive integers.
    """
    one = network.logits((*point, *first))
    other = network.logits((*point, *second))
    over = margin_signs(network.logit_count, label)
    return min(sum(sign * (a - b) for sign, a, b in zip(signs, one, other, strict=True)) for signs in over)


def _bias(logits: int, label: int, value: int) -> list[int]:
    """Return the biases of the logits that add a value to every margin of a label."""
    if logits == 1:
        return [value if label == 1 else -value]
    return [value if number == label else 0 for number in range(logits)]


def _twice(layer: Layer, shared: int) -> Layer:
    """Return a layer beside itself: both take the first inputs, as many as are shared, and each its own others."""
    none = (0,) * (layer.inputs - shared)
    first = [(*row[:shared], *row[shared:], *none) for row in layer.weights]
    second = [(*row[:shared], *none, *row[shared:]) for row in layer.weights]
    return Layer((*first, *second), (*layer.biases, *layer.biases))
