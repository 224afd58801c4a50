"""Turns floats into the committed integers.

Notation: layer l's weights become floor(w 2^f_l + 1/2), with the largest f_l for which they fit the width that the spec
gives them; its biases floor(b 2^(f_x + f_1 + ... + f_l) + 1/2), the scale of their pre-activation. All arithmetic is
exact: a float is the fraction that it represents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.models.network import Floats, Network
from equiproof.certify.models.rounding import round_half_up
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.spec import Spec

MAX_FRACTION_BITS = 30
"""No layer has a finer scale than 2^-30, however small its weights are."""


_SHORT_CONTEXT = Context(prec=6)


class ExactLayer(NamedTuple):
    """A layer of a float network as the fractions it stands for: weights (outputs, inputs), biases (outputs,)."""

    weights: tuple[tuple[Fraction, ...], ...]
    biases: tuple[Fraction, ...]

    def __repr__(self) -> str:
        """Show the number of outputs only: the weights are secret."""
        return f"<{type(self).__name__} of {len(self.biases)} outputs>"


def quantise(network: Network, spec: Spec) -> QuantisedNetwork:
    """Return the committed form of a float network, with the spec's threshold folded into the last biases.

    A logit of the float network is above the threshold t exactly where b 2^F - floor(t 2^F) makes the integer logit
    positive, F the logits' fractional bits: z > v iff z - floor(v) >= 1 for integers z. Where a bias does not fit the
    width of its layer, the layer's scale is coarsened until it does. Raises NetworkError naming the layer where columns
    or logits do not fit the spec, or where weights or biases fit at no scale.
    """
    return quantise_exact([_exact(*layer) for layer in zip(network.weights, network.biases, strict=True)], spec)


def quantise_exact(network: Sequence[ExactLayer], spec: Spec) -> QuantisedNetwork:
    """Return the committed form of layers in exact numbers; see :func:`quantise`."""
    columns = spec.plain_columns + spec.sensitive_columns
    inputs = len(network[0].weights[0])
    logits = len(network[-1].biases)
    if (inputs, logits) != (columns, spec.logits):
        raise NetworkError(
            f"layer 1 takes {inputs} columns and the last layer gives {logits} logits; "
            f"the spec has {columns} and {spec.logits}"
        )
    hidden = [len(layer.biases) for layer in network[:-1]]
    widths = list(zip(spec.weight_widths(hidden), spec.bias_widths(hidden), strict=True))
    layers = []
    scales = []
    total = spec.input_fraction_bits
    for index, exact in enumerate(network, start=1):
        last = index == len(widths)
        threshold = Fraction(spec.threshold) if last else Fraction(0)
        layer, scale = _quantise_layer(index, exact, total, widths[index - 1], threshold)
        layers.append(layer)
        scales.append(scale)
        total += scale
    return QuantisedNetwork(tuple(layers), spec.input_fraction_bits, tuple(scales))


def _exact(weight: Floats, bias: Floats) -> ExactLayer:
    """Return one layer as the fractions its floats stand for."""
    rows = tuple(tuple(Fraction(value) for value in row) for row in weight.tolist())
    return ExactLayer(rows, tuple(Fraction(value) for value in bias.tolist()))


def _quantise_layer(
    index: int, exact: ExactLayer, below: int, widths: tuple[int, int], threshold: Fraction
) -> tuple[Layer, int]:
    """Return layer `index` with its scale; `below` is the fractional bits of its inputs.

    `widths` are the signed widths of its weights and of its biases.
    """
    limit, bias_limit = (1 << (bits - 1) for bits in widths)
    # Rounding is monotone: where the ends fit, all between them do.
    ends = [end(value for row in exact.weights for value in row) for end in (min, max)]
    # The finest scale that fits loses the least of every weight.
    for scale in range(MAX_FRACTION_BITS, -1, -1):
        if not all(-limit <= round_half_up(value * 2**scale) < limit for value in ends):
            continue
        # Rounded down, not half up: for integers z, z > v iff z - floor(v) >= 1, so the threshold itself loses nothing.
        fold = math.floor(threshold * 2 ** (below + scale))
        biases = tuple(round_half_up(value * 2 ** (below + scale)) - fold for value in exact.biases)
        # The committed bias includes the threshold, so it is the sum that has to fit.
        if all(-bias_limit <= value < bias_limit for value in biases):
            rows = tuple(tuple(round_half_up(value * 2**scale) for value in row) for row in exact.weights)
            return Layer(rows, biases), scale
    largest = max(map(abs, ends))
    if largest * 2 >= 2 * limit - 1:
        raise NetworkError(f"layer {index}: a weight of {_shown(largest)} does not fit {widths[0]} signed bits")
    raise NetworkError(
        f"remove the neuron, or scale weights and biases down together: layer {index}: a bias of "
        f"{_shown(max(map(abs, exact.biases)))} does not fit the layer's {widths[1]} bits, it outweighs every input"
    )


def _shown(number: Fraction) -> str:
    """Return a number for a message, even one that is too large for a float."""
    return f"{_SHORT_CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():g}"
