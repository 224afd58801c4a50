"""Bounds and proofs of leaves on a box, in the circuit's integers: forms fall on it by what their coefficients say.

On a box a form c.x + d has an exact least value: in each column at one of its ends, and in a category that leaves
values open at one of these values. So there is no norm and no root, and bounds of layer 1 are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.budget import Meter
from equiproof.certify.branch.evidence import Margin, Pass, Row
from equiproof.certify.branch.making import Guess, SliceBounds, deeper_layer, layer_of, leaf_form
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.people import Box
from equiproof.circuits.branch_parameters import Parameters


def fall(box: Box, coefficients: Sequence[int]) -> int:
    """Return how much a form over the plain columns falls at most from the least ends to a person of the box.

    It can be below 0: at the least ends of an open category nobody has a value.
    """
    loose = box.loose
    fallen = 0
    for column, (c, low, high) in enumerate(zip(coefficients, box.low, box.high, strict=True)):
        if column not in loose:
            fallen += max(-c, 0) * (high - low)
    for choice in box.choices:
        if columns := box.open(choice):
            fallen -= (choice.high - choice.low) * min(coefficients[column] for column in columns)
    return fallen


def least(box: Box, coefficients: Row, constant: int, row: Sequence[int]) -> int:
    """Return the least value of a form over all columns on the box of a slice, exactly."""
    centre = constant + sum(c * x for c, x in zip(coefficients, (*box.low, *row), strict=True))
    return centre - fall(box, coefficients[: len(box.low)])


def bounds_on_box(parameters: Parameters, network: QuantisedNetwork, box: Box, row: Sequence[int]) -> SliceBounds:
    """Return bounds and relaxations of every hidden layer on the box of one slice."""
    first = network.layers[0]
    ends = [
        (least(box, weights, bias, row), -least(box, tuple(-w for w in weights), -bias, row))
        for weights, bias in zip(first.weights, first.biases, strict=True)
    ]
    low, high = zip(*ends, strict=True)
    layers = [layer_of(parameters, low, high, (), (), None, last=len(network.hidden) == 1)]

    def proven(_top: int, coefficients: Row, constant: int, rows: Sequence[tuple[Row, Row]]) -> tuple[int, Pass]:
        descent = Pass(tuple(positive for positive, _ in rows), tuple(negative for _, negative in rows), 0, 0)
        return least(box, coefficients, constant, row), descent

    for top in range(2, len(network.hidden) + 1):
        layers.append(deeper_layer(parameters, network, top, layers, None, proven, Meter()))
    return tuple(layers)


def margin_on_box(
    parameters: Parameters,
    network: QuantisedNetwork,
    box: Box,
    row: Sequence[int],
    at_slice: SliceBounds,
    signs: Sequence[Signs],
    logits: Row,
    guess: Guess,
) -> Margin | None:
    """Return the proof of a margin, a row over the logits, on a part of a slice's box; None where the guess fails."""
    made = leaf_form(parameters, network, at_slice, signs, logits, guess)
    if made is None or least(box, made.coefficients, made.constant, row) < 1:
        return None
    return Margin(made.multiplier, made.excess, made.lower, 0, 0)
