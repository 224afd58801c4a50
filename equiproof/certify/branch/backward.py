"""The backward pass of a form through the hidden layers, in exact integers: one step, and the form that it ends with.

Notation: before the step through layer j the form is at least lambda.h_j + kappa (times a scale that the caller keeps),
h_j = relu(z_j); after it, at least lambda.h_(j-1) + kappa. Every step holds on the slice's ball and, at leaves, where
the signs of the row hold. Search and checker share this arithmetic; only the checker restricts its inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul, sub

from equiproof.certify.branch.evidence import Row
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Box


@dataclass(frozen=True)
class Signs:
    """The signs of one layer's neurons in a row of the tree: 1 where on, 1 where off; free is neither."""

    on: Row
    off: Row


@dataclass(frozen=True)
class Slopes:
    """The slopes of one layer's free neurons: 2^q relu(z) >= `lower` z, and <= `upper` z + `offset`."""

    lower: Row
    upper: Row
    offset: Row


def round_down(coefficients: Sequence[int], constant: int, bits: int) -> tuple[Row, int]:
    """Return the form over h >= 0 divided by 2^bits and rounded down: 2^bits times it is no larger than the form.

    Rounding every coefficient down lowers the form since h >= 0; a shift to the right rounds down, also below 0.
    """
    return tuple(value >> bits for value in coefficients), constant >> bits


def split_parts(coefficients: Sequence[int]) -> tuple[Row, Row]:
    """Return P and Q, the positive and the negative part."""
    return tuple(max(value, 0) for value in coefficients), tuple(max(-value, 0) for value in coefficients)


def leaf_parts(coefficients: Row, signs: Signs, excess: Row) -> tuple[Row, Row, Row]:
    """Return P, Q and beta of a layer in a leaf: Q is the excess where a neuron is free, beta where it is on or off.

    P = lambda + Q where the neuron is free. The others of these numbers are 0.
    """
    fixed = [on or off for on, off in zip(signs.on, signs.off, strict=True)]
    negative = tuple(0 if is_fixed else value for is_fixed, value in zip(fixed, excess, strict=True))
    positive = tuple(0 if is_fixed else c + q for is_fixed, c, q in zip(fixed, coefficients, negative, strict=True))
    beta = tuple(value if is_fixed else 0 for is_fixed, value in zip(fixed, excess, strict=True))
    return positive, negative, beta


def slopes_of(
    coefficients: Row, positive: Row, negative: Row, signs: Signs | None, slopes: Slopes, beta: Row, unit: int
) -> tuple[Row, int]:
    """Return mu over z, and the sum of the offsets, for lambda = positive - negative over relu(z).

    On: 2^q lambda - beta; off: beta; free: A P - K Q, with Q T off. No signs: every neuron is free.
    """
    mu = [a * p - k * q for a, p, k, q in zip(slopes.lower, positive, slopes.upper, negative, strict=True)]
    offsets = [q * t for q, t in zip(negative, slopes.offset, strict=True)]
    if signs is not None:
        for i, (on, off) in enumerate(zip(signs.on, signs.off, strict=True)):
            if on or off:
                mu[i] = unit * coefficients[i] - beta[i] if on else beta[i]
                offsets[i] = 0
    return tuple(mu), sum(offsets)


def through(layer: Layer, mu: Row, constant: int) -> tuple[Row, int]:
    """Return mu.z + constant as a form over the layer's inputs: mu W, and mu.b more in the constant."""
    # Many mu are 0: their rows of weights are left out of the products.
    nonzero = [i for i, value in enumerate(mu) if value]
    if not nonzero:
        return (0,) * layer.inputs, constant
    multipliers = [mu[i] for i in nonzero]
    columns = zip(*(layer.weights[i] for i in nonzero), strict=True)
    coefficients = tuple([sum(map(mul, multipliers, column)) for column in columns])
    return coefficients, constant + sum(map(mul, mu, layer.biases))


@dataclass(frozen=True, repr=False)
class FinalForm:
    """c.x' + d on a slice in the form of the radius rule: its value at the centre, and c = 2^kc `coarse` + `rest`."""

    centre: int
    coarse: Row
    rest: Row


def final_form(
    coefficients: Row,
    constant: int,
    query: Sequence[int],
    row: Sequence[int],
    bits: int,
    *,
    cut: Row = (),
    box: Box | None = None,
) -> FinalForm:
    """Return the form over the n_x columns, with the sensitive row folded in; the centre takes the exact c.

    With a box, a cut is subtracted: `cut` times the distance from the column's least value, or `-cut` times that from
    its largest. Inside the box the cut is never negative.
    """
    plain = coefficients[: len(query)]
    centre = constant + sum(map(mul, plain, query)) + sum(map(mul, coefficients[len(query) :], row))
    if box is not None:
        plain = tuple(map(sub, plain, cut))
        ends = [low if value > 0 else high for value, low, high in zip(cut, *box, strict=True)]
        centre -= sum(value * (x - end) for value, x, end in zip(cut, query, ends, strict=True))
    half = (1 << bits) >> 1
    coarse = tuple((value + half) >> bits for value in plain)
    return FinalForm(centre, coarse, tuple(c - (q << bits) for c, q in zip(plain, coarse, strict=True)))


def bound_start(network: QuantisedNetwork, top: int, neuron: int, sign: int) -> tuple[Row, int]:
    """Return sign times the pre-activation of a neuron of hidden layer `top`, over the layer below."""
    layer = network.layers[top - 1]
    return tuple(sign * weight for weight in layer.weights[neuron]), sign * layer.biases[neuron]


def margin_start(network: QuantisedNetwork, signs: Sequence[int], multiplier: int) -> tuple[Row, int]:
    """Return M times a margin, given as a row over the logits, over the last hidden layer."""
    layer = network.layers[-1]
    logit_multipliers = [multiplier * sign for sign in signs]
    weights = tuple(sum(map(mul, logit_multipliers, column)) for column in zip(*layer.weights, strict=True))
    return weights, sum(map(mul, logit_multipliers, layer.biases))


def squared(row: Sequence[int]) -> int:
    """Return |c|^2."""
    return sum(map(mul, row, row))
