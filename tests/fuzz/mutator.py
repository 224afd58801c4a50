"""Changes to bytes that parsers stumble over: flips, cuts, repeats, splices, and words that mean something to them."""

from __future__ import annotations

import random

WORDS = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-0", b"1.0", b"9" * 400, b"NaN", b"Infinity", b'""', b"[]", b"{}",
    b'"\\ud800"', b"\\u0000", b"\xff\xfe", b"\xef\xbb\xbf", b"\x00", b"\x1b[2J", b"[" * 2000, b'{"a":' * 500,
    b'"' * 3, b",", b"\r", b"\n\n", b"PK\x03\x04", b"\x93NUMPY", b"\xf0\x9f\x98\x80", "\u202e".encode(), b"x" * 5000,
)  # fmt: skip


def mutated(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return `data` after one to four changes; `other` is another input to splice with."""
    for _ in range(rng.randint(1, 4)):
        data = _changed(data, other, rng)
    return data


def _changed(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return `data` after one change."""
    start, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    near = min(end, start + rng.randint(1, 16))
    match rng.randrange(8):
        case 0:
            return data[:start] + bytes([rng.randrange(256)]) + data[start + 1 :]
        case 1:
            flipped = bytes(byte ^ (1 << rng.randrange(8)) for byte in data[start:near])
            return data[:start] + flipped + data[near:]
        case 2:
            return data[:start] + data[near:]
        case 3:
            return data[:start]
        case 4:
            return data[:end] + data[start:end] + data[end:]
        case 5:
            cut = rng.randint(0, len(other))
            return data[:start] + other[cut:]
        case 6:
            return data[:start] + rng.choice(WORDS) + data[start:]
        case _:
            return data[:start] + rng.choice(WORDS) + data[near:]
