"""Decisions of the quantised network at many inputs at once: the same integers as for each input alone, but faster.

Notation: layer l computes z_l = W_l h_(l-1) + b_l as in :mod:`equiproof.certify.network`.

Floats decide inputs far from a tie: with e_l >= |error of h_l|, gamma (|W| |h| + |b|) + |W| e covers the rounding of
one layer, gamma = (terms + 2) 2^-52. Inputs that this bound leaves open are computed in integers.

A float of 53 bits holds every integer below 2^53, and a sum of integers is exact in any order as long as no partial sum
leaves that range. So inputs are cut into limbs that are small enough, the products are those of the linear algebra
library, and the limbs are put together in integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from equiproof.certify.network import Layer, QuantisedNetwork

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
BigIntegers = npt.NDArray[np.object_]

TIE = -1
"""The label of an input without a strict decision."""

_EXACT_BITS = 52
_CHUNK = 4096
_FLOAT_CHUNK = 1 << 15
_FLOAT_BITS = 1000
"""Biases of more bits do not fit a float."""


def decisions(network: QuantisedNetwork, inputs: Integers) -> Integers:
    """Return the label of each row of integers, shape (rows, n_x + n_s), as `network.decide` does; TIE for a tie."""
    labels, sure = _guessed(network, inputs)
    rest = np.flatnonzero(~sure)
    if len(rest):
        labels[rest] = np.concatenate([decided(chunk) for chunk in _chunks(network, inputs[rest])])
    return labels


def decisions_under(network: QuantisedNetwork, queries: Integers, table: Integers) -> Integers:
    """Return the label of every query (rows, n_x) under every assignment (S, n_s), shape (S, rows); TIE for a tie."""
    labels = np.empty((len(table), len(queries)), dtype=np.int64)
    for number, assignment in enumerate(table):
        wide = np.broadcast_to(assignment, (len(queries), len(assignment)))
        labels[number] = decisions(network, np.concatenate([queries, wide], axis=1))
    return labels


def integer_logits(network: QuantisedNetwork, inputs: Integers) -> BigIntegers:
    """Return the exact logits of each row of integers, shape (rows, n_x + n_s), as Python integers (rows, logits)."""
    chunks = [chunk.astype(object) for chunk in _chunks(network, inputs)]
    return np.concatenate(chunks) if chunks else np.empty((0, network.logit_count), dtype=object)


def decided(logits: Integers | BigIntegers) -> Integers:
    """Return the label of each row of logits, decided as by :func:`equiproof.certify.network.decide`; TIE for a tie."""
    if logits.shape[1] == 1:
        single = logits[:, 0]
        return np.where(single == 0, TIE, single > 0).astype(np.int64)
    best = logits.max(axis=1, keepdims=True)
    winners = logits == best
    return np.where(winners.sum(axis=1) == 1, winners.argmax(axis=1), TIE).astype(np.int64)


def _guessed(network: QuantisedNetwork, inputs: Integers) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return the labels in floats, and which of them no rounding error can change."""
    labels = np.zeros(len(inputs), dtype=np.int64)
    sure = np.zeros(len(inputs), dtype=np.bool_)
    biased = max(abs(bias) for layer in network.layers for bias in layer.biases)
    # Inputs below 2^53 are exact as floats, so that the error before layer 1 is 0.
    if biased.bit_length() > _FLOAT_BITS or _largest(inputs) >> (_EXACT_BITS + 1):
        return labels, sure
    layers = [
        (np.array(layer.weights, dtype=np.float64), np.array([float(bias) for bias in layer.biases]))
        for layer in network.layers
    ]
    for first in range(0, len(inputs), _FLOAT_CHUNK):
        some = slice(first, first + _FLOAT_CHUNK)
        # A logit that overflows counts as open: below, every comparison with infinity or NaN is false.
        with np.errstate(over="ignore", invalid="ignore"):
            labels[some], sure[some] = _labels(*_forward(layers, inputs[some].astype(np.float64)))
    return labels, sure


def _forward(layers: Sequence[tuple[Floats, Floats]], values: Floats) -> tuple[Floats, Floats]:
    """Return the logits of rows in floats, (rows, logits), and a bound of the error of each."""
    error = np.zeros(values.shape[1])
    for depth, (W, biases) in enumerate(layers):
        if depth:
            values = np.maximum(values, 0.0)
        largest = np.abs(values).max(axis=0) + error
        # A sum of n products and a bias in floats is off by at most (n + 2) u / (1 - (n + 2) u) of the sum of
        # magnitudes, u = 2^-53. Twice (n + 2) u covers that, and the rounding of this bound.
        gamma = (W.shape[1] + 2) * 2.0**-52
        error = np.abs(W) @ error + gamma * (np.abs(W) @ largest + np.abs(biases))
        values = values @ W.T + biases
    return values, error


def _labels(logits: Floats, error: Floats) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return the labels of float logits, and where not even twice their error can change them."""
    if logits.shape[1] == 1:
        return (logits[:, 0] > 0).astype(np.int64), np.abs(logits[:, 0]) > 2 * error[0]
    # Two logits move towards each other by at most twice the error; twice that covers the rounding of the error itself.
    order = np.sort(logits, axis=1)
    return logits.argmax(axis=1).astype(np.int64), order[:, -1] - order[:, -2] > 4 * error.max()


def _chunks(network: QuantisedNetwork, inputs: Integers) -> Iterator[Integers | BigIntegers]:
    """Yield the logits of some rows at a time."""
    weights = [np.array(layer.weights, dtype=np.float64).T for layer in network.layers]
    for first in range(0, len(inputs), _CHUNK):
        values: Integers | BigIntegers = inputs[first : first + _CHUNK]
        for depth, (layer, W) in enumerate(zip(network.layers, weights, strict=True)):
            values = _affine(layer, W, np.maximum(values, 0) if depth else values)
        yield values


def _affine(layer: Layer, W: npt.NDArray[np.float64], values: Integers | BigIntegers) -> Integers | BigIntegers:
    """Return W h + b of rows of integers; W is (inputs, outputs)."""
    weight_bits = int(np.abs(W).max()).bit_length()
    # Limbs of so many bits times weights, summed over all inputs, stay below 2^52: exact in floats, in any order.
    bits = _EXACT_BITS - weight_bits - layer.inputs.bit_length()
    largest = _largest(values)
    bound = (largest << weight_bits) * layer.inputs + max(map(abs, layer.biases))
    # One bit of int64 is spare: low limbs are not negative, so the high one alone may exceed the whole up to twofold.
    kind: type = object if bound >> 62 else np.int64
    rest: Integers | BigIntegers = values.astype(kind)
    total: Integers | BigIntegers = np.array([layer.biases], dtype=kind)
    shift = 0
    while largest >> bits:
        total = total + (_product(rest & ((1 << bits) - 1), W).astype(kind) << shift)
        rest = rest >> bits
        shift += bits
        largest = _largest(rest)
    return total + (_product(rest, W).astype(kind) << shift)


def _product(limbs: Integers | BigIntegers, W: npt.NDArray[np.float64]) -> Integers:
    """Return the exact product of small integers with the weights."""
    return (limbs.astype(np.float64) @ W).astype(np.int64)


def _largest(values: Integers | BigIntegers) -> int:
    """Return the largest absolute value."""
    return max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0
