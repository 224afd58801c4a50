"""Conversion between committed integers and the floats that a repair is searched in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.certify.models.quantise import ExactLayer, quantise_exact
from equiproof.certify.models.rounding import round_half_up
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Spec

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def dyadic(network: QuantisedNetwork) -> tuple[list[Floats], list[Floats]]:
    """Return the weights and biases that the committed integers stand for; the threshold stays folded in.

    A bias of more than 53 bits is rounded to the nearest float.
    """
    weights = []
    biases = []
    value_bits = network.input_fraction_bits
    for layer, bits in zip(network.layers, network.weight_fraction_bits, strict=True):
        value_bits += bits
        weights.append(np.array(layer.weights, dtype=np.float64) / 2.0**bits)
        biases.append(np.array([float(Fraction(bias, 1 << value_bits)) for bias in layer.biases]))
    return weights, biases


def features(network: QuantisedNetwork, rows: Integers) -> Floats:
    """Return the features (rows, d) of rows (rows, n_x + n_s): exact integers, then the nearest floats.

    Features are the values below the last layer.
    """
    values = rows.astype(object)
    for layer in network.layers[:-1]:
        values = values @ np.array(layer.weights, dtype=object).T + np.array(layer.biases, dtype=object)
        values = np.maximum(values, 0)
    below = network.logit_fraction_bits - network.weight_fraction_bits[-1]
    return np.asarray(values.astype(np.float64) / 2.0**below)


def rounded(weights: Floats, biases: Floats, scale: int, below: int) -> Layer:
    """Return a last layer in integers: weights at 2^-scale, biases at 2^-(below + scale), rounded half up."""
    return Layer(
        tuple(tuple(round_half_up(Fraction(value) * 2**scale) for value in row) for row in weights.tolist()),
        tuple(round_half_up(Fraction(value) * 2 ** (below + scale)) for value in biases.tolist()),
    )


def plain_threshold(spec: Spec) -> Spec:
    """Return the spec with threshold 0, for networks that have it folded in already."""
    return msgspec.structs.replace(spec, threshold="0")


def committed(weights: Sequence[Floats], biases: Sequence[Floats], spec: Spec) -> QuantisedNetwork:
    """Return calibrated layers in integers, with the weights of sensitive columns rounded towards zero.

    Their threshold is folded in. If other columns make the scale of layer 1 coarse, rounding half up would undo step 1
    for sensitive columns. Raises NetworkError if no scale fits.
    """
    exact = [_exact(*layer) for layer in zip(weights, biases, strict=True)]
    plain = plain_threshold(spec)
    unit = 1 << quantise_exact(exact, plain).weight_fraction_bits[0]
    rows = tuple(
        (*row[: spec.plain_columns], *(Fraction(math.trunc(value * unit), unit) for value in row[spec.plain_columns :]))
        for row in exact[0].weights
    )
    return quantise_exact([ExactLayer(rows, exact[0].biases), *exact[1:]], plain)


def _exact(weights: Floats, biases: Floats) -> ExactLayer:
    """Return a layer of floats as the fractions it stands for."""
    rows = tuple(tuple(Fraction(value) for value in row) for row in weights.tolist())
    return ExactLayer(rows, tuple(Fraction(value) for value in biases.tolist()))
