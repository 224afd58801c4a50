"""Poseidon2 over BN254 in plain integers, exactly as the circuits compute it.

Width 2, 8 full and 56 partial rounds, degree 5; Merkle-Damgard with IV 0, feed-forward of the right input and no
padding, so that every caller puts a domain tag and a length first. Source: https://eprint.iacr.org/2023/323; why so
many rounds: scripts/poseidon2_parameters.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2_constants import ROUND_KEYS


def hash_elements(elements: Iterable[int], state: int = 0) -> int:
    """Hash field elements, one compression each, starting from 0, or from the hash of those that stand before them."""
    for element in elements:
        state = compress(state, element)
    return state


def compress(left: int, right: int) -> int:
    """Return the second lane of the permutation of (left, right), plus `right`."""
    return (permute(left, right)[1] + right) % ORDER


def permute(left: int, right: int) -> tuple[int, int]:
    """Apply the Poseidon2 permutation to two field elements."""
    left, right = _external(left, right)
    for keys in ROUND_KEYS:
        if len(keys) == 2:
            left, right = _external(_fifth_power(left + keys[0]), _fifth_power(right + keys[1]))
        else:
            left, right = _internal(_fifth_power(left + keys[0]), right)
    return left, right


def _external(left: int, right: int) -> tuple[int, int]:
    """Multiply by the matrix [[2, 1], [1, 2]]."""
    return (2 * left + right) % ORDER, (left + 2 * right) % ORDER


def _internal(left: int, right: int) -> tuple[int, int]:
    """Multiply by the matrix [[2, 1], [1, 3]]."""
    return (2 * left + right) % ORDER, (left + 3 * right) % ORDER


def _fifth_power(value: int) -> int:
    """Return value^5, the S-box of degree 5."""
    return pow(value, 5, ORDER)
