"""The scalar field of BN254: canonical encodings and limits."""

from __future__ import annotations

import secrets

from equiproof.circuits.tables import say

ORDER = 21888242871839275222246405745257275088548364400416034343698204186575808495617
"""The order r of the groups of BN254, the modulus of every number in a circuit."""

BYTES = 32


class FieldError(ValueError):
    """Text or bytes that are not the canonical encoding of one field element."""


def to_hex(value: int) -> str:
    """Return the 64 hexadecimal digits of a field element."""
    return to_bytes(value).hex()


def to_bytes(value: int) -> bytes:
    """Return the 32 big-endian bytes of a field element; raises FieldError outside [0, ORDER)."""
    if not 0 <= value < ORDER:
        raise FieldError(say("value.not_below_order"))
    return value.to_bytes(BYTES, "big")


def from_hex(text: str) -> int:
    """Read 64 lower-case hexadecimal digits; raises FieldError for anything else, and for values >= ORDER."""
    if len(text) != 2 * BYTES or any(digit not in "0123456789abcdef" for digit in text):
        raise FieldError(say("format.want_digest"))
    value = int(text, 16)
    if value >= ORDER:
        raise FieldError(say("value.not_below_order"))
    return value


def random() -> int:
    """Draw a blinding, uniform over the field, from the operating system's generator."""
    # Below the order itself: a remainder of random bits would favour small elements.
    return secrets.randbelow(ORDER)
