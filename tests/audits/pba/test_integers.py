"""Exact products, whatever the size of the numbers."""

from __future__ import annotations

import random

import numpy as np

from equiproof.audits.pba.integers import bits, compact, least, product


def test_products_are_those_of_whole_numbers():
    """Products of 4- to 90-bit integers are what Python's own integers give, for vectors and matrices."""
    rng = random.Random(1)
    for _ in range(200):
        rows, inner, columns = rng.randint(1, 4), rng.randint(0, 6), rng.randint(1, 3)
        left = _drawn(rng, (rows, inner), rng.choice((4, 16, 39, 61, 90)))
        right = _drawn(rng, rng.choice(((inner,), (inner, columns))), rng.choice((4, 16, 39, 61, 90)))
        computed = product(compact(left), compact(right))
        assert computed.shape == (left @ right if inner else np.zeros((rows, *right.shape[1:]))).shape
        for row in range(rows):
            for column in np.ndindex(right.shape[1:]):
                truth = sum(int(left[row, k]) * int(right[(k, *column)]) for k in range(inner))
                assert int(computed[(row, *column)]) == truth


def test_least_value_over_a_box_is_at_a_corner():
    """The least value of a row is that of the best corner."""
    rng = random.Random(2)
    for _ in range(50):
        row = _drawn(rng, (1, 3), 40)
        low = _drawn(rng, (3,), 30)
        high = low + np.abs(_drawn(rng, (3,), 30))
        corners = [
            sum(int(row[0, k]) * int((high if code >> k & 1 else low)[k]) for k in range(3)) for code in range(8)
        ]
        assert int(least(row, low, high)[0]) == min(corners)


def test_bits_are_those_of_the_largest_value():
    """The extremes of 64-bit integers count whole, and an empty array has none."""
    assert bits(np.array([-(2**63)])) == 64
    assert bits(np.array([3, -4])) == 3
    assert bits(np.zeros((0, 2))) == 0


def _drawn(rng, shape, size):
    found = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        found[index] = rng.choice((-1, 1)) * rng.getrandbits(size)
    return found
