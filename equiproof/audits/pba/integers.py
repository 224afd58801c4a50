"""Exact products of integer arrays: in 64-bit integers if nothing can overflow, else in limbs or Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[Any]
"""Integers of 64 bits, or Python's own in an array of objects."""

_SAFE_BITS = 62
_LIMB = 24


def bits(array: Integers) -> int:
    """Return how many bits the largest absolute value of an array takes, 0 of none."""
    return max(abs(int(array.max())), abs(int(array.min()))).bit_length() if array.size else 0


def product(left: Integers, right: Integers) -> Integers:
    """Return left @ right without any overflow, shape (r, k) times (k,) or (k, c)."""
    inner = left.shape[-1]
    if inner == 0:
        return np.zeros((*left.shape[:-1], *right.shape[1:]), dtype=np.int64)
    # Neither the sum nor any part of it has more bits than both factors and the number of terms together.
    outer = bits(left) + inner.bit_length()
    if outer + bits(right) <= _SAFE_BITS:
        return np.asarray(machine(left) @ machine(right))
    if outer + _LIMB <= _SAFE_BITS:
        whole = exact(right)
        high = product(left, whole >> _LIMB)
        low = product(left, whole & ((1 << _LIMB) - 1))
        return exact(high) * (1 << _LIMB) + exact(low)
    if bits(right) + inner.bit_length() + _LIMB <= _SAFE_BITS:
        whole = exact(left)
        high = product(whole >> _LIMB, right)
        low = product(whole & ((1 << _LIMB) - 1), right)
        return exact(high) * (1 << _LIMB) + exact(low)
    return np.asarray(exact(left) @ exact(right))


def machine(array: Integers) -> npt.NDArray[np.int64]:
    """Return an array whose values are known to fit as 64-bit integers."""
    return array.astype(np.int64)


def exact(array: Integers) -> Integers:
    """Return an array as Python's own integers."""
    return array.astype(object)


def compact(array: Integers) -> Integers:
    """Return an array as 64-bit integers where its values fit, else as it is."""
    return machine(array) if bits(array) <= _SAFE_BITS else array


def least(coefficients: Integers, lower: Integers, upper: Integers) -> Integers:
    """Return the exact least value of each row of coefficients (r, v) over a box of v variables."""
    return product(np.maximum(coefficients, 0), lower) + product(np.minimum(coefficients, 0), upper)
