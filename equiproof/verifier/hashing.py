"""Hashing bytes to a field element by RFC 9380 with SHA-256, as the proof system derives its commitment's challenge."""

from __future__ import annotations

import hashlib

from equiproof.circuits.field import ORDER

_SHA256_BLOCK = 64
# 254 bits and 128 more, so that the remainder is as good as uniform: RFC 9380, section 5.1.
_ELEMENT_BYTES = 48


def hash_to_field(message: bytes, domain: bytes) -> int:
    """Return the field element of a message under a domain text (RFC 9380, section 5.2, one element)."""
    return int.from_bytes(expand_message(message, domain, _ELEMENT_BYTES), "big") % ORDER


def expand_message(message: bytes, domain: bytes, length: int) -> bytes:
    """Return `length` pseudo-random bytes: expand_message_xmd of RFC 9380, section 5.3.1."""
    suffix = domain + bytes([len(domain)])
    first = hashlib.sha256(bytes(_SHA256_BLOCK) + message + length.to_bytes(2, "big") + b"\x00" + suffix).digest()
    # Zeros, so that the first round takes `first` as it is: b_1 = H(b_0 || 1 || DST).
    block = bytes(len(first))
    out = b""
    for number in range(1, -(-length // len(first)) + 1):
        mixed = bytes(left ^ right for left, right in zip(first, block, strict=True))
        block = hashlib.sha256(mixed + bytes([number]) + suffix).digest()
        out += block
    return out[:length]
