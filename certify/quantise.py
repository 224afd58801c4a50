"""From floats to the committed integers, and the measure of what that changes.

Notation: layer l's weights become floor(w 2^f_l + 1/2), with the largest f_l for which they fit 16 signed bits; its
biases floor(b 2^(f_x + f_1 + ... + f_l) + 1/2), the scale of their pre-activation. All arithmetic is exact: a float is
the fraction it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from certify.data.dataset import Dataset, Row, column_values, encode_rows
from certify.decisions import TIE, decided, integer_logits
from certify.model import Floats, Integers, Network
from certify.network import Layer, NetworkError, QuantisedNetwork
from circuits.spec import WEIGHT_BITS, Spec

MAX_FRACTION_BITS = 30
"""No layer has a finer scale than 2^-30, however small its weights are."""


_SHORT = Context(prec=6)


class ExactLayer(NamedTuple):
    """A layer of a float network as the fractions it stands for: weights (outputs, inputs), biases (outputs,)."""

    weights: tuple[tuple[Fraction, ...], ...]
    biases: tuple[Fraction, ...]


@dataclass(frozen=True)
class QuantisationReport:
    """How far the committed integers depart from the float network, measured on every row of some data.

    `differing` counts the rows whose label is another one, a tie of the integers among them; `ties` counts those ties.
    `largest_gap` is the largest difference of a logit, in the float network's logit units. `accuracy` is (float,
    quantised) over all rows, None where the rows have no labels. `input_rounding_loss` is ceil(sqrt n_x) / 2^f_x, what
    a radius loses where real-valued neighbors are meant, in the spec's units. `weight_fraction_bits[l]` is the scale of
    layer l's weights.
    """

    data: str
    rows: int
    differing: int
    ties: int
    largest_gap: float
    accuracy: tuple[float, float] | None
    input_rounding_loss: float
    weight_fraction_bits: tuple[int, ...]
    logit_fraction_bits: int

    def summary(self) -> str:
        """Return the figures as a few lines of text."""
        scales = ", ".join(f"2^-{bits}" for bits in self.weight_fraction_bits)
        accuracy = ""
        if self.accuracy is not None:
            accuracy = (
                f"accuracy {self.accuracy[0]:.2%} in floats, {self.accuracy[1]:.2%} in integers, over all these rows; "
            )
        lines = (
            f"{self.data}: {self.differing} of {self.rows} labels differ from the float network ({self.ties} ties)",
            f"{accuracy}largest gap of a logit {self.largest_gap:.2g}",
            f"weights in steps of {scales}; rounded inputs cost a radius at most {self.input_rounding_loss:.4f}",
        )
        return "\n".join(lines)


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
    inputs, logits = len(network[0].weights[0]), len(network[-1].biases)
    if (inputs, logits) != (columns, spec.logits):
        raise NetworkError(
            f"layer 1 takes {inputs} columns and the last layer gives {logits} logits; "
            f"the spec has {columns} and {spec.logits}"
        )
    widths = spec.bias_widths([len(layer.biases) for layer in network[:-1]])
    layers, scales, total = [], [], spec.input_fraction_bits
    for index, exact in enumerate(network, start=1):
        last = index == len(widths)
        threshold = Fraction(spec.threshold) if last else Fraction(0)
        layer, scale = _quantise_layer(index, exact, total, widths[index - 1], threshold)
        layers.append(layer)
        scales.append(scale)
        total += scale
    return QuantisedNetwork(tuple(layers), spec.input_fraction_bits, tuple(scales))


def round_half_up(value: Fraction) -> int:
    """Return floor(value + 1/2)."""
    return math.floor(value + Fraction(1, 2))


def measure(network: Network, quantised: QuantisedNetwork, dataset: Dataset) -> QuantisationReport:
    """Compare a float network on unrounded columns with its integers on rounded ones, on every row of a data set."""
    return measure_rows(network, quantised, dataset.spec, dataset.rows, dataset.name, dataset.label_array())


def measure_rows(
    network: Network,
    quantised: QuantisedNetwork,
    spec: Spec,
    rows: Sequence[Row],
    name: str,
    labels: Integers | None = None,
) -> QuantisationReport:
    """Compare as :func:`measure` on raw rows called `name`, which may have no labels; raises DataError naming a row."""
    columns = column_values(spec, rows)
    logits = integer_logits(quantised, encode_rows(spec, rows))
    labelled = decided(logits)
    float_labels = network.decide(columns, float(spec.threshold))
    in_units = logits.astype(np.float64) / 2.0**quantised.logit_fraction_bits + float(spec.threshold)
    accuracy = None
    if labels is not None:
        accuracy = (float(np.mean(float_labels == labels)), float(np.mean(labelled == labels)))
    return QuantisationReport(
        data=name,
        rows=len(rows),
        differing=int(np.sum(labelled != float_labels)),
        ties=int(np.sum(labelled == TIE)),
        largest_gap=float(np.max(np.abs(in_units - network.logits(columns)))),
        accuracy=accuracy,
        input_rounding_loss=(math.isqrt(spec.plain_columns - 1) + 1) / spec.scale_unit,
        weight_fraction_bits=quantised.weight_fraction_bits,
        logit_fraction_bits=quantised.logit_fraction_bits,
    )


def _exact(weight: Floats, bias: Floats) -> ExactLayer:
    """Return one layer as the fractions its floats stand for."""
    rows = tuple(tuple(Fraction(value) for value in row) for row in weight.tolist())
    return ExactLayer(rows, tuple(Fraction(value) for value in bias.tolist()))


def _quantise_layer(index: int, exact: ExactLayer, below: int, width: int, threshold: Fraction) -> tuple[Layer, int]:
    """Return layer `index` with its scale; `below` is the fractional bits of its inputs, `width` of its biases."""
    limit, bias_limit = 1 << (WEIGHT_BITS - 1), 1 << (width - 1)
    # Rounding is monotone: where the ends fit, all between them do.
    ends = [end(value for row in exact.weights for value in row) for end in (min, max)]
    for scale in range(MAX_FRACTION_BITS, -1, -1):
        if not all(-limit <= round_half_up(value * 2**scale) < limit for value in ends):
            continue
        fold = math.floor(threshold * 2 ** (below + scale))
        biases = tuple(round_half_up(value * 2 ** (below + scale)) - fold for value in exact.biases)
        if all(-bias_limit <= value < bias_limit for value in biases):
            rows = tuple(tuple(round_half_up(value * 2**scale) for value in row) for row in exact.weights)
            return Layer(rows, biases), scale
    largest = max(map(abs, ends))
    if largest * 2 >= 2 * limit - 1:
        raise NetworkError(f"layer {index}: a weight of {_shown(largest)} does not fit {WEIGHT_BITS} signed bits")
    raise NetworkError(
        f"layer {index}: a bias of {_shown(max(map(abs, exact.biases)))} does not fit the layer's {width} bits: it "
        "outweighs every input; remove the neuron, or scale weights and biases down together"
    )


def _shown(number: Fraction) -> str:
    """Return a number for a message, also where it is too large for a float."""
    return f"{_SHORT.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize():g}"
