"""The width of biases: as wide as the largest sum of products that they are added to."""

from __future__ import annotations

from collections.abc import Sequence


def bias_widths(inputs: int, input_bits: int, outputs: Sequence[int], weight_bits: Sequence[int]) -> tuple[int, ...]:
    """Return the width of each layer's biases for so many inputs of so many bits, and layers of so many outputs.

    `weight_bits` has the width of each layer's weights.
    """
    largest = 1 << (input_bits - 1)
    widths = []
    for size, bits in zip(outputs, weight_bits, strict=True):
        # A bias above the largest sum of products decides its neuron alone, so an honest one is no wider, and a value
        # is at most twice that sum.
        products = (inputs * largest) << (bits - 1)
        widths.append(products.bit_length() + 1)
        inputs = size
        largest = 2 * products
    return tuple(widths)
