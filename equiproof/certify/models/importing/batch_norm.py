"""Batch normalisation of a trained network: an affine map, with a root that is irrational as a rule.

A library computes the root in floats. Here it is the fraction nearest to it of a fixed precision, which is far finer
than any float, and than the steps that weights are rounded to. The import names the layers that have such roots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.models.importing.chain import ROUNDED, Affine, exact
from equiproof.certify.models.importing.errors import ModelImportError

ROOT_BITS = 128
"""Irrational roots are rounded down by less than 2^-ROOT_BITS of themselves."""


def batch_norm(
    factors: Sequence[float],
    shifts: Sequence[float],
    means: Sequence[float],
    variances: Sequence[float],
    epsilon: float,
    where: str,
) -> Affine:
    """Return (x - mean) / sqrt(variance + epsilon) * factor + shift, and say in its name where a root is irrational.

    Raises ModelImportError for a variance + epsilon that is not above 0, and where the sequences differ in length.
    """
    if len({len(factors), len(shifts), len(means), len(variances)}) != 1:
        raise ModelImportError(f"{where}: its factors, shifts, means and variances are of different numbers of columns")
    scaled = []
    constants = []
    irrational = False
    for factor, shift, mean, variance in zip(factors, shifts, means, variances, strict=True):
        square = exact(variance, where) + exact(epsilon, where)
        if square <= 0:
            raise ModelImportError(f"{where}: variance + epsilon is not above 0: train it again, with an epsilon")
        root = _root(square)
        irrational = irrational or root * root != square
        slope = exact(factor, where) / root
        scaled.append(slope)
        constants.append(exact(shift, where) - slope * exact(mean, where))
    note = f" ({ROUNDED} by less than 2^-{ROOT_BITS} of themselves)" if irrational else ""
    return Affine.diagonal(scaled, constants, f"{where}{note}")


def _root(square: Fraction) -> Fraction:
    """Return the root of a positive fraction: itself if it is rational, else a fraction just below it."""
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if root * root == square:
        return root
    # Enough bits behind the point that the integer part of the shifted root has more than ROOT_BITS of them.
    shift = ROOT_BITS + max(0, square.denominator.bit_length() - square.numerator.bit_length()) // 2 + 2
    return Fraction(math.isqrt((square.numerator << (2 * shift)) // square.denominator), 1 << shift)
