"""Batch normalisation of a trained network, if its square root is rational."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from equiproof.certify.models.importing.chain import Affine, exact
from equiproof.certify.models.importing.errors import ModelImportError


def batch_norm(
    factors: Sequence[float],
    shifts: Sequence[float],
    means: Sequence[float],
    variances: Sequence[float],
    epsilon: float,
    where: str,
) -> Affine:
    """Return (x - mean) / sqrt(variance + epsilon) * factor + shift; raises ModelImportError for an irrational root."""
    scaled = []
    constants = []
    for factor, shift, mean, variance in zip(factors, shifts, means, variances, strict=True):
        slope = exact(factor, where) / _root(exact(variance, where) + exact(epsilon, where), where)
        scaled.append(slope)
        constants.append(exact(shift, where) - slope * exact(mean, where))
    return Affine.diagonal(scaled, constants, where)


def _root(square: Fraction, where: str) -> Fraction:
    """Return the root of a positive fraction that is a square."""
    if square > 0:
        root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        if root * root == square:
            return root
    raise ModelImportError(
        f"{where}: the square root of variance + epsilon is irrational; fold the normalisation into the layer "
        "beside it before the export"
    )
