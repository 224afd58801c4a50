"""The quantised network: the integers that are committed, and the only model that a certificate is about.

Notation: layer l computes z_l = W_l h_(l-1) + b_l, h_l = relu(z_l), h_0 the input at scale 2^f_x; the last layer gives
the logits. Nothing is rescaled between layers, so every value is an exact integer. A neuron is active where z >= 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import MAX_WEIGHT_BITS

MAX_SCALE_BITS = 64
"""No layer's weights have a finer scale than 2^-64; the quantiser uses much coarser ones."""


class NetworkError(ValueError):
    """A network whose layers do not fit together or whose weights leave their width; one line naming the layer."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Layer:
    """One affine layer: `weights[i][j]` from input j to output i, `biases[i]`."""

    weights: tuple[tuple[int, ...], ...]
    biases: tuple[int, ...]

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.weights[0])

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.biases)

    def __repr__(self) -> str:
        """Show the sizes only: the weights are secret."""
        return f"<{type(self).__name__} {self.inputs}-{self.outputs}>"

    def __call__(self, values: Sequence[int]) -> tuple[int, ...]:
        """Return W h + b; raises ValueError where h is not as long as the rows of W."""
        if len(values) != self.inputs:
            raise ValueError(f"give {self.inputs} inputs, not {len(values)}")
        return tuple([sum(map(mul, row, values), bias) for row, bias in zip(self.weights, self.biases, strict=True)])


@dataclass(frozen=True)
class QuantisedNetwork:
    """A fully connected ReLU network in exact integers; the last layer gives the logits.

    `input_fraction_bits` is f_x; `weight_fraction_bits[l]` is the scale of layer l's weights, so that logits carry
    `logit_fraction_bits` fractional bits. Raises NetworkError where the layers do not fit.
    """

    layers: tuple[Layer, ...]
    input_fraction_bits: int
    weight_fraction_bits: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse layers that are ragged or do not fit together, inexact numbers, and weights that no spec allows."""
        if len(self.layers) < 2 or len(self.layers) != len(self.weight_fraction_bits):
            raise NetworkError("a network has at least one hidden layer, and one weight scale per layer")
        if any(type(bits) is not int or not 0 <= bits <= MAX_SCALE_BITS for bits in self.weight_fraction_bits):
            raise NetworkError(f"weight_fraction_bits are integers from 0 to {MAX_SCALE_BITS}")
        limit = 1 << (MAX_WEIGHT_BITS - 1)
        for index, layer in enumerate(self.layers, start=1):
            if not layer.biases or len(layer.weights) != len(layer.biases) or not layer.weights[0]:
                raise NetworkError(f"layer {index}: {len(layer.weights)} rows of weights, {len(layer.biases)} biases")
            if len({len(row) for row in layer.weights}) != 1:
                raise NetworkError(f"layer {index}: rows of different lengths")
            # A float rounds and a fixed-width integer wraps around, so neither is reliably the committed number.
            if any(type(number) is not int for row in (*layer.weights, layer.biases) for number in row):
                raise NetworkError(f"layer {index}: a number is not a plain integer")
            if any(not -limit <= weight < limit for row in layer.weights for weight in row):
                raise NetworkError(f"layer {index}: a weight does not fit {MAX_WEIGHT_BITS} signed bits")
        for index, (below, above) in enumerate(pairwise(self.layers), start=1):
            if below.outputs != above.inputs:
                raise NetworkError(f"layer {index} has {below.outputs} outputs, layer {index + 1} takes {above.inputs}")

    @property
    def inputs(self) -> int:
        """The number of input columns, n_x + n_s."""
        return self.layers[0].inputs

    @property
    def hidden(self) -> tuple[int, ...]:
        """The sizes of the hidden layers."""
        return tuple(layer.outputs for layer in self.layers[:-1])

    @property
    def neurons(self) -> int:
        """N, the number of hidden neurons."""
        return sum(self.hidden)

    @property
    def logit_count(self) -> int:
        """The number of logits."""
        return self.layers[-1].outputs

    @property
    def logit_fraction_bits(self) -> int:
        """The fractional bits that a logit carries."""
        return self.input_fraction_bits + sum(self.weight_fraction_bits)

    def __repr__(self) -> str:
        """Show the sizes only: the weights are secret."""
        return f"<{type(self).__name__} {'-'.join(map(str, (self.inputs, *self.hidden, self.logit_count)))}>"

    def pre_activations(self, inputs: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return z_l of every layer at one input; the last entry holds the logits."""
        values: Sequence[int] = inputs
        result = []
        for layer in self.layers:
            result.append(layer(values))
            values = [max(z, 0) for z in result[-1]]
        return tuple(result)

    def logits(self, inputs: Sequence[int]) -> tuple[int, ...]:
        """Return the logits at one input of n_x + n_s integers."""
        return self.pre_activations(inputs)[-1]

    def pattern(self, inputs: Sequence[int]) -> int:
        """Return the activation pattern: bit i is 1 where hidden neuron i, counted layer by layer, has z >= 0."""
        hidden = [z for layer in self.pre_activations(inputs)[:-1] for z in layer]
        return sum(1 << index for index, z in enumerate(hidden) if z >= 0)

    def decide(self, inputs: Sequence[int]) -> int | None:
        """Return the label that is decided strictly (margin >= 1 over every other), or None for a tie."""
        return decide(self.logits(inputs))


def decide(logits: Sequence[int]) -> int | None:
    """Return the strictly decided label: 1 or 0 by the sign of a single logit, else the largest; None for a tie."""
    if len(logits) == 1:
        return None if logits[0] == 0 else int(logits[0] > 0)
    best = max(logits)
    winners = [label for label, logit in enumerate(logits) if logit == best]
    return winners[0] if len(winners) == 1 else None
