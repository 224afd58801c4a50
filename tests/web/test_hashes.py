"""The verifier's own hashes equal those of other programs: at every length around a block, and of published texts."""

import hashlib
import os
import random

TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0")) or 1
RNG = random.Random("hashes" if TIMES == 1 else None)


def lengths():
    """Return lengths around the ends of one, two and three blocks, and some large ones."""
    return [*range(150), *range(260, 280), *(RNG.randrange(1000, 100_000) for _ in range(3 * TIMES))]


def test_sha256(package):
    """SHA-256 is Python's."""
    for length in lengths():
        data = RNG.randbytes(length)
        assert package.call("hash_sha256", data.hex()) == hashlib.sha256(data).hexdigest(), length


def test_keccak(package):
    """Keccak-256 is that of noble-hashes, and of the empty text what every Ethereum program knows."""
    for length in lengths():
        own, other = package.call("hash_keccak", RNG.randbytes(length).hex())
        assert own == other, length
    empty = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert package.call("hash_keccak", "") == [empty, empty]
